refused plan --env trading --horizon 10
refused plan --env riverswin --horizon 10
refused plan --env riverswim:states=2 --horizon 10
refused plan --env model --horizon 10
refused plan --env model:file=nothing.json --horizon 10
# rewards that a tie of two values would hide, in plans and in runs; the same multiplied are fine
model small.json rewards '"rewards": [[0], [-9e-11]]'
refused plan --mdp small.json --horizon 10
refused run -q -e model:file=small.json -l random -t 10
model small.json rewards '"rewards": [[0], [-1e-10]]'
lgkt plan --mdp small.json --horizon 10 --k 1 | grep greedy
model small.json rewards '"rewards": [[0], [0]]'
lgkt plan --mdp small.json --horizon 10 --k 1 | grep greedy
