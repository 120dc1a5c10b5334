# SPDX-License-Identifier: MIT
"""Learners on records: what comes in as a record, names, answers, saving, and what is refused."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import lgkt
from lgkt.records import RecordLearner, RecordUnits

FEATURES = ["charge", "price", ("tariff", 3), ("city", str)]
CITIES = ["Bern", "Jena", "Ulm"]


def make(**given: Any) -> RecordLearner:
    return lgkt.Learner("auto", features=FEATURES, actions=3, horizon=5000, seed=1, **given)


def record(rng: np.random.Generator) -> list[Any]:
    return [rng.normal(), None if rng.random() < 0.1 else rng.normal(), int(rng.integers(3)),
            CITIES[rng.integers(3)]]


def play(learner: RecordLearner, steps: int, seed: int = 1) -> list[int]:
    rng = np.random.default_rng(seed)
    x, actions = record(rng), []
    for _ in range(steps):
        actions.append(learner.act(x))
        reward = (x[2] == actions[-1]) + 0.5 * (x[3] == "Jena") * (actions[-1] == 0)
        x = record(rng)
        learner.observe(reward, next_state=x)
    learner.jump()
    return actions


def test_it_is_a_record_learner() -> None:
    learner = make()
    assert type(learner) is RecordLearner is lgkt.RecordLearner
    assert learner.spec == "forest:k=0,memory=32768"
    assert [one[:3] for one in learner.features] == [
        ("charge", 0, 0), ("price", 0, 0), ("tariff", 1, 3), ("city", 2, 1024)]
    actions = play(learner, 600)
    assert np.mean(np.array(actions[-100:]) >= 0) == 1
    assert learner.features[3].texts and set(learner.features[3].texts) == set(CITIES)
    assert learner.matters()["tariff"] > 0.3
    best = learner.policy([[0, 0, t, "Ulm"] for t in range(3)])
    assert best.argmax(1).tolist() == [0, 1, 2]


def test_all_kinds_of_records_are_alike() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"city": ["Jena", "Ulm"], "tariff": [1, 2], "price": [0.5, math.nan],
                              "charge": [1.5, -1.0], "more": [0, 0]})
    learners = [make() for _ in range(4)]
    forms = [
        lambda i: [frame.charge[i], frame.price[i], int(frame.tariff[i]), frame.city[i]],
        lambda i: dict(frame.iloc[i]),
        lambda i: frame.iloc[i],
        lambda i: np.array([frame.charge[i], frame.price[i], frame.tariff[i], i]),
    ]
    for learner, form in zip(learners, forms, strict=True):
        if form is forms[3]:
            learner._category(3, "Jena"), learner._category(3, "Ulm")
        learner.act(form(0))
        learner.observe(1.0, form(1))
    assert len({learner.hash for learner in learners}) == 1
    with pytest.raises(lgkt.Error, match="no 'price'"):
        learners[0].act({"charge": 1, "tariff": 1, "city": "Ulm"})
    assert np.array_equal(learners[0].policy(frame), learners[0].policy([forms[0](0), forms[0](1)]))


def test_saved_and_loaded() -> None:
    learner = make()
    play(learner, 200)
    twin = RecordLearner.load(learner.save())
    other = pickle.loads(pickle.dumps(learner))
    assert type(twin) is type(other) is RecordLearner
    assert play(learner, 100, 2) == play(twin, 100, 2) == play(other, 100, 2)
    assert twin.hash == learner.hash and twin.features == learner.features


def test_fed() -> None:
    one, many = make(), make()
    rows = [record(np.random.default_rng(i)) for i in range(21)]
    many.feed(rows[:-1], [0, 1] * 10, list(range(20)), rows[1:])
    for i in range(20):
        one.feed(rows[i], i % 2, i, rows[i + 1])
    assert one.hash == many.hash and one.time == 0


def test_reasons() -> None:
    learner = make()
    play(learner, 400)
    x = [0.0, 1.0, 2, "Bern"]
    hash_before = learner.hash
    reasons = learner.explain(x)
    assert reasons.shape == (3,) and learner.explain([x, x]).shape == (2, 3)
    assert reasons["probability"].sum() == pytest.approx(1)
    assert reasons["upper"] == pytest.approx(reasons["value"] + reasons["doubt"] * reasons["price"])
    told = learner.describe(dict(zip(["charge", "price", "tariff", "city"], x, strict=True)))
    json.dumps(told, allow_nan=False)
    assert sum(told["matters"].values()) == pytest.approx(1)
    assert "action 2: played with probability" in told["words"]
    assert "what matters most: tariff" in told["words"]
    # a text that was never met is as missing
    unseen, missing = learner.explain([[0, 1, 2, "Rome"], [0, 1, 2, None]])["value"]
    assert np.array_equal(unseen, missing)
    assert learner.hash == hash_before and "Rome" not in learner.features[3].texts


def test_figures() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    learner = make()
    play(learner, 100)
    _, axes = pyplot.subplots(1, 2)
    learner.plot_features(axes[0])
    learner.plot_map("charge", "price", [0, 0, 1, "Ulm"], ranges=((-2, 2), (-2, 2)), points=8,
                     ax=axes[1])
    assert len(axes[0].patches) == 4 and axes[1].get_xlabel() == "charge"
    pyplot.close("all")


def test_refused() -> None:
    learner = make()
    with pytest.raises(lgkt.UnsupportedError, match="needs states"):
        lgkt.Learner("ucrl2", features=2, actions=2, horizon=9)
    with pytest.raises(lgkt.InputError, match="no parameter \"depth\""):
        lgkt.Learner("auto:depth=2", features=2, actions=2, horizon=9)
    with pytest.raises(lgkt.UnsupportedError, match="takes records"):
        lgkt.Learner("forest", states=2, actions=2, horizon=9)
    with pytest.raises(lgkt.Error, match="price = inf must be finite"):
        learner.act([0, math.inf, 0, "Ulm"])
    with pytest.raises(lgkt.Error, match="tariff = 3 must be one of the categories 0 .. 2"):
        learner.act([0, 0, 3, "Ulm"])
    with pytest.raises(lgkt.Error, match="3 values, but there are 4 features"):
        learner.act([0, 0, 1])
    with pytest.raises(lgkt.UnsupportedError):
        learner.states
    with pytest.raises(lgkt.UnsupportedError):
        learner.find([0, 0, 1, "Ulm"])
    with pytest.raises(lgkt.UnsupportedError):
        learner.explain_all()
    with pytest.raises(lgkt.Error, match="features"):
        lgkt.Learner("auto", features=0, actions=2, horizon=9)
    with pytest.raises(TypeError):
        lgkt.Learner("auto", features=[("a", 2, 3)], actions=2, horizon=9)


def test_a_floor_below_the_probabilities() -> None:
    """`explore` on records: without a floor it is the learner within; with one, it says what it
    does, goes on as it was saved, and describes what the learner within sees."""
    def around(floor: float) -> RecordLearner:
        return lgkt.Learner(f"explore:of=auto,floor={floor}", features=FEATURES, actions=3,
                            horizon=5000, seed=1)

    assert play(around(0), 400) == play(make(), 400)
    learner = around(0.1)
    played = np.array(play(learner, 1000))
    assert np.bincount(played, minlength=3).min() > 60  # of 100 at least; seeds are fixed
    records = [[0.0, 0.0, t, "Ulm"] for t in range(3)]
    p = learner.explain(records)["probability"]
    assert np.abs(p.sum(1) - 1).max() < 1e-12 and p.min() == pytest.approx(0.1)
    assert learner.describe(records[0])["actions"]
    again = pickle.loads(pickle.dumps(learner))
    assert play(again, 100, seed=2) == play(learner, 100, seed=2)


# ---- units ----

def make_units(spec: str = "auto", **given: Any) -> RecordUnits:
    return lgkt.Units(spec, features=FEATURES, actions=3, horizon=5000, unit_limit=10, seed=1,
                      **given)


def test_one_prompt_unit_is_the_plain_learner() -> None:
    units, plain = make_units(), make()
    assert type(units) is RecordUnits is lgkt.RecordUnits
    assert [one[:3] for one in units.features] == [one[:3] for one in plain.features]
    rng = np.random.default_rng(1)
    x, reported = record(rng), False
    for t in range(400):
        action = plain.act(x)
        assert units.act(7, None if reported else x) == (t, action)
        reward = float(x[2] == action)
        x = record(rng)
        cut = t % 50 == 49
        plain.observe(reward, x, cut)
        units.next(t, x, cut)
        units.reward(t, reward)
        reported = not cut
    assert units.decisions == 400 and units.open == 0 and units.features == plain.features
    rows = [record(rng) for _ in range(5)]
    assert np.array_equal(units.policy(rows), plain.policy(rows))
    assert units.matters() == plain.matters()
    told = plain.describe(rows[0])
    assert told == units.describe(rows[0])
    for name in ("value", "linear_part", "upper", "probability"):
        assert np.array_equal(units.explain(8, rows[0])[name], plain.explain(rows[0])[name])


def test_units_take_all_kinds_of_records() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [[1.5, None, 1, "Jena"], [-1.0, 0.5, 2, "Ulm"], [0.0, 1.0, 0, "Jena"]]
    frame = pandas.DataFrame(rows, columns=["charge", "price", "tariff", "city"])
    forms = [lambda i: rows[i], lambda i: dict(frame.iloc[i]), lambda i: frame.iloc[i]]
    hashes = set()
    for form in forms:
        units = make_units(masked=True)
        first, action = units.act(3, form(0), allowed=[True, False, False])
        assert action == 0
        other = units.take(4, 2, form(1), allowed=[False, True, True])
        units.next(first, form(2))
        units.settle(3)
        law = units.explain(3, allowed=[False, True, True])["probability"]
        assert law.sum() == pytest.approx(1) and law[0] == 0
        units.act(3)
        units.reward(other, 1.0)
        units.reward(first, 0.5)
        units.feed(5, form(0), 1, 0.25, form(1))
        hashes.add(units.hash)
    assert len(hashes) == 1
    one, many, framed = make_units(), make_units(), make_units()
    for i in range(2):
        one.feed(i, rows[i], i, float(i), rows[i + 1])
    many.feed([0, 1], rows[:2], [0, 1], [0.0, 1.0], rows[1:])
    framed.feed([0, 1], frame[:2], [0, 1], [0.0, 1.0], frame[1:])
    assert one.hash == many.hash == framed.hash and one.decisions == 0


def test_units_saved_and_refused() -> None:
    units = make_units(patience=100)
    rng = np.random.default_rng(3)
    for t in range(100):
        units.act(t % 7, record(rng) if t < 7 else None)
        units.next(t, record(rng))
        if t % 3:
            units.reward(t, rng.normal())
    twin, other = RecordUnits.load(units.save()), pickle.loads(pickle.dumps(units))
    assert type(twin) is type(other) is RecordUnits and units.open > 0
    for each in (units, twin, other):
        each.act(3)
        each.next(100, [0, 0, 0, "Rome"])
        each.reward(99, 1.0)
    assert units.hash == twin.hash == other.hash and "Rome" in twin.features[3].texts
    with pytest.raises(lgkt.Error, match="patience = 101 is above memory = 100"):
        make_units("forest:memory=100", patience=101)
    with pytest.raises(lgkt.UnsupportedError, match="needs states"):
        make_units("ucrl2")
    with pytest.raises(lgkt.Error, match="unit 9 is new and acts without a state"):
        units.act(9)
    with pytest.raises(lgkt.Error, match="tariff = 3"):
        units.act(9, [0, 0, 3, "Ulm"])
    with pytest.raises(lgkt.Error, match="row 1: .*tariff = 3"):
        good, bad = [0, 0, 1, "Ulm"], [0, 0, 3, "Ulm"]
        units.feed([1, 2], [good, bad], [0, 0], [0, 0], [good, good])
    with pytest.raises(lgkt.UnsupportedError):
        units.states
