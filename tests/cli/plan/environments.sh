# gains of the published chains, and the same from the file of the environment `model`
for states in 5 8 15; do
    lgkt plan --env riverswim:states=$states --horizon 100 --k 1 | sed -n 2p
done
two_states
lgkt plan --mdp two.json --horizon 50 --json >a.txt
lgkt plan --env model:file=two.json --horizon 50 --json | cmp - a.txt && echo same
lgkt plan --env 'model:file=(two.json)' --horizon 50 --json | cmp - a.txt && echo same
# seeds and instances of a random one
lgkt plan --env synthetic --horizon 50 --json | grep -o '"hash.*"' >a.txt
lgkt plan --env synthetic --horizon 50 --seed 0 --instance 0 --json | grep -o '"hash.*"' | cmp - a.txt && echo same
lgkt plan --env synthetic --horizon 50 --seed 1 --json | grep -o '"hash.*"' | cmp -s - a.txt || echo other
lgkt plan --env synthetic --horizon 50 --instance 1 --json | grep -o '"hash.*"' | cmp -s - a.txt || echo other
