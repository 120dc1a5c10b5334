# SPDX-License-Identifier: MIT
"""Worlds that show one state and go on in another: frozenlake:return=tile, trading:cut=kept."""

from typing import Any

import numpy as np
import pytest

import lgkt

LAKE = "frozenlake:return=tile"
MARKET = "trading:frame-hi=40,cut=kept"


def by_hand(env: lgkt.Env, learner: Any, steps: int) -> list[float]:
    """The loop that `Trajectory.play` has inside."""
    run = env.trajectory(steps)
    keyed = isinstance(learner, lgkt.KeyedLearner)
    rewards = []
    for _ in range(steps):
        reward, state, ended = run.step(learner.act(run.observation if keyed else run.state))
        learner.observe(reward, run.shown, ended)
        if run.shown != (run.observation if keyed else state):
            learner.jump()
        rewards.append(reward)
    return rewards


@pytest.mark.parametrize("spec", ["lg2t", "ucrl2", "sarsa"])
@pytest.mark.parametrize("world", [LAKE, MARKET])
def test_play_is_the_loop_by_hand(world: str, spec: str) -> None:
    env = lgkt.Env(world, seed=2)
    learners = [env.learner(spec, 500) for _ in range(2)]
    rewards = env.trajectory(500).play(learners[0])[2]
    assert rewards.tolist() == by_hand(env, learners[1], 500)
    assert env.jumps


def test_run_is_that_of_the_command() -> None:
    result = lgkt.run(LAKE, "lg2t", horizon=500, replicates=1, seed=2)
    env = lgkt.Env(LAKE, seed=2)
    observed = np.sum(env.trajectory(500).play(env.learner("lg2t", 500))[2]) / 500
    assert result["lg2t"].observed[0] == pytest.approx(observed, abs=1e-12)


def test_tiles_are_shown_and_nobody_acts_there() -> None:
    run = lgkt.Env(LAKE, seed=1).trajectory(2000)
    acted, shown = set(), set()
    for t in range(2000):
        acted.add(run.state)
        run.step(t % 4)
        shown.add(run.shown)
    holes_and_goal = {5, 7, 11, 12, 15}
    assert holes_and_goal <= shown and not holes_and_goal & acted
    assert not lgkt.Env("frozenlake").jumps


def test_what_cannot_be_played_is_refused_by_name() -> None:
    class Own:
        def act(self, state: int) -> int:
            return 0

        def observe(self, reward: float, next_state: int, ended: bool) -> None:
            pass

    with pytest.raises(lgkt.UnsupportedError, match="return=tile shows one state"):
        lgkt.run(LAKE, {"own": Own}, horizon=10, replicates=1)
    gym = pytest.importorskip("lgkt.gym")
    with pytest.raises(lgkt.UnsupportedError, match="cut=kept shows one state"):
        gym.Env(MARKET)
    learner = lgkt.Learner("lg2t", states=3, actions=2, horizon=10)
    learner.act(0)
    with pytest.raises(lgkt.Error, match="jump at step 0"):
        learner.jump()
