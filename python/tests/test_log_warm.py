# SPDX-License-Identifier: MIT
"""Learners that begin with a log, and the model of its averages."""

import pickle
from typing import Any

import numpy as np
import pytest

import lgkt

NAMES: dict[str, Any] = {"unit": "u", "time": "t", "state": ["mood", "half"], "action": "act",
                         "reward": "r"}


def rows(count: int = 400, seed: int = 1) -> dict[str, list[Any]]:
    """A call pays where the mood is low and nothing is best elsewhere; in the evening nobody may be
    called."""
    rng = np.random.default_rng(seed)
    made: dict[str, list[Any]] = {name: [] for name in
                                  ("u", "t", "mood", "half", "act", "r", "ok")}
    moods = {unit: "low" for unit in range(8)}
    for i in range(count):
        unit, t = f"p{i % 8}", i // 8
        mood, evening = moods[i % 8], t % 2 == 1
        allowed = ["message", "none"] if evening else ["call", "message", "none"]
        act = str(rng.choice(allowed))
        good = (act == "call") if mood == "low" else (act == "none")
        values = (unit, t, mood, "evening" if evening else "morning", act,
                  good + rng.normal() / 4, "|".join(allowed))
        for name, value in zip(made, values, strict=True):
            made[name].append(value)
        moods[i % 8] = "high" if rng.random() < 0.5 else "low"
    return made


def log(**change: Any) -> lgkt.Log:
    return lgkt.Log.read(rows(), **{**NAMES, "allowed": "ok", **change})


def test_learner_is_fed_in_order() -> None:
    """It is the learner that was fed by hand, trajectory after trajectory."""
    some = log()
    warm = some.learner("auto", horizon=500, seed=3)
    assert (warm.fed, warm.skipped) == (400, 0)
    c = some.coded
    assert c.state is not None and c.next_state is not None
    hand = lgkt.Learner("auto", 4, 3, 500, masked=True, seed=3)
    cut = c.next_state < 0
    hand.feed(c.state, c.action, c.reward, np.where(cut, c.state, c.next_state), cut)
    assert warm.learner.hash == hand.hash


def test_units_are_fed_as_it_happened() -> None:
    some = log()
    warm = some.units("auto", horizon=500, seed=3)
    c = some.coded
    assert c.state is not None and c.next_state is not None and c.time is not None
    hand = lgkt.Units("auto", 4, 3, 500, 8 + 1024, masked=True, seed=3)
    for i in np.argsort(c.time, kind="stable"):
        cut = bool(c.next_state[i] < 0)
        hand.feed(int(c.unit[i]), int(c.state[i]), int(c.action[i]), float(c.reward[i]),
                  int(c.state[i] if cut else c.next_state[i]), cut)
    assert warm.learner.hash == hand.hash and warm.learner.count == 8


def test_keyed_knows_new_states() -> None:
    warm = log().keyed("auto", horizon=500)
    assert warm.learner.states == 4
    assert warm.act({"mood": "low", "half": "morning"}) == "call"
    assert warm.step(1.0, ("so-so", "morning")) in warm.actions
    assert warm.learner.states == 5
    by_number = log().learner("auto", horizon=500)
    with pytest.raises(lgkt.InputError, match="which the log does not have"):
        by_number.act(("so-so", "morning"))


def test_words_of_the_log() -> None:
    warm = log().learner("auto", horizon=500)
    reasons = warm.explain(("high", "morning"))
    assert reasons["visits"].sum() > 30 and warm.explain(("low", "evening"))["probability"][0] == 0
    assert warm.act(("low", "morning")) == "call"
    warm.observe(1.0, {"half": "evening", "mood": "low"})
    # in the evening nobody was ever called, and nobody is
    assert warm.act(("low", "evening")) != "call"
    assert warm.step(0.5, ("low", "morning"), allowed=["none"]) == "none"
    again = pickle.loads(pickle.dumps(warm))
    warm.observe(0.5, ("high", "morning"))
    again.observe(0.5, ("high", "morning"))
    assert again.act(("high", "morning")) == warm.act(("high", "morning")) == "none"
    # parts in bins are spoken of by their numbers
    table = rows()
    table["x"] = [1.0 if mood == "low" else 7.5 for mood in table["mood"]]
    some = lgkt.Log.read(table, **{**NAMES, "state": ["x", "half"]}, bins={"x": [5.0]})
    assert some.learner("auto", horizon=500).act((2.25, "morning")) == "call"


def test_feeding_in_parts_is_feeding_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    some = log()
    makes = [lambda: some.learner("lg2t:threshold=0.5", horizon=500),
             lambda: some.keyed("auto", horizon=500), lambda: some.units("lg2t", horizon=500),
             lambda: some.units("auto", horizon=500, new_states=True)]
    whole = [make().learner.hash for make in makes]
    monkeypatch.setattr("lgkt.log.warm.AT_ONCE", 7)
    assert [make().learner.hash for make in makes] == whole


def test_units_go_on_and_join() -> None:
    warm = log().units("auto", horizon=500, unit_limit=9)
    decision, action = warm.act("p3", ("low", "morning"))
    assert action == "call"
    warm.reward(decision, 1.0)
    warm.next(decision, ("high", "evening"))
    assert warm.act("new", ("high", "morning"))[1] == "none"
    with pytest.raises(lgkt.InputError):
        warm.act("one too many", ("high", "morning"))
    warm.leave("new")
    grown = log().units("auto", horizon=500, new_states=True)
    assert grown.act("p3", ("low", "morning"))[1] == "call"
    assert grown.act("p4", ("so-so", "morning"))[1] in grown.actions
    assert grown.policy(tried=True).shape == (4, 3)
    with pytest.raises(lgkt.UnsupportedError, match="log.keyed"):
        grown.policy()
    taken = warm.take("another", "message", ("high", "morning"))
    warm.reward(taken, 0.0)
    assert warm.explain("another", ("high", "morning"))["visits"].sum() > 30


def test_records_and_bins() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=600)
    act = rng.choice(["left", "right"], 600)
    table = {"x": x, "kind": rng.choice(["a", "b"], 600), "act": act,
             "r": np.where(x > 0, act == "right", act == "left") * 1.0}
    some = lgkt.Log.read(table, state=["x", "kind"], action="act", reward="r")
    warm = some.learner("auto", horizon=500)
    assert warm.learner.spec.startswith("forest")
    assert warm.act({"x": 1.5, "kind": "a"}) == "right"
    for tried in False, True:
        law = warm.policy([[-1.5, "b"], [1.5, "a"]], tried=tried)
        assert law.argmax(1).tolist() == [0, 1]
    units = some.units("auto", horizon=500)
    assert units.act("new", {"x": -1.5, "kind": "b"}) == (0, "left")
    assert units.policy([[-1.5, "b"], [1.5, "a"]]).argmax(1).tolist() == [0, 1]
    with pytest.raises(lgkt.InputError, match="records="):
        warm.policy()


def test_rows_of_records_are_fed_as_one_by_one() -> None:
    x = np.random.default_rng(4).normal(size=(60, 2))
    one = lgkt.Learner("auto", features=2, actions=2, horizon=100)
    many = lgkt.Learner("auto", features=2, actions=2, horizon=100)
    for i in range(59):
        one.feed(x[i], i % 2, float(i % 3), x[i + 1], i % 7 == 0)
    many.feed(x[:-1], [i % 2 for i in range(59)], [float(i % 3) for i in range(59)], x[1:],
              [i % 7 == 0 for i in range(59)])
    assert one.hash == many.hash
    # all rows or none
    with pytest.raises(lgkt.InputError, match="row 1: "):
        many.feed(x[:2], [0, 5], [1.0, 1.0], x[1:3])
    assert one.hash == many.hash
    with pytest.raises(lgkt.InputError):
        many.feed(x[:2], [0, 1], [1.0, 1.0], x[1:4])


def test_refused_by_name() -> None:
    for make in log().learner, log().keyed, log().units:
        with pytest.raises(lgkt.Error, match="sarsa"):
            make("sarsa", horizon=100)
    table = rows()
    table["r"] = [None] * 400
    with pytest.raises(lgkt.InputError, match="no row of the log has a reward"):
        lgkt.Log.read(table, **NAMES).learner("auto", horizon=9)
    table["r"] = [None] * 100 + [1.0] * 300
    warm = lgkt.Log.read(table, **NAMES).learner("auto", horizon=9)
    assert (warm.fed, warm.skipped) == (300, 100)


def test_policy_of_what_was_tried() -> None:
    """One lucky try of an action does not make it the policy."""
    table = rows()
    for name, value in zip(table, ("p0", 999, "high", "morning", "shout", 9.0, "shout|none"),
                           strict=True):
        table[name].append(value)
    some = lgkt.Log.read(table, **NAMES)
    warm = some.learner("auto", horizon=500)
    shout, high = some.actions.index("shout"), some.states.index(("high", "morning"))
    assert warm.policy(tried=True, at_least=1)[high, shout] == 1
    careful = warm.policy(tried=True)
    assert careful[high, some.actions.index("none")] == 1
    assert np.allclose(careful.sum(1), 1) and careful.shape == (4, 4)
    # where nothing was tried as often, what was tried most
    most = warm.policy(tried=True, at_least=10**6)
    assert np.array_equal(most.argmax(1), warm.counts.argmax(1))
    # what was never allowed is not played, frozen or not, and a keyed learner says the same
    some = log()
    call, evening = some.actions.index("call"), [s[1] == "evening" for s in some.states]
    for made in some.learner("auto", horizon=500), some.keyed("auto", horizon=500):
        for law in made.policy(), made.policy(tried=True):
            assert np.all(law[evening, call] == 0) and np.allclose(law.sum(1), 1)


def test_model_of_a_log() -> None:
    some = log()
    model = lgkt.Model.from_log(some)
    c = some.coded
    assert c.state is not None and c.next_state is not None
    for s in range(4):
        for a in range(3):
            here = (c.state == s) & (c.action == a)
            assert model.counts is not None and model.counts[s, a] == here.sum()
            assert model.allowed[s, a] == here.any()
            if here.any():
                reward, following = c.reward[here], c.next_state[here]
                assert model.R[s, a] == pytest.approx(reward.mean())
                assert model.errors is not None and model.errors[s, a] == pytest.approx(
                    reward.std(ddof=1) / np.sqrt(here.sum()))
                known = following[following >= 0]
                share = np.bincount(known, minlength=4) / len(known)
                assert model.P[s, a] == pytest.approx(share)
    assert model.noise == "normal" and model.noise_sd == pytest.approx(0.25, rel=0.1)
    start = np.bincount(c.state[c.start[:-1]], minlength=4) / c.m
    assert model.start_law == pytest.approx(start)
    # a state that no known move leaves
    table = {"s": ["a", "b", "c"], "x": ["go"] * 3, "r": [0, 1, 1]}
    short = lgkt.Log.read(table, state="s", action="x", reward="r")
    with pytest.raises(lgkt.InputError, match=r"1 of 3 states, the first of them \('c',\)"):
        lgkt.Model.from_log(short)
    assert lgkt.Model.from_log(short, end="restart").P[2, 0].tolist() == [1, 0, 0]
    absorbed = lgkt.Model.from_log(short, end="absorb")
    assert absorbed.P[2, 0].tolist() == [0, 0, 1] and absorbed.noise == "bernoulli"
    with pytest.raises(lgkt.InputError, match="end is 'stop'"):
        lgkt.Model.from_log(short, end="stop")
    record = lgkt.Log.read(rows(), **NAMES, as_="record")
    with pytest.raises(lgkt.UnsupportedError, match="a log of records has no model"):
        lgkt.Model.from_log(record)
