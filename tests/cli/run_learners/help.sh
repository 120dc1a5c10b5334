lgkt run --help
