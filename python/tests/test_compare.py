# SPDX-License-Identifier: MIT
"""`lgkt.compare`: the numbers of `lgkt.run`, the measures by their definitions, what is lost."""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lgkt


class First:
    """Plays action 0."""

    def __init__(self, problem: lgkt.Problem) -> None:
        self.problem = problem

    def act(self, state: Any) -> int:
        return 0

    def observe(self, *step: Any) -> None:
        pass


class Wrapped(First):
    """A learner of the library within an own one."""

    def __init__(self, problem: lgkt.Problem) -> None:
        inner = lgkt.Learner("lg2t", **problem._asdict())
        self.act, self.observe = inner.act, inner.observe  # type: ignore[method-assign]


class Fails(First):
    """Fails where there are six states."""

    def act(self, state: Any) -> int:
        if self.problem.states == 6:
            raise ValueError("six are\ntoo many")
        return 0


class Dies(First):
    def act(self, state: Any) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0


class Switch:
    """The other action than the last one pays; nobody knows the model."""

    states, actions = 2, 2

    def __init__(self, seed: int, instance: int) -> None:
        self.state = 0

    def step(self, action: int) -> tuple[float, int, bool]:
        reward, self.state = float(action != self.state), action
        return reward, self.state, False


ENVS = {"river": "riverswim:states=6", "chain": "chain", "own": Switch}
LEARNERS = {"auto": "auto", "random": "random", "first": First, "wrapped": Wrapped}


@pytest.fixture(scope="module")
def found() -> lgkt.Comparison:
    return lgkt.compare(ENVS, LEARNERS, 300, 4, seed=5, jobs=2)


def same(a: lgkt.Comparison, b: lgkt.Comparison) -> bool:
    return repr(a) == repr(b) and all(
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=True)
        for name in ("reward", "observed", "optimum", "random", "score"))


# ---- numbers ----


def test_the_numbers_are_those_of_run(found: lgkt.Comparison) -> None:
    for w, env in enumerate(ENVS.values()):
        result = lgkt.run(env, LEARNERS, 300, 4, 5)
        assert np.array_equal(found.reward[w], result.reward)
        assert np.array_equal(found.observed[w], result.observed)
        assert np.array_equal(found.optimum[w], result.optimum, equal_nan=True)
        if env is not Switch:
            assert np.array_equal(found.random[w], result.random)
    # learners of the library play the same within an own one
    both = lgkt.compare("chain", {"a": "lg2t", "b": Wrapped}, 300, 4)
    assert np.array_equal(both.reward[:, 0], both.reward[:, 1])


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_count_of_processes_changes_nothing(found: lgkt.Comparison, jobs: int) -> None:
    assert same(lgkt.compare(ENVS, LEARNERS, 300, 4, seed=5, jobs=jobs), found)


def test_scores_by_their_definition(found: lgkt.Comparison) -> None:
    assert found.against == ("optimum", "optimum", "auto")
    for w, l, n in np.ndindex(*found.score.shape):
        zero, top = found.random[w, n], found.optimum[w, n]
        if found.worlds[w] == "own":
            played = lgkt.run(Switch, "random", 300, 4, 5)
            zero, top = played.reward.mean(), found.reward[w, :, :].mean(axis=1).max()
        assert found.score[w, l, n] == pytest.approx(
            100.0 * (found.reward[w, l, n] - zero) / (top - zero))


def test_measures_by_naive_loops(found: lgkt.Comparison) -> None:
    worlds, _, runs = found.score.shape
    for l, label in enumerate(found.labels):
        scores = found.score[:, l]
        each = sorted(scores.ravel())
        cut = len(each) // 4
        inner = each[cut:len(each) - cut]
        means = sorted(sum(row) / runs for row in scores.tolist())
        measures = found.measures[label]
        assert measures["iqm"].estimate == pytest.approx(sum(inner) / len(inner))
        assert measures["mean"].estimate == pytest.approx(sum(means) / worlds)
        assert measures["median"].estimate == pytest.approx(means[1])
        assert measures["gap"].estimate == pytest.approx(
            100.0 - sum(min(x, 100.0) for x in each) / len(each))
        for name, interval in measures.items():
            assert interval.low <= interval.estimate <= interval.high, name
        profile = found.profile(label, [0.0, 50.0])
        for share, tau in zip(profile.share, (0.0, 50.0)):
            assert share == pytest.approx(sum(x > tau for x in each) / len(each))
    for a, b in itertools.permutations(range(len(found.labels)), 2):
        wins = 0.0
        for w in range(worlds):
            for x, y in itertools.product(found.score[w, a], found.score[w, b]):
                wins += (x > y) + 0.5 * (x == y)
        got = found.improvement(found.labels[a], found.labels[b])
        assert got.estimate == pytest.approx(wins / worlds / runs / runs)
    assert found.order[0] == "auto"


def test_horizons_are_worlds_and_learners_are_told_the_same() -> None:
    told: list[lgkt.Problem] = []

    def listen(problem: lgkt.Problem) -> First:
        told.append(problem)
        return First(problem)

    found = lgkt.compare(["riverswim", "riverswim"], {"own": listen}, [20, 50], 2, jobs=1,
                         untold=True)
    assert found.worlds == ("riverswim, T = 20", "riverswim, T = 50", "riverswim, T = 20 (2)",
                            "riverswim, T = 50 (2)")
    assert found.horizons == (20, 50, 20, 50)
    assert {problem.horizon for problem in told} == {20, 50}
    assert {problem.reward_max for problem in told} == {None}
    assert np.array_equal(found.reward[0], found.reward[2])


def test_models_envs_and_objects() -> None:
    model = lgkt.Env("chain").model
    assert model is not None
    found = lgkt.compare([model, lgkt.Env("chain", seed=9)], ["auto", First(None)],  # type: ignore
                         100, 2, seed=3)
    assert found.worlds == ("model", "chain") and found.labels == ("auto", "First")
    assert found.against == ("optimum", "optimum") and not found.failures


# ---- what fails ----


def test_a_failure_loses_nothing_else() -> None:
    learners = {"auto": "auto", "fails": Fails, "first": First}
    for jobs in 1, 2:
        with pytest.warns(RuntimeWarning, match="fails in river: ValueError: six are; "
                                                "instance 0, at step 0"):
            got = lgkt.compare(ENVS, learners, 200, 3, jobs=jobs)
        assert [(f.world, f.learner) for f in got.failures] == [("river", "fails")]
        assert "too many" in got.failures[0].trace
        assert np.isnan(got.reward[0, 1]).all() and not np.isnan(got.reward[:, [0, 2]]).any()
        assert "failed: fails in river" in repr(got)
        assert repr(got).count("\nfails ") == 1
        assert int(got.table().loc["fails", "worlds"]) == 2
        whole = lgkt.compare(ENVS, {"auto": "auto", "first": First}, 200, 3)
        assert np.array_equal(got.reward[:, [0, 2]], whole.reward)


def test_a_lost_process_loses_nothing_else() -> None:
    with pytest.warns(RuntimeWarning, match="its process was ended by SIGKILL"):
        got = lgkt.compare("chain", {"auto": "auto", "dies": Dies, "first": First}, 100, 2, jobs=2)
    assert len(got.failures) == 1 and not np.isnan(got.reward[:, [0, 2]]).any()


def test_a_learner_of_the_library_that_fails_in_one_world() -> None:
    # it needs numbered states
    with pytest.warns(RuntimeWarning, match="q-learning in"):
        got = lgkt.compare(["chain", "contextual"], ["auto", "random", "q-learning"], 100, 2)
    assert [f.world for f in got.failures] == ["contextual"]
    assert not np.isnan(got.reward[:, :2]).any()


def test_where_nobody_is_better_than_random_there_is_no_score() -> None:
    got = lgkt.compare({"own": Switch, "chain": "chain"}, {"first": First}, 50, 2)
    assert got.against == ("", "optimum")
    assert "no scores of own: nobody earned more" in repr(got)


@pytest.mark.robust
@pytest.mark.parametrize(("arguments", "words"), [
    ((["chain"], ["atuo"]), 'unknown learner "atuo"; did you mean "auto"'),
    ((["chian"], ["auto"]), 'unknown environment "chian"; did you mean "chain"'),
    (([], ["auto"]), "there are no worlds"),
    ((["chain"], []), "there are no learners"),
    ((["chain"], ["auto"], 0), "horizon: 0 is not in 1 .. 1000000000000"),
    ((["chain"], ["auto"], [10, 0]), "horizon: 0 is not in"),
    ((["chain"], ["auto"], 10, 0), "replicates: 0 is not in 1 .. 10000000"),
    ((["chain"], ["auto"], 10, 2, 1, 0), "jobs: 0 is not in 1 .. 1024"),
    ((["chain"], {"x": Fails, "y": lambda problem: 3}, 10, 2), "nothing could be played; x in"),
])
def test_bad_arguments(arguments: Any, words: str) -> None:
    envs = ["riverswim:states=6"] if "nothing" in words else arguments[0]
    with pytest.raises(lgkt.Error, match=words.replace(".", r"\.")):
        lgkt.compare(envs, *arguments[1:])
    for more, what in (({"level": 1.0}, "level is 1.0"), ({"resamples": 0}, "resamples is 0"),
                       ({"jobs": 1, "client": 1}, "jobs are processes here")):
        with pytest.raises(lgkt.Error, match=what):
            lgkt.compare("chain", "auto", 10, 2, **more)  # type: ignore[arg-type]


# ---- while it runs ----


def test_progress_and_an_exception_from_it() -> None:
    told: list[lgkt.Progress] = []
    lgkt.compare(ENVS, LEARNERS, 300, 2, progress=told.append, jobs=2)
    assert told[-1].steps_done == told[-1].steps == (3 * 4 + 1) * 300 * 2
    assert all(a.steps_done <= b.steps_done for a, b in itertools.pairwise(told))

    def stop(now: lgkt.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        lgkt.compare("chain", {"own": First}, 100, 2, jobs=2, progress=stop)


def test_a_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    lgkt.compare("chain", {"own": First}, 100, 2, jobs=1)
    assert shown.getvalue() == ""  # too short for a word
    module = sys.modules["lgkt.compare"]  # the function has its name
    monkeypatch.setattr(module, "_PATIENCE", -1.0)
    monkeypatch.setattr(module, "_BETWEEN", 0.0)
    lgkt.compare("chain", {"own": First}, 100, 2, jobs=1)
    assert "lgkt.compare: 100% of 1 part; 0 s left" in shown.getvalue()
    assert shown.getvalue().endswith("\r\x1b[K")


INTERRUPTED = """
import os, signal, sys, time
import lgkt
class Slow:
    def __init__(self, problem): pass
    def act(self, state): time.sleep(0.01); return 0
    def observe(self, *step): pass
class First(Slow):
    def act(self, state): return 0
told = []
def progress(now):
    if now.steps_done >= 300 and not told:
        told.append(now)
        print("go", flush=True)
try:
    lgkt.compare("chain", {"auto": "auto", "first": First, "slow": Slow}, 200, 1, jobs=JOBS,
                 progress=progress)
except KeyboardInterrupt as why:
    kept = why.comparison
    print(kept.labels, [str(f) for f in kept.failures], kept.reward[0, :2].min() >= 0.0)
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_is_finished(jobs: int) -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED.replace("JOBS", str(jobs))],
                          stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)
        out = process.stdout.read()
        assert process.wait(20) == 0
    assert out == ("('auto', 'first', 'slow') ['slow in chain: not played: interrupted'] True\n")


# ---- what comes of it ----


def test_text_html_and_frames(found: lgkt.Comparison) -> None:
    text, page = repr(found), found._repr_html_()
    for word in ("3 worlds, horizon 300, replicates 4, seed 5", "IQM [95%]", "beats the next",
                 "no optimum is known of own: 100 is what the best learner earned there"):
        assert word in text and word in page
    assert text.splitlines()[3].startswith("auto ")
    frame = found.to_pandas()
    assert len(frame) == found.reward.size
    row = frame[(frame.world == "chain") & (frame.learner == "first") & (frame.instance == 2)]
    assert float(row.reward.iloc[0]) == found.reward[1, 2, 2]
    assert float(row.optimum.iloc[0]) == found.optimum[1, 2]
    assert float(row.score.iloc[0]) == found.score[1, 2, 2]
    table = found.table()
    assert tuple(table.index) == found.order
    assert tuple(table.loc["auto", ["iqm", "iqm_low", "iqm_high"]]) == found.measures["auto"]["iqm"]
    assert found.table("worlds").loc["chain", "first"] == found.score[1, 2].mean()
    beats = found.table("improvement")
    assert beats.loc["auto", "first"] == found.improvement("auto", "first").estimate
    assert np.allclose(beats + beats.T, 1.0)
    with pytest.raises(lgkt.Error, match='no table "world"; did you mean "worlds"'):
        found.table("world")
    with pytest.raises(lgkt.Error, match='no learner "atuo"; did you mean "auto"'):
        found.improvement("atuo", "first")


def test_json(found: lgkt.Comparison, tmp_path: Path) -> None:
    found.save(tmp_path / "found.json")
    assert same(lgkt.Comparison.load(tmp_path / "found.json"), found)
    said = json.loads(found.to_json())
    assert said["format"] == 1 and said["optimum"][2] == [None] * 4
    for change, words in (({"format": 2}, "format 2, and this version reads format 1"),
                          ({"seed": None, "more": 1}, "no comparison: .*more"),
                          ({"reward": [1.0]}, "arrays of other sizes"),
                          ({"reward": "x"}, "no comparison: ")):
        with pytest.raises(lgkt.Error, match=f"^JSON: .*{words}"):
            lgkt.Comparison.from_json(json.dumps(said | change))
    with pytest.raises(lgkt.Error, match="JSON: a comparison of format null"):
        lgkt.Comparison.from_json("[]")


def test_plot(found: lgkt.Comparison, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    figure = found.plot(colors=["#ff0000", "#00ff00"])
    axes = figure.get_axes()
    assert [ax.get_title() for ax in axes[:4]] == ["IQM", "mean", "median", "optimality gap"]
    names = axes[0].get_yticklabels()
    assert [name.get_text() for name in names] == list(found.order)
    assert names[0].get_color() == "#ff0000"
    worlds = [name.get_text() for name in axes[5].get_yticklabels()]
    assert worlds == ["river", "chain", "own †"]
    figure.savefig(tmp_path / "found.png")


# ---- on a cluster ----


def test_on_a_cluster() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                 silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        # classes of a test are sent by value, as those of a notebook are
        import cloudpickle

        cloudpickle.register_pickle_by_value(sys.modules[__name__])
        try:
            with pytest.warns(RuntimeWarning, match="fails in river"):
                there = lgkt.compare(ENVS, {**LEARNERS, "fails": Fails}, 300, 4, seed=5,
                                     client=client)
        finally:
            cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    with pytest.warns(RuntimeWarning):
        here = lgkt.compare(ENVS, {**LEARNERS, "fails": Fails}, 300, 4, seed=5, jobs=1)
    assert same(there, here)
    with pytest.raises(TypeError, match="client must be a dask.distributed.Client"):
        lgkt.compare("chain", "auto", 10, 1, client=3)
