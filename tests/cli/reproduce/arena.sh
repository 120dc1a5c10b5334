# the script that draws the arena: first on numbers that are easy to follow
arena=$(dirname "$COMMON")/../../scripts/arena
mkdir -p small/arena-1000 none
cat >small/arena-1000/manifest.json <<'END'
{"experiment": "arena-1000", "title": "The arena, T = 1000", "panels": [
 {"name": "chain-5", "instances": 20, "horizon": 1000, "optimum": 3},
 {"name": "chain-10", "instances": 4, "horizon": 1000, "optimum": 1},
 {"name": "taxi", "instances": 4, "horizon": 1000, "optimum": 0},
 {"name": "trading", "instances": 4, "horizon": 1000, "optimum": null}]}
END
cat >small/arena-1000/summary.csv <<'END'
panel,learner,spec,n,mean,ci95,share_of_optimum,best_other,difference,difference_ci95,score,random,median,worst_tenth
chain-5,Auto,auto,20,2,,,PSRL,,,50,1,2,1.5
chain-5,PSRL,psrl,20,2.5,,,Auto,,,75,1,2.5,2
chain-10,Auto,auto,4,0.9,,,PSRL,,,90,0,0.9,0.8
chain-10,PSRL,psrl,4,0.85,,,Auto,,,85,0,0.85,0.6
taxi,Auto,auto,4,-4,,,,,,-0.01,-4,-4,-5
trading,Auto,auto,4,-7,,,PSRL,,,,,,-9
trading,PSRL,psrl,4,12,,,Auto,,,,,,8
END
$arena small --out figures
ls figures
grep -c 'not run' figures/arena-1000.svg
grep -o '>-0<' figures/arena-1000.svg
# the worst tenth of single runs, where they are kept
cat >small/arena-1000/runs.csv <<'END'
panel,learner,instance,value,mean,observed,optimum,gap,bound,distance,score,random
chain-10,PSRL,0,,,,,,,,95,
chain-10,PSRL,1,,,,,,,,10,
END
$arena small --focus PSRL | grep '^| PSRL'
$arena none
echo "exit $?"
# then on the real thing, with one run each
lgkt reproduce arena-1000 --quick --quiet
$arena results --out figures >tables.md
learners=$(grep -c '^sixarms,' results/arena-1000/summary.csv)
[ "$(grep -c '^| [A-Z]' tables.md)" -eq "$learners" ] && echo a row for each learner
for env in $(cut -d, -f1 results/arena-1000/summary.csv | sed 1d | sort -u); do
    grep -q ">$env\( (reward)\)\?</text>" figures/arena-1000.svg || echo "$env is not drawn"
done
grep -q 'not run' figures/arena-1000.svg && echo gaps are shown
