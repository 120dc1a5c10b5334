# SPDX-License-Identifier: MIT
"""Learner: the same actions as the command's, save and pickle at any point, what is refused."""

from __future__ import annotations

import copy
import csv
import gc
import io
import itertools
import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import COMMAND, ROOT, needs_command

import lgkt

pytestmark = pytest.mark.robust

SPECS = ["auto", "lg2t", "lg2t:threshold=0.9", "psrl", "ucrl2", "q-learning", "imed-rl", "random"]
STATES, ACTIONS, HORIZON = 5, 3, 300


def world(t: int, state: int, action: int) -> tuple[float, int, bool]:
    """A noisy ring, as a function of its arguments alone."""
    draw = random.Random(f"{t} {state} {action}")
    step = 1 if action == 1 and draw.random() < 0.8 else -1
    return (
        float(state == STATES - 1) * (0.5 + 0.5 * draw.random()),
        (state + step) % STATES,
        draw.random() < 0.02,
    )


def play(learner: lgkt.Learner, state: int, steps: int) -> tuple[list[int], int]:
    actions = []
    for _ in range(steps):
        actions.append(learner.act(state))
        reward, state, ended = world(learner.time, state, actions[-1])
        learner.observe(reward, state, ended)
    return actions, state


def make(spec: str, **more: Any) -> lgkt.Learner:
    return lgkt.Learner(spec, states=STATES, actions=ACTIONS, horizon=HORIZON, seed=7, **more)


# ---- the same as in C ----


@needs_command
@pytest.mark.parametrize("spec", SPECS)
def test_acts_as_the_command_does(spec: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    tape = np.column_stack(
        [draw.random(400), draw.standard_normal(400), draw.random(400), draw.random(400)]
    ).round(9)
    path = tmp_path / "tape.csv"
    np.savetxt(path, tape, "%.9f", ",", header="u_next,z_reward,u_reward,u_coin", comments="")
    model = ROOT / "tests" / "golden" / "riverswim-5" / "mdp.json"
    out = subprocess.run(
        [COMMAND, "trace", "--mdp", str(model), "--tape", str(path), "--learner", spec]
        + ["--seed", "5", "--untold"],
        check=True, capture_output=True, text=True,
    ).stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    sizes = json.loads(model.read_text())
    learner = lgkt.Learner(
        spec, states=sizes["states"], actions=sizes["actions"], horizon=len(rows), seed=5,
        coin=tape[:, 3],
    )
    assert len(rows) == 400
    action = learner.act(int(rows[0]["state"]))
    for i, row in enumerate(rows):
        assert action == int(row["action"]), f"step {i}"
        if i < len(rows) - 1:
            action = learner.step(float(row["reward"]), int(row["next_state"]))


def test_step_is_observe_and_act() -> None:
    for spec in SPECS:
        one, two = make(spec), make(spec)
        actions, _ = play(one, 0, HORIZON - 1)
        action, state = two.act(0), 0
        for want in actions[1:]:
            reward, state, ended = world(two.time, state, action)
            action = two.step(reward, state, ended)
            assert action == want


# ---- save, pickle, copy ----

COPIES: list[Callable[[lgkt.Learner], lgkt.Learner]] = [
    lambda learner: lgkt.Learner.load(learner.save()),
    lambda learner: lgkt.Learner.load(memoryview(bytearray(learner.save()))),  # type: ignore
    lambda learner: pickle.loads(pickle.dumps(learner, 5)),
    copy.copy,
    copy.deepcopy,
]


def test_states_of_other_builds() -> None:
    learner = make("lg2t")
    version, numbers = learner.saved_by
    assert version == lgkt.__version__ and numbers >= 1
    saved = bytearray(learner.save())
    saved[32:48] = b"9.8.7".ljust(16, b"\0")
    saved[48:56] = (numbers + 6).to_bytes(8, "little")
    check = 0xCBF29CE484222325
    for byte in saved[:-8]:
        check = (check ^ byte) * 0x100000001B3 % 2**64
    saved[-8:] = check.to_bytes(8, "little")
    other = lgkt.Learner.load(bytes(saved))
    assert other.saved_by == ("9.8.7", numbers + 6)
    assert lgkt.Learner.load(other.save()).saved_by == (version, numbers + 6)


@pytest.mark.parametrize("spec", SPECS)
def test_goes_on_from_any_step(spec: str) -> None:
    whole, _ = play(make(spec), 0, HORIZON)
    learner, state = make(spec), 0
    for cut in range(0, HORIZON, 23):
        other = COPIES[cut % len(COPIES)](learner)
        assert other is not learner
        assert (other.hash, other.save()) == (learner.hash, learner.save())
        assert (other.spec, other.time) == (learner.spec, learner.time)
        assert play(other, state, HORIZON - cut)[0] == whole[cut:]
        _, state = play(learner, state, min(23, HORIZON - cut))


def test_pickle_between_act_and_observe() -> None:
    learner = make("auto")
    _, state = play(learner, 0, 50)
    action = learner.act(state)
    other = pickle.loads(pickle.dumps(learner))
    reward, state, ended = world(51, state, action)
    for one in (learner, other):
        one.observe(reward, state, ended)
    assert play(other, state, 100) == play(learner, state, 100)
    assert other.hash == learner.hash


@pytest.mark.parametrize("spec", ["auto", "psrl", "lg2t"])
def test_goes_on_in_another_process(spec: str, tmp_path: Path) -> None:
    learner = make(spec)
    _, state = play(learner, 0, 120)
    (tmp_path / "learner").write_bytes(pickle.dumps((learner, state)))
    code = (
        "import sys, pickle, test_learner as t\n"
        "learner, state = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(t.play(learner, state, 180)[0], learner.hash)"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "learner")],
        check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path},
    )
    actions, _ = play(learner, state, 180)
    assert done.stdout.strip() == f"{actions} {learner.hash}"


class Named(lgkt.Learner):
    """A subclass with attributes of its own."""

    label: str = ""


def test_subclass_keeps_its_attributes() -> None:
    learner = Named("lg2t", 5, 2, 100)
    learner.label = "mine"
    for other in (pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)):
        assert type(other) is Named and other.label == "mine" and other.hash == learner.hash


def half(t: int, state: int, k: int) -> float:
    return 0.5


def tenth(t: int) -> float:
    return t % 10 / 10


@pytest.mark.parametrize(
    "threshold", [0.5, np.float32(0.5), np.array(0.5), half, [0.5] * 5, np.full((9, 5), 0.5)])
@pytest.mark.parametrize("coin", [tenth, np.arange(HORIZON) % 10 / 10])
def test_pickle_with_thresholds_and_coin(threshold: Any, coin: Any) -> None:
    threshold, coin = copy.copy(threshold), copy.copy(coin)
    learner = make("lg2t", threshold=threshold, coin=coin)
    whole, _ = play(make("lg2t", threshold=half, coin=tenth), 0, HORIZON)
    first, state = play(learner, 0, 100)
    # what the user does to his own array is his own business, before pickling as well
    if isinstance(threshold, np.ndarray):
        threshold[...] = 100.0
    if isinstance(coin, np.ndarray):
        coin[:] = 0.0
    other = pickle.loads(pickle.dumps(learner))
    assert first + play(other, state, HORIZON - 100)[0] == whole
    with pytest.raises(lgkt.InputError, match="threshold function or table"):
        lgkt.Learner.load(learner.save(), coin=tenth)
    with pytest.raises(lgkt.InputError, match="coin"):
        lgkt.Learner.load(learner.save(), threshold=half)


@pytest.mark.parametrize("bad", [{"threshold": np.zeros(4)}, {"coin": np.zeros(HORIZON - 1)}])
def test_load_checks_sizes(bad: dict[str, Any]) -> None:
    data = make("lg2t", threshold=half, coin=tenth).save()
    with pytest.raises(lgkt.InputError, match="must be a"):
        lgkt.Learner.load(data, **{"threshold": half, "coin": tenth, **bad})


def test_damaged_bytes() -> None:
    learner = make("auto")
    play(learner, 0, 50)
    data = learner.save()
    for cut in (0, 1, 7, len(data) // 2, len(data) - 1):
        with pytest.raises(lgkt.InputError):
            lgkt.Learner.load(data[:cut])
    for at in range(0, len(data), 97):
        with pytest.raises(lgkt.InputError):
            lgkt.Learner.load(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    for wrong in (None, "text", 3):
        with pytest.raises(TypeError):
            lgkt.Learner.load(wrong)  # type: ignore[arg-type]


# ---- what is refused ----

MAKING: list[tuple[type[Exception], dict[str, Any]]] = [
    (TypeError, {"spec": 3}),
    (TypeError, {"spec": b"auto"}),
    (lgkt.InputError, {"spec": ""}),
    (lgkt.InputError, {"spec": "nobody"}),
    (lgkt.InputError, {"spec": "lg2t:no=1"}),
    (lgkt.InputError, {"spec": "é" * 300}),
    (ValueError, {"spec": "auto\0"}),
    (ValueError, {"spec": "auto\ud800"}),
    (lgkt.InputError, {"states": 0}),
    (lgkt.InputError, {"states": -1}),
    (lgkt.InputError, {"states": 2**31}),
    (lgkt.InputError, {"states": 10**5000}),
    (TypeError, {"states": 5.0}),
    (TypeError, {"states": None}),
    (lgkt.InputError, {"actions": -(2**70)}),
    (lgkt.InputError, {"horizon": 0}),
    (lgkt.InputError, {"horizon": 2**63}),
    (lgkt.InputError, {"seed": -1}),
    (lgkt.InputError, {"seed": 2**64}),
    (TypeError, {"seed": "1"}),
    (TypeError, {"instance": 0.5}),
    (TypeError, {"reward_min": "0"}),
    (lgkt.InputError, {"reward_min": 2.0, "reward_max": 1.0}),
    (lgkt.InputError, {"reward_max": float("inf")}),
    (lgkt.InputError, {"reward_sd": 10**400}),
    (lgkt.InputError, {"reward_sd": -1.0}),
    (TypeError, {"model": 3}),
    (TypeError, {"like": 3}),
    (TypeError, {"threshold": "0.5"}),
    (TypeError, {"threshold": np.array(["a"] * 5)}),
    (TypeError, {"threshold": [None] * 5}),
    (TypeError, {"threshold": 1j}),
    (lgkt.InputError, {"threshold": np.zeros(4)}),
    (lgkt.InputError, {"threshold": np.zeros((2, 4))}),
    (lgkt.InputError, {"threshold": np.zeros((0, 5))}),
    (lgkt.InputError, {"threshold": np.zeros((1, 2, 5))}),
    (lgkt.InputError, {"threshold": [[0.0] * 5, [0.0]]}),
    (lgkt.InputError, {"coin": np.zeros(99)}),
    (lgkt.InputError, {"coin": np.zeros((100, 1))}),
    (lgkt.InputError, {"coin": np.ones(100)}),
    (lgkt.InputError, {"coin": np.full(100, np.nan)}),
    (lgkt.InputError, {"coin": 0.5}),
    (TypeError, {"coin": "heads"}),
    (TypeError, {"unknown": 1}),
]


@pytest.mark.parametrize("kind, given", MAKING, ids=itertools.count())
def test_refused_making(kind: type[Exception], given: dict[str, Any]) -> None:
    with pytest.raises(kind) as caught:
        lgkt.Learner(**{"spec": "lg1t", "states": 5, "actions": 2, "horizon": 100, **given})
    assert str(caught.value).strip()
    assert not isinstance(caught.value, SystemError)


NAN, INF = float("nan"), float("inf")
CALLS: list[tuple[type[Exception], str, tuple[Any, ...]]] = [
    (lgkt.UseError, "act", (0,)),
    (TypeError, "act", ()),
    (TypeError, "observe", (0.0,)),
    (TypeError, "observe", (0.0, 1, False, 2)),
    (TypeError, "observe", ("0", 1)),
    (TypeError, "observe", (None, 1)),
    (TypeError, "observe", (0.0, 1.0)),
    (TypeError, "observe", (0.0, np.float64(1))),
    (TypeError, "observe", (0.0, np.array([1, 2]))),
    (ValueError, "observe", (0.0, 1, np.zeros(2))),
    (lgkt.InputError, "observe", (NAN, 1)),
    (lgkt.InputError, "observe", (INF, 1)),
    (lgkt.InputError, "observe", (-1e101, 1)),
    (lgkt.InputError, "observe", (10**400, 1)),
    (lgkt.InputError, "observe", (0.0, -1)),
    (lgkt.InputError, "observe", (0.0, 5)),
    (lgkt.InputError, "observe", (0.0, 2**40)),
    (lgkt.InputError, "observe", (0.0, -(2**200))),
    (lgkt.InputError, "step", (NAN, 1)),
    (lgkt.InputError, "step", (0.0, 7)),
    (TypeError, "step", (0.0, "1")),
    (lgkt.InputError, "feed", (None, None, None, None)),
    (TypeError, "feed", (0, 0, 0.0)),
    (TypeError, "feed", (0, 0, 0.0, [1])),
    (TypeError, "feed", ([0], [0.5], [0.0], [1])),
    (TypeError, "feed", (["0"], [0], [0.0], [1])),
    (TypeError, "feed", ([0], [0], [1j], [1])),
    (TypeError, "feed", ([0], [0], [None], [1])),
    (TypeError, "feed", ([0], [0], [0.0], [1], [0.5])),
    (TypeError, "feed", (0, 0, 0.0, None)),
    (lgkt.InputError, "feed", (0, 2, 0.0, 1)),
    (lgkt.InputError, "feed", (0, -1, 0.0, 1)),
    (lgkt.InputError, "feed", (0, 1, NAN, 1)),
    (lgkt.InputError, "feed", ([0], [0], [NAN], [1])),
    (lgkt.InputError, "feed", ([9], [0], [0.0], [1])),
    (lgkt.InputError, "feed", ([2**40], [0], [0.0], [1])),
    (lgkt.InputError, "feed", (np.array([-1], "i8"), [0], [0.0], [1])),
    (lgkt.InputError, "feed", (np.array([2**63], "u8"), [0], [0.0], [1])),
    (lgkt.InputError, "feed", ([0, 1], [0], [0.0], [1])),
    (lgkt.InputError, "feed", ([[0]], [0], [0.0], [1])),
    (lgkt.InputError, "feed", ([0, [1]], [0], [0.0], [1])),
    (lgkt.InputError, "feed", ([0], [0], [0.0], [1], [0, 1])),
]


@pytest.mark.parametrize("kind, name, given", CALLS, ids=itertools.count())
def test_refused_call_changes_nothing(
    kind: type[Exception], name: str, given: tuple[Any, ...]
) -> None:
    learner = lgkt.Learner("ucrl2", 5, 2, 100)
    if name != "feed":
        learner.act(0)
    hash_before, saved = learner.hash, learner.save()
    with pytest.raises(kind) as caught:
        getattr(learner, name)(*given)
    assert str(caught.value).strip()
    assert (learner.hash, learner.save()) == (hash_before, saved)
    if name == "feed":
        learner.act(0)
        with pytest.raises(lgkt.UseError, match="has not been observed"):
            learner.feed(0, 0, 0.0, 1)
    learner.observe(0.0, 1)


def test_keywords() -> None:
    learner = lgkt.Learner("ucrl2", states=5, actions=2, horizon=3)
    learner.act(0)
    learner.observe(next_state=1, reward=0.5, ended=True)
    assert (learner.next_state, learner.time) == (None, 1)
    with pytest.raises(TypeError, match="no argument 'next'"):
        learner.observe(0.5, next=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="twice"):
        learner.observe(0.5, 1, reward=2.0)  # type: ignore[misc]


def test_horizon() -> None:
    learner = lgkt.Learner("random", 5, 2, 2)
    learner.act(0)
    learner.step(0.0, 1)
    with pytest.raises(lgkt.UseError) as caught:
        learner.step(0.0, 1)  # observed, but there is no next action
    assert caught.value.status == "HORIZON" and learner.time == 2


def test_feed_takes_any_layout() -> None:
    draw = np.random.default_rng(1)
    s, a, n = draw.integers(0, 5, (3, 60))
    a %= 2
    r, e = draw.random(60), draw.random(60) < 0.1
    one, two = (lgkt.Learner("ucrl2", 5, 2, 100) for _ in range(2))
    for row in zip(s, a, r, n, e, strict=True):
        one.feed(*row)
    wide = np.zeros((60, 3), ">i2")
    wide[:, 1] = s
    fixed = r.copy()
    fixed.flags.writeable = False
    two.feed(wide[:, 1], a.astype("u1")[::-1][::-1], fixed, list(n), e)
    assert one.hash == two.hash
    two.feed([], [], [], [])
    assert one.hash == two.hash
    for row, words in (((9, 0, 0.0, 1), "state 9"), ((0, 2, 0.0, 1), "action 2"),
                       ((0, 0, np.inf, 1), "reward inf"), ((0, 0, 0.0, -1), "next state -1")):
        with pytest.raises(lgkt.InputError, match="row 1: " + words):
            two.feed(*([good, bad] for good, bad in zip((0, 0, 0.0, 1), row, strict=True)))
        assert one.hash == two.hash


# ---- functions of the user's ----


@pytest.mark.parametrize(
    "answer, kind",
    [
        (lambda: 1 / 0, ZeroDivisionError),
        (lambda: "0.5", TypeError),
        (lambda: None, TypeError),
        (lambda: 10**400, lgkt.InputError),
        (lambda: (_ for _ in ()).throw(KeyboardInterrupt()), KeyboardInterrupt),
    ],
)
@pytest.mark.parametrize("name", ["threshold", "coin"])
def test_function_that_fails(name: str, answer: Callable[[], Any], kind: type[Exception]) -> None:
    good = True
    given: dict[str, Any] = {"threshold": half, "coin": tenth}
    own = given[name]
    given[name] = lambda *args: own(*args) if good else answer()
    learner = make("lg2t", **given)
    _, state = play(learner, 0, 100)
    data = learner.save()
    good = False
    with pytest.raises(kind):
        play(learner, state, 100)
    # it acted on no answer: it is of no more use, and says so
    for call in (lambda: learner.act(0), lambda: learner.observe(0.0, 0)):
        with pytest.raises(RuntimeError, match="has failed"):
            call()
    good = True
    whole, _ = play(make("lg2t", threshold=half, coin=tenth), 0, 200)
    assert play(lgkt.Learner.load(data, **given), state, 100)[0] == whole[100:]


@pytest.mark.parametrize("bad", [NAN, -0.1, 1.0, INF])
def test_coin_out_of_range(bad: float) -> None:
    learner = make("lg2t", coin=lambda t: bad)
    with pytest.raises(lgkt.InputError, match=r"\[0, 1\)"):
        play(learner, 0, HORIZON)


def test_threshold_that_is_nan_is_never_reached() -> None:
    never = play(make("lg2t", threshold=INF), 0, HORIZON)
    assert play(make("lg2t", threshold=lambda t, s, k: NAN), 0, HORIZON) == never
    assert play(make("lg2t", threshold=[NAN] * 5), 0, HORIZON) == never
    assert play(make("lg2t", threshold=-INF), 0, HORIZON) != never


def test_function_that_uses_its_learner() -> None:
    said: list[str] = []

    def threshold(t: int, state: int, k: int) -> float:
        for use in (learner.save, lambda: learner.act(0), lambda: learner.hash):
            try:
                use()
            except RuntimeError as why:
                said.append(str(why))
        return 0.5

    learner = make("lg2t", threshold=threshold)
    learner.act(0)
    learner.observe(0.0, 1)
    learner.act(1)
    assert said and len(said) % 3 == 0 and all("in use" in text for text in said)


def test_function_that_holds_its_learner_is_collected() -> None:
    class Threshold:
        def __call__(self, t: int, state: int, k: int) -> float:
            return 0.5

    def count() -> int:
        gc.collect()
        return sum(type(thing).__name__ == "Threshold" for thing in gc.get_objects())

    function: Any = Threshold()
    function.learner = make("lg2t", threshold=function)
    function.keyed = lgkt.KeyedLearner("lg2t", 2, 10, threshold=function, coin=tenth)
    assert count() == 1
    del function
    assert count() == 0


def test_like_may_go_first() -> None:
    first = make("auto")
    second = make("auto", like=first)
    del first
    assert play(second, 0, HORIZON) == play(make("auto"), 0, HORIZON)


def test_attributes() -> None:
    learner = make("lg2t")
    play(learner, 0, 10)
    assert (learner.states, learner.actions, learner.horizon, learner.time) == (5, 3, HORIZON, 10)
    assert learner.nbytes > 0 and learner.spec.startswith("lg2t:")
    assert all(isinstance(value, int) for value in learner.counters.values())
    assert "lgkt.Learner lg2t" in repr(learner) and f"time=10 of {HORIZON}" in repr(learner)
    with pytest.raises(AttributeError):
        learner.time = 3  # type: ignore[misc]


def test_unaligned_arrays_are_copied() -> None:
    def odd(kind: str, count: int, view: bool) -> Any:
        size = np.dtype(kind).itemsize * count
        if view:
            return memoryview(bytearray(size + 1))[1:].cast("d" if kind == "f8" else "i")
        return np.zeros(size + 1, "u1")[1:].view(kind)

    for view in (False, True):
        learner, aligned = (lgkt.Learner("ucrl2", 5, 2, 100) for _ in range(2))
        learner.feed(*(odd(kind, 3, view) for kind in ("i4", "i4", "f8", "i4")))
        aligned.feed(*[np.zeros(3, "i4")] * 4)
        assert learner.hash == aligned.hash
    run = lgkt.Env("riverswim").trajectory(10)
    with pytest.raises(lgkt.InputError, match="aligned"):
        lgkt._core.step_all([run], [0], odd("i8", 1, False), np.zeros(1), np.zeros(1, "?"))
    assert run.time == 0
