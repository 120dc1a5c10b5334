# SPDX-License-Identifier: MIT
"""Environments and trajectories: the same numbers as the command, and one-way whatever happens."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import resource
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import COMMAND, needs_command

import lgkt
from lgkt import _core

WORLDS = ["riverswim:states=5", "synthetic", "garnet", "frozenlake", "inventory", "trading",
          "scaled:of=synthetic,by=3", "merged:of=(riverswim:states=6)"]


def same(first: Iterable[Any], second: Iterable[Any]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(first, second, strict=True))


def play_one(run: lgkt.Trajectory, learner: Any) -> tuple[int, float]:
    """One step of a learner, on the bytes observed where there are any."""
    keyed = run.observation is not None
    action: int = learner.act(run.observation if keyed else run.state)
    reward, state, ended = run.step(action)
    learner.observe(reward, run.observation if keyed else state, ended)
    return action, reward


def neumaier(blocks: list[float]) -> float:
    total = lost = 0.0
    for x in blocks:
        both = total + x
        lost += (total - both) + x if abs(total) >= abs(x) else (x - both) + total
        total = both
    return total + lost


def plain(values: list[float]) -> float:
    total = 0.0
    for x in values:
        total += x
    return total


def score(values: list[float]) -> float:
    """The mean as the command computes it: plain sums of 512, compensated over these."""
    blocks = [plain(values[i : i + 512]) for i in range(0, len(values), 512)]
    return neumaier(blocks) / len(values)


# ---- the same as the command ----


@needs_command
@pytest.mark.parametrize("world, learners", [
    ("riverswim:states=5", ["auto", "ucrl2", "lg1t"]),
    ("synthetic", ["auto", "lg2t", "random"]),
    ("garnet", ["psrl"]),
    ("scaled:of=synthetic,by=3", ["ucrl2"]),
    ("merged:of=(riverswim:states=6)", ["auto"]),
    ("trading", ["lg2t", "random"]),
])
@pytest.mark.parametrize("untold", [False, True])
def test_rewards_of_the_command(world: str, learners: list[str], untold: bool) -> None:
    horizon, replicates = 1500, 2
    line = [COMMAND, "run", "--json", "-q", "-e", world, "-t", str(horizon), "-n", str(replicates),
            "-s", "7", *(["--untold"] if untold else [])]
    for name in learners:
        line += ["-l", name]
    said = json.loads(subprocess.run(line, capture_output=True, check=True, text=True).stdout)
    assert said["note"] == lgkt.Env(world, seed=7).note
    for row in said["learners"]:
        for instance in range(replicates):
            env = lgkt.Env(world, seed=7, instance=instance)
            run = env.trajectory(horizon)
            learner = env.learner(row["spec"], horizon, untold=untold)
            means = []
            for t in range(horizon):
                before = run.state
                action, _ = play_one(run, learner)
                means.append(run.mean_reward)
                if env.model is not None and t == 0:
                    assert run.mean_reward == env.model.R[before, action]
            assert score(means) == row["instances"]["reward"][instance]
            # and the whole loop in C
            again, other = env.trajectory(horizon), env.learner(row["spec"], horizon, untold=untold)
            _, _, rewards = again.play(other)
            assert score(rewards.tolist()) == row["instances"]["observed_reward"][instance]
            assert other.hash == learner.hash


# ---- play ----


@pytest.mark.parametrize("world", WORLDS)
def test_play_is_the_loop(world: str) -> None:
    env = lgkt.Env(world, seed=3, instance=2)
    run, learner = env.trajectory(700), env.learner("random", 700)
    seen = [(run.state, *play_one(run, learner)) for _ in range(700)]
    whole, player = env.trajectory(700), env.learner("random", 700)
    parts = [whole.play(player, steps) for steps in (0, 1, 299)] + [whole.play(player)]
    played = [np.concatenate(column) for column in zip(*parts)]
    assert [a.dtype for a in played] == [np.int32, np.int32, np.float64]
    assert list(zip(*(a.tolist() for a in played))) == seen
    assert whole.time == player.time == 700 and whole.state == run.state
    assert whole.mean_reward == run.mean_reward
    assert whole.save() == run.save() and player.save() == learner.save()
    assert [len(a) for a in whole.play(player)] == [0, 0, 0]


def test_play_goes_on_where_steps_ended() -> None:
    env = lgkt.Env("synthetic", seed=5)
    run, learner = env.trajectory(100), env.learner("auto", 100)
    for _ in range(50):
        play_one(run, learner)
    run.play(learner, steps=50)
    whole, player = env.trajectory(100), env.learner("auto", 100)
    whole.play(player)
    assert whole.save() == run.save() and player.hash == learner.hash


def test_play_refuses_before_the_first_step() -> None:
    env = lgkt.Env("riverswim:states=5")
    run, learner = env.trajectory(10), env.learner("auto", 5)

    def refused(kind: type[Exception], text: str, *arguments: Any, **named: Any) -> None:
        with pytest.raises(kind, match=text):
            run.play(*arguments, **named)
        assert run.time == 0 and learner.time == 0

    refused(lgkt.UseError, "10 steps, but the learner has 5 left", learner)
    refused(lgkt.UseError, "11 steps, but the trajectory has 10 left", learner, 11)
    refused(lgkt.InputError, "steps -1, must not be negative", learner, -1)
    refused(lgkt.InputError, "far out of range", learner, 2**70)
    refused(TypeError, "steps must be a whole number, not float", learner, 1.0)
    refused(TypeError, "learner must be a Learner", None)
    refused(TypeError, "has no argument 'stepz'", learner, stepz=1)
    refused(TypeError, "needs 'learner'")
    small = lgkt.Learner("random", 4, 2, 10)
    refused(lgkt.InputError, "the learner has 4 states, the environment 5", small)
    wide = lgkt.Learner("random", 5, 3, 10)
    refused(lgkt.InputError, "the learner has 3 actions, the environment 2", wide)
    # what the learner itself refuses: it waits for what its action earned
    waits = env.learner("auto", 10)
    waits.act(0)
    refused(lgkt.UseError, "act|observe", waits)


def test_play_with_python_functions() -> None:
    env = lgkt.Env("synthetic", seed=2)
    spec = "lg2t"
    plain_one = lgkt.Learner(spec, env.states, env.actions, 500, seed=2, threshold=0.8)
    asked: list[int] = []

    def threshold(t: int, state: int, k: int) -> float:
        asked.append(t)
        with pytest.raises(RuntimeError, match="in use"):
            called.play(asking)
        return 0.8

    asking = lgkt.Learner(spec, env.states, env.actions, 500, seed=2, threshold=threshold)
    run, called = env.trajectory(500), env.trajectory(500)
    first, second = run.play(plain_one), called.play(asking)
    assert same(first, second) and asked


def test_play_ends_when_a_function_raises() -> None:
    env = lgkt.Env("synthetic", seed=2)

    def threshold(t: int, state: int, k: int) -> float:
        if t >= 100:
            raise KeyError("enough")
        return 0.8

    learner = lgkt.Learner("lg2t", env.states, env.actions, 500, threshold=threshold)
    run = env.trajectory(500)
    with pytest.raises(KeyError, match="enough"):
        run.play(learner)
    assert 100 <= run.time < 500
    # the action that was asked for then was not played
    assert learner.time == run.time
    stopped = run.time
    with pytest.raises(RuntimeError, match="has failed, and it cannot go on"):
        run.play(learner)
    assert run.time == stopped
    run.play(env.learner("random", 500 - stopped))
    assert run.time == 500


# ---- one-way: what is refused changes nothing ----


@pytest.mark.parametrize("action, kind, text", [
    (2, lgkt.InputError, r"action 2, must be in 0\.\.1"),
    (-1, lgkt.InputError, r"action -1, must be in 0\.\.1"),
    (2**31, lgkt.InputError, "far out of range"),
    (-(2**200), lgkt.InputError, "far out of range"),
    (1.0, TypeError, "action must be a whole number, not float"),
    (float("nan"), TypeError, "action must be a whole number"),
    (None, TypeError, "action must be a whole number"),
    ("1", TypeError, "action must be a whole number"),
    (np.zeros(2, int), TypeError, "."),
])
def test_wrong_actions(action: Any, kind: type[Exception], text: str) -> None:
    run = lgkt.Env("riverswim:states=5").trajectory(5)
    run.step(np.int64(1))
    run.step(True)
    before, mean = run.save(), run.mean_reward
    with pytest.raises(kind, match=text):
        run.step(action)
    assert run.save() == before and run.mean_reward == mean and run.time == 2


def test_past_the_horizon() -> None:
    run = lgkt.Env("riverswim:states=5").trajectory(1)
    assert np.isnan(run.mean_reward)
    run.step(0)
    before = run.save()
    with pytest.raises(lgkt.UseError, match="the run is over after its 1 steps") as caught:
        run.step(0)
    assert caught.value.status == "HORIZON" and run.save() == before


@pytest.mark.parametrize("make, kind, text", [
    (lambda: lgkt.Env("riverswin"), lgkt.InputError, "riverswim"),
    (lambda: lgkt.Env("riverswim:states=x"), lgkt.InputError, "states"),
    (lambda: lgkt.Env("riverswim\0"), ValueError, "null character"),
    (lambda: lgkt.Env("\ud800"), UnicodeEncodeError, "surrogates"),
    (lambda: lgkt.Env(3), TypeError, r"Env\(\) argument 1 must be str"),  # type: ignore[arg-type]
    (lambda: lgkt.Env("riverswim", seed=-1), lgkt.InputError, "seed: -1 is far out of range"),
    (lambda: lgkt.Env("riverswim", instance=2**64), lgkt.InputError, "instance"),
    (lambda: lgkt.Env("riverswim", seed=1.5), TypeError, "seed"),  # type: ignore[arg-type]
    (lambda: lgkt.Env("riverswim", data=[1.0]), lgkt.InputError, "which takes no data"),
    (lambda: lgkt.Env("trading", data="abc"), (TypeError, lgkt.InputError), "data"),
    (lambda: lgkt.Env("trading", data=[[1.0]]), lgkt.InputError, "1 dimension"),
    (lambda: lgkt.Env("trading", data=[1.0, float("nan")] * 300), lgkt.InputError, "nan"),
    (lambda: lgkt.Env("trading", data=[]), lgkt.InputError, "."),
    (lambda: lgkt.Env("riverswim").trajectory(0), lgkt.InputError, "horizon 0, must be at least 1"),
    (lambda: lgkt.Env("riverswim").trajectory(2**63), lgkt.InputError, "horizon"),
    (lambda: lgkt.Env("riverswim").trajectory("5"), TypeError, "horizon"),  # type: ignore[arg-type]
    (lambda: lgkt.Env("riverswim").trajectory(5, seed=-1), lgkt.InputError, "seed"),
    (lambda: lgkt.Trajectory("riverswim", 5), TypeError, "Env"),  # type: ignore[arg-type]
])
def test_wrong_arguments(make: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        make()


# ---- what an environment tells ----


def test_problem_and_models() -> None:
    env = lgkt.Env("synthetic", seed=4, instance=3)
    told = env.problem(100)
    assert (told.states, told.actions, told.horizon) == (env.states, env.actions, 100)
    assert told.model == env.model and (told.seed, told.instance) == (4, 3)
    assert env.model is not None and told.reward_min == env.model.R.min()
    assert told.reward_max == env.model.R.max() and env.hidden_model is None
    merged = lgkt.Env("merged:of=(riverswim:states=6)")
    assert merged.model is None and merged.hidden_model is not None
    assert merged.hidden_model.states == 6 and merged.states == 3
    assert lgkt.Env("trading").model is None


def test_data() -> None:
    prices = 1.1 + 0.01 * np.sin(np.arange(400.0))
    env = lgkt.Env("trading", data=prices)
    run = env.trajectory(50)
    expected = [run.step(k % run.env.actions) for k in range(50)]
    kept = prices.copy()
    prices[:] = 2.0
    assert isinstance(env.data, np.ndarray) and np.array_equal(env.data, kept)
    with pytest.raises(ValueError):
        env.data[0] = 1.0
    for again in (lgkt.Env("trading", data=kept.tolist()), copy.deepcopy(env),
                  pickle.loads(pickle.dumps(env)),
                  lgkt.Env("trading", data=np.repeat(kept, 2)[::2])):
        assert again == env and hash(again) == hash(env)
        run = again.trajectory(50)
        assert [run.step(k % again.actions) for k in range(50)] == expected
    model = lgkt.Env("riverswim").model
    assert lgkt.Env("model", data=model).model == model
    assert lgkt.Env("model", data=model) == lgkt.Env("model", data=model)


def test_data_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = lgkt.Env("riverswim").model
    assert model is not None
    model.write("town.json")
    env = lgkt.Env("scaled:of=(model:file=town.json),by=2")
    assert env.data == model and env.reward_max == 2 * model.reward_max
    # a copy needs no file
    Path("town.json").unlink()
    again = pickle.loads(pickle.dumps(env))
    assert again == env and again.trajectory(5).step(1) == env.trajectory(5).step(1)
    with pytest.raises(FileNotFoundError, match="town.json"):
        lgkt.Env("model:file=town.json")


def test_equality() -> None:
    env = lgkt.Env("synthetic", seed=1, instance=2)
    assert env == lgkt.Env("synthetic", seed=1, instance=2) and env != "synthetic"
    assert len({env, copy.copy(env), pickle.loads(pickle.dumps(env))}) == 1
    others = [lgkt.Env("synthetic", seed=1), lgkt.Env("synthetic", seed=2, instance=2),
              lgkt.Env("riverswim", seed=1, instance=2)]
    assert all(env != other for other in others)
    prices = 1.0 + np.arange(300.0)
    assert lgkt.Env("trading", data=prices) != lgkt.Env("trading")
    assert lgkt.Env("trading", data=prices) != lgkt.Env("trading", data=prices + 1)
    assert repr(env) == "lgkt.Env('synthetic', seed=1, instance=2)"


def test_noise_is_shared() -> None:
    env = lgkt.Env("synthetic", seed=1)
    first, second = env.trajectory(20), lgkt.Trajectory(env, 20, seed=1, instance=0)
    third = env.trajectory(20, instance=1)
    steps = [[run.step(0) for _ in range(20)] for run in (first, second, third)]
    assert steps[0] == steps[1] != steps[2]


# ---- saving ----


@pytest.mark.parametrize("world", WORLDS)
def test_save_at_cut_points(world: str) -> None:
    env = lgkt.Env(world, seed=6)
    run = env.trajectory(120)
    saved = [run.save()]
    steps = []
    for t in range(120):
        steps.append((run.step(t * 7 % env.actions), run.mean_reward))
        saved.append(run.save())
    for cut in (0, 1, 59, 119, 120):
        again = lgkt.Trajectory.load(lgkt.Env(world, seed=6), saved[cut])
        assert again.time == cut and again.horizon == 120
        rest = []
        for t in range(cut, 120):
            rest.append((again.step(t * 7 % env.actions), again.mean_reward))
            assert again.save() == saved[t + 1]
        assert rest == steps[cut:]


def test_load_refuses() -> None:
    env = lgkt.Env("synthetic", seed=1)
    good = env.trajectory(5).save()
    for data in (b"", good[:-1], good + b"x", b"x" * len(good)):
        with pytest.raises(lgkt.InputError) as caught:
            lgkt.Trajectory.load(env, data)
        assert caught.value.status == "FORMAT"
    with pytest.raises(lgkt.InputError, match="saved by lgkt .* in another environment") as caught:
        lgkt.Trajectory.load(lgkt.Env("synthetic", seed=2), good)
    assert caught.value.status == "CONFIG"
    with pytest.raises(TypeError):
        lgkt.Trajectory.load(env, "text")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        lgkt.Trajectory.load("synthetic", good)  # type: ignore[arg-type]


@pytest.mark.parametrize("world", ["synthetic", "trading"])
def test_pickle_into_another_process(world: str, tmp_path: Path) -> None:
    env = lgkt.Env(world, seed=8, instance=1)
    run, learner = env.trajectory(400), env.learner("lg2t", 400)
    run.play(learner, 150)
    (tmp_path / "run.pickle").write_bytes(pickle.dumps((run, learner)))
    code = (
        "import pickle, pathlib\n"
        "run, learner = pickle.loads(pathlib.Path('run.pickle').read_bytes())\n"
        "played = run.play(learner, 200)\n"
        "pathlib.Path('more.pickle').write_bytes(pickle.dumps((run, learner, played)))\n"
    )
    where = dict(os.environ, PYTHONPATH=str(Path(lgkt.__file__).parents[1]))
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=where, check=True)
    there, player, played = pickle.loads((tmp_path / "more.pickle").read_bytes())
    assert same(run.play(learner, 200), played)
    assert there.save() == run.save() and player.save() == learner.save() and there.env == env
    assert there.play(player)[2].tolist() == run.play(learner)[2].tolist()


class Counted(lgkt.Trajectory):
    """A subclass keeps its own attributes."""

    name = ""


def test_pickle_of_subclasses() -> None:
    env = lgkt.Env("riverswim", seed=1)
    run = Counted(env, 10)
    run.name = "mine"
    run.step(1)
    again, other = pickle.loads(pickle.dumps((run, env.trajectory(5))))
    assert type(again) is Counted and again.name == "mine" and again.time == 1
    assert again.env is other.env


# ---- many at a time ----


def vector(count: int) -> tuple[np.ndarray[Any, Any], ...]:
    return np.full(count, -7), np.full(count, -7.0), np.ones(count, bool)


@pytest.mark.parametrize("world", WORLDS)
def test_step_all_is_steps(world: str) -> None:
    env = lgkt.Env(world, seed=9)
    many = [env.trajectory(60, instance=i) for i in range(7)]
    single = [env.trajectory(60, instance=i) for i in range(7)]
    states, rewards, ended = vector(7)
    rng = np.random.default_rng(1)
    for t in range(60):
        actions = rng.integers(env.actions, size=7)
        given = (actions, actions.astype(np.int32), actions.tolist(), actions[::-1].copy()[::-1])
        _core.step_all(many if t % 2 else tuple(many), given[t % 4], states, rewards, ended)
        one = [run.step(int(a)) for run, a in zip(single, actions)]
        assert one == list(zip(rewards.tolist(), states.tolist(), ended.tolist()))
        assert [run.mean_reward for run in many] == [run.mean_reward for run in single]
    assert [run.save() for run in many] == [run.save() for run in single]


def test_step_all_refuses_as_a_whole() -> None:
    env = lgkt.Env("riverswim:states=5")
    many = [env.trajectory(9), env.trajectory(9), env.trajectory(1)]
    many[2].step(0)
    states, rewards, ended = vector(3)
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    cases: list[tuple[Any, ...]] = [
        (lgkt.InputError, r"trajectories\[1\]: action 2, must be in 0\.\.1", many, [0, 2, 0]),
        (lgkt.InputError, r"trajectories\[0\]: action -1", many, [-(2**40), 1, 0]),
        (lgkt.InputError, r"trajectories\[0\]: action 2147483647", many, [2**32 + 1, 1, 0]),
        (lgkt.UseError, r"trajectories\[2\]: the run is over after its 1 steps", many, [1, 1, 1]),
        (RuntimeError, "there twice", [many[0], many[1], many[0]], [1, 1, 1]),
        (TypeError, r"trajectories\[1\] must be a Trajectory", [many[0], None, many[1]], [1, 1, 1]),
        (TypeError, "list or a tuple", iter(many), [1, 1, 1]),
        (TypeError, "actions must hold whole numbers", many[:2], [1.0, 1.0]),
        (lgkt.InputError, "actions: one for each", many, [1, 1]),
        (lgkt.InputError, r"states must have shape", many[:2], [1, 1]),
        (TypeError, "states must be", many, [1, 1, 0], states.astype(np.int32), rewards, ended),
        (TypeError, "rewards must be", many, [1, 1, 0], states, rewards.astype(np.float32), ended),
        (lgkt.InputError, "writable", many, [1, 1, 0], states, frozen, ended),
        (lgkt.InputError, "contiguous", many, [1, 1, 0], np.zeros(6, int)[::2], rewards, ended),
        (TypeError, "ended must be", many, [1, 1, 0], states, rewards, states),
        (TypeError, "ended must be", many, [1, 1, 0], states, rewards, None),
    ]
    for kind, text, runs, actions, *out in cases:
        with pytest.raises(kind, match=text):
            _core.step_all(runs, actions, *(out or (states, rewards, ended)))
        assert [run.time for run in many] == [0, 0, 1], text
        assert set(states) == {-7} and set(rewards) == {-7.0} and ended.all()
    # none of them is left in use
    _core.step_all(many[:2], [1, 1], states[:2], rewards[:2], ended[:2])
    _core.step_all([], [], *vector(0))


# ---- memory ----


def test_the_environment_lives_as_long_as_its_runs() -> None:
    env = lgkt.Env("synthetic", seed=1)
    count = sys.getrefcount(env)
    run = env.trajectory(10)
    assert sys.getrefcount(env) == count + 1 and run.env is env
    gone = weakref.ref(env)
    del env
    gc.collect()
    assert gone() is not None
    run.step(0)
    del run
    assert gone() is None


def test_a_cycle_is_collected() -> None:
    env = lgkt.Env("synthetic")
    env.own = env.trajectory(5)  # type: ignore[attr-defined]
    gone = weakref.ref(env)
    del env
    gc.collect()
    assert gone() is None


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="it keeps freed memory")
def test_memory_stays_flat() -> None:
    prices = 1.0 + np.arange(300.0)
    bad: Any = np.zeros(2, np.float32)
    nobody: Any = None

    def work() -> None:
        env = lgkt.Env("riverswim:states=20", seed=1)
        run = env.trajectory(100)
        run.play(env.learner("random", 100), 10)
        pickle.loads(pickle.dumps(run)).step(0)
        assert env.model is not None and env != lgkt.Env("trading", data=prices)
        out = vector(2)
        calls: list[Callable[[], object]] = [
            lambda: run.step(9), lambda: env.trajectory(0), lambda: lgkt.Env("x"),
            lambda: lgkt.Trajectory.load(env, b"x"), lambda: run.play(nobody),
            lambda: lgkt.Env("trading", data=[1.0]),
            lambda: _core.step_all([run, run], [0, 0], *out),
            lambda: _core.step_all([run, run], [0, 0], out[0], bad, out[2]),
        ]
        for call in calls:
            with pytest.raises(Exception):
                call()

    for _ in range(300):
        work()
    gc.collect()
    blocks, size = sys.getallocatedblocks(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1500):
        work()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size < 2000  # kB


# ---- threads and signals ----


def test_one_run_in_two_threads() -> None:
    env = lgkt.Env("synthetic")
    run, learner = env.trajectory(3_000_000), env.learner("random", 3_000_000)
    done: list[int] = []
    thread = threading.Thread(target=lambda: done.append(len(run.play(learner)[2])))
    thread.start()
    refused: list[str] = []
    while not done and len(refused) < 8:
        calls: list[Callable[[], object]] = [
            lambda: run.step(0), run.save, lambda: run.observation, lambda: run.state,
            lambda: run.play(env.learner("random", 3_000_000)), lambda: repr(run),
            lambda: env.trajectory(3_000_000).play(learner), lambda: learner.act(0),
            lambda: _core.step_all([run], [0], *vector(1)),
        ]
        for call in calls:
            try:
                call()
            except RuntimeError as why:
                refused.append(str(why))
                continue
            break  # it had not begun
    thread.join()
    assert done == [3_000_000 - (run.horizon - run.time)] or done == [3_000_000]
    assert all("in use" in text for text in refused) and refused


def test_two_runs_in_two_threads() -> None:
    env = lgkt.Env("synthetic", seed=1)
    horizon = 50_000
    expected = [env.trajectory(horizon, instance=i).play(env.learner("auto", horizon))
                for i in range(2)]
    got: dict[int, Any] = {}

    def work(i: int) -> None:
        got[i] = env.trajectory(horizon, instance=i).play(env.learner("auto", horizon))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(2):
        assert same(expected[i], got[i])


INTERRUPTED = """
import os, signal, sys, threading, time
import lgkt
env = lgkt.Env("synthetic", seed=1)
T = int(sys.argv[1])
run, learner = env.trajectory(T), env.learner("auto", T)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        run.play(learner, 5_000_000)
except KeyboardInterrupt:
    pass
at = run.time
assert 0 < at == learner.time < T, (at, learner.time)
assert at % 5_000_000 != 0, "not in the middle of play"
played = run.play(learner, 1000)
assert run.time == learner.time == at + 1000
print(at, run.save().hex(), learner.hash)
"""


def test_interrupt() -> None:
    horizon = 1_000_000_000
    where = dict(os.environ, PYTHONPATH=str(Path(lgkt.__file__).parents[1]))
    begin = time.monotonic()
    out = subprocess.run([sys.executable, "-c", INTERRUPTED, str(horizon)], env=where, check=True,
                         capture_output=True, text=True).stdout.split()
    assert time.monotonic() - begin < 20
    # nothing was lost or played twice
    env = lgkt.Env("synthetic", seed=1)
    run, learner = env.trajectory(horizon), env.learner("auto", horizon)
    run.play(learner, int(out[0]) + 1000)
    assert run.save().hex() == out[1] and learner.hash == int(out[2])


def test_records() -> None:
    """Arrays as states, a learner on them, and the same numbers by the runner."""
    env = lgkt.Env("contextual:features=2,categories=3", seed=1)
    assert env.states == 0 and env.kinds == (0, 0, 3) and not env.coarse
    assert lgkt.Env("cartpole").kinds is None and lgkt.Env("pendulum").kinds == (0, 0, 0)
    run, other = env.trajectory(500), env.trajectory(500)
    first = run.state
    assert first.shape == (3,) and first.dtype == np.float64 and first[2] in (0, 1, 2)
    learner = env.learner("linucb", 500)
    assert isinstance(learner, lgkt.RecordLearner) and learner.features[2][1:3] == (1, 3)
    states, actions, rewards = run.play(learner)
    assert not states.any()
    again = env.learner("linucb", 500)
    assert again.explain(first)["probability"].sum() == pytest.approx(1)
    state = other.state
    for t in range(500):
        assert again.act(state) == actions[t]
        reward, state, ended = other.step(int(actions[t]))
        assert reward == rewards[t] and not ended
        again.observe(reward, state, ended)
    assert again.hash == learner.hash
    played = lgkt.run("contextual:features=2,categories=3", "linucb", 500, 1)
    assert played["linucb"].observed == pytest.approx(np.mean(rewards), abs=1e-12)
    with pytest.raises(lgkt.UnsupportedError, match="needs a learner on records"):
        env.trajectory(10).play(lgkt.Learner("random", 3, 4, 10))
    with pytest.raises(lgkt.UnsupportedError, match="needs states"):
        env.learner("psrl", 10)


def test_many_features() -> None:
    env = lgkt.Env("noisy:of=(contextual:features=200),features=56")
    run = env.trajectory(50)
    assert run.state.shape == (256,)
    run.play(env.learner("random", 50))
    assert run.time == 50


class OnRecords:
    """Pushes the pole the way it leans."""

    def __init__(self, problem: lgkt.Problem) -> None:
        assert problem.states == 0

    def act(self, state: np.ndarray) -> int:
        return int(state[2] + 0.5 * state[3] > 0)

    def observe(self, reward: float, next_state: np.ndarray, ended: bool) -> None:
        assert next_state.shape == (4,) and not ended


def test_own_learners_get_records() -> None:
    assert lgkt.run("cartpole:view=record", OnRecords, 500, 2)["OnRecords"].mean > 0.98
