lgkt reproduce frozenlake --replicates 2 --quiet >log.txt
refused report
refused report nowhere
refused report results --out nowhere/page.html
ls
# without gnuplot there is a page without drawings
(PATH=$(dirname "$(command -v lgkt)"); lgkt report results 2>err.txt; echo "exit $?"; read -r line <err.txt; echo "$line")
grep -c '<svg' report.html
grep -o 'Without figures[^<]*' report.html
