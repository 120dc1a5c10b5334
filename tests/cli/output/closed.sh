# without a stdout nothing lands in the files that are opened in its place
two_states
lgkt run --env model:file=two.json --learner kstep --horizon 2 --replicates 2 --curve curve.csv --quiet >&-
echo "exit $?"
cat curve.csv
lgkt run --env model:file=two.json --learner kstep --horizon 2 --replicates 2 --curve curve.csv \
    --quiet <&- >&- 2>&-
echo "exit $?"
cat curve.csv
