# SPDX-License-Identifier: MIT
"""Model.plan: rare passages against rational arithmetic, what is reported, large models, ends."""

import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import lgkt


def exact_gain(moves, rewards):
    """The gain of a chain with one closed set, in fractions: states are taken out one by one."""
    states = len(rewards)
    p = [[Fraction(x) for x in row] for row in moves]
    time, earned = [Fraction(1)] * states, [Fraction(r) for r in rewards]
    for n in range(states - 1):
        out = sum(p[n][n + 1:])
        assert out > 0
        for i in range(n + 1, states):
            f = p[i][n] / out
            for j in range(n + 1, states):
                p[i][j] += f * p[n][j] if i != j else 0
            time[i] += f * time[n]
            earned[i] += f * earned[n]
    return earned[-1] / time[-1]


def leaky(rng, states, actions):
    """Each state stays but for leaks of very different sizes, to the next state at least."""
    P = np.zeros((states, actions, states))
    for s, a in product(range(states), range(actions)):
        leak = 10.0 ** -rng.integers(1, 13, states)
        leak[rng.random(states) < 0.4] = 0.0
        leak[(s + 1) % states] = 10.0 ** -rng.integers(1, 13)
        leak[s] = 0.0
        P[s, a] = leak * min(1.0, 0.9 / leak.sum())
        P[s, a, s] = 1.0 - P[s, a].sum()
    return lgkt.Model(P, rng.integers(0, 5, (states, actions)).astype(float))


def test_rare_passages_are_exact():
    rng = np.random.default_rng(7)
    for _ in range(150):
        model = leaky(rng, int(rng.integers(2, 5)), int(rng.integers(1, 3)))
        found, P = model.plan(), model.P
        gains = []
        for rule in product(range(model.actions), repeat=model.states):
            moves = [[0 if y == s else P[s, a, y] for y in range(model.states)]
                     for s, a in enumerate(rule)]
            gains.append(exact_gain(moves, [model.R[s, a] for s, a in enumerate(rule)]))
        best = max(gains)
        low, high = found.interval
        assert low[0] <= best <= high[0]
        assert not found.differs
        # what the policy earns is known as well as its numbers are; that it is the best one, as
        # well as the interval says
        rule = found.policy
        own = exact_gain([[0 if y == s else P[s, a, y] for y in range(model.states)]
                          for s, a in enumerate(rule)],
                         [model.R[s, a] for s, a in enumerate(rule)])
        if found.policies > 0:
            assert abs(found.gain - float(own)) <= 1e-14 * max(1.0, float(own))
        assert float(best - own) <= found.below + found.above
        # biases are up to 1e12 here, and the interval is as narrow as asked for all the same
        assert found.below + found.above <= 1e-12 * max(1.0, model.R.max())


def test_two_states_with_leaks():
    model = lgkt.Model([[[1 - 1e-12, 1e-12]], [[3e-12, 1 - 3e-12]]], [[1.0], [0.0]])
    assert abs(model.plan().gain - 0.75) <= 1e-15


def test_gains_that_differ():
    model = lgkt.Model([[[1.0, 0, 0]], [[0, 1.0, 0]], [[0.5, 0.25, 0.25]]], [[0.0], [3.0], [9.0]])
    best = model.plan()
    assert best.differs and np.isnan(best.gain)
    assert best.component.tolist() == [0, 1, -1]
    assert best.values.tolist() == pytest.approx([0, 3, 1])
    assert "average" in str(best)


def test_what_is_refused():
    model = lgkt.Model([[[1.0]]], [[1.0]])
    with pytest.raises(TypeError):
        model.plan(horizon=3, discount=0.5)
    with pytest.raises(lgkt.InputError):
        model.plan(discount=1.0)
    with pytest.raises(lgkt.InputError):
        model.plan(tolerance=0.0)


def test_progress_ends_a_plan():
    n = 400
    P = np.zeros((n, 1, n))
    P[np.arange(n), 0, (np.arange(n) + 1) % n] = 1.0
    model = lgkt.Model(P, np.arange(n)[:, None] / n)
    seen = []
    best = model.plan(progress=lambda *at: seen.append(at) or True)
    assert best.stopped and len(seen) == 1
    low, high = best.interval
    assert low[0] <= (n - 1) / (2 * n) <= high[0]
    with pytest.raises(ZeroDivisionError):
        model.plan(progress=lambda *at: 1 / 0)


def test_rows_as_scipy_has_them(tmp_path):
    rng = np.random.default_rng(3)
    P = rng.random((5, 2, 5))
    P /= P.sum(axis=2, keepdims=True)
    model = lgkt.Model(P, rng.random((5, 2)))
    rows = model.rows
    np.savez(tmp_path / "P.npz", format=b"csr", shape=[10, 5], indptr=rows.indptr,
             indices=rows.indices, data=rows.data)
    np.save(tmp_path / "R.npy", model.R)
    assert lgkt.Model.from_npz(tmp_path / "P.npz", tmp_path / "R.npy") == model
    np.savez(tmp_path / "bad.npz", format=b"coo", data=rows.data)
    with pytest.raises(lgkt.InputError, match="compressed sparse rows"):
        lgkt.Model.from_npz(tmp_path / "bad.npz", model.R)


# ---- what a policy earns that draws its actions ----

def test_any_law_has_its_exact_gain():
    rng = np.random.default_rng(11)
    for _ in range(60):
        states, actions = int(rng.integers(2, 5)), 3
        model = leaky(rng, states, actions)
        parts = rng.integers(0, 8, (states, actions))
        parts[:, 0] += 1
        law = [[Fraction(int(n), int(row.sum())) for n in row] for row in parts]
        P, R = model.P, model.R
        moves = [[sum(law[s][a] * Fraction(P[s, a, y]) for a in range(actions)) if y != s else 0
                  for y in range(states)] for s in range(states)]
        earned = [sum(law[s][a] * Fraction(R[s, a]) for a in range(actions))
                  for s in range(states)]
        exact = float(exact_gain(moves, earned))
        found = model.evaluate([[float(p) for p in row] for row in law])
        assert found == pytest.approx([exact] * states, rel=1e-13)


def test_any_law_has_its_values():
    rng = np.random.default_rng(12)
    for _ in range(40):
        states, actions = int(rng.integers(1, 7)), int(rng.integers(1, 4))
        P = rng.dirichlet(np.full(states, 0.4), (states, actions))
        model = lgkt.Model(P, rng.normal(size=(states, actions)))
        law = rng.dirichlet(np.full(actions, 0.5), states)
        law[0] = np.eye(actions)[0]
        moves, earned = np.einsum("sa,say->sy", law, P), (law * model.R).sum(axis=1)
        inside = np.linalg.solve(np.eye(states) - 0.97 * moves, earned)
        assert model.evaluate(law, discount=0.97) == pytest.approx(inside, rel=1e-11, abs=1e-11)
        value = np.zeros(states)
        for _ in range(50):
            value = earned + moves @ value
        assert model.evaluate(law, horizon=50) == pytest.approx(value, rel=1e-12, abs=1e-12)
        policy = lgkt.plan.law(model, 50, law)
        assert policy.probabilities(1) == pytest.approx(law, abs=1e-15)
        assert (policy.actions(50) == (law > 0)).all()
        shares = policy.stationary()
        assert shares @ moves == pytest.approx(shares, abs=1e-13)
        assert model.evaluate(law) == pytest.approx(np.full(states, shares @ earned), abs=1e-12)
        assert policy.rewards(0).sum() == pytest.approx(value[0], abs=1e-12)
        again = pickle.loads(pickle.dumps(policy))
        assert (again.value() == policy.value()).all()


def test_the_best_policy_evaluated_is_the_best():
    model = lgkt.Env("riverswim:states=12").model
    best = model.plan()
    assert model.evaluate(best.policy) == pytest.approx(best.values, rel=1e-12)
    best = model.plan(discount=0.9)
    assert model.evaluate(best.policy, discount=0.9) == pytest.approx(best.values, rel=1e-11)


def test_gains_of_a_law_by_start():
    model = lgkt.Model([[[1.0, 0, 0]] * 2, [[0, 1.0, 0]] * 2, [[1.0, 0, 0], [0, 1.0, 0]]],
                       [[0.0, 0], [8.0, 8], [1.0, 1]])
    assert model.evaluate([[0.5, 0.5], [1, 0], [0.75, 0.25]]).tolist() == pytest.approx([0, 8, 2])


@pytest.mark.parametrize(("law", "words"), [
    ([[0.5, 0.5]], "shape"),
    ([[0.5, 0.6], [1, 0]], "sum to 1.1"),
    ([[-0.5, 1.5], [1, 0]], "probability -0.5"),
    ([[np.nan, 1], [1, 0]], "probability nan"),
    ([0, 2], "action 2"),
    ([[[1.0]]], "dimension"),
])
def test_what_is_no_law(law, words):
    model = lgkt.Model([[[1, 0], [0, 1]]] * 2, [[0, 1]] * 2)
    with pytest.raises(lgkt.InputError, match=words):
        model.evaluate(law)
    with pytest.raises(TypeError, match="go together"):
        model.evaluate([0, 0], horizon=3, discount=0.5)


def test_a_notebook_shows_the_rows():
    model = lgkt.Model([[[1, 0], [0.25, 0.75]]] * 2, [[0, 1.5]] * 2, name="<two>")
    text = model._repr_html_()
    assert "&lt;two&gt;" in text and "<two>" not in text
    assert text.count("<tr>") == 5 and "0: 0.25, 1: 0.75" in text and "1.5" in text
    assert "and 2376 more pairs" in lgkt.Env("taxi").model._repr_html_()
