# SPDX-License-Identifier: MIT
"""Small result folders of format 2, made by hand for the tests of `lgkt.report`."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = ["panel", "learner", "other", "measure", "t", "instance", "n", "mean", "ci95"]
BETTER = {"average": "higher", "cumulative": "higher", "regret": "lower", "ratio": "higher"}


def fnv(data: bytes) -> str:
    """FNV-1a as its authors write it down."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"fnv1a64:{value:016x}"


def learner(label: str, level: float = 1.0, **more: Any) -> dict[str, Any]:
    """An entry whose runs end near `level`."""
    return {"label": label, "spec": label.lower(), "resolved": label.lower(), "group": "learners",
            "section": "", "oracle": False, "reward": level, "observed": level, "counters": {},
            "level": level} | more


def panel(name: str, learners: Iterable[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"name": name, "title": f"Panel {name}", "environment": "chain", "note": "",
            "horizon": 1000, "instances": 8, "full_instances": 8, "measures": ["average"],
            "checkpoints": [1, 10, 100, 300, 1000], "compare": [100], "optimum": 2.0,
            "random": 0.5, "learners": list(learners)} | more


def write(folder: Path, panels: Iterable[dict[str, Any]], seed: int = 1,
          **more: Any) -> dict[str, list[list[Any]]]:
    """A folder, and the rows that stand in its files."""
    rng, panels = np.random.default_rng(seed), list(panels)
    rows: dict[str, list[list[Any]]] = {f"{k}.csv": [] for k in ("curves", "pairs", "summary",
                                                                 "runs")}
    for one in panels:
        n, end, name, main = one["instances"], one["horizon"], one["name"], one["measures"][0]
        shift = rng.normal(size=n)
        for l in one["learners"]:
            runs = l["level"] + 0.1 * shift + 0.02 * rng.normal(size=n)
            half = 1.96 * float(runs.std()) / math.sqrt(n)
            for measure in one["measures"]:
                times = [end] if main == "ratio" else one["checkpoints"]
                for t in times:
                    share = math.log1p(t) / math.log1p(end) if main != "regret" else t ** 0.5
                    rows["curves.csv"].append([name, l["label"], "", measure, t, "", n,
                                               float(runs.mean()) * share, half])
                rows["summary.csv"].append([name, l["label"], "", measure, end, "", n,
                                            float(runs.mean()), half])
            for measure, value in (("score", 100 * (l["level"] - 0.5) / 1.5),
                                   ("reward", l["level"]), ("worst_tenth", float(runs.min()))):
                rows["summary.csv"].append([name, l["label"], "", measure, end, "", n, value, ""])
            for i, value in enumerate(runs):
                rows["runs.csv"].append([name, l["label"], "", main, end, i, 1, float(value), ""])
                if main == "ratio":
                    rows["runs.csv"].append([name, l["label"], "", "distance", end, i, 1,
                                             abs(float(shift[i])), ""])
        for i, a in enumerate(one["learners"]):
            for b in one["learners"][i + 1:]:
                for t in (*one["compare"], end):
                    rows["pairs.csv"].append([name, a["label"], b["label"], main, t, "", n,
                                              a["level"] - b["level"], 0.05])
        for measure in ("optimum", "random"):
            if one[measure] is not None:
                rows["summary.csv"].append([name, "", "", measure, end, "", n, one[measure], ""])
    folder.mkdir(parents=True)
    files = {}
    for file, lines in rows.items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *lines])
        data = text.getvalue().encode()
        (folder / file).write_bytes(data)
        files[file] = {"rows": len(lines), "hash": fnv(data)}
    measures = {m: {"meaning": m, "unit": "", "better": BETTER.get(m, "none")}
                for one in panels for m in one["measures"]}
    manifest = {"format": 2, "experiment": folder.name, "title": f"Experiment {folder.name}",
                "question": "", "place": "", "collection": "", "section": "", "version": "0.1.0",
                "seed": seed, "source": {"file": f"{folder.name}.json", "hash": fnv(b"")},
                "columns": {}, "measures": measures, "files": files,
                "panels": [{**one, "learners": [{k: v for k, v in l.items() if k != "level"}
                                                for l in one["learners"]]} for one in panels]}
    (folder / "manifest.json").write_text(json.dumps(manifest | more), encoding="utf-8")
    return rows
