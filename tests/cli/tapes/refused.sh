two_states
try() {
    tape "$1"
    refused trace --mdp two.json --tape tape.csv --learner random
}
try ''
try '0,0,0\n'
try '0,0,0,0\n0,0,0,0,0\n'
try '0,0,0,0\n\n'
try '1,0,0,0\n'
try '0,0,0,0\n0,0,-0.1,0\n'
try '0,0,0,1.0\n'
try '0,nan,0,0\n'
try '0,0,0,0\n0,inf,0,0\n'
try '0,1e999,0,0\n'
try '0,0x1p3,0,0\n'
try '0,,0,0\n'
try ' 0,0,0,0\n'
try '"0",0,zero,0\n'
try '0;0;0;0\n'
# headers
for header in '' 'u_next,z_reward,u_reward' 'U_NEXT,Z_REWARD,U_REWARD,U_COIN' \
    'u_next, z_reward, u_reward, u_coin' '0,0,0,0'; do
    printf '%s\n0,0,0,0\n' "$header" >tape.csv
    refused trace --mdp two.json --tape tape.csv --learner random
done
