# SPDX-License-Identifier: MIT
"""lgkt.run: the numbers of the command, own learners and worlds, stops and bad input."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from command import COMMAND, ROOT, needs_command

import lgkt
from lgkt import _core


def command(*options: object) -> Any:
    """What `lgkt run --json` prints."""
    done = subprocess.run([COMMAND, "run", "--json", *map(str, options)], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(a: Any, b: Any) -> bool:
    """Bit for bit, where the command prints what is not a number as null."""
    wanted = np.array([np.nan if x is None else x for x in np.atleast_1d(b)], float)
    return np.array_equal(np.atleast_1d(a), wanted, equal_nan=True)


# ---- against the command ----

MODEL = ROOT / "tests" / "golden" / "random-6x4" / "mdp.json"


@needs_command
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("spec, learners, regret, untold", [
    ("riverswim:states=5", ["auto", "ucrl2", "random"], None, False),
    ("synthetic:states=6,actions=3", ["lg2t", "psrl"], (2, 0.9), False),
    ("synthetic", ["auto", "ucrl2", "lg1t"], None, True),
    (f"model:file={MODEL}", ["lg2t", "auto"], (1, 0.5), False),
    ("trading:frame-hi=80", ["auto", "random"], None, False),
    ("merged:of=(riverswim:states=6)", ["auto", "random"], None, False),
])
def test_equals_command(spec: str, learners: list[str], regret: tuple[int, float] | None,
                        untold: bool, jobs: int) -> None:
    options: list[object] = ["-e", spec, "-t", 1300, "-n", 7, "-s", 9]
    for learner in learners:
        options += ["-l", learner]
    options += ["--regret", f"{regret[0]},{regret[1]}"] if regret else []
    options += ["--untold"] if untold else []
    wanted = command(*options)
    result = lgkt.run(spec, learners, 1300, 7, 9, jobs, regret=regret, untold=untold)
    assert (result.env, result.note) == (wanted["env"], wanted["note"])
    assert same(result.optimum, wanted["instances"]["optimal"])
    assert same(result.random, wanted["instances"]["random"])
    assert same(result.optimum_mean, wanted["optimal_mean"])
    assert same(result.random_mean, wanted["random_mean"])
    names = {"mean": "mean_reward", "ci95": "ci95", "median": "median_reward", "score": "score",
             "share": "share", "worst_tenth": "worst_tenth_reward", "observed": "observed_reward"}
    for l, row in enumerate(wanted["learners"]):
        assert result.labels[l] == row["spec"]
        assert same(result.reward[l], row["instances"]["reward"])
        assert same(result.observed[l], row["instances"]["observed_reward"])
        for ours, theirs in names.items():
            assert same(result.summary[ours][l], row[theirs]), ours
        means = {name: total / 7 for name, total in result.counters[l].items()}
        assert means == row["counters"]
        if regret:
            assert result.regret is not None
            assert same(result.regret[l], row["instances"]["threshold_regret"])
            for name in "threshold_regret", "optimum_regret":
                assert same(result.summary[name][l], row[name])
                assert same(result.summary[f"{name}_ci95"][l], row[f"{name}_ci95"])
        if untold:
            assert result.untold is not None and result.untold[l] == row["untold"]


@needs_command
def test_curve_equals_command(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "curve.csv"
    command("-e", "riverswim", "-l", "auto", "-l", "lg2t", "-t", 3000, "-n", 5, "--regret", "2,0.2",
            "--curve", path)
    rows = list(csv.DictReader(path.open()))
    result = lgkt.run("riverswim", ["auto", "lg2t"], 3000, 5, checkpoints=True, regret=(2, 0.2))
    times = result.checkpoints.size
    assert len(rows) == 2 * 2 * times
    for regret, measure in (False, "average"), (True, "regret"):
        mean, half = result.curve_summary(regret)
        mine = [row for row in rows if row["measure"] == measure]
        assert mean.ravel().tolist() == [float(row["mean"]) for row in mine]
        assert half.ravel().tolist() == [float(row["ci95"]) for row in mine]
    assert result.checkpoints.tolist() == [int(row["t"]) for row in rows[:times]]


def test_jobs_and_company_change_nothing() -> None:
    alone = lgkt.run("synthetic", "lg2t", 700, 9, 3, jobs=1)
    beside = lgkt.run("synthetic", ["random", "lg2t"], 700, 9, 3, jobs=3, checkpoints=[1, 600])
    assert same(alone["lg2t"].reward, beside["lg2t"].reward)


def test_checkpoints() -> None:
    def times(checkpoints: Any, horizon: int = 1000) -> Any:
        result = lgkt.run("riverswim", "random", horizon, 1, checkpoints=checkpoints)
        return result.checkpoints.tolist()

    assert times(None) == times(False) == times([]) == []
    assert times(True, 150) == list(range(1, 151))
    assert times(4) == [250, 500, 750, 1000] and times(1) == [1000]
    assert times(np.array([3, 1000], np.int16)) == [3, 1000]
    full = times(True)
    assert full[-1] == 1000 and 100 < len(full) <= 200
    curve = lgkt.run("riverswim", "random", 1000, 3, checkpoints=[1000]).curve
    assert same(curve[0, 0], lgkt.run("riverswim", "random", 1000, 3).reward[0])
    for bad in ([0, 5], [5, 5], [9, 3], [1001], 0, 1001, -1):
        with pytest.raises(lgkt.InputError, match="checkpoints"):
            times(bad)
    for worse in ([1.5], [[1, 2]], "ten"):
        with pytest.raises(lgkt.InputError, match="increasing times"):
            times(worse)


# ---- own learners ----


def wrapped(problem: lgkt.Problem) -> lgkt.Learner:
    return lgkt.Learner("auto", **problem._asdict())


class Watched:
    """A learner of the library within an object, which looks at what it gets."""

    def __init__(self, problem: lgkt.Problem) -> None:
        self.learner = wrapped(problem)
        self.problem = problem
        self.counters = {"acts": 0}

    def act(self, state: int) -> int:
        self.counters["acts"] += 1
        return self.learner.act(state)

    def observe(self, reward: float, next_state: int, ended: bool) -> None:
        self.learner.observe(reward, next_state, ended)


@pytest.mark.parametrize("horizon", [1, 511, 512, 513, 1500])
@pytest.mark.parametrize("spec", ["riverswim:states=5", "synthetic", "scaled:of=riverswim,by=3"])
def test_wrapped_learner_is_the_same(spec: str, horizon: int) -> None:
    times = sorted({1, min(horizon, 300), min(horizon, 512), min(horizon, 700), horizon})
    result = lgkt.run(spec, {"c": "auto", "one": wrapped, "two": Watched}, horizon, 4, 5,
                      checkpoints=times, regret=(2, 0.3))
    for own in ("one", "two"):
        assert same(result[own].reward, result["c"].reward)
        assert same(result[own].observed, result["c"].observed)
        assert same(result[own].curve.ravel(), result["c"].curve.ravel())
        assert result[own].regret == pytest.approx(result["c"].regret, rel=1e-12, abs=1e-9)
        assert result[own].regret_curve == pytest.approx(result["c"].regret_curve, rel=1e-12,
                                                         abs=1e-9)
    assert result["two"].counters == {"acts": 4 * horizon}
    assert result.specs == ("auto", None, None)
    # and without a learner of the library beside it
    again = lgkt.run(spec, Watched, horizon, 4, 5)
    assert again.labels == ("Watched",)
    assert same(again.reward[0], result["c"].reward)
    assert same(again.optimum, result.optimum) and same(again.random, result.random)


def test_own_learner_untold() -> None:
    seen: list[lgkt.Problem] = []

    def look(problem: lgkt.Problem) -> lgkt.Learner:
        seen.append(problem)
        return wrapped(problem)

    result = lgkt.run("riverswim", {"c": "auto", "own": look}, 600, 3, 8, untold=True)
    assert same(result["own"].reward, result["c"].reward)
    assert [(p.reward_min, p.reward_sd, p.seed, p.instance) for p in seen] == [
        (None, None, 8, i) for i in range(3)]
    assert result.untold is not None and result.untold[1] == ""


def test_object_is_copied_for_each_instance() -> None:
    problem = lgkt.Env("riverswim", seed=1).problem(400)
    mine = Watched(problem)
    result = lgkt.run("riverswim", [mine, wrapped, mine], 400, 2)
    assert result.labels == ("Watched", "wrapped", "Watched (2)")
    assert mine.counters == {"acts": 0} and mine.learner.time == 0
    # instance 0 is what it was made for
    assert result.reward[0, 0] == result.reward[1, 0] == result.reward[2, 0]
    assert result.counters[0] == {"acts": 800}


def test_errors_of_an_own_learner_say_where() -> None:
    class Fails(Watched):
        def act(self, state: int) -> int:
            if self.learner.time == 37 and self.problem.instance == 2:
                raise ZeroDivisionError("mine")
            return super().act(state)

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        lgkt.run("riverswim", {"x": Fails}, 100, 5)
    assert caught.value.__notes__ == ["learner x, instance 2, at step 37"]

    class Wild(Watched):
        def act(self, state: int) -> int:
            return 7

    with pytest.raises(lgkt.InputError, match="action") as refused:
        lgkt.run("riverswim", Wild, 100, 5)
    assert refused.value.__notes__ == ["learner Wild, instance 0, at step 0"]
    with pytest.raises(TypeError, match="made no learner") as unmade:
        lgkt.run("riverswim", lambda problem: 3, 100, 5)  # type: ignore[arg-type]
    assert "before the first step" in unmade.value.__notes__[0]


# ---- own worlds ----


class Coins:
    """Two states and two actions; staying in state 1 pays."""

    states: int | None = 2
    actions = 2
    reward_min, reward_max, reward_sd = 0.0, 1.0, 0.5

    def __init__(self, seed: int, instance: int) -> None:
        self.random = random.Random(f"{seed} {instance}")
        self.state: Any = 0
        self.mean_reward = 0.0

    def step(self, action: int) -> tuple[float, Any, bool]:
        self.mean_reward = 0.8 if self.state == 1 else 0.1
        reward = float(self.random.random() < self.mean_reward)
        self.state = 1 if action == 1 and self.random.random() < 0.5 + 0.4 * self.state else 0
        return reward, self.state, False


def test_own_world() -> None:
    learners = {"auto": "auto", "wrapped": wrapped, "random": "random"}
    result = lgkt.run(Coins, learners, 800, 6, 4, checkpoints=[400, 800])
    assert result.env == "Coins" and np.isnan(result.optimum).all() and result.note == ""
    assert same(result["auto"].reward, result["wrapped"].reward)
    assert result["auto"].mean > result["random"].mean + 0.1
    assert same(result["auto"].curve[1], result["auto"].reward)
    # what is expected is measured, not what came
    assert not same(result["auto"].observed, result["auto"].reward)
    # by a plain loop
    world = Coins(4, 2)
    learner = lgkt.Learner("auto", 2, 2, 800, seed=4, instance=2, reward_min=0.0, reward_max=1.0,
                           reward_sd=0.5)
    total = 0.0
    for _ in range(800):
        learner.observe(*world.step(learner.act(world.state)))
        total += world.mean_reward
    assert result["auto"].reward[2] == pytest.approx(total / 800, rel=1e-14)
    assert "optimum: not known" in repr(result)
    with pytest.raises(lgkt.UnsupportedError, match="Coins has none"):
        lgkt.run(Coins, "auto", 800, 6, regret=(2, 0.5))


def test_trajectory_as_own_world() -> None:
    def world(seed: int, instance: int) -> lgkt.Trajectory:
        return lgkt.Env("riverswim", seed=seed, instance=instance).trajectory(500)

    own = lgkt.run(world, "auto", 500, 3, 4)
    assert same(own.reward, lgkt.run("riverswim", "auto", 500, 3, 4, untold=True).reward)


def test_own_world_without_numbers() -> None:
    class Words(Coins):
        states = None

        def __init__(self, seed: int, instance: int) -> None:
            super().__init__(seed, instance)
            self.state = ("at", 0)

        def step(self, action: int) -> tuple[float, Any, bool]:
            self.state = self.state[1]
            reward, self.state, ended = super().step(action)
            self.state = ("at", self.state)
            return reward, self.state, ended

    by_key = lgkt.run(Words, ["auto", "random"], 500, 3, 4)
    assert by_key["auto"].mean > by_key["random"].mean


def test_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    result = lgkt.run(gymnasium.make("FrozenLake-v1"), ["auto", Watched], 600, 2)
    assert result.labels == ("auto", "Watched") and result.env == "FrozenLake-v1"
    assert same(result["auto"].reward, result["Watched"].reward)
    by_id = lgkt.run(gymnasium.spec("FrozenLake-v1"), "auto", 600, 2)
    assert same(by_id.reward[0], result.reward[0])


def test_model_and_env() -> None:
    env = lgkt.Env("riverswim:states=4", seed=5, instance=2)
    by_spec = lgkt.run("riverswim:states=4", "lg1t", 300, 3)
    assert same(lgkt.run(env, "lg1t", 300, 3).reward, by_spec.reward)
    assert env.model is not None
    by_model = lgkt.run(env.model, ["lg1t", wrapped], 300, 3)
    assert by_model.env == "model" and same(by_model.optimum, by_spec.optimum)
    prices = 1.0 + 0.01 * np.sin(np.arange(200.0))
    market = lgkt.Env("trading:frame-hi=150", data=prices)
    trade = lgkt.run(market, ["auto", "random"], 400, 2)
    assert np.isnan(trade.optimum).all() and np.all(trade.reward != 0.0)


# ---- while it runs ----


def test_progress() -> None:
    seen: list[lgkt.Progress] = []
    lgkt.run("riverswim", {"a": "auto", "b": wrapped}, 20000, 3, progress=seen.append)
    assert len(seen) >= 2
    done = [p.steps_done for p in seen]
    assert done == sorted(done) and done[-1] == seen[-1].steps == 2 * 3 * 20000
    assert all(p.seconds > 0 for p in seen)


@pytest.mark.parametrize("learner", ["auto", wrapped])
def test_progress_may_stop(learner: Any) -> None:
    def enough(progress: lgkt.Progress) -> None:
        raise KeyError("enough")

    begin = time.perf_counter()
    with pytest.raises(KeyError, match="enough"):
        lgkt.run("riverswim", learner, 10**7, 20, progress=enough)
    assert time.perf_counter() - begin < 5.0
    assert lgkt.run("riverswim", learner, 100, 2).reward.shape == (1, 2)


def test_bar(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    lgkt.run("riverswim", "auto", 1000, 2)
    assert capfd.readouterr().err == ""
    lgkt.run("riverswim", "auto", 1000, 2, progress=True)
    assert "steps" in capfd.readouterr().err


INTERRUPTED = """
import sys, time, lgkt
own = lambda p: lgkt.Learner("auto", **p._asdict())
learner = own if sys.argv[1] == "own" else "auto"
print("ready", flush=True)
try:
    lgkt.run("synthetic", learner, 10**9, 50, jobs=2)
except KeyboardInterrupt:
    print("stopped", time.monotonic(), flush=True)
print(lgkt.run("riverswim", [learner, "random"], 500, 3).reward.shape, flush=True)
"""


@pytest.mark.parametrize("who", ["ours", "own"])
def test_interrupt(who: str) -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED, who], stdout=subprocess.PIPE,
                          text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(0.6)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        word, when = child.stdout.readline().split()
        assert word == "stopped" and float(when) - begin < 10
        assert child.stdout.readline() == "(2, 3)\n"
        assert child.wait(20) == 0


@pytest.mark.robust
def test_two_threads() -> None:
    wanted = lgkt.run("synthetic", ["lg2t", "auto"], 2000, 6, 2, jobs=1).reward
    found: list[Any] = [None, None]

    def work(i: int) -> None:
        found[i] = lgkt.run("synthetic", ["lg2t", "auto"], 2000, 6, 2, jobs=2).reward

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same(found[0].ravel(), wanted.ravel()) and same(found[1].ravel(), wanted.ravel())


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="it keeps freed memory")
def test_memory_is_flat() -> None:
    def size() -> int:
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1])

    def some(count: int) -> None:
        for _ in range(count):
            lgkt.run("riverswim", ["lg2t", "random"], 600, 40, checkpoints=True, jobs=1)
            with pytest.raises(lgkt.InputError):
                lgkt.run("riverswim", ["lg2t", "none"], 600, 40)

    if not pathlib.Path("/proc/self/statm").exists():
        pytest.skip("no /proc")
    some(20)
    before = size()
    some(40)
    # one leaked curve is 160 pages
    assert size() - before < 160 * 8


# ---- bad input ----


@pytest.mark.robust
@pytest.mark.parametrize("change, kind, text", [
    ({"env": "nowhere"}, lgkt.InputError, "nowhere"),
    ({"env": "riverswim:states=-1"}, lgkt.InputError, "states"),
    ({"env": "model"}, lgkt.InputError, "model"),
    ({"env": "model:file=/no/such.json"}, (lgkt.Error, OSError), "such.json"),
    ({"env": 3.5}, TypeError, "env must be a spec"),
    ({"env": "riverswim\0"}, ValueError, "null|zero"),
    ({"learners": "nobody"}, lgkt.InputError, "nobody"),
    ({"learners": ["auto", "lg2t:threshold=x"]}, lgkt.InputError, "threshold"),
    ({"learners": ["auto", "lg\0"]}, ValueError, "zero"),
    ({"learners": []}, lgkt.InputError, "no learners"),
    ({"learners": [3]}, TypeError, "learner int"),
    ({"learners": ["random"] * 1001}, lgkt.InputError, "1000"),
    ({"horizon": 0}, lgkt.InputError, "horizon: 0 is not in 1"),
    ({"horizon": 10**13}, lgkt.InputError, "horizon: 10000000000000 is not in"),
    ({"horizon": 10**30}, lgkt.InputError, "horizon"),
    ({"horizon": 10**400}, lgkt.InputError, "horizon"),
    ({"horizon": 5.0}, TypeError, "horizon must be a whole number"),
    ({"replicates": 0}, lgkt.InputError, "replicates: 0 is not in 1"),
    ({"replicates": -(10**40)}, lgkt.InputError, "replicates"),
    ({"replicates": None}, TypeError, "replicates must be a whole number"),
    ({"seed": -1}, lgkt.InputError, "seed"),
    ({"seed": 2**64}, lgkt.InputError, "seed"),
    ({"jobs": 0}, lgkt.InputError, "jobs: 0 is not in 1 .. 1024"),
    ({"jobs": 2000}, lgkt.InputError, "jobs: 2000"),
    ({"jobs": 1.5}, TypeError, "jobs"),
    ({"regret": (0, 0.5)}, lgkt.InputError, "K must be at least 1"),
    ({"regret": (2, float("nan"))}, lgkt.InputError, "threshold is nan"),
    ({"regret": (2,)}, TypeError, "regret"),
    ({"regret": 2}, TypeError, "regret"),
    ({"env": "trading", "regret": (2, 0.5)}, lgkt.UnsupportedError, "there is a model"),
    ({"progress": 3.5}, TypeError, "progress"),
])
@pytest.mark.parametrize("own", [False, True])
def test_bad_input(change: dict[str, Any], kind: Any, text: str, own: bool) -> None:
    given: dict[str, Any] = {"env": "riverswim", "learners": ["auto"], "horizon": 50,
                             "replicates": 2, "jobs": 1} | change
    if own and "learners" not in change:
        given["learners"] = [wrapped]
    with pytest.raises(kind, match=text):
        lgkt.run(**given)


@pytest.mark.parametrize("change", [{"horizon": 0}, {"replicates": 0}, {"replicates": 10**8}])
def test_bad_sizes_in_an_own_world(change: dict[str, Any]) -> None:
    with pytest.raises(lgkt.InputError, match="is not in 1 .."):
        lgkt.run(Coins, "auto", **({"horizon": 10, "replicates": 2} | change))


@pytest.mark.robust
def test_core_refuses() -> None:
    def call(**change: Any) -> Any:
        given: dict[str, Any] = {"spec": "riverswim", "data": None, "learners": ("auto",),
                                 "horizon": 10, "replicates": 2, "seed": 1, "jobs": 1,
                                 "untold": False} | change
        return _core.run(**given)

    assert call()["curve"].shape == (1, 0, 2)
    assert call(learners=())["optimum"].tolist() == call()["optimum"].tolist()
    assert call(checkpoints=np.arange(1, 11)[::3])["curve"].shape == (1, 4, 2)
    for change, kind in (({"learners": ["auto"]}, TypeError), ({"learners": (1,)}, TypeError),
                         ({"spec": None}, TypeError), ({"data": "prices"}, lgkt.InputError),
                         ({"data": [1.0, 2.0]}, lgkt.InputError),
                         ({"checkpoints": [0.5]}, TypeError),
                         ({"checkpoints": [[1]]}, lgkt.InputError), ({"progress": 3}, TypeError),
                         ({"checkpoints": np.arange(1, 200001)}, lgkt.InputError)):
        with pytest.raises(kind):
            call(**change)
    with pytest.raises(lgkt.InputError, match="no numbers"):
        _core.summarize(np.zeros((2, 0)))
    with pytest.raises(TypeError):
        _core.rate("a", 1, 2)  # type: ignore[arg-type]
    with pytest.raises(lgkt.InputError, match="horizon: 0 is not in"):
        _core.checkpoints(0)
