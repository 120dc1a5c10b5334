# what a policy earns that draws its actions: known by hand, gain 1.3 and values of three steps
two_states
printf 'probability,state,note,action\n.25,0,stay,0\n.75,0,"go, mostly",1\n1,1,,1\n' >law.csv
for criterion in --average '--discount 0.5' '--horizon 3'; do
    lgkt plan --mdp two.json $criterion --evaluate law.csv
done
lgkt plan --mdp two.json --horizon 3 --evaluate law.csv --json
# the file of --policy is one too
lgkt plan --mdp two.json --discount 0.5 --policy best.csv | sed -n 's/, known.*//p'
lgkt plan --mdp two.json --discount 0.5 --evaluate best.csv
model apart.json rewards '"rewards": [[0], [1]]'
printf 'state,action\n0,0\n1,0\n' >only.csv
lgkt plan --mdp apart.json --average --evaluate only.csv
lgkt plan --mdp apart.json --average --evaluate only.csv --json | grep 'gain\|value'
bad() {
    printf "$1" >bad.csv
    refused plan --mdp two.json --average --evaluate bad.csv
}
bad ''
bad 'state,probability\n0,1\n'
bad 'state,action\n0,0\n'
bad 'state,action\n0,0\n1,2\n'
bad 'state,action\n0,0\n1.5,1\n'
bad 'state,action\n0,0\n1,one\n'
bad 'state,action\n0,0\n1\n'
bad 'state,action\n0,0\n0,0\n1,0\n'
bad 'state,action,probability\n0,0,1\n1,0,.5\n'
bad 'state,action,probability\n0,0,1\n1,0,1.5\n'
bad 'state,action,probability\n0,0,nan\n1,0,1\n'
refused plan --mdp two.json --average --evaluate nothing.csv
refused plan --mdp two.json --average --evaluate law.csv --policy best.csv
refused plan --mdp two.json --horizon 3 --evaluate law.csv --threshold 1
