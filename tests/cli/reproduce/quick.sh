# a panel, or a whole experiment, that is no part of a quick run
cat >mine.json <<'END'
{"horizon": 50, "instances": 40, "learners": {"one": [{"label": "A", "spec": "random"}]},
 "panels": [{"name": "p", "environment": "gap", "learners": ["one"]},
            {"name": "q", "environment": "gap", "learners": ["one"], "quick": 0}]}
END
sed 's/"instances"/"quick": 0, "instances"/' mine.json >never.json
lgkt reproduce mine.json never.json --quick --quiet 2>&1
cut -d, -f1 results/mine/curves.csv | sort -u
lgkt reproduce never.json --quick --replicates 3 2>&1
echo "exit $?"
ls results
LGKT_EXPERIMENTS=. lgkt reproduce list --quick
