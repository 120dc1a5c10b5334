# left out where time is short
# a trace in one go is its first part and the resumed rest, byte for byte, for every learner
four_states
long_tape 400
cut() {
    lgkt trace --mdp four.json --tape tape.csv --learner "$1" --seed 3 --save-at "$2" state.bin >with.csv
    cmp whole.csv with.csv || echo "$1: saving after $2 steps changes the trace"
    { head -$(($2 + 1)) whole.csv; lgkt trace --mdp four.json --tape tape.csv --resume state.bin | sed 1d; } >parts.csv
    cmp whole.csv parts.csv || echo "$1: two parts, cut after $2 steps, are not the whole"
}
for name in $(learners_on_states); do
    lgkt trace --mdp four.json --tape tape.csv --learner "$name" --seed 3 >whole.csv || continue
    for n in 0 1 137 400; do
        cut "$name" $n
    done
done
# runs of three steps are cut in every phase
lgkt trace --mdp four.json --tape tape.csv --learner lgkt:k=3,threshold=1.5,p=0.5 --seed 3 >whole.csv
for n in 200 201 202 203 204 205 206; do
    cut lgkt:k=3,threshold=1.5,p=0.5 $n
done
ls
