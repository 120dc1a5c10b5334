# a world that changes: two files, what it earns at best, and what is refused
cat >before.json <<'END'
{"states": 2, "actions": 2, "start": 0, "noise": {"kind": "none"},
 "rewards": [[1, 0], [0, 0]], "transitions": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]}
END
cat >after.json <<'END'
{"states": 2, "actions": 2, "start": 0, "noise": {"kind": "none"},
 "rewards": [[0, 0], [0, 3]], "transitions": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]}
END
files='before=(model:file=before.json),after=(model:file=after.json)'
# 5 steps of 1 less the move at the end, then 5 of 3; and from 5 on a tenth more of the other a step
lgkt run -q -e "changing:$files,at=5" -l optimal -t 10 -n 1 --json | grep -E '"note|optimal_mean'
lgkt run -q -e "changing:$files,at=5,rate=0.1" -l optimal -t 10 -n 1 --json | grep optimal_mean
refused run -q -e "changing:$files,at=5" -l kstep:k=2 -t 10
refused run -q -e "changing:$files,at=5" -l random -t 10 --regret 1,0.5
refused plan --env "changing:$files" --horizon 10
refused run -q -e 'changing:before=(model:file=before.json),after=(model:file=none.json)' -l random -t 10
refused run -q -e 'changing:before=(before.json)' -l random -t 10
refused run -q -e 'changing:after=(after.json)' -l random -t 10
refused run -q -e 'changing:after=(model:file=after.json)' -l random -t 10
refused run -q -e changing:at=5/3 -l random -t 10
refused run -q -e 'scaled:of=(changing:at=5)' -l random -t 10
