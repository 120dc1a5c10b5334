# SPDX-License-Identifier: MIT
"""One learner is used by one thread at a time; different ones run side by side. A second thread is
refused, or waits where the learner says so."""

from __future__ import annotations

import copy
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lgkt


def walk(learner: lgkt.Learner, steps: int) -> list[int]:
    states = learner.states
    actions, state = [learner.act(0)], 0
    for t in range(steps):
        state = (state + actions[-1] + t % 3) % states
        actions.append(learner.step(float(state == 0), state))
    return actions


def together(*work: Callable[[], Any]) -> list[Any]:
    """What each returned, or raised, all started at once."""
    gate = threading.Barrier(len(work))
    results: list[Any] = [None] * len(work)

    def one(i: int) -> None:
        gate.wait()
        try:
            results[i] = work[i]()
        except Exception as why:
            results[i] = why

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.parametrize("spec, states", [("psrl", 100), ("auto", 100), ("lg2t", 5)])
def test_learners_side_by_side_act_as_alone(spec: str, states: int) -> None:
    def work(seed: int) -> Callable[[], list[int]]:
        return lambda: walk(lgkt.Learner(spec, states, 4, 1000, seed=seed), 200)

    assert together(*map(work, range(4))) == [work(seed)() for seed in range(4)]


def test_like_of_a_learner_in_use() -> None:
    first = lgkt.Learner("auto", 100, 4, 1000)

    def more() -> list[int]:
        return [walk(lgkt.Learner("auto", 100, 4, 1000, like=first), 50)[-1] for _ in range(10)]

    one, two = together(lambda: walk(first, 500), more)
    assert len(one) == 501 and len(set(two)) == 1


@pytest.mark.parametrize("keyed", [False, True])
def test_one_learner_on_two_threads_raises(keyed: bool) -> None:
    within, leave = threading.Event(), threading.Event()

    def threshold(t: int, state: int, k: int) -> float:
        within.set()
        leave.wait()
        return 0.5

    learner: Any = (
        lgkt.KeyedLearner("lg2t", 2, 100, threshold=threshold)
        if keyed
        else lgkt.Learner("lg2t", 5, 2, 100, threshold=threshold)
    )
    thread = threading.Thread(target=learner.act, args=(0,))
    thread.start()
    within.wait()
    uses: list[Callable[[], Any]] = [
        lambda: learner.act(0),
        lambda: learner.observe(0.0, 1),
        lambda: learner.step(0.0, 1),
        lambda: learner.find(0) if keyed else learner.feed(0, 0, 0.0, 0),
        lambda: learner.states if keyed else learner.feed([0], [0], [0.0], [0]),
        lambda: learner.time if keyed else learner.next_state,
        learner.save,
        learner.__reduce__,
        lambda: learner.hash,
        lambda: learner.nbytes,
        lambda: learner.counters,
        lambda: learner.spec,
        lambda: learner.horizon,
        lambda: setattr(learner, "horizon", 200),
        lambda: learner.explain(0),
        learner.explain_all,
        learner.policy,
        lambda: repr(learner),
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match="in use"):
            use()
    assert learner.actions == 2
    leave.set()
    thread.join()
    learner.observe(0.0, 1)
    assert learner.time == 1


def test_look_at_a_learner_that_is_being_fed() -> None:
    learner = lgkt.Learner("ucrl2", 300, 2, 100)
    rows = [np.zeros(2_000_000, "i4")] * 4
    rows[2] = rows[2].astype("f8")
    thread = threading.Thread(target=learner.feed, args=rows)
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            learner.hash  # noqa: B018
        except RuntimeError as why:
            assert "in use" in str(why)
            refused += 1
    assert refused > 0


def test_waiting_threads_run_meanwhile() -> None:
    """A long call leaves the interpreter to others."""
    learner = lgkt.Learner("ucrl2", 5, 2, 100)
    rows = [np.zeros(1_000_000, "i8")] * 4
    ticks = 0
    thread = threading.Thread(target=learner.feed, args=rows)
    thread.start()
    while thread.is_alive():
        ticks += 1
        time.sleep(0)
    assert ticks > 100


def test_keyed_learners_side_by_side() -> None:
    def work(seed: int) -> Callable[[], tuple[list[int], int]]:
        def run() -> tuple[list[int], int]:
            learner = lgkt.KeyedLearner("psrl", 4, 1000, seed=seed)
            actions = [learner.act((0, "x"))]
            for t in range(400):
                actions.append(learner.step(t % 3 / 3, (t * t % 211, "x")))
            return actions, learner.hash

        return run

    assert together(*map(work, range(3))) == [work(seed)() for seed in range(3)]


# ---- waiting ----


class Busy:
    """A learner with a thread within it, until `leave` is set."""

    def __init__(self, again: Callable[[Any], object] | None = None) -> None:
        self.within, self.leave = threading.Event(), threading.Event()
        self.again, self.said = again, ""
        self.learner = lgkt.Learner("lg2t", 5, 2, 100, threshold=self.threshold)
        self.learner.when_busy = "wait"
        self.thread = threading.Thread(target=self.learner.act, args=(0,))
        self.thread.start()
        self.within.wait()

    def threshold(self, t: int, state: int, k: int) -> float:
        if not self.within.is_set() and self.again is not None:
            try:
                self.again(self.learner)
            except RuntimeError as why:
                self.said = str(why)
        self.within.set()
        self.leave.wait()
        return 0.5


def test_waits_until_the_other_thread_has_left() -> None:
    busy = Busy()
    times: list[int] = []
    waiting = threading.Thread(target=lambda: times.append(busy.learner.step(0.0, 1)))
    looking = threading.Thread(target=lambda: times.append(busy.learner.time))
    waiting.start()
    waiting.join(0.1)  # the interpreter is free meanwhile
    assert waiting.is_alive() and times == []
    busy.leave.set()
    waiting.join()
    looking.start()
    looking.join()
    busy.thread.join()
    assert times[0] in (0, 1) and times[1] == 1


def test_a_call_that_calls_back_does_not_wait_for_itself() -> None:
    busy = Busy(again=lambda learner: learner.time)
    busy.leave.set()
    busy.thread.join()
    assert "in use" in busy.said


def test_units_that_threads_share_lose_nothing() -> None:
    shops = lgkt.Units("auto", states=50, actions=10, horizon=8000, unit_limit=8)
    shops.when_busy = "wait"

    def serve(unit: int) -> Callable[[], None]:
        def work() -> None:
            for t in range(1000):
                decision, action = shops.act(unit, state=t % 50)
                shops.next(decision, (t + 1) % 50)
                shops.reward(decision, action / 10)
        return work

    assert together(*map(serve, range(8))) == [None] * 8
    assert (shops.decisions, shops.open, shops.count) == (8000, 0, 8)


def test_looks_at_a_learner_that_is_being_fed_wait() -> None:
    learner = lgkt.Learner("ucrl2", 300, 2, 100)
    learner.when_busy = "wait"
    before = learner.hash
    rows = [np.zeros(500_000, "i4")] * 4
    rows[2] = rows[2].astype("f8")
    thread = threading.Thread(target=learner.feed, args=rows)
    thread.start()
    seen = set()
    while thread.is_alive():
        seen.add(learner.hash)
    seen.add(learner.hash)
    assert seen <= {before, learner.hash} and learner.hash != before


def test_waiting_is_said_and_taken_back() -> None:
    learner = lgkt.Learner("auto", 5, 2, 100)
    run = lgkt.Env("riverswim:states=5").trajectory(100)
    for thing in (learner, run):
        assert thing.when_busy == "refuse"
        thing.when_busy = "wait"
        assert thing.when_busy == "wait"
        assert copy.deepcopy(thing).when_busy == "refuse"
    assert run.play(learner)[0].size == 100
    with pytest.raises(lgkt.InputError, match='^when_busy must be "refuse" or "wait", not "wiat"$'):
        learner.when_busy = "wiat"  # type: ignore[assignment]
    with pytest.raises(TypeError, match="when_busy"):
        learner.when_busy = True  # type: ignore[assignment]
    with pytest.raises(TypeError, match="when_busy"):
        del learner.when_busy
    learner.when_busy = "refuse"
    assert learner.when_busy == "refuse"


def test_interrupt_ends_waiting() -> None:
    busy = Busy()
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        busy.learner.save()
    busy.leave.set()
    busy.thread.join()
    timer.join()
    assert len(busy.learner.save()) > 0
