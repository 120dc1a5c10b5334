two_states
# unknown options, with the nearest one where there is one
refused plan --mdp two.json --horizn 3
refused plan --mdp two.json --horizn=3
refused plan --frobnicate
refused plan -x
refused plan --
refused plan --mdp two.json --horizon 3 extra
# values
refused plan --horizon
refused plan --horizon --json
refused plan --mdp two.json --horizon=
refused plan --mdp two.json --horizon 0
refused plan --mdp two.json --horizon -5
refused plan --mdp two.json --horizon 1.5
refused plan --mdp two.json --horizon 1e10
refused plan --mdp two.json --horizon 1/3
refused plan --mdp two.json --horizon 99999999999999999999
refused plan --mdp two.json --horizon 3 --threshold nan
refused plan --mdp two.json --horizon 3 --threshold 1x
refused plan --mdp two.json --horizon 3 --seed -1
refused plan --mdp two.json --horizon 3 --seed 18446744073709551616
refused plan --mdp two.json --horizon 3 --json=yes
refused plan --mdp two.json --horizon 3 --k ''
refused plan --mdp two.json --horizon 3 --k 1,,2
refused plan --mdp two.json --horizon 3 --k 0
refused plan --mdp two.json --horizon 3 --k 1,2,
# what is needed
refused plan --horizon 3
refused plan --mdp two.json
refused plan --mdp two.json --env riverswim --horizon 3
refused trace
refused trace --mdp two.json
refused trace --mdp two.json --tape t.csv
# a line end typed by the user does not break the line
refused plan "--ho
rizon" 3
