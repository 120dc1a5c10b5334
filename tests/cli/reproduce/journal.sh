# a half-written journal is gone on with, an edited one is refused
lgkt reproduce riverswim-5 --replicates 3 --quiet --out whole
mkdir -p half/riverswim-5
head -c 40000 whole/riverswim-5/journal.bin >half/riverswim-5/journal.bin
lgkt reproduce riverswim-5 --replicates 3 --quiet --out half
for file in curves.csv summary.csv pairs.csv manifest.json; do
    cmp whole/riverswim-5/$file half/riverswim-5/$file
done
printf 'edited' | dd of=half/riverswim-5/journal.bin bs=1 seek=30000 conv=notrunc 2>/dev/null
cp half/riverswim-5/journal.bin edited.bin
refused reproduce riverswim-5 --replicates 3 --out half | sed 's/byte [0-9]*/byte N/'
cmp edited.bin half/riverswim-5/journal.bin
# another version: the letter of the first record that says so, and its checksum does not fit
printf '9' | dd of=whole/riverswim-5/journal.bin bs=1 seek=64 conv=notrunc 2>/dev/null
refused reproduce riverswim-5 --replicates 3 --out whole
# something else altogether
echo 'not a journal' >half/riverswim-5/journal.bin
refused reproduce riverswim-5 --replicates 3 --out half
