# The script without Slurm: stand-ins run the tasks of an array one after the other, and the merge
# job behind them. All names are of the kind that a shell takes apart.
mkdir "it's \$HOME" "it's \$HOME/bin"
cd "it's \$HOME" || exit
here=$PWD
cat >bin/sbatch <<'END'
#!/bin/sh
set -eu
count= output=
while :; do
    case $1 in
    --array=*) count=${1#--array=1-} ;;
    --chdir=*) folder=${1#*=} ;;
    --output=*) output=${1#*=} ;;
    --cpus-per-task=*) export SLURM_CPUS_PER_TASK="${1#*=}" ;;
    --time=* | --signal=* | --dependency=* | --job-name=* | --comment=*) echo "  $1" >&2 ;;
    -*) ;;
    *) break ;;
    esac
    shift
done
cd "$folder"
export SLURM_ARRAY_JOB_ID=7 SLURM_CPUS_ON_NODE=1
if [ -z "$count" ]; then
    sh "$@" >>"$output" 2>&1
else
    for i in $(seq "${count%\%*}"); do
        # as long as a task asks for it, it is run again
        while :; do
            export SLURM_ARRAY_TASK_ID="$i"
            "${RUN:-sh}" "$@" >>"${output%\%a*}$i.log" 2>&1
            [ -e "$REQUEUED" ] || break
            rm "$REQUEUED"
        done
    done
fi
echo "7;cluster"
END
cat >bin/scontrol <<'END'
#!/bin/sh
echo "scontrol $*"
touch "$REQUEUED"
END
# the first time that task 2 runs, it gets the signal of the time limit when something is finished
cat >bin/short <<'END'
#!/bin/sh
sh "$@" &
while [ "$SLURM_ARRAY_TASK_ID" = 2 ] && [ ! -e "$REQUEUED.once" ] && kill -0 $!; do
    if [ "$(stat -c %s journal-2-of-2.bin || echo 0)" -gt 4000 ]; then
        kill -USR1 $!
        touch "$REQUEUED.once"
    fi 2>/dev/null
done
wait $!
END
chmod +x bin/*
export PATH="$here/bin:$PATH" REQUEUED="$here/requeued"
example=$(dirname "$COMMON")/../../examples/experiment
cp "$example"/*.json .
cp battery.json "my \"b'\$(touch no).json"
show() { sed "s|$here|HERE|g"; }

echo "# names"
lgkt slurm "my \"b'\$(touch no).json" --hours 2 --nodes 2 --shards 3 --out "o'u \$t" --cpus 1 \
    --sbatch="--comment=a'b \$(touch no)" --script "s'1 \$x.sh" 2>/dev/null
sh "s'1 \$x.sh" 2>&1 | show
ls
ls "o'u \$t"/*
cat "o'u \$t"/*/slurm-*.log | show
lgkt reproduce battery.json --quiet
for file in curves.csv pairs.csv summary.csv; do
    cmp results/battery/$file "o'u \$t/my \"b'\$(touch no)/$file"
done

echo "# a time limit"
cat >long.json <<'END'
{"title": "Long", "horizon": 300000, "instances": 40,
 "learners": {"one": [{"label": "LG1T", "spec": "lg1t:threshold=0.2"}]},
 "panels": [{"name": "swim", "title": "Swim", "environment": "riverswim", "learners": ["one"]}]}
END
lgkt reproduce long.json --quiet --keep-runs --out one
lgkt slurm long.json --hours 0.05 --nodes 2 --keep-runs --script long.sh 2>/dev/null
(cd bin && RUN=short sh ../long.sh) 2>&1 | show
sed 's/holds [1-9][0-9]* of/holds SOME of/' results/long/slurm-2.log | show
for file in curves.csv pairs.csv summary.csv runs.csv manifest.json; do
    cmp one/long/$file results/long/$file
done

echo "# again: everything is there, and logs go on"
sh long.sh 2>/dev/null | show
tail -n 1 results/long/slurm-1.log | show
wc -l <results/long/slurm-merge.log
