# a name, or -v, gives all parameters; a parameter is name=default [allowed]
lgkt list riverswim
lgkt list -v >all.txt
lgkt list lg2t lg1t | grep '^[^ ]\|^  threshold='
for name in $(lgkt list | sed -n 's/^  \([^ ]*\) .*/\1/p'); do
    grep -qx "$name" all.txt || echo "$name is not in list -v"
done
