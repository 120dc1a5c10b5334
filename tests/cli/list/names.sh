# both registries, and each alone
lgkt list >all.txt
grep -c '^learners$\|^environments$' all.txt
lgkt list learners | grep -o '^  lg2t '
lgkt list learners | grep -c riverswim
lgkt list envs | grep -o '^  riverswim '
awk '/ $/ {print "blank at the end of: " $0}' all.txt
