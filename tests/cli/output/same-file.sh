# a file that the output goes to is not replaced by another
two_states
tape '0,0,0,0\n'
cp two.json curve.csv
lgkt run --env model:file=two.json --learner kstep --horizon 3 --replicates 2 --curve curve.csv 1<>curve.csv
echo "exit $?"
cmp two.json curve.csv
lgkt run --env model:file=two.json --learner kstep --horizon 3 --replicates 2 --curve /dev/stdout >curve.csv
echo "exit $?"
lgkt trace --mdp two.json --tape tape.csv --learner random --save-at 1 state.bin >state.bin
echo "exit $?"
ls
# a pipe is another thing
lgkt run --env model:file=two.json --learner kstep --horizon 1 --replicates 2 --curve /dev/stdout --json |
    sed -n 1,2p
