lgkt list --json --help
