# SPDX-License-Identifier: MIT
"""Models: from arrays, from Gymnasium, as Python objects."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import lgkt
from lgkt import _core

sparse = pytest.importorskip("scipy.sparse")

STATES, ACTIONS = 5, 3


def some(seed: int = 1) -> tuple[Any, Any]:
    """Rows of which some entries are 0, and rewards of moves."""
    rng = np.random.default_rng(seed)
    P = rng.random((STATES, ACTIONS, STATES)) * (rng.random((STATES, ACTIONS, STATES)) < 0.6)
    P[..., 0] += 0.1
    P /= P.sum(-1, keepdims=True)
    return P, rng.normal(size=P.shape)


# ---- from arrays ----


def test_dense() -> None:
    P, moves = some()
    R = moves.sum(-1)
    model = lgkt.Model(P, R, start=3)
    assert model.shape == (model.states, model.actions) == (STATES, ACTIONS)
    np.testing.assert_allclose(model.P, P, rtol=1e-15)
    np.testing.assert_array_equal(model.R, R)
    assert model.start == model.start_state == 3 and model.noise == "none" and model.noise_sd == 0.0
    assert model.allowed.all() and not model.restricted
    assert (model.reward_min, model.reward_max) == (R.min(), R.max())
    np.testing.assert_array_equal(model.start_law, np.arange(STATES) == 3)
    rows = model.rows
    assert rows.indptr[-1] == np.count_nonzero(P) == len(rows.data) == len(rows.rewards)
    for z in range(STATES * ACTIONS):
        at = slice(rows.indptr[z], rows.indptr[z + 1])
        assert rows.indices[at].tolist() == np.flatnonzero(P.reshape(-1, STATES)[z]).tolist()
        assert (rows.rewards[at] == R.ravel()[z]).all()


def test_rows_are_divided_by_their_sums() -> None:
    model = lgkt.Model([[[0.5, 0.5 + 9e-7]], [[0, 1]]], [[0], [0]])
    assert abs(model.P[0, 0].sum() - 1.0) < 1e-15


def test_rewards_of_moves() -> None:
    P, moves = some()
    model = lgkt.Model(P, moves)
    np.testing.assert_allclose(model.R, np.einsum("say,say->sa", P, moves), rtol=1e-14)
    np.testing.assert_array_equal(model.move_rewards, np.where(P > 0, moves, 0.0))
    # those of moves that cannot happen are not read
    assert lgkt.Model(P, np.where(P > 0, moves, np.nan)) == model
    # and where all moves earn the same, it is a reward of the pair
    same = np.repeat(moves[:, :, :1], STATES, axis=2)
    assert lgkt.Model(P, same) == lgkt.Model(P, moves[:, :, 0])


def test_sparse_forms_are_the_same_model() -> None:
    P, moves = some()
    R = moves[:, :, 0]
    dense, with_moves = lgkt.Model(P, R), lgkt.Model(P, moves)
    flat = sparse.csr_array(P.reshape(-1, STATES))
    by_action = [sparse.csc_matrix(P[:, a]) for a in range(ACTIONS)]
    for form in flat, flat.tocoo(), sparse.csr_matrix(flat), by_action, tuple(by_action):
        assert lgkt.Model(form, R) == dense
        assert lgkt.Model(form, sparse.csr_array(R)) == dense
        assert lgkt.Model(form, moves) == with_moves
        assert lgkt.Model(form, sparse.csr_array(moves.reshape(-1, STATES))) == with_moves
        listed = [sparse.lil_matrix(moves[:, a]) for a in range(ACTIONS)]
        assert lgkt.Model(form, listed) == with_moves
    np.testing.assert_array_equal(dense.sparse().toarray(), dense.P.reshape(-1, STATES))
    assert lgkt.Model(dense.sparse(), R) == dense


def test_entries_given_twice_add_up() -> None:
    twice = sparse.coo_array(([0.25, 0.25, 0.5, 1.0], ([0, 0, 0, 1], [1, 1, 0, 1])), shape=(2, 2))
    earn = sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    model = lgkt.Model(twice, earn)
    np.testing.assert_array_equal(model.P[:, 0], [[0.5, 0.5], [0, 1]])
    np.testing.assert_array_equal(model.move_rewards[:, 0], [[0, 3], [0, 0]])


def test_scipy_is_not_needed() -> None:
    code = ("import sys, lgkt; m = lgkt.Model([[[1.0]]], [[2.0]]); m.P; m.rows; repr(m); "
            "assert 'scipy' not in sys.modules and 'gymnasium' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_start_law() -> None:
    P, moves = some()
    law = [0.5, 0, 0.25, 0.25, 0]
    model = lgkt.Model(P, moves, start=law)
    assert model.start_state is None
    np.testing.assert_array_equal(model.start, law)
    assert lgkt.Model(P, moves, start=[0, 1, 0, 0, 0]).start == 1
    assert lgkt.Model(P, moves, start=np.int64(1)).start == 1


def test_noise() -> None:
    P, _ = some()
    R = np.full((STATES, ACTIONS), 0.25)
    sd = np.arange(STATES * ACTIONS).reshape(STATES, ACTIONS) / 10
    one = lgkt.Model(P, R, noise="normal", sd=0.5)
    assert (one.noise, one.noise_sd) == ("normal", 0.5)
    assert lgkt.Model(P, R, noise="normal", sd=np.full_like(sd, 0.5)) == one
    coins = lgkt.Model(P, R, noise="bernoulli")
    assert (coins.noise, coins.noise_sd) == ("bernoulli", 0.5)
    many = lgkt.Model(P, R, noise="normal", sd=sd)
    assert (many.noise, many.noise_sd) == ("mixed", sd.max())
    np.testing.assert_array_equal(many.pair_noise[1], sd)
    kinds = np.full((STATES, ACTIONS), "none", dtype=object)
    kinds[1, 2], kinds[3, 0] = "normal", "bernoulli"
    mixed = lgkt.Model(P, R, noise=kinds, sd=2)
    assert mixed.pair_noise[0].tolist() == kinds.tolist()
    assert mixed.pair_noise[1].sum() == 2.5
    assert lgkt.Model(P, R, noise="drifting").noise == "drifting"


def test_allowed() -> None:
    P, moves = some()
    mask = np.ones((STATES, ACTIONS), bool)
    mask[2, 1] = mask[4, 0] = False
    model = lgkt.Model(P, moves, allowed=mask)
    np.testing.assert_array_equal(model.allowed, mask)
    assert model.restricted and model != lgkt.Model(P, moves)
    np.testing.assert_allclose(model.P, P * mask[..., None], rtol=1e-15)
    # nothing is read of the others
    P[2, 1], moves[4, 0] = np.nan, np.inf
    assert lgkt.Model(P, moves, allowed=mask) == model
    means = lgkt.Model(P, np.where(mask, model.R, np.nan), allowed=mask.tolist())
    assert means.reward_max == model.R[mask].max()


def test_arrays_are_read_only_and_not_shared() -> None:
    P, _ = some()
    R = np.zeros((STATES, ACTIONS))
    model = lgkt.Model(P, R)
    before = model.hash
    P[:] = 0
    R[:] = 1
    assert model.hash == before and model.P.sum() > 0
    arrays: Any = (model.P, model.R, model.allowed, *model.rows, *model.pair_noise,
                   model.move_rewards)
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    model.start_law[:] = 7
    model.sparse().data[:] = 7
    assert model.hash == before and model.start_law[0] == 1 and model.rows.data.max() <= 1


GOOD: Any = [[[1.0, 0.0]], [[0.0, 1.0]]]
ZERO: Any = [[0.0], [0.0]]


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (dict(P=[[[0.5, 0.4]], [[0, 1]]]), ValueError, r"row \(state 0, action 0\) sums to 0.9"),
        (dict(P=[[[np.nan, 1]], [[0, 1]]]), ValueError, r"probability nan at \(0, 0\) -> 0"),
        (dict(P=[[[-0.5, 1.5]], [[0, 1]]]), ValueError, "negative probability -0.5"),
        (dict(P=[[1, 0], [0, 1]]), ValueError, "P must have 3 dimensions, not 2"),
        (dict(P=np.ones((1, 2, 2)) / 2), ValueError, r"numpy.moveaxis\(P, 0, 1\)"),
        (dict(P=np.ones((2, 3, 4)) / 4), ValueError, r"it must be \(S, A, S\)$"),
        (dict(P=[[[1, 0]], [[0]]]), ValueError, "P: "),
        (dict(P="ab"), ValueError, "P must have 3 dimensions"),
        (dict(P=[[["a", "b"]], [["c", "d"]]]), TypeError, "P must hold numbers"),
        (dict(P=np.zeros((0, 1, 0)), R=np.zeros((0, 1))), ValueError, "0 states"),
        (dict(P=None), (ValueError, TypeError), "P must"),
        (dict(P=[sparse.eye_array(2), sparse.eye_array(3)]), ValueError, r"P\[1\] has shape \(3,"),
        (dict(P=sparse.eye_array(3, 2)), ValueError, r"must be \(S\*A, S\)"),
        (dict(R=[0.0, 0.0]), ValueError, r"R must have shape \(S, A\) or \(S, A, S\)"),
        (dict(R=[[0.0, 1.0]]), ValueError, r"R has shape \(1, 2\); it must be \(2, 1\)"),
        (dict(R=[[np.nan], [0.0]]), ValueError, r"reward nan at \(0, 0\)"),
        (dict(R=[[[np.inf, 0]], [[0, 0]]]), ValueError, r"reward inf at \(0, 0\) -> 0"),
        (dict(R=[[1j], [0]]), TypeError, "R must hold numbers"),
        (dict(start=2), ValueError, r"start state 2 is out of range \[0, 1\]"),
        (dict(start=-1), ValueError, "start state -1"),
        (dict(start=10**30), ValueError, "start: 1000000000000000000000000000000 is far out"),
        (dict(start=[0.5, 0.4]), ValueError, "start law sums to 0.9"),
        (dict(start=[1.0]), ValueError, "start has 1 probabilities; it must have 2"),
        (dict(start="a"), (TypeError, ValueError), "start must"),
        (dict(start=0.5), (TypeError, ValueError), "start must"),
        (dict(noise="uniform"), ValueError, 'noise is "uniform"'),
        (dict(noise=7), ValueError, 'noise is "7"'),
        (dict(noise=[["none", "none"]]), ValueError, r"noise must be one for all"),
        (dict(noise="normal"), ValueError, "normal noise needs sd"),
        (dict(noise="normal", sd=-1), ValueError, "noise sd -1; it must be >= 0"),
        (dict(noise="normal", sd=np.nan), ValueError, "noise sd nan"),
        (dict(noise="normal", sd=[1, 2]), ValueError, "sd must be one for all"),
        (dict(noise="none", sd=1), ValueError, "the noise is not normal"),
        (dict(noise="bernoulli", R=[[2], [0]]), ValueError, "Bernoulli noise needs 0 to 1"),
        (dict(allowed=[[1, 1]]), ValueError, r"allowed has shape \(1, 2\)"),
        (dict(allowed=[[0], [1]]), ValueError, "all actions of state 0 are forbidden"),
        (dict(allowed=[[0.5], [1]]), TypeError, "allowed must hold whole numbers"),
    ],
)
def test_refused(arguments: dict[str, Any], kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        lgkt.Model(**{"P": GOOD, "R": ZERO, **arguments})


def test_refused_by_the_extension() -> None:
    good: dict[str, Any] = dict(states=2, actions=1, pair=[0, 1], next=[0, 1], probability=[1, 1],
                                rewards=[0, 0])
    assert _core.Model(**good).hash == lgkt.Model(GOOD, ZERO).hash
    for key, value, kind, text in [
        ("states", 0, ValueError, "0 states"),
        ("states", 2**31, ValueError, "far out of range"),
        ("states", 2**25, ValueError, "rewards has 2 numbers"),
        ("states", "2", TypeError, "states must be a whole number"),
        ("pair", [-1, 1], ValueError, "state -1"),
        ("pair", [0, 2], ValueError, "state 2"),
        ("pair", [0.0, 1.0], TypeError, "pair must hold whole numbers"),
        ("next", [0, 2], ValueError, "next state 2"),
        ("next", [0], ValueError, "next has 1 numbers; it must have 2"),
        ("probability", [[1, 1]], ValueError, "1 dimension"),
        ("rewards", [0], ValueError, "rewards has 1 numbers; it must have 2"),
        ("move_pair", [0], ValueError, "move_next has 0 numbers; it must have 1"),
        ("noise", [0, 0, 0], ValueError, "noise has 3 numbers; it must have 2"),
        ("noise", [1], ValueError, "noise_sd has 0 numbers; it must have 1"),
        ("forbidden", [1], ValueError, "forbidden has 1 numbers"),
    ]:
        with pytest.raises(kind, match=text):
            _core.Model(**good | {key: value})
    with pytest.raises(ValueError, match="noise kind 9"):
        _core.Model(**good, noise=[9], noise_sd=[0.0])


def test_dense_array_that_is_too_large() -> None:
    states = 2**15
    model = lgkt.Model(sparse.eye_array(states), np.zeros((states, 1)))
    with pytest.raises(lgkt.InputError, match=r"P as a dense array would take 8.0 GiB; use rows"):
        model.P
    assert model.sparse().nnz == states


# ---- as an object ----


def variety() -> list[lgkt.Model]:
    P, moves = some()
    mask = np.ones((STATES, ACTIONS), bool)
    mask[2, 1] = False
    R = moves[:, :, 0]
    sd = np.abs(R)
    return [
        lgkt.Model(P, R),
        lgkt.Model(P, moves, start=np.full(STATES, 0.2), noise="normal", sd=0.5, name="a",
                   comment="b"),
        lgkt.Model(P, R, noise="normal", sd=sd, start=2),
        lgkt.Model(P, sd / sd.max(), noise="bernoulli", allowed=mask),
        lgkt.Model(P, moves, noise=np.where(mask, "none", "normal"), sd=sd, allowed=mask),
        lgkt.Model(P, R, noise="drifting"),
        # thirds do not sum to 1 in doubles
        lgkt.Model(np.full((3, 1, 3), 1 / 3), [[0.1], [0.2], [0.3]], start=[1 / 3] * 3),
    ]


@pytest.mark.parametrize("i", range(7))
def test_pickle_and_copy(i: int) -> None:
    model = variety()[i]
    model.P  # what is cached is not copied
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        other = pickle.loads(pickle.dumps(model, protocol))
        assert other.hash == model.hash and other == model and "P" not in vars(other)
        assert (other.name, other.comment) == (model.name, model.comment)
    for other in copy.copy(model), copy.deepcopy(model):
        assert other == model and type(other) is lgkt.Model
        np.testing.assert_array_equal(other.P, model.P)


def test_models_of_environments() -> None:
    count = 0
    for entry in lgkt.envs():
        if entry.data == "model":
            continue
        within = f"{entry.name}:{entry.inner}=riverswim"
        model = lgkt.Env(within if entry.inner and entry.name != "noisy" else entry.name,
                         seed=1).model
        if model is None:
            continue
        count += 1
        assert type(model) is lgkt.Model and model.name is None
        assert pickle.loads(pickle.dumps(model)).hash == model.hash, entry.name
        if model.noise != "drifting":
            assert lgkt.Model.from_json(model.to_json()).hash == model.hash, entry.name
        begins = model.rows.indptr[:-1][np.diff(model.rows.indptr) > 0]
        np.testing.assert_allclose(np.add.reduceat(model.rows.data, begins), 1.0)
        assert len(begins) == np.asarray(model.allowed).sum()
    assert count >= 15


class Named(lgkt.Model):
    """A subclass with an attribute of its own."""

    colour = "none"


def test_subclass() -> None:
    made = Named(GOOD, ZERO)
    made.colour = "red"
    other = pickle.loads(pickle.dumps(made))
    assert type(other) is Named and other.colour == "red" and other == made
    assert type(Named.from_json(made.to_json())) is Named


def test_equality_and_hash() -> None:
    models = variety()
    assert len(set(models + variety())) == len(models)
    assert models[0] != "x" and not models[0] == models[1]
    assert {models[0]: 1}[variety()[0]] == 1


def test_repr() -> None:
    assert repr(variety()[1]).startswith("<lgkt.Model 'a' 5 states, 3 actions, ")
    assert repr(variety()[1]).endswith("moves, start drawn, normal (sd 0.5) noise>")
    assert repr(variety()[3]).endswith("start 0, bernoulli noise>")


def test_a_learner_takes_it() -> None:
    model = lgkt.Model([[[1, 0], [0, 1]], [[1, 0], [0, 1]]], [[0, 0], [0, 1]])
    learner = lgkt.Learner("optimal", 2, 2, 10, model=model)
    assert learner.act(0) == 1
    with pytest.raises(TypeError, match="model must be a Model"):
        lgkt.Learner("optimal", 2, 2, 10, model=model.P)  # type: ignore[arg-type]


# ---- Gymnasium ----

# 0 -> 1 or, by two ends of one pair, away; 2 is entered by an ending move only
TABLE = {
    0: {0: [(0.5, 1, 1.0, False), (0.25, 2, 4.0, True), (0.25, 2, 8.0, True)],
        1: [(1, 0, 0.0, False)]},
    1: {0: [(1.0, 0, 0.5, False)], 1: [(0.5, 0, 3.0, False), (0.5, 2, 5.0, True)]},
    2: {0: [(1.0, 2, 9.0, True)], 1: [(1.0, 0, 9.0, False)]},
}


def naive(table: Any, end: str, law: Any) -> tuple[Any, Any]:
    """P and mean R by the definition in the docstring."""
    states, actions = len(table), len(table[0])
    P, R = np.zeros((states, actions, states)), np.zeros((states, actions))
    last = {y for row in table.values() for moves in row.values() for _, y, _, e in moves if e}
    for s, row in table.items():
        for a, moves in row.items():
            if end != "restart" and s in last:
                P[s, a] = law if end == "restart-step" else np.eye(states)[s]
                continue
            for p, y, r, ended in moves:
                P[s, a] += p * (law if ended and end == "restart" else np.eye(states)[y])
                R[s, a] += p * r
    return P, R


@pytest.mark.parametrize("end", ["restart", "restart-step", "absorb"])
@pytest.mark.parametrize("start", [0, 1, [0.25, 0.75, 0.0]])
def test_gym_ends(end: str, start: Any) -> None:
    law = np.eye(3)[start] if isinstance(start, int) else np.array(start)
    model = lgkt.Model.from_gym(TABLE, end=end, start=start)
    P, R = naive(TABLE, end, law)
    np.testing.assert_allclose(model.P, P, atol=1e-15)
    np.testing.assert_allclose(model.R, R, atol=1e-15)
    np.testing.assert_array_equal(model.start_law, law)


def test_gym_rewards_of_moves() -> None:
    model = lgkt.Model.from_gym(TABLE, start=1)
    # from 0: to 1 with 1/2 for 1, and to 1 by the two ends with 1/4 for 4 and 1/4 for 8
    assert model.move_rewards[0, 0].tolist() == [0.0, 3.5, 0.0]
    stay = lgkt.Model.from_gym(TABLE, end="absorb")
    assert stay.move_rewards[0, 0].tolist() == [0.0, 1.0, 6.0]
    assert stay.move_rewards[1, 1].tolist() == [3.0, 0.0, 5.0]


def test_gym_refused() -> None:
    for source, end, text in [
        (TABLE, "stop", "end is 'stop'; it must be one of restart, restart-step, absorb"),
        ({}, "restart", "the states of the table"),
        ({1: {0: [(1, 0, 0, False)]}}, "restart", "the states of the table"),
        ({0: {0: [(1, 5, 0, False)]}}, "restart", "next state 5; allowed are 0 to 0"),
        ({0: {0: [(0.5, 0, 0, False)]}}, "restart", "sums to 0.5"),
        ({0: {0: [(float("nan"), 0, 0, False)]}}, "restart", "probability nan"),
        ({0: {0: [(1, 0, 0)]}}, "restart", "not enough values"),
    ]:
        with pytest.raises(ValueError, match=text):
            lgkt.Model.from_gym(source, end=end)
    with pytest.raises(TypeError, match="source must be a table"):
        lgkt.Model.from_gym(object())
    with pytest.raises(ValueError, match="start"):
        lgkt.Model.from_gym(TABLE, start=3)
    with pytest.raises(ValueError, match="start"):
        lgkt.Model.from_gym(TABLE, start=[1.0])


def reached(P: Any) -> Any:
    """The states that some move leads to."""
    return P.sum((0, 1)) > 0


# gains that the command prints for its own environment of that name
GYM = [
    ("FrozenLake", {}, "restart", "frozenlake:reward-frozen=0", 0.0179738562),
    ("FrozenLake", {}, "restart-step", "frozenlake:reward-frozen=0,return-step=1", 0.017555059),
    ("FrozenLake", {"map_name": "8x8"}, "restart", "frozenlake:map=8x8,reward-frozen=0",
     0.0106141438),
    ("Taxi", {}, "restart", "taxi", 0.6067329763),
    ("CliffWalking", {}, "restart", "cliffwalking:reward-goal=-1", -1.0),
    ("CliffWalking", {}, "restart-step", None, -13 / 14),
]


@pytest.mark.parametrize(("name", "settings", "end", "spec", "gain"), GYM)
def test_gymnasium(name: str, settings: dict[str, Any], end: str, spec: str, gain: float) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make(name, **settings)
    model = lgkt.Model.from_gym(env, end=end)
    np.testing.assert_array_equal(model.start_law, env.unwrapped.initial_state_distrib)
    P, R = naive(env.unwrapped.P, end, env.unwrapped.initial_state_distrib)
    np.testing.assert_allclose(model.P, P, atol=1e-15)
    np.testing.assert_allclose(model.R, R, atol=1e-13)
    found, _ = lgkt.plan.gain(model)
    assert found == pytest.approx(gain, abs=1e-9)
    own = lgkt.Env(spec).model if spec else None
    if own is not None:
        assert lgkt.plan.gain(own)[0] == pytest.approx(found, abs=1e-9)
    if own is not None and own.shape == model.shape:
        np.testing.assert_allclose(own.P[reached(P)], model.P[reached(P)], atol=1e-15)
        np.testing.assert_allclose(own.R[reached(P)], model.R[reached(P)], atol=1e-15)
    # once more by hand: stepping now and then only makes chains aperiodic and halves the gain
    rows, value = model.sparse(), np.zeros(model.states)
    for _ in range(4000):
        best = (model.R.ravel() + rows @ value).reshape(model.shape).max(1)
        rise = 0.5 * (best - value)
        value = value + rise
    # from the start; states that nothing leads to may differ
    assert 2 * rise[model.start_law > 0] == pytest.approx(gain, abs=1e-6)
