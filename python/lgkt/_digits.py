# SPDX-License-Identifier: MIT
"""How numbers look in tables. There is one rule, and tables get their numbers from here.

Rewards, and what is measured in them, are alike in all of a table: four decimals where the largest
is from 0.01 to a million, else five digits that count. Exact values of a plan are alike with nine
digits of the largest. Of a number with the half width of its interval, the half width has two
digits that count and the number as many decimals. Scores, shares in percent and regrets have one
decimal, counts none. What is not known is "-", and what rounds to zero has no sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike


def shown(form: str, value: float) -> str:
    """A number by a format of printf.

    >>> shown("%.1f", 12.345), shown("%.1f", -0.01), shown("%.1f", math.nan)
    ('12.3', '0.0', '-')
    """
    if math.isnan(value):
        return "-"
    text = form % value
    return text[1:] if text[0] in "-+" and not any(c in "123456789n" for c in text) else text


def _largest(values: Iterable[ArrayLike]) -> float:
    sizes = np.abs(np.concatenate([np.ravel(np.asarray(one, np.float64)) for one in values]))
    return float(np.max(sizes[np.isfinite(sizes)], initial=0.0))


def rewards(*values: ArrayLike, sign: str = "") -> Callable[[float], str]:
    """What prints the rewards of a table; `values` are those that say how large they are. `sign` is
    "+" where numbers above zero are to have one.

    >>> show = rewards([0.2097, 0.0741])
    >>> show(0.2097), show(0.0017), show(0.2)
    ('0.2097', '0.0017', '0.2000')
    >>> rewards(0.00123)(0.001)
    '0.0010000'
    """
    form = f"%{sign}.4f" if 0.01 <= _largest(values) < 1e6 else f"%{sign}#.5g"
    return lambda value: shown(form, value)


def exact(*values: ArrayLike) -> Callable[[float], str]:
    """What prints exact values of a table.

    >>> show = exact([211.72394853, 1.5])
    >>> show(211.72394853), show(1.5)
    ('211.723949', '1.500000')
    """
    largest = _largest(values)
    before = math.floor(math.log10(largest)) + 1 if largest > 0.0 else 1
    if not -3 <= before <= 9:
        return lambda value: shown("%#.9g", value)
    return lambda value: shown(f"%.{9 - before}f", value)


def points(value: SupportsFloat, sign: str = "") -> str:
    """A score, a regret, or a difference of these.

    >>> points(97.95), points(0.25, "+")
    ('98.0', '+0.2')
    """
    return shown(f"%{sign}.1f", float(value))


def percent(share: float) -> str:
    """A share.

    >>> percent(0.9871)
    '98.7%'
    """
    return shown("%.1f%%", 100.0 * share)


def measured(value: float, half: float, sign: str = "") -> str:
    """A number with the half width of its interval.

    >>> measured(1.5543, 0.1123), measured(0.5943, 0.01934), measured(16291.7, 440.2)
    ('1.55 ± 0.11', '0.594 ± 0.019', '16292 ± 440')
    """
    if not math.isfinite(half) or half <= 0.0:
        return rewards(value, sign=sign)(value) + " ± 0" * (half == 0.0)
    decimals = max(0, 1 - math.floor(math.log10(float(f"{half:.1e}"))))
    return f"{shown(f'%{sign}.{decimals}f', value)} ± {half:.{decimals}f}"
