# the smallest j with P(0) + .. + P(j) > u, over states with probability 0 too
echo '{"states": 4, "actions": 1, "start": 2, "noise": {"kind": "none"},
    "rewards": [[0], [0], [0], [0]], "transitions": [
    [[0, 0.25, 0, 0.75]], [[0, 0.25, 0, 0.75]], [[0, 0.25, 0, 0.75]], [[0, 0.25, 0, 0.75]]]}' >m.json
tape '0,0,0,0\n0.2499999,0,0,0\n0.25,0,0,0\n0.9999999999999999,0,0,0\n'
lgkt trace --mdp m.json --tape tape.csv --learner random
