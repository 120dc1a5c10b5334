# numbers are read in one way, as in specs: options, lists and specs agree
two_states
lgkt plan --mdp two.json --horizon 1000 --k 1,10 --threshold 0.25 --json >a.txt
lgkt plan --mdp two.json --horizon 1e3 --k 1e0,20/2 --threshold 1/4 --json | cmp - a.txt && echo same
lgkt plan --mdp two.json --horizon +1000.0 --k 1,1e1 --threshold 25e-2 --json | cmp - a.txt && echo same
lgkt plan --env synthetic:states=1e1,actions=10/2 --horizon 2e1 --seed 1e3 --json >a.txt
lgkt plan --env synthetic:states=10,actions=5 --horizon 20 --seed 1000 --json | cmp - a.txt && echo same
lgkt run --env riverswim --learner random --horizon 1e2 --replicates 4/2 --seed 3e0 --jobs 1e0 --json |
    grep '"horizon\|"replicates\|"seed'
lgkt plan --env synthetic --horizon 3 --seed 9223372036854775808 --k 1 | wc -l
lgkt bench --env riverswim --learner random --horizon 1e2 --repeats 1e0 | wc -l
# and refused in one way
for value in 1.5 1/3 1e-1 nan inf 0x10 ' 1' '1 ' 1e400 1/0 1//2 e3 -- '' 1e20; do
    refused plan --mdp two.json --horizon="$value"
    refused run --env riverswim --learner random --seed="$value"
    refused plan --mdp two.json --horizon 3 --k "$value,1"
done
for value in nan inf 0x10 ' 1' 1e400 1/0 1//2 e3 -- ''; do
    refused plan --mdp two.json --horizon 3 --threshold="$value"
done
