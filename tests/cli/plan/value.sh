# the long-run average of a chain, and of one whose gain depends on the start, with its components
lgkt plan --env riverswim:states=8 --average | sed 's/known to.*/known/; s/^[0-9]* sweeps.*/sweeps/'
lgkt plan --env riverswim:states=8 --average --json | grep -v 'interval\|sweeps\|policies\|gain\|value'
model two.json rewards '"rewards": [[0], [1]]'
lgkt plan --mdp two.json --average | sed 's/known to.*/known/; s/^[0-9]* sweeps.*/sweeps/'
lgkt plan --mdp two.json --average --json | grep 'gain\|value'
# discounted: known by hand, 1 + G + G^2 + .. = 2
lgkt plan --mdp two.json --discount 0.5 --policy best.csv | head -n 1
cut -d , -f 1,2 best.csv
# of so many steps: the table as ever, and a file of the first step
two_states
lgkt plan --mdp two.json --horizon 3 --k 1 --policy best.csv | sed -n 3,5p
cat best.csv
refused plan --mdp two.json
refused plan --mdp two.json --average --discount 0.5
refused plan --mdp two.json --discount 1
refused plan --mdp two.json --average --threshold 1
refused plan --mdp two.json --average --policy no/such/folder.csv
