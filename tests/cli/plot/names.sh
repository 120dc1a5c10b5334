# names that gnuplot would obey: one with a line end is refused, all others are names
lgkt reproduce frozenlake --replicates 2 --quiet >log.txt
bad=$(printf 'x\nsystem "touch owned"\n#')
cp -r results "$bad"
lgkt plot "$bad" --format svg 2>err.txt
echo "exit $?, lines $(wc -l <err.txt)"
lgkt plot results --format svg --out "$bad" 2>err.txt
echo "exit $?, lines $(wc -l <err.txt)"
for name in '|touch owned;' '~' "it's" 'back\slash' '$HOME' '`touch owned`' '"touch owned"' '<touch'; do
    lgkt plot results --format svg --out "$name"
    grep -c '<svg' "$name/frozenlake.svg"
done
find . -name owned
