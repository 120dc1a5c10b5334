# --explain: all numbers of the first rows; without it the same five columns; resumed, the same rows
four_states
long_tape 40
trace='lgkt trace --mdp four.json --tape tape.csv'
$trace --learner random --explain | head -3
for learner in random lg1t ucb auto psrl; do
    $trace --learner $learner >plain.csv
    $trace --learner $learner --explain >whole.csv
    cut -d, -f1-5 whole.csv | cmp - plain.csv && echo "$learner: the same steps"
    $trace --learner $learner --save-at 25 state.bin >plain.csv
    { head -1 whole.csv; sed 1,26d whole.csv; } >rest.csv
    $trace --resume state.bin --explain | cmp - rest.csv && echo "$learner: resumed"
done
# the probability of the action played is that of its column, and all sum to 1
$trace --learner auto --explain | awk -F, 'NR == 1 {for (i = 7; i <= NF; i++) place[$i] = i}
    NR > 1 {sum = 0; for (a = 0; a < 3; a++) sum += $place["probability_" a]
        if ($6 != $place["probability_" $3] || (sum - 1) ^ 2 > 1e-20) print "row " $1 ": " sum
        rows++; sure += $6 == 1} END {print rows " rows; the action was certain in " sure}'
