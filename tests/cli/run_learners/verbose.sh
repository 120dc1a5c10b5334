# counters as means over the runs; learners without counters have no rows
lgkt run --env riverswim --learner lg2t:p=1 --learner random --horizon 2000 --replicates 2 --verbose |
    sed '1,/^uniform/d' | tr -s ' ' | sed 's/ [0-9.]*$//'
lgkt run --env riverswim --learner lg2t:p=1 --horizon 2000 --replicates 2 -v | sed -n 's/.* runs  *//p' >a.txt
lgkt run --env riverswim --learner lg2t:p=1 --horizon 2000 --replicates 2 --json |
    sed -n 's/.*"runs": \([0-9.]*\).*/\1/p' | xargs printf '%.1f\n' | cmp - a.txt && echo same
