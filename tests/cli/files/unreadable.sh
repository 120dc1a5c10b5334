two_states
mkdir folder
: >empty.json
echo 'this is not JSON' >text.json
head -c 100 two.json >cut.json
printf '{"states": 2,\n "actions": 1,,\n}' >comma.json
printf '\377\376{}' >bytes.json
head -c 100000 /dev/zero | tr '\0' '[' >deep.json
printf '{"states": 2, "actions": 1}' >keys.json
printf '[]' >list.json
truncate -s 2G huge.json
for file in nothing.json folder empty.json text.json cut.json comma.json bytes.json deep.json \
    keys.json list.json huge.json /dev/null; do
    refused plan --mdp $file --horizon 3
done
refused trace --mdp two.json --tape folder --learner random
refused trace --mdp two.json --tape empty.json --learner random
refused trace --mdp two.json --tape huge.json --learner random
# a long name leaves room for the reason
long=$(printf 'x%.0s' $(seq 200))
refused plan --mdp "$long/m.json" --horizon 3
