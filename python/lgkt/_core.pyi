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
class Model:
    def __new__(
        cls,
        states: SupportsIndex,
        actions: SupportsIndex,
        pair: ArrayLike,
        next: ArrayLike,
        probability: ArrayLike,
        rewards: ArrayLike,
        *,
        move_pair: ArrayLike | None = None,
        move_next: ArrayLike | None = None,
        move_reward: ArrayLike | None = None,
        noise: ArrayLike | None = None,
        noise_sd: ArrayLike | None = None,
        forbidden: ArrayLike | None = None,
        start: SupportsIndex | ArrayLike = 0,
    ) -> Self: ...
    @property
    def states(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def start_state(self) -> int | None: ...
    @property
    def start_law(self) -> _Floats: ...
    @property
    def noise(self) -> str: ...
    @property
    def noise_sd(self) -> float: ...
    @property
    def reward_min(self) -> float: ...
    @property
    def reward_max(self) -> float: ...
    @property
    def restricted(self) -> bool: ...
    @property
    def hash(self) -> int: ...
    @property
    def _rows(self) -> tuple[NDArray[np.int64], NDArray[np.int32], _Floats, _Floats]: ...
    @property
    def _pairs(
        self,
    ) -> tuple[_Floats, NDArray[np.uint8], _Floats, NDArray[np.uint8], NDArray[np.uint8]]: ...

_Param = tuple[str, str, str | None, float, float, str | None, str]
_Entry = tuple[str, str, str, str, tuple[_Param, ...], str | None, str | None]

def entries(kind: str, /) -> list[_Entry]: ...
def spec_name(spec: str, /) -> str: ...
def check_env(spec: str, /) -> None: ...
def parse_number(text: str, /) -> float | None: ...
def suggest(word: str, names: tuple[str, ...], /) -> str: ...
def spec_value(spec: str, key: str, /) -> str | None: ...

@final
class Policy:
    def __new__(
        cls,
        kind: str,
        model: Model,
        horizon: SupportsIndex,
        k: SupportsIndex = 1,
        ties: str = "low",
        threshold: _Threshold | None = None,
        actions: ArrayLike | None = None,
    ) -> Self: ...
    def actions(self, h: SupportsIndex, /) -> NDArray[np.bool_]: ...
    def action(self, h: SupportsIndex, /) -> NDArray[np.int32]: ...
    def table(self) -> NDArray[np.bool_]: ...
    def value(self) -> _Floats: ...
    def ratio(self) -> float: ...
    def gain(self, tolerance: SupportsFloat = 1e-12) -> tuple[float, _Floats]: ...
    def laws(
        self, start: SupportsIndex | ArrayLike | None = None, times: ArrayLike | None = None
    ) -> _Floats: ...
    def rewards(self, start: SupportsIndex | ArrayLike | None = None) -> _Floats: ...
    def costs(
        self,
        k: SupportsIndex,
        threshold: _Threshold,
        start: SupportsIndex | ArrayLike | None = None,
    ) -> _Floats: ...
    def cost(
        self,
        k: SupportsIndex,
        threshold: _Threshold,
        start: SupportsIndex | ArrayLike | None = None,
    ) -> float: ...
    def gap_bound(self, k: SupportsIndex, /) -> float: ...
    def gap_distance(self, k: SupportsIndex, /) -> float: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def horizon(self) -> int: ...
    @property
    def model(self) -> Model: ...
    @property
    def kind(self) -> str: ...

def lookahead(model: Model, k: SupportsIndex) -> _Floats: ...
def gain(model: Model, tolerance: SupportsFloat = 1e-12) -> tuple[float, _Floats]: ...
def two_state_dominance(model: Model, /) -> tuple[bool, str]: ...
def played(
    model: Model,
    states: ArrayLike,
    actions: ArrayLike,
    k: SupportsIndex | None = None,
    threshold: _Threshold | None = None,
    horizon: SupportsIndex | None = None,
    /,
) -> _Floats: ...
