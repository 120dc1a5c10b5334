lgkt help reproduce
