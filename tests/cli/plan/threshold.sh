# threshold 0 is met by all actions (uniform, no cost); 10 by none (greedy, cost 10 - Q each step)
two_states
lgkt plan --mdp two.json --horizon 3 --k 1,2 --threshold 0
echo
lgkt plan --mdp two.json --horizon 3 --k 1 --threshold 10 --json | grep -A 2 '"threshold"'
