two_states
tape '0,0,0,0\n0,0,0,0\n0,0,0,0\n'
refused trace --mdp two.json --tape tape.csv --learner lg1t --horizon 2
refused trace --mdp two.json --tape tape.csv --learner lg9t
refused trace --mdp two.json --tape tape.csv --learner lg1t:threshold=x
refused trace --mdp two.json --tape tape.csv --learner lg1t:gamma=1
refused trace --mdp two.json --tape nothing.csv --learner lg1t
refused trace --mdp nothing.json --tape tape.csv --learner lg1t
model law.json start '"start": [0.5, 0.5]'
refused trace --mdp law.json --tape tape.csv --learner lg1t
