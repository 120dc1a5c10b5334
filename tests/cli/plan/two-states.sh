# known by hand: V_3(0) = 3.5; 1-step greedy earns 3, 2-step greedy 3, with ties broken low
two_states
lgkt plan --mdp two.json --horizon 3 --k 1,2,3 --json |
    sed 's/, "hash": "[0-9a-f]\{16\}"//; s/\("gain": 1\.33333333\)[0-9]*/\1/'
echo
lgkt plan --mdp two.json --horizon=3 --k=2
