# SPDX-License-Identifier: MIT
"""Learners on a log: replay agrees with the truth where it lasts, simulation has the ignorance of
the log in it, and both say what they cannot do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("pyarrow")

import log_worlds  # noqa: E402

import lgkt  # noqa: E402
from lgkt.log.coding import Coded  # noqa: E402
from lgkt.log.replay import replay  # noqa: E402
from lgkt.log.simulate import compare, simulate  # noqa: E402


def endless(world: log_worlds.World, units: int, length: int, seed: int) -> Coded:
    """A log of which every next state is known, so that a replay never starts anew."""
    made = world.draw(np.full(units, length + 1), seed)
    kept = made.next_known
    assert made.state is not None and made.next_state is not None
    assert made.probability is not None
    short = log_worlds.coded(made.unit[kept], np.tile(np.arange(length), units), made.action[kept],
                             made.reward[kept], np.full(units, length), actions=made.A,
                             state=made.state[kept], states=made.S,
                             probability=made.probability[kept])
    return replace(short, next_state=made.next_state[kept],
                   next_known=np.ones(short.n, np.bool_))


@pytest.mark.parametrize("method, learner", [("queues", "lg1t"), ("queues", "psrl"),
                                             ("rejection", "auto")])
def test_replay_agrees_with_the_truth_where_it_lasts(method: str, learner: str) -> None:
    world = log_worlds.worlds()["garnet"]
    log = endless(world, 200, 40, 1)
    horizon = 150
    made = replay(log, learner, horizon=horizon, method=method)
    assert made.lasted == horizon and made.ended == {"the horizon": 20}
    truth = lgkt.run("garnet:seed=1", [learner], horizon=horizon, replicates=2000, untold=True)
    true = truth[learner].mean
    # one log: the interval of 95%, and three times its half width at the most
    assert abs(made.mean.mean - true) < 1.5 * (made.mean.high - made.mean.low) / 2
    assert made.mean.high - made.mean.low < 0.2
    assert made.curve[-1][0] == horizon
    assert made.curve[-1][1] == pytest.approx(made.mean.mean * horizon)


def test_replays_of_many_logs_are_unbiased_and_their_intervals_hold() -> None:
    # 40 logs: the mean within 3.5 standard errors of the truth, and at most 6 of the intervals of
    # 95% miss (P = 0.4% if they were exact)
    world = log_worlds.worlds()["bandit"]
    truths = []
    for k in range(400):
        learner = lgkt.Learner("ucb", states=1, actions=4, horizon=80, seed=5, instance=k)
        draw = np.random.default_rng(k)
        total = 0.0
        for _ in range(80):
            a = learner.act(0)
            reward = float(draw.random() < world.model.R[0, a])
            learner.observe(reward, 0)
            total += reward
        truths.append(total / 80)
    true = float(np.mean(truths))
    means, missed = [], 0
    for seed in range(40):
        made = replay(world.draw(np.full(60, 20), seed), "ucb", horizon=80, runs=10)
        assert made.lasted == 80
        means.append(made.mean.mean)
        missed += not made.mean.low <= true <= made.mean.high
    error = np.sqrt(np.var(means) / 40 + np.var(truths) / 400)
    assert abs(np.mean(means) - true) < 3.5 * error
    assert missed <= 6


def test_replay_says_how_long_it_lasted() -> None:
    world = log_worlds.worlds()["garnet"]
    log = endless(world, 20, 20, 1)
    made = replay(log, "ucb", horizon=100_000)
    assert 0 < made.lasted <= made.steps.min() and made.lasted < 400
    assert "a pair of which no row was left" in made.ended
    assert f"over the first {made.lasted} of 100000" in str(made)
    assert made.to_dict()["lasted"] == made.lasted
    assert replay(log, "ucb", horizon=100_000).mean == made.mean


def test_rejection_needs_probabilities() -> None:
    log = endless(log_worlds.worlds()["garnet"], 20, 20, 1)
    with pytest.raises(lgkt.UnsupportedError, match="probabilities of all actions"):
        replay(replace(log, probability=None), "psrl", horizon=10, method="rejection")
    with pytest.raises(lgkt.InputError, match='"queues" or "rejection"'):
        replay(log, "psrl", horizon=10, method="guess")


@pytest.mark.parametrize("ask", [
    lambda log: replay(log, "auto", horizon=5), lambda log: simulate(log, "auto", 5, 5),
    lambda log: compare(log, "auto", 5, 5)])
def test_records_are_refused_by_name(ask: Any) -> None:
    log = log_worlds.worlds()["glucose"].draw(np.full(5, 4), 1)
    with pytest.raises(lgkt.UnsupportedError, match=r"records \(x0, x1, x2, x3, x4\)"):
        ask(log)


def test_simulation_ranks_learners_and_knows_more_with_more_rows() -> None:
    world = log_worlds.worlds()["river"]
    learners = ["random", "psrl", "optimal"]
    widths = []
    for units in (30, 1000):
        log = world.draw(np.full(units, 20), 1)
        made = simulate(log, learners, 50, 60, alone=True, draws=40, rewards=(0.0, 1.0))
        assert made.ranks[0].spec == "optimal" and made.ranks[-1].spec == "random"
        assert sum(rank.best for rank in made.ranks) == pytest.approx(1)
        widths.append(made.ranks[-1].high - made.ranks[-1].low)
    assert widths[1] < 0.7 * widths[0]
    # random play is a law: what it earns in the world is known
    true = world.value(np.full((5, 2), 0.5), np.full(1, 50))
    random = made.ranks[-1]
    assert random.low < true < random.high
    more, low, high = made.difference("optimal", "random")
    assert 0 < low < more < high
    with pytest.raises(lgkt.InputError, match='"ucb" was not simulated'):
        made.difference("ucb", "random")


def test_what_was_never_tried_is_at_both_ends() -> None:
    world = log_worlds.worlds()["never tried"]
    log = world.draw(np.full(300, 20), 1)
    made = simulate(log, ["random"], 40, 1, draws=20)
    rank = made.ranks[0]
    assert made.untried == 6
    assert rank.gloomy < rank.mean < rank.hopeful
    assert rank.hopeful - rank.gloomy > 0.2 and rank.high - rank.low > 0.2
    assert "6 pairs of a state and an action were never tried" in str(made)
    plain = made.to_dict()["learners"][0]
    assert list(plain)[:5] == ["spec", "mean", "low", "high", "best"]


def test_one_figure(tmp_path: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    log = log_worlds.worlds()["never tried"].draw(np.full(60, 5), 1)
    figure = compare(log, ["random", "ucb"], 20, 1, draws=6)
    ax, = figure.axes
    assert [label.get_text() for label in ax.get_yticklabels()] != ["", ""]
    assert "6 worlds that the log leaves possible" in ax.get_title(loc="left")
    figure.savefig(tmp_path / "compare.png")
    matplotlib.pyplot.close(figure)


def test_bad_numbers() -> None:
    log = log_worlds.worlds()["river"].draw(np.full(30, 5), 1)
    with pytest.raises(lgkt.InputError, match="draws is 1"):
        simulate(log, "auto", 5, 5, draws=1)
    with pytest.raises(lgkt.InputError, match="no learner"):
        simulate(log, [], 5, 5)
    with pytest.raises(lgkt.InputError, match="rewards from"):
        simulate(log, "auto", 5, 5, rewards=(0.0, 0.001))
