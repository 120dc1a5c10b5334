model two.json start '"start": [0.25, 0.75]'
lgkt plan --mdp two.json --horizon 4 --k 1 --json | grep 'start\|optimal'
lgkt plan --mdp two.json --horizon 4 --k 1 | head -1
