# SPDX-License-Identifier: MIT
"""Intervals by resampling units.

An estimate comes with what each unit adds to its error (sums to 0), so that a resample of the units
is a matrix product. The interval is the studentised one (Efron and Tibshirani 1993, chapter 12):
of each resample the mean over its own standard error, and the quantiles of these numbers times the
standard error at hand. With weights the sums are skewed, and plain percentiles then hold the truth
too seldom.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 2000
SEED = 20261119
_BLOCK = 1 << 22  # numbers drawn at a time


class Interval(NamedTuple):
    """An estimate with both ends of its interval; infinite where the resamples have no end."""

    mean: float
    low: float
    high: float

    def words(self, show: Callable[[float], str]) -> str:
        """All of it; `show` is that of `rewards` (lgkt/_digits.py)."""
        return f"{show(self.mean)} ({show(self.low)} to {show(self.high)})"


def errors(parts: Floats, rows: int) -> Floats:
    """Standard errors (k) from the parts of U units (U, k), whose sums over `rows` are errors."""
    units = len(parts)
    return np.asarray(np.sqrt((parts**2).sum(0) * (units / (units - 1))) / rows)


def _counts(units: int, size: int, seed: int, block: int) -> Floats:
    """How often each unit is in each of `size` resamples, (size, units)."""
    chosen = np.random.default_rng([seed, block]).integers(units, size=(size, units))
    chosen += np.arange(size)[:, None] * units
    counts = np.bincount(chosen.ravel(), minlength=size * units)
    return counts.reshape(size, units).astype(np.float64)


_kept = lru_cache(maxsize=1)(_counts)


def intervals(means: list[float], parts: Floats, rows: int, *, level: float = 0.95,
              resamples: int = RESAMPLES, seed: int = SEED) -> list[Interval]:
    """One interval for each column of `parts` (U, k); all come from the same resamples."""
    units, k = parts.shape
    scale = np.abs(parts).max(0)
    scaled = parts / np.where(scale > 0, scale, 1.0)
    both = np.hstack([scaled, scaled**2])
    tall = max(1, min(resamples, _BLOCK // units))
    pieces = []
    for block, begin in enumerate(range(0, resamples, tall)):
        size = min(tall, resamples - begin)
        # those of few units are kept for the next question
        counts = (_kept if size == resamples else _counts)(units, size, seed, block)
        sums = counts @ both
        spread = sums[:, k:] - sums[:, :k]**2 / units
        spread *= units / (units - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            pieces.append(sums[:, :k] / np.sqrt(np.maximum(spread, 0.0)))
    t = np.vstack(pieces)
    # a resample that misses every unit that matters says nothing
    t[np.isnan(t)] = 0.0
    tail = (1 - level) / 2
    low, high = np.quantile(t, [tail, 1 - tail], axis=0, method="nearest")
    width = errors(parts, rows)
    ends = zip(means, low, high, width)
    return [Interval(mean, mean, mean) if se == 0 else
            Interval(mean, float(mean - above * se), float(mean - below * se))
            for mean, below, above, se in ends]
