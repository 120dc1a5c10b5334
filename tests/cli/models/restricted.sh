# what a later version will play and plan is refused with a reason
cat >taxi.json <<'END'
{"name": "taxi", "states": 2, "actions": 2, "start": 0, "allowed": [[0, 1], [0]],
 "noise": [[{"kind": "normal", "sd": 0.5}, {"kind": "none"}], [{"kind": "normal", "sd": 0.2}, null]],
 "rewards": [[[1, 4], -0.5], [[4, 0], null]],
 "transitions": [[[0.9, 0.1], [0, 1]], [[0.8, 0.2], null]]}
END
refused plan --mdp taxi.json --horizon 3
refused run -q -e model:file=taxi.json -l auto -t 10
# without this it is fine, and both forms are one model
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
