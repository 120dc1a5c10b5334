# left out where time is short
# seven parts, made in any order on folders of their own, and their merge: the files of one process
lgkt reproduce riverswim-5 value-ratio --replicates 9 --keep-runs --quiet --out whole
for part in 5 2 7 1 3 6 4; do
    lgkt reproduce riverswim-5 --replicates 9 --quiet --shard $part/7 --out host-$((part % 3))
    lgkt reproduce value-ratio --replicates 9 --quiet --shard $part/7 >/dev/null
done
ls host-0/riverswim-5
lgkt merge host-0 host-1 host-2 --keep-runs --out merged
lgkt merge results/value-ratio
ls results/value-ratio
for file in curves.csv summary.csv pairs.csv runs.csv manifest.json; do
    cmp whole/riverswim-5/$file merged/riverswim-5/$file
    cmp whole/value-ratio/$file results/value-ratio/$file
done
# a part that is cut again; it says which part of the whole that is
lgkt reproduce riverswim-5 --replicates 9 --quiet --shard 2/3:2/2 --out again
