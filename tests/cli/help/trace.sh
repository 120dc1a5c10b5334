lgkt trace -h
