# SPDX-License-Identifier: MIT
"""lgkt.Units: many units, reports that are late, repeated, missing or wrong."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lgkt


def make(spec: str = "auto", **how: Any) -> lgkt.Units:
    known: dict[str, Any] = {"states": 4, "actions": 3, "horizon": 1000, "unit_limit": 10,
                             "seed": 1}
    return lgkt.Units(spec, **(known | how))


@pytest.mark.parametrize("spec", ["auto", "lg2t", "ucrl2", "psrl"])
@pytest.mark.parametrize("keyed", [False, True])
def test_one_prompt_unit_is_the_plain_learner(spec: str, keyed: bool) -> None:
    key: Callable[[int], Any] = (lambda s: ("room", s)) if keyed else int
    units = make(spec, states=None if keyed else 4)
    plain: Any = (lgkt.KeyedLearner(spec, 3, 1000, seed=1) if keyed
                  else lgkt.Learner(spec, 4, 3, 1000, seed=1))
    noise, state, reported = np.random.default_rng(1), 0, False
    for t in range(300):
        action = plain.act(key(state))
        assert units.act(7, None if reported else key(state)) == (t, action)
        reward, state = noise.normal() + action, int(noise.integers(4))
        cut = t % 50 == 49
        plain.observe(reward, key(state), cut)
        units.next(t, key(state), cut)
        units.reward(t, reward)
        reported = not cut
    assert (units.decisions, units.open, units.count, units.states) == (300, 0, 1, 4)


def test_reports_in_any_order() -> None:
    units = make()
    first, _ = units.act(7, 0)
    other, _ = units.act(2**64 - 1, state=3)
    units.next(first, 2)
    second, _ = units.act(7)  # the reward of the first is still to come
    assert (first, other, second, units.open, units.count) == (0, 1, 2, 3, 2)
    units.reward(first, 0.5)
    before = units.hash
    units.reward(first, 0.5)  # the same again
    units.next(first, 2)
    for bad, kind, text in (
        (lambda: units.reward(first, 0.6), lgkt.UseError, "reward of decision 0 is 0.5 already"),
        (lambda: units.next(first, 3), lgkt.UseError, "next state of decision 0 is 2 already"),
        (lambda: units.reward(99, 1.0), lgkt.InputError, "decision 99 was never made"),
        (lambda: units.reward(-1, 1.0), lgkt.InputError, "decision -1 was never made"),
        (lambda: units.act(7), lgkt.UseError, "unit 7 acts without a state"),
        (lambda: units.act(8), lgkt.UseError, "unit 8 is new and acts without a state"),
        (lambda: units.act(8, 4), lgkt.InputError, r"out of range \[0, 3\]"),
        (lambda: units.act(8, -1), lgkt.InputError, "state: -1 is out of range"),
        (lambda: units.act(-1, 0), lgkt.InputError, "unit: -1 is far out of range"),
        (lambda: units.next(second, None), TypeError, "next_state must be a whole number"),
        (lambda: units.leave(5), lgkt.InputError, "unit 5 is not there"),
        (lambda: units.set_horizon(2), lgkt.InputError, "horizon 2 must be at least 3"),
        (lambda: units.reward(second, float("nan")), lgkt.InputError, "reward of decision 2"),
    ):
        with pytest.raises(kind, match=text):
            bad()
    assert units.hash == before
    units.leave(7)
    units.reward(second, 1.0)
    units.next(second, 1, ended=True)
    assert (units.open, units.count) == (1, 1)


@pytest.mark.parametrize("missing", [None, 0.25])
def test_rewards_that_never_come(missing: float | None) -> None:
    units = make("ucb", patience=3, missing=missing)
    for t in range(5):
        units.act(t, 0)
    with pytest.raises(lgkt.UseError, match="decision 0"):
        units.reward(0, 1.0)
    assert units.expired == 2 and units.open == 3
    reasons = units.explain(0, 0)
    assert np.nansum(reasons["visits"]) == (0 if missing is None else 2)
    if missing is not None:
        assert np.nanmax(reasons["mean_reward"]) == missing


def test_save_and_load() -> None:
    units = make("lg2t", unit_horizon=50)
    noise = np.random.default_rng(2)
    for t in range(200):
        unit = int(noise.integers(5))
        units.act(unit, int(noise.integers(4)))
        units.next(t, 0, True)
        if t % 3:
            units.reward(t, noise.normal())
    again, other = lgkt.Units.load(units.save()), pickle.loads(pickle.dumps(units))
    assert again.hash == other.hash == units.hash and again.open == units.open > 0
    reseeded = lgkt.Units.load(units.save(), reseed=(9, 0))
    assert reseeded.hash != units.hash and reseeded.decisions == 200
    for t in range(200, 230):
        assert units.act(t % 5, t % 4) == again.act(t % 5, t % 4) == other.act(t % 5, t % 4)
        for each in (units, again, other):
            each.reward(t, 0.5)
            each.next(t, 1, True)
    with pytest.raises(lgkt.InputError):
        lgkt.Units.load(units.save()[:-1])


def test_horizons() -> None:
    units = make("auto", horizon=6, unit_horizon=2)
    for t in range(2):
        units.act(1, 0)
        units.next(t, 0, True)
    with pytest.raises(lgkt.UseError, match="unit 1"):
        units.act(1, 0)
    units.set_horizon(6, 3)
    units.act(1, 0)
    units.horizon = 4
    units.act(2, 0)
    with pytest.raises(lgkt.UseError, match="all 4 decisions"):
        units.act(3, 0)
    assert units.horizon == 4 and units.decisions == 4


def test_masks_and_reasons() -> None:
    units = make("auto", masked=True)
    assert units.act(1, 0, [False, False, True])[1] == 2
    said = units.explain(2, 0, [True, False, False])["probability"]
    assert said.tolist() == [1, 0, 0]
    assert units.explain_all().shape == units.policy().shape == (4, 3)
    assert "Units auto" in repr(units) and units.nbytes > 0 and units.time == 1


def test_views_and_keys() -> None:
    units = make("lg1t", states=None, bins=[[0.0]], state_limit=5)
    units.act(1, [-1.0])
    units.act(2, [3.0])
    units.next(0, [5.0])
    assert units.states == 2 and units.explain(1, [9.0]).shape == (3,)
    keyed = make("lg1t", states=None)
    keyed.act(1, "hall")
    with pytest.raises(TypeError, match="next_state must not be None"):
        keyed.next(0, None)
    with pytest.raises(lgkt.InputError, match="this key was never seen"):
        keyed.explain(1, "garden")


def test_refused_by_name() -> None:
    with pytest.raises(lgkt.UnsupportedError, match="mdp-oomd"):
        make("mdp-oomd")
    with pytest.raises(lgkt.InputError, match="unit_limit|units"):
        make(unit_limit=0)
    with pytest.raises(TypeError, match="Learner"):
        lgkt.Env("riverswim").trajectory(9).play(make())  # type: ignore[arg-type]


@pytest.mark.parametrize("keyed", [False, True])
def test_settle_explain_act_says_the_law(keyed: bool) -> None:
    """Reports are late or missing, and yet what is played was never said to be impossible."""
    key: Callable[[int], Any] = (lambda s: ("room", s)) if keyed else int
    units = make("q-learning", states=None if keyed else 4, patience=5, missing=0.25)
    plain = make("q-learning", states=None if keyed else 4, patience=5, missing=0.25)
    noise = np.random.default_rng(3)
    for t in range(300):
        unit, state = int(noise.integers(3)), key(int(noise.integers(4)))
        units.settle(unit, state)
        before = units.hash
        units.settle(unit, state)
        law = units.explain(unit, state)["probability"]
        assert units.hash == before
        decision, action = units.act(unit, state)
        assert (decision, action) == plain.act(unit, state)
        assert law[action] > 0 and abs(law.sum() - 1) < 1e-12
        if t > 2 and noise.random() < 0.8:
            units.reward(decision - 2, action / 2)
            plain.reward(decision - 2, action / 2)
        assert units.hash == plain.hash
    assert units.expired > 20


@pytest.mark.parametrize("keyed", [False, True])
def test_what_others_chose(keyed: bool) -> None:
    key: Callable[[int], Any] = (lambda s: ("room", s)) if keyed else int
    units = make("ucb", states=None if keyed else 4, masked=True)
    assert units.take(5, 2, key(1)) == 0
    assert units.take(5, action=0, state=key(2), allowed=[True, False, False]) == 1
    units.reward(0, 0.5)
    assert (units.decisions, units.open) == (2, 1)
    units.feed(6, key(1), 0, 0.5, key(2))
    units.feed([6, 7], [key(2), key(3)], [1, 1], np.array([0.5, 1.0]), [key(0), key(3)],
               [False, True])
    assert (units.decisions, units.count) == (2, 3)
    _, action = units.act(6)  # where the row led to
    assert 0 <= action < 3
    assert units.explain(7, key(3))["visits"].tolist() == [0, 1, 0]
    before = units.hash
    for bad, kind, text in (
        (lambda: units.take(5, 3, key(0)), lgkt.InputError, "action 3 is out of range"),
        (lambda: units.take(5, 1, key(0), [True, False, True]), lgkt.InputError, "is allowed"),
        (lambda: units.feed(5, key(0), 1, np.nan, key(1)), lgkt.InputError, "reward"),
        (lambda: units.feed([5, 5], [key(0)] * 2, [0, 9], [1, 1], [key(1)] * 2), lgkt.InputError,
         "row 1: action 9 is out of range"),
        (lambda: units.feed([5, 5], [key(0)], [0, 1], [1, 1], [key(1)] * 2), lgkt.InputError,
         "differ in length"),
        (lambda: units.feed([5, 5], [key(0)] * 2, [0, "x"], [1, 1], [key(1)] * 2), TypeError,
         "row 1: action"),
    ):
        with pytest.raises(kind, match=text):
            bad()
        assert units.hash == before
    with pytest.raises(lgkt.Error, match="another one chose"):
        make("sarsa").take(1, 0, 0)


def test_limits_are_raised() -> None:
    units = make("ucb", unit_limit=1, patience=1)
    units.act(1, 0)
    with pytest.raises(lgkt.Error, match="one too many"):
        units.act(2, 0)
    units = lgkt.Units.load(units.save())
    units.raise_limits(unit_limit=2, patience=5)
    units.act(2, 0)
    units.reward(0, 1.0)
    with pytest.raises(lgkt.InputError, match="only be raised"):
        units.raise_limits(unit_limit=1)
