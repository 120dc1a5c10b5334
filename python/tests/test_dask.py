# SPDX-License-Identifier: MIT
"""`lgkt.reproduce` on a local Dask cluster of two processes: the same files, whatever is lost."""

from __future__ import annotations

import copy
import os
import pickle
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wholes import tables, write

import lgkt
from lgkt import _dask

distributed = pytest.importorskip("distributed")

SMALL: dict[str, Any] = {
    "horizon": 20000, "instances": 40,
    "learners": {"all": [{"label": "A", "spec": "lg2t"}, {"label": "R", "spec": "random"}]},
    "panels": [{"name": "p", "environment": "riverswim", "learners": ["all"]},
               {"name": "q", "environment": "chain", "learners": ["all"], "instances": 7}]}


class Stop(Exception):
    pass


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                 silence_logs=50) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


def test_the_same_bytes_and_nothing_read_by_workers(
        tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file, prices = write(tmp_path), tmp_path / "parts" / "prices.csv"
    expected = tables(lgkt.reproduce(file, tmp_path / "here", prices=prices, keep_runs=True))
    # as relative paths, which lead nowhere for the workers
    monkeypatch.chdir(tmp_path)
    for large, out in ((_dask._LARGE, "small"), (0, "large")):
        monkeypatch.setattr(_dask, "_LARGE", large)
        _dask._made.clear()
        told: list[lgkt.Progress] = []
        folder = lgkt.reproduce("mine.json", out, prices="parts/prices.csv", keep_runs=True,
                                client=client, progress=told.append, seed=1 if large else None)
        assert tables(folder) == expected
        assert told[-1].steps_done == told[-1].steps > 0
        assert b'"jobs": 2' in (folder / "timings.json").read_bytes()
        # the text, not a function: workers would have to read this file for it
        client.run(eval, "__import__('lgkt._dask', None, None, ['work'])._made.clear()")
    # nothing to do: no worker is asked
    assert tables(lgkt.reproduce("mine.json", "small", prices="parts/prices.csv", keep_runs=True,
                                 client=client)) == expected


def test_lost_tasks_lost_workers_and_a_second_session(
        tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, SMALL | {"horizon": 50000})
    expected = tables(lgkt.reproduce(file, tmp_path / "here"))
    monkeypatch.setattr(_dask, "_SHORTEST", 0.01)
    monkeypatch.setattr(_dask, "_LONGEST", 0.01)
    # every fourth task fails like one whose workers died
    sent = client.submit
    count = 0

    def submit(function: Any, text: str, *given: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        return sent(function, "1 // 0" if count % 4 == 0 else text, *given, **more)

    monkeypatch.setattr(client, "submit", submit)
    told = 0

    def progress(now: lgkt.Progress) -> None:
        nonlocal told
        told += 1
        if told == 2:
            pid = next(iter(client.run(os.getpid, on_error="ignore").values()))
            os.kill(pid, signal.SIGKILL)
        if told == 6:
            raise Stop

    with pytest.raises(Stop):
        lgkt.reproduce(file, tmp_path / "out", client=client, progress=progress)
    assert not list((tmp_path / "out" / "mine").glob("*.csv"))
    assert tables(lgkt.reproduce(file, tmp_path / "out", client=client)) == expected
    assert count > 8


def test_errors_are_one_line(tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, SMALL)
    out = tmp_path / "out"

    def told(**change: Any) -> str:
        with monkeypatch.context() as patch:
            for name, value in change.items():
                patch.setattr(_dask, name, value)
            with pytest.raises(lgkt.Error) as why:
                lgkt.reproduce(file, out, client=client)
        assert "\n" not in str(why.value)
        return str(why.value)

    assert told(_VERSION="__import__('lgktx')").endswith(
        "has no lgkt: ModuleNotFoundError: No module named 'lgktx'")
    lines = """exec('raise ImportError("one" + chr(10) + "two")')"""
    assert told(_VERSION=lines).endswith("has no lgkt: ImportError: one")
    assert told(_VERSION="'0.0.9'").endswith(f"has lgkt 0.0.9, not {lgkt.__version__}")
    # one that is lost for good, and an error of the experiment itself
    lost = told(_BATCH="1 // 0", _PATIENCE=3)
    assert lost == "3 batches in a row were lost on the cluster: ZeroDivisionError: integer " \
                   "division or modulo by zero"
    raised = "exec('import lgkt; raise lgkt._errors.error(\"SPEC\", \"no such thing\")')"
    assert told(_BATCH=raised) == "no such thing"
    # answers that are none, and that bring nothing
    for text in ("7", "None", "(b'', b'')", "(b'', 3)", "[b'', bytes(8)]", "(b'',)", "{}"):
        assert told(_BATCH=text).startswith("a worker answered with no records: ")
    long = told(_BATCH="'x' * 9999", _PATIENCE=3)
    assert long.endswith("workers ask for the experiment again and again")
    for text in ("(b'', bytes(len(tasks)))", "(b'', b'\\xff' * len(tasks))"):
        assert told(_BATCH=text, _PATIENCE=3) == "3 batches in a row were lost on the cluster: " \
                                                "UseError: workers answer without a record"
    damaged = "(b'xx', bytes(len(tasks)))"
    assert told(_BATCH=damaged).startswith("records that were sent are damaged")
    # a worker whose experiment comes out another one
    dumps = pickle.dumps
    monkeypatch.setattr(pickle, "dumps", lambda both: dumps((both[0], "other")))
    assert "its lgkt is another one than here" in told()
    # one that computes other numbers: both are named
    monkeypatch.setattr(pickle, "dumps", lambda both: dumps(
        (both[0], re.sub(r"\nnumbers \d+\n", "\nnumbers 77\n", both[1]))))
    assert re.search(r'another one than here: "numbers \d+", not "numbers 77"$', told())
    monkeypatch.undo()
    with distributed.Client(client.scheduler.address, set_as_default=False) as closed:
        pass
    with pytest.raises(lgkt.UseError, match="^the cluster does not answer: [^\n]*$"):
        lgkt.reproduce(file, out, client=closed)
    for bad in (object(), "tcp://127.0.0.1:8786"):
        with pytest.raises(TypeError, match="must be a dask.distributed.Client"):
            lgkt.reproduce(file, out, client=bad)
    bad_file = copy.deepcopy(SMALL)
    bad_file["panels"][0]["environment"] = "riverswm"
    with pytest.raises(lgkt.InputError, match=r'panels\[0\].environment: .*"riverswim"'):
        lgkt.reproduce(write(tmp_path, bad_file, "bad.json"), out, client=client)
    assert tables(lgkt.reproduce(file, out, client=client)) == tables(
        lgkt.reproduce(file, tmp_path / "here"))


def test_without_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError, match=r'^client needs dask.distributed: pip install '
                                                  r'"lgkt\[dask\]"$'):
        lgkt.reproduce(write(tmp_path, SMALL), tmp_path / "out", client=object())


# ---- what goes into a task ----


def left(counts: list[int], steps: list[float]) -> _dask._Left:
    panels = np.repeat(np.arange(len(counts)), counts)
    return _dask._Left(np.arange(sum(counts)), panels, np.array(steps))


def test_tasks_last_long_enough_and_lose_nothing() -> None:
    rng = np.random.default_rng(5)
    for threads, panels in ((1, 1), (2, 3), (2, 60), (16, 40)):
        counts = rng.integers(1, 200, panels)
        seconds = 10.0 ** rng.uniform(-4, 0.7, panels)
        steps = seconds * rng.uniform(0.5, 2.0, panels)  # a guess that is off by up to two
        first = np.concatenate([[0], np.cumsum(counts)])
        plan = left(counts.tolist(), steps.tolist())
        played = np.zeros(first[-1], int)
        lasted = []
        while len(units := plan.take(threads)[0]):
            limit = 2 * _dask._SHORTEST
            part = np.searchsorted(first, units, "right") - 1
            begin = np.concatenate([[0.0], np.cumsum(seconds[part])[:-1]])
            here = begin <= limit
            here[0] = True
            played[units[here]] += 1
            lasted.append(seconds[part[here]].sum())
            plan.measure(part[here], seconds[part[here]])
            plan.give_back(units[~here], part[~here])
        assert np.all(played == 1)
        # but for the first round and the last task of all
        assert np.sum(np.array(lasted) < 1.0) <= 2 * threads + 2
        assert max(lasted) < 2 * _dask._SHORTEST + seconds.max()
