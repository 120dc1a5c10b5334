# SPDX-License-Identifier: MIT
"""What goes wrong elsewhere: no memory, leaks."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lgkt

HERE = Path(__file__).parent


@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD and glibc")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="it has its own malloc")
def test_failing_allocations(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    shim = tmp_path / "failing_malloc.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(shim), str(HERE / "failing_malloc.c")],
        check=True,
    )
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "LD_PRELOAD": " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(shim)])),
    }
    done = subprocess.run(
        [sys.executable, str(HERE / "faults_worker.py")], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert done.stdout.count("allocations") == 2 * (6 * 10 + 17)


def test_python_without_memory() -> None:
    testcapi = pytest.importorskip("_testcapi")
    learner = lgkt.Learner("ucrl2", 5, 2, 1000, threshold=None)
    keyed = lgkt.KeyedLearner("ucrl2", 2, 1000)
    rows = [np.zeros(3, "i8")] * 4
    calls: list[Callable[[], Any]] = [
        lambda: lgkt.Learner("lg2t", 5, 2, 10, threshold=rows[0], coin=rows[0]),
        lambda: lgkt.Learner("nobody", 5, 2, 10),
        lambda: lgkt.KeyedLearner("lg2t", 2, 10, coin=rows[0]),
        learner.save,
        keyed.save,
        learner.__reduce__,
        keyed.__reduce__,
        lambda: learner.counters,
        lambda: repr(keyed),
        lambda: learner.feed(*rows),
        lambda: keyed.find((1, "x" * 300, 2**300)),
        lambda: keyed.find(np.arange(3)),
        lambda: learner.act("x"),  # type: ignore[arg-type]
        lambda: learner.act(2**100),
    ]
    for call in calls:
        for n in range(100):
            testcapi.set_nomemory(n, n + 1)
            try:
                call()
            except Exception:
                pass
            finally:
                testcapi.remove_mem_hooks()
    assert learner.act(0) in (0, 1) and keyed.act("a") in (0, 1)


# ---- leaks ----


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cycle(i: int) -> None:
    """A bit of everything, what is refused as well."""
    learner = lgkt.Learner("lg2t", 5, 2, 10, threshold=[0.5] * 5, coin=np.full(10, 0.5))
    learner.act(0)
    learner.step(0.5, 1)
    keyed = lgkt.KeyedLearner("ucrl2", 2, 10)
    keyed.act((i, "x" * 300, np.int64(3)))
    keyed.step(0.5, np.arange(5))
    for wrong in (
        lambda: learner.observe(0.5, 9),
        lambda: learner.observe("x", 1),  # type: ignore[arg-type]
        lambda: keyed.act([]),  # type: ignore[arg-type]
        lambda: lgkt.Learner("nobody", 5, 2, 10),
        lambda: lgkt.Learner("lg2t", 5, 2, 10, threshold=[0.5], coin=[2.0]),
        lambda: lgkt.Learner.load(b"x"),
    ):
        with pytest.raises((TypeError, lgkt.Error)):
            wrong()
    if i % 10 == 0:
        pickle.loads(pickle.dumps((learner, keyed)))
        learner = copy.deepcopy(learner)
        learner.observe(0.5, 1)
        learner.feed(*[np.zeros(3, "i8")] * 4)


def test_many_cycles_leave_nothing() -> None:
    for i in range(500):
        cycle(i)
    gc.collect()
    objects, blocks = len(gc.get_objects()), sys.getallocatedblocks()
    for i in range(1000):
        cycle(i)
    gc.collect()
    # Python's own caches grow by a few; a leak would show in every cycle
    assert len(gc.get_objects()) - objects < 100
    assert sys.getallocatedblocks() - blocks < 600


def test_references() -> None:
    """What is passed in has as many references afterwards as before."""
    coin, threshold, key = np.full(10, 0.5), np.full(5, 0.5), ("a", np.arange(300), 2**100)
    text, rows, reward = "lg2t", [np.zeros(3, "i8")] * 4, 0.123
    things = [coin, threshold, key, text, rows[0], reward, lgkt.Learner]
    things += [lgkt.KeyedLearner, lgkt.InputError]
    if sys.version_info < (3, 12):  # these are immortal later, and not all count them
        things += [None, True]

    def work() -> None:
        learner = lgkt.Learner(text, 5, 2, 10, threshold=threshold, coin=coin)
        learner.act(0)
        learner.observe(reward, 1, True)
        learner.feed(*rows)
        keyed = lgkt.KeyedLearner("ucrl2", 2, 10, threshold=None)
        keyed.act(key)
        keyed.step(reward, key, True)
        assert learner.next_state is None and keyed.find(3) is None
        with pytest.raises(lgkt.InputError):
            keyed.observe(float("nan"), key)

    work()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(100):
        work()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in things]
    assert all(abs(b - a) < 50 for a, b in zip(before, after, strict=True)), (before, after)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="it keeps freed memory")
def test_creations_leave_memory_flat() -> None:
    def many(count: int) -> None:
        for i in range(count):
            lgkt.Learner("lg2t", 5, 2, 1000, seed=i).act(0)
            lgkt.KeyedLearner("auto", 2, 1000, seed=i).act(i)

    many(500)
    before = resident()
    many(4000)
    assert resident() - before < 2**20
