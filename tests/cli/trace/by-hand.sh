# the best first action is to move (3.5 over 3), then to stay with reward 2
two_states
tape '0.5,0,0,0\n0.49,0,0,0\n0.999,0,0,0\n'
lgkt trace --mdp two.json --tape tape.csv --learner optimal
