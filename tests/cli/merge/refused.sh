# what is missing is named, and what does not fit together is refused
for part in 1 2 4; do
    lgkt reproduce riverswim-5 --replicates 5 --quiet --shard $part/4 >/dev/null
done
refused merge results
lgkt reproduce riverswim-5 --replicates 5 --seed 7 --quiet --shard 3/4 --out other >/dev/null
refused merge results other
lgkt reproduce riverswim-8 --replicates 5 --quiet --shard 3/4 --out other >/dev/null
refused merge results/riverswim-5 other/riverswim-8
lgkt reproduce riverswim-5 --replicates 6 --quiet --shard 3/4 --out more >/dev/null
refused merge results more
# a journal cut off in the middle is as if what is behind had not been done
lgkt reproduce riverswim-5 --replicates 5 --quiet --shard 3/4 >/dev/null
cp results/riverswim-5/journal-1-of-4.bin .
head -c 20000 journal-1-of-4.bin >results/riverswim-5/journal-1-of-4.bin
refused merge results
cp journal-1-of-4.bin results/riverswim-5/
(
    ulimit -f 2
    refused merge results
)
lgkt merge results
# a folder of results to which nothing belongs
rm results/riverswim-5/*.bin
refused merge . --out results
lgkt reproduce riverswim-5 --replicates 5 --quiet --shard 1/1 --out new
refused merge new
refused merge
refused merge nowhere
refused merge results/riverswim-5/manifest.json
refused reproduce riverswim-5 --shard 5/4
refused reproduce riverswim-5 --shard 1:4
refused merge $(yes results | head -257)
mkfifo results/riverswim-5/journal-pipe.bin
refused merge results
# a file that was edited since its journal was begun
cat >own.json <<'END'
{"title": "Before", "horizon": 100, "instances": 2, "learners": {"all": [{"label": "r", "spec": "random"}]},
 "panels": [{"name": "river", "environment": "riverswim:states=5", "learners": ["all"]}]}
END
lgkt reproduce own.json --quiet --shard 1/2 --out own
lgkt reproduce own.json --quiet --shard 2/2 --out own
sed -i s/Before/After/ own.json
lgkt reproduce own.json --quiet --shard 2/2 --out own 2>&1
lgkt merge own --out own >/dev/null
grep '"title": "[AB]' own/own/manifest.json
lgkt merge own --out own --experiment own.json >/dev/null
grep '"title": "[AB]' own/own/manifest.json
