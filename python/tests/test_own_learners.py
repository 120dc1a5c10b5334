# SPDX-License-Identifier: MIT
"""Learners written in Python in experiment files: the numbers of `lgkt.run`, the same files whoever
played what, and what is refused."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import COMMAND, needs_command
from own_learners import First
from wholes import tables

import lgkt
from lgkt import _own

HERE = str(Path(__file__).parent)
FIRST, WRAPPED = "python:own_learners:First", "python:own_learners:Wrapped"
OWN: dict[str, Any] = {
    "horizon": 700, "instances": 6,
    "learners": {
        "own": [{"label": "first", "spec": FIRST},
                {"label": "W", "spec": f"{WRAPPED}:spec=lg2t"},
                {"label": "A {a}", "spec": FIRST + ":action={a}", "grid": {"a": [0, 1]}}],
        "library": [{"label": "L", "spec": "lg2t"}],
        "records": [{"label": "R", "spec": "python:own_learners:Records"}]},
    "panels": [
        {"name": "p", "environment": "riverswim", "learners": ["own", "library"],
         "measure": ["regret", "average", "cumulative", "counter:acts"],
         "regret": {"k": 2, "threshold": 1.0}, "checkpoints": [3, 513, 600]},
        {"name": "q", "environment": "frozenlake", "learners": ["library", "own"],
         "measure": ["average", "event:x"], "events": {"x": "frozenlake"}, "untold": True},
        {"name": "r", "environment": "contextual", "learners": ["records"], "instances": 2}]}


def write(folder: Path, data: Any = OWN) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "own.json").write_text(json.dumps(data))
    return folder / "own.json"


def values(folder: Path) -> dict[tuple[str, str, str], float]:
    """The means of summary.csv by panel, learner and measure."""
    with open(folder / "summary.csv", newline="") as file:
        return {(row["panel"], row["learner"], row["measure"]): float(row["mean"] or "nan")
                for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    return lgkt.reproduce(write(folder), folder / "out", jobs=1)


def test_the_numbers_of_run(made: Path) -> None:
    found = values(made)
    for panel in lgkt.experiment.read(made.parents[1] / "own.json").panels[:2]:
        result = panel.run()
        for one in result:
            assert found[panel.name, one.label, "reward"] == one.mean
            assert found[panel.name, one.label, "score"] == one.score
            if result.regret is not None:
                assert found["p", one.label, "regret"] == pytest.approx(one.regret.mean())
        # as if it were itself a learner of the library, to the last digit
        for measure in ("average", "cumulative", "regret", "event:x", "worst_tenth"):
            if (panel.name, "W", measure) in found:
                assert found[panel.name, "W", measure] == found[panel.name, "L", measure]
    assert found["p", "first", "counter:acts"] == 700
    assert np.isnan(found["p", "W", "counter:acts"])
    assert found["p", "first", "reward"] == found["p", "A 0", "reward"]
    said = json.loads((made / "manifest.json").read_text())
    first = said["panels"][0]["learners"][0]
    assert first["spec"] == first["resolved"] == FIRST
    assert first["counters"] == {"acts": 700, "seen": 700}


def test_a_class_as_for_run() -> None:
    a = lgkt.run("chain", {"a": f"{FIRST}:action=1"}, 300, 3)
    b = lgkt.run("chain", {"a": lambda problem: First(problem, 1)}, 300, 3)
    assert np.array_equal(a.reward, b.reward) and a.specs == (None,)


def test_actions_that_are_not_allowed(tmp_path: Path) -> None:
    river = lgkt.Env("riverswim:states=4").model
    assert river is not None
    mask = np.ones(river.R.shape, bool)
    mask[1, 0] = mask[3, 1] = False
    lgkt.Model(river.P, np.where(mask, river.R, 0.0), allowed=mask).write(tmp_path / "m.json")
    data = OWN | {"panels": [{"name": "m", "environment": "model:file=m.json",
                              "learners": ["both"]}],
                  "learners": {"both": [{"label": "W", "spec": f"{WRAPPED}:spec=auto"},
                                        {"label": "L", "spec": "auto"}]}}
    found = values(lgkt.reproduce(write(tmp_path, data), tmp_path / "out", jobs=1))
    assert found["m", "W", "reward"] == found["m", "L", "reward"]
    # one that does not look at masks is told what it did
    data["learners"] = {"both": [{"label": "F", "spec": FIRST}]}
    with pytest.raises(lgkt.Error, match=r"First: instance 0, step \d+: .*action 0"):
        lgkt.reproduce(write(tmp_path, data), tmp_path / "no")


# ---- the same files ----


def test_threads_and_a_second_session(made: Path, tmp_path: Path) -> None:
    assert tables(lgkt.reproduce(write(tmp_path), tmp_path / "out", jobs=3)) == tables(made)

    class Stop(Exception):
        pass

    def stop(now: lgkt.Progress) -> None:
        if now.steps_done > 0:
            raise Stop

    longer = OWN | {"instances": 40}
    with pytest.raises(Stop):
        lgkt.reproduce(write(tmp_path / "b", longer), tmp_path / "b", jobs=2, progress=stop)
    assert (tmp_path / "b" / "own" / "journal.bin").exists()
    there = lgkt.reproduce(tmp_path / "b" / "own.json", tmp_path / "b", jobs=2)
    whole = lgkt.reproduce(write(tmp_path / "c", longer), tmp_path / "c", jobs=1)
    assert tables(there) == tables(whole)


@needs_command
def test_shards_that_the_command_merges(made: Path, tmp_path: Path) -> None:
    file = write(tmp_path)
    for part in ("1/3", "2/3", "3/3"):
        folder = lgkt.reproduce(file, tmp_path / "parts", shard=part, jobs=1)
        assert not (folder / "summary.csv").exists()
    done = subprocess.run([COMMAND, "merge", folder, "--out", tmp_path / "out"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules = {"learners.json": (made / "learners.json").read_bytes()}
    assert tables(tmp_path / "out" / "own") | modules == tables(made)
    # what the command makes of them in parts is the same as well
    library = OWN | {"panels": [OWN["panels"][0] | {"learners": ["library"],
                                                    "measure": "average"}]}
    file = write(tmp_path / "library", library)
    lgkt.reproduce(file, tmp_path / "a", shard="1/2")
    subprocess.run([COMMAND, "reproduce", file, "--shard", "2/2", "--out", tmp_path / "a"],
                   check=True, capture_output=True)
    subprocess.run([COMMAND, "merge", tmp_path / "a", "--out", tmp_path / "b"], check=True,
                   capture_output=True)
    assert tables(tmp_path / "b" / "own") == tables(lgkt.reproduce(file, tmp_path / "c"))


def test_on_a_cluster(made: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                 silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        # workers must find the module, too
        client.run(sys.path.insert, 0, HERE)
        assert tables(lgkt.reproduce(write(tmp_path), tmp_path / "out", client=client)) == tables(
            made)
        with pytest.raises(lgkt.Error, match="shard: a cluster plays the whole"):
            lgkt.reproduce(write(tmp_path), tmp_path / "out", client=client, shard="1/2")


SLOW = """
import sys, time
import lgkt
class Slow:
    def __init__(self, problem): pass
    def act(self, state): time.sleep(0.002); return 0
    def observe(self, *step): pass
"""


def test_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "slow_learner.py").write_text(SLOW)
    file = write(tmp_path, {"horizon": 400, "instances": 50, "learners": {
        "a": [{"label": "s", "spec": "python:slow_learner:Slow"}]}, "panels": [
        {"name": "p", "environment": "chain", "learners": ["a"]}]})
    code = f"import lgkt; lgkt.reproduce({str(file)!r}, {str(tmp_path)!r}, jobs=2)"
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as process:
        until = time.monotonic() + 20
        while time.monotonic() < until and not (tmp_path / "own/journal.bin").exists():
            time.sleep(0.05)
        time.sleep(1.5)
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=20)
    assert time.monotonic() - begin < 8
    assert "KeyboardInterrupt" in error
    assert (tmp_path / "own/journal.bin").stat().st_size > 2000


# ---- what fails ----


def test_an_exception_of_a_learner(tmp_path: Path) -> None:
    data = OWN | {"learners": {"a": [{"label": "F", "spec": "python:own_learners:Fails"}]},
                  "panels": [{"name": "p", "environment": "chain", "learners": ["a"]}]}
    for jobs in 1, 3:
        with pytest.raises(lgkt.Error) as why:
            lgkt.reproduce(write(tmp_path, data), tmp_path / f"out{jobs}", jobs=jobs)
        assert str(why.value) == ("python:own_learners:Fails: instance 2, step 7: ValueError: "
                                  "seven")
        assert isinstance(why.value.__cause__, ValueError)
        assert why.value.__cause__.__traceback__ is not None


def test_another_module_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    module = tmp_path / "changing_learner.py"
    module.write_text(SLOW.replace("time.sleep(0.002); ", ""))
    file = write(tmp_path, {"horizon": 50, "instances": 2, "learners": {
        "a": [{"label": "s", "spec": "python:changing_learner:Slow"}]}, "panels": [
        {"name": "p", "environment": "chain", "learners": ["a"]}]})
    folder = lgkt.reproduce(file, tmp_path / "out")
    first = tables(folder)
    assert tables(lgkt.reproduce(file, tmp_path / "out")) == first
    module.write_text(module.read_text() + "# another line\n")
    with pytest.raises(lgkt.Error, match="out/own: made with another module of "
                                         "python:changing_learner:Slow; remove the folder"):
        lgkt.reproduce(file, tmp_path / "out")
    assert tables(folder) == first
    (folder / "learners.json").write_text("[")
    with pytest.raises(lgkt.Error, match="learners.json: not what lgkt.reproduce writes"):
        lgkt.reproduce(file, tmp_path / "out")


@pytest.mark.robust
@pytest.mark.parametrize(("spec", "words"), [
    ("python:own_learners:Frist", 'own_learners has no Frist; did you mean "First"?'),
    ("python:own_lerners:First", "there is no module own_lerners where Python looks"),
    ("python:own_learners.deep:First", "there is no module own_learners.deep"),
    ("python:own_learners", "a learner of Python is python:MODULE:NAME"),
    ("python:", "a learner of Python is python:MODULE:NAME"),
    ("python:own learners:First", "a learner of Python is python:MODULE:NAME"),
    ("python:own_learners:First:x", '"x" is no key=value'),
    ("python:own_learners:First:action=1,action=2", "action is there twice"),
    ("python:own_learners:HALF", "HALF is no class or function, but a int"),
    ("python:own_learners:First:wrong=2", "panels[0].learners: \"B\": python:own_learners:First:"
     "wrong=2: instance 0, before the first step: TypeError: "),
    ("python:builtins:len", "before the first step: TypeError: "),
])
def test_bad_specs(tmp_path: Path, spec: str, words: str) -> None:
    data = OWN | {"learners": {"a": [{"label": "B", "spec": spec}]},
                  "panels": [{"name": "p", "environment": "chain", "learners": ["a"]}]}
    with pytest.raises(lgkt.Error) as why:
        lgkt.reproduce(write(tmp_path, data), tmp_path / "out")
    assert words in str(why.value) and "\n" not in str(why.value)
    assert not (tmp_path / "out" / "own" / "summary.csv").exists()


def test_an_error_in_the_module_is_its_own(tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_learner.py").write_text("import no_such_module_at_all\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        _own.factory("python:broken_learner:X")


def test_where_it_cannot_play(tmp_path: Path) -> None:
    for more, words in (({"units": {"count": 2}}, "units are for learners of the library"),
                        ({"measure": "ratio"}, "ratio is known for kstep:k=... only")):
        data = OWN | {"learners": {"a": [{"label": "B", "spec": FIRST}]}, "panels": [
            {"name": "p", "environment": "riverswim", "learners": ["a"], **more}]}
        with pytest.raises(lgkt.Error, match=words):
            lgkt.reproduce(write(tmp_path, data), tmp_path / "out")


@needs_command
def test_the_command_says_who_can(tmp_path: Path) -> None:
    file = write(tmp_path)
    for words in (["reproduce", file, "--out", tmp_path / "out"],
                  ["run", "--env", "chain", "--learner", FIRST, "--replicates", "1"]):
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True)
        assert done.returncode == 2 and done.stdout == ""
        assert f"{FIRST} is written in Python, which alone can play it: python3 -m lgkt " in (
            done.stderr)
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_module_plays_it_as_a_command(made: Path, tmp_path: Path) -> None:
    def call(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lgkt", "reproduce", *map(str, words), "--quiet"], text=True,
            capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(
                [HERE, str(Path(lgkt.__file__).parents[1])])})

    done = call(write(tmp_path), "--out", tmp_path / "out", "--jobs", "2")
    assert done.returncode == 0 and done.stdout == f"{tmp_path}/out/own\n", done.stderr
    assert tables(tmp_path / "out" / "own") == tables(made)
    bad = OWN | {"learners": {**OWN["learners"], "library": [{"label": "L", "spec": "lg2"}]}}
    done = call(write(tmp_path / "b", bad), "--out", tmp_path / "no")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("lgkt: reproduce: own.json: panels[0].learners: \"L\": unknown")


def test_names_within_names_and_values() -> None:
    assert _own.factory("python:own_learners:Nested.Learner").func is First  # type: ignore
    assert _own.parse("python:a.b:C:x=1,y=-2.5,z=(a=1,b=(c,d)),t=true,f=false,w=word,e=") == (
        "a.b", "C", {"x": 1, "y": -2.5, "z": "a=1,b=(c,d)", "t": True, "f": False, "w": "word",
                     "e": ""})


def test_many_threads_at_once(tmp_path: Path) -> None:
    """Whole experiments beside each other, in one interpreter."""
    made: list[Any] = []

    def play(i: int) -> None:
        made.append(tables(lgkt.reproduce(write(tmp_path / str(i)), tmp_path / str(i), jobs=2)))

    threads = [threading.Thread(target=play, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(made) == 3 and made[0] == made[1] == made[2]
