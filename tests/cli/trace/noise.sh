# one state, one action: normal, Bernoulli and no noise from the same tape
tape '0,-1.5,0.24,0\n0,0.1,0.25,0\n'
for noise in '{"kind": "normal", "sd": 0.3}' '{"kind": "bernoulli"}' '{"kind": "none"}'; do
    echo "{\"states\": 1, \"actions\": 1, \"start\": 0, \"noise\": $noise, \"rewards\": [[0.25]],
        \"edges\": [[0, 0, 0, 1]]}" >m.json
    lgkt trace --mdp m.json --tape tape.csv --learner random
done
