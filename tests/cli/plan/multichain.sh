# two states that never meet: the gain depends on the start, and there is no single one
model two.json rewards '"rewards": [[0], [1]]'
lgkt plan --mdp two.json --horizon 4 --k 1
lgkt plan --mdp two.json --horizon 4 --k 1 --json | grep optimal
