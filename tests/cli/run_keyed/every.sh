# every learner finds out by itself what windows there are, except for the oracles
for name in $(learners_on_states); do
    lgkt run --env trading:frame-hi=40 --learner "$name" --horizon 100 --replicates 2 >out.txt 2>err.txt ||
        cat err.txt
    [ -s err.txt ] || grep -q "^$name " out.txt || echo "$name: no line"
done
