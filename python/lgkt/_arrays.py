# SPDX-License-Identifier: MIT
"""Arrays on their way into the extension, which takes contiguous ones of a given type only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt._errors import error


def read(values: object, name: str, dtype: str, dimensions: int) -> NDArray[Any]:
    """`values` as a contiguous array of that type and number of dimensions."""
    try:
        array = np.asarray(values)
    except ValueError as why:
        raise error("SHAPE", f"{name}: {why}") from None
    wanted = np.dtype(dtype)
    if array.size == 0:
        array = array.astype(wanted)
    if array.ndim != dimensions:
        raise error("SHAPE", f"{name} must have {dimensions} dimension{'s' * (dimensions != 1)}, "
                             f"not {array.ndim}")
    whole = array.dtype.kind in "biu"
    if not whole and (wanted.kind != "f" or array.dtype.kind != "f"):
        raise TypeError(f"{name} must hold {'numbers' if wanted.kind == 'f' else 'whole numbers'}, "
                        f"not {array.dtype}")
    if wanted.kind in "iu" and array.size:
        limits = np.iinfo(wanted)
        low, high = int(array.min()), int(array.max())
        if low < limits.min or high > limits.max:
            bad = low if low < limits.min else high
            raise error("ARGUMENT", f"{name}: {bad} is far out of range")
    return np.ascontiguousarray(array, dtype=wanted)


def own(array: object, name: str, dtype: str, length: int) -> NDArray[Any]:
    """The caller's array itself, if the extension can write into it."""
    wanted = np.dtype(dtype)
    if not isinstance(array, np.ndarray) or array.dtype != wanted:
        raise TypeError(f"{name} must be a NumPy array of {wanted}")
    if array.ndim != 1 or array.shape[0] != length:
        raise error("SHAPE", f"{name} must have shape ({length},), not {array.shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise error("ARGUMENT", f"{name} must be contiguous and writable")
    return array


def series(values: object) -> NDArray[np.float64]:
    """A copy of the numbers that an environment is made from."""
    array = read(values, "data", "f8", 1).copy()
    array.flags.writeable = False
    return array


def threshold_table(values: ArrayLike, states: int) -> NDArray[np.float64]:
    """A copy of thresholds (S) or (steps, S) as (steps, S)."""
    table = np.array(values, dtype=np.float64, ndmin=2, copy=True, order="C")
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] != states:
        raise error("SHAPE", f"threshold must be a number, a callable or an array of shape "
                             f"({states},) or (steps, {states}), not {np.shape(values)}")
    return table


def coins(values: ArrayLike, horizon: int) -> NDArray[np.float64]:
    """A copy of the uniform numbers of the estimation coin, one for each step."""
    array = np.array(values, dtype=np.float64, copy=True, order="C")
    if array.ndim != 1 or array.shape[0] < horizon:
        raise error("SHAPE", f"coin must be a callable or an array of at least {horizon} numbers, "
                             f"not {array.shape}")
    if not np.all((array >= 0.0) & (array < 1.0)):
        raise error("ARGUMENT", "coin must hold numbers in [0, 1)")
    return array
