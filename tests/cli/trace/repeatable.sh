# the learner's own stream depends on the seed alone; line ends of two characters are the same tape, and
# so is a mark of UTF-8 before it, and before a model
two_states
awk 'BEGIN {print "u_next,z_reward,u_reward,u_coin"; for (i = 0; i < 200; i++) print i / 200 ",0,0,0.5"}' >tape.csv
sed 's/$/\r/' tape.csv >crlf.csv
lgkt trace --mdp two.json --tape tape.csv --learner random --seed 5 >a.txt
lgkt trace --mdp two.json --tape crlf.csv --learner random --seed 5 | cmp - a.txt && echo same
(printf '\357\273\277'; cat tape.csv) >mark.csv
(printf '\357\273\277'; cat two.json) >mark.json
lgkt trace --mdp mark.json --tape mark.csv --learner random --seed 5 | cmp - a.txt && echo same
lgkt trace --mdp two.json --tape tape.csv --learner random --seed 6 | cmp -s - a.txt || echo other
lgkt trace --mdp two.json --tape tape.csv --learner lg2t --horizon 200 | wc -l
