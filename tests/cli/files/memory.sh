# a small file that claims to be large takes no memory: 200 MB must do (sanitizers need more to
# start at all)
{ (ulimit -v 200000 && lgkt --version >/dev/null) && ulimit -v 200000; } 2>/dev/null
echo '{"states": 16777216, "actions": 16, "start": 0, "noise": {"kind": "none"}, "rewards": [],
    "edges": []}' >large.json
refused plan --mdp large.json --horizon 3
echo '{"states": 2, "actions": 65536, "start": 0, "noise": {"kind": "none"}, "rewards": [[0], [0]],
    "edges": [[0, 0, 0, 1]]}' >wide.json
refused plan --mdp wide.json --horizon 3
