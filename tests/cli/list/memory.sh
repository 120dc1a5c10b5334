# every learner states the order of its memory, those on numbered states their bytes, in each form; environments the order
lgkt list learners -v >all.txt
lgkt list --markdown >page.md
lgkt list --json >all.json
for name in $(learners_on_states); do
    size=$(grep -x -A 9 "$name" all.txt | sed -n '/^  memory: /{s/.*; //p;q}')
    echo "$size" | grep -qx '[0-9.]* \([kM]B\|bytes\)\( each and [0-9.]* [kM]B shared\)\{0,1\} for 10 states, 5 actions and horizon 20000' ||
        echo "$name: $size"
    grep -A 4 -Fx "### \`$name\`" page.md | grep -qF " $size." || echo "$name: not in the page"
done
lgkt list envs -v | grep '^  memory' | grep -c ' for '
python3 - <<'END'
import json
data = json.load(open("all.json"))
for entry in data["learners"]:
    if not entry["traits"]["states"]:
        print(entry["name"], "on records alone")
        continue
    size = entry["bytes"]
    if size["own"] < 100 or size["shared"] < 0 or size["states"] != 10:
        print(entry["name"], size)
sizes = {entry["name"]: entry["bytes"] for entry in data["learners"] if "bytes" in entry}
# widths of 20001 counts at least are shared; a learner of random actions has no table
print(sizes["lg1t"]["shared"] > 8 * 20000, sizes["lg1t"]["own"] < 8 * 20000)
print(sizes["random"]["own"] < 1000, sizes["random"]["shared"])
END
