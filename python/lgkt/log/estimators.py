# SPDX-License-Identifier: MIT
"""Estimators of what a policy would have earned that weigh the logged rows.

With rho_t = pi(a_t|s_t) / b(a_t|s_t) and w_t = rho_0 .. rho_t within an episode (w_-1 = 1), over
the episodes i with a row at t (n_t of them), and n rows in all:

    importance sampling            1/n sum_t sum_i w_t r_t                        (per decision)
    weighted importance sampling   1/n sum_t n_t (sum_i w_t r_t) / (sum_i w_t)
    doubly robust                  1/n sum_i sum_t [w_t (r_t - q_t) + w_t-1 v_t]
    weighted doubly robust         the same with n_t w_t / sum_i w_t, and n_t w_t-1 / sum_i w_t-1
    marginalised                   1/n sum_t sum_i omega_t(s_t) rho_t r_t

q_t = Q(s_t, a_t) and v_t = sum_a pi(a|s_t) Q(s_t, a) come from a fitted model, with as many steps
to go as the episode has (Precup, Sutton and Singh 2000; Jiang and Li 2016; Thomas and Brunskill
2016). omega_t is the ratio of how often the policy and the log are in a state at t, by the
recursion of Xie, Ma and Wang (2019): the mean of omega_t-1(s_t-1) rho_t-1 over the rows whose
state at t is s, omega_0 = 1.

Each estimate comes with what every unit adds to its error (its influence), linearised where it is
a ratio; sums to 0 over the units. Weights beyond 1e130 count as 1e130.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LOG_MOST = 300.0


@dataclass(frozen=True)
class Rows:
    """The rows of a log as estimators see them: sorted by unit and episode.

    `reward` (n) has no gaps; `start` (m + 1) are the episodes' first rows, `first` (U + 1) the
    units' ones.
    """

    reward: Floats
    start: NDArray[np.int64]
    first: NDArray[np.int64]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.start)

    @cached_property
    def longest(self) -> int:
        return int(self.lengths.max())

    @cached_property
    def time(self) -> NDArray[np.int32]:
        """The place of each row in its episode."""
        n = len(self.reward)
        return (np.arange(n) - np.repeat(self.start[:-1], self.lengths)).astype(np.int32)

    @cached_property
    def at(self) -> Floats:
        """How many episodes have a row at t."""
        return np.bincount(self.time, minlength=self.longest).astype(np.float64)

    def sums(self, values: Floats) -> Floats:
        """Sums (U) over the rows of each unit."""
        return np.add.reduceat(values, self.first[:-1])

    def columns(self) -> list[NDArray[np.int64]]:
        """For each t the rows at t. Episodes are ordered by length, so that those which go on are
        the first ones."""
        order = np.argsort(-self.lengths, kind="stable")
        begins, counts = self.start[:-1][order], self.at.astype(np.int64)
        return [begins[:count] + t for t, count in enumerate(counts)]


@dataclass(frozen=True)
class Estimate:
    """One estimator's answer.

    `parts` (U) is what each unit adds to the error, times n. `units` and `decisions` are the
    effective numbers (sum w)^2 / sum w^2 over the weights of units and rows; `largest` is
    the largest weight of a row, their mean being 1, and `distance` the mean of (w - 1)^2: what the
    difference to the log's own policy scatters by. `overlap` is the mean of min(w, 1), the share of
    decisions that the policy has in common with the log. `robust` says that neither hidden state
    nor drift biases it, as long as the log's probabilities are right.
    """

    name: str
    mean: float
    parts: Floats
    units: float
    decisions: float
    largest: float
    distance: float
    overlap: float
    robust: bool


def effective(weights: Floats) -> float:
    """(sum w)^2 / sum w^2: as many equal weights would scatter as much."""
    most = float(weights.max(initial=0.0))
    if not most > 0:
        return 0.0
    scaled = weights / most
    return float(scaled.sum())**2 / float(np.square(scaled, out=scaled).sum())


def estimate(name: str, rows: Rows, total: Floats, weights: Floats, robust: bool,
             value: float | None = None) -> Estimate:
    """From each unit's total (U), linearised, and the rows' weights (n). `value` is the sum that
    is estimated, where it is not that of the totals. Where weights are products over an episode
    (`robust`), those of whole episodes say how many units there are: what is late in an episode
    hangs on few of them before the rest does."""
    mean = float(total.sum() if value is None else value) / len(rows.reward)
    lengths = np.diff(rows.first)
    parts = total - float(total.sum()) / len(rows.reward) * lengths
    average = float(weights.mean())
    largest = float(weights.max()) / average if average > 0 else np.inf
    overlap = float(np.minimum(weights, 1.0).mean())
    with np.errstate(over="ignore"):
        distance = float(np.mean((weights - 1)**2))
    whole = np.repeat(weights[rows.start[1:] - 1], rows.lengths) if robust else weights
    return Estimate(name, mean, parts, effective(rows.sums(whole)), effective(weights), largest,
                    distance, overlap, robust)


def logged(rows: Rows) -> Estimate:
    """What the log itself earned."""
    return estimate("logged", rows, rows.sums(rows.reward), np.ones(len(rows.reward)), True)


def cumulated(ratio: Floats, rows: Rows) -> Floats:
    """w_t: products of the ratios from the episode's first row on."""
    never = ratio <= 0
    logs = np.log(np.where(never, 1.0, ratio))
    np.cumsum(logs, out=logs)
    before = np.concatenate([[0.0], logs[rows.start[1:-1] - 1]])
    logs -= np.repeat(before, rows.lengths)
    np.clip(logs, -2 * _LOG_MOST, _LOG_MOST, out=logs)
    np.exp(logs, out=logs)
    if never.any():
        count = np.cumsum(never)
        base = np.concatenate([[0], count[rows.start[1:-1] - 1]])
        logs[count > np.repeat(base, rows.lengths)] = 0.0
    return logs


def earlier(weights: Floats, rows: Rows) -> Floats:
    """w_t-1, which is 1 at the episodes' first rows."""
    before = np.empty_like(weights)
    before[1:] = weights[:-1]
    before[rows.start[:-1]] = 1.0
    return before


def normalised(weights: Floats, rows: Rows) -> Floats:
    """n_t w_t / sum_i w_t; 0 at times that no weight reaches."""
    total = np.bincount(rows.time, weights, rows.longest)
    factor = np.divide(rows.at, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(weights * factor[rows.time])


def _ratio_of_sums(values: Floats, scaled: Floats, rows: Rows) -> tuple[float, Floats]:
    """sum_t n_t (sum_i w x) / (sum_i w), NaN where no weight reaches the end; and each unit's part,
    linearised: what the sum at t would lose without the row, so that a row of much weight is not
    measured by a mean that is nearly its own."""
    mean = np.bincount(rows.time, scaled * values, rows.longest) / rows.at
    reached = np.bincount(rows.time, scaled, rows.longest) > 0
    mean = np.where(reached, mean, np.nan)
    centre = mean[rows.time]
    others = np.maximum(1 - scaled / rows.at[rows.time], 1e-3)
    return float(mean @ rows.at), rows.sums(scaled * (values - centre) / others + centre)


def importance(rows: Rows, w: Floats) -> Estimate:
    """Importance sampling per decision."""
    return estimate("importance sampling", rows, rows.sums(w * rows.reward), w, True)


def weighted_importance(rows: Rows, scaled: Floats) -> Estimate:
    """Weighted importance sampling per decision; `scaled` are the normalised weights."""
    value, total = _ratio_of_sums(rows.reward, scaled, rows)
    return estimate("weighted importance sampling", rows, total, scaled, True, value)


def doubly_robust(rows: Rows, w: Floats, q: Floats, v: Floats) -> Estimate:
    """Doubly robust, with q and v (n) of a fitted model."""
    total = rows.sums(w * (rows.reward - q) + earlier(w, rows) * v)
    return estimate("doubly robust", rows, total, w, True)


def weighted_doubly_robust(rows: Rows, w: Floats, scaled: Floats, q: Floats,
                           v: Floats) -> Estimate:
    """Weighted doubly robust, with q and v (n) of a fitted model."""
    left, missed = _ratio_of_sums(rows.reward - q, scaled, rows)
    value, expected = _ratio_of_sums(v, normalised(earlier(w, rows), rows), rows)
    return estimate("weighted doubly robust", rows, missed + expected, scaled, True, left + value)


def trust(rows: Rows, w: Floats, scaled: Floats, q: Floats, v: Floats) -> float:
    """How far a model is to be believed, from 0 to 1: q and v times it let the weighted doubly
    robust difference to the log scatter least (a regression estimator, as in Kallus and Uehara
    2019). At 0 it is weighted importance sampling, which a poor model would only disturb."""
    without = weighted_importance(rows, scaled).parts
    more = weighted_doubly_robust(rows, w, scaled, q, v).parts - without
    less = without - logged(rows).parts
    size = float(more @ more)
    if not size > 0:  # NaN where no weight reaches the end
        return 1.0
    return min(1.0, max(0.0, -float(less @ more) / size))


def marginalised(rows: Rows, ratio: Floats, state: NDArray[np.int32], states: int) -> Estimate:
    """Marginalised importance sampling in a table of `states` states."""
    columns = rows.columns()
    density = np.ones(states)
    omega = np.empty(len(ratio))
    for t, now in enumerate(columns):
        omega[now] = density[state[now]]
        if t + 1 < len(columns):
            later = columns[t + 1]
            went = omega[later - 1] * ratio[later - 1]
            reached = np.bincount(state[later], minlength=states)
            density = np.bincount(state[later], went, states) / np.maximum(reached, 1)
    # backwards: the value of a state at t, for the units' influence
    value = np.zeros(states)
    influence = np.empty(len(ratio))
    for t in range(len(columns) - 1, -1, -1):
        now = columns[t]
        earned = rows.reward[now].copy()
        if t + 1 < len(columns):
            later = columns[t + 1]
            earned[:len(later)] += value[state[later]]
        earned *= ratio[now]
        visits = np.bincount(state[now], minlength=states)
        value = np.bincount(state[now], earned, states) / np.maximum(visits, 1)
        influence[now] = omega[now] * (earned - value[state[now]])
        if t == 0:
            influence[now] += value[state[now]]
    return estimate("marginalised importance sampling", rows, rows.sums(influence), omega * ratio,
                    False)
