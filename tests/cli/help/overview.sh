lgkt --help
lgkt --help >a.txt
lgkt help | cmp - a.txt && echo same
lgkt -h | cmp - a.txt && echo same
