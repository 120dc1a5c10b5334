# what there is to run, and nothing is made; times are other ones every time
example=$(dirname "$COMMON")/../../examples/experiment
lgkt reproduce "$example/battery.json" --replicates 5 --dry-run --quiet --jobs 2 >plan.txt
ls
tr -s ' ' <plan.txt | sed 's/ [0-9.e-]* [0-9.]*% [0-9.e-]* / SECONDS SAMPLED HOURS /
    s/about [^ ]* core hours: [^ ]* [a-z]* with/about HOURS core hours: TIME with/
    s/disk: [^ ]*/disk: SOME/; s/^times are .*/times are .../'
lgkt reproduce "$example/battery.json" --replicates 5 --dry-run --quiet --json --keep-runs >plan.json
cat >look.py <<'END'
import json, os, sys
VARY = ("seconds_per_instance", "core_hours", "wall_hours", "jobs", "sampled")
SUMS = ("instances", "runs", "steps", "core_hours")
def known(numbers):
    return {name: value > 0 if name in VARY else value for name, value in numbers.items()}
for plan in json.load(open(sys.argv[1]))["experiments"]:
    panels, size = plan.pop("panels"), plan.pop("journal_bytes")
    for panel in panels:
        print(json.dumps(known(panel)))
    print(json.dumps(known(plan)))
    print([abs(sum(p[name] for p in panels) / plan[name] - 1) < 1e-9 for name in SUMS])
    for path in sys.argv[2:]:
        print("journal as long as that of a run:", size == os.path.getsize(path))
END
lgkt reproduce "$example/battery.json" --replicates 5 --quiet
python3 look.py plan.json results/battery/journal.bin
# a part, more than one experiment, few instances
lgkt reproduce "$example/battery.json" --replicates 5 --dry-run --quiet --json --shard 2/7 >plan.json
lgkt reproduce "$example/battery.json" --replicates 5 --quiet --shard 2/7
python3 look.py plan.json results/battery/journal-2-of-7.bin
lgkt reproduce riverswim-5 value-ratio --dry-run --quiet --quick --replicates 2 --json --out none >plan.json
python3 look.py plan.json | cut -c 1-60
ls
# mistakes
refused reproduce riverswim-5 --json
refused reproduce riverswim-55 --dry-run
refused reproduce trading --dry-run --prices nowhere.csv
# nothing is printed of the one before it
refused reproduce riverswim-5 trading --dry-run --json --replicates 1 --prices nowhere.csv
refused reproduce riverswim-5 --dry-run --shard 8/7
# one of a kind, in a part, which makes no tables
lgkt reproduce riverswim-5 --dry-run --quiet --jobs 2 --replicates 1 --shard 1/2 | tail -3 | head -2 | sed 's/[0-9.e-]* core hours: [^w]*/SOME /; s/[0-9.]* kB/SOME kB/'
