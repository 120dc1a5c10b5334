# a spec that is only a path is told how a file is named
two_states
cp two.json plain
mkdir folder
for spec in two.json model:two.json nothing.json model:nothing plain ./plain 'model:a,b.json' prices.csv \
    trading:prices.csv 'scaled:of=(two.json)' 'scaled:of=(model:two.json)' folder modle model:; do
    refused run -q -e "$spec" -l random -t 10
done
refused plan --env two.json --horizon 3
lgkt plan --env model:file=two.json --horizon 3 >spec.txt
lgkt plan --mdp two.json --horizon 3 | cmp - spec.txt && echo same
cp two.json 'a,b (1).json'
lgkt plan --env 'model:file=(a,b (1).json)' --horizon 3 | cmp - spec.txt && echo same
# names of files are bytes, JSON is UTF-8
bytes=$(printf 'b\377\303.json')
cp two.json "$bytes"
lgkt run -q -e "model:file=$bytes" -l random -t 10 -n 2 --json | iconv -f UTF-8 -t UTF-8 >json.txt && echo UTF-8
