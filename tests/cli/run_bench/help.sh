lgkt bench --help
