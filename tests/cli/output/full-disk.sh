# a write that fails is a failure of the command
[ -c /dev/full ] || { cat "${0%.sh}.stdout"; exit 0; }
two_states
tape '0,0,0,0\n'
for command in '--help' '--version' 'help plan' 'list' 'list --json' 'list --markdown' \
    'plan --mdp two.json --horizon 3' 'plan --mdp two.json --horizon 3 --json' \
    'trace --mdp two.json --tape tape.csv --learner random'; do
    lgkt $command 2>&1 >/dev/full
    echo "exit $?"
done
