lgkt
