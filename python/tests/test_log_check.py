# SPDX-License-Identifier: MIT
"""Checks of logs: silent on sound ones, at most as often wrong as stated, loud on the others."""

from typing import Any

import numpy as np
import pytest

import lgkt
from lgkt.log.check import ERROR
from lgkt.log.telling import told

NAMES: dict[str, Any] = {"unit": "u", "time": "t", "state": "s", "action": "a", "reward": "r",
                         "probability": "p"}
TESTED = {"missing-rewards-uneven", "probabilities-wrong", "hidden-state", "drift",
          "policy-changed", "coding-changed", "late-values"}


def world(seed: int, units: int = 50, steps: int = 40, law: str = "normal", hidden: float = 0,
          drift: float = 0, uneven: bool = False) -> dict[str, list[Any]]:
    """A world of 5 states and 3 actions, a policy that plays all of them, rewards of some law of
    which 5% are missing. `hidden`: what action 1 adds to the next reward, whatever the state."""
    rng = np.random.default_rng((seed, 11))
    P, R = rng.dirichlet(np.ones(5), (5, 3)), rng.normal(size=(5, 3)) / 2
    pi = 0.85 * rng.dirichlet(np.ones(3), 5) + 0.05
    s, last = rng.integers(0, 5, units), np.zeros(units)
    rows: dict[str, list[Any]] = {name: [] for name in "utsarp"}
    for t in range(steps):
        a = (rng.random((units, 1)) > pi[s].cumsum(1)[:, :-1]).sum(1)
        mean = R[s, a] + hidden * (last == 1) + drift * (t > steps // 2)
        r = {"normal": mean + rng.normal(size=units),
             "rare": rng.binomial(1, 0.02, units) * 1.0,
             "heavy": mean + rng.standard_t(2.5, size=units)}[law]
        r[rng.random(units) < np.where((a == 1) & uneven, 0.3, 0.05)] = np.nan
        for name, values in zip("utsarp", (range(units), [t] * units, s, a, r, pi[s, a]),
                                strict=True):
            rows[name] += list(values)
        last, s = a, (rng.random((units, 1)) > P[s, a].cumsum(1)[:, :-1]).sum(1)
    return rows


def check(rows: Any, **names: Any) -> Any:
    return lgkt.Log.read(rows, **{**NAMES, **names}).check(progress=False)


@pytest.mark.parametrize("law", ["normal", "rare", "heavy"])
def test_silent_on_sound_logs(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 60 sound logs 0.6 at most should get a finding of a test; more than 4 with probability
    0.0004, also if what is too small to matter counts."""
    monkeypatch.setattr("lgkt.log.check.FLOOR", 0.0)
    monkeypatch.setattr("lgkt.log.calibration.OFF", 0.0)
    wrong = 0
    for seed in range(60):
        codes = {one.code for one in check(world(seed, law=law)).findings}
        assert codes - TESTED <= {"missing-rewards", "rarely-tried"}
        wrong += bool(codes & TESTED)
    assert ERROR == 0.01 and wrong <= 4


def test_chances_are_chances() -> None:
    """Where nothing tells anything, the chance is below x in at most x of the cases: 1000 draws,
    more than 20 below 0.01 with probability 0.002."""
    rng = np.random.default_rng(5)
    for draw in (rng.normal, lambda size: rng.lognormal(0, 1.5, size),
                 lambda size: rng.binomial(1, 0.03, size) * 1.0):
        chances = [told(draw(size=400), rng.integers(0, 4, 400), rng.integers(0, 3, 400), 3).chance
                   for _ in range(1000)]
        assert sum(chance < 0.01 for chance in chances) <= 20
        assert 0.3 < np.mean(chances) < 0.75


def test_told_is_what_is_written() -> None:
    """T, its mean and the share, against a plain loop."""
    rng = np.random.default_rng(6)
    y, cell, group = rng.normal(size=300), rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    y += group
    T = df = 0.0
    for c in range(3):
        here = y[cell == c]
        for g in range(2):
            some = y[(cell == c) & (group == g)]
            T += len(some) * (some.mean() - here.mean()) ** 2 / here.var(ddof=1)
        df += 1
    found = told(y, cell, group, 2)
    assert found.rows == 300 and abs(found.share - (T - df) / 300) < 1e-12
    # rows without a number or a group do not count, nor do groups of less than ten
    y[:50], group[50:100] = np.nan, -1
    assert told(y, cell, group, 2).rows == 200
    assert told(y, cell, np.arange(300) // 5, 60).rows == 0


@pytest.mark.parametrize(("settings", "code", "words"), [
    ({"hidden": 1.0}, "hidden-state", "the unit's last action still explains"),
    ({"drift": 0.6}, "drift", "the time still explains"),
    ({"uneven": True}, "missing-rewards-uneven", 'after "1"'),
])
def test_loud_on_what_tests_find(settings: dict[str, Any], code: str, words: str) -> None:
    for seed in range(3):
        found = check(world(seed, **settings))
        assert words in found[code].text and found[code].level == "problem" and not found.sound
        assert {one.code for one in found.findings} & TESTED == {code}


def dirty_rows(change: Any) -> Any:
    rows = world(1)
    return change(rows) or rows


def dirty(change: Any) -> Any:
    return check(dirty_rows(change))


def test_loud_on_rows_that_are_wrong() -> None:
    found = dirty(lambda rows: {name: values + values[:300] for name, values in rows.items()})
    assert found["duplicates"].count == 300 and found["hidden-state"] is None
    log = lgkt.Log.read({k: v + v[:300] for k, v in world(1).items()}, **NAMES)
    once, before = log.without_copies().coded, lgkt.Log.read(world(1), **NAMES).coded
    for name in "unit", "state", "action", "reward", "next_state", "start", "ended":
        assert np.array_equal(getattr(once, name), getattr(before, name), equal_nan=True)

    def lose(rows: Any) -> Any:
        kept = [i for i, t in enumerate(rows["t"]) if t not in (20, 21) or rows["u"][i] > 9]
        return {name: [values[i] for i in kept] for name, values in rows.items()}

    assert dirty(lose)["gaps"].count == 10 and "1.5" in dirty(lose)["gaps"].text

    def recode(rows: Any) -> None:
        rows["s"] = [f"S{s}" if t > 25 and s == 1 else f"s{s}"
                     for s, t in zip(rows["s"], rows["t"], strict=True)]

    found = dirty(recode)
    assert '"S1" occurs only after 65% of the rows and "s1" only before' in (
        found["coding-changed"].text)
    assert found["spelling"].count == 2

    def later(rows: Any) -> None:  # nothing is gone when it comes
        rows["a"] = [3 if a == 1 and t > 25 and u % 2 else a
                     for a, t, u in zip(rows["a"], rows["t"], rows["u"], strict=True)]

    found = check(dirty_rows(later), probability=None)
    assert found["late-values"].level == "warning" and found["coding-changed"] is None

    def count(rows: Any) -> None:
        rows["s"] = [t // 4 for t in rows["t"]]

    found = check(dirty_rows(count), probability=None)
    assert found["coding-changed"] is found["late-values"] is None

    def sentinel(rows: Any) -> None:
        rows["r"][5:60:9] = [-999.0] * 7

    assert "-999" in dirty(sentinel)["impossible"].text

    def percent(rows: Any) -> None:
        rows["p"] = [0.7 * p for p in rows["p"]]

    assert "was played in" in dirty(percent)["probabilities-wrong"].text

    def constant(rows: Any) -> None:
        rows["r"] = [1.0] * len(rows["r"])

    assert dirty(constant)["constant-reward"].level == "problem"

    def never(rows: Any) -> None:
        rows["a"] = [0 if s == 2 else a for s, a in zip(rows["s"], rows["a"], strict=True)]

    assert dirty(never)["never-tried"].count == 2

    def one(rows: Any) -> None:
        rows["u"], rows["t"] = [1] * len(rows["u"]), list(range(len(rows["t"])))

    assert dirty(one)["one-unit"].level == "problem"
    found = check(world(1), probability=None, time=None)
    assert found["no-probabilities"] and found["no-time"] and found.sound


def test_whole_laws() -> None:
    """Logged laws are compared with what was played, whoever the policy is."""
    rng = np.random.default_rng(3)
    law = rng.dirichlet(np.ones(3), 3000)
    played = (rng.random((3000, 1)) > law.cumsum(1)[:, :-1]).sum(1)
    rows = {"u": [i % 30 for i in range(3000)], "s": ["x"] * 3000, "a": played.tolist(),
            "r": rng.normal(size=3000).tolist(), "p": [str(one.tolist()) for one in law]}
    names = {"unit": "u", "state": "s", "action": "a", "reward": "r", "probabilities": "p"}
    assert lgkt.Log.read(rows, **names).check(False)["probabilities-wrong"] is None
    rows["p"] = [str([0.2, 0.3, 0.5])] * 3000
    found = lgkt.Log.read(rows, **names).check(False)["probabilities-wrong"]
    assert found is not None and "% would be right" in found.text


def records(seed: int, hidden: float = 0, drift: float = 0) -> dict[str, Any]:
    rng = np.random.default_rng((seed, 5))
    x, last = rng.normal(size=(100, 2)), np.zeros(100)
    rows: dict[str, Any] = {name: [] for name in "utxyarp"}
    for t in range(40):
        p = np.where(x[:, 0] > 0, 0.7, 0.3)
        a = rng.random(100) < p
        r = np.where(a, np.sin(x[:, 0]), 0.3 * x[:, 1]) + hidden * last + drift * (t > 20)
        for name, values in zip("utxyarp", (range(100), [t] * 100, *x.T, a * 1, r
                                            + rng.normal(size=100) / 2, np.where(a, p, 1 - p)),
                                strict=True):
            rows[name] += list(values)
        last, x = a, 0.8 * x + 0.6 * rng.normal(size=x.shape)
    return rows


def test_records() -> None:
    wrong = sum(bool({one.code for one in check(records(seed), state=["x", "y"]).findings}
                     & TESTED) for seed in range(20))
    assert wrong <= 2
    assert check(records(1, hidden=0.5), state=["x", "y"])["hidden-state"] is not None
    assert check(records(1, drift=0.5), state=["x", "y"])["drift"] is not None


def test_page_json_and_pictures() -> None:
    found = check(world(1, hidden=1.0, uneven=True))
    page = str(found)
    assert page.splitlines()[0] == ("the log: 2000 rows, 50 units, 50 episodes, a table of 5 "
                                    "states, 3 actions")
    assert page.count("    -> ") == len(found.findings)
    machine = found.to_dict()
    assert machine["rows"] == 2000 and machine["units"] == 50
    assert set(machine["findings"][0]) == {"code", "level", "count", "text", "todo"}
    assert len(found.plot().axes) == 5
