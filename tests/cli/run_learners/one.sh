# one instance has no interval; trading has no optimum
two_states
lgkt run --env model:file=two.json --learner kstep --horizon 3 --replicates 1 --json | grep ci95
lgkt run --env trading --learner random --horizon 30 --replicates 2 --json | grep 'optimal\|note'
lgkt run --env trading --learner random --horizon 30 --replicates 1 | grep -v '^random'
lgkt run --env trading --learner random --horizon 30 --replicates 1 | grep -c '^random .* -  *-  '
