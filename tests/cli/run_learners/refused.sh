refused run
refused run --env riverswim
refused run --learner lg1t
refused run --env riverswim --learner lg1
refused run --env riverswim --learner lg1t --learner lg1t:threshold=much
refused run --env riverswin --learner lg1t
refused run --env trading --learner optimal
refused run --env model:file=none.json --learner random
refused run --env riverswim --learner random --horizon 0
refused run --env riverswim --learner random --replicates 0
refused run --env riverswim --learner random --replicates 1e9
refused run --env riverswim --learner random --jobs 0
refused run --env riverswim --learner random --seed -1
refused run --env riverswim --learner random --plot --json
