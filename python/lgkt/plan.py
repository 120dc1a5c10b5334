# SPDX-License-Identifier: MIT
"""Exact planning and evaluation on a known model. No sampling anywhere.

Subscripts count steps to go: Q_1 = R, Q_{k+1}(s,a) = R(s,a) + sum_y P(y|s,a) max_b Q_k(y,b).
A horizon of T means T steps, t = 0 .. T-1, with h = T - t to go. Two action values that differ by
at most 1e-12 max(1, |Q|) are a tie.

A threshold is a number, an array (S) or (steps, S) whose last row serves all later steps, or a
function of (t, state, k), which must give the same answer whenever it is asked the same.

>>> import lgkt
>>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
>>> for k in 1, 2, 3:
...     print(k, round(lgkt.plan.greedy(model, k, horizon=1000).ratio(), 4))
1 0.1402
2 1.0
3 1.0
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _core
from lgkt._core import Policy

__all__ = [
    "Policy",
    "cost",
    "fixed",
    "gain",
    "greedy",
    "lookahead",
    "optimal",
    "regret",
    "thresholding",
    "two_state_dominance",
    "uniform",
]

_Floats = NDArray[np.float64]
_Threshold = float | ArrayLike | Callable[[int, int, int], float]
_Ties = Literal["low", "high"]


def lookahead(model: _core.Model, k: int) -> _Floats:
    """The K-step lookahead reward Q_k: what each action is worth with k steps to go, (S, A).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.lookahead(model, k=2).round(3).tolist()
    [[0.2, 0.55], [0.1, 1.82]]
    """
    return _core.lookahead(model, k)


def optimal(model: _core.Model, horizon: int, ties: _Ties = "low") -> Policy:
    """The policy that is optimal for `horizon` steps.

    Of equally good actions it plays the one with the lowest or the highest number.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> best = lgkt.plan.optimal(model, horizon=20)
    >>> best.action(20).tolist(), best.action(1).tolist()
    ([1, 1], [0, 1])
    >>> best.value().round(3).tolist()
    [13.294, 14.722]
    """
    return Policy("optimal", model, horizon, ties=ties)


def greedy(model: _core.Model, k: int, horizon: int, ties: _Ties = "low") -> Policy:
    """K-step greedy: with h to go it plays argmax_a Q_{min(h,k)}(s,a).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> myopic = lgkt.plan.greedy(model, k=1, horizon=20)
    >>> myopic.action(20).tolist(), round(myopic.ratio(), 3)
    ([0, 1], 0.15)
    """
    return Policy("greedy", model, horizon, k, ties)


def thresholding(model: _core.Model, k: int, horizon: int, threshold: _Threshold) -> Policy:
    """K-step thresholding: with h to go it plays any action with Q_{min(h,k)}(s,a) >= threshold.

    All that are good enough are played alike; where none is, the best one is.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.thresholding(model, k=2, horizon=20, threshold=0.3).actions(20).tolist()
    [[False, True], [False, True]]
    >>> by_state = lambda t, state, k: 0.1 if state == 0 else 1.0
    >>> lgkt.plan.thresholding(model, 2, 20, by_state).actions(20).tolist()
    [[True, True], [False, True]]
    """
    return Policy("thresholding", model, horizon, k, "low", threshold)


def uniform(model: _core.Model, horizon: int) -> Policy:
    """All actions alike in every state: random play.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.uniform(model, horizon=20).actions(1).tolist()
    [[True, True], [True, True]]
    """
    return Policy("uniform", model, horizon)


def fixed(model: _core.Model, horizon: int, actions: ArrayLike) -> Policy:
    """One action for each state at all times; `actions` has length S.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.fixed(model, horizon=20, actions=[1, 1]).laws(times=[0, 1, 19]).round(3).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.286, 0.714]]
    """
    return Policy("fixed", model, horizon, actions=actions)


def gain(model: _core.Model, tolerance: float = 1e-12) -> tuple[float, _Floats]:
    """The best long-run reward per step, and the bias (S) with 0 as its smallest entry.

    They solve gain + bias(s) = max_a R(s,a) + sum_y P(y|s,a) bias(y), to within `tolerance`.
    A model whose gain depends on the start has none: `UseError`.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> gain, bias = lgkt.plan.gain(model)
    >>> round(gain, 6), bias.round(3).tolist()
    (0.714286, [0.0, 1.429])
    """
    return _core.gain(model, tolerance)


def cost(
    model: _core.Model,
    k: int,
    threshold: _Threshold,
    states: ArrayLike,
    actions: ArrayLike,
    horizon: int | None = None,
) -> _Floats:
    """What each step of a run falls short of the threshold: (steps).

    c_t(s,a) = max(0, threshold(t,s) - Q_{min(h,k)}(s,a)). The run has `horizon` steps in all, as
    many as are given where it is None. `Policy.cost` is the expected total of a policy.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> states, actions = [0, 0, 1], [1, 0, 1]
    >>> lgkt.plan.cost(model, 2, 0.6, states, actions, horizon=20).round(3).tolist()
    [0.05, 0.4, 0.0]
    """
    return _core.played(model, states, actions, k, threshold, horizon)


@overload
def regret(
    model: _core.Model,
    states: ArrayLike,
    actions: ArrayLike,
    horizon: int | None = ...,
    *,
    k: int | None = ...,
    threshold: _Threshold | None = ...,
    cumulative: Literal[False] = ...,
) -> float: ...
@overload
def regret(
    model: _core.Model,
    states: ArrayLike,
    actions: ArrayLike,
    horizon: int | None = ...,
    *,
    k: int | None = ...,
    threshold: _Threshold | None = ...,
    cumulative: Literal[True],
) -> _Floats: ...
def regret(
    model: _core.Model,
    states: ArrayLike,
    actions: ArrayLike,
    horizon: int | None = None,
    *,
    k: int | None = None,
    threshold: _Threshold | None = None,
    cumulative: bool = False,
) -> float | _Floats:
    """What a run lost against the optimum or, with `k` and `threshold`, to thresholding.

    To the optimum: V*_T(s_0) less the summed mean rewards of the pairs played. To the K-step
    thresholding policy: the summed cost of the pairs less what that policy is expected to cost
    from s_0. If only the first steps of the horizon are given, the policy counts for as many.
    With `cumulative` the regret after each step: (steps).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> states, actions = [0, 0, 1, 1], [0, 1, 1, 1]
    >>> round(lgkt.plan.regret(model, states, actions), 3)
    -0.225
    >>> lgkt.plan.regret(model, states, actions, cumulative=True).round(3).tolist()
    [-0.1, 0.4, 0.05, -0.225]
    >>> round(lgkt.plan.regret(model, states, actions, k=2, threshold=0.6), 3)
    0.205
    """
    if (k is None) != (threshold is None):
        raise TypeError("k and threshold go together")
    if k is None or threshold is None:
        played = -_core.played(model, states, actions, None, None, horizon)
    else:
        played = _core.played(model, states, actions, k, threshold, horizon)
    steps = len(played)
    if steps == 0:
        return played if cumulative else 0.0
    start = int(np.asarray(states)[0])
    whole = steps if horizon is None else int(horizon)
    if k is None or threshold is None:
        best = optimal(model, whole)
        expected = -best.rewards(start) if cumulative or steps < whole else None
        total = -float(best.value()[start])
    else:
        rival = thresholding(model, k, whole, threshold)
        expected = rival.costs(k, threshold, start) if cumulative or steps < whole else None
        total = rival.cost(k, threshold, start)
    if cumulative and expected is not None:
        return np.cumsum(played) - np.cumsum(expected[:steps])
    if expected is not None:
        total = math.fsum(expected[:steps])
    return math.fsum(played) - total


def two_state_dominance(model: _core.Model) -> tuple[bool, str]:
    """Whether assumption 3.2 holds (two states, stochastic dominance), and in a line why not.

    Where it holds, K-step greedy policies are optimal for every K (theorem 3.3).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> holds, why = lgkt.plan.two_state_dominance(model)
    >>> print(holds, why.partition(" but ")[0])
    False in state 0 action 0 has the highest reward
    """
    return _core.two_state_dominance(model)
