lgkt bench --env riverswim --env synthetic --learner random --learner lg1t --horizon 200 --quick \
    --json | sed 's/: [0-9][0-9.e+-]*/: X/g'
lgkt bench --env riverswim --learner random --horizon 200 --repeats 1 --json | grep -o '"ratio": 1}'
