# windows as keys: LGKT learners, bandits and random choices do what they did on numbered windows
lgkt run --env trading --learner lg1t --learner lg2t --learner lg1-2t --learner lg1-2t-adaptive \
    --learner lg1t-i --learner lg2t-i --learner ucb --learner random --horizon 5000 --replicates 6 --quiet |
    sed -n 's/^\([a-z][-a-z0-9]*  *-*[0-9.][0-9.]*  *[0-9.]*\)  .*/\1/p'
