# SPDX-License-Identifier: MIT
"""`lgkt.reproduce` on threads: the folders of the command, and its words for mistakes."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import needs_command
from wholes import EVERYTHING, command, tables, write

import lgkt
from lgkt import _core
from lgkt.reproduce import Asked, _asked

SMALL: dict[str, Any] = {
    "horizon": 300, "instances": 6,
    "learners": {"all": [{"label": "A", "spec": "lg2t"}, {"label": "R", "spec": "random"}]},
    "panels": [{"name": "p", "environment": "riverswim", "learners": ["all"]},
               {"name": "q", "environment": "chain", "learners": ["all"], "instances": 3}]}


class Stop(Exception):
    pass


def asked(file: Path, **more: Any) -> tuple[Asked, tuple[str, bytes] | None]:
    given = {"replicates": None, "quick": False, "seed": None, "prices": None} | more
    return _asked(file, **given)


def ready(file: Path) -> _core.Reproduction:
    made, source = asked(file)
    return made.make(source)


# ---- the same files ----


@needs_command
@pytest.mark.parametrize("options, given", [
    ((), {}),
    (("--quick", "--keep-runs", "-s", "9"), {"quick": True, "keep_runs": True, "seed": 9}),
    (("-n", "3"), {"replicates": 3, "jobs": 2}),
])
def test_same_bytes_as_the_command(tmp_path: Path, options: tuple[str, ...],
                                   given: dict[str, Any]) -> None:
    file, prices = write(tmp_path), tmp_path / "parts" / "prices.csv"
    done = command(file, tmp_path / "a", "--prices", str(prices), *options)
    assert done.returncode == 0, done.stderr
    folder = lgkt.reproduce(file, tmp_path / "b", prices=prices, **given)
    assert folder == tmp_path / "b" / "mine"
    theirs, ours = tables(tmp_path / "a" / "mine"), tables(folder)
    assert list(theirs) == list(ours) and len(ours) >= 4
    for name in theirs:
        assert theirs[name] == ours[name], name
    # and it is complete: the command has nothing to do there, and Python has not
    done = command(file, tmp_path / "b", "--prices", str(prices), *options)
    assert done.returncode == 0 and tables(folder) == theirs
    assert b'"session_instances": 0' in (folder / "timings.json").read_bytes()


@needs_command
def test_each_goes_on_where_the_other_ended(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    assert command(file, tmp_path / "whole").returncode == 0
    expected = tables(tmp_path / "whole" / "mine")
    for first in ("command", "python"):
        out = tmp_path / first
        if first == "command":
            done = command(file, out, "--shard", "2/3")
            assert done.returncode == 0
            (out / "mine" / "journal-2-of-3.bin").rename(out / "mine" / "journal.bin")
        else:
            made = ready(file)
            made.open(out / "mine")
            made.append(made.play(made.missing()[::2], 1)[0])
            made.close()
        found = ready(file)
        found.open(out / "mine")
        missing = len(found.missing())
        assert 0 < missing < found.tasks
        found.close()
        if first == "command":
            lgkt.reproduce(file, out)
        else:
            assert command(file, out).returncode == 0
        assert tables(out / "mine") == expected
        timings = (out / "mine" / "timings.json").read_text()
        assert f'"session_instances": {missing}' in timings


def test_an_exception_keeps_what_is_finished(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL | {"horizon": 1000000, "instances": 6})
    expected = tables(lgkt.reproduce(file, tmp_path / "whole"))
    told: list[float] = []

    def progress(now: lgkt.Progress) -> None:
        told.append(now.steps_done)
        if now.steps_done > 0.3 * now.steps:
            raise Stop

    with pytest.raises(Stop):
        lgkt.reproduce(file, tmp_path / "cut", jobs=1, progress=progress)
    assert told and not list((tmp_path / "cut" / "mine").glob("*.csv"))
    made = ready(file)
    made.open(tmp_path / "cut" / "mine")
    assert 0 < len(made.missing()) < made.tasks
    made.close()
    assert tables(lgkt.reproduce(file, tmp_path / "cut")) == expected


def test_interrupts_end_it(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL | {"horizon": 2 * 10**7})
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        lgkt.reproduce(file, tmp_path / "out", jobs=2)


def test_an_experiment_that_was_changed_has_no_source(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    given = lgkt.experiment.read(file)
    whole = tables(lgkt.reproduce(given, tmp_path / "a"))
    assert whole == tables(lgkt.reproduce(file, tmp_path / "b"))
    assert b'"source": {"file": "mine.json", "hash": "fnv1a64:' in whole["manifest.json"]
    changed = replace(given, panels=given.panels[:1])
    part = tables(lgkt.reproduce(changed, tmp_path / "c"))
    assert b'"source"' not in part["manifest.json"]
    assert whole["curves.csv"].startswith(part["curves.csv"])


@needs_command
def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "b\udcff"
    folder.mkdir()
    file = write(folder)
    assert command(file, tmp_path / "a", "--quick").returncode == 0
    made = lgkt.reproduce(file, tmp_path / "b", quick=True)
    assert tables(made) == tables(tmp_path / "a" / "mine")
    # within a spec it would be one, and such a name one of the result files
    with pytest.raises(lgkt.InputError, match="^prices: it is no UTF-8$"):
        lgkt.reproduce(file, tmp_path / "c", prices=folder / "parts" / "prices.csv")
    lines = tmp_path / "two\nlines"
    lines.mkdir()
    with pytest.raises(lgkt.InputError, match="^folder: it has a control character"):
        lgkt.reproduce(write(lines), tmp_path / "c")
    with pytest.raises(lgkt.InputError, match="^name: it is no UTF-8$"):
        lgkt.reproduce(write(tmp_path, name="\udcff.json"), tmp_path / "c")


# ---- refusals ----


@needs_command
@pytest.mark.parametrize("place, value", [
    ("environment", "riverswm"),
    ("environment", "model:file=lost.json"),
    ("environment", "model:file=parts"),
    ("environment", "parts/own.json"),
    ("environment", "trading:file=lost.csv"),
    ("environment", "trading:file=mine.json"),
    ("environment", "changing:before=(gap),after=(model:file=lost.json),at=9"),
    ("learner", "lg2t:treshold=1"),
    ("measure", "counter:nothing"),
    ("measure", ["event:x"]),
    ("units", {"count": 7}),
])
def test_refusals_are_those_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                           place: str, value: Any) -> None:
    data = copy.deepcopy(SMALL)
    if place == "learner":
        data["learners"]["all"][1]["spec"] = value
    else:
        data["panels"][1][place] = value
    if value == ["event:x"]:
        data["panels"][1]["events"] = {"x": "model:file=lost.json"}
    write(tmp_path, data)
    monkeypatch.chdir(tmp_path)
    done = command(Path("mine.json"), tmp_path / "a")
    with pytest.raises(lgkt.Error) as why:
        lgkt.reproduce("mine.json", tmp_path / "b")
    said = done.stderr.strip().removeprefix("lgkt: reproduce: ")
    assert str(why.value).lower() == said.lower() and said
    assert pickle.loads(pickle.dumps(why.value)).status == why.value.status
    assert not (tmp_path / "b").exists()


def test_bad_arguments(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    for given, words in (
        ({"jobs": 0}, "jobs: 0 is not in 1 .. 1024"),
        ({"replicates": 0}, "replicates: 0 is not in 1 .. 10000000"),
        ({"replicates": 2**70}, "far out of range"),
        ({"seed": -1}, "seed: -1 is far out of range"),
        ({"client": object(), "jobs": 2}, "jobs are threads here"),
    ):
        with pytest.raises(lgkt.InputError, match=words):
            lgkt.reproduce(file, tmp_path / "out", **given)  # type: ignore[arg-type]
    with pytest.raises(lgkt.InputError, match="has no part in a quick run"):
        lgkt.reproduce(write(tmp_path, SMALL | {"quick": 0}, "slow.json"), quick=True)
    with pytest.raises(lgkt.InputError, match='unknown experiment "forzenlake"; did you mean'):
        lgkt.reproduce("forzenlake")
    with pytest.raises(TypeError):
        lgkt.reproduce(file, tmp_path / "out", progress="yes")  # type: ignore[arg-type]
    given = lgkt.experiment.read(file)
    for name in ("", "..", "a/b"):
        with pytest.raises(lgkt.InputError, match="no name of an experiment"):
            lgkt.reproduce(replace(given, name=name), tmp_path)


@pytest.mark.robust
def test_objects_that_no_file_could_make(tmp_path: Path) -> None:
    given = lgkt.experiment.read(write(tmp_path))
    panel = given.panels[1]
    entry = panel.entries[0]
    units = given.panel("crowd").units
    assert units is not None
    for change in (
        {"measures": ()}, {"measures": ("none",)}, {"measures": ("counter:",)},
        {"measures": ("average",) * 9}, {"measures": ("ratio", "average")}, {"measures": (3,)},
        {"regret": None}, {"regret": (0, 1.0)}, {"regret": (1,)}, {"regret": (1, float("nan"))},
        {"entries": ()}, {"entries": (entry,) * 1001}, {"entries": None}, {"entries": (None,)},
        {"entries": (replace(entry, spec="a\0b"),)}, {"entries": (replace(entry, label="a\nb"),)},
        {"entries": (replace(entry, spec=7),)}, {"entries": (replace(entry, style=None),)},
        {"entries": (replace(entry, style={"width": "x"}),)},
        {"entries": (replace(entry, grid="x", cell={}),)},
        {"entries": (replace(entry, grid="x", cell={"a": None}),)},
        {"compare": tuple(range(1, 17))}, {"compare": (5, 5)}, {"compare": (-1,)},
        {"checkpoints": tuple(range(1, 201))}, {"checkpoints": (3, 2)}, {"checkpoints": None},
        {"horizon": 0}, {"horizon": 10**13}, {"instances": -1}, {"quick": 2 * 10**7},
        {"environment": None}, {"events": {"x": 1}}, {"events": 7}, {"name": b"x"},
        {"units": replace(units, count=0)}, {"units": replace(units, late=float("nan"))},
        {"units": replace(units, missing=2.0)}, {"units": 7}, {"place": -1},
    ):
        bad = replace(given, panels=(given.panels[0], replace(panel, **change)))  # type: ignore[arg-type]
        with pytest.raises((lgkt.Error, TypeError, AttributeError)):
            lgkt.reproduce(bad, tmp_path / "out")
    for more in ({"panels": ()}, {"panels": None}, {"title": None}, {"order": "x"}):
        with pytest.raises((lgkt.Error, TypeError)):
            lgkt.reproduce(replace(given, **more), tmp_path / "out")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


@needs_command
def test_folders_of_others(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    out = tmp_path / "out"
    lgkt.reproduce(file, out)
    journal = out / "mine" / "journal.bin"
    before = journal.read_bytes()

    def same_words(**given: Any) -> None:
        options = ["-s", "2"] if given else []
        done = command(file, out, *options)
        with pytest.raises(lgkt.Error) as why:
            lgkt.reproduce(file, out, **given)
        assert done.stderr.strip() == f"lgkt: reproduce: {why.value}"

    same_words(seed=2)
    assert journal.read_bytes() == before
    damaged = bytearray(before)
    damaged[len(before) // 2] ^= 1
    journal.write_bytes(damaged)
    same_words()
    assert journal.read_bytes() == damaged
    journal.unlink()
    same_words()
    journal.write_bytes(before)
    lgkt.reproduce(file, out)
    made = ready(file)
    made.open(out / "mine")
    assert "in use by another process" in command(file, out).stderr
    made.close()
    (tmp_path / "file").write_text("")
    with pytest.raises(lgkt.InputError, match="Not a directory"):
        lgkt.reproduce(file, tmp_path / "file" / "out")


def test_two_threads_in_one_folder(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL | {"horizon": 2 * 10**6})

    def second(now: lgkt.Progress) -> None:
        with pytest.raises(lgkt.UseError, match="in use by another thread"):
            lgkt.reproduce(file, tmp_path / "out")
        raise Stop

    with pytest.raises(Stop):
        lgkt.reproduce(file, tmp_path / "out", jobs=1, progress=second)


def test_a_full_disk(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    expected = tables(lgkt.reproduce(file, tmp_path / "whole"))
    size = (tmp_path / "whole" / "mine" / "journal.bin").stat().st_size
    program = ("import lgkt, sys, resource\n"
               "for limit in map(int, sys.argv[3:]):\n"
               "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))\n"
               "    try:\n        lgkt.reproduce(sys.argv[1], sys.argv[2])\n"
               "    except lgkt.Error as why:\n        print(why.status, why)\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program, str(file), str(tmp_path / "out"),
                           str(size // 2), str(size)], env=env, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    for line in lines:
        assert line.startswith("IO ") and "the same call goes on from there" in line
        assert "File too large" in line
    assert tables(lgkt.reproduce(file, tmp_path / "out")) == expected


# ---- units played elsewhere ----


@pytest.mark.robust
def test_units_in_any_order_and_twice(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    expected = tables(lgkt.reproduce(file, tmp_path / "whole"))
    made, other = ready(file), ready(file)
    assert made.tasks == 9 and made.first.tolist() == [0, 6, 9]
    assert made.identity == other.identity and made.identity.startswith("experiment mine\n")
    folder = tmp_path / "out" / "mine"
    made.open(folder)
    with pytest.raises(lgkt.UseError, match="a folder is open"):
        made.open(folder)
    rng = np.random.default_rng(1)
    added = 0
    for _ in range(4):
        units = rng.permutation(made.missing())[:4]
        again = rng.integers(0, 9, 2)
        records, seconds = other.play([*units, *again], 2)
        assert np.all(seconds > 0) and len(seconds) == len(units) + 2
        new = len(np.setdiff1d([*units, *again], np.setdiff1d(np.arange(9), made.missing())))
        assert made.append(records) == new
        added += new
        if added < 9:
            with pytest.raises(lgkt.UseError, match="instances are missing"):
                made.tabulate(folder, False, 1, 0.0, 0)
    made.append(other.play(made.missing(), 1)[0])
    made.sync(100.0)
    made.sync()
    assert made.missing().tolist() == [] and made.append(b"") == 0
    made.tabulate(folder, False, 1, 0.0, 9)
    assert tables(folder) == expected
    for call in (made.missing, made.sync, lambda: made.append(b""), lambda: made.run(1)):
        with pytest.raises(lgkt.UseError, match="no folder is open"):
            call()
    made.close()
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(made)


def test_time_that_is_limited(tmp_path: Path) -> None:
    made = ready(write(tmp_path, SMALL))
    records, seconds = made.play(np.arange(9), 1, 0.0)
    assert seconds[0] > 0 and np.all(np.isnan(seconds[1:]))
    assert records[:-8] and struct.unpack("<Q", records[:8])[0] == len(records) - 24
    assert made.play([], 1)[0] == b""
    told: list[float] = []
    long = ready(write(tmp_path, SMALL | {"horizon": 2 * 10**6}))

    def progress(done: float) -> None:
        told.append(done)
        raise Stop

    with pytest.raises(Stop):
        long.play([0, 1], 2, progress=progress)
    assert len(told) == 1


@pytest.mark.robust
def test_damaged_records(tmp_path: Path) -> None:
    file = write(tmp_path, SMALL)
    made = ready(file)
    made.open(tmp_path / "out")
    records, _ = made.play([1, 7], 1)
    others = ready(write(tmp_path, SMALL | {"horizon": 900}, "other.json"))
    size = (tmp_path / "out" / "journal.bin").stat().st_size
    rng = np.random.default_rng(2)
    for n in range(200):
        data = bytearray(records)
        if n < 60:
            del data[int(rng.integers(1, len(data))):]
        else:
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        # a cut between two records is none
        if len(data) * 2 == len(records):
            continue
        with pytest.raises(lgkt.InputError, match="damaged at byte"):
            made.append(bytes(data))
    with pytest.raises(lgkt.InputError, match="belongs to no instance"):
        made.append(records + others.play([0], 1)[0])
    with pytest.raises(TypeError):
        made.append("x")  # type: ignore[arg-type]
    assert (tmp_path / "out" / "journal.bin").stat().st_size == size
    assert made.append(records) == 2
    for units in ([9], [-1], [[0]], [0.5], ["x"]):
        with pytest.raises((lgkt.Error, TypeError)):
            made.play(units, 1)
    with pytest.raises(lgkt.InputError, match="jobs: 1025 is not in"):
        made.play([0], 1025)


def test_threads_share_an_experiment(tmp_path: Path) -> None:
    """As the threads of a worker do."""
    made = ready(write(tmp_path, EVERYTHING))
    alone = [made.play([unit], 1)[0] for unit in range(0, made.tasks, 5)]
    found: dict[int, bytes] = {}

    def work(unit: int) -> None:
        found[unit] = made.play([unit], 1)[0]

    threads = [threading.Thread(target=work, args=[u]) for u in range(0, made.tasks, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made.open(tmp_path / "out")
    for unit, records in zip(range(0, made.tasks, 5), alone, strict=True):
        assert len(found[unit]) == len(records)
        # but for the seconds and the checksum the same
        same = np.frombuffer(found[unit], "u8") == np.frombuffer(records, "u8")
        assert np.count_nonzero(~same) <= 8
        assert made.append(found[unit]) == 1
