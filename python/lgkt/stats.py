# SPDX-License-Identifier: MIT
"""Statistics of runs: paired differences, means over environments, improvement, profiles.

Scores are one number per run. Where there are several environments they are given as an array
(runs, environments), or as a list of NumPy arrays with the runs of one environment each, whose
numbers may differ; one dimension is one environment. Intervals have two sides. A bootstrap
resamples the runs of each environment among themselves (Agarwal et al. 2021, "Deep reinforcement
learning at the edge of the statistical precipice") and takes the percentiles of `resamples` draws;
the same `seed` gives the same interval, and a NumPy generator may be given in its place.

A single run says nothing about scatter: where an environment has fewer than two, both ends are NaN.
A score that is NaN or infinite is an `InputError`.

>>> import lgkt
>>> ours, theirs = [0.52, 0.61, 0.48, 0.57], [0.50, 0.55, 0.47, 0.52]
>>> difference = lgkt.stats.paired(ours, theirs)
>>> print(f"{difference.estimate:.3f} in [{difference.low:.3f}, {difference.high:.3f}]")
0.035 in [-0.003, 0.073]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _core
from lgkt._errors import error

__all__ = [
    "Interval",
    "Profile",
    "holm",
    "improvement",
    "iqm",
    "mean",
    "mean_interval",
    "median",
    "optimality_gap",
    "p_value",
    "paired",
    "profile",
]


def __dir__() -> list[str]:
    return __all__


_Floats = NDArray[np.float64]
_Scores = ArrayLike | Sequence[NDArray[Any]]
_Seed = int | np.random.Generator

_BLOCK = 1 << 21  # numbers that a bootstrap draws at a time


class Interval(NamedTuple):
    """An estimate with the two ends of its interval, NaN where there is none."""

    estimate: float
    low: float
    high: float


class Profile(NamedTuple):
    """The share of runs above each threshold with pointwise intervals: three arrays."""

    share: _Floats
    low: _Floats
    high: _Floats


# ---- means ----


def mean_interval(x: ArrayLike, level: float = 0.95) -> Interval:
    """The mean with Student's interval: m -+ t_{n-1} s / sqrt(n) (Student 1908).

    >>> import lgkt
    >>> mean, low, high = lgkt.stats.mean_interval([1.0, 2.0, 3.0])
    >>> mean, round(low, 4), round(high, 4)
    (2.0, -0.4841, 4.4841)
    """
    sample = _sample(x, "x")
    _check_level(level)
    n = sample.size
    mean = float(sample.mean())
    if n < 2:
        return Interval(mean, math.nan, math.nan)
    half = _core.student(level, n - 1) * float(sample.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half, mean + half)


def paired(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Interval:
    """The mean of x - y with Student's interval, for runs on the same instances and noise.

    >>> import lgkt
    >>> lgkt.stats.paired([1.0, 2.0, 3.0], [0.5, 1.5, 2.5]).estimate
    0.5
    """
    first, second = _sample(x, "x"), _sample(y, "y")
    if first.size != second.size:
        raise error("SHAPE", f"x has {first.size} runs and y has {second.size}; pairs need as many")
    return mean_interval(first - second, level)


def p_value(interval: Interval, n: int, level: float = 0.95) -> float:
    """The p-value of both sides for a mean of 0, from a mean over n runs and Student's interval.

    >>> import lgkt
    >>> difference = lgkt.stats.paired([0.52, 0.61, 0.48, 0.57], [0.50, 0.55, 0.47, 0.52])
    >>> round(lgkt.stats.p_value(difference, 4), 4)
    0.0605
    """
    _check_level(level)
    half = (interval.high - interval.low) / 2.0
    if n < 2 or math.isnan(half):
        return math.nan
    if half == 0.0:
        return 1.0 if interval.estimate == 0.0 else 0.0
    t = interval.estimate / half * _core.student(level, n - 1)
    return _core.student_tail(t, n - 1)


# ---- over environments ----


def iqm(x: _Scores, level: float = 0.95, *, resamples: int = 2000, seed: _Seed = 0) -> Interval:
    """The interquartile mean of all runs, with a stratified bootstrap interval.

    The mean of what is left when floor(n / 4) of the n runs of all environments together are cut
    off at either end (Agarwal et al. 2021); so at n below 4 it is the mean.

    >>> import lgkt
    >>> lgkt.stats.iqm([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 100.0]]).estimate
    4.5
    """
    def statistic(runs: list[_Floats]) -> _Floats:
        pooled = np.concatenate(runs, axis=1)
        cut = pooled.shape[1] // 4
        pooled.sort(axis=1)
        kept = pooled[:, cut : pooled.shape[1] - cut]
        return np.asarray(kept.mean(axis=1), dtype=np.float64)

    return _aggregate(x, statistic, level, resamples, seed)


def mean(x: _Scores, level: float = 0.95, *, resamples: int = 2000, seed: _Seed = 0) -> Interval:
    """The mean over environments of the mean of their runs, with a stratified bootstrap interval.

    >>> import lgkt
    >>> lgkt.stats.mean([[1.0, 2.0], [3.0, 4.0]]).estimate
    2.5
    """
    return _aggregate(x, lambda runs: _means(runs).mean(axis=1), level, resamples, seed)


def median(x: _Scores, level: float = 0.95, *, resamples: int = 2000, seed: _Seed = 0) -> Interval:
    """The median over environments of the mean of their runs, with a stratified bootstrap interval.

    >>> import lgkt
    >>> lgkt.stats.median([[1.0, 5.0, 90.0], [3.0, 7.0, 110.0]]).estimate
    6.0
    """
    return _aggregate(x, lambda runs: np.asarray(np.median(_means(runs), axis=1)), level,
                      resamples, seed)


def optimality_gap(
    x: _Scores, target: float = 1.0, level: float = 0.95, *, resamples: int = 2000,
    seed: _Seed = 0
) -> Interval:
    """How far runs stay below a target on average, with a stratified bootstrap interval.

    target - min(score, target) of each run, averaged over the runs of an environment and then over
    environments (Agarwal et al. 2021): what is above the target does not make up for what is below.

    >>> import lgkt
    >>> lgkt.stats.optimality_gap([[0.5, 1.5], [1.0, 3.0]]).estimate
    0.125
    """
    def statistic(runs: list[_Floats]) -> _Floats:
        short = [np.maximum(target - part, 0.0) for part in runs]
        return np.asarray(_means(short).mean(axis=1))

    return _aggregate(x, statistic, level, resamples, seed)


def improvement(
    x: _Scores, y: _Scores, level: float = 0.95, *, resamples: int = 2000, seed: _Seed = 0
) -> Interval:
    """The probability that a run of x beats one of y, with a stratified bootstrap interval.

    P(X > Y) + P(X = Y) / 2 in each environment, averaged over them: the Mann-Whitney U divided by
    the number of pairs (Agarwal et al. 2021).

    >>> import lgkt
    >>> lgkt.stats.improvement([3.0, 4.0], [1.0, 3.0]).estimate
    0.875
    """
    first, second = _strata(x, "x"), _strata(y, "y")
    if len(first) != len(second):
        raise error("SHAPE", f"x has {len(first)} environments and y has {len(second)}")
    wins = [
        (a[:, None] > b[None, :]) + 0.5 * (a[:, None] == b[None, :])
        for a, b in zip(first, second, strict=True)
    ]

    def draw(rng: np.random.Generator, count: int) -> _Floats:
        # how often each run is drawn says all about a resample
        total = np.zeros(count)
        for table in wins:
            n, m = table.shape
            total += np.sum(_counts(rng, n, count) @ table * _counts(rng, m, count), axis=1)
        return total / len(wins)

    estimate = float(np.mean([table.mean() for table in wins]))
    width = sum(sum(table.shape) for table in wins)
    enough = _enough(first) and _enough(second)
    low, high = _percentiles(draw, width, enough, level, resamples, seed)
    return Interval(estimate, float(low), float(high))


def profile(
    scores: _Scores,
    thresholds: ArrayLike,
    level: float = 0.95,
    *,
    resamples: int = 2000,
    seed: _Seed = 0,
) -> Profile:
    """The share of runs with a score above each threshold, averaged over environments.

    The performance profile of Agarwal et al. (2021), with bootstrap intervals point by point.

    >>> import lgkt
    >>> lgkt.stats.profile([0.2, 0.5, 0.9, 1.0], [0.0, 0.5, 1.0]).share.tolist()
    [1.0, 0.5, 0.0]
    """
    strata = _strata(scores, "scores")
    tau = _sample(thresholds, "thresholds")
    above = [(s[:, None] > tau[None, :]).astype(np.float64) for s in strata]

    def draw(rng: np.random.Generator, count: int) -> _Floats:
        shares = [_counts(rng, len(table), count) @ table for table in above]
        return np.asarray(np.mean(shares, axis=0), dtype=np.float64)

    share = np.asarray(np.mean([table.mean(axis=0) for table in above], axis=0))
    width = tau.size + sum(s.size for s in strata)
    low, high = _percentiles(draw, width, _enough(strata), level, resamples, seed)
    # two numbers where there is no interval
    return Profile(share, np.full(tau.shape, low), np.full(tau.shape, high))


def holm(p_values: ArrayLike) -> _Floats:
    """The p-values adjusted for their number, in the order given (Holm 1979).

    The i-th smallest of n, from 0, becomes the largest (n - j) p_j of all j <= i, at most 1.

    >>> import lgkt
    >>> lgkt.stats.holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _sample(p_values, "p_values")
    if p.min() < 0.0 or p.max() > 1.0:
        raise error("PROBABILITY", "p_values must lie in 0 to 1")
    order = np.argsort(p, kind="stable")
    factors = np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


# ---- what comes in ----


def _array(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as why:
        raise error("SHAPE", f"{name}: {why}") from None


def _sample(values: ArrayLike, name: str) -> _Floats:
    array = _array(values, name)
    if array.ndim != 1 or array.size == 0:
        raise error("SHAPE", f"{name} must have shape (n,) with n >= 1, not {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, not {array.dtype}")
    sample = array.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(sample))
    if bad.size:
        raise error("NOT_FINITE", f"{name}[{bad[0]}] is {sample[bad[0]]}; scores must be finite")
    return sample


def _strata(values: _Scores, name: str) -> list[_Floats]:
    """The runs of each environment."""
    if isinstance(values, list | tuple) and any(isinstance(part, np.ndarray) for part in values):
        return [_sample(part, f"{name}[{i}]") for i, part in enumerate(values)]
    array = _array(values, name)
    if array.ndim == 1:
        return [_sample(array, name)]
    if array.ndim != 2 or array.size == 0:
        raise error("SHAPE", f"{name} must be (runs, environments), not of shape {array.shape}")
    return [_sample(array[:, e], f"{name}[:, {e}]") for e in range(array.shape[1])]


def _enough(strata: list[_Floats]) -> bool:
    return all(s.size >= 2 for s in strata)


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise error("ARGUMENT", f"level is {level}; it must lie between 0 and 1")


# ---- bootstrap ----


def _means(runs: list[_Floats]) -> _Floats:
    """The mean of each environment's runs, (resamples, environments)."""
    return np.stack([part.mean(axis=1) for part in runs], axis=1)


def _aggregate(
    x: _Scores, statistic: Callable[[list[_Floats]], _Floats], level: float, resamples: int,
    seed: _Seed
) -> Interval:
    """A statistic of the runs of all environments, each (resamples, runs), with its interval."""
    strata = _strata(x, "x")

    def draw(rng: np.random.Generator, count: int) -> _Floats:
        return statistic([s[rng.integers(s.size, size=(count, s.size))] for s in strata])

    estimate = float(statistic([s[None, :] for s in strata])[0])
    width = sum(s.size for s in strata)
    low, high = _percentiles(draw, width, _enough(strata), level, resamples, seed)
    return Interval(estimate, float(low), float(high))


def _counts(rng: np.random.Generator, n: int, count: int) -> _Floats:
    """How often each of n runs is drawn in n draws, divided by n: (count, n)."""
    return rng.multinomial(n, np.full(n, 1.0 / n), size=count) / n


def _percentiles(
    draw: Callable[[np.random.Generator, int], _Floats],
    width: int,
    enough: bool,
    level: float,
    resamples: int,
    seed: _Seed,
) -> _Floats:
    """The two ends (2, ...) from `resamples` draws, each of which needs `width` random numbers."""
    _check_level(level)
    if resamples < 1:
        raise error("ARGUMENT", f"resamples is {resamples}; it must be >= 1")
    if not enough:
        return np.full(2, math.nan)
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // width)
    sizes = [min(block, resamples - done) for done in range(0, resamples, block)]
    drawn = np.concatenate([draw(rng, size) for size in sizes])
    tail = (1.0 - level) / 2.0
    return np.asarray(np.quantile(drawn, [tail, 1.0 - tail], axis=0), dtype=np.float64)
