# SPDX-License-Identifier: MIT
"""Estimates from logs against what scope-rl 0.2.1 and obp 0.4.1 answered to the same questions:
their numbers are kept, with the logs, by `scripts/log_libraries`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("pyarrow")

from log_worlds import coded  # noqa: E402

from lgkt.log.evaluate import evaluate  # noqa: E402

ASKED = json.loads((Path(__file__).parent / "log_libraries.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("asked", ASKED, ids=[one["library"] for one in ASKED])
def test_answers_are_those_of_the_library(asked: dict[str, Any]) -> None:
    log = asked["log"]
    state, action = np.array(log["state"]), np.array(log["action"])
    steps, units = log["steps"], log["units"]
    rows = coded(np.repeat(np.arange(units), steps), np.tile(np.arange(steps), units), action,
                 np.array(log["reward"]), np.full(units, steps), actions=log["actions"],
                 state=state, states=log["states"],
                 probability=np.array(log["log"])[state, action])
    made = evaluate(rows, np.array(log["policy"]), findings=[], resamples=50)
    ours = {one.name: one.policy.mean * steps for one in made.shown}
    assert set(asked["answers"]) <= set(ours)
    # their weights are divided by their mean + 1e-10, so that the last digits differ
    for name, value in asked["answers"].items():
        assert ours[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name
