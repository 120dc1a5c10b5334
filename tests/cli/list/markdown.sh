lgkt list --markdown >page.md
head -3 page.md
grep '^## ' page.md
grep -c '^### `lg2t`' page.md
awk -F'|' '/^\|/ && NF != 6 {print "not four columns: " $0}' page.md
