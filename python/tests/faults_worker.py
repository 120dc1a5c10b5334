# SPDX-License-Identifier: MIT
"""Run by test_faults.py with failing_malloc preloaded: every allocation of every call fails once.

Small objects of Python's do not come from malloc; test_faults.py lets those fail in another way.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lgkt
import lgkt._arrays  # not while memory fails
from lgkt import _core
from lgkt.reproduce import _asked

shim = ctypes.PyDLL(None)
shim.fail_at.argtypes = [ctypes.c_long, ctypes.c_int]
fail_at, has_failed = shim.fail_at, shim.has_failed


def sweep(
    name: str,
    make: Callable[[], Any],
    call: Callable[[Any], Any],
    check: Callable[[Any, bool], None],
    lasting: int,
) -> None:
    for n in range(1, 2000):
        thing = make()
        done = True
        try:
            fail_at(n, lasting)
            call(thing)
        except (MemoryError, SystemError, lgkt.UseError) as why:
            # NumPy forgets to say what went wrong; a thread needs memory, too
            assert isinstance(why, MemoryError) or name.startswith(
                ("feed", "run", "trace", "play"))
            done = False
        finally:
            fail_at(0, 0)
        failed = has_failed()
        assert failed or done
        check(thing, done)
        if not failed:
            # records that were sent are appended as they are
            assert n > 1 or name.startswith(("save", "append")), f"{name}: no allocation was seen"
            print(f"{name}: {n - 1} allocations")
            return
    raise AssertionError(f"{name}: no end")


def keyed(spec: str) -> Any:
    learner = lgkt.KeyedLearner(spec, 3, 1000)
    learner.act(0)
    for i in range(1, 64):  # the next new key makes every table grow
        learner.step(0.5, i)
    return learner, learner.save()


def grown(thing: Any, done: bool) -> None:
    learner, before = thing
    assert done or learner.save() == before
    if not done:
        assert learner.find(KEY) is None
        learner.observe(0.5, KEY)
    assert learner.find(KEY) == 64 and learner.time == 64
    learner.act(KEY)


def same(thing: Any, done: bool) -> None:
    learner, before = thing
    assert learner.save() == before


def longer(thing: Any) -> None:
    thing[0].horizon = 2000


def retimed(thing: Any, done: bool) -> None:
    learner, before = thing
    assert learner.horizon == (2000 if done else 1000) and (done or learner.save() == before)


def fed(learner: Any, done: bool) -> None:
    if not done:
        learner.feed(*ROWS)  # usable: some rows were fed, or none
    learner.act(0)


def nothing(thing: Any, done: bool) -> None:
    pass


def nobody() -> None:
    pass


def shut() -> Any:
    """An experiment without a folder."""
    shutil.rmtree(OUT, ignore_errors=True)
    return ASKED.make(SOURCE)


def folder() -> Any:
    """An experiment with an empty journal."""
    ready = shut()
    ready.open(OUT)
    return ready


def filled() -> Any:
    ready = folder()
    assert ready.append(RECORDS) == 3
    return ready


def appended(ready: Any, done: bool) -> None:
    assert ready.append(RECORDS) <= (0 if done else 3) and len(ready.missing()) == 0
    ready.tabulate(OUT, False, 1, 0.0, 3)
    assert (OUT / "summary.csv").read_bytes() == SUMMARY


def tabulated(ready: Any, done: bool) -> None:
    assert (OUT / "manifest.json").exists() == done
    if not done:
        ready.close()
        ready.open(OUT)
        ready.tabulate(OUT, True, 1, 0.0, 3)
    assert (OUT / "summary.csv").read_bytes() == SUMMARY


KEY = ("new", 64, "x" * 300)
ROWS = tuple(np.zeros(200, "i8") for _ in range(4))
TIMES = np.arange(1, 40)
TAPE = np.full((200, 4), 0.5)
SEEN = tuple(map(np.array, ([0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1.0, 0, 0, 1], [1, 0, 0, -1])))
LAW = np.full((2, 2), 0.5)
BELIEVED = (np.arange(5), np.array([1, 0, 0, 1]), np.ones(4), np.ones((3, 2, 2)))
START = np.array([1.0, 0])
MODEL = lgkt.Env("riverswim:states=5").model
assert MODEL is not None
OUT = Path(tempfile.mkdtemp()) / "out"
FILE = OUT.parent / "small.json"
MODEL.write(OUT.parent / "own.json")
FILE.write_text(json.dumps({
    "horizon": 40, "instances": 3, "measure": ["average", "event:e"],
    "events": {"e": "model:file=own.json"}, "learners": {"l": [
        {"label": "R", "spec": "random", "style": {"color": "#000000"}},
        {"label": "{k}", "spec": "lgkt:k={k}", "grid": {"k": [1]}}]},
    "panels": [{"name": "p", "environment": "model:file=own.json", "learners": ["l"]}]}))
DATA = FILE.read_bytes()
SAID, OWN = json.loads(DATA), json.loads((OUT.parent / "own.json").read_text())
ASKED, SOURCE = _asked(FILE, None, False, None, None)
RECORDS, _ = ASKED.make(SOURCE).play([0, 1, 2], 1)
filled().tabulate(OUT, False, 1, 0.0, 3)
SUMMARY = (OUT / "summary.csv").read_bytes()
for lasting in (0, 1):
    for spec in ("auto", "lg2t", "psrl", "ucrl2", "q-learning", "random"):
        new = lgkt.Learner(spec, 100, 3, 100)
        data, keyed_data = new.save(), keyed(spec)[1]
        calls: list[tuple[str, Callable[[], Any], Callable[[Any], Any], Any]] = [
            ("create", nobody, lambda _: lgkt.Learner(spec, 5, 3, 100), nothing),
            ("load", nobody, lambda _: lgkt.Learner.load(data), nothing),
            ("save", lambda: (new, data), lambda both: both[0].save(), same),
            ("create keyed", nobody, lambda _: lgkt.KeyedLearner(spec, 3, 100), nothing),
            ("load keyed", nobody, lambda _: lgkt.KeyedLearner.load(keyed_data), nothing),
            ("save keyed", lambda: keyed(spec), lambda both: both[0].save(), same),
            ("explain keyed", lambda: keyed(spec), lambda both: both[0].explain_all(), same),
            ("horizon", lambda: keyed(spec), longer, retimed),
            ("create units", nobody, lambda _: lgkt.Units(spec, 5, 3, 100, 4), nothing),
            ("grow", lambda: keyed(spec), lambda both: both[0].observe(0.5, KEY), grown),
        ]
        for name, make, call, check in calls:
            sweep(f"{name} {spec}", make, call, check, lasting)
    for spec in ("ucrl2", "psrl"):
        sweep(
            f"feed {spec}",
            lambda: lgkt.Learner(spec, 5, 3, 100),
            lambda learner: learner.feed(*ROWS),
            fed,
            lasting,
        )
    for learners in ((), ("auto", "lg2t")):
        sweep(
            f"run {len(learners)}",
            nobody,
            lambda _: _core.run("riverswim", None, learners, 50, 3, 1, 1, True, TIMES, (2, 0.5)),
            nothing,
            lasting,
        )
    for law in (None, LAW):
        sweep(
            "run on rows",
            nobody,
            lambda _: _core.replay("lg2t", 2, 2, *SEEN, 9, 2, 1, 1, probabilities=law,
                                   checkpoints=TIMES),
            nothing,
            lasting,
        )
    sweep(
        "run in drawn models",
        nobody,
        lambda _: _core.simulate_models(("lg2t",), *BELIEVED, START, 0.0, 1.0, 9, 2, 2, 1, 1),
        nothing,
        lasting,
    )
    sweep(
        "trace",
        lambda: lgkt.Learner("ucrl2", 5, 2, 300),
        lambda learner: _core.trace(MODEL, TAPE, learner),
        nothing,
        lasting,
    )
    sweeps: list[tuple[str, Callable[[], Any], Callable[[Any], Any], Any]] = [
        ("experiment", nobody, lambda _: _core.read_experiment(SAID, DATA, b"small.json"), nothing),
        ("model", nobody, lambda _: _core.read_model(lgkt.Model, OWN, b"own.json"), nothing),
        ("model text", nobody, lambda _: _core.print_model(MODEL, "a", "b"), nothing),
        ("ready", nobody, lambda _: ASKED.make(SOURCE), nothing),
        ("play", lambda: ASKED.make(), lambda ready: ready.play([0, 2], 1), nothing),
        ("open", shut, lambda ready: ready.open(OUT), nothing),
        ("run in folder", folder, lambda ready: ready.run(1), appended),
        ("append", folder, lambda ready: ready.append(RECORDS), appended),
        ("tabulate", filled, lambda ready: ready.tabulate(OUT, True, 1, 0.0, 3), tabulated),
    ]
    for name, make, call, check in sweeps:
        sweep(name, make, call, check, lasting)
shutil.rmtree(OUT.parent)
