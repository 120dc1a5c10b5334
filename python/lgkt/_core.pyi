# SPDX-License-Identifier: MIT
"""Types of the C extension. Arrays that come in may be anything NumPy makes an array of."""

from collections.abc import Callable, Sequence
from typing import Any, Self, SupportsFloat, SupportsIndex, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

__version__: str

_Threshold = float | ArrayLike | Callable[[int, int, int], float]
_Coin = ArrayLike | Callable[[int], float]
_Floats = NDArray[np.float64]
_Plain = SupportsIndex | float | str | bytes | np.generic | NDArray[Any] | None
_Key = _Plain | tuple[_Key, ...]

@disjoint_base
class Learner:
    def __new__(
        cls,
        spec: str,
        states: SupportsIndex,
        actions: SupportsIndex,
        horizon: SupportsIndex,
        *,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
        model: Model | None = None,
        threshold: _Threshold | None = None,
        coin: _Coin | None = None,
        like: Learner | None = None,
    ) -> Self: ...
    def act(self, state: SupportsIndex, /) -> int: ...
    def observe(
        self, reward: SupportsFloat, next_state: SupportsIndex, ended: bool = False
    ) -> None: ...
    def step(
        self, reward: SupportsFloat, next_state: SupportsIndex, ended: bool = False
    ) -> int: ...
    def feed(
        self,
        state: ArrayLike,
        action: ArrayLike,
        reward: ArrayLike,
        next_state: ArrayLike,
        ended: ArrayLike | None = None,
    ) -> None: ...
    def save(self) -> bytes: ...
    @classmethod
    def load(
        cls,
        data: bytes,
        threshold: _Threshold | None = None,
        coin: _Coin | None = None,
        model: Model | None = None,
    ) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def spec(self) -> str: ...
    @property
    def time(self) -> int: ...
    @property
    def horizon(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def next_state(self) -> int | None: ...
    @property
    def counters(self) -> dict[str, int]: ...
    @property
    def hash(self) -> int: ...
    @property
    def nbytes(self) -> int: ...

@disjoint_base
class KeyedLearner:
    def __new__(
        cls,
        spec: str,
        actions: SupportsIndex,
        horizon: SupportsIndex,
        *,
        state_limit: SupportsIndex | None = None,
        key_limit: SupportsIndex = 65536,
        secret: bytes | None = None,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
        threshold: SupportsFloat | Callable[[int, int, int], float] | None = None,
        coin: _Coin | None = None,
    ) -> Self: ...
    def act(self, key: _Key, /) -> int: ...
    def observe(self, reward: SupportsFloat, next_key: _Key, ended: bool = False) -> None: ...
    def step(self, reward: SupportsFloat, next_key: _Key, ended: bool = False) -> int: ...
    def find(self, key: _Key, /) -> int | None: ...
    def save(self) -> bytes: ...
    @classmethod
    def load(
        cls,
        data: bytes,
        threshold: SupportsFloat | Callable[[int, int, int], float] | None = None,
        coin: _Coin | None = None,
    ) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def spec(self) -> str: ...
    @property
    def time(self) -> int: ...
    @property
    def horizon(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def counters(self) -> dict[str, int]: ...
    @property
    def hash(self) -> int: ...
    @property
    def nbytes(self) -> int: ...

@disjoint_base
class Model: ...
