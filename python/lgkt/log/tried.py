# SPDX-License-Identifier: MIT
"""The model that a log tells of, with how often each pair was tried, and the best policy in what
was tried often enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lgkt._errors import error
from lgkt.log.coding import Coded

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fitted:
    """Averages of a table: moves as a sparse matrix (S * A, S) of counts, rewards (S, A)."""

    moves: Any
    counts: NDArray[np.int64]  # (S, A) rows whose reward is known
    mean: Floats  # (S, A), NaN where it was never known
    error: Floats  # (S, A) standard error of the mean, NaN below two rewards
    sd: float  # of a reward around the mean of its pair
    start: Floats  # (S) where episodes begin
    binary: bool  # all rewards are 0 or 1


def tries(coded: Coded) -> NDArray[np.int64]:
    """How often the log has tried each action in each state, (S, A)."""
    assert coded.state is not None
    pair = coded.state.astype(np.int64) * coded.A + coded.action
    return np.bincount(pair, minlength=coded.S * coded.A).reshape(coded.S, coded.A)


def fitted(coded: Coded) -> Fitted:
    if coded.state is None or coded.next_state is None:
        raise error("UNSUPPORTED", "a log of records has no model of states: read it with "
                                   'bins={..} or as_="table"')
    S, A = coded.S, coded.A
    pair = coded.state.astype(np.int64) * A + coded.action
    known = coded.next_state >= 0
    there = ~np.isnan(coded.reward)
    moves = sparse.coo_array(
        (np.ones(int(known.sum())), (pair[known], coded.next_state[known])),
        shape=(S * A, S)).tocsr()
    reward, told = coded.reward[there], pair[there]
    counts = np.bincount(told, minlength=S * A)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(told, reward, S * A) / counts
        squares = np.bincount(told, (reward - mean[told]) ** 2, S * A)
        spread = np.sqrt(squares / (counts - 1) / counts)
    spread[counts < 2] = np.nan
    freedom = int(np.maximum(counts - 1, 0).sum())
    first = np.bincount(coded.state[coded.start[:-1]], minlength=S) / coded.m
    return Fitted(moves, counts.reshape(S, A), mean.reshape(S, A), spread.reshape(S, A),
                  float(np.sqrt(squares[counts > 1].sum() / freedom)) if freedom else 0.0, first,
                  bool(np.all((reward == 0) | (reward == 1))))


def best_tried(fit: Fitted, least: int) -> Floats:
    """What earns most in the long run, (S, A), of what the log has tried so often, by its averages
    less their standard errors: the best of many averages is one that was lucky. Where nothing was
    tried as often, what it tried most."""
    from lgkt.model import Model

    S, A = fit.counts.shape
    often = fit.counts >= least
    most = fit.counts == fit.counts.max(1, keepdims=True)
    often |= ~often.any(1, keepdims=True) & most & (fit.counts > 0)
    lost = ~often.any(1)  # reached only: where the log says nothing, all actions are the same
    often[lost] = True
    moves = fit.moves.tocoo()
    total = np.asarray(fit.moves.sum(1)).ravel()
    # what no known move leaves begins again
    stuck = np.flatnonzero(often.ravel() & (total == 0))
    start = np.flatnonzero(fit.start)
    chances = np.concatenate([moves.data / total[moves.row],
                              np.tile(fit.start[start], len(stuck))])
    made = sparse.coo_array(
        (chances, (np.concatenate([moves.row, np.repeat(stuck, len(start))]),
                   np.concatenate([moves.col, np.tile(start, len(stuck))]))), shape=(S * A, S))
    careful = fit.mean - fit.sd / np.sqrt(np.maximum(fit.counts, 1))
    model = Model(made.tocsr(), np.nan_to_num(careful), allowed=often)
    best = model.plan().policy
    law = np.zeros((S, A))
    law[np.arange(S), best] = 1.0
    law[lost] = 1.0 / A
    return law


def arrays_of_model(
    coded: Coded, end: str,
) -> tuple[Any, dict[str, Any], NDArray[np.int64], Floats]:
    """What `Model.from_log` is made of: probabilities, the other settings, counts and errors."""
    if end not in ("refuse", "restart", "absorb"):
        raise error("ARGUMENT", f'end is {end!r}; it must be "refuse", "restart" or "absorb"')
    fit = fitted(coded)
    S, A = coded.S, coded.A
    total = np.asarray(fit.moves.sum(1)).ravel()
    allowed = (fit.counts > 0) & (total.reshape(S, A) > 0)
    mean = np.where(allowed, fit.mean, 0.0)
    lost = np.flatnonzero(~allowed.any(1))
    if len(lost) and end == "refuse":
        raise error("ARGUMENT", "no move is known, with its reward, of "
                                f"{len(lost)} of {S} states, the first of them "
                                f'{coded.states[lost[0]]!r}: say end="restart" or end="absorb"')
    start = np.flatnonzero(fit.start)
    pair = (lost[:, np.newaxis] * A + np.arange(A)).ravel()
    where = np.tile(start, len(pair)) if end == "restart" else pair // A
    chance = np.tile(fit.start[start], len(pair)) if end == "restart" else np.ones(len(pair))
    allowed[lost] = True
    moves = fit.moves.tocoo()
    kept = allowed.ravel()[moves.row] & ~np.isin(moves.row // A, lost)
    row = np.concatenate([moves.row[kept],
                          np.repeat(pair, len(start)) if end == "restart" else pair])
    data = np.concatenate([moves.data[kept] / total[moves.row[kept]], chance])
    P = sparse.coo_array((data, (row, np.concatenate([moves.col[kept], where]))),
                         shape=(S * A, S)).tocsr()
    noisy: dict[str, Any] = ({"noise": "bernoulli"} if fit.binary
                             else {"noise": "normal", "sd": fit.sd} if fit.sd > 0 else {})
    settings = {"R": mean, "start": fit.start, "allowed": allowed, **noisy}
    return P, settings, fit.counts, fit.error
