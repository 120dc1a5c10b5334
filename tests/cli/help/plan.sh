lgkt help plan
