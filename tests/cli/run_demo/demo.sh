# what stands where; numbers and the lines of the plot are left out
lgkt demo --replicates 3 --quiet >demo.txt
sed -n '1,3p' demo.txt
grep -c '^ [ 0-9.]* [|+]' demo.txt
sed -n '24,33s/ [ 0-9.%M]*$//p' demo.txt
sed '1,35d' demo.txt | paste -sd ' ' | sed 's/\([ (]\)-\{0,1\}[0-9][0-9.]*/\1X/g'
awk 'length > 80 || / $/' demo.txt
# the same numbers for any count of threads, but for the speed
lgkt demo --replicates 3 --jobs 1 --quiet | sed '26,33s/ *[0-9.]*\( M\)\{0,1\}$//' >a.txt
sed '26,33s/ *[0-9.]*\( M\)\{0,1\}$//' demo.txt | cmp - a.txt && echo same
