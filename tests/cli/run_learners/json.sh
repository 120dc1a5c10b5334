# 1-step greedy stays in state 0 and earns 1 at each step; the optimum of 3 steps is 3.5
two_states
lgkt run --env model:file=two.json --learner kstep:k=1 --learner kstep --horizon 3 --replicates 2 \
    --seed 18446744073709551615 --json | sed 's/\(second[a-z_]*": \)[0-9.e+-]*/\1X/'
