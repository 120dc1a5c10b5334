# the same curve as a plot, in ASCII and in braille; no colours, since stdout is no terminal
model two.json rows '"transitions": [[[0, 1]], [[0, 1]]]'
lgkt run --env model:file=two.json --learner kstep --horizon 1000 --replicates 2 --plot |
    sed '/^kstep/d'
LC_ALL=C.UTF-8 lgkt run --env model:file=two.json --learner kstep --horizon 1000 --replicates 2 \
    --plot | sed -n '4,24p'
# a flat line, one step, more learners than rows
lgkt run --env model:file=two.json --learner kstep --horizon 1 --replicates 1 --plot | sed -n '4,24p'
lgkt run --env model:file=two.json $(for i in $(seq 70); do echo --learner kstep; done) --horizon 5 \
    --replicates 1 --plot | sed -n '4,24p'
