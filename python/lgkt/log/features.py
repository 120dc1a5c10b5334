# SPDX-License-Identifier: MIT
"""Records as rows of a regression: a constant, each number standardised with its square, and one
column for each value of a category; a missing value is a column of its own. And the states of a log
by their kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lgkt.log.coding import Coded

Floats = NDArray[np.float64]

_LEVELS = 50  # values of a category with a column of their own, the first ones
_FAR = 5.0    # standard deviations at which a number is cut, so that squares stay tame


def numbered(coded: Coded) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The states and next states of a log that is a table."""
    assert coded.state is not None and coded.next_state is not None
    return coded.state, coded.next_state


def vectors(coded: Coded) -> tuple[Floats, Floats]:
    """The records and next records of a log of records."""
    assert coded.record is not None and coded.next_record is not None
    return coded.record, coded.next_record


@dataclass(frozen=True)
class Features:
    """How a record becomes a row: of each feature the number of its values where it is a category,
    else 0, its mean and scale, and whether it is missing at times."""

    levels: tuple[int, ...]
    mean: Floats
    scale: Floats
    gaps: tuple[bool, ...]

    @classmethod
    def of(cls, coded: Coded) -> Self:
        """What the log's records are like."""
        x, _ = vectors(coded)
        with np.errstate(invalid="ignore"):
            known = np.maximum((~np.isnan(x)).sum(0), 1)
            mean = np.nansum(x, 0) / known
            scale = np.sqrt(np.nansum((x - mean)**2, 0) / known)
        gaps = np.any(np.isnan(x), axis=0)
        levels = tuple(min(_LEVELS, _top(x[:, i]) + 1) if _is_category(kind) else 0
                       for i, kind in enumerate(coded.features))
        return cls(levels, mean, np.where(scale > 0, scale, 1.0),
                   tuple(np.atleast_1d(gaps).tolist()))

    @property
    def width(self) -> int:
        """The number of columns."""
        return 1 + sum((levels or 2) + gap for levels, gap in zip(self.levels, self.gaps))

    def design(self, record: Floats) -> Floats:
        """The columns (n, width) of records (n, d)."""
        out = np.zeros((len(record), self.width))
        out[:, 0] = 1.0
        at = 1
        for i, (levels, gap) in enumerate(zip(self.levels, self.gaps)):
            values = record[:, i]
            missing = np.isnan(values)
            if levels:
                for level in range(levels):
                    out[:, at + level] = values == level
                at += levels
            else:
                z = np.clip((values - self.mean[i]) / self.scale[i], -_FAR, _FAR)
                out[:, at] = np.where(missing, 0.0, z)
                out[:, at + 1] = np.where(missing, 0.0, z * z - 1)
                at += 2
            if gap:
                out[:, at] = missing
                at += 1
        return out


def _is_category(kind: object) -> bool:
    """Whether a feature, as `lgkt.Learner(features=...)` takes it, is a category."""
    size = kind[1] if isinstance(kind, tuple) else kind
    return size is not None and size is not float and not isinstance(size, str)


def _top(values: Floats) -> int:
    known = values[~np.isnan(values)]
    return int(known.max()) if len(known) else 0
