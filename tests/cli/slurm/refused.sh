# one line each, and nothing is written
refused slurm
refused slurm riverswim-5
refused slurm riverswim-5 --hours 2
refused slurm riverswim-5 --nodes 2
refused slurm riverswim-5 --hours 0 --nodes 2
refused slurm riverswim-5 --hours 0.04 --nodes 2
refused slurm riverswim-5 --hours soon --nodes 2
refused slurm riverswim-5 --hours 2 --nodes 0
refused slurm riverswim-5 --hours 2 --nodes 1.5
refused slurm riverswim-5 --hours 2 --nodes 2 --shards 0
refused slurm riverswim-5 --hours 2 --nodes 2 --cpus 0
refused slurm riverswim-5 --hours 2 --nodes 2 --seed -1
refused slurm riverswim-5 --hours 2 --nodes 2 --sbatch mem=4G
refused slurm riverswim-5 --hours 2 --nodes 2 --partition ''
refused slurm riverswim-51 --hours 2 --nodes 2
refused slurm riverswim-5 riverswim-8 --hours 2 --nodes 2
refused slurm practice --hours 2 --nodes 2 | sed 's/[0-9]* exp/SOME exp/'
refused slurm nowhere.json --hours 2 --nodes 2
refused slurm trading --hours 2 --nodes 2 --prices nowhere.csv --script no.sh
refused slurm riverswim-5 --hours 2 --nodes 2 --script nowhere/no.sh
# a line end cannot stand in it
mkdir "$(printf 'two\nlines')"
(cd two* && refused slurm riverswim-5 --hours 2 --nodes 2 | sed 's/"[^"]*"/PATH/' && rm ./*.txt)
# the script never takes the place of what it is to run
printf '{"title": "T", "horizon": 9, "instances": 2, "learners": {"all": [{"label": "A",
"spec": "random"}]}, "panels": [{"name": "p", "environment": "chain", "learners": ["all"]}]}' >own.json
ln own.json other.json
cp own.json before
refused slurm own.json --hours 2 --nodes 2 --script own.json
refused slurm own.json --hours 2 --nodes 2 --script ./other.json
cmp own.json before
ls
