# left out where time is short
# a reader that goes away ends every command as it ends other programs: by the signal, in silence
two_states
awk 'BEGIN {print "u_next,z_reward,u_reward,u_coin"; for (i = 0; i < 100000; i++) print "0.5,0,0,0.5"}' >tape.csv
for command in '--help' '--version' 'help plan' 'list' 'list --json' 'list --markdown' \
    'plan --mdp two.json --horizon 3' 'plan --mdp two.json --horizon 3 --json' 'reproduce list' \
    'reproduce frozenlake riverswim-5 --replicates 1 --quiet' \
    'run --env model:file=two.json --learner kstep --horizon 3' \
    'run --env model:file=two.json --learner kstep --horizon 3 --json' \
    'run --env model:file=two.json --learner kstep --horizon 3 --curve /dev/stdout' \
    'bench --env riverswim --learner random --horizon 10 --repeats 1' \
    'trace --mdp two.json --tape tape.csv --learner random'; do
    {
        sleep 0.1
        lgkt $command 2>err.txt
        echo "$command: $?$(cat err.txt)" >code.txt
    } | true
    cat code.txt
done
# nothing is begun for nobody
ls results
# a line that was read is whole
lgkt trace --mdp two.json --tape tape.csv --learner random | head -1
# the state is still saved
{
    sleep 0.1
    lgkt trace --mdp two.json --tape tape.csv --learner random --save-at 100000 state.bin
} | true
lgkt trace --mdp two.json --tape tape.csv --resume state.bin
