lgkt reproduce frozenlake --replicates 2 --quiet >log.txt
refused plot
refused plot nowhere
refused plot results results/frozenlake
refused plot results --format gif
refused plot results --format svg,
refused plot results --out log.txt
# without gnuplot
(PATH=$(dirname "$(command -v lgkt)"); lgkt plot results 2>err.txt; echo "exit $?"; read -r line <err.txt; echo "$line")
ls results/frozenlake | grep -c 'tmp\|pdf\|svg\|png'
# a damaged table is named with its line
cp results/frozenlake/curves.csv .
echo 'frozenlake,LG1T,1,x,2,3' >>results/frozenlake/curves.csv
refused plot results | sed 's/:[0-9]*:/:LINE:/'
# a table that was cut off, and a manifest that is no file
head -c -1 curves.csv >results/frozenlake/curves.csv
refused plot results
rm results/frozenlake/manifest.json
mkdir results/frozenlake/manifest.json
refused plot results
rmdir results/frozenlake/manifest.json
ln -s /dev/zero results/frozenlake/manifest.json
refused plot results
# unfinished
rm results/frozenlake/manifest.json
refused plot results
refused plot results/frozenlake
