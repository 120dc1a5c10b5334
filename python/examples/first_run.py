# SPDX-License-Identifier: MIT
"""A learner swims in a river for 20000 steps: examples/first_run.c in Python."""

from __future__ import annotations

import lgkt


def main() -> None:
    horizon = 20000
    env = lgkt.Env("riverswim:states=5")
    run = env.trajectory(horizon, seed=1)
    learner = env.learner("auto", horizon)
    total = 0.0
    for _ in range(horizon):
        reward, state, ended = run.step(learner.act(run.state))
        learner.observe(reward, state, ended)
        total += reward
    print(f"average reward {total / horizon:.4f}")

    # the same loop in C
    again = env.trajectory(horizon, seed=1)
    states, actions, rewards = again.play(env.learner("auto", horizon))
    print(f"average reward {rewards.mean():.4f}")

    model = env.model
    assert model is not None
    best = lgkt.plan.optimal(model, horizon)
    print(f"at best {best.value()[0] / horizon:.4f} with full knowledge")


if __name__ == "__main__":
    main()
