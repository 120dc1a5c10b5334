# SPDX-License-Identifier: MIT
"""lgkt.trace: the golden traces through Python, and bad input."""

from __future__ import annotations

import csv
import pathlib
from typing import Any

import numpy as np
import pytest

import lgkt
from lgkt import files

GOLDEN = pathlib.Path(__file__).parents[2] / "tests" / "golden"
FOLDERS = sorted(path.parent for path in GOLDEN.glob("*/actions.csv"))
LEARNERS = {  # column of actions.csv -> spec, as in tests/golden/run
    "lg1t": "lg1t",
    "lg2t": "lg2t",
    "lg1-2t": "lg1-2t:cutoff=100",
    "lg1t-i": "lg1t-i",
    "lg2t-i": "lg2t-i",
    "lg1t-high": "lg1t:threshold=1.5",
    "lg2t-high": "lg2t:threshold=3.0",
}


def columns(path: pathlib.Path) -> dict[str, Any]:
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([row[name] for row in rows]).astype(int) for name in rows[0]}


def test_all_golden_actions() -> None:
    matching = expected = 0
    for folder in FOLDERS:
        wanted = columns(folder / "actions.csv")
        model, tape = lgkt.Model.read(folder / "mdp.json"), files.read_tape(folder / "tape.csv")
        for name, spec in LEARNERS.items():
            rows = lgkt.trace(model, tape, spec, horizon=20000)
            matching += int(np.sum(rows["action"] == wanted[name]))
            expected += len(wanted[name])
            assert rows["t"].tolist() == list(range(len(tape)))
            assert np.array_equal(rows["state"][1:], rows["next_state"][:-1])
    assert (matching, expected) == (63000, 63000)


@pytest.mark.parametrize("name", ["auto", "rl-auto", "first-auto", "sampler-auto", "plugin-k-auto"])
def test_saved_learners_go_on(name: str) -> None:
    saved = (GOLDEN / "saved-auto-1" / f"{name}.bin").read_bytes()
    tape = files.read_tape(GOLDEN / "random-6x4" / "tape.csv")
    # a line of the command follows, which says what the learner was saved with
    learner = lgkt.Learner.load(saved[: saved.rindex(b"\norigin")] if b"\norigin" in saved else saved)
    coin = np.zeros(learner.horizon)
    coin[: len(tape)] = tape[:, 3]
    rows = lgkt.trace(GOLDEN / "random-6x4" / "mdp.json", tape, learner)
    assert rows["t"][0] == 1000 and learner.time == len(tape)
    assert np.array_equal(rows["action"], columns(GOLDEN / "saved-auto-1" / "continued.csv")[name])
