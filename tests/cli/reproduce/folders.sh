# folders that cannot be written, or belong to something else: nothing is changed
touch file
refused reproduce riverswim-5 --out file
refused reproduce riverswim-5 --out /dev/null/deep
lgkt reproduce riverswim-5 --replicates 2 --quiet
cksum results/riverswim-5/* >before.txt
refused reproduce riverswim-5 --replicates 3
refused reproduce riverswim-5 --replicates 2 --seed 2
refused reproduce riverswim-5
mkdir other
cp -r results/riverswim-5 other/riverswim-8
refused reproduce riverswim-8 --replicates 2 --out other
mkdir -p bare/riverswim-5
cp results/riverswim-5/*.csv bare/riverswim-5
refused reproduce riverswim-5 --replicates 2 --out bare
cksum results/riverswim-5/* | cmp - before.txt && echo unchanged
