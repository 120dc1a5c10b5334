# what may stand at the end of a line, without what it means
ask() {
    echo "> $*"
    lgkt __complete "$@" | cut -f1 | tr '\n' ' '
    echo
}
ask ''
ask help re
ask nothing ''
ask run --re
ask run -
ask run --env riverswim --e
ask run --learner lg1t --lea
ask plan --env=rivers
ask run --env riverswim
ask run --env riverswim:
ask run --env riverswim:states=8,var
ask run --env riverswim:variant=
ask run --learner window:of=lg1
ask trace --save-at 5
ask trace --save-at 5 ''
ask trace --resume=
ask serve ''
ask serve token ''
ask serve verify ''
ask serve token add --role ''
ask merge ''
ask slurm synthetic-1
ask list river
ask man me
ask completion ''
ask demo --seed ''
ask demo -- ''

# every command that takes arguments has something to offer, and one that takes none has its options
for command in $(lgkt __complete '' | cut -f1 | grep -v '^-' | grep -v help); do
    [ -n "$(lgkt __complete "$command" '')" ] || echo "$command: nothing"
done
# what is offered for the end of a name is that name
lgkt list | sed -n 's/^  \([^ ]*\) .*/\1/p' | while read -r name; do
    lgkt __complete list "$name" | cut -f1 | grep -qxF -- "$name" || echo "$name is not offered"
done
