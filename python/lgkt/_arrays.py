# SPDX-License-Identifier: MIT
"""Arrays and numbers on their way into the extension, which takes contiguous arrays of a given type
only."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt._errors import error

# what a learner holds of an action: lgkt_reason
REASON = np.dtype([(name, "f8") for name in (
    "visits", "mean_reward", "value", "lower", "upper", "good", "probability")])


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
    return np.require(array, wanted, ["C", "A"])


def whole(value: SupportsIndex, name: str, allowed: range | None = None) -> int:
    """`value` as an int, in a range where one is given."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if allowed is not None and number not in allowed:
        raise error("ARGUMENT", f"{name} is {number}; allowed are {allowed[0]} to {allowed[-1]}")
    return number


def own(array: object, name: str, dtype: str, length: int) -> NDArray[Any]:
    """The caller's array itself, if the extension can write into it."""
    wanted = np.dtype(dtype)
    if not isinstance(array, np.ndarray) or array.dtype != wanted:
        raise TypeError(f"{name} must be a NumPy array of {wanted}")
    if array.ndim != 1 or array.shape[0] != length:
        raise error("SHAPE", f"{name} must have shape ({length},), not {array.shape}")
    if not array.flags.carray:
        raise error("ARGUMENT", f"{name} must be contiguous, aligned and writable")
    return array


def bins(values: Iterable[Any]) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
    """How many edges between bins each number of a vector has, and all of them in a row; None where
    only the numbers of bins are given."""
    given = list(values)
    if given and all(isinstance(one, (int, np.integer)) for one in given):
        if min(given) < 1:
            raise error("ARGUMENT", f"bins: {min(given)} bins of a number; 1 is the least")
        return read([one - 1 for one in given], "bins", "i4", 1), None
    edges = [read(one, f"bins[{i}]", "f8", 1) for i, one in enumerate(given)]
    return np.array([one.size for one in edges], np.int32), np.concatenate([[], *edges])


def mask(values: object) -> NDArray[Any]:
    """Which actions are allowed: bools, or bytes as in the masks of Gymnasium. Longer numbers are
    refused: they may be a list of actions."""
    array = np.asarray(values)
    if array.dtype.kind not in "biu" or array.dtype.itemsize != 1:
        raise TypeError(f"allowed must hold a bool for each action, not {array.dtype}")
    if array.ndim != 1:
        raise error("SHAPE", f"allowed must have 1 dimension, not {array.ndim}")
    return np.ascontiguousarray(array)


def reasons(table: NDArray[np.float64]) -> NDArray[Any]:
    """A table (..., 7) of what a learner holds of actions as an array (...) with fields."""
    return table.view(REASON)[..., 0]


def series(values: object) -> NDArray[np.float64]:
    """A copy of the numbers that an environment is made from."""
    array = read(values, "data", "f8", 1).copy()
    array.flags.writeable = False
    return array


def threshold_table(values: ArrayLike) -> NDArray[np.float64]:
    """A copy of thresholds (S) or (steps, S) as (steps, S)."""
    table = _copy(values, "threshold", 2)
    if table.ndim != 2 or table.shape[0] == 0:
        raise error("SHAPE", f"threshold must be a number, a callable or an array of shape (S,) or "
                             f"(steps, S), not {np.shape(values)}")
    return table


def coins(values: ArrayLike) -> NDArray[np.float64]:
    """A copy of the uniform numbers of the estimation coin, one for each step."""
    array = _copy(values, "coin", 1)
    if array.ndim != 1:
        raise error("SHAPE", f"coin must be a callable or an array of one dimension, not "
                             f"{array.ndim}")
    if not np.all((array >= 0.0) & (array < 1.0)):
        raise error("ARGUMENT", "coin must hold numbers in [0, 1)")
    return array


def _copy(values: ArrayLike, name: str, dimensions: int) -> NDArray[np.float64]:
    try:
        array = np.array(values, ndmin=dimensions, copy=True, order="C")
    except ValueError as why:
        raise error("SHAPE", f"{name}: {why}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, not {array.dtype}")
    return array.astype(np.float64, copy=False)


def int_bytes(value: int) -> bytes:
    """A whole number of any size in two's complement, little endian, as short as can be."""
    return value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)


def key_parts(value: object) -> bool | int | float | str | bytes | tuple[
    str, int, tuple[int, ...], bytes
]:
    """What py_keys.c makes a key of: of a NumPy scalar its Python value, of an array its kind,
    the bytes of an item, the shape, and all items in C order, little endian."""
    if isinstance(value, np.generic):
        plain = value.item()
        if isinstance(plain, (bool, int, float, str, bytes)):
            return plain
    elif isinstance(value, np.ndarray):
        kind, size = value.dtype.kind, value.dtype.itemsize
        if kind in "biuSU" or (kind == "f" and size <= 8) or (kind == "c" and size <= 16):
            array = np.asarray(value, dtype=value.dtype.newbyteorder("<"), order="C")
            if kind in "fc":
                # one zero and one NaN, in each part of a complex number
                part = np.dtype(f"<f{size if kind == 'f' else size // 2}")
                real = array.reshape(-1).view(part) + 0
                real[np.isnan(real)] = np.nan
                array = real.astype(part, copy=False)
            return kind, size, value.shape, array.tobytes()
        raise TypeError(f"an array of {value.dtype} cannot be a key")
    hint = "; make it a tuple" if isinstance(value, (list, set)) else ""
    raise TypeError(f"a key must be None, bool, int, float, str, bytes, a tuple of these, or a "
                    f"NumPy scalar or array, not {type(value).__name__}{hint}")
