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
from dataclasses import dataclass
from typing import Any, Literal, Self, SupportsIndex, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _arrays, _core, _digits
from lgkt._errors import error
from lgkt.model import Model

__all__ = [
    "Policy",
    "Solution",
    "cost",
    "evaluate",
    "fixed",
    "gain",
    "gaps",
    "greedy",
    "law",
    "lookahead",
    "optimal",
    "regret",
    "solve",
    "thresholding",
    "two_state_dominance",
    "uniform",
]


def __dir__() -> list[str]:
    return __all__


_Floats = NDArray[np.float64]
_Threshold = float | ArrayLike | Callable[[int, int, int], float]
_Start = int | ArrayLike | None
_Ties = Literal["low", "high"]

_KINDS = ("optimal", "greedy", "thresholding", "uniform", "fixed", "law")
_SHOWN = 12  # states of a table
_LARGEST = 2**28  # entries of an array; more are more likely a slip than a wish


@final
class Policy(_core.Policy):
    """A policy of a known model: with h steps to go in a state it plays uniformly among a set of
    actions, or draws one by a law. Made by `optimal`, `greedy`, `thresholding`, `uniform`, `fixed`
    and `law`; it never changes.

    Where a run begins, `start`, is a state or a law (S); None is the start of the model.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> best = lgkt.plan.optimal(model, horizon=100)
    >>> best.action(100).tolist(), best.action(1).tolist()
    ([1, 1], [0, 1])
    >>> best.ratio()
    1.0
    """

    __slots__ = ("_made_of",)
    _made_of: tuple[str, Model, int, int, _Ties, NDArray[Any] | None]

    def __new__(
        cls,
        kind: str,
        model: Model,
        horizon: SupportsIndex,
        k: SupportsIndex = 1,
        ties: _Ties = "low",
        threshold: _Threshold | None = None,
        actions: ArrayLike | None = None,
    ) -> Self:
        if kind not in _KINDS:
            raise error("UNKNOWN_NAME", f"kind must be {', '.join(_KINDS[:-1])} or {_KINDS[-1]}")
        if ties not in ("low", "high"):
            raise error("ARGUMENT", 'ties must be "low" or "high"')
        rule = None
        if kind == "fixed":
            rule = _arrays.read(actions, "actions", "i4", 1).copy()
        elif kind == "law":
            rule = _arrays.read(actions, "law", "f8", 2).copy()
        made = super().__new__(cls, kind[0], model, horizon, k, ties == "high", threshold, rule)
        made._made_of = kind, model, int(horizon), int(k), ties, rule
        return made

    @property
    def kind(self) -> str:
        """optimal, greedy, thresholding, uniform, fixed or law."""
        return self._made_of[0]

    @property
    def model(self) -> Model:
        """The model it was made of."""
        return self._made_of[1]

    @property
    def horizon(self) -> int:
        """The number of steps T."""
        return self._made_of[2]

    def actions(self, h: SupportsIndex, /) -> NDArray[np.bool_]:
        """What may be played with h steps to go: (S, A)."""
        steps = _arrays.whole(h, "h", range(1, self.horizon + 1))
        return self._sets(steps, 1).reshape(self.model.shape)

    def probabilities(self, h: SupportsIndex, /) -> _Floats:
        """How likely each action is with h steps to go: (S, A)."""
        return self._probabilities(_arrays.whole(h, "h", range(1, self.horizon + 1)))

    def action(self, h: SupportsIndex, /) -> NDArray[np.int32]:
        """The one action played with h steps to go in each state, or the lowest of several: (S)."""
        lowest: NDArray[np.int32] = self.actions(h).argmax(axis=1).astype(np.int32)
        return lowest

    def table(self) -> NDArray[np.bool_]:
        """What is played at all times: (T, S, A). Row t is that of `actions(T - t)`."""
        _check_size("the table", self.horizon, *self.model.shape)
        return self._sets(self.horizon, self.horizon)

    def laws(self, start: _Start = None, times: ArrayLike | None = None) -> _Floats:
        """The law of the state at each of `times` (0 is the start; None is all): (times, S)."""
        if times is None:
            _check_size("the laws", self.horizon, self.model.states)
            when = np.arange(self.horizon)
        else:
            when = _arrays.read(times, "times", "i8", 1)
            _check_size("the laws", len(when), self.model.states)
            bad = (when < 0) | (when >= self.horizon) | (np.diff(when, prepend=when[:1]) < 0)
            if bad.any():
                i = bad.argmax()
                raise error("ARGUMENT", f"times[{i}] is {when[i]}; times must not decrease and lie "
                                        f"in 0 to {self.horizon - 1}")
        return self._laws(self._law(start), when)

    def rewards(self, start: _Start = None) -> _Floats:
        """The expected reward of each step: (T). They sum to the value."""
        _check_size("the steps", self.horizon)
        return self._means(self._law(start))

    def costs(self, k: SupportsIndex, threshold: _Threshold, start: _Start = None) -> _Floats:
        """The expected cost of each step, see `lgkt.plan.cost`: (T)."""
        _check_size("the steps", self.horizon)
        return self._means(self._law(start), k, threshold)

    def cost(self, k: SupportsIndex, threshold: _Threshold, start: _Start = None) -> float:
        """The expected total cost, exactly."""
        return self._cost(self._law(start), k, threshold)

    def stationary(self, start: _Start = None) -> _Floats:
        """The share of time in each state in the long run, of what is played with the whole horizon
        to go: (S). With one closed set of states that is the stationary law, from any start.

        >>> import lgkt
        >>> model = lgkt.Model(P=[[[0.9, 0.1]], [[0.3, 0.7]]], R=[[0], [1]])
        >>> lgkt.plan.uniform(model, horizon=1).stationary().round(6).tolist()
        [0.75, 0.25]
        """
        return self._stationary(self._law(start))

    def passage_times(self, target: SupportsIndex) -> _Floats:
        """The mean number of steps until `target` is entered, from each state: (S).

        That of the target is its return time. Infinite where it is not certain.
        """
        return self._passage(_arrays.whole(target, "target", range(self.model.states)))

    def arrival(self, states: ArrayLike) -> _Floats:
        """The probability to be, sooner or later, in one of `states`, from each state: (S)."""
        member = np.zeros(self.model.states, np.uint8)
        for state in np.atleast_1d(states):
            member[_arrays.whole(state, "state", range(self.model.states))] = 1
        return self._arrival(member)

    def _law(self, start: Any) -> Any:
        if start is None or np.ndim(start) > 0:
            return start
        law = np.zeros(self.model.states)
        law[_arrays.whole(start, "start", range(self.model.states))] = 1.0
        return law

    def __repr__(self) -> str:
        states, actions = self.model.shape
        return (f"<lgkt.plan.Policy {self.kind} states={states} actions={actions} "
                f"horizon={self.horizon}>")

    def __reduce__(self) -> tuple[Any, ...]:
        *made_of, rule = self._made_of
        return Policy, (*made_of, self._threshold, rule)


def _check_size(what: str, *shape: int) -> None:
    if math.prod(shape) > _LARGEST:
        raise error("SHAPE", f"{what} would have more than {_LARGEST} entries; ask for parts of it")


def lookahead(model: Model, k: int) -> _Floats:
    """The K-step lookahead reward Q_k: what each action is worth with k steps to go, (S, A).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.lookahead(model, k=2).round(3).tolist()
    [[0.2, 0.55], [0.1, 1.82]]
    """
    return _core.lookahead(model, k)


def optimal(model: Model, horizon: int, ties: _Ties = "low") -> Policy:
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


def greedy(model: Model, k: int, horizon: int, ties: _Ties = "low") -> Policy:
    """K-step greedy: with h to go it plays argmax_a Q_{min(h,k)}(s,a).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> myopic = lgkt.plan.greedy(model, k=1, horizon=20)
    >>> myopic.action(20).tolist(), round(myopic.ratio(), 3)
    ([0, 1], 0.15)
    """
    return Policy("greedy", model, horizon, k, ties)


def thresholding(model: Model, k: int, horizon: int, threshold: _Threshold) -> Policy:
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


def uniform(model: Model, horizon: int) -> Policy:
    """All actions alike in every state: random play.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.uniform(model, horizon=20).actions(1).tolist()
    [[True, True], [True, True]]
    """
    return Policy("uniform", model, horizon)


def fixed(model: Model, horizon: int, actions: ArrayLike) -> Policy:
    """One action for each state at all times; `actions` has length S.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.fixed(model, horizon=20, actions=[1, 1]).laws(times=[0, 1, 19]).round(3).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.286, 0.714]]
    """
    return Policy("fixed", model, horizon, actions=actions)


def law(model: Model, horizon: int, law: ArrayLike) -> Policy:
    """Actions drawn with the same probabilities at all times; `law` has shape (S, A).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.law(model, 20, [[0.5, 0.5], [0.1, 0.9]]).stationary().round(6).tolist()
    [0.528302, 0.471698]
    """
    return Policy("law", model, horizon, actions=law)


def evaluate(
    model: Model,
    law: ArrayLike,
    *,
    horizon: SupportsIndex | None = None,
    discount: float | None = None,
) -> _Floats:
    """The same as `Model.evaluate`."""
    if horizon is not None and discount is not None:
        raise TypeError("horizon and discount do not go together")
    steps = 1 if horizon is None else _arrays.whole(horizon, "horizon")
    rule = np.asarray(law)
    policy = fixed(model, steps, rule) if rule.ndim == 1 else Policy("law", model, steps,
                                                                     actions=rule)
    if discount is not None:
        return policy._discounted(float(discount))
    return policy._average() if horizon is None else policy.value()


def gain(model: Model, tolerance: float = 1e-12) -> tuple[float, _Floats]:
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


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """The best policy of a model by `Model.plan`, and what it is worth. Prints as a table.

    The true numbers lie within `interval` of each state, rounding included.
    """

    criterion: str  #: average, discounted or horizon
    model: Model
    values: _Floats  #: the gain, discounted value or total of each state (S)
    policy: NDArray[np.int32]  #: the action of each state, the first one of a horizon (S)
    bias: _Floats | None  #: of an average: what a start in each state is worth besides (S)
    component: NDArray[np.int32] | None  #: of an average: the set that one can move about in (S)
    components: int
    below: float  #: the true numbers are in values - below ..
    above: float  #: .. values + above
    differs: bool  #: the gain depends on the start
    stopped: bool  #: by `progress`
    limited: bool  #: no elimination, for memory or time: sweeps only
    sweeps: int  #: over all rows
    policies: int  #: evaluated

    @property
    def gain(self) -> float:
        """The average per step where it is the same from all states; NaN where it is not."""
        if self.criterion != "average" or self.differs:
            return math.nan
        return float(self.values[0])

    @property
    def interval(self) -> tuple[_Floats, _Floats]:
        """What the values lie between: two arrays (S)."""
        return self.values - self.below, self.values + self.above

    def __str__(self) -> str:
        lines = [f"{self.criterion}: {self.sweeps} sweeps, {self.policies} policies, known to "
                 f"{self.below + self.above:.2g}", f"{'state':>8}  {'action':>6}  value"]
        shown = list(range(self.model.states))
        if len(shown) > _SHOWN:
            shown = [*shown[:_SHOWN - 1], shown[-1]]
        show = _digits.exact(self.values[shown])
        values = {state: show(self.values[state]) for state in shown}
        width = max(map(len, values.values()))
        for i, state in enumerate(shown):
            if i > 0 and state > shown[i - 1] + 1:
                lines.append(f"{'..':>8}")
            lines.append(f"{state:8d}  {self.policy[state]:6d}  {values[state]:>{width}}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (f"<lgkt.plan.Solution {self.criterion} states={self.model.states} "
                f"known to {self.below + self.above:.2g}>")


def solve(
    model: Model,
    *,
    horizon: SupportsIndex | None = None,
    discount: float | None = None,
    tolerance: float = 1e-12,
    memory: int = 2**31,
    progress: Callable[[int, int, float], object] | None = None,
) -> Solution:
    """The same as `Model.plan`."""
    if horizon is not None and discount is not None:
        raise TypeError("horizon and discount do not go together")
    kind = "horizon" if horizon is not None else "average" if discount is None else "discounted"
    steps = 1 if horizon is None else horizon
    weight = 0.0 if discount is None else float(discount)
    (values, bias, policy, component), known = _core.best(
        model, kind, steps, weight, tolerance, _arrays.whole(memory, "memory"), progress)
    average = kind == "average"
    for array in values, bias, policy, component:
        array.flags.writeable = False
    return Solution(kind, model, values, policy, bias if average else None,
                    component if average else None, **known)


def cost(
    model: Model,
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
    states, actions, whole = _run(model, states, actions, horizon)
    return _core.costs(model, whole, k, threshold, states, actions)


def _run(
    model: Model, states: ArrayLike, actions: ArrayLike, horizon: int | None
) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """The states and actions of a run, and its horizon, all checked."""
    if not isinstance(model, Model):
        raise TypeError("model must be a Model")
    seen = _arrays.read(states, "states", "i4", 1)
    done = _arrays.read(actions, "actions", "i4", 1)
    for name, numbers, limit in ("states", seen, model.states), ("actions", done, model.actions):
        bad = (numbers < 0) | (numbers >= limit)
        if bad.any():
            i = bad.argmax()
            raise error("ARGUMENT", f"{name}[{i}] is {numbers[i]}; allowed are 0 to {limit - 1}")
    if len(seen) != len(done):
        raise error("SHAPE", f"there are {len(seen)} states and {len(done)} actions")
    whole = len(seen) if horizon is None else _arrays.whole(horizon, "horizon")
    if len(seen) > whole:
        raise error("SHAPE", f"there are {len(seen)} steps and a horizon of {whole}")
    return seen, done, whole


@overload
def regret(
    model: Model,
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
    model: Model,
    states: ArrayLike,
    actions: ArrayLike,
    horizon: int | None = ...,
    *,
    k: int | None = ...,
    threshold: _Threshold | None = ...,
    cumulative: Literal[True],
) -> _Floats: ...
def regret(
    model: Model,
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
    states, actions, whole = _run(model, states, actions, horizon)
    steps = len(states)
    if steps == 0:
        return np.zeros(0) if cumulative else 0.0
    start = int(states[0])
    part = cumulative or steps < whole
    if k is None or threshold is None:
        played = -model.R[states, actions]
        rival = optimal(model, whole)
        expected = -rival.rewards(start)[:steps] if part else -rival.value()[[start]]
    else:
        played = _core.costs(model, whole, k, threshold, states, actions)
        rival = thresholding(model, k, whole, threshold)
        expected = (rival.costs(k, threshold, start)[:steps] if part
                    else np.array([rival.cost(k, threshold, start)]))
    if cumulative:
        return np.cumsum(played) - np.cumsum(expected)
    return math.fsum(played) - math.fsum(expected)


def gaps(
    model: Model, k: SupportsIndex, threshold: _Threshold, horizon: SupportsIndex | None = None
) -> tuple[float, float, float]:
    """How far k-step lookahead values are from a threshold, over all states and times.

    Three numbers: the margin, the smallest max_a Q_k(s,a) - threshold, which is at least 0 if every
    state always has a good action (assumption 4.1); the smallest distance of a pair above the
    threshold, and of one below it (infinite where there is none). The smaller of these two is the
    Delta of theorem 4.4. For a threshold that moves with time give the horizon.

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> lgkt.plan.gaps(model, 1, 0.05)
    (0.05, 0.05, 0.05)
    >>> lgkt.plan.gaps(model, 1, 0.5)[0]
    -0.4
    """
    return _core.gaps(model, k if horizon is None else horizon, k, threshold)


def two_state_dominance(model: Model) -> tuple[bool, str]:
    """Whether assumption 3.2 holds (two states, stochastic dominance), and in a line why not.

    Where it holds, K-step greedy policies are optimal for every K (theorem 3.3).

    >>> import lgkt
    >>> model = lgkt.Model(P=[[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], R=[[0.1, 0], [0, 1]])
    >>> holds, why = lgkt.plan.two_state_dominance(model)
    >>> print(holds, why.partition(" but ")[0])
    False in state 0 action 0 has the highest reward
    """
    return _core.two_state_dominance(model)
