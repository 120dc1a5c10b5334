# K = 2, gamma = 1.5: staying in state 0 costs 1/2 in the last of 3 steps, the thresholding policy
# 1/4 on average; the optimum is 3.5, staying earns 3
two_states
run='lgkt run --env model:file=two.json --learner kstep:k=1 --horizon 3 --replicates 2 --regret 2,1.5'
$run --json --curve curve.csv | grep regret | sed 's/\(0\.5\)0000000[0-9]*/\1/'
cat curve.csv
$run | sed -n '/^learner/,/^kstep/p' | tr -s ' ' | sed 's/ [0-9.]*\( M\)\{0,1\}$//'
lgkt run --env model:file=two.json --learner kstep:k=1 --horizon 3 --replicates 1 --regret=2,1.5 --json |
    grep 'threshold_regret'
# numbers are read as in specs
for same in 2,1.5 2e0,15e-1 4/2,3/2 00000000000000000000000000000000000000002,+1.50; do
    lgkt run --env model:file=two.json --learner kstep:k=1 --horizon 3 --replicates 1 --regret $same --json |
        grep '"regret"'
done
# not asked for, not printed
lgkt run --env model:file=two.json --learner kstep --horizon 3 --replicates 2 --json | grep -c regret
for bad in 2 2, ,1.5 0,1 -1,1 1.5,1 2,x 2,nan 2,1,1 '' 1000000000001,1 1e13,1 1/2,1; do
    refused run --env riverswim --learner random --regret "$bad"
done
refused run --env trading --learner random --regret 1,1
