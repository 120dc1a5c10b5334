# every command explains itself, in the same words both ways
for command in $(lgkt --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    lgkt help "$command" >a.txt || echo "help $command: exit $?"
    lgkt "$command" --help >b.txt || echo "$command --help: exit $?"
    cmp a.txt b.txt
    for part in "^usage: lgkt $command " '^options:' '^examples:' "^  lgkt $command" '^  -h, --help'; do
        grep -q -- "$part" a.txt || echo "$command: no $part"
    done
    awk -v c="$command" 'length > 100 {print c ": a line of " length " letters"}' a.txt
    echo "$command"
done
