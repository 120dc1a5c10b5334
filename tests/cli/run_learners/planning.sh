# left out where time is short
# planning that takes minutes is neither silent nor deaf to Ctrl-C
for command in 'plan --env synthetic --horizon 1e9 --k 1e9 --threshold 1' \
    'run --env synthetic --learner random --horizon 1e9 --regret 1e9,1 --replicates 1'; do
    {
        timeout --preserve-status -k 20 -s INT 3 lgkt $command 2>err.${command%% *}
        echo "$?" >>err.${command%% *}
    } &
done
wait
# a progress line comes once or twice, as the machine is busy
head -n 100 err.* | uniq
