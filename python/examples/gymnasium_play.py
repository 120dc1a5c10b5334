# SPDX-License-Identifier: MIT
"""Gymnasium both ways: learners of the library in Gymnasium's lake, and our river as an environment
of Gymnasium. Needs Gymnasium: pip install ".[gym]"
"""

from __future__ import annotations

import gymnasium
import numpy as np

import lgkt
import lgkt.gym


def main() -> None:
    # one run of 10000 steps; an episode that ends, in a hole or at the goal, is followed by the
    # next one, and the learner counts that as a way back to the start
    result = lgkt.gym.play("FrozenLake-v1", ["auto", "random"], steps=10000, replicates=3,
                           reward_min=0, reward_max=1)
    for learner in result:
        print(f"{learner.label} reaches the goal {learner.mean * 1000:.1f} times in 1000 steps")

    # the table of the environment as a model: what could be reached with full knowledge
    model = lgkt.Model.from_gym(gymnasium.make("FrozenLake-v1"))
    print(f"at best {lgkt.plan.gain(model)[0] * 1000:.1f} times")

    # the other way: 8 rivers stepped at once, always swimming upstream
    rivers = gymnasium.make_vec("lgkt/RiverSwim-v0", num_envs=8, states=5, horizon=1000)
    rivers.reset(seed=1)
    total = np.zeros(8)
    for _ in range(1000):
        _, rewards, _, _, _ = rivers.step(np.ones(8, dtype=np.int64))
        total += rewards
    print("upstream:", (total / 1000).round(3).tolist())


if __name__ == "__main__":
    main()
