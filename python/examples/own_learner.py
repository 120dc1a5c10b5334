# SPDX-License-Identifier: MIT
"""A learner of one's own beside those of the library, on the same instances with the same noise.

It is Thompson sampling on the next reward alone: it draws a mean for each action from what was seen
of it, and plays the largest. That looks one step ahead, as `ucb` and `lg1t` do.
"""

from __future__ import annotations

import numpy as np

import lgkt


class Thompson:
    def __init__(self, problem: lgkt.Problem) -> None:
        self.sum = np.zeros((problem.states, problem.actions))
        self.count = np.ones((problem.states, problem.actions))
        self.sd = 0.5 if problem.reward_sd is None else problem.reward_sd
        self.random = np.random.default_rng((problem.seed, problem.instance))
        self.pair = 0, 0

    def act(self, state: int) -> int:
        mean = self.sum[state] / self.count[state]
        drawn = mean + self.sd * self.random.standard_normal(len(mean)) / np.sqrt(self.count[state])
        self.pair = state, int(np.argmax(drawn))
        return self.pair[1]

    def observe(self, reward: float, next_state: int, ended: bool) -> None:
        self.sum[self.pair] += reward
        self.count[self.pair] += 1


def main() -> None:
    learners = {"thompson": Thompson, "ucb": "ucb", "lg1t": "lg1t", "auto": "auto"}
    result = lgkt.run("synthetic:states=10,actions=5", learners, horizon=5000, replicates=10)
    print(result)
    print()
    for rival in "ucb", "lg1t", "auto":
        gap, low, high = result.paired("thompson", rival)
        print(f"thompson less {rival}: {gap:+.4f} per step, in [{low:+.4f}, {high:+.4f}]")


if __name__ == "__main__":
    main()
