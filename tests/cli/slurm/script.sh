# A sample is played each time, and one that takes long on a slow machine says so.
slurm() { lgkt slurm "$@" 2>err.txt; grep -v 'at work' err.txt >&2; }
# the whole text, with this folder as HERE and that of the command as BIN
here=$(pwd -P) bin=$(dirname "$(command -v lgkt)")
slurm riverswim-5 --hours 2 --nodes 16 >a.sh
sed "s|$here|HERE|; s|$bin|BIN|" a.sh
sh -n a.sh
# the same arguments give the same bytes, and in a file
slurm riverswim-5 --hours 2 --nodes 16 --script b.sh
cmp a.sh b.sh
# every option: what is another line then
example=$(dirname "$COMMON")/../../examples/experiment
cp "$example"/*.json .
printf 'Close\n' >prices.csv
seq 100 160 >>prices.csv
slurm ./battery.json --hours 1/3 --nodes 4 --shards 64 --cpus 8 --out ../elsewhere --quick \
    --replicates 3 --seed 7 --keep-runs --prices prices.csv --partition long --account us \
    --sbatch=--mem=4G --sbatch=--nice >c.sh
sh -n c.sh
diff a.sh c.sh | grep '^>' | sed "s|$here|HERE|g"
# shellcheck, where it is there
if command -v shellcheck >/dev/null; then shellcheck a.sh c.sh; fi
# what does not fit is said, and does not change the script
few="--hours 0.05 --nodes 9 --shards 1 --cpus 1"
slurm riverswim-5 $few --replicates 10 >d.sh
slurm riverswim-5 $few --replicates 10000000 2>said.txt | diff d.sh - | grep '^[<>]'
sed 's/about [^ ]* core/about SOME core/' said.txt
