# without a stdout nothing lands in the files that are opened in its place
two_states
long_tape 2000
for closed in '>&-' '<&- >&-' '<&- >&- 2>&-'; do
    eval "lgkt trace --mdp two.json --tape tape.csv --learner random --save-at 2000 state.bin $closed"
    echo "exit $?"
    lgkt trace --mdp two.json --tape tape.csv --resume state.bin
done
