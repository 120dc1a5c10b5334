# an untold ucrl2 is one that was told [0, 1] and noise 0.5, and says so
two_states
lgkt run --env model:file=two.json --learner ucrl2 --learner lg1t --learner q-greedy:start=optimistic \
    --untold --horizon 3 --replicates 2 | sed -n '4,7p'
run() {
    lgkt run --env model:file=two.json --horizon 50 --replicates 2 --json "$@" |
        grep -v 'second\|spec'
}
run --learner ucrl2 --untold >untold.json
run --learner ucrl2:reward-min=0,reward-max=1,reward-sd=0.5 >same.json
diff same.json untold.json
# the same in a trace, and a saved learner stays untold
four_states
long_tape 60
trace() { lgkt trace --mdp four.json --tape tape.csv --learner "$@"; }
trace ucrl2 --untold --save-at 30 state.bin >untold.csv
trace ucrl2:reward-min=0,reward-max=1,reward-sd=0.5 | cmp - untold.csv && echo same
trace ucrl2 | cmp -s - untold.csv || echo other
lgkt trace --mdp four.json --tape tape.csv --resume state.bin --untold | sed 1d >rest.csv
tail -n 30 untold.csv | cmp - rest.csv && echo same
refused trace --mdp four.json --tape tape.csv --resume state.bin
