# a model through a pipe, also one that is longer than a pipe holds
two_states
lgkt plan --mdp two.json --horizon 3 --json >a.txt
cat two.json | lgkt plan --mdp /dev/stdin --horizon 3 --json | cmp - a.txt && echo same
(cat two.json && head -c 300000 /dev/zero | tr '\0' ' ') |
    lgkt plan --mdp /dev/stdin --horizon 3 --json | cmp - a.txt && echo same
