four_states
long_tape 50
with='--mdp four.json --tape tape.csv'
lgkt trace $with --learner lg1t --horizon 100 --save-at 20 state.bin >whole.csv
# the option takes two values
refused trace $with --learner lg1t --save-at
refused trace $with --learner lg1t --save-at 20
refused trace $with --learner lg1t --save-at=20 --seed 1
refused trace $with --learner lg1t --save-at --seed 1
refused trace $with --learner lg1t --save-at state.bin 20
refused trace $with --learner lg1t --save-at -1 other.bin
refused trace $with --learner lg1t --save-at 51 other.bin
refused trace $with --learner lg1t --save-at 5 no/such/folder/state.bin
refused trace $with --resume state.bin --save-at 19 other.bin
refused trace $with --resume
# another learner, horizon, tape or model
refused trace $with --resume state.bin --learner lg1t
refused trace $with --resume state.bin --horizon 200
long_tape 101
refused trace $with --resume state.bin
long_tape 19
refused trace $with --resume state.bin
long_tape 50
sed 's/1.5/1.6/' four.json >changed.json
refused trace --mdp changed.json --tape tape.csv --resume state.bin
# the same to look at, but with another number
sed 's/1.5, 0, 0.4/1.5, 0, 0.3/' four.json >changed.json
refused trace --mdp changed.json --tape tape.csv --resume state.bin
sed 's/0.7, 0.1, 0.1, 0.1/0.6, 0.2, 0.1, 0.1/' four.json >changed.json
refused trace --mdp changed.json --tape tape.csv --resume state.bin
for row in 2 21 22; do
    awk -F, -v OFS=, -v row=$row 'NR == row {$4 = 0.5} {print}' tape.csv >changed.csv
    if [ $row -le 21 ]; then
        refused trace --mdp four.json --tape changed.csv --resume state.bin
    else
        lgkt trace --mdp four.json --tape changed.csv --resume state.bin | wc -l
    fi
done
# nothing is known of a state that was not saved by a trace
head -c -46 state.bin >bare.bin
lgkt trace --mdp changed.json --tape changed.csv --resume bare.bin | wc -l
two_states
refused trace --mdp two.json --tape tape.csv --resume state.bin
# no file, or no such file
head -c 100 state.bin >cut.bin
{ head -c 150 state.bin; printf '\377'; tail -c +152 state.bin; } >changed.bin
{ cat state.bin; echo more; } >longer.bin
: >empty.bin
for file in nothing.bin . empty.bin tape.csv cut.bin longer.bin changed.bin; do
    refused trace $with --resume $file
done
ls
