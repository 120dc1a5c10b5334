# whatever the price file is called, the manifest is JSON that can be read: names are cut between
# two characters, and what is no UTF-8 is shown as ?
prices() {
    { echo Close; seq 100 3000; } >"$1"
    lgkt reproduce trading --replicates 1 --prices "$1" --out "$2" --quiet
    python3 -c 'import json, sys
page = json.load(open(sys.argv[1], encoding="utf-8"))
print(ascii(page["prices"]))
print(ascii(page["panels"][0]["note"]))' "$2/trading/manifest.json"
}
prices "x$(printf '\303\251%.0s' $(seq 60)).csv" long
prices "$(printf 'a\377b.csv')" broken
