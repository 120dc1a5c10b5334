# SPDX-License-Identifier: MIT
"""Why a learner does what it does, masks, and a horizon that moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lgkt

FIELDS = ("visits", "mean_reward", "value", "lower", "upper", "good", "probability")


def some_model() -> lgkt.Model:
    """Three states, three actions; 2 is forbidden in state 0, 0 and 1 in state 1."""
    rows = np.random.default_rng(1).dirichlet(np.ones(3), size=(3, 3))
    rewards = np.arange(9.0).reshape(3, 3) / 9
    allowed = np.array([[True, True, False], [False, False, True], [True, True, True]])
    return lgkt.Model(rows, rewards, allowed=allowed)


def learned(spec: str, steps: int, **how: Any) -> tuple[lgkt.Learner, int]:
    """A learner after some steps of a world, and the state it is to act in."""
    run = lgkt.Env("riverswim:states=5", seed=1).trajectory(1000)
    learner = lgkt.Learner(spec, 5, 2, 1000, seed=2, **how)
    for _ in range(steps):
        learner.observe(*run.step(learner.act(run.state)))
    return learner, run.state


@pytest.mark.parametrize("allowed", [None, [False, True, True]])
def test_probabilities_are_frequencies(allowed: Any) -> None:
    learner = lgkt.Learner("q-greedy:epsilon=0.3", 4, 3, 1000, seed=5, masked=True)
    state = 0
    for t in range(60):
        action = learner.act(state)
        learner.observe(float(action == state), t % 4)
        state = t % 4
    before, data = learner.hash, learner.save()
    said = learner.explain(state, allowed)["probability"]
    assert learner.hash == before and said.sum() == pytest.approx(1, abs=1e-12)
    n = 4000
    counts = np.zeros(3)
    for i in range(n):
        counts[lgkt.Learner.load(data, reseed=(9, i)).act(state, allowed)] += 1
    # five standard deviations: wrong with probability 2e-6
    assert np.all(np.abs(counts / n - said) <= 5 * np.sqrt(said * (1 - said) / n))


def test_fields_are_those_of_the_learner() -> None:
    learner, state = learned("ucb", 200)
    reasons = learner.explain(state)
    assert reasons.shape == (2,) and reasons.dtype.names == FIELDS
    table, policy = learner.explain_all(), learner.policy()
    assert table.shape == (5, 2) and table["visits"].sum() == 200
    assert np.array_equal(table[state]["upper"], reasons["upper"])
    assert policy.shape == (5, 2) and policy.sum(axis=1) == pytest.approx(np.ones(5))
    action = learner.act(state)
    assert reasons["probability"][action] > 0
    assert np.isnan(learner.explain(state)["probability"]).all()  # there is no choice to make now


def test_an_explanation_that_raises_is_no_harm() -> None:
    asked: list[bool] = []

    def threshold(t: int, state: int, k: int) -> float:
        if asked:
            raise KeyError("why")
        return 0.5

    learner = lgkt.Learner("lg1t", 3, 2, 100, threshold=threshold)
    learner.act(0)
    learner.observe(0.0, 1)
    asked.append(True)
    before = learner.hash
    with pytest.raises(KeyError, match="why"):
        learner.explain_all()
    asked.clear()
    assert learner.hash == before and learner.act(1) in (0, 1)


def test_a_full_mask_is_none() -> None:
    free, masked = (lgkt.Learner("auto", 4, 3, 300, seed=1, masked=m) for m in (False, True))
    mask, state = np.ones(3, np.int8), 0
    for t in range(300):
        action = free.act(state)
        assert masked.act(state, mask) == action
        state, reward = (state + action + t) % 4, float(action == 1)
        free.observe(reward, state)
        masked.observe(reward, state)


def test_step_and_keys_keep_to_masks() -> None:
    learner = lgkt.Learner("auto", 2, 3, 100, masked=True)
    keyed = lgkt.KeyedLearner("auto", 3, 100, masked=True)
    assert learner.act(0, np.array([0, 0, 1], np.uint8)) == 2
    assert keyed.act("a", [False, False, True]) == 2
    for t in range(50):
        mask = np.arange(3) == t % 3
        assert learner.step(1.0, 1, allowed=mask) == keyed.step(1.0, "b", False, mask) == t % 3
    keyed.observe(0.0, "b")
    assert keyed.explain("b", [True, False, False])["probability"].tolist() == [1, 0, 0]


@pytest.mark.parametrize("allowed, kind, text", [
    ([False] * 3, lgkt.InputError, "none of the 3 actions is allowed"),
    ([True], lgkt.InputError, "allowed must have 3 entries, one for each action, not 1"),
    ([[True] * 3], lgkt.InputError, "allowed must have 1 dimension, not 2"),
    ([0, 2], TypeError, "allowed must hold a bool for each action, not int64"),
    ("all", TypeError, "allowed must hold a bool"),
])
def test_bad_masks(allowed: Any, kind: type[Exception], text: str) -> None:
    learner = lgkt.Learner("random", 2, 3, 9, masked=True)
    keyed = lgkt.KeyedLearner("random", 3, 9, masked=True)
    before = learner.hash, keyed.hash
    for call in (learner.act, learner.explain, keyed.act):
        with pytest.raises(kind, match=text):
            call(0, allowed)
    assert (learner.hash, keyed.hash, keyed.states) == (*before, 0)


def test_bad_questions() -> None:
    with pytest.raises(lgkt.InputError, match="masked"):
        lgkt.Learner("random", 2, 3, 9).act(0, [True, True, False])
    with pytest.raises(lgkt.InputError, match="state 2 is out of range"):
        lgkt.Learner("random", 2, 3, 9).explain(2)
    with pytest.raises(lgkt.InputError, match="this key was never seen"):
        lgkt.KeyedLearner("random", 3, 9).explain("x")
    with pytest.raises(TypeError, match="reseed must be a tuple"):
        lgkt.Learner.load(b"", reseed=3)  # type: ignore[arg-type]


# ---- worlds that forbid actions ----


def test_env_says_what_is_allowed() -> None:
    env = lgkt.Env("model", data=some_model())
    assert env.masked and env.allowed(1).tolist() == [False, False, True]  # type: ignore[union-attr]
    free = lgkt.Env("riverswim")
    assert not free.masked and free.allowed(0) is None and free.trajectory(5).allowed is None
    with pytest.raises(lgkt.InputError, match=r"state 3 is out of range \[0, 2\]"):
        env.allowed(3)
    run = env.trajectory(10)
    assert run.state == 0 and run.allowed.tolist() == [True, True, False]  # type: ignore[union-attr]
    with pytest.raises(lgkt.InputError, match="action 2 is forbidden in state 0"):
        run.step(2)
    with pytest.raises(lgkt.InputError, match=r"trajectories\[0\]: action 2 is forbidden"):
        lgkt._core.step_all([run], [2], np.zeros(1, "i8"), np.zeros(1), np.zeros(1, "?"))
    assert run.time == 0


def test_loops_keep_to_masks() -> None:
    model = some_model()
    env, mask = lgkt.Env("model", data=model), np.asarray(model.allowed)
    states, actions, _ = env.trajectory(400).play(env.learner("auto", 400))
    assert mask[states, actions].all() and len(set(zip(states, actions))) == mask.sum()

    class Mine:
        """A learner of Python's that is told the masks."""

        def __init__(self, problem: lgkt.Problem) -> None:
            self.inner = lgkt.Learner("auto", **problem._asdict())

        def act(self, state: int, allowed: Any = None) -> int:
            assert allowed.tolist() == mask[state].tolist()
            return self.inner.act(state, allowed)

        def observe(self, reward: float, next_state: int, ended: bool) -> None:
            self.inner.observe(reward, next_state, ended)

    result = lgkt.run(model, {"mine": Mine, "auto": "auto"}, 200, 2, regret=(1, 0.5))
    assert np.array_equal(result.reward[0], result.reward[1])

    class Deaf:
        def act(self, state: int) -> int:
            return 2

        def observe(self, reward: float, next_state: int, ended: bool) -> None: ...

    with pytest.raises(lgkt.InputError, match="forbidden in state 0"):
        lgkt.run(model, Deaf(), 200, 1)


def test_trace_shows_reasons() -> None:
    model, tape = some_model(), np.random.default_rng(3).random((50, 4))
    rows = lgkt.trace(model, tape, "random", explain=True)
    chosen = rows["reasons"]["probability"][np.arange(50), rows["action"]]
    assert np.array_equal(chosen, 1 / np.asarray(model.allowed).sum(axis=1)[rows["state"]])
    plain = lgkt.trace(model, tape, "random")
    assert all(np.array_equal(plain[name], rows[name]) for name in plain.dtype.names or ())


# ---- the horizon ----


@pytest.mark.parametrize("keyed", [False, True])
def test_horizon_moves(keyed: bool) -> None:
    made: Any = (lgkt.KeyedLearner("auto", 2, 10) if keyed else lgkt.Learner("auto", 3, 2, 10))
    made.act(0)
    for _ in range(9):
        made.step(0.5, 1)
    made.observe(0.5, 1)
    with pytest.raises(lgkt.UseError, match="over"):
        made.act(1)
    made.horizon = 12
    assert made.horizon == 12 and made.act(1) in (0, 1)
    before = made.hash
    with pytest.raises(lgkt.InputError, match="horizon 10 must be at least 11"):
        made.horizon = 10
    with pytest.raises(TypeError, match="whole number"):
        made.horizon = "long"
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del made.horizon
    assert made.hash == before and made.horizon == 12


def test_coins_for_every_step() -> None:
    learner = lgkt.Learner("lg2t", 3, 2, 20, coin=np.full(25, 0.5))
    learner.horizon = 25
    with pytest.raises(lgkt.InputError, match="at least 26 numbers, not 25"):
        learner.horizon = 26
    assert learner.horizon == 25


# ---- coarse views ----


def test_bins() -> None:
    learner = lgkt.KeyedLearner("auto", 2, 1000, bins=[[-0.5, 0.5], [0.0]])
    seen = {}
    learner.act((0.0, 0.0))
    for x in np.random.default_rng(1).normal(size=(200, 2)):
        learner.step(0.0, x)
        seen[learner.find(x)] = (int(np.sum(x[0] >= [-0.5, 0.5])), int(x[1] >= 0))
    assert len(seen) == len(set(seen.values())) == learner.states == 6
    again = lgkt.KeyedLearner.load(learner.save())
    assert again.find([0.5, -1]) == learner.find([0.5, -1]) is not None
    for bad, text in (([0.1], "of 8 bytes"), ([np.nan, 0], "number 0 of the state is NaN")):
        with pytest.raises(lgkt.InputError, match=text):
            learner.observe(0.0, bad)
    with pytest.raises(TypeError, match="a state must hold numbers"):
        learner.observe(0.0, ("a", "b"))


def test_bins_by_quantiles() -> None:
    learner = lgkt.KeyedLearner("random", 2, 1000, bins=[4], warmup=99)
    rows = np.random.default_rng(2).permutation(99).astype(float)
    learner.act([rows[0]])
    for x in rows[1:]:
        assert (learner.states, learner.warmup > 0) == (1, True)
        learner.step(0.0, [x])
    assert learner.warmup == 0
    learner.observe(0.0, [0.0])
    numbers = [learner.find([x]) for x in range(99)]
    assert numbers.count(numbers[0]) == pytest.approx(25, abs=1)
    for bins, warmup, text in (([0], 10, "1 is the least"), ([], 10, "an entry for each"),
                               ([[1, 0]], 10, "bins|edge"), ([50], 10, "warm")):
        with pytest.raises(lgkt.InputError, match=text):
            lgkt.KeyedLearner("random", 2, 1000, bins=bins, warmup=warmup)


def test_a_coarse_world() -> None:
    env = lgkt.Env("cartpole", seed=1)
    assert env.coarse
    mine = lgkt.KeyedLearner("auto", env.actions, 500, bins=[[0], [0], [-0.05, 0, 0.05], [0]])
    states, _, _ = env.trajectory(500).play(mine)
    assert len(set(states)) > 1 and 1 < mine.states <= 32
    with pytest.raises(lgkt.UnsupportedError, match="shows 4 numbers, and the learner"):
        env.trajectory(9).play(lgkt.KeyedLearner("auto", env.actions, 9))
    assert isinstance(env.learner("auto", 9), lgkt.Learner)
