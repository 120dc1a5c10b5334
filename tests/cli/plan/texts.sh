# what a file says about itself; nothing of it reaches the terminal as a command
cat >named.json <<'END'
{"name": "two \u00e9", "comment": "a line\nand \u001b[31manother\t\u009b", "states": 1, "actions": 1,
 "start": 0, "noise": {"kind": "none"}, "rewards": [[1]], "transitions": [[[1]]]}
END
lgkt plan --mdp named.json --horizon 3 | head -n 4
lgkt plan --mdp named.json --horizon 3 --json | grep '"model"'
