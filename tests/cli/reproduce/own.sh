# an experiment of one's own: a model file, three learners, two panels, from anywhere
example=$(dirname "$COMMON")/../../examples/experiment
lgkt reproduce "$example/battery.json" --quiet
ls results/battery
cut -d, -f1,2 results/battery/curves.csv | sort -u
# files are looked for beside it; the copy gives the same bytes
mkdir -p here/deep
cp "$example"/*.json here/deep
lgkt reproduce here/deep/battery.json --quiet --out copy
for file in curves.csv pairs.csv summary.csv manifest.json; do
    cmp results/battery/$file copy/battery/$file
done
# another title and label: the same runs, other tables
sed -i 's/"LG2T"/"Two steps"/; s/A robot/The robot/' here/deep/battery.json
cp copy/battery/journal.bin before.bin
lgkt reproduce here/deep/battery.json --quiet --out copy
# the runs stay, and the edited file goes behind them
head -c "$(wc -c <before.bin)" copy/battery/journal.bin | cmp - before.bin
grep -c '^gauge,Two steps,,average,2000,' copy/battery/curves.csv
# another model, or another spec: refused, and nothing changed
cksum copy/battery/* >before.txt
sed -i 's/\[1, 0, 1, 0.6\], \[1, 0, 2, 0.4\]/[1, 0, 1, 0.5], [1, 0, 2, 0.5]/' here/deep/robot.json
refused reproduce here/deep/battery.json --out copy | sed 's/data [0-9a-f]*/data X/g'
cp "$example/robot.json" here/deep
sed -i 's/threshold=1.5/threshold=1.4/' here/deep/battery.json
refused reproduce here/deep/battery.json --out copy
cksum copy/battery/* | cmp - before.txt && echo unchanged
# with the name of a shipped one, into the same folder
lgkt reproduce riverswim-5 --replicates 1 --quiet --out copy
cp here/deep/battery.json here/deep/riverswim-5.json
refused reproduce here/deep/riverswim-5.json --replicates 1 --out copy
refused reproduce here/deep/riverswim-5.json riverswim-5 | sed 's/: [^ ]* and [^ ]*$/: one and another/'
# what is shipped can be elsewhere, with models in a folder of their own
mkdir -p shelf/models
mv here/deep/robot.json shelf/models
sed 's/robot.json/models\/robot.json/' here/deep/battery.json >shelf/battery.json
LGKT_EXPERIMENTS=shelf lgkt reproduce battery --quiet --replicates 1 --out elsewhere
mkdir bare
LGKT_EXPERIMENTS=bare refused reproduce synthetic-10
LGKT_EXPERIMENTS=nowhere refused reproduce synthetic-10
