two_states
lgkt run --env model:file=two.json --learner kstep:k=1 --horizon 3 --replicates 2 |
    sed '/^kstep/s/ [0-9.M ]*$//'
