# a small folder of results, drawn in all forms; the figures of the paper come where all is there
lgkt reproduce frozenlake trading --replicates 2 --quiet >log.txt
lgkt plot results | sort
for kind in pdf svg png; do
    head -c 5 "results/frozenlake/figure-3.$kind" | od -An -c
done
ls results/frozenlake
echo "one kind, elsewhere, with a quote in the name"
lgkt plot results/trading --format svg --out "it's/new"
grep -c '<svg' "it's/new/trading.svg"
grep -o '>LG1-2T<\|>Trading on hourly prices (2 instances)<' "it's/new/trading.svg"
