# SPDX-License-Identifier: MIT
"""Learners of lgkt on Gymnasium environments."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium  # noqa: E402
from gymnasium import spaces  # noqa: E402

import lgkt  # noqa: E402
import lgkt.gym  # noqa: E402


def newest(name: str) -> str:
    """The id of the newest version that is there: Gymnasium drops old ones."""
    found = [i for i in gymnasium.registry if i.rpartition("-v")[0] == name]
    return str(max(found, key=lambda i: int(i.rpartition("-v")[2])))


def seed_of(seed: int, instance: int) -> int:
    return int(np.random.SeedSequence((seed, instance)).generate_state(1)[0])


def by_hand(env: Any, learner: Any, steps: int, seed: int, key: Any = int) -> list[float]:
    """The loop as one would write it."""
    state = key(env.reset(seed=seed)[0])
    rewards = []
    for _ in range(steps):
        seen, reward, terminated, truncated, _ = env.step(learner.act(state))
        if terminated or truncated:
            seen, _ = env.reset()
        state = key(seen)
        # what the world ends leads to its next start
        learner.observe(reward, state, truncated and not terminated)
        rewards.append(float(reward))
    return rewards


def test_play_is_the_plain_loop() -> None:
    result = lgkt.gym.play("FrozenLake-v1", "psrl", 1500, seed=4, replicates=2,
                           checkpoints=[700, 1500])
    assert result.env == "FrozenLake-v1" and result.horizon == 1500 and result.seed == 4
    assert result.labels == ("psrl",) and np.all(np.isnan(result.optimum))
    for i in range(2):
        learner = lgkt.Learner("psrl", 16, 4, 1500, seed=4, instance=i)
        rewards = by_hand(gymnasium.make("FrozenLake-v1"), learner, 1500, seed_of(4, i))
        assert result.reward[0, i] == pytest.approx(np.mean(rewards), abs=1e-15)
        assert result.curve[0, 0, i] == pytest.approx(np.mean(rewards[:700]), abs=1e-15)
    assert result.reward[0, 0] != result.reward[0, 1]
    again = lgkt.gym.play("FrozenLake-v1", "psrl", 1500, seed=4, replicates=2)
    assert np.array_equal(result.reward, again.reward)


def test_the_lake_earns_the_same_by_every_way() -> None:
    """What the world ends leads to its next start, whoever plays; 4 standard errors of a difference
    fail once in 15000 seeds for each of the ten pairs. Holes as cuts cost half of the reward."""
    steps, runs = 6000, 8
    model = lgkt.Model.from_gym(gymnasium.make("FrozenLake-v1"))
    known = lgkt.Env("model", data=model)
    told: Any = {"reward_min": known.reward_min, "reward_max": known.reward_max,
                 "reward_sd": known.reward_sd}

    def hand(i: int) -> float:
        learner = lgkt.Learner("auto", 16, 4, steps, seed=5, instance=i, **told)
        return float(np.mean(by_hand(gymnasium.make("FrozenLake-v1"), learner, steps, i)))

    play = {"steps": steps, "replicates": runs, **told}
    same = "frozenlake:reward-frozen=0,reward-hole=0,success-rate=0.3333333333333333"
    ways = [lgkt.gym.play("FrozenLake-v1", "auto", **play).reward[0],
            lgkt.run(lgkt.gym.world("FrozenLake-v1", **told), "auto", steps, runs, 7).reward[0],
            lgkt.run(model, "auto", steps, runs).observed[0],
            lgkt.run(same, "auto", steps, runs).observed[0],
            np.array([hand(i) for i in range(runs)])]
    for i, one in enumerate(ways):
        for other in ways[:i]:
            error = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / runs)
            assert abs(one.mean() - other.mean()) < 4 * error
    cut = lgkt.gym.play("FrozenLake-v1", "auto", end="cut", **play).reward[0]
    assert cut.mean() < 0.75 * np.mean(ways)


def test_play_with_keys_is_the_plain_loop() -> None:
    result = lgkt.gym.play("Blackjack-v1", "auto", 1500, seed=2)
    learner = lgkt.KeyedLearner("auto", 2, 1500, seed=2)
    rewards = by_hand(gymnasium.make("Blackjack-v1"), learner, 1500, seed_of(2, 0),
                      key=lambda seen: tuple(int(x) for x in seen))
    assert result.reward[0, 0] == pytest.approx(np.mean(rewards), abs=1e-15)
    assert learner.states > 200


class Script(gymnasium.Env[Any, Any]):
    """Shows observations one after the other and pays the action; ends as told."""

    def __init__(self, space: Any, shown: list[Any], actions: Any = None, every: int = 5,
                 terminates: bool = True) -> None:
        self.observation_space, self.shown = space, shown
        self.action_space = actions or spaces.Discrete(3, start=2)
        self.every, self.terminates = every, terminates
        self.time, self.resets, self.closed = 0, 0, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.time, self.resets = 0, self.resets + 1
        return self.shown[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action)
        self.time += 1
        over = self.time % self.every == 0
        seen = self.shown[self.time % len(self.shown)]
        return seen, float(action), over and self.terminates, over and not self.terminates, {}

    def close(self) -> None:
        self.closed += 1


class Notes:
    """A learner that plays in turn and writes down what it is told."""

    def __init__(self, problem: Any = None) -> None:
        self.problem, self.told, self.states = problem, [], []
        Notes.last = self

    last: Notes
    told: list[Any]
    states: list[Any]

    def act(self, state: Any) -> int:
        self.states.append(state)
        return len(self.states) % 3

    def observe(self, reward: float, state: Any, ended: bool) -> None:
        self.told.append((reward, state, ended))


@pytest.mark.parametrize("end", ["cut", "restart", None])
@pytest.mark.parametrize("terminates", [True, False])
def test_what_an_end_is_and_that_the_run_goes_on(terminates: bool, end: Any) -> None:
    env = Script(spaces.Discrete(3, start=10), [10, 11, 12], terminates=terminates)
    how = {} if end is None else {"end": end}
    lgkt.gym.play(env, Notes, steps=11, reward_min=2, reward_max=4, **how)
    notes = Notes.last
    # actions of Discrete(3, start=2) and states of Discrete(3, start=10) count from 0
    assert notes.states == [0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0]
    assert [told[1] for told in notes.told] == notes.states[1:] + [1]
    cuts = [t for t, told in enumerate(notes.told, start=1) if told[2]]
    assert cuts == ([] if terminates and end != "cut" else [5, 10])
    assert [told[0] for told in notes.told][:4] == [3.0, 4.0, 2.0, 3.0]
    assert env.resets == 3 and env.closed == 0
    problem = notes.problem
    assert (problem.states, problem.actions, problem.reward_min, problem.reward_max) == (3, 3, 2, 4)


@pytest.mark.parametrize("space, shown, how, states", [
    (spaces.MultiDiscrete([2, 3]), [np.array([0, 2]), np.array([1, 0])], {}, [(0, 2), (1, 0)]),
    (spaces.MultiBinary(2), [np.array([0, 1], np.int8), np.array([1, 1], np.int8)], {},
     [(0, 1), (1, 1)]),
    (spaces.Text(9), ["left", "right"], {}, ["left", "right"]),
    (spaces.Box(-1, 1, (2,)), [np.array([0.123, -0.001]), np.array([0.3, 0.4])], {"rounding": 1},
     [(0.1, 0.0), (0.3, 0.4)]),
    (spaces.Box(-1, 1, (2,)), [np.array([0.123, -0.001]), np.array([0.3, 0.4])], {"bins": [0, 0.2]},
     [(1, 0), (2, 2)]),
    (spaces.Tuple([spaces.Discrete(2), spaces.Text(3)]), [(0, "a"), (1, "b")], {},
     [(0, "a"), (1, "b")]),
    (spaces.Dict(x=spaces.Discrete(2), y=spaces.Box(0, 1, (1,))),
     [{"x": 0, "y": [0.26]}, {"x": 1, "y": [0.5]}], {"rounding": {"y": 1}},
     [(0, (0.3,)), (1, (0.5,))]),
    (spaces.Sequence(spaces.Discrete(2)), [(0, 1), (1,)], {"key": len}, [2, 1]),
    (spaces.Discrete(5), [3, 4], {"state_limit": 2}, [3, 4]),
])
def test_every_space_becomes_keys(space: Any, shown: Any, how: Any, states: Any) -> None:
    result = lgkt.gym.play(Script(space, shown), {"auto": "auto", "mine": Notes}, 40, **how)
    assert Notes.last.states[:4] == (states * 2)[:4] and Notes.last.problem.states is None
    # the last of three actions pays 4: there are learners that find out with any of the spaces
    assert 2 <= result["auto"].mean <= 4


@pytest.mark.parametrize("space, shown, features, records", [
    (spaces.Box(-1, 1, (2, 2)), [np.array([[0.1, 0.2], [0.3, 0.4]]), np.ones((2, 2))],
     ["0", "1", "2", "3"], [[0.1, 0.2, 0.3, 0.4], [1, 1, 1, 1]]),
    (spaces.Dict(x=spaces.Discrete(3, start=5), y=spaces.Box(0, 1, (2,)), z=spaces.Text(4)),
     [{"x": 6, "y": [0.25, 0.5], "z": "up"}, {"x": 5, "y": [1, 0], "z": "down"}],
     [("x", 3), "y 0", "y 1", ("z", str)], [[1, 0.25, 0.5, "up"], [0, 1, 0, "down"]]),
    (spaces.Tuple([spaces.MultiDiscrete([2, 3]), spaces.MultiBinary(1), spaces.Box(0, 1, ())]),
     [(np.array([1, 2]), np.array([1]), np.float32(0.5)), ([0, 0], [0], 1.0)],
     [("0 0", 2), ("0 1", 3), ("1", 2), "2"], [[1, 2, 1, 0.5], [0, 0, 0, 1]]),
])
def test_real_numbers_make_records(space: Any, shown: Any, features: Any, records: Any) -> None:
    world = lgkt.gym.world(Script(space, shown))(0, 0)
    assert world.features == features and world.states is None
    told = [world.state, *(world.step(t % 3)[1] for t in range(3))]
    assert [list(state) for state in told] == (records * 2)[:4]
    result = lgkt.gym.play(Script(space, shown), ["auto", "random"], 300)
    assert np.all(np.isfinite(result.reward))
    # the last of three actions pays 4, whatever is seen
    assert result["auto"].mean > 3.2


def test_gymnasium_straight_in() -> None:
    """Falls of the pole of Gymnasium are seen, and few, where they are paid for."""
    result = lgkt.gym.play(lambda: gymnasium.make("CartPole-v1", sutton_barto_reward=True),
                           ["auto", "random"], steps=3000)
    assert result["random"].mean < -0.03
    assert result["auto"].mean > 0.6 * result["random"].mean
    assert np.isfinite(lgkt.gym.play("CartPole-v1", steps=300)["auto"].mean)
    mixed = gymnasium.make("lgkt/Contextual-v0", features=3, categories=2)
    back = lgkt.gym.play(mixed, "auto", 500)
    assert back["auto"].mean > 0.2


def test_environments_are_made_anew_and_closed() -> None:
    made: list[Script] = []

    def make() -> Script:
        made.append(Script(spaces.Discrete(3), [0, 1, 2]))
        return made[-1]

    lgkt.gym.play(make, ["auto", "random"], 20, replicates=2)
    assert len(made) == 5 and all(env.closed == 1 for env in made)


def test_refusals() -> None:
    box = spaces.Box(-1, 1, (2,))
    with pytest.raises(lgkt.UnsupportedError, match="actions must be Discrete, not Box"):
        lgkt.gym.play(Script(spaces.Discrete(2), [0, 1], actions=box), "auto", 10)
    with pytest.raises(lgkt.UnsupportedError, match='"lg1t" needs states.*"forest", or a view'):
        lgkt.gym.play(Script(box, [np.zeros(2)]), "lg1t", 10)
    both = spaces.Dict(a=box, b=box)
    with pytest.raises(lgkt.InputError, match="say how to round"):
        lgkt.gym.play(Script(both, [{"a": [0, 0], "b": [0, 0]}]), "auto", 10, bins={"a": [0]})
    with pytest.raises(lgkt.UnsupportedError, match="Sequence.*`key`"):
        lgkt.gym.play(Script(spaces.Sequence(spaces.Discrete(2)), [(0,)]), "auto", 10)
    with pytest.raises(lgkt.InputError, match='end must be "cut" or "restart"'):
        lgkt.gym.play("FrozenLake-v1", "auto", 10, end="stop")
    with pytest.raises(lgkt.InputError, match="limit"):
        lgkt.gym.play("Blackjack-v1", "auto", 500, state_limit=20)
    with pytest.raises(TypeError, match="a Gymnasium environment or .*, not SyncVectorEnv"):
        lgkt.gym.play(gymnasium.make_vec("FrozenLake-v1", 2), "auto", 10)  # type: ignore[arg-type]
    with pytest.raises(lgkt.InputError, match="nonesuch"):
        lgkt.gym.play("FrozenLake-v1", "nonesuch", 10)


def test_worlds_of_run() -> None:
    """A world, and an environment itself, in lgkt.run; a learner within one's own is the same."""

    class Mine:
        def __init__(self, problem: Any) -> None:
            self.inner = lgkt.Learner("psrl", problem.states, problem.actions, problem.horizon,
                                      seed=problem.seed, instance=problem.instance)
            self.act, self.observe = self.inner.act, self.inner.observe

    lake = lgkt.gym.world("FrozenLake-v1")
    result = lgkt.run(lake, {"psrl": "psrl", "mine": Mine}, 600, 2, seed=3)
    assert np.array_equal(result.reward[0], result.reward[1])
    direct = lgkt.run(gymnasium.make("FrozenLake-v1"), "psrl", 600, 2, seed=3)
    assert np.array_equal(direct.reward[0], result.reward[0])


def test_our_own_environment_both_ways() -> None:
    """lgkt -> Gymnasium -> lgkt is what lgkt does alone, but for the noise."""
    env = gymnasium.make("lgkt/RiverSwim-v0", states=5, horizon=4000)
    there = lgkt.gym.play(env, ["auto", "random"], 4000, replicates=3, reward_min=0, reward_max=1)
    alone = lgkt.run("riverswim:states=5", ["auto", "random"], 4000, 3)
    assert np.allclose(there.reward.mean(axis=1), alone.reward.mean(axis=1), atol=0.05)


def test_masks_are_kept_to() -> None:
    """Taxi says what has no effect: nobody who keeps to that drives into a wall."""

    class Mine:
        masks: list[Any] = []

        def act(self, state: int, allowed: Any) -> int:
            self.masks.append(allowed)
            return int(np.flatnonzero(allowed)[0])

        def observe(self, reward: float, next_state: int, ended: bool) -> None:
            pass

    taxi = gymnasium.make(newest("Taxi"))
    lgkt.gym.play(taxi, Mine(), 50, checkpoints=None)
    assert len(Mine.masks) == 50 and Mine.masks[0].shape == (6,)
    free = lgkt.gym.play(taxi, "random", 2000, masks=False)["random"].mean
    kept = lgkt.gym.play(taxi, "random", 2000)["random"].mean
    assert free < -3 and kept > -1.5  # -10 for a wrong pickup or dropoff, which are not offered


@pytest.mark.parametrize("name, how", [
    ("FrozenLake", {}), ("Taxi", {}), ("CliffWalking", {}), ("Blackjack", {})])
def test_toy_text(name: str, how: Any) -> None:
    result = lgkt.gym.play(newest(name), ["auto", "q-learning", "random"], 1000, **how)
    assert np.all(np.isfinite(result.reward)) and "auto" in str(result)
    if name in ("Taxi", "CliffWalking"):
        assert result["auto"].mean > result["random"].mean


def test_trading() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("gym_anytrading")
        signs = lgkt.gym.play("forex-v0", "auto", 800, key=lambda seen: tuple(seen[-3:, 1] > 0))
        rounded = lgkt.gym.play("forex-v0", "auto", 800, rounding=4)
    assert np.all(np.isfinite(signs.reward)) and np.all(np.isfinite(rounded.reward))


@pytest.mark.parametrize("action, kind", [(-1, lgkt.InputError), (4, lgkt.InputError),
                                          (1.0, TypeError), (None, TypeError)])
def test_wrong_actions_of_an_own_learner(action: Any, kind: type[Exception]) -> None:
    class Own:
        def act(self, state: Any) -> Any:
            return action

        def observe(self, reward: float, next_state: Any, ended: bool) -> None:
            pass

    with pytest.raises(kind):
        lgkt.gym.play("FrozenLake-v1", Own(), 10)


def test_a_state_that_is_no_whole_number() -> None:
    with pytest.raises(TypeError, match="integer"):
        lgkt.gym.play(Script(spaces.Discrete(4), [0, 2.5]), "auto", 10)
