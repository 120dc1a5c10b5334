# SPDX-License-Identifier: MIT
"""Replay of a log and runs in drawn models (_core.replay, _core.simulate_models): row for row
against plain versions in Python, against the truth, on any number of threads, stops, bad input."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lgkt
from lgkt import _core

S, A = 4, 3
M64 = (1 << 64) - 1


# ---- random numbers of the library, written again from its headers ----


class Stream:
    """A named stream: FNV-1a and SplitMix64 make the state of xoshiro256++."""

    def __init__(self, seed: int, name: str, index: int) -> None:
        text = 0xCBF29CE484222325
        for byte in name.encode():
            text = (text ^ byte) * 0x100000001B3 & M64
        self.mixed = 0
        for word in (seed, text, index):
            self.mixed ^= word
            self.mixed = self.mix()
        self.s = [self.mix() for _ in range(4)]

    def mix(self) -> int:
        z = self.mixed = (self.mixed + 0x9E3779B97F4A7C15) & M64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
        return z ^ z >> 31

    def uniform(self) -> float:
        s = self.s
        total = (s[0] + s[3]) & M64
        result = ((total << 23 | total >> 41) + s[0]) & M64
        t = s[1] << 17 & M64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = (s[3] << 45 | s[3] >> 19) & M64
        return (result >> 11) * 2.0**-53

    def shuffle(self, items: list[Any]) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = int(self.uniform() * (i + 1))
            items[i], items[j] = items[j], items[i]


# ---- logs ----


class Log:
    """Rows of a made-up world under a law per state; some are cut, some actions not allowed."""

    def __init__(self, seed: int, rows: int, law: NDArray[np.float64] | None = None,
                 cuts: float = 0.02, masked: bool = False) -> None:
        rng = np.random.default_rng(seed)
        world = np.random.default_rng(5)
        self.p = world.dirichlet(np.ones(S), (S, A))
        self.mean = world.random((S, A))
        self.allowed = np.ones((S, A), bool)
        if masked:
            self.allowed[1, 0] = self.allowed[2, 2] = False
        law = np.ones((S, A)) if law is None else law
        self.law = law * self.allowed
        self.law /= self.law.sum(1, keepdims=True)
        u = rng.random((rows, 3))
        self.state = np.zeros(rows, np.int32)
        self.action = np.zeros(rows, np.int32)
        self.next = np.zeros(rows, np.int32)
        starts = [0]
        at = 0
        for i in range(rows):
            a = min(int(np.searchsorted(np.cumsum(self.law[at]), u[i, 0], "right")), A - 1)
            y = min(int(np.searchsorted(np.cumsum(self.p[at, a]), u[i, 1], "right")), S - 1)
            cut = u[i, 2] < cuts
            self.state[i], self.action[i], self.next[i] = at, a, -1 if cut else y
            at = int(rng.integers(2)) if cut else y
            if cut:
                starts.append(at)
        self.starts = np.array(starts, np.int32)
        self.reward = self.mean[self.state, self.action] + 0.1 * rng.normal(size=rows)

    def rows(self) -> tuple[Any, ...]:
        return self.starts, self.state, self.action, self.reward, self.next


TOLD = {"reward_min": 0.0, "reward_max": 1.0, "reward_sd": 0.1}


# ---- replay, row for row ----


def plain(log: Log, spec: str, horizon: int, run: int, seed: int, law: Any, shuffle: bool,
          masked: bool) -> dict[str, Any]:
    """The same run on lists, by the public classes."""
    queues: dict[int, list[int]] = {}
    for i in range(len(log.state)):
        key = int(log.state[i]) if law is not None else int(log.state[i]) * A + int(log.action[i])
        queues.setdefault(key, []).append(i)
    starts = [int(s) for s in log.starts]
    if shuffle:
        order = Stream(seed, "order", run)
        for key in sorted(queues):
            order.shuffle(queues[key])
        order.shuffle(starts)
    accept = Stream(seed, "accept", run)
    told: dict[str, Any] = {"masked": masked, "seed": seed, "instance": run, **TOLD}
    learner = lgkt.Learner(spec, S, A, horizon, **told) if law is None else None
    units = lgkt.Units(spec, S, A, horizon, 1, patience=1, **told) if law is not None else None
    out: dict[str, Any] = {"steps": 0, "reward": 0.0, "used": 0, "stopped": 0, "state": -1,
                           "action": -1}
    state = starts.pop(0)
    while out["steps"] < horizon:
        allowed = log.allowed[state] if masked else None
        row = -1
        action = -1
        if learner is not None:
            action = learner.act(state, allowed)
            queue = queues.get(state * A + action, [])
            if queue:
                row = queue.pop(0)
                out["used"] += 1
        else:
            assert units is not None
            units.settle(0, state)
            wanted = units.explain(0, state, allowed)["probability"]
            queue = queues.get(state, [])
            while queue and row < 0:
                i = queue.pop(0)
                out["used"] += 1
                b = law[i] if len(law) == len(log.state) else law[state]
                with np.errstate(divide="ignore", invalid="ignore"):
                    most = np.nanmax(np.where(wanted > 0, wanted / b, 0))
                if np.isinf(most):
                    return {**out, "stopped": 3, "state": state}
                if accept.uniform() * most * b[log.action[i]] < wanted[log.action[i]]:
                    row = i
        if row < 0:
            return {**out, "stopped": 1, "state": state, "action": action}
        out["reward"] += float(log.reward[row])
        out["steps"] += 1
        cut = log.next[row] < 0
        if cut and not starts:
            return {**out, "stopped": 2, "state": state, "action": action}
        following = starts.pop(0) if cut else int(log.next[row])
        if learner is not None:
            learner.observe(float(log.reward[row]), following, bool(cut))
        else:
            assert units is not None
            decision = units.take(0, int(log.action[row]), state, allowed)
            units.reward(decision, float(log.reward[row]))
            units.next(decision, following, bool(cut))
        state = following
    return out


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("by", ["pair", "state", "row"])
@pytest.mark.parametrize("spec", ["auto", "q-greedy:epsilon=0.3", "random",
                                  "explore:of=lg2t,floor=0.1"])
def test_replay_is_the_plain_one(spec: str, by: str, shuffle: bool, masked: bool) -> None:
    law = np.random.default_rng(2).dirichlet(np.full(A, 3.0), S)
    log = Log(1, 600, law, masked=masked)
    given = {"pair": None, "state": log.law, "row": log.law[log.state]}[by]
    mask = log.allowed if masked else None
    for horizon in (40, 5000):
        got = _core.replay(spec, S, A, *log.rows(), horizon, 5, 11, 2, probabilities=given,
                           allowed=mask, shuffle=shuffle, **TOLD)
        for run in range(5):
            wanted = plain(log, spec, horizon, run, 11, given, shuffle, masked)
            assert {key: got[key][run] for key in wanted} == wanted


def test_replay_stops_where_the_log_plays_no_such_action() -> None:
    law = np.ones((S, A))
    law[0, 2] = 0
    log = Log(3, 500, law, cuts=0)
    got = _core.replay("random", S, A, *log.rows(), 50, 4, 1, 2, probabilities=log.law)
    assert (got["stopped"] == 3).all() and (got["state"] == 0).all()
    got = _core.replay("random", S, A, *log.rows(), 500, 4, 1, 2)
    assert (got["stopped"] == 1).all() and (got["state"] == 0).all() and (got["action"] == 2).all()


def test_replay_without_rows_or_starts() -> None:
    empty: list[int] = []
    got = _core.replay("auto", S, A, [0], empty, empty, empty, empty, 10, 2, 1, 1)
    assert got["stopped"].tolist() == [1, 1] and got["steps"].tolist() == [0, 0]
    log = Log(1, 50)
    got = _core.replay("auto", S, A, empty, *log.rows()[1:], 10, 2, 1, 1)
    assert got["stopped"].tolist() == [2, 2] and got["state"].tolist() == [-1, -1]


def test_curve_and_jobs() -> None:
    log = Log(1, 2000)
    times = [1, 7, 50, 4000]
    one = _core.replay("auto", S, A, *log.rows(), 300, 9, 3, 1, checkpoints=times)
    many = _core.replay("auto", S, A, *log.rows(), 300, 9, 3, 4, checkpoints=times)
    for key in one:
        assert np.array_equal(one[key], many[key], equal_nan=True)
    curve = one["curve"]
    assert curve.shape == (9, 4)
    assert np.isnan(curve[:, 3]).all() and not np.isnan(curve[:, :3]).any()
    short = _core.replay("auto", S, A, *log.rows(), 300, 9, 3, 2, checkpoints=[300])
    assert np.array_equal(short["curve"][:, 0], one["reward"])


@pytest.mark.parametrize("by", ["pair", "state"])
def test_replay_agrees_with_the_truth(by: str) -> None:
    """80 logs, two runs each of 60 steps, which all last; within 4.5 standard errors."""
    steps = 60
    law = np.random.default_rng(2).dirichlet(np.full(A, 3.0), S)
    found = []
    for seed in range(80):
        log = Log(seed, 1500, law, cuts=0)
        got = _core.replay("q-greedy:epsilon=0.2", S, A, *log.rows(), steps, 2, seed, 1,
                           probabilities=log.law if by == "state" else None, **TOLD)
        assert (got["steps"] == steps).all()
        found.append(got["reward"].mean() / steps)
    log = Log(0, 1)
    model = lgkt.Model(log.p, log.mean, start=0, noise="normal", sd=0.1)
    truth = lgkt.run(model, ["q-greedy:epsilon=0.2"], steps, 4000, seed=9, untold=True).reward[0]
    error = np.hypot(np.std(found) / np.sqrt(len(found)), truth.std() / np.sqrt(truth.size))
    assert abs(np.mean(found) - truth.mean()) < 4.5 * error


@pytest.mark.parametrize("change, words", [
    ({"spec": "atuo"}, "auto"),
    ({"spec": "sarsa", "probabilities": True}, "cannot learn from steps"),
    ({"spec": "mdp-oomd", "probabilities": True}, "mdp-oomd"),
    ({"spec": "psrl", "probabilities": True}, 'the law of the learner, and "psrl" has none'),
    ({"state": [0, 1]}, "action has length 1500, not 2"),
    ({"action": np.full(1500, 3)}, "row 0: state"),
    ({"next_state": np.full(1500, -2)}, "next state -2"),
    ({"starts": [4]}, r"starts\[0\] = 4 is not in 0 .. 3"),
    ({"reward": np.full(1500, np.nan)}, "row 0: the reward nan"),
    ({"probabilities": np.full((S, A), 0.2)}, "no law: they sum to 0.6"),
    ({"probabilities": np.full((7, A), 1 / 3)}, r"shape \(7, 3\), not that of rows \(1500, 3\)"),
    ({"allowed": np.ones((S, 2), bool)}, r"allowed has shape \(4, 2\), not \(4, 3\)"),
    ({"checkpoints": [5, 5]}, "they increase"),
    ({"runs": 0}, "runs"),
    ({"horizon": 0}, "horizon"),
    ({"jobs": 0}, "jobs"),
])
def test_replay_refusals(change: dict[str, Any], words: str) -> None:
    log = Log(1, 1500)
    given: dict[str, Any] = {"spec": "auto", "states": S, "actions": A, "starts": log.starts,
                             "state": log.state, "action": log.action, "reward": log.reward,
                             "next_state": log.next, "horizon": 100, "runs": 2, "seed": 1,
                             "jobs": 1} | change
    if given.get("probabilities") is True:
        given["probabilities"] = log.law
    with pytest.raises(lgkt.Error, match=words):
        _core.replay(**given)


def test_a_row_that_cannot_be_is_refused() -> None:
    log = Log(1, 100)
    law = log.law[log.state]
    law[5] = np.eye(A)[(log.action[5] + 1) % A]
    with pytest.raises(lgkt.InputError, match="row 5 has an action with probability 0"):
        _core.replay("auto", S, A, *log.rows(), 10, 1, 1, 1, probabilities=law)


# ---- drawn models ----


def seen(log: Log) -> tuple[Any, ...]:
    """begin, next, counts and rewards of a log."""
    counts = np.zeros((S, A, S))
    known = log.next >= 0
    np.add.at(counts, (log.state[known], log.action[known], log.next[known]), 1)
    flat = counts.reshape(S * A, S)
    rewards = np.zeros((3, S, A))
    for k in range(3):
        np.add.at(rewards[k], (log.state, log.action), log.reward**k)
    return (np.r_[0, np.cumsum((flat > 0).sum(1))], np.nonzero(flat)[1], flat[flat > 0], rewards)


START = np.array([0.5, 0.5, 0, 0])


def simulate(log: Log, learners: tuple[str, ...], jobs: int = 2, **more: Any) -> Any:
    given = {"horizon": 100, "units": 1, "draws": 12, "seed": 3} | more
    return _core.simulate_models(learners, *seen(log), START, -1.0, 2.0, given.pop("horizon"),
                                 given.pop("units"), given.pop("draws"), given.pop("seed"), jobs,
                                 **given)


def test_simulation_does_not_depend_on_jobs_and_company() -> None:
    log = Log(1, 800)
    for units in (1, 5):
        one = simulate(log, ("auto", "lg1t", "random"), 1, units=units)
        many = simulate(log, ("auto", "lg1t", "random"), 4, units=units)
        alone = simulate(log, ("lg1t",), 2, units=units)
        assert one.shape == (3, 12)
        assert np.array_equal(one, many) and np.array_equal(one[1:2], alone)
        assert not np.array_equal(one, simulate(log, ("auto", "lg1t", "random"), units=units,
                                                seed=4))
        fewer = simulate(log, ("auto",), units=units, draws=5)
        assert np.array_equal(fewer[0], one[0, :5])


def test_much_data_gives_the_truth() -> None:
    """With 40,000 rows what is earned in drawn models is what is earned in the world."""
    log = Log(1, 40000, cuts=0)
    model = lgkt.Model(log.p, log.mean, start=START)
    got = simulate(log, ("optimal", "random"), horizon=2000, draws=6)
    wanted = lgkt.run(model, ["optimal", "random"], 2000, 6, seed=1).reward.mean(1)
    assert np.abs(got.mean(1) - wanted).max() < 0.02


def test_what_was_never_seen_is_at_both_ends() -> None:
    law = np.ones((S, A))
    law[:, 2] = 0
    log = Log(2, 4000, law, cuts=0)
    best, tried = simulate(log, ("optimal", "fixed:actions=0/1"), horizon=400, draws=20)
    assert (best[0::2] > 1.9).all() and (best[1::2] < 1.0).all()
    # who plays what was tried is not touched, but for rows that may lead anywhere
    assert abs(tried[0::2].mean() - tried[1::2].mean()) < 0.05
    # forbidden actions are no ignorance
    allowed = np.ones((S, A), np.uint8)
    allowed[:, 2] = 0
    best = simulate(log, ("optimal",), horizon=400, draws=20, allowed=allowed)[0]
    assert (best < 1.0).all()


def test_each_unit_by_itself() -> None:
    log = Log(1, 800)
    together = simulate(log, ("auto",), units=10, horizon=50)
    alone = simulate(log, ("auto",), units=10, horizon=50, alone=True)
    assert together.mean() > alone.mean()


@pytest.mark.parametrize("change, words", [
    ({"units": 0}, "units"),
    ({"horizon": 0}, "steps"),
    ({"draws": 0}, "draws"),
    ({"unseen": -1.0}, "unseen = -1 must be 0 or more"),
    ({"bernoulli": True}, r"cannot be in \[-1, 2\]"),
    ({"allowed": np.ones((S, 2), bool)}, "allowed has shape"),
    ({"allowed": np.zeros((S, A), bool)}, "action"),
])
def test_simulation_refusals(change: dict[str, Any], words: str) -> None:
    with pytest.raises(lgkt.Error, match=words):
        simulate(Log(1, 200), ("auto",), **change)
    with pytest.raises(lgkt.Error, match="auto"):
        simulate(Log(1, 200), ("atuo",))
    with pytest.raises(lgkt.Error, match="learner"):
        simulate(Log(1, 200), ())


@pytest.mark.parametrize("damage, words", [
    (lambda s: (s[0][:-1], *s[1:]), "begin has length 12, not 13"),
    (lambda s: (s[0] + 1, *s[1:]), "begin must end with the length of next"),
    (lambda s: (s[0], s[1][::-1], *s[2:]), "those of a pair increase"),
    (lambda s: (s[0], s[1], 0 * s[2], s[3]), r"counts\[0\] = 0 must be above 0"),
    (lambda s: (*s[:3], -s[3]), "cannot be"),
    (lambda s: (*s[:3], np.nan * s[3]), "cannot be"),
    (lambda s: (*s[:3], s[3] * [[[1]], [[9]], [[99]]]), "the mean reward"),
    (lambda s: (*s[:3], s[3][:2]), r"shape \(3, S, A\)"),
])
def test_counts_that_cannot_be(damage: Any, words: str) -> None:
    with pytest.raises(lgkt.Error, match=words):
        _core.simulate_models(("auto",), *damage(seen(Log(1, 400))), START, -1.0, 2.0, 10, 1, 2, 3,
                              1)


# ---- stops ----


def never_ends(which: str, progress: Any) -> None:
    log = Log(1, 2000)
    if which == "simulate":
        simulate(log, ("auto",), horizon=10**10, draws=4, progress=progress)
        return
    # two states that lead to each other for a million rows
    n = 1 << 20
    at = np.arange(n, dtype=np.int32) % 2
    _core.replay("auto", 2, 2, [0], at, np.arange(n) // 2 % 2, np.ones(n), 1 - at, n, 100000, 1, 2,
                 progress=progress)


@pytest.mark.parametrize("which", ["replay", "simulate"])
def test_progress_and_stops(which: str) -> None:
    told: list[float] = []

    def progress(steps: float) -> None:
        told.append(steps)
        if len(told) == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        never_ends(which, progress)
    assert told == sorted(told) and told[-1] > 0
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        never_ends(which, None)
    timer.join()
