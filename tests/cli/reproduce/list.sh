# the experiments with their places and counts; widths follow the longest
lgkt reproduce list | sed 's/   */ | /g' >list.txt
lgkt reproduce list --quick | sed 's/   */ | /g' >quick.txt
head -n 12 list.txt
tail -n 6 list.txt
sed -n '2,3p' quick.txt
# each of the shipped files has a line
files=$(ls "$(dirname "$COMMON")"/../../experiments/*.json | wc -l)
[ "$(wc -l <list.txt)" -eq $((files + 1)) ] && echo all there
