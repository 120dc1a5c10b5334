# SPDX-License-Identifier: MIT
"""KeyedLearner: what a key is made of, and that learning does not depend on it."""

from __future__ import annotations

import copy
import enum
import itertools
import os
import pickle
import random
import struct
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lgkt

pytestmark = pytest.mark.robust

Point = namedtuple("Point", "x y")
Colour = enum.IntEnum("Colour", "RED GREEN")


def make(spec: str = "random", horizon: int = 2000, **more: Any) -> lgkt.KeyedLearner:
    return lgkt.KeyedLearner(spec, actions=3, horizon=horizon, seed=7, **more)


def see(learner: lgkt.KeyedLearner, key: Any) -> None:
    learner.act(key)
    learner.observe(0.0, key, True)


# ---- keys ----


def length(size: int) -> bytes:
    return bytes([size]) if size < 128 else bytes([size % 128 + 128]) + length(size // 128)


def encode(key: Any) -> bytes:
    """The encoding of py_keys.c, written down a second time."""
    if key is None:
        return b"N"
    if isinstance(key, (bool, np.bool_)):
        return b"T" if key else b"F"
    if isinstance(key, (int, np.integer)):
        if -(2**63) <= key < 2**63:
            return b"i" + struct.pack("<q", int(key))
        data = int(key).to_bytes(key.bit_length() // 8 + 1, "little", signed=True)
        return b"I" + length(len(data)) + data
    if isinstance(key, (float, np.floating)):
        word = struct.pack("<d", float(key) or 0.0)
        return b"f" + (word if key == key else bytes.fromhex("000000000000f87f"))
    if isinstance(key, bytes):
        return b"b" + length(len(key)) + key
    if isinstance(key, str):
        data = key.encode("utf-8", "surrogatepass")
        return b"s" + length(len(data)) + data
    if isinstance(key, tuple):
        return b"t" + length(len(key)) + b"".join(map(encode, key))
    sizes = [key.itemsize, key.ndim, *key.shape]
    swapped = key.astype(key.dtype.newbyteorder("<"))
    return b"a" + key.dtype.kind.encode() + b"".join(map(length, sizes)) + swapped.tobytes("C")


DIFFERENT: list[Any] = [
    None, True, False, 0, 1, -1, 127, 128, 255, 256, -128, -129, 2**63 - 1, 2**63, -(2**63),
    -(2**63) - 1, 2**64, 2**64 - 1, 2**200, -(2**200), 10**3000,
    0.0, 1.0, -1.0, 0.1, float(np.float32(0.1)), float("inf"), float("-inf"), float("nan"), 5e-324,
    b"", b"\0", b"\0\0", b"a", b"i", b"N", b"x" * 127, b"x" * 128, b"x" * 300, b"x" * 20000,
    "", "\0", "a", "ab", "i", "N", "é", "e\u0301", "\ud800", "\udc80", "\U0001f600", "x" * 300,
    (), ((),), ((), ()), (((),),), (0,), (0, 0), ((0,), 0), (0, (0,)), ((0, 0),), (None,), (True,),
    ("a", "b"), ("ab",), ("ab", ""), ("", "ab"), (b"a", "b"), (1.0, 2), (1, 2.0), tuple(range(300)),
    np.array(3), np.array(0.5), np.array([]), np.zeros((0, 2)), np.zeros((2, 0)),
    np.array([], "i4"),
    np.arange(3), np.arange(3, dtype="i4"), np.arange(3, dtype="u4"), np.arange(3, dtype="f4"),
    np.arange(3, dtype="f8"), np.arange(3, dtype="f2"), np.arange(3, dtype="c8"), np.zeros(3, "?"),
    np.zeros(3, "u1"), np.zeros(3, "i1"), np.arange(3)[::-1], np.arange(6).reshape(2, 3),
    np.arange(6).reshape(3, 2), np.arange(6), np.arange(6).reshape(2, 3).T, np.array(["a", "b"]),
    np.array([b"a", b"b"]), np.array(["a", "bb"]), (np.arange(3), 1), (np.arange(3),),
    np.array([np.nan]), np.array([0.0]), np.array([1j]), np.zeros((1,) * 6),
]  # fmt: skip


def test_different_values_are_different_keys() -> None:
    learner = make()
    for number, key in enumerate(DIFFERENT):
        assert learner.find(key) is None, repr(key)[:80]
        see(learner, key)
        assert (learner.find(key), learner.states) == (number, number + 1)
    assert len({encode(key) for key in DIFFERENT}) == len(DIFFERENT)


@pytest.mark.parametrize("key", DIFFERENT, ids=itertools.count())
def test_encoding(key: Any) -> None:
    learner = make()
    see(learner, key)
    data = encode(key)
    assert struct.pack("<q", len(data)) + data in learner.save()


SAME: list[tuple[Any, Any]] = [
    (3, np.int8(3)), (3, np.uint64(3)), (2**64 - 1, np.uint64(2**64 - 1)), (-3, np.int64(-3)),
    (True, np.bool_(True)), (False, np.False_), (0.5, np.float32(0.5)), (0.1, np.float64(0.1)),
    (0.5, np.float16(0.5)), (0.0, -0.0), (float("nan"), -float("nan")), ("a", np.str_("a")),
    (float("nan"), np.float32("nan")), (b"a", np.bytes_(b"a")), ((1, 2), Point(1, 2)),
    ((1, (2.0,)), (np.int32(1), (np.float32(2),))), (2, Colour.GREEN),
    (np.arange(3, dtype="<i4"), np.arange(3, dtype=">i4")),
    (np.arange(3, dtype="<f8"), np.arange(3, dtype=">f8")),
    (np.array(["ab"], "<U2"), np.array(["ab"], ">U2")),
    (np.arange(3), np.arange(6)[::2] // 2),
    (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3))),
    (np.array([0.0, np.nan]), np.array([-0.0, -np.nan])),
    (np.array([0j]), np.array([complex(-0.0, -0.0)])),
]  # fmt: skip


@pytest.mark.parametrize("one, two", SAME, ids=itertools.count())
def test_equal_values_are_the_same_key(one: Any, two: Any) -> None:
    learner = make()
    see(learner, one)
    assert learner.find(two) == 0 and learner.find((two, two)) is None
    see(learner, (one, (one,)))
    assert learner.find((two, (two,))) == 1


@pytest.mark.parametrize(
    "key",
    [
        [1], {1}, {}, object(), 1j, np.complex64(1), np.longdouble(1), np.datetime64(3, "s"),
        np.array([None]), np.zeros(2, "M8[s]"), np.zeros(2, "i4,f8"), np.zeros(2, "g"),
        bytearray(b"a"), memoryview(b"a"), (1, [2]), int, ...,
    ],
    ids=itertools.count(),
)  # fmt: skip
def test_what_is_no_key(key: Any) -> None:
    learner = make()
    learner.act("start")
    data = learner.save()
    for call in (
        lambda: learner.find(key),
        lambda: learner.act(key),
        lambda: learner.observe(0.0, key),
        lambda: learner.step(0.0, key),
    ):
        with pytest.raises(TypeError, match="key"):
            call()
    assert learner.save() == data


def test_nested_too_deep() -> None:
    deep: Any = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(RecursionError):
        make().find(deep)


def test_key_that_fails() -> None:
    class Bad:
        def __index__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make().find((1, Bad()))  # type: ignore[arg-type]


# ---- learning ----

SPECS = ["auto", "lg2t", "psrl", "ucrl2", "q-learning", "random"]


def play(learner: lgkt.KeyedLearner, names: list[Any], steps: int) -> list[int]:
    """A noisy walk on a ring of names; where it is, is a function of the time and the actions."""
    state = 0
    actions = [learner.act(names[state])]
    for t in range(steps):
        draw = random.Random(f"{t} {state} {actions[-1]}")
        state = (state + (1 if actions[-1] == 1 and draw.random() < 0.8 else -1)) % len(names)
        reward, ended = float(state == 3) * draw.random(), draw.random() < 0.02
        if t < steps - 1:
            actions.append(learner.step(reward, names[state], ended))
        else:
            learner.observe(reward, names[state], ended)
    return actions


@pytest.mark.parametrize("spec", SPECS)
def test_names_and_secret_do_not_matter(spec: str) -> None:
    named = [list(range(40)), [("room", i) for i in range(40)], [np.arange(i) for i in range(40)]]
    runs = [play(make(spec), names, 500) for names in named]
    runs.append(play(make(spec, secret=bytes(range(16))), named[1], 500))
    assert all(run == runs[0] for run in runs)


@pytest.mark.parametrize("spec", SPECS)
def test_goes_on_from_any_step(spec: str) -> None:
    learner = make(spec, 400)
    learner.act(0)
    for t in range(399):
        if t % 41 == 0:
            others = [
                lgkt.KeyedLearner.load(learner.save()),
                pickle.loads(pickle.dumps(learner)),
                copy.deepcopy(learner),
            ]
            for other in others:
                assert (other.save(), other.hash) == (learner.save(), learner.hash)
        key = (t * t % 23, "é" * (t % 3))
        actions = {one.step(t % 7 / 7, key, t % 31 == 0) for one in (learner, *others)}
        assert len(actions) == 1


def test_goes_on_in_another_process(tmp_path: Path) -> None:
    learner = make("auto", 400)
    learner.act(0)
    for t in range(100):
        learner.step(t % 7 / 7, (t % 11, "x"))
    code = (
        "import sys, pickle; learner = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print([learner.step(t % 5 / 5, (t % 13, 'x')) for t in range(200)], learner.hash)"
    )
    (tmp_path / "learner").write_bytes(pickle.dumps(learner))
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "learner")],
        check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path},
    )
    actions = [learner.step(t % 5 / 5, (t % 13, "x")) for t in range(200)]
    assert done.stdout.strip() == f"{actions} {learner.hash}"


class Named(lgkt.KeyedLearner):
    """A subclass with attributes of its own."""

    label: str = ""


def half(t: int, state: int, k: int) -> float:
    return 0.5 + state * 0.01


def test_pickle_with_helpers_and_attributes() -> None:
    learner = Named("lg2t", 2, 100, threshold=half, coin=np.arange(100) / 100)
    learner.label = "mine"
    learner.act("a")
    for t in range(50):
        learner.step(t % 2, "abc"[t % 3])
    other = pickle.loads(pickle.dumps(learner))
    assert type(other) is Named and other.label == "mine"
    for t in range(40):
        assert other.step(t % 2, "abcd"[t % 4]) == learner.step(t % 2, "abcd"[t % 4])
    with pytest.raises(lgkt.InputError, match="at least 100"):
        lgkt.KeyedLearner.load(learner.save(), half, np.zeros(99))
    with pytest.raises(lgkt.InputError, match="coin"):
        lgkt.KeyedLearner.load(learner.save(), half)
    with pytest.raises(lgkt.InputError):
        lgkt.Learner.load(learner.save(), half, np.zeros(100))


# ---- limits and refusals ----


def test_limits() -> None:
    learner = make(state_limit=2, key_limit=12)
    learner.act("a")
    learner.step(0.0, "b")
    data = learner.save()
    with pytest.raises(lgkt.InputError, match="the limit is 2 states"):
        learner.observe(0.0, "c")
    with pytest.raises(lgkt.InputError, match="a key of 13 bytes, but the limit is 12"):
        learner.observe(0.0, "x" * 11)
    assert learner.save() == data and learner.find("c") is None
    learner.observe(0.0, "a")


def test_limit_takes_no_memory() -> None:
    for spec in SPECS:
        large, small = make(spec, state_limit=2**24), make(spec, state_limit=64)
        for learner in (large, small):
            see(learner, 1)
        assert large.nbytes == small.nbytes < 10**6
    assert lgkt.KeyedLearner("random", 1000, 10).states == 0


@pytest.mark.parametrize(
    "kind, given",
    [
        (TypeError, {"spec": None}),
        (ValueError, {"spec": "random\0"}),
        (lgkt.InputError, {"spec": "nobody"}),
        (lgkt.InputError, {"actions": 0}),
        (lgkt.InputError, {"actions": -(2**40)}),
        (lgkt.InputError, {"horizon": 0}),
        (lgkt.InputError, {"state_limit": 0}),
        (lgkt.InputError, {"state_limit": 2**24 + 1}),
        (lgkt.InputError, {"state_limit": 2**60}),
        (lgkt.InputError, {"key_limit": -1}),
        (lgkt.InputError, {"key_limit": 2**64 - 1}),
        (TypeError, {"key_limit": 1.5}),
        (TypeError, {"secret": 3}),
        (TypeError, {"secret": b"short"}),
        (TypeError, {"model": None}),
        (TypeError, {"threshold": "x"}),
        (lgkt.InputError, {"threshold": [0.5, 0.5]}),
        (lgkt.InputError, {"coin": [0.5]}),
    ],
    ids=itertools.count(),
)
def test_refused_making(kind: type[Exception], given: dict[str, Any]) -> None:
    with pytest.raises(kind):
        lgkt.KeyedLearner(**{"spec": "lg1t", "actions": 2, "horizon": 10, **given})


def test_one_that_needs_a_model() -> None:
    with pytest.raises(lgkt.InputError, match="knows the true model"):
        make("optimal")


def test_refused_call_changes_nothing() -> None:
    learner = make("ucrl2")
    learner.act("a")
    data = learner.save()
    for reward in (float("nan"), float("inf"), 1e101, 10**400):
        with pytest.raises(lgkt.InputError):
            learner.observe(reward, "new")
    for wrong in ("0", None, 1j):
        with pytest.raises(TypeError):
            learner.step(wrong, "new")  # type: ignore[arg-type]
    with pytest.raises(lgkt.UseError):
        learner.act("new")
    with pytest.raises(TypeError):
        learner.observe(0.0)  # type: ignore[call-arg]
    assert learner.save() == data and learner.find("new") is None
    learner.observe(0.0, "b")
    data = learner.save()
    with pytest.raises(lgkt.UseError, match="another state"):
        learner.act("c")
    assert learner.save() == data
    for cut in range(0, len(data), 13):
        with pytest.raises(lgkt.InputError):
            lgkt.KeyedLearner.load(data[:cut])
        with pytest.raises(lgkt.InputError):
            lgkt.KeyedLearner.load(data[:cut] + bytes([data[cut] ^ 4]) + data[cut + 1 :])


def test_function_that_fails() -> None:
    def threshold(t: int, state: int, k: int) -> float:
        return 1 / max(20 - t, 0)

    learner = make("lg2t", threshold=threshold)
    learner.act(0)
    with pytest.raises(ZeroDivisionError):
        for t in range(100):
            learner.step(0.0, t % 3)
    with pytest.raises(RuntimeError, match="has failed"):
        learner.act(0)


def test_attributes() -> None:
    learner = make("lg2t")
    see(learner, ("a", 1))
    assert (learner.states, learner.actions, learner.horizon, learner.time) == (1, 3, 2000, 1)
    assert learner.spec.startswith("lg2t:") and isinstance(learner.counters, dict)
    assert "lgkt.KeyedLearner lg2t" in repr(learner) and "states=1" in repr(learner)


def test_feed() -> None:
    learner = lgkt.KeyedLearner("ucb", 2, 100)
    learner.feed("a", 1, 0.5, "b")
    learner.feed("b", 0, 0.5, ("c", 1), ended=True)
    assert (learner.states, learner.time) == (3, 0)
    assert learner.explain("a")["visits"].tolist() == [0, 1]
    before = learner.hash
    with pytest.raises(lgkt.InputError, match="action 2 is out of range"):
        learner.feed("d", 2, 0.5, "e")
    with pytest.raises(lgkt.Error, match="another one chose"):
        lgkt.KeyedLearner("sarsa", 2, 100).feed("a", 0, 0.0, "b")
    assert (learner.hash, learner.states) == (before, 3)
