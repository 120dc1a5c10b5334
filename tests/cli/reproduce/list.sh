# the experiments with their places and counts
lgkt reproduce list
lgkt reproduce list --quick | head -n 3
