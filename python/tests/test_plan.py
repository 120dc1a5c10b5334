# SPDX-License-Identifier: MIT
"""lgkt.plan against naive recursions, all policies of tiny models, and the command."""

from __future__ import annotations

import copy
import doctest
import gc
import itertools
import json
import math
import pickle
import subprocess
import threading
import weakref
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import COMMAND, needs_command
from numpy.typing import NDArray

import lgkt
from lgkt import plan

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SIZES = [(1, 1), (1, 3), (2, 2), (3, 2), (5, 3), (8, 4)]


def arrays(states: int, actions: int, seed: int = 0) -> tuple[Floats, Floats, Floats]:
    """P, R and a start law; some moves cannot happen, some rewards are negative."""
    rng = np.random.default_rng([seed, states, actions])
    shape = states, actions, states
    p = rng.exponential(size=shape) * (rng.random(shape) < 0.7)
    p[..., 0] += 0.05
    p /= p.sum(axis=2, keepdims=True)
    return p, rng.normal(size=(states, actions)), rng.dirichlet(np.ones(states))


def make(p: Floats, r: Floats, start: Floats) -> lgkt.Model:
    return lgkt.Model(p, r, start=start)


# ---- naive versions ----


def q_tables(p: Floats, r: Floats, depth: int) -> list[Floats]:
    """Q_1 .. Q_depth."""
    tables: list[Floats] = []
    v = np.zeros(len(r))
    for _ in range(depth):
        tables.append(r + p @ v)
        v = tables[-1].max(axis=1)
    return tables


def greedy_sets(q: Floats, high: bool = False) -> Bools:
    chosen = np.zeros(q.shape, dtype=bool)
    for s, row in enumerate(q):
        best = [a for a, x in enumerate(row) if x >= row.max() - 1e-12 * max(1, abs(row.max()))]
        chosen[s, best[-1 if high else 0]] = True
    return chosen


def threshold_sets(q: Floats, gamma: Floats) -> Bools:
    good = q >= gamma[:, None] - 1e-12 * np.maximum(1, abs(q))
    some = good.any(axis=1, keepdims=True)
    return np.where(some, good, greedy_sets(q))


class Naive:
    """A policy as its sets (T, S, A) by time, evaluated by plain recursions."""

    def __init__(self, p: Floats, r: Floats, sets: Bools) -> None:
        self.sets, self.horizon = sets, len(sets)
        self.weights = sets / sets.sum(axis=2, keepdims=True)
        self.kernels = np.einsum("tsa,say->tsy", self.weights, p)
        self.p, self.r = p, r

    def value(self, payoff: Floats | None = None) -> Floats:
        v = np.zeros(len(self.r))
        for t in reversed(range(self.horizon)):
            c = self.r if payoff is None else payoff[t]
            v = (self.weights[t] * c).sum(axis=1) + self.kernels[t] @ v
        return v

    def laws(self, start: Floats) -> Floats:
        rows = [start]
        for t in range(self.horizon - 1):
            rows.append(rows[-1] @ self.kernels[t])
        return np.array(rows)

    def steps(self, start: Floats, payoff: Floats | None = None) -> Floats:
        c = np.broadcast_to(self.r, self.sets.shape) if payoff is None else payoff
        steps: Floats = np.einsum("ts,tsa,tsa->t", self.laws(start), self.weights, c)
        return steps


def naive_costs(p: Floats, r: Floats, k: int, gamma: Floats) -> Floats:
    """(T, S, A) for thresholds (T, S)."""
    q = q_tables(p, r, k)
    horizon = len(gamma)
    return np.array([
        np.maximum(0, gamma[t][:, None] - q[min(horizon - t, k) - 1]) for t in range(horizon)
    ])


def pairs(
    p: Floats, r: Floats, start: Floats, horizon: int, seed: int
) -> list[tuple[plan.Policy, Naive]]:
    """Policies of all kinds with their naive versions."""
    model = make(p, r, start)
    rng = np.random.default_rng(seed)
    states, actions = r.shape
    q = q_tables(p, r, horizon)
    best = np.array([greedy_sets(q[horizon - t - 1]) for t in range(horizon)])
    made = [(plan.optimal(model, horizon), Naive(p, r, best))]
    for k in 1, 2, horizon + 5:
        depth = [min(horizon - t, k) - 1 for t in range(horizon)]
        made.append((plan.greedy(model, k, horizon), Naive(p, r, np.array([
            greedy_sets(q[d]) for d in depth]))))
        middle = float(np.median(q[min(k, horizon) - 1]))
        by_state = rng.normal(size=states) + middle
        table = rng.normal(size=(3, states)) + middle
        for given, gamma in (
            (middle, np.full((horizon, states), middle)),
            (by_state, np.tile(by_state, (horizon, 1))),
            (table, table[np.minimum(np.arange(horizon), 2)]),
            (
                lambda t, s, k: 0.1 * t + s - 0.2 * k,
                np.array([[0.1 * t + s - 0.2 * (d + 1) for s in range(states)]
                          for t, d in enumerate(depth)]),
            ),
        ):
            sets = np.array([threshold_sets(q[d], gamma[t]) for t, d in enumerate(depth)])
            made.append((plan.thresholding(model, k, horizon, given), Naive(p, r, sets)))
    made.append((plan.uniform(model, horizon), Naive(p, r, np.ones((horizon, *r.shape), bool))))
    rule = rng.integers(actions, size=states)
    sets = np.tile(np.eye(actions, dtype=bool)[rule], (horizon, 1, 1))
    made.append((plan.fixed(model, horizon, rule), Naive(p, r, sets)))
    return made


# ---- the library against them ----


@pytest.mark.parametrize("size", SIZES)
def test_lookahead(size: tuple[int, int]) -> None:
    p, r, start = arrays(*size)
    model = make(p, r, start)
    for k, want in enumerate(q_tables(p, r, 60), start=1):
        got = plan.lookahead(model, k)
        assert got.shape == size and got.dtype == np.float64
        assert np.allclose(got, want, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("horizon", [1, 2, 7])
def test_policies(size: tuple[int, int], horizon: int) -> None:
    p, r, start = arrays(*size, seed=horizon)
    optimum = start @ q_tables(p, r, horizon)[-1].max(axis=1)
    for policy, naive in pairs(p, r, start, horizon, seed=3):
        table = policy.table()
        assert table.dtype == np.bool_ and np.array_equal(table, naive.sets), policy
        for t in range(horizon):
            assert np.array_equal(policy.actions(horizon - t), table[t])
            assert np.array_equal(policy.action(horizon - t), table[t].argmax(axis=1))
        assert np.allclose(policy.value(), naive.value(), atol=1e-11)
        assert policy.ratio() == pytest.approx(start @ naive.value() / optimum, abs=1e-9)
        assert np.allclose(policy.laws(), naive.laws(start), atol=1e-12)
        assert np.allclose(policy.rewards(), naive.steps(start), atol=1e-11)
        assert policy.horizon == horizon and policy.model.hash == make(p, r, start).hash


@pytest.mark.parametrize("size", SIZES)
def test_costs(size: tuple[int, int]) -> None:
    p, r, start = arrays(*size, seed=11)
    model, horizon, k = make(p, r, start), 9, 3
    rng = np.random.default_rng(4)
    law = rng.dirichlet(np.ones(size[0]))
    table = rng.normal(size=(4, size[0])) + 1
    for given, gamma in (
        (0.8, np.full((horizon, size[0]), 0.8)),
        (table, table[np.minimum(np.arange(horizon), 3)]),
        (lambda t, s, k: 0.3 * t - s, np.array([[0.3 * t - s for s in range(size[0])]
                                                for t in range(horizon)])),
    ):
        want = naive_costs(p, r, k, gamma)
        states, actions = rng.integers(size[0], size=horizon), rng.integers(size[1], size=horizon)
        got = plan.cost(model, k, given, states, actions)
        assert np.allclose(got, want[np.arange(horizon), states, actions], atol=1e-11)
        # the first steps of a longer run
        part = plan.cost(model, k, given, states[:4], actions[:4], horizon)
        assert np.array_equal(part, got[:4])
        for policy, naive in pairs(p, r, start, horizon, seed=5):
            steps = policy.costs(k, given, law)
            assert np.allclose(steps, naive.steps(law, want), atol=1e-11)
            assert policy.cost(k, given, law) == pytest.approx(law @ naive.value(want), abs=1e-10)
            assert policy.cost(k, given) == pytest.approx(start @ naive.value(want), abs=1e-10)
            assert policy.cost(k, given, 0) == pytest.approx(naive.value(want)[0], abs=1e-10)


@pytest.mark.parametrize("size", [(3, 2), (6, 3)])
def test_regret(size: tuple[int, int]) -> None:
    p, r, start = arrays(*size, seed=2)
    model, horizon, k, gamma = make(p, r, start), 12, 2, 0.7
    rng = np.random.default_rng(9)
    states, actions = rng.integers(size[0], size=horizon), rng.integers(size[1], size=horizon)
    s0 = states[0]
    first = np.eye(size[0])[s0]
    q = q_tables(p, r, horizon)
    best = Naive(p, r, np.array([greedy_sets(q[horizon - t - 1]) for t in range(horizon)]))
    earned = r[states, actions]

    got = plan.regret(model, states, actions)
    assert isinstance(got, float)
    assert got == pytest.approx(q[-1][s0].max() - earned.sum(), abs=1e-10)
    curve = plan.regret(model, states, actions, cumulative=True)
    assert np.allclose(curve, np.cumsum(best.steps(first) - earned), atol=1e-10)
    assert curve[-1] == pytest.approx(got, abs=1e-10)
    part = plan.regret(model, states[:5], actions[:5], horizon, cumulative=True)
    assert np.allclose(part, curve[:5])
    assert plan.regret(model, states[:5], actions[:5], horizon) == pytest.approx(curve[4])

    levels = np.full((horizon, size[0]), gamma)
    costs = naive_costs(p, r, k, levels)
    rival = Naive(p, r, np.array([
        threshold_sets(q[min(horizon - t, k) - 1], levels[t]) for t in range(horizon)]))
    spent = costs[np.arange(horizon), states, actions]
    got = plan.regret(model, states, actions, k=k, threshold=gamma)
    assert got == pytest.approx(spent.sum() - rival.value(costs)[s0], abs=1e-10)
    curve = plan.regret(model, states, actions, k=k, threshold=gamma, cumulative=True)
    assert np.allclose(curve, np.cumsum(spent - rival.steps(first, costs)), atol=1e-10)
    assert plan.regret(model, states, actions, k=k, threshold=lambda t, s, k: gamma,
                       cumulative=True) == pytest.approx(curve)
    assert plan.regret(model, [], []) == 0.0
    assert plan.regret(model, [], [], cumulative=True).shape == (0,)


@pytest.mark.parametrize("size", [(2, 2), (3, 2)])
def test_optimum_over_all_policies(size: tuple[int, int]) -> None:
    p, r, start = arrays(*size, seed=6)
    model, horizon = make(p, r, start), 3
    rules = list(itertools.product(range(size[1]), repeat=size[0]))
    values = []
    for choice in itertools.product(rules, repeat=horizon):
        v = np.zeros(size[0])
        for rule in choice:
            v = np.array([r[s, a] + p[s, a] @ v for s, a in enumerate(rule)])
        values.append(v)
    assert plan.optimal(model, horizon).value() == pytest.approx(np.max(values, axis=0), abs=1e-12)
    # gain: the best stationary rule, by its stationary law
    gains = []
    for rule in rules:
        kernel = np.array([p[s, a] for s, a in enumerate(rule)])
        law = np.linalg.lstsq(
            np.vstack([kernel.T - np.eye(size[0]), np.ones(size[0])]),
            np.r_[np.zeros(size[0]), 1.0], rcond=None)[0]
        gains.append(law @ [r[s, a] for s, a in enumerate(rule)])
        assert plan.fixed(model, 5, rule).gain()[0] == pytest.approx(gains[-1], abs=1e-11)
    gain, bias = plan.gain(model)
    assert gain == pytest.approx(max(gains), abs=1e-11)
    assert np.allclose(gain + bias, (r + p @ bias).max(axis=1), atol=1e-10) and bias.min() == 0.0


def test_ties() -> None:
    p = np.tile(np.full((2, 3, 2), 0.5), (1, 1, 1))
    model = make(p, np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0]]), np.array([1.0, 0.0]))
    for make_policy in plan.optimal, lambda m, h, ties="low": plan.greedy(m, 1, h, ties):
        assert make_policy(model, 4).action(4).tolist() == [0, 1]
        assert make_policy(model, 4, "high").action(4).tolist() == [1, 2]


@pytest.mark.parametrize("size", [(2, 2), (5, 3)])
def test_gap(size: tuple[int, int]) -> None:
    p, r, start = arrays(*size, seed=8)
    horizon = 10
    q = q_tables(p, r, horizon)
    for k in 1, 2, 4:
        for policy, naive in pairs(p, r, start, horizon, seed=1):
            bound = distance = 0.0
            for h in range(k + 1, horizon + 1):
                best = p[np.arange(size[0]), greedy_sets(q[h - 1]).argmax(axis=1)]
                apart = abs(naive.kernels[horizon - h] - best).sum(axis=1).max()
                distance += apart
                bound += apart * q[h - 2].max()
            assert policy.gap_distance(k) == pytest.approx(distance, abs=1e-10)
            assert policy.gap_bound(k) == pytest.approx(bound, abs=1e-10)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_gaps(k: int) -> None:
    model, horizon = make(*arrays(4, 3)), 7
    q = plan.lookahead(model, k)
    table = np.linspace(q.min(), q.max(), horizon * 4).reshape(horizon, 4)
    distance = q[None] - table[:, :, None]
    expected = (distance.max(axis=2).min(), distance[distance >= 0].min(),
                -distance[distance < 0].max())
    assert plan.gaps(model, k, table, horizon) == pytest.approx(expected, abs=1e-12)
    by_call = plan.gaps(model, k, lambda t, s, depth: float(table[t, s]), horizon)
    assert by_call == pytest.approx(expected, abs=1e-12)
    assert plan.gaps(model, k, q.min() - 1)[::2] == (
        pytest.approx(q.max(axis=1).min() - q.min() + 1), np.inf)


def test_two_state_dominance() -> None:
    p = np.array([[[0.5, 0.5], [0.9, 0.1]], [[0.3, 0.7], [0.8, 0.2]]])
    assert plan.two_state_dominance(lgkt.Model(p, [[1, 0], [2, 0]])) == (True, "")
    holds, why = plan.two_state_dominance(lgkt.Model(p, [[0, 1], [2, 0]]))
    assert not holds and why.startswith("in state 0 action 1 has the highest reward")
    holds, why = plan.two_state_dominance(make(*arrays(3, 2)))
    assert (holds, why) == (False, "the model has 3 states, not 2")


def test_laws() -> None:
    p, r, start = arrays(5, 3)
    policy = plan.uniform(make(p, r, start), 50)
    whole = policy.laws(2)
    assert whole.shape == (50, 5) and whole[0].tolist() == [0, 0, 1, 0, 0]
    assert np.array_equal(policy.laws(2, [0, 3, 3, 49]), whole[[0, 3, 3, 49]])
    assert np.array_equal(policy.laws(np.int64(2), np.array([7])), whole[[7]])
    assert np.array_equal(policy.laws([0, 0, 1, 0, 0]), whole)
    assert policy.laws(times=[]).shape == (0, 5)
    assert np.allclose(whole.sum(axis=1), 1)


def test_long_horizons() -> None:
    model = make(*arrays(4, 2))
    gain, bias = plan.gain(model)
    best = plan.optimal(model, 10**9)
    assert best.value() / 1e9 == pytest.approx(np.full(4, gain), rel=1e-8)
    threshold = plan.thresholding(model, 2, 10**9, 0.5)
    assert threshold.value()[0] / 1e9 == pytest.approx(threshold.gain()[0], rel=1e-8)
    with pytest.raises(lgkt.InputError, match="more than 268435456 entries"):
        best.table()
    with pytest.raises(lgkt.InputError, match="more than 268435456 entries"):
        best.laws()
    assert best.laws(times=[1000]).shape == (1, 4)


# ---- the command ----


def check_plan(model: lgkt.Model, horizon: int, arguments: list[str]) -> None:
    done = subprocess.run(
        [COMMAND, "plan", *arguments, "--horizon", str(horizon), "--k", "1,2,5",
         "--threshold", "0.4", "--json"], check=True, capture_output=True, text=True)
    want = json.loads(done.stdout)
    assert int(want["model"]["hash"], 16) == model.hash

    def start(policy: plan.Policy) -> float:
        # in the order of the command
        total = 0.0
        for mass, value in zip(model.start_law, policy.value(), strict=True):
            total += mass * value
        return total

    best = plan.optimal(model, horizon)
    assert start(best) == want["optimal"]["value"]
    assert best.action(horizon).tolist() == want["first_actions"]
    assert plan.gain(model)[0] == want["optimal"]["gain"]
    assert start(plan.uniform(model, horizon)) == want["uniform"]["value"]
    for row in want["greedy"]:
        assert start(plan.greedy(model, row["k"], horizon)) == row["value"]
    for row in want["threshold"]:
        policy = plan.thresholding(model, row["k"], horizon, row["gamma"])
        assert start(policy) == row["value"]
        assert policy.cost(row["k"], row["gamma"]) == row["cost"]


@needs_command
@pytest.mark.parametrize("horizon", [1, 100, 20000])
def test_plan_of_the_command_on_files(horizon: int, tmp_path: Path) -> None:
    for seed, size in enumerate([(2, 2), (5, 3)]):
        p, r, start = arrays(*size, seed=seed)
        model = make(p, r, start)
        path = tmp_path / f"{seed}.json"
        path.write_text(json.dumps({
            "states": size[0], "actions": size[1], "start": start.tolist(),
            "noise": {"kind": "none"}, "rewards": r.tolist(), "transitions": p.tolist()}))
        check_plan(model, horizon, ["--mdp", str(path)])


@needs_command
@pytest.mark.parametrize("spec", ["riverswim:states=8", "synthetic", "garnet", "taxi", "inventory"])
def test_plan_of_the_command_on_environments(spec: str) -> None:
    model = lgkt.Env(spec, seed=3, instance=1).model
    assert model is not None
    check_plan(model, 1000, ["--env", spec, "--seed", "3", "--instance", "1"])


# ---- the object ----


def test_policy_is_read_by_many_threads() -> None:
    policy = plan.thresholding(make(*arrays(8, 4)), 3, 200, 0.5)
    want, seen = policy.value().tolist(), []

    def read() -> None:
        for _ in range(50):
            seen.append(policy.value().tolist() == want and policy.laws().shape == (200, 8))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 200 and all(seen)


def test_the_interpreter_is_free_while_planning() -> None:
    # two states that swap: it never settles, so every one of the steps is made
    model = lgkt.Model([[[0, 1.0], [0, 1.0]], [[1.0, 0], [1.0, 0]]], [[0, 0.1], [1, 0.5]])
    policy, ticks, done = plan.uniform(model, 3_000_000), 0, threading.Event()

    def work() -> None:
        policy.value()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks >= 3


def test_thresholds_are_copied() -> None:
    p, r, start = arrays(3, 2)
    table = np.zeros((2, 3))
    policy = plan.thresholding(make(p, r, start), 1, 5, table)
    rule = np.zeros(3, dtype=np.int64)
    other = plan.fixed(make(p, r, start), 5, rule)
    before = policy.table(), other.table()
    table[:] = 9.0
    rule[:] = 1
    assert np.array_equal(policy.table(), before[0]) and np.array_equal(other.table(), before[1])
    again = pickle.loads(pickle.dumps(policy))
    assert np.array_equal(again.table(), before[0])


@pytest.mark.parametrize("number", [
    np.float32(0.5), np.float64(0.5), np.array(0.5), np.array(0.5, dtype=np.float32),
    Fraction(1, 2), np.int64(1), np.array(1), True])
def test_a_threshold_may_be_any_number(number: Any) -> None:
    model = make(*arrays(3, 2))
    want = plan.thresholding(model, 2, 6, float(number))
    policy = plan.thresholding(model, 2, 6, number)
    random = plan.uniform(model, 6)
    assert random.cost(2, number) == random.cost(2, float(number)) > 0
    if isinstance(number, np.ndarray):
        number[()] = 9  # it was read
    again = pickle.loads(pickle.dumps(policy))
    assert np.array_equal(again.table(), want.table())
    assert np.array_equal(policy.value(), want.value())


def test_pickle_and_copy() -> None:
    p, r, start = arrays(4, 3)
    for policy, naive in pairs(p, r, start, 6, seed=2):
        again = copy.deepcopy(policy)
        assert again.kind == policy.kind and np.array_equal(again.table(), naive.sets)
        if "lambda" in repr(policy.__reduce__()):
            continue  # pickle cannot
        again = pickle.loads(pickle.dumps(policy))
        assert np.array_equal(again.table(), naive.sets) and again.horizon == 6
    assert repr(plan.uniform(make(p, r, start), 6)) == (
        "<lgkt.plan.Policy uniform states=4 actions=3 horizon=6>")


def test_callables_that_fail() -> None:
    model = make(*arrays(3, 2))
    broken = True

    def gamma(t: int, state: int, k: int) -> float:
        if broken and t == 3:
            raise LookupError("no threshold")
        return 0.2

    policy = plan.thresholding(model, 2, 6, gamma)
    policy.actions(6)
    for call in policy.value, policy.table, policy.laws, policy.ratio, policy.rewards:
        with pytest.raises(LookupError, match="no threshold"):
            call()
    with pytest.raises(LookupError):
        plan.uniform(model, 6).cost(2, gamma)
    with pytest.raises(LookupError):
        plan.cost(model, 2, gamma, [0] * 6, [0] * 6)
    broken = False  # a policy has no state that a failure could have spoiled
    assert np.array_equal(policy.value(), plan.thresholding(model, 2, 6, 0.2).value())
    with pytest.raises(TypeError, match="must be a number"):
        plan.thresholding(model, 2, 6, lambda t, s, k: WORD).value()


def test_callables_that_call_back() -> None:
    held: list[plan.Policy] = []
    policy = plan.thresholding(
        make(*arrays(3, 2)), 2, 6, lambda t, s, k: float(held[0].value()[0]))
    held.append(policy)
    with pytest.raises(RuntimeError, match="in use"):
        policy.value()


def test_cycles_are_collected() -> None:
    class Gamma:
        policy: plan.Policy | None = None

        def __call__(self, t: int, state: int, k: int) -> float:
            return 0.0

    gamma = Gamma()
    gamma.policy = plan.thresholding(make(*arrays(3, 2)), 2, 6, gamma)
    gone = weakref.ref(gamma)
    del gamma
    gc.collect()
    assert gone() is None


# ---- bad input ----

# what no type checker would let pass
NOTHING: Any = None
OTHER: Any = lgkt.Env("riverswim")
HALF: Any = 0.5
WORD: Any = "m"
BAD: list[tuple[Callable[[Any], object], type[Exception], str]] = [
    (lambda m: plan.lookahead(m, 0), lgkt.InputError, "k is 0; it must be >= 1"),
    (lambda m: plan.lookahead(m, -(10**30)), lgkt.InputError, "far out of range"),
    (lambda m: plan.lookahead(m, HALF), TypeError, "k must be a whole number"),
    (lambda m: plan.lookahead(NOTHING, 1), TypeError, "must be a Model"),
    (lambda m: plan.lookahead(WORD, 1), TypeError, "must be a Model"),
    (lambda m: plan.optimal(m, 0), lgkt.InputError, "horizon is 0; it must be >= 1"),
    (lambda m: plan.optimal(m, 5, WORD), lgkt.InputError, "ties must be"),
    (lambda m: plan.greedy(m, 0, 5), lgkt.InputError, "k is 0"),
    (lambda m: plan.Policy("best", m, 5), lgkt.InputError, "kind must be"),
    (lambda m: plan.thresholding(m, 1, 5, NOTHING), TypeError, "threshold must be"),
    (lambda m: plan.thresholding(m, 1, 5, [1.0]), lgkt.InputError, "threshold must be"),
    (lambda m: plan.thresholding(m, 1, 5, np.array(None)), TypeError, "threshold must be a number"),
    (lambda m: plan.thresholding(m, 1, 5, np.zeros((0, 3))), lgkt.InputError, "threshold must be"),
    (lambda m: plan.fixed(m, 5, [0, 1]), lgkt.InputError, "actions has 2 numbers for 3 states"),
    (lambda m: plan.fixed(m, 5, [0, 1, 2]), lgkt.InputError, "action 2 in state 2"),
    (lambda m: plan.fixed(m, 5, [0, -1, 1]), lgkt.InputError, "action -1 in state 1"),
    (lambda m: plan.fixed(m, 5, [0.0, 1.0, 1.0]), TypeError, "whole numbers"),
    (lambda m: plan.fixed(m, 5, NOTHING), lgkt.InputError, "actions"),
    (lambda m: plan.gain(OTHER), TypeError, "model must be a Model$"),
    (lambda m: plan.gain(m, 0.0), lgkt.InputError, "tolerance 0"),
    (lambda m: plan.gain(m, math.nan), lgkt.InputError, "tolerance nan"),
    (lambda m: plan.uniform(m, 5).actions(0), lgkt.InputError, "h is 0; allowed are 1 to 5"),
    (lambda m: plan.uniform(m, 5).action(6), lgkt.InputError, "h is 6; allowed are 1 to 5"),
    (lambda m: plan.uniform(m, 5).action(HALF), TypeError, "h must be a whole number"),
    (lambda m: plan.uniform(m, 5).gap_bound(0), lgkt.InputError, "k is 0"),
    (lambda m: plan.uniform(m, 5).gain(-1), lgkt.InputError, "tolerance -1"),
    (lambda m: plan.uniform(m, 5).laws(3), lgkt.InputError, "start is 3; allowed are 0 to 2"),
    (lambda m: plan.uniform(m, 5).laws(HALF), TypeError, "start must be a whole number"),
    (lambda m: plan.uniform(m, 5).laws([1.0]), lgkt.InputError, "start has 1 numbers for 3"),
    (lambda m: plan.uniform(m, 5).laws([1, 1, 0]), lgkt.InputError, "sums to 2"),
    (lambda m: plan.uniform(m, 5).laws([1, math.nan, 0]), lgkt.InputError, "probability nan"),
    (lambda m: plan.uniform(m, 5).laws([2, -1, 0]), lgkt.InputError, "negative probability"),
    (lambda m: plan.uniform(m, 5).laws(0, [5]), lgkt.InputError, r"times\[0\] is 5"),
    (lambda m: plan.uniform(m, 5).laws(0, [2, 1]), lgkt.InputError, r"times\[1\] is 1"),
    (lambda m: plan.uniform(m, 5).laws(0, [-1]), lgkt.InputError, r"times\[0\] is -1"),
    (lambda m: plan.uniform(m, 5).cost(2, math.inf), lgkt.InputError, "thresholds must be finite"),
    (lambda m: plan.uniform(m, 5).cost(2, math.nan), lgkt.InputError, "thresholds must be finite"),
    (lambda m: plan.cost(m, 1, 0.5, [0, 3], [0, 0]), lgkt.InputError, r"states\[1\] is 3"),
    (lambda m: plan.cost(m, 1, 0.5, [0, 1], [0, -1]), lgkt.InputError, r"actions\[1\] is -1"),
    (lambda m: plan.cost(m, 1, 0.5, [0, 1], [0]), lgkt.InputError, "2 states and 1 actions"),
    (lambda m: plan.cost(m, 1, 0.5, [0, 1], [0, 1], 1), lgkt.InputError, "a horizon of 1"),
    (lambda m: plan.cost(m, 1, 0.5, [0], [0], HALF), TypeError, "horizon must be a whole"),
    (lambda m: plan.cost(NOTHING, 1, 0.5, [0], [0]), TypeError, "must be a Model"),
    (lambda m: plan.regret(WORD, [0], [0]), TypeError, "must be a Model"),
    (lambda m: plan.cost(m, NOTHING, 0.5, [0], [0]), TypeError, "k must be"),
    (lambda m: plan.cost(m, 1, NOTHING, [0], [0]), TypeError, "threshold must be"),
    (lambda m: plan.cost(m, 1, 0.5, [0.5], [0]), TypeError, "whole numbers"),
    (lambda m: plan.regret(m, [0], [0], k=1), TypeError, "go together"),
    (lambda m: plan.gaps(m, 0, 0.5), lgkt.InputError, "k is 0"),
    (lambda m: plan.gaps(m, 1, NOTHING), TypeError, "threshold must be"),
    (lambda m: plan.two_state_dominance(WORD), TypeError, "must be a Model"),
]


@pytest.mark.parametrize("call, kind, text", BAD)
def test_bad_input(call: Callable[[Any], object], kind: type[Exception], text: str) -> None:
    model = make(*arrays(3, 2))
    with pytest.raises(kind, match=text):
        call(model)


def test_gain_that_depends_on_the_start() -> None:
    model = lgkt.Model([[[1.0, 0]], [[0, 1.0]]], [[0], [1]])
    with pytest.raises(lgkt.UseError, match="may depend on the start"):
        plan.gain(model)


def test_examples() -> None:
    assert doctest.testmod(plan).failed == 0
    examples = doctest.DocTestFinder().find(plan.Policy, "Policy", module=False)
    assert sum(bool(test.examples) for test in examples) == 2
    for test in examples:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_two_functions_of_which_one_raises() -> None:
    """A policy asks its own threshold, its cost another: what the first one raises comes out."""

    def raises(t: int, state: int, k: int) -> float:
        if ready:
            raise KeyError("no threshold")
        return 0.5

    ready = False
    model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    policy = plan.thresholding(model, 2, 20, raises)
    ready = True
    with pytest.raises(KeyError, match="no threshold"):
        policy.costs(2, lambda t, state, k: 0.5)
    with pytest.raises(KeyError, match="no threshold"):
        policy.cost(2, lambda t, state, k: 0.5)
    ready = False
    assert policy.cost(2, 0.5) >= 0
