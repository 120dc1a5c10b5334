# SPDX-License-Identifier: MIT
"""The fitted model: what follows an action, learnt from the log, and the policy played in it.

In a table it is the counted one: r(s,a) and P(y|s,a) are the means over the rows of the pair, and
V_h(s) = sum_a pi(a|s) (r(s,a) + sum_y P(y|s,a) V_h-1(y)) is what the policy earns in h steps. The
estimate is the mean of V over the episodes' first states, each with its length. Where the policy
plays an action that the log never tried in a state, the log's own choices in that state stand in,
and `untried` says in which share of the decisions that was needed.

The error by which a row moves the estimate is exact to first order: with D(s) the policy's visits
to s and K(s,y) = sum_h D_h(s) V_h-1(y), D_h(s) those with h steps to go, row j in (s,a) with next
state y adds pi(a|s) / N(s,a) (D(s) r + K(s,y) - their mean over the other rows of the pair). The
mean over the others, with the state's mean counted as one more row, is used rather than the mean
over all: rows that determine their own prediction would seem to err too little.

For records Q_h(x,a) is a linear function of the features (features.py), one for each action and
number of steps to go, by a ridge: theta_h,a = G_a^-1 (b_a + sum_a' M_aa' theta_h-1,a'), with
G_a = sum f f' + 10, b_a = sum f r and M_aa' = sum f pi(a'|x') f(x')' over the rows of action a, so
that the recursion does not visit the rows again. The units are dealt into 5 parts, and each part is
judged by a fit on the other four. How far Q is believed is estimated, too (estimators.trust).
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from lgkt._errors import error
from lgkt.log.coding import Coded
from lgkt.log.estimators import Estimate, Rows, estimate
from lgkt.log.features import Features, numbered, vectors

Floats = NDArray[np.float64]

STATES = 4096            # of a table; visits from each to each are kept
_VALUES = 20_000_000     # numbers V_h(s) that are kept
_BLOCK = 1 << 18         # rows at a time
_FOLDS = 5
_RIDGE = 10.0


class Values(NamedTuple):
    """What a fitted model says of each row: q of what was played, v of the policy (n)."""

    q: Floats
    v: Floats


def filled(reward: Floats, mean: Floats, observed_share: Floats) -> Floats:
    """Rewards without gaps: of each row its mean where the reward is missing, else the mean plus
    the deviation over the share of rows whose reward is there, so that sums keep their scatter."""
    known = ~np.isnan(reward)
    if known.all():
        return reward
    scaled = (np.where(known, reward, mean) - mean) / np.maximum(observed_share, 1e-300)
    return np.asarray(mean + scaled)


# ---- tables ----

class Table:
    """The counted model of a log whose states are a table, and the rewards without gaps."""

    def __init__(self, coded: Coded) -> None:
        if coded.S > STATES:
            raise error("SHAPE", f"a table of {coded.S} states; at most {STATES} can be judged. "
                                 "Group them, or read them as records")
        self.coded = coded
        self.state, self.following = numbered(coded)
        states, actions = self.shape = (coded.S, coded.A)
        pairs = states * actions
        self.pair = self.state * np.int64(actions) + coded.action
        self.tried = np.bincount(self.pair, minlength=pairs).astype(np.float64)
        known = ~np.isnan(coded.reward)
        paid = np.bincount(self.pair[known], minlength=pairs)
        total = np.bincount(self.pair[known], coded.reward[known], pairs)
        # where no reward of a pair is there, that of all rows stands in; such pairs are not `known`
        self.mean = np.where(paid > 0, total / np.maximum(paid, 1), total.sum() / known.sum())
        self.missing = int(len(known) - known.sum())
        self.reward = coded.reward
        if self.missing:
            share = paid / np.maximum(self.tried, 1)
            self.reward = filled(coded.reward, self.mean[self.pair], share[self.pair])
        self.moves = self._moves()
        self.left = np.asarray(self.moves.sum(1)).ravel()  # rows whose next state is known
        scale = np.repeat(1.0 / np.maximum(self.left, 1), np.diff(self.moves.indptr))
        self.chances = csr_array((self.moves.data * scale, self.moves.indices, self.moves.indptr),
                                 shape=self.moves.shape)
        # pairs of which rewards and successors are known
        longest = int(np.diff(coded.start).max())
        self.known = ((paid > 0) & ((self.left > 0) | (longest == 1))).reshape(self.shape)

    def _moves(self) -> csr_array:
        """How often each state followed each pair, (S A, S)."""
        states, actions = self.shape
        shape = (states * actions, states)
        total = csr_array(shape)
        following = self.following
        for begin in range(0, len(following), 8 * _BLOCK):
            part = slice(begin, begin + 8 * _BLOCK)
            there = following[part] >= 0
            keys = (self.pair[part][there], following[part][there])
            total = total + csr_array((np.ones(len(keys[0])), keys), shape=shape)
        total.sum_duplicates()
        return total


class Plan:
    """A policy played in a counted model."""

    def __init__(self, table: Table, law: Floats, rows: Rows) -> None:
        self.table, self.rows, self.asked = table, rows, np.where(table.known, 0.0, law)
        states, actions = table.shape
        counts = table.tried.reshape(table.shape) * table.known
        visits = counts.sum(1, keepdims=True)
        own = np.divide(counts, visits, out=np.zeros_like(law), where=visits > 0)
        self.law = law * table.known + self.asked.sum(1, keepdims=True) * own
        foreign = visits[:, 0] == 0  # states in which nothing is known
        mean = table.mean.reshape(table.shape)
        self.reward = (self.law * mean).sum(1)
        self.reward[foreign] = float(rows.reward.mean())
        mixing = csr_array((self.law.ravel(), np.arange(states * actions),
                            np.arange(0, states * actions + 1, actions)))
        # where nothing is known to follow, the state stays
        step = csr_array(mixing @ table.chances)
        lost = 1.0 - np.asarray(step.sum(1)).ravel()
        places = np.arange(states)
        self.step = csr_array(step + csr_array((lost, (places, places)), shape=step.shape))
        self.values = self._values()

    def _values(self) -> Floats:
        """V_h(s), (H + 1, S)."""
        states, longest = self.table.shape[0], self.rows.longest
        if (longest + 1) * states > _VALUES:
            raise error("SHAPE", f"episodes of {longest} decisions over {states} states are too "
                                 f"long to plan in; {_VALUES // states - 1} are possible. Give "
                                 "shorter episodes, weeks say, as a column")
        values = np.zeros((longest + 1, states))
        for h in range(1, longest + 1):
            values[h] = self.reward + self.step @ values[h - 1]
        return values

    def on_rows(self) -> Values:
        """Q of each row's action and V of its state, with as many steps as are left."""
        table = self.table
        q, v = np.empty(len(table.pair)), np.empty(len(table.pair))
        order = np.argsort(-self.rows.lengths, kind="stable")
        ends = self.rows.start[1:][order]
        longer = np.sort(self.rows.lengths)
        for h in range(1, self.rows.longest + 1):
            now = ends[:len(longer) - np.searchsorted(longer, h)] - h
            quality = table.mean + table.chances @ self.values[h - 1]
            q[now] = quality[table.pair[now]]
            v[now] = self.values[h][table.state[now]]
        return Values(q, v)

    @cached_property
    def visits(self) -> tuple[Floats, Floats]:
        """D(s) (S), and K(s,y) (S, S)."""
        states, longest = self.table.shape[0], self.rows.longest
        order = np.argsort(-self.rows.lengths, kind="stable")
        begins = self.table.state[self.rows.start[:-1]][order]
        count, taken = np.bincount(self.rows.lengths), 0
        forward = csr_array(self.step.T)
        total, reach = np.zeros(states), np.zeros((states, states))
        now = np.zeros(states)
        size = max(1, min(longest, _BLOCK // states))
        for top in range(longest, 0, -size):
            low = max(0, top - size)
            block = np.empty((top - low, states))
            for i, h in enumerate(range(top, low, -1)):
                if count[h]:
                    now = now + np.bincount(begins[taken:taken + count[h]], minlength=states)
                    taken += count[h]
                block[i] = now
                now = forward @ now
            total += block.sum(0)
            reach += block.T @ self.values[low:top][::-1]
        return total, reach

    def estimate(self) -> Estimate:
        """The mean of the values of the episodes' first states, with its influence."""
        table, rows = self.table, self.rows
        visits, reach = self.visits
        state, following = table.state, table.following
        known: NDArray[np.bool_] = following >= 0
        led = np.where(known, reach[state, np.where(known, following, 0)], 0.0)
        pairs = table.tried.size
        mean = (np.bincount(table.pair, led, pairs) / np.maximum(table.left, 1))[table.pair]
        if not known.all():
            share = (table.left / np.maximum(table.tried, 1))[table.pair]
            led = filled(np.where(known, led, np.nan), mean, share)
        led += visits[state] * rows.reward
        weight = (self.law.ravel() / np.maximum(table.tried, 1))[table.pair]
        influence = weight * _left_out(led, table)
        weight *= visits[state]
        first = rows.start[:-1]
        influence[first] += self.values[rows.lengths, state[first]]
        total = rows.sums(influence)
        value = float(self.values[rows.lengths, state[first]].sum())
        return estimate("fitted model", rows, total, weight, False, value)

    def untried(self) -> tuple[float, list[tuple[int, int, float]]]:
        """The share of the policy's decisions that the log cannot speak of, and the pairs that it
        is made of: state, action, share; the largest first."""
        share = self.visits[0][:, None] * self.asked / len(self.rows.reward)
        order = np.argsort(-share, axis=None, kind="stable")[:10]
        actions = self.table.shape[1]
        pairs = [(int(i) // actions, int(i) % actions, float(share.flat[i])) for i in order
                 if share.flat[i] > 0]
        return float(share.sum()), pairs


def _left_out(values: Floats, table: Table) -> Floats:
    """Each row's value less the mean over the other rows of its pair, with the state's mean as one
    more row."""
    state = table.state
    visits = np.maximum(np.bincount(state, minlength=table.shape[0]), 1)
    by_state = np.bincount(state, values, table.shape[0]) / visits
    by_pair = np.bincount(table.pair, values, table.tried.size)
    others = by_pair[table.pair] - values + by_state[state]
    others /= table.tried[table.pair]
    return np.asarray(values - others)


# ---- records ----

class _Sums(NamedTuple):
    """What a ridge needs of some rows, by action: G (A, d, d) over all rows and over those whose
    next record is known, b (A, d) for both, M (A, d, A d)."""

    gram: Floats
    target: Floats
    gram_next: Floats
    target_next: Floats
    moves: Floats

    def less(self, other: _Sums) -> _Sums:
        return _Sums(*(mine - its for mine, its in zip(self, other)))


def filled_records(coded: Coded, features: Features) -> tuple[Floats, int]:
    """The rewards of records without gaps, and how many were missing: the mean of a missing one is
    a ridge on its action's rows."""
    known = ~np.isnan(coded.reward)
    missing = int(len(known) - known.sum())
    if not missing:
        return coded.reward, 0
    mean, share = np.zeros(len(known)), np.ones(len(known))
    design = features.design(vectors(coded)[0])
    for a in range(coded.A):
        mine = coded.action == a
        there = mine & known
        theta = _solve(design[there].T @ design[there], design[there].T @ coded.reward[there])
        mean[mine] = design[mine] @ theta
        share[mine] = there.sum() / max(1, mine.sum())
    return filled(coded.reward, mean, share), missing


def ridge_values(coded: Coded, features: Features, rows: Rows, law: Floats,
                 following: Floats) -> Values:
    """q and v of each row by the ridge, fitted on other units than the row's. `law` (n, A) is the
    policy at each record, `following` (n, A) at the next ones."""
    units = len(rows.first) - 1
    fold = np.repeat(np.arange(units) % _FOLDS, np.diff(rows.first))
    parts = [_sums(coded, features, rows.reward, following, fold == k) for k in range(_FOLDS)]
    whole = _Sums(*(sum(arrays[1:], arrays[0]) for arrays in zip(*parts)))
    left = np.repeat(rows.lengths, rows.lengths) - rows.time
    n, record = len(coded.action), vectors(coded)[0]
    q, v = np.empty(n), np.empty(n)
    for k, own in enumerate(parts):
        theta = _backwards(whole.less(own), rows.longest)
        mine = np.flatnonzero(fold == k)
        for begin in range(0, len(mine), _BLOCK):
            now = mine[begin:begin + _BLOCK]
            x = features.design(record[now])
            quality = np.einsum("nd,nad->na", x, theta[left[now]], optimize=True)
            q[now] = quality[np.arange(len(now)), coded.action[now]]
            v[now] = (quality * law[now]).sum(1)
    return Values(q, v)


def _sums(coded: Coded, features: Features, reward: Floats, following: Floats,
          which: NDArray[np.bool_]) -> _Sums:
    d, actions = features.width, coded.A
    record, after = vectors(coded)
    made = _Sums(np.zeros((actions, d, d)), np.zeros((actions, d)), np.zeros((actions, d, d)),
                 np.zeros((actions, d)), np.zeros((actions, d, actions * d)))
    chosen = np.flatnonzero(which)
    for begin in range(0, len(chosen), _BLOCK):
        now = chosen[begin:begin + _BLOCK]
        x = features.design(record[now])
        there = coded.next_known[now]
        later = np.zeros((len(now), actions, d))
        later[there] = (following[now[there]][:, :, None]
                        * features.design(after[now[there]])[:, None, :])
        for a in range(actions):
            mine = coded.action[now] == a
            both = mine & there
            made.gram[a] += x[mine].T @ x[mine]
            made.target[a] += x[mine].T @ reward[now[mine]]
            made.gram_next[a] += x[both].T @ x[both]
            made.target_next[a] += x[both].T @ reward[now[both]]
            made.moves[a] += x[both].T @ later[both].reshape(-1, actions * d)
    return made


def _solve(gram: Floats, target: Floats) -> Floats:
    """A ridge that leaves the constant alone, as good as."""
    penalty = np.full(len(gram), _RIDGE)
    penalty[0] = 1e-6
    return np.asarray(np.linalg.solve(gram + np.diag(penalty), target))


def _backwards(sums: _Sums, longest: int) -> Floats:
    """theta (H + 1, A, d)."""
    actions, d = sums.target.shape
    theta = np.zeros((longest + 1, actions, d))
    theta[1] = [_solve(sums.gram[a], sums.target[a]) for a in range(actions)]
    if longest == 1:
        return theta
    # theta_h = constant + motion theta_h-1
    constant = np.stack([_solve(sums.gram_next[a], sums.target_next[a]) for a in range(actions)])
    motion = np.stack([_solve(sums.gram_next[a], sums.moves[a]) for a in range(actions)])
    for h in range(2, longest + 1):
        theta[h] = constant + motion @ theta[h - 1].ravel()
    return theta
