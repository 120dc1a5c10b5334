# nothing is taken twice, empty or with control characters, and each failure is one line
two_states
refused plan --mdp two.json --horizon 3 --horizon 4
refused plan --mdp two.json --json --horizon 3 --json
refused plan --mdp two.json --mdp two.json --horizon 3
refused run -e riverswim --env riverswim -l random
refused trace --save-at 1 a --save-at 2 b
refused plan --mdp "$(printf 'a\007b')" --horizon 3
refused plan --mdp "$(printf 'a\177b')" --horizon 3
newline='two
lines'
refused plan --mdp two.json --horizon 3 "--$newline"
for value in '' "$newline"; do
    refused "$value"
    refused help "$value"
    refused list "$value"
    refused plan --mdp "$value" --horizon 3
    refused plan --env "$value" --horizon 3
    refused plan --mdp two.json --horizon "$value"
    refused plan --mdp two.json --horizon 3 --k "$value"
    refused plan --mdp two.json --horizon 3 --threshold "$value"
    refused plan --mdp two.json --horizon 3 --seed "$value"
    refused plan --mdp two.json --horizon 3 "$value"
    refused run --env "$value" --learner random --json
    refused run --env riverswim --learner "$value" --json
    refused run --env riverswim --learner random --regret "$value" --json
    refused run --env riverswim --learner random --curve "$value" --json
    refused run --env riverswim --learner random --out "$value" --json
    refused bench --env "$value"
    refused bench --learner "$value"
    refused trace --mdp two.json --tape "$value" --learner random
    refused trace --mdp two.json --tape two.json --learner "$value"
    refused trace --mdp two.json --tape two.json --learner random --save-at 1 "$value"
    refused trace --mdp two.json --tape two.json --resume "$value"
    refused reproduce "$value"
    refused reproduce frozenlake --out "$value"
    refused reproduce frozenlake --prices "$value"
    refused plot "$value"
    refused report "$value"
done
# a missing value
for option in --env --learner --horizon --replicates --seed --jobs --curve --regret; do
    refused run $option
    refused run $option --json
done
rm err.txt out.txt
ls
# long texts leave room for the reason, and no character is cut in two
long=$(printf 'xé%.0s' $(seq 500))
refused "$long"
refused list "$long"
refused plan "--$long"
refused plan --mdp two.json --horizon "$long"
refused plan --mdp two.json --horizon 3 --k "$long"
refused plan --mdp two.json --horizon 3 "$long"
refused plan --mdp "$long" --horizon 3
refused run --env riverswim --learner random --regret "$long"
refused run --env "$long" --learner random
refused reproduce "$long"
# what is no UTF-8 either
bytes=$(printf 'a\377b')
refused "$bytes"
refused list "$bytes"
refused plan --mdp "$bytes" --horizon 3
refused run --env "$bytes" --learner random --json
refused run --env riverswim --learner "$bytes" --json
# letters stand alone
refused run -eriverswim
refused run -e=riverswim
refused run -vq
