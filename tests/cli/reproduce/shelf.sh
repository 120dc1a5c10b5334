# a folder of one's own with experiments: what is no regular file there is none, and no word for
# several is unknown
mkdir none some some/folder.json
export LGKT_EXPERIMENTS=none
refused reproduce all
refused reproduce paper
refused reproduce al
mkfifo some/pipe.json
echo '{"horizon": 5, "instances": 1, "learners": {"l": [{"label": "A", "spec": "random"}]},
 "panels": [{"name": "p", "environment": "gap", "learners": ["l"]}]}' >some/mine.json
export LGKT_EXPERIMENTS=some
timeout 5 lgkt reproduce list | sed 's/   */ | /g'
timeout 5 lgkt reproduce all --out out --quiet && ls out
refused reproduce beyond
refused reproduce pipe
