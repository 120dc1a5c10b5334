# a negative optimum has no share, but a score: staying costs 1 a step, going for the other state less
two_states
sed 's/\[\[1, 0\], \[0, 2\]\]/[[-1, -2], [-1, 0]]/' two.json >cost.json
lgkt run --env model:file=cost.json --learner optimal --learner kstep:k=1 --horizon 9 --replicates 2 |
    sed -n '/^learner/,$p' | sed 's/ [0-9.M ]*$//' | tr -s ' '
lgkt run --env model:file=cost.json --learner kstep:k=1 --horizon 9 --replicates 2 --json |
    grep '"score\|"share\|_mean'
lgkt plan --mdp cost.json --horizon 9 --k 1,2 | sed -n '/^policy/,/^uniform/p' | tr -s ' '
lgkt plan --mdp cost.json --horizon 9 --k 1 --json | grep '"uniform\|"k"'
# one instance in five is stuck where nothing is earned: the mean hides it
model stuck.json start '"start": [0.2, 0.8]'
lgkt run --env model:file=stuck.json --learner random --horizon 3 --replicates 50 |
    sed -n '/^learner/,$p' | sed 's/ [0-9.M ]*$//' | tr -s ' '
lgkt run --env model:file=stuck.json --learner random --horizon 3 --replicates 9 --json |
    grep 'reward"\|score\|share\|optimal'
# rewards far from 1
lgkt run --env scaled:by=1e-9,of=riverswim --learner optimal --horizon 100 --replicates 1 |
    sed -n '/^learner/,$p' | sed 's/ [0-9.M ]*$//' | tr -s ' '
