lgkt list --json >all.json
python3 - <<'END'
import json
data = json.load(open("all.json"))
print(sorted(data))
names = [entry["name"] for entry in data["learners"] + data["environments"]]
print(len(names) == len(set(names)))
lg2t = next(entry for entry in data["learners"] if entry["name"] == "lg2t")
print(sorted(lg2t))
print(next(param for param in lg2t["params"] if param["name"] == "threshold")["default"])
psrl = next(entry for entry in data["learners"] if entry["name"] == "psrl")
print(lg2t["traits"], psrl["traits"]["law"], "traits" in data["environments"][0])
END
