# Ctrl-C ends each kind of plan: exit 130, one line where there is progress, and no file
for criterion in --average '--discount 0.99999999'; do
    lgkt plan --env riverswim:states=1800 $criterion --policy best.csv >out.txt 2>err.txt &
    # at work and watching since its first line of progress
    until grep -q sweeps err.txt || ! kill -0 $!; do sleep 0.1; done
    kill -INT $!
    wait $!
    echo "exit $?: $(tail -n 1 err.txt), $(wc -c <out.txt) bytes"
done
# values that go up and down for ever: nothing settles
cat >swap.json <<'END'
{"states": 2, "actions": 1, "start": 0, "noise": {"kind": "none"}, "rewards": [[0], [1]],
 "transitions": [[[0, 1]], [[1, 0]]]}
END
printf 'state,action\n0,0\n1,0\n' >law.csv
for more in '--policy best.csv' '--evaluate law.csv'; do
    timeout --preserve-status -k 20 -s INT 1 \
        lgkt plan --mdp swap.json --horizon 1000000000 --k 1 $more >out.txt 2>err.txt
    echo "exit $?, $(wc -c <out.txt) bytes"
done
ls
