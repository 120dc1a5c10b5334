# prices are only read where an environment asks for them
awk 'BEGIN {print "Time,Close"; for (i = 0; i < 300; i++) print "t" i "," 1 + (i % 7) / 100}' >good.csv
refused plan --env trading:file=good.csv --horizon 10
sed '17s/,.*/,0/' good.csv >zero.csv
sed '17s/,.*/,abc/' good.csv >word.csv
sed '17s/,.*//' good.csv >short.csv
sed '1s/Close/Open/' good.csv >column.csv
for file in zero word short column nothing; do
    refused plan --env trading:file=$file.csv --horizon 10
done
