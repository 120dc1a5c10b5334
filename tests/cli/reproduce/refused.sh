# wrong words: one line each, and nothing is made
refused reproduce
refused reproduce synthetic-11
refused reproduce al
refused reproduce riverswim-5 riverswim-51
refused reproduce something-else
refused reproduce list all
refused reproduce riverswim-5 --replicates 0
refused reproduce riverswim-5 --jobs 0
refused reproduce riverswim-5 --seed -1
refused reproduce riverswim-5 --out ""
refused reproduce trading --prices nowhere.csv
printf 'Close\n1\n2\n' >short.csv
refused reproduce trading --prices short.csv
ls
