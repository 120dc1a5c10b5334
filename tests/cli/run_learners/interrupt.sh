# Ctrl-C: one line and 130
timeout --preserve-status -s INT 1 \
    lgkt run --env riverswim --learner random --horizon 1000000000 --replicates 100 --json
