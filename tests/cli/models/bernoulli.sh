# a coin's mean is in [0, 1]
model m.json noise '"noise": {"kind": "bernoulli"}' && lgkt plan --mdp m.json --horizon 3 --k 1 | head -1
sed 's/\[\[0\], \[1\]\]/[[0], [1.5]]/' m.json >bad.json
refused plan --mdp bad.json --horizon 3
