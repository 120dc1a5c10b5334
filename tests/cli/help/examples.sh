# the learners and environments that examples name are there
lgkt list | sed -n 's/^  \([^ ]*\) .*/\1/p' >names.txt
echo learners >>names.txt
for command in $(lgkt --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    lgkt help "$command" | sed '1,/^examples:/d' >examples.txt
    grep -o -- '--\(learner\|env\) [a-z0-9-]*' examples.txt | cut -d' ' -f2
    sed -n 's/^  lgkt list \([a-z].*\)/\1/p' examples.txt | tr ' ' '\n' | grep -v '^-'
done | sort -u >used.txt
[ "$(wc -l <used.txt)" -ge 5 ] || echo "only these were found: $(cat used.txt)"
grep -vxFf names.txt used.txt || true
