# actions that a model forbids are neither planned nor played
cat >taxi.json <<'END'
{"name": "taxi", "states": 2, "actions": 2, "start": 0, "allowed": [[0, 1], [0]],
 "noise": [[{"kind": "normal", "sd": 0.5}, {"kind": "none"}], [{"kind": "normal", "sd": 0.2}, null]],
 "rewards": [[[1, 4], -0.5], [[4, 0], null]],
 "transitions": [[[0.9, 0.1], [0, 1]], [[0.8, 0.2], null]]}
END
lgkt plan --mdp taxi.json --horizon 3 --threshold 1
for env in model:file=taxi.json 'scaled:by=2,of=(model:file=taxi.json)'; do
    lgkt run -q -e "$env" -l random -l optimal -t 1000 -n 2 --json | grep _mean
done
echo u_next,z_reward,u_reward,u_coin >tape.csv
for u in 0.95 0.1 0.85 0.3 0.99 0.9 0.2 0.92 0.97 0.5; do echo $u,0,0,0 >>tape.csv; done
lgkt trace --mdp taxi.json --tape tape.csv --learner optimal
lgkt trace --mdp taxi.json --tape tape.csv --learner random | awk -F, '$2 == 1 && $3 == 1'
refused run -q -e 'merged:states=1,of=(model:file=taxi.json)' -l random -t 10
# both forms are one model
cat >dense.json <<'END'
{"states": 2, "actions": 2, "start": 0, "noise": {"kind": "none"},
 "rewards": [[[1, 4], -0.5], [[4, 0], -0.5]],
 "transitions": [[[0.9, 0.1], [0, 1]], [[0.8, 0.2], [1, 0]]]}
END
cat >edges.json <<'END'
{"states": 2, "actions": 2, "start": 0, "noise": {"kind": "none"},
 "edges": [[0, 0, 0, 0.9, 1], [0, 0, 1, 0.1, 4], [0, 1, 1, 1, -0.5],
           [1, 0, 1, 0.2, 0], [1, 0, 0, 0.8, 4], [1, 1, 0, 1, -0.5]]}
END
for file in dense edges; do
    lgkt plan --mdp $file.json --horizon 100 --json | grep -o '"hash": "[^"]*"'
done
lgkt plan --mdp edges.json --horizon 100 | grep 'first actions'
