# what is wrong with a file: one line with file, place and field, and nothing is made
cat >mine.json <<'END'
{"horizon": 50, "instances": 2,
 "learners": {"few": [{"label": "A", "spec": "lg1t"}, {"label": "B", "spec": "random", "style": {"dash": "short"}}]},
 "panels": [{"name": "p", "environment": "gap", "learners": ["few"]},
            {"name": "q", "environment": "riverswim:states=5", "learners": ["few"], "measure": "cumulative"}]}
END
# wrong SCRIPT: mine.json, changed by sed
wrong() {
    sed "$1" mine.json >wrong.json
    refused reproduce wrong.json
}
wrong 's/"horizon"/"horizont"/'
wrong 's/"environment": "river/"env": "river/'
wrong 's/"instances": 2/"instances": 0/'
wrong 's/"instances": 2/"instances": "two"/'
wrong 's/"label": "B"/"label": "A"/'
wrong 's/"label": "B", //'
wrong 's/"name": "q"/"name": "p"/'
wrong 's/\["few"\], "m/["fewer"], "m/'
wrong 's/cumulative/cumulativ/'
wrong 's/cumulative/regret/'
wrong 's/cumulative/event:falls/'
wrong 's/cumulative/counter:run/'
wrong 's/cumulative/ratio/'
wrong 's/short/sort/'
wrong 's/"lg1t"/"lg1"/'
wrong 's/"lg1t"/"lg1t:treshold=1"/'
wrong 's/"lg1t"/"kstep:k=x"/'
wrong 's/states=5/states=2/'
wrong 's/riverswim:states=5/rivrswim/'
wrong 's/riverswim:states=5/model:file=gone.json/'
wrong 's/"q", /"q", "name": "r", /'
wrong 's/"q"/"q\\n"/'
wrong 's/"q"/"\xff"/'
wrong 's/}]}$/}]/'
: >empty.json
refused reproduce empty.json
refused reproduce gone.json
mkdir folder.json
refused reproduce folder.json
# all of them are looked at before the first one is run
sed 's/"lg1t"/"lg1"/' mine.json >wrong.json
refused reproduce mine.json wrong.json
ls
