# one page with drawings inside, and the same as Markdown
lgkt reproduce frozenlake --replicates 2 --quiet >log.txt
lgkt reproduce value-ratio --replicates 2 --keep-runs --quiet >>log.txt
lgkt report results --out page.html --markdown page.md
echo "drawings $(grep -c '<svg' page.html), verdicts $(grep -c 'class="verdict"' page.html)"
grep -c '<script\|src="http' page.html
grep -o '<title>K-step[^<]*' page.html
grep -c '^### Claim' page.md
grep '^!\[' page.md
grep '^## ' page.md
grep -A 2 'Claim F1' page.md | tail -n 1
# the same numbers give the same page
lgkt report results --out again.html >log.txt
cmp page.html again.html
