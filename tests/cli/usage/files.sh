# the name of a file is no spec; the spec is what was meant
two_states
for command in 'run --learner random' 'bench' 'plan --horizon 3'; do
    refused $command --env two.json
    refused $command --env model:two.json
done
# a name of other bytes than UTF-8 works, and what is printed about it can be read
name=$(printf 'tw\377o.json')
cp two.json "$name"
lgkt run --env "model:file=$name" --learner kstep --horizon 3 --replicates 2 --json >run.json
iconv -f UTF-8 -t UTF-8 run.json | grep '"env\|"note'
python3 -m json.tool run.json >/dev/null && echo JSON
lgkt run --env "model:file=$name" --learner kstep --horizon 3 --replicates 2 >run.txt
iconv -f UTF-8 -t UTF-8 run.txt | sed -n 1,2p
lgkt bench --env "model:file=$name" --learner kstep --horizon 3 --repeats 1 | cut -c 1-30
lgkt bench --env "model:file=$name" --learner kstep --horizon 3 --repeats 1 --json >bench.json
python3 -m json.tool bench.json >/dev/null && echo JSON
lgkt plan --mdp "$name" --horizon 3 --k 1 | head -1
refused plan --mdp "no-$name" --horizon 3
