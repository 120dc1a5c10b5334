# a reader that goes away: exit 1, not a signal
two_states
awk 'BEGIN {print "u_next,z_reward,u_reward,u_coin"; for (i = 0; i < 100000; i++) print "0.5,0,0,0.5"}' >tape.csv
{
    lgkt trace --mdp two.json --tape tape.csv --learner random 2>err.txt
    echo "exit $?" >code.txt
} | head -1
cat code.txt err.txt
