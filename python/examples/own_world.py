# SPDX-License-Identifier: MIT
"""A world of one's own: a lift in a house, whose states are tuples and not numbers.

People call it from the upper floors. Each step it stays (0), goes up (1) or down (2), and every
floor where somebody still waits costs 1. Nobody numbers the states beforehand: `states` is None,
and learners number them as they come up.
"""

from __future__ import annotations

import numpy as np

import lgkt

FLOORS = 4


class Lift:
    states = None
    actions = 3
    reward_min, reward_max = -float(FLOORS - 1), 0.0

    def __init__(self, seed: int, instance: int) -> None:
        self.random = np.random.default_rng((seed, instance))
        self.floor = 0
        self.waiting = [False] * FLOORS

    @property
    def state(self) -> tuple[int, tuple[bool, ...]]:
        return self.floor, tuple(self.waiting)

    def step(self, action: int) -> tuple[float, tuple[int, tuple[bool, ...]], bool]:
        move = (0, 1, -1)[action]
        self.floor = min(max(self.floor + move, 0), FLOORS - 1)
        self.waiting[self.floor] = False
        if self.random.random() < 0.2:
            self.waiting[int(self.random.integers(1, FLOORS))] = True
        return -float(sum(self.waiting)), self.state, False


def main() -> None:
    result = lgkt.run(Lift, ["auto", "lg2t", "psrl", "random"], horizon=3000, replicates=5)
    print(result)

    # one run by hand, to see the states
    lift = Lift(seed=1, instance=0)
    learner = lgkt.KeyedLearner("auto", lift.actions, horizon=3000, seed=1,
                                reward_min=lift.reward_min, reward_max=lift.reward_max)
    for _ in range(3000):
        learner.observe(*lift.step(learner.act(lift.state)))
    print(f"\n{learner.states} states came up; the lift is now at floor {lift.floor}")


if __name__ == "__main__":
    main()
