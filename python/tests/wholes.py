# SPDX-License-Identifier: MIT
"""An experiment that uses everything, for tests that compare Python with the command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from command import COMMAND

import lgkt

EVERYTHING: dict[str, Any] = {
    "title": "Everything, \"quoted\"", "question": "Is it the same?", "place": "ours", "order": 7,
    "horizon": 400, "instances": 5, "quick": 2,
    "learners": {
        "ours": [{"label": "A", "spec": "lg1t:threshold=0.5",
                  "style": {"color": "#E69f00", "dash": "dotted", "width": 1.5}},
                 {"label": "B", "spec": "lg2t", "group": "two", "section": "K = 2"}],
        "grid": [{"label": "LG{k}T {g}", "spec": "lgkt:k={k},threshold={g}",
                  "grid": {"k": [1, 2], "g": [0.25, 0.5]}}],
        "oracles": [{"label": "Optimal", "spec": "optimal", "oracle": True}],
        "planners": [{"label": "one", "spec": "kstep:k=1"}, {"label": "two", "spec": "kstep:k=2"}],
        "many": [{"label": "shared", "spec": "auto"},
                 {"label": "alone", "spec": "auto", "alone": True}],
        "traders": [{"label": "Random", "spec": "random"}, {"label": "Auto", "spec": "auto"}]},
    "panels": [
        {"name": "one", "title": "S, untold", "environment": "synthetic:states=5,actions=2",
         "untold": True, "learners": ["ours", "grid", "oracles"], "compare": [10, 77, 5000]},
        {"name": "two", "environment": "gap", "regret": {"k": 2, "threshold": 1.2},
         "measure": ["regret", "average", "cumulative", "counter:runs"], "learners": ["ours"],
         "instances": 4},
        {"name": "own", "environment": "model:file=(parts/own.json)", "checkpoints": [5, 50, 9999],
         "measure": ["average", "event:again"], "events": {"again": "model:file=(parts/own.json)"},
         "learners": ["oracles", "ours"]},
        {"name": "exact", "environment": "synthetic:states=4,actions=2", "measure": "ratio",
         "learners": ["planners"], "quick": 0},
        {"name": "crowd", "environment": "riverswim:states=4", "learners": ["many"],
         "units": {"count": 8, "late": 2, "missing": 0.1, "told": 30, "extended": 20}},
        {"name": "drift", "learners": ["traders"], "environment":
         "changing:before=(model:file=(parts/own.json)),after=(model:file=(parts/own.json)),at=200"},
        {"name": "s{s}", "grid": {"s": [3, 4]}, "environment": "chain:states={s}",
         "learners": ["traders"]},
        {"name": "prices", "environment": "trading:window=2", "learners": ["traders"]}]}


def write(folder: Path, data: Any = EVERYTHING, name: str = "mine.json") -> Path:
    """An experiment file with a model and prices beside it."""
    parts = folder / "parts"
    parts.mkdir(exist_ok=True)
    model = lgkt.Env("riverswim:states=4").model
    assert model is not None
    model.write(parts / "own.json")
    prices = "".join(f"{100 + (i * 37) % 11}\n" for i in range(500))
    (parts / "prices.csv").write_text("Close\n" + prices)
    (folder / name).write_text(json.dumps(data))
    return folder / name


def command(file: Path, out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, "reproduce", str(file), "-o", str(out), "-q", *options],
                          capture_output=True, text=True)


def tables(folder: Path) -> dict[str, bytes]:
    """What must not depend on who ran it."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())
            if file.name not in ("journal.bin", "timings.json")}
