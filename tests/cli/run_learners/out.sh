# a folder of results, as reproduce writes it but without a journal
run='lgkt run --env riverswim --learner lg1t --learner q-learning:h=2 --horizon 500 --replicates 3 --quiet'
$run --regret 2,0.9 --out one/mine --curve curve.csv >table.txt
$run --regret 2,0.9 --out two/mine --jobs 5 --json >run.json
ls one/mine
for file in curves.csv summary.csv pairs.csv manifest.json; do
    cmp one/mine/$file two/mine/$file
done
cmp curve.csv one/mine/curves.csv
head -1 curve.csv
grep -c ',average,' curve.csv
grep -c ',regret,' curve.csv
cut -d, -f1-7 one/mine/summary.csv | grep -v lg1t
cut -d, -f1-7 one/mine/pairs.csv
grep -E '"(experiment|environment|compare)":' one/mine/manifest.json
# the table and the summary agree
awk -F, '$2 == "lg1t" && $4 == "reward" { printf "%.4f %.4f\n", $8, $9 }' one/mine/summary.csv >a
awk '/^lg1t/ && !done { print $2, $3; done = 1 }' table.txt >b
cmp a b
# nothing is overwritten, and what is refused leaves no folder
refused run --env riverswim --learner lg1t --out one/mine
mkdir begun && touch begun/journal.bin
refused run --env riverswim --learner lg1t --out begun
refused run --env riverswim --learner lg1t --learner random --learner lg1t --out new
refused run --env riverswim --learner lg9t --out new
refused run --env riverswim --learner lg1t --out curve.csv/new
ls
