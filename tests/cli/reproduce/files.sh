# what is written, and what it depends on
lgkt reproduce riverswim-5 value-ratio --replicates 2 --jobs 1 --quiet --out one
lgkt reproduce riverswim-5 value-ratio --replicates 2 --jobs 7 --quiet --out many
ls one one/*
for file in curves.csv summary.csv pairs.csv manifest.json; do
    cmp one/riverswim-5/$file many/riverswim-5/$file
    cmp one/value-ratio/$file many/value-ratio/$file
done
cmp one/value-ratio/runs.csv many/value-ratio/runs.csv
head -qn 1 one/value-ratio/*.csv
wc -l <one/riverswim-5/summary.csv
# the same command again has nothing left to do, and --keep-runs needs no runs
cp one/riverswim-5/journal.bin before.bin
lgkt reproduce riverswim-5 --replicates 2 --keep-runs --quiet --out one
cmp before.bin one/riverswim-5/journal.bin
wc -l <one/riverswim-5/runs.csv
