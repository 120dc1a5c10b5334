# actions that the model forbids are not played, and have probability 0
four_states
sed 's/"start"/"allowed": [[0, 1], [2], [0, 1, 2], [0, 2]], "start"/' four.json >some.json
long_tape 300
for learner in random lg1t optimal ucrl2 auto; do
    lgkt trace --mdp some.json --tape tape.csv --learner $learner --explain >rows.csv
    awk -F, -v name=$learner 'BEGIN {may["0 0"] = may["0 1"] = may["1 2"] = 1
            may["2 0"] = may["2 1"] = may["2 2"] = may["3 0"] = may["3 2"] = 1}
        NR == 1 {for (i = 7; i <= NF; i++) place[$i] = i}
        NR > 1 {rows++; bad += !(($2 " " $3) in may)
            for (a = 0; a < 3; a++) bad += !(($2 " " a) in may) && $place["probability_" a] > 0}
        END {print name ": " rows " rows, " bad + 0 " of them with what is forbidden"}' rows.csv
done
lgkt trace --mdp some.json --tape tape.csv --learner random --save-at 100 state.bin >whole.csv
lgkt trace --mdp some.json --tape tape.csv --resume state.bin >rest.csv
{ head -1 whole.csv; sed 1,101d whole.csv; } | cmp - rest.csv && echo resumed
