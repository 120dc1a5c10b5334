# SPDX-License-Identifier: MIT
"""What still tells something where it should not: the last action or reward beyond the state
(hidden state), the time beyond both (drift).

If the state is one, then among rows with the same state and action neither the reward nor the next
state depends on anything older, nor on the date. So rows of a pair are parted by the other thing,
and the spread between these groups is compared with what chance makes:

    T = sum over pairs and groups of n_g (m_g - m)^2 / v

with the mean m and variance v of the pair, and the means m_g of groups of n_g rows. If nothing
tells, T has the mean df = sum of (groups - 1), whatever the law of the rewards; its variance is at
most 2 df and a term for heavy tails, k/n_g with the excess kurtosis k of the pair. A gamma law with
that mean and variance says how unlikely T is. (T - df)/n is the share of the spread that the groups
explain.

Next states, which are names, are made numbers: the mean reward there, and a few coins thrown for
each state once and for all. For records the pairs are actions, and the reward is what a regression
on the record leaves of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from lgkt.log.coding import Coded

Floats = NDArray[np.float64]

ROWS = 500_000  # that are looked at, drawn once and for all where there are more
LEAST = 10  # rows of a group
COINS = 2
PERIODS = 4
GROUPS = 4  # of the last reward


@dataclass(frozen=True)
class Told:
    """What something tells of something else: the chance that nothing does, and the share of the
    spread that is explained."""

    chance: float
    share: float
    rows: int

    @property
    def known(self) -> bool:
        """Whether there were rows enough to look."""
        return self.rows > 0


NOTHING = Told(1.0, 0.0, 0)


def told(y: Floats, cell: NDArray[Any], group: NDArray[Any], groups: int) -> Told:
    """What `group` (-1: not known) tells of y beyond `cell`."""
    use = ~np.isnan(y) & (group >= 0)
    y, cell, group = y[use], cell[use].astype(np.int64), group[use]
    if not y.size:
        return NOTHING
    place = cell * groups + group
    count = np.bincount(place, minlength=(int(cell.max()) + 1) * groups)
    count[count < LEAST] = 0
    kept = count[place] > 0
    y, cell, place = y[kept], cell[kept], place[kept]
    parts = count.reshape(-1, groups)
    several = (parts > 0).sum(1) > 1
    kept = several[cell]
    y, cell, place = y[kept], cell[kept], place[kept]
    if not y.size:
        return NOTHING
    cells = len(parts)
    size = np.bincount(cell, minlength=cells)
    with np.errstate(invalid="ignore", divide="ignore"):
        e = y - (np.bincount(cell, y, cells) / size)[cell]
        variance = np.bincount(cell, e * e, cells) / (size - 1)
        # what is equal but for rounding has no spread
        scale = np.bincount(cell, y * y, cells) / size
        sound = several & (variance > 1e-20 * scale) & (variance > 0)
        tails = np.bincount(cell, e ** 4, cells) / size / variance ** 2 - 3
        between = np.bincount(place, e, cells * groups) ** 2 / count
        between = between.reshape(-1, groups)
        between[parts == 0] = 0
        inverse = np.where(parts > 0, 1 / parts, 0).sum(1)
        T = float((between.sum(1)[sound] / variance[sound]).sum())
    degrees = (parts > 0).sum(1)[sound] - 1
    df, n = float(degrees.sum()), int(size[sound].sum())
    if df == 0:
        return NOTHING
    V = 2 * df + float((np.maximum(tails, 0) * inverse)[sound].sum())
    return Told(float(stats.gamma.sf(T, df * df / V, scale=V / df)), max(0.0, T - df) / n, n)


# ---- what is looked at ----


def _sample(n: int) -> NDArray[np.int64]:
    if n <= ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(1).choice(n, ROWS, replace=False))


def _rank_groups(values: Floats, groups: int) -> NDArray[np.int32]:
    """Which of about equally many each is in; equal values are in one group; NaN is -1."""
    known = ~np.isnan(values)
    made = np.full(len(values), -1, np.int32)
    if known.any():
        edges = np.unique(np.quantile(values[known], np.linspace(0, 1, groups + 1)[1:-1]))
        made[known] = np.searchsorted(edges, values[known], side="left")
    return made


def periods(coded: Coded) -> NDArray[np.int32]:
    """Parts of the time with about as many rows each, of all rows."""
    clock = coded.time if coded.time is not None else coded.row.astype(np.float64)
    if coded.n <= ROWS:
        return _rank_groups(clock, PERIODS)
    some = clock[_sample(coded.n)]
    edges = np.unique(np.quantile(some, np.linspace(0, 1, PERIODS + 1)[1:-1]))
    return np.searchsorted(edges, clock, side="left").astype(np.int32)


def _shapes(record: Floats) -> Floats:
    """Functions of a record that a regression may combine: each number and its square, and whether
    it is low, high or missing."""
    columns = [np.ones(len(record))]
    for x in record.T:
        lacking = np.isnan(x)
        if lacking.all():
            continue
        low, mid, high = np.quantile(x[~lacking], [0.25, 0.5, 0.75])
        spread = float(np.nanstd(x)) or 1.0
        z = np.where(lacking, 0.0, (x - mid) / spread)
        columns += [z, z * z, np.abs(z), lacking * 1.0, (x <= low) * 1.0, (x <= mid) * 1.0,
                    (x <= high) * 1.0]
    return np.column_stack(columns)


def left_over(coded: Coded, rows: NDArray[np.int64]) -> Floats:
    """Rewards of records, less what a regression for each action makes of them."""
    assert coded.record is not None
    reward, action = coded.reward[rows], coded.action[rows]
    shapes = _shapes(coded.record[rows])
    left = np.full(len(rows), np.nan)
    for a in range(coded.A):
        at = np.flatnonzero((action == a) & ~np.isnan(reward))
        if len(at) > 10 * shapes.shape[1]:
            X = shapes[at]
            squares = X.T @ X
            # some of the shapes may be the same
            squares[np.diag_indices_from(squares)] += 1e-8 * len(at)
            left[at] = reward[at] - X @ np.linalg.solve(squares, X.T @ reward[at])
    return left


@dataclass(frozen=True)
class Tellings:
    """Of the last action, the last reward and the time, each: what it tells of the reward and of
    the next state, the most telling of each."""

    last_action: list[Told]
    last_reward: list[Told]
    time: list[Told]
    law: Told  # what the time tells of the action, beyond the state

    @property
    def tests(self) -> int:
        return sum(one.known for some in (self.last_action, self.last_reward, self.time)
                   for one in some) + self.law.known


def tellings(coded: Coded) -> Tellings:
    rows = _sample(coded.n)
    first = np.zeros(coded.n, np.bool_)
    first[coded.start[:-1]] = True
    before = np.where(first[rows], -1, rows - 1)
    action = coded.action[rows]
    table = coded.state is not None
    outcomes: list[Floats]
    if table:
        assert coded.state is not None and coded.next_state is not None
        cell: NDArray[Any] = coded.state[rows].astype(np.int64) * coded.A + action
        outcomes = [coded.reward[rows], *_scores(coded, rows)]
        earned = coded.reward - _means(coded)[coded.state.astype(np.int64) * coded.A
                                              + coded.action]
        last = np.where(before >= 0, earned[before], np.nan)
    else:
        cell = action
        outcomes = [left_over(coded, rows)]
        last = np.where(before >= 0, coded.reward[before], np.nan)
    last_action = np.where(before >= 0, coded.action[before], -1)
    period = periods(coded)[rows]
    law = NOTHING
    if table and coded.state is not None:
        some = [told((action == a) * 1.0, coded.state[rows], period, PERIODS)
                for a in range(coded.A)]
        law = min(some, key=lambda one: one.chance)
        law = Told(min(1.0, law.chance * max(1, sum(one.known for one in some))), law.share,
                   law.rows)
    reward_group = _rank_groups(last, GROUPS)

    def all_of(group: NDArray[Any], groups: int) -> list[Told]:
        return [told(y, cell, group, groups) for y in outcomes]

    return Tellings(all_of(last_action, coded.A), all_of(reward_group, GROUPS),
                    all_of(period, PERIODS), law)


def _means(coded: Coded) -> Floats:
    """Mean rewards of pairs, (S * A); NaN where none is known."""
    assert coded.state is not None
    there = ~np.isnan(coded.reward)
    pair = (coded.state.astype(np.int64) * coded.A + coded.action)[there]
    with np.errstate(invalid="ignore"):
        return (np.bincount(pair, coded.reward[there], coded.S * coded.A)
                / np.bincount(pair, minlength=coded.S * coded.A))


def _scores(coded: Coded, rows: NDArray[np.int64]) -> list[Floats]:
    """Next states as numbers; NaN where they are not known."""
    assert coded.state is not None and coded.next_state is not None
    there = ~np.isnan(coded.reward)
    state = coded.state[there]
    with np.errstate(invalid="ignore"):
        worth = np.bincount(state, coded.reward[there], coded.S) / np.bincount(
            state, minlength=coded.S)
    following = coded.next_state[rows]
    rng = np.random.default_rng(2)
    tables = [worth, *(rng.integers(0, 2, coded.S).astype(np.float64) for _ in range(COINS))]
    return [np.where(following >= 0, one[following], np.nan) for one in tables]
