# SPDX-License-Identifier: MIT
"""lgkt.trace: the golden traces through Python, and bad input."""

from __future__ import annotations

import csv
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest
from command import COMMAND, ROOT, needs_command

import lgkt
from lgkt import files

GOLDEN = ROOT / "tests" / "golden"
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


@needs_command
@pytest.mark.parametrize("name", ["lg1-2t", "lg1t-i", "lg2t"])
def test_saved_learners_go_on(name: str, tmp_path: pathlib.Path) -> None:
    folder, path = GOLDEN / "random-6x4", tmp_path / "learner.bin"
    subprocess.run([COMMAND, "trace", "--mdp", folder / "mdp.json", "--tape", folder / "tape.csv",
                    "--learner", LEARNERS[name], "--horizon", "20000", "--save-at", "1000", path],
                   capture_output=True, check=True)
    tape = files.read_tape(folder / "tape.csv")
    learner = files.read_learner(path, coin=tape[:, 3].item)
    # a line of the command follows the bytes, which says what the learner was saved with
    with pytest.raises(lgkt.InputError, match="bytes and should have"):
        lgkt.Learner.load(path.read_bytes())
    rows = lgkt.trace(folder / "mdp.json", tape, learner)
    assert rows["t"][0] == 1000 and learner.time == len(tape)
    assert np.array_equal(rows["action"], columns(folder / "actions.csv")[name][1000:])
    assert len(lgkt.trace(folder / "mdp.json", tape, learner)) == 0


@needs_command
@pytest.mark.parametrize("options", [[], ["--untold"], ["--seed", "7", "--horizon", "5000"]])
@pytest.mark.parametrize("spec", ["auto", "psrl"])
def test_equals_command(spec: str, options: list[str]) -> None:
    folder = GOLDEN / "riverswim-5"
    done = subprocess.run([COMMAND, "trace", "--mdp", folder / "mdp.json", "--tape",
                           folder / "tape.csv", "--learner", spec, *options],
                          capture_output=True, text=True, check=True)
    wanted = list(csv.reader(done.stdout.splitlines()))
    given = dict(zip(options[::2], options[1::2])) if len(options) > 1 else {}
    rows = lgkt.trace(folder / "mdp.json", folder / "tape.csv", spec, untold="--untold" in options,
                      seed=int(given.get("--seed", 0)),
                      horizon=int(given["--horizon"]) if "--horizon" in given else None)
    assert list(rows.dtype.names or ()) == wanted[0]
    assert [list(row) for row in rows.tolist()] == [
        [int(t), int(s), int(a), float(r), int(n)] for t, s, a, r, n in wanted[1:]]


# ---- by hand, and bad input ----

MODEL = lgkt.Model([[[0.5, 0.5], [0.1, 0.9]], [[0.3, 0.7], [0.0, 1.0]]], [[0.0, 0.2], [0.5, 1.0]],
                   noise="normal", sd=np.full((2, 2), 2.0))


def test_by_hand() -> None:
    tape = np.array([[0.4, 1.0, 0.0, 0.0], [0.6, -0.5, 0.0, 0.0], [0.99, 0.0, 0.0, 0.0]])
    learner = lgkt.Learner("random", 2, 2, 10, seed=3)
    rows = lgkt.trace(MODEL, tape, learner)
    state, chosen = 0, rows["action"].tolist()
    for t, (u, z, _, _) in enumerate(tape.tolist()):
        law, reward = MODEL.P[state, chosen[t]], MODEL.R[state, chosen[t]] + 2.0 * z
        after = int(np.searchsorted(np.cumsum(law), u, side="right"))
        assert rows[t].tolist() == (t, state, chosen[t], reward, after)
        state = after
    assert learner.time == 3 and learner.next_state == state


def test_callables_are_asked() -> None:
    asked: list[int] = []

    def coin(t: int) -> float:
        asked.append(t)
        if t == 4:
            raise ZeroDivisionError("coin")
        return 0.5

    learner = lgkt.Learner("lg2t:p=0.5", 2, 2, 10, coin=coin)
    with pytest.raises(ZeroDivisionError, match="coin"):
        lgkt.trace(MODEL, np.full((10, 4), 0.5), learner)
    assert asked and asked[-1] == 4


ROW = [0.5, 0.0, 0.5, 0.5]


@pytest.mark.robust
@pytest.mark.parametrize("change, kind, text", [
    ({"tape": []}, lgkt.InputError, "four columns"),
    ({"tape": np.zeros((0, 4))}, lgkt.InputError, "no rows|horizon"),
    ({"tape": [ROW[:3]]}, lgkt.InputError, "four columns"),
    ({"tape": [ROW, [1.0, 0.0, 0.5, 0.5]]}, lgkt.InputError, r"row 1: u_next is 1; .* \[0, 1\)"),
    ({"tape": [[0.5, 0.0, 0.5, -0.1]]}, lgkt.InputError, "coin|u_coin"),
    ({"tape": [[0.5, 0.0, float("nan"), 0.5]]}, lgkt.InputError, "u_reward is nan"),
    ({"tape": [[0.5, float("inf"), 0.5, 0.5]]}, lgkt.InputError, "z_reward is inf.*finite"),
    ({"tape": [["a"] * 4]}, TypeError, "numbers"),
    ({"tape": "/no/tape.csv"}, (lgkt.Error, OSError), "tape.csv"),
    ({"model": "/no/model.json"}, (lgkt.Error, OSError), "model.json"),
    ({"model": None}, TypeError, "None"),
    ({"learner": "nobody"}, lgkt.InputError, "nobody"),
    ({"learner": 3}, TypeError, "Learner"),
    ({"learner": lgkt.Learner("random", 3, 2, 10)}, lgkt.InputError, "3 states"),
    ({"learner": lgkt.Learner("random", 2, 2, 1)}, lgkt.InputError, "at least the 2 rows"),
    ({"learner": lgkt.Learner("random", 2, 2, 9), "horizon": 9}, TypeError, "its horizon"),
    ({"horizon": 1}, lgkt.InputError, "horizon is 1; it must be at least the 2 rows"),
    ({"horizon": 10**20}, lgkt.InputError, "horizon"),
    ({"seed": -1}, lgkt.InputError, "seed"),
])
def test_bad_input(change: dict[str, Any], kind: Any, text: str) -> None:
    given: dict[str, Any] = {"model": MODEL, "tape": [ROW, ROW], "learner": "random"} | change
    with pytest.raises(kind, match=text):
        lgkt.trace(**given)
    assert len(lgkt.trace(MODEL, [ROW, ROW], "lg1t")) == 2


def test_start_must_be_fixed() -> None:
    model = lgkt.Model(MODEL.P, MODEL.R, start=[0.5, 0.5])
    with pytest.raises(lgkt.Error, match="fixed start state"):
        lgkt.trace(model, [ROW], "random")


def test_a_learner_too_far() -> None:
    learner = lgkt.Learner("random", 2, 2, 10)
    lgkt.trace(MODEL, [ROW] * 5, learner)
    with pytest.raises(lgkt.InputError, match="the learner is at step 5; the tape has 3 rows"):
        lgkt.trace(MODEL, [ROW] * 3, learner)


def test_a_function_that_raises_ends_a_trace() -> None:
    def threshold(t: int, state: int, k: int) -> float:
        asked.append(t)
        raise KeyError("no threshold")

    asked: list[int] = []
    model = lgkt.Env("riverswim").model
    assert model is not None
    learner = lgkt.Learner("lg2t", 5, 2, 100, threshold=threshold)
    tape = np.full((50, 4), 0.5)
    with pytest.raises(KeyError, match="no threshold"):
        lgkt.trace(model, tape, learner)
    assert len(asked) == 1 and learner.time <= asked[0] + 1
    with pytest.raises(RuntimeError, match="has failed"):
        lgkt.trace(model, tape, learner)
