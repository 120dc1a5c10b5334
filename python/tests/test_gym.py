# SPDX-License-Identifier: MIT
"""The environments of lgkt as Gymnasium environments."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import lgkt  # noqa: E402
import lgkt.gym  # noqa: E402

TWO_STATES = lgkt.Model(P=[[[0.5, 0.5], [0, 1]], [[1, 0], [0.2, 0.8]]], R=[[0, 1], [0.5, 0]])

# in state 0 the last action is forbidden, in state 1 the first
SOME_FORBIDDEN = lgkt.Model(P=[[[0.5, 0.5], [0, 1], [1, 0]], [[0, 1], [0.2, 0.8], [1, 0]]],
                            R=[[0, 1, 0], [0, 0, 0.5]],
                            allowed=np.array([[True, True, False], [False, True, True]]))

# what cannot be made without more arguments
NEEDS: dict[str, dict[str, Any]] = {"lgkt/Env-v0": {"spec": "scaled:by=2,of=(chain:states=4)"},
                                    "lgkt/Model-v0": {"data": TWO_STATES}}
ALL = ["lgkt/Env-v0", *lgkt.gym.ids().values()]


def same(one: Any, other: Any) -> bool:
    """Equal in value and type, arrays of objects and nested infos included."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype == object:
            return all(same(x, y) for x, y in zip(one, other))
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and bool(one == other)


def test_every_environment_is_registered() -> None:
    names = [entry.name for entry in lgkt.envs()]
    assert list(lgkt.gym.ids()) == names and len(set(lgkt.gym.ids().values())) == len(names)
    registered = {name for name in gymnasium.registry if name.startswith("lgkt/")}
    assert registered == set(ALL)
    assert {"lgkt/RiverSwim-v0", "lgkt/LinearGap-v0", "lgkt/Trading-v0"} <= registered


@pytest.mark.parametrize("name", ALL)
def test_check_env_passes_without_a_warning(name: str) -> None:
    env = gymnasium.make(name, **NEEDS.get(name, {}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_registered_by_the_module_name_alone() -> None:
    code = ("import sys, gymnasium; env = gymnasium.make('lgkt.gym:lgkt/Chain-v0', states=7); "
            "print(env.observation_space, env.reset(seed=0)[0])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Discrete(7) 0\n" and done.stderr == ""


def test_lgkt_alone_does_not_import_gymnasium() -> None:
    code = ("import sys, lgkt; assert 'gymnasium' not in sys.modules\n"
            "sys.modules['gymnasium'] = None\n"
            "try: import lgkt.gym\nexcept ImportError as why: print(why)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'lgkt.gym needs Gymnasium: pip install "lgkt[gym]"\n'


def test_it_comes_when_it_is_asked_for() -> None:
    code = ("import sys, lgkt; before = 'lgkt.gym' in sys.modules\n"
            "print(before, lgkt.gym.play.__name__, 'lgkt/Chain-v0' in lgkt.gym.ids().values())")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False play True\n"


def test_parameters_are_those_of_the_spec() -> None:
    env = gymnasium.make("lgkt/FrozenLake-v0", map="8x8", success_rate=0.5, return_step=True)
    env = env.unwrapped
    same_one = lgkt.Env("frozenlake:map=8x8,success-rate=0.5,return-step=1")
    assert env.model == same_one.model and env.observation_space.n == same_one.states
    for inner in ("chain:states=4,slip=0.1", "(chain:states=4,slip=0.1)"):
        nested = gymnasium.make("lgkt/Scaled-v0", by=np.float64(3), of=inner).unwrapped
        assert nested.model == lgkt.Env("scaled:by=3,of=(chain:states=4,slip=0.1)").model
    more = gymnasium.make("lgkt/Env-v0", spec="chain:states=4", slip=0.1, horizon=5).unwrapped
    assert more.model == lgkt.Env("chain:states=4,slip=0.1").model and more.horizon == 5
    drawn = gymnasium.make("lgkt/Synthetic-v0", world_seed=3, instance=2).unwrapped
    assert drawn.model == lgkt.Env("synthetic", seed=3, instance=2).model
    assert drawn.model != lgkt.Env("synthetic", seed=3).model
    assert gymnasium.make("lgkt/Model-v0", data=TWO_STATES).unwrapped.model == TWO_STATES
    with pytest.raises(lgkt.InputError, match="depth"):
        gymnasium.make("lgkt/Chain-v0", depth=3)
    with pytest.raises(lgkt.InputError, match="model"):
        gymnasium.make("lgkt/Model-v0")


def test_an_episode_is_one_trajectory() -> None:
    env = gymnasium.make("lgkt/Taxi-v0", horizon=300).unwrapped
    state, info = env.reset(seed=5)
    noise = int(np.random.default_rng(np.random.SeedSequence(5)).integers(2**63))
    run = lgkt.Env("taxi").trajectory(300, seed=noise)
    assert state == run.state and info == {}
    actions = np.random.default_rng(1).integers(6, size=300)
    for t, action in enumerate(actions):
        state, reward, terminated, truncated, info = env.step(action)
        assert (reward, state, info["ended"]) == run.step(action)
        assert info["mean_reward"] == run.mean_reward
        assert not terminated and truncated == (t == 299)
    with pytest.raises(lgkt.UseError):
        env.step(0)
    env.reset()
    with pytest.raises(lgkt.InputError):
        env.step(6)


def play(env: Any, seed: int | None, steps: int = 50) -> list[Any]:
    seen = [env.reset(seed=seed)[0]]
    return seen + [env.step(i % int(env.action_space.n))[:2] for i in range(steps)]


def test_seeds() -> None:
    env = gymnasium.make("lgkt/Synthetic-v0")
    first, second = play(env, 7), play(env, None)
    assert first != second
    assert (first, second) == (play(env, 7), play(env, None))
    assert first == play(gymnasium.make("lgkt/Synthetic-v0"), 7)
    assert first != play(env, 8)


def test_trading_shows_the_window_of_prices() -> None:
    prices = 1 + 0.01 * np.random.default_rng(2).normal(size=60).cumsum() ** 2
    env = gymnasium.make("lgkt/Trading-v0", data=prices, window=4, frame_lo=10, frame_hi=50)
    seen, info = env.reset(seed=0)
    assert env.observation_space.shape == (4, 2) and info == {"state": 0}
    # tick W is row frame-lo of the prices; the window ends there
    for t in range(12):
        rows = slice(10 + t - 3, 10 + t + 1)
        assert np.array_equal(seen[:, 0], prices[rows].astype(np.float32))
        assert np.array_equal(seen[:, 1], np.diff(prices)[10 + t - 4:10 + t].astype(np.float32))
        seen, _, _, _, info = env.step(t % 2)
    assert info["state"] == 12 and env.unwrapped.model is None
    # a pass is 39 steps; the step that ends it is told, and the run goes on
    cuts = [env.step(0)[4]["ended"] for _ in range(12, 80)]
    assert [t for t, cut in enumerate(cuts, start=13) if cut] == [39, 78]


def test_records_are_boxes_and_dicts() -> None:
    env = gymnasium.make("lgkt/Cartpole-v0", view="record").unwrapped
    seen, info = env.reset(seed=5)
    assert env.observation_space == gymnasium.spaces.Box(-1e30, 1e30, (4,), np.float64)
    assert env.observation_space.contains(seen) and info == {}
    noise = int(np.random.default_rng(np.random.SeedSequence(5)).integers(2**63))
    run = lgkt.Env("cartpole:view=record").trajectory(20000, seed=noise)
    for t in range(60):
        assert np.array_equal(seen, run.state)
        seen, reward, terminated, truncated, info = env.step(t % 2)
        assert (reward, False) == run.step(t % 2)[::2] and not terminated and not truncated
    mixed = gymnasium.make("lgkt/Contextual-v0", features=2, categories=3)
    seen, _ = mixed.reset(seed=1)
    assert isinstance(mixed.observation_space, gymnasium.spaces.Dict)
    assert mixed.observation_space["category 2"] == gymnasium.spaces.Discrete(3)
    assert set(seen) == {"numbers", "category 2"} and seen["numbers"].shape == (2,)


def test_render_and_pickle() -> None:
    env = gymnasium.make("lgkt/Chain-v0", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == "step 0: state 0"
    env.step(1)
    assert env.render().startswith("step 1: action 1, reward ")
    copied = pickle.loads(pickle.dumps(env))
    assert [env.step(1)[:2] for _ in range(30)] == [copied.step(1)[:2] for _ in range(30)]


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name, more", [
    ("lgkt/FrozenLake-v0", {}), ("lgkt/Synthetic-v0", {"actions": 3}),
    ("lgkt/Trading-v0", {"window": 3, "frame_hi": 15}), ("lgkt/Merged-v0", {"states": 2}),
    ("lgkt/Model-v0", {"data": SOME_FORBIDDEN}), ("lgkt/Pendulum-v0", {}),
    ("lgkt/Contextual-v0", {"features": 2, "categories": 3}),
])
def test_vector_equals_single_ones(name: str, more: dict[str, Any], mode: AutoresetMode) -> None:
    vector = gymnasium.make_vec(name, num_envs=3, horizon=11, autoreset_mode=mode, **more)
    assert isinstance(vector.unwrapped, lgkt.gym.VectorEnv)
    one = [lambda: gymnasium.make(name, horizon=11, **more)]
    single = SyncVectorEnv(one * 3, autoreset_mode=mode)
    assert vector.metadata["autoreset_mode"] is mode
    assert vector.observation_space == single.observation_space
    assert vector.action_space == single.action_space
    random = np.random.default_rng(3)
    assert all(map(same, vector.reset(seed=4), single.reset(seed=4)))
    for t in range(60):
        if t == 7 or mode is AutoresetMode.DISABLED and t % 5 == 0:
            # from here on the copies are over at different steps
            mask = np.array([t % 2 == 0, True, t % 10 == 0])
            ours, theirs = (envs.reset(seed=[t, None, 3], options={"reset_mask": mask})
                            for envs in (vector, single))
            assert all(map(same, ours, theirs)), (t, ours, theirs)
        actions = random.integers(vector.action_space.nvec)
        if name == "lgkt/Model-v0":
            actions = np.ones(3, int)  # the one that is allowed everywhere
        ours, theirs = vector.step(actions), single.step(actions)
        assert all(map(same, ours, theirs)), (t, ours, theirs)


def test_masks() -> None:
    env = gymnasium.make("lgkt/Model-v0", data=SOME_FORBIDDEN, horizon=50)
    _, info = env.reset(seed=1)
    for _ in range(50):
        mask = info["action_mask"]
        assert mask.dtype == np.int8 and mask.sum() == 2
        _, _, _, _, info = env.step(env.action_space.sample(mask))
    state, info = env.reset(seed=1)
    assert state == 0 and info["action_mask"].tolist() == [1, 1, 0]
    with pytest.raises(lgkt.InputError, match="action 2 is forbidden in state 0"):
        env.step(2)
    vector = gymnasium.make_vec("lgkt/Model-v0", num_envs=2, data=SOME_FORBIDDEN)
    assert vector.reset(seed=1)[1]["action_mask"].tolist() == [[1, 1, 0]] * 2
    assert "action_mask" not in gymnasium.make("lgkt/Chain-v0").reset()[1]
    for masks in (True, False):
        result = lgkt.gym.play("Taxi-v4", "random", steps=50, masks=masks)
        assert ("masks: learners choose" in repr(result)) == masks


def test_vector_refuses_and_stays() -> None:
    vector = gymnasium.make_vec("lgkt/Chain-v0", num_envs=2, horizon=50).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        vector.step([0, 0])
    with pytest.raises(lgkt.InputError, match="2 copies, but 3 seeds"):
        vector.reset(seed=[1, 2, 3])
    vector.reset(seed=[1, 2])
    other = pickle.loads(pickle.dumps(vector))
    for bad in ([0, 2], [-1, 0], [0], [0, 0, 0]):
        with pytest.raises(lgkt.InputError):
            vector.step(bad)
    with pytest.raises(TypeError):
        vector.step([0.5, 0])
    for _ in range(40):
        assert all(map(same, vector.step([1, 1]), other.step([1, 1])))
