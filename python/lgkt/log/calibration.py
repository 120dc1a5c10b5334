# SPDX-License-Identifier: MIT
"""Whether the probabilities of a log agree with what was played.

With a whole law p for each decision, the number of times that an action was played in a state less
the sum of its probabilities is a sum of differences that nothing before them predicts: over the
root of the sum of p (1 - p) it is about normal, whatever the policy looked at.

With the probability of what was played alone, two things can be said. Where it is the same whenever
an action is played in a state, the shares of the actions must be these probabilities. And in any
case the sum of 1/p over the times that an action was played in a state is at most the visits of the
state on average, less where its probability was 0 at times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from lgkt.log.coding import Coded

ENOUGH = 20.0  # expected times of an action and of the others, from which on a sum is about normal
OFF = 0.01  # differences of shares that are not worth telling
Floats = NDArray[np.float64]


def _cells(coded: Coded) -> tuple[NDArray[np.int64], int]:
    if coded.state is None:
        return np.zeros(coded.n, np.int64), 1
    return coded.state.astype(np.int64), coded.S


def disagreement(coded: Coded) -> tuple[float, int, str] | None:
    """The chance that probabilities which are right look as wrong as these at worst, how many rows
    that concerns, and words; None where there is nothing to compare."""
    found = _whole(coded) if coded.probabilities is not None else _single(coded)
    return min(found, default=None)


def _words(coded: Coded, cell: int, a: int, share: float, said: float) -> str:
    where = "" if coded.state is None else f" in {_label(coded.states[cell])}"
    return (f'"{coded.actions[a]}"{where} was played in {100 * share:.3g}% of its times, where '
            f"{100 * said:.3g}% would be right")


def _label(state: tuple[object, ...]) -> str:
    return '"' + ", ".join(map(str, state)) + '"'


def _whole(coded: Coded) -> list[tuple[float, int, str]]:
    law = coded.probabilities
    assert law is not None
    cell, cells = _cells(coded)
    there = ~np.isnan(law).any(1)
    cell, law, action = cell[there], law[there], coded.action[there]
    visits = np.bincount(cell, minlength=cells)
    found: list[tuple[float, int, str]] = []
    tests = 0
    for a in range(coded.A):
        p = law[:, a]
        sum_p = np.bincount(cell, p, cells)
        variance = np.bincount(cell, p * (1 - p), cells)
        played = np.bincount(cell, action == a, cells)
        for s in np.flatnonzero(variance >= ENOUGH):
            tests += 1
            z = (played[s] - sum_p[s]) / np.sqrt(variance[s])
            share, said = played[s] / visits[s], sum_p[s] / visits[s]
            if abs(share - said) >= OFF:
                found.append((2 * float(stats.norm.sf(abs(z))), int(visits[s]),
                              _words(coded, int(s), a, share, said)))
    return [(min(1.0, chance * tests), count, words) for chance, count, words in found]


def _single(coded: Coded) -> list[tuple[float, int, str]]:
    p = coded.probability
    assert p is not None
    cell, cells = _cells(coded)
    there = ~np.isnan(p)
    # a state counts only where all its rows say it: those that do not may be special
    spoilt = np.bincount(cell[~there], minlength=cells) > 0
    there &= ~spoilt[cell]
    cell, action, p = cell[there], coded.action[there], p[there]
    A = coded.A
    pair = cell * A + action
    count = np.bincount(pair, minlength=cells * A).reshape(cells, A)
    visits = count.sum(1)
    least, most = np.full(cells * A, np.inf), np.full(cells * A, -np.inf)
    np.minimum.at(least, pair, p)
    np.maximum.at(most, pair, p)
    inverse = np.bincount(pair, 1 / p, cells * A).reshape(cells, A)
    variance = np.bincount(pair, (1 - p) / p**2, cells * A).reshape(cells, A)
    low, high = least.reshape(cells, A), most.reshape(cells, A)
    fixed = ((high - low <= 1e-9 * high) | (count == 0)).all(1) & (visits > 0)
    found: list[tuple[float, int, str]] = []
    tests = 0
    for s in np.flatnonzero(visits > 0):
        for a in np.flatnonzero(count[s] > 0):
            n, said = float(visits[s]), float(low[s, a])
            share = count[s, a] / n
            if fixed[s] and n * said * (1 - said) >= ENOUGH:
                tests += 1
                z = (count[s, a] - n * said) / np.sqrt(n * said * (1 - said))
                chance = 2 * float(stats.norm.sf(abs(z)))
            elif count[s, a] >= 2 * ENOUGH and variance[s, a] > 0:
                tests += 1
                # what the next one, drawn at the smallest probability, would add is no surprise
                slack = 1 / said
                z = (inverse[s, a] - n - slack) / np.sqrt(variance[s, a])
                chance = float(stats.norm.sf(z))
                said = share * n / inverse[s, a]
            else:
                continue
            if abs(share - said) >= OFF:
                found.append((chance, int(n), _words(coded, int(s), int(a), share, said)))
        total = float(np.where(count[s] > 0, low[s], 0).sum())
        if fixed[s] and total > 1 + 1e-6:
            found.append((0.0, int(visits[s]),
                          f"those of the actions played in {_label(coded.states[s])} add up to "
                          f"{total:.4g}" if coded.state is not None else
                          f"those of the actions add up to {total:.4g}"))
    return [(min(1.0, chance * max(tests, 1)), n, words) for chance, n, words in found]
