lgkt --version
lgkt version
