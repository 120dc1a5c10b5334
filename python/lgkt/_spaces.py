# SPDX-License-Identifier: MIT
"""Observations of Gymnasium as states: numbers, or keys of plain numbers, texts and tuples."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from lgkt._errors import error

# decimals that the numbers of a Box are rounded to; for Dict and Tuple perhaps by key or place
Rounding = int | Mapping[Any, Any] | None
# edges between the bins of a Box: one list for all of its numbers, or one list for each
Bins = ArrayLike | Sequence[ArrayLike] | Mapping[Any, Any] | None


def encoder(space: spaces.Space[Any], rounding: Rounding = None,
            bins: Bins = None) -> Callable[[Any], Any]:
    """The function that makes a key of an observation.

    Discrete is an int, counted from 0; MultiDiscrete and MultiBinary are tuples of ints; Text is a
    str; Tuple and Dict are tuples of what is in them, a Dict in the order of its space. A Box is a
    tuple of its numbers: as they are if whole, else rounded to `rounding` decimals, or the numbers
    of the bins between the edges `bins` that they fall into. Arrays go row by row.

    >>> from gymnasium import spaces
    >>> space = spaces.Dict(a=spaces.Discrete(3), b=spaces.Box(0.0, 1.0, (2,)))
    >>> encoder(space, rounding=1)({"a": 2, "b": [0.52, 0.26]})
    (2, (0.5, 0.3))
    >>> encoder(space, bins={"b": [0.3, 0.6]})({"a": 2, "b": [0.52, 0.26]})
    (2, (1, 0))
    """
    if isinstance(space, spaces.Discrete):
        start = int(space.start)
        return lambda seen: operator.index(seen) - start
    if isinstance(space, (spaces.MultiDiscrete, spaces.MultiBinary)):
        return _whole
    if isinstance(space, spaces.Text):
        return str
    if isinstance(space, spaces.Box):
        return _box(space, rounding, bins)
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        inner: Any = space.spaces
        places = list(inner) if isinstance(space, spaces.Dict) else range(len(inner))
        parts = [(i, encoder(inner[i], _part(rounding, i), _part(bins, i))) for i in places]
        return lambda seen: tuple([encode(seen[i]) for i, encode in parts])
    raise error("UNSUPPORTED", f"observations of {type(space).__name__} have no key of their own: "
                               "give a function from observation to key as `key`")


def _part(option: Any, place: Hashable) -> Any:
    return option.get(place) if isinstance(option, Mapping) else option


def _whole(seen: Any) -> tuple[int, ...]:
    return tuple(np.asarray(seen).ravel().tolist())


def _box(space: spaces.Box, rounding: Any, bins: Any) -> Callable[[Any], tuple[Any, ...]]:
    if rounding is not None and bins is not None:
        raise error("ARGUMENT", "give rounding or bins for a Box, not both")
    if bins is not None:
        return _binned(int(np.prod(space.shape)), bins)
    if rounding is not None:
        decimals = int(rounding)
        # adding 0 makes -0.0 the same as 0.0
        return lambda seen: tuple((np.round(np.asarray(seen, np.float64), decimals) + 0.0)
                                  .ravel().tolist())
    if np.issubdtype(space.dtype, np.integer) or space.dtype == np.bool_:
        return _whole
    raise error("ARGUMENT", "a Box of real numbers beside one that is rounded or has bins: say how "
                            "to round it (rounding=2: to 2 decimals), or give the edges of bins "
                            "(bins=[-1, 0, 1]), or your own function as `key`; the space is "
                            f"{space}")


def _binned(size: int, bins: ArrayLike | Sequence[ArrayLike]) -> Callable[[Any], tuple[int, ...]]:
    """One list of edges for all numbers, or a list for each of them."""
    given: Any = bins
    if np.isscalar(given):
        raise TypeError("bins must be the edges between them, e.g. [-1, 0, 1], not "
                        f"{type(given).__name__}")
    one = all(np.ndim(edge) == 0 for edge in given)
    lists = [np.asarray(edges, np.float64) for edges in ([given] * size if one else given)]
    if len(lists) != size:
        raise error("SHAPE", f"there are {size} numbers in the Box, but bins for {len(lists)}")
    for edges in lists:
        if edges.ndim != 1 or not np.all(np.diff(edges) > 0):
            raise error("ARGUMENT", f"the edges of bins must rise, unlike {edges.tolist()}")

    def encode(seen: Any) -> tuple[int, ...]:
        numbers = np.asarray(seen, np.float64).ravel()
        if one:
            return tuple(np.searchsorted(lists[0], numbers, side="right").tolist())
        return tuple([int(np.searchsorted(edges, number, side="right"))
                      for edges, number in zip(lists, numbers)])

    return encode


# ---- records ----

def has_numbers(space: spaces.Space[Any]) -> bool:
    """Whether there are real numbers in it, so that its observations are hardly ever the same."""
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        inner: Any = space.spaces
        return any(map(has_numbers, inner.values() if isinstance(space, spaces.Dict) else inner))
    return isinstance(space, spaces.Box) and not (np.issubdtype(space.dtype, np.integer)
                                                  or space.dtype == np.bool_)


def record_features(space: spaces.Space[Any], name: str = "") -> list[Any]:
    """What the features of a record of it are, as `lgkt.Learner` takes them.

    >>> record_features(spaces.Dict(a=spaces.Discrete(3), b=spaces.Box(0.0, 1.0, (2,))))
    [('a', 3), 'b 0', 'b 1']
    """
    def named(kinds: list[Any]) -> list[Any]:
        names = [name] if len(kinds) == 1 and name else [
            f"{name} {i}".lstrip() for i in range(len(kinds))]
        return [one if kind is None else (one, kind) for one, kind in zip(names, kinds)]

    if isinstance(space, spaces.Discrete):
        return named([int(space.n)])
    if isinstance(space, spaces.MultiDiscrete):
        return named([int(count) for count in space.nvec.ravel()])
    if isinstance(space, spaces.MultiBinary):
        return named([2] * int(np.prod(space.shape)))
    if isinstance(space, spaces.Text):
        return named([str])
    if isinstance(space, spaces.Box):
        return named([None] * int(np.prod(space.shape)))
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        inner: Any = space.spaces
        parts = inner.items() if isinstance(space, spaces.Dict) else enumerate(inner)
        return [one for place, part in parts
                for one in record_features(part, f"{name} {place}".lstrip())]
    raise error("UNSUPPORTED", f"observations of {type(space).__name__} are no record: give a "
                               "function from observation to key as `key`")


def recorder(space: spaces.Space[Any]) -> Callable[[Any], Any]:
    """The function that makes a record of an observation: an array or, with texts, a list.

    Numbers of a Box go row by row, a Dict in the order of its space.
    """
    if isinstance(space, spaces.Text):
        return lambda seen: [seen]
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        inner: Any = space.spaces
        places = list(inner) if isinstance(space, spaces.Dict) else range(len(inner))
        parts = [(i, recorder(inner[i])) for i in places]

        def join(seen: Any) -> Any:
            values = [record(seen[i]) for i, record in parts]
            whole = all(isinstance(value, np.ndarray) for value in values)
            return np.concatenate(values) if whole else [x for value in values for x in value]

        return join
    first = space.start if isinstance(space, (spaces.Discrete, spaces.MultiDiscrete)) else 0
    return lambda seen: np.ravel(np.asarray(seen, np.float64) - first)
