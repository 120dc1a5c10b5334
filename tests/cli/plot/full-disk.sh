# gnuplot says nothing of a disk that is full, here of files that may not grow; no half figure stays
lgkt reproduce frozenlake --replicates 2 --quiet >log.txt
mkdir bin
printf '#!/bin/sh\ntrap "" XFSZ\nulimit -f 4\nexec %s "$@"\n' "$(command -v gnuplot)" >bin/gnuplot
chmod +x bin/gnuplot
for format in svg pdf png; do
    (PATH=$PWD/bin:$PATH; refused plot results --format $format)
done
ls results/frozenlake
