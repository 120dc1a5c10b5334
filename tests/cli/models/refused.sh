try() {
    model m.json "$@"
    refused plan --mdp m.json --horizon 3
}
model m.json start '"start": 0' && lgkt plan --mdp m.json --horizon 3 >out.txt && echo good
# sizes
try states '"states": 0, "actions": 1'
try states '"states": 1000000000, "actions": 1'
try states '"states": 16777216, "actions": 16'
try states '"states": 2, "actions": 100000'
try states '"states": -2, "actions": 1'
try states '"states": 2.5, "actions": 1'
try states '"states": "2", "actions": 1'
try states '"states": 99999999999999999999, "actions": 1'
try states '"actions": 1'
try states '"states": 3, "actions": 1'
# start
try start '"start": 2'
try start '"start": -1'
try start '"start": null'
try start '"start": [0.5, 0.4]'
try start '"start": [0.5, 0.25, 0.25]'
try start '"start": [2, -1]'
# noise
try noise '"noise": "normal"'
try noise '"noise": {"kind": "normal"}'
try noise '"noise": {"kind": "normal", "sd": -0.5}'
try noise '"noise": {"kind": "normal", "sd": 0.5, "mean": 1}'
try noise '"noise": {"kind": "none", "sd": 0}'
try noise '"noise": {"kind": "uniform"}'
try noise '"noise": {}'
# rewards
try rewards '"rewards": [[0]]'
try rewards '"rewards": [[0], [1, 2]]'
try rewards '"rewards": [0, 1]'
try rewards '"rewards": [["a"], [1]]'
try rewards '"rewards": [[NaN], [1]]'
try rewards '"rewards": [[1e999], [1]]'
try rewards '"rewards": [[0], [1.5]], "noise": {"kind": "bernoulli"}'
# transitions
try rows '"transitions": [[[1, 0]], [[0.5, 0.4]]]'
try rows '"transitions": [[[1, 0]], [[0, 1.00001]]]'
try rows '"transitions": [[[1, 0]], [[-0.5, 1.5]]]'
try rows '"transitions": [[[1, 0]], [[1]]]'
try rows '"transitions": [[[1, 0]]]'
try rows '"transitions": [[[1, 0], [1, 0]], [[0, 1]]]'
try rows '"transitions": [[[1, 0]], [["x", 1]]]'
try rows '"transitions": {}'
# edges
try rows '"edges": [[0, 0, 0, 1]]'
try rows '"edges": [[0, 0, 0, 1], [1, 0, 2, 1]]'
try rows '"edges": [[0, 0, 0, 1], [1, 1, 0, 1]]'
try rows '"edges": [[0, 0, 0, 1], [1, 0, 0]]'
try rows '"edges": [[0, 0, 0, 1], [1, 0, 0, -1]]'
try rows '"edges": [[0, 0, 0, 1], [1, 0, 0.5, 1]]'
try rows '"edges": "none"'
# keys
try rows '"edges": [], "transitions": []'
try rows '"comment": "no rows"'
try rows '"commant": "no rows"'
try rows '"transitions": [[[1, 0]], [[0, 1]]], "discount": 0.9'
try start '"start": 0, "start": 1'
try rewards '"Rewards": [[0], [1]]'
# texts
try start '"start": 0, "name": 7'
try start '"start": 0, "name": "a\nb"'
try start '"start": 0, "comment": ["a"]'
# noise of pairs
try noise '"noise": [[{"kind": "none"}]]'
try noise '"noise": [[{"kind": "none"}], [{"kind": "normal"}]]'
try noise '"noise": [[{"kind": "none"}], [null]]'
try noise '"noise": [[{"kind": "none"}], [{"kind": "normal", "sd": -1}]]'
# rewards of moves
try rewards '"rewards": [[0], [[1, 2, 3]]]'
try rewards '"rewards": [[0], [[1, null]]]'
try rewards '"comment": "no rewards"'
try rows '"edges": [[0, 0, 0, 1, "a"], [1, 0, 0, 1]]'
try rows '"edges": [[0, 0, 0, 1, 1, 1], [1, 0, 0, 1]]'
# allowed actions
try start '"start": 0, "allowed": [[0]]'
try start '"start": 0, "allowed": [[0], []]'
try start '"start": 0, "allowed": [[0], [1]]'
try start '"start": 0, "allowed": [[0], [0, 0]]'
