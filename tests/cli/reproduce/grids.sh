# a grid stands for what would be written out
mkdir grid hand
cat >grid/mine.json <<'E'
{"horizon": 60, "instances": 2, "measure": ["average", "event:e"], "checkpoints": [30],
 "learners": {"s": [
  {"label": "LG{k}T {g}", "spec": "lgkt:k={k},threshold={g}",
   "grid": {"k": [1, 2], "g": {"from": 0.1, "to": 0.5, "count": 3}}},
  {"label": "Q", "spec": "q-learning:c={e}", "grid": {"e": [0.1, "1/7"]}}]},
 "panels": [
  {"name": "syn", "title": "Synthetic", "environment": "synthetic:states={s}", "events": {"e": "gap:states={s},actions=5"},
   "horizon": "{T}", "learners": ["s"], "grid": {"s": [3, 4], "T": [50, 40]}},
  {"name": "gap", "environment": "gap", "events": {"e": "gap"}, "learners": ["s"]}]}
E
cat >hand/mine.json <<'E'
{"horizon": 60, "instances": 2, "measure": ["average", "event:e"], "checkpoints": [30],
 "learners": {"s": [
  {"label": "LG1T 0.1", "spec": "lgkt:k=1,threshold=0.1"},
  {"label": "LG1T 0.3", "spec": "lgkt:k=1,threshold=0.3"},
  {"label": "LG1T 0.5", "spec": "lgkt:k=1,threshold=0.5"},
  {"label": "LG2T 0.1", "spec": "lgkt:k=2,threshold=0.1"},
  {"label": "LG2T 0.3", "spec": "lgkt:k=2,threshold=0.3"},
  {"label": "LG2T 0.5", "spec": "lgkt:k=2,threshold=0.5"},
  {"label": "Q e=0.1", "spec": "q-learning:c=0.1"},
  {"label": "Q e=1/7", "spec": "q-learning:c=1/7"}]},
 "panels": [
  {"name": "syn s=3 T=50", "title": "Synthetic, s = 3, T = 50", "environment": "synthetic:states=3",
   "events": {"e": "gap:states=3,actions=5"}, "horizon": 50, "learners": ["s"]},
  {"name": "syn s=3 T=40", "title": "Synthetic, s = 3, T = 40", "environment": "synthetic:states=3",
   "events": {"e": "gap:states=3,actions=5"}, "horizon": 40, "learners": ["s"]},
  {"name": "syn s=4 T=50", "title": "Synthetic, s = 4, T = 50", "environment": "synthetic:states=4",
   "events": {"e": "gap:states=4,actions=5"}, "horizon": 50, "learners": ["s"]},
  {"name": "syn s=4 T=40", "title": "Synthetic, s = 4, T = 40", "environment": "synthetic:states=4",
   "events": {"e": "gap:states=4,actions=5"}, "horizon": 40, "learners": ["s"]},
  {"name": "gap", "environment": "gap", "events": {"e": "gap"}, "learners": ["s"]}]}
E
for kind in grid hand; do
    lgkt reproduce $kind/mine.json --quiet --out $kind --keep-runs
done
for file in curves.csv summary.csv pairs.csv runs.csv; do
    cmp grid/mine/$file hand/mine/$file && echo "same $file"
done
# the manifests differ in the cells and the hash of the file
diff hand/mine/manifest.json grid/mine/manifest.json | grep '^[<>]' | sed 's/[0-9a-f]\{16\}/HASH/' | sort | uniq -c
# it is the same experiment: nothing is left to do
cp grid/mine/journal.bin before.bin
lgkt reproduce hand/mine.json --quiet --out grid --keep-runs
head -c "$(wc -c <before.bin)" grid/mine/journal.bin | cmp - before.bin
cmp grid/mine/manifest.json hand/mine/manifest.json
# wrong SCRIPT: the grid, changed by sed
wrong() {
    sed "$1" grid/mine.json >wrong.json
    refused reproduce wrong.json
}
wrong 's/{k},/{kk},/'
wrong 's/"k": \[1, 2\]/"k": [1, 2, 1]/'
wrong 's/"k": \[1, 2\]/"k": []/'
wrong 's/"k": \[1, 2\]/"k": [1, 2], "depth": [3]/'
wrong 's/"k": \[1, 2\]/"k": [1, {}]/'
wrong 's/"count": 3/"count": 1001/'
wrong 's/"count": 3/"count": 501/'
wrong 's/"from": 0.1/"scale": "log", "from": 0/'
wrong 's/"count": 3/"cuont": 3/'
wrong 's/{"e": \[0.1, "1\/7"\]}/{}/'
wrong 's/\[50, 40\]/[50.5]/'
wrong 's/"{T}"/"{T}0"/'
wrong 's/"grid": {"s"/"gird": {"s"/'
wrong 's/LG{k}T {g}/A label of about sixty bytes that the names do not fit behind/'
wrong 's/{k},/x{k},/'
