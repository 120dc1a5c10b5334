# a disk without room, for the journal and then for the results: one line each, and later the same
# command goes on and ends with the same files
lgkt reproduce riverswim-5 --replicates 4 --quiet --out whole
for room in 160 300; do
    (
        ulimit -f $room
        refused reproduce riverswim-5 --replicates 4 --quiet --jobs 1
    )
    ls results/riverswim-5
done
lgkt reproduce riverswim-5 --replicates 4 --quiet
for file in curves.csv summary.csv pairs.csv manifest.json; do
    cmp whole/riverswim-5/$file results/riverswim-5/$file
done
