# the count of threads changes nothing but the time
for jobs in 1 2 7; do
    lgkt run --env synthetic --learner lg1t --learner lg2t --learner random --horizon 600 \
        --replicates 8 --jobs $jobs --json | grep -v second >$jobs.json
done
cmp 1.json 2.json && cmp 1.json 7.json && echo same
lgkt run --env synthetic --learner lg1t --learner lg2t --learner random --horizon 600 \
    --replicates 8 --seed 2 --json | grep -v second | cmp -s - 1.json || echo other
