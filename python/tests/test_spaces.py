# SPDX-License-Identifier: MIT
"""Keys made of Gymnasium's observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

spaces = pytest.importorskip("gymnasium.spaces")

from lgkt import InputError, UnsupportedError  # noqa: E402
from lgkt._spaces import encoder  # noqa: E402


@pytest.mark.parametrize(
    "space, seen, key",
    [
        (spaces.Discrete(4), np.int64(3), 3),
        (spaces.Discrete(4, start=-2), -1, 1),
        (spaces.MultiDiscrete([3, 4]), np.array([2, 0]), (2, 0)),
        (spaces.MultiDiscrete([[3, 4], [2, 2]]), np.array([[2, 0], [1, 1]]), (2, 0, 1, 1)),
        (spaces.MultiBinary(3), np.array([1, 0, 1], dtype=np.int8), (1, 0, 1)),
        (spaces.Text(5), "abc", "abc"),
        (spaces.Box(0, 255, (2, 2), np.uint8), np.array([[7, 0], [255, 1]], np.uint8),
         (7, 0, 255, 1)),
        (spaces.Tuple([spaces.Discrete(2), spaces.Text(3)]), (1, "x"), (1, "x")),
        # a Dict space sorts its keys; how an observation orders them does not matter
        (spaces.Dict({"b": spaces.Discrete(2), "a": spaces.MultiBinary(2)}),
         {"b": 1, "a": np.array([0, 1])}, ((0, 1), 1)),
    ],
)
def test_exact_spaces(space: Any, seen: Any, key: object) -> None:
    made = encoder(space)(seen)
    assert made == key and type(made) is type(key)
    assert "np." not in repr(made)


def test_box_is_rounded_binned_or_refused() -> None:
    box = spaces.Box(-9, 9, (3,), np.float64)
    seen = np.array([-0.004, 1.237, 8.0])
    assert repr(encoder(box, rounding=2)(seen)) == "(0.0, 1.24, 8.0)"  # and not -0.0
    assert encoder(box, bins=[0, 1, 8])(seen) == (0, 2, 3)
    uneven: list[list[float]] = [[0], [1, 1.2, 1.3], []]
    assert encoder(box, bins=uneven)(seen) == (0, 2, 0)
    with pytest.raises(InputError, match="say how to round it"):
        encoder(box)
    with pytest.raises(InputError, match="not both"):
        encoder(box, rounding=1, bins=[0])
    with pytest.raises(InputError, match="3 numbers in the Box, but bins for 2"):
        encoder(box, bins=[[0], [1]])
    with pytest.raises(TypeError, match="edges between them.*not int"):
        encoder(box, bins=10)
    for edges in ([1, 0], [0, 0], [0, float("nan")], [[0], [2, 1], [0]]):
        with pytest.raises(InputError, match="must rise"):
            encoder(box, bins=edges)


def test_bins_are_those_of_digitize() -> None:
    edges = [-1.0, 0.0, 0.5]
    seen = np.random.default_rng(1).normal(size=(4, 5))
    key = encoder(spaces.Box(-9, 9, (4, 5), np.float64), bins=edges)(seen)
    assert key == tuple(np.digitize(seen, edges).ravel())


def test_options_by_key_and_place() -> None:
    box = spaces.Box(-9, 9, (1,), np.float64)
    space = spaces.Dict(a=box, b=spaces.Tuple([box, spaces.Discrete(3), box]))
    encode = encoder(space, rounding={"a": 1, "b": {0: 0}}, bins={"b": {2: [0, 1]}})
    assert encode({"a": [0.26], "b": ([1.7], 2, [0.5])}) == ((0.3,), ((2.0,), 2, (1,)))
    with pytest.raises(InputError, match="say how to round"):
        encoder(space, rounding={"a": 1})


def test_other_spaces_are_refused() -> None:
    for space in (spaces.Graph(spaces.Discrete(2), None), spaces.Sequence(spaces.Discrete(2))):
        with pytest.raises(UnsupportedError, match=type(space).__name__):
            encoder(space)
