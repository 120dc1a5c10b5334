lgkt demo --help
