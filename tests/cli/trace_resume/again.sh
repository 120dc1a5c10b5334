# saved, resumed and saved again; over the file it came from
four_states
long_tape 60
trace='lgkt trace --mdp four.json --tape tape.csv'
$trace --learner lg2t:p=0.5 --horizon 1000 >whole.csv
$trace --learner lg2t:p=0.5 --horizon 1000 --save-at=20 state.bin | cmp - whole.csv
cp state.bin first.bin
$trace --resume state.bin --save-at 45 state.bin >rest.csv
head -2 rest.csv | cut -d, -f1
{ head -1 whole.csv; sed 1,21d whole.csv; } | cmp - rest.csv && echo same
cmp -s state.bin first.bin || echo other
$trace --resume=state.bin --save-at 45 twice.bin | sed 1d >rest.csv
sed 1,46d whole.csv | cmp - rest.csv && echo same
cmp state.bin twice.bin && echo same
# all rows done: the header is left
$trace --resume first.bin --save-at 60 end.bin >rest.csv
$trace --resume end.bin
# the first state is the start of the model
$trace --learner lg2t:p=0.5 --horizon 1000 --save-at 0 none.bin >rest.csv
$trace --resume none.bin | cmp - whole.csv && echo same
# a longer tape goes on where a shorter one ended
cp tape.csv all.csv
head -31 all.csv >tape.csv
$trace --learner lg2t:p=0.5 --horizon 1000 --save-at 30 state.bin >a.csv
cp all.csv tape.csv
{ cat a.csv; $trace --resume state.bin | sed 1d; } | cmp - whole.csv && echo same
ls
