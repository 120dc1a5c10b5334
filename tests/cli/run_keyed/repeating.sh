# prices that repeat: six windows come up again and again
awk 'BEGIN {print "Close"; split("1.1 1.2 1.4 1.3 1.5 1.2", p, " ")
    for (i = 0; i < 60; i++) print p[i % 6 + 1]}' >prices.csv
env=trading:file=prices.csv,window=2,frame-lo=4,frame-hi=60
for learner in lg1t:threshold=500 lg2t:threshold=900 lgkt:k=3,sampler=ucb,threshold=1000 ucb random; do
    lgkt run --env $env --learner $learner --horizon 2000 --replicates 1 --json | grep mean_reward
done
# the count of threads changes nothing, and each learner starts without a state
for jobs in 1 3; do
    lgkt run --env $env --learner lg2t --learner ucbvi --learner ucrl2 --learner lg2t --horizon 600 \
        --replicates 5 --jobs $jobs --json | grep -v second >$jobs.json
done
cmp 1.json 3.json && echo same
lgkt run --env $env --learner lg2t --horizon 2 --replicates 1 -q | grep -c '^lg2t'
