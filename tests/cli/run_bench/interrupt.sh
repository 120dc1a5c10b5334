timeout --preserve-status -s INT 1 lgkt bench --repeats 10000 --json
