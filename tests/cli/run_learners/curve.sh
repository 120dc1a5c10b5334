# 0 in the first step, then 1 for ever: the running mean is (t-1)/t
model two.json rows '"transitions": [[[0, 1]], [[0, 1]]]'
lgkt run --env model:file=two.json --learner kstep:k=1,ties=low --horizon 4 --replicates 3 \
    --curve curve.csv --json >run.json
cat curve.csv
lgkt run --env model:file=two.json --learner kstep --horizon 4 --replicates 1 --curve one.csv >run.txt
tail -1 one.csv
refused run --env model:file=two.json --learner kstep --curve no/such/folder/curve.csv
ls
