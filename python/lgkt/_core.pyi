# SPDX-License-Identifier: MIT
"""Types of the C extension. Arrays that come in may be anything NumPy makes an array of."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, Self, SupportsFloat, SupportsIndex, TypeVar, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

from lgkt.model import Model as _Model
from lgkt.records import RecordLearner, RecordUnits

__version__: str

_Threshold = float | ArrayLike | Callable[[int, int, int], float]
_Coin = ArrayLike | Callable[[int], float]
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int32]
_Plain = SupportsIndex | float | str | bytes | np.generic | NDArray[Any] | None
_Key = _Plain | tuple[_Key, ...]
_State = _Key | Sequence[float]  # the latter where there are bins
_Mask = Sequence[bool] | NDArray[np.bool_] | NDArray[np.int8] | NDArray[np.uint8]
_Bins = Sequence[int] | Sequence[ArrayLike]
_Reasons = NDArray[np.void]  # visits, mean_reward, value, lower, upper, good, probability

@disjoint_base
class AnyLearner:
    def save(self) -> bytes: ...
    def explain_all(self) -> _Reasons: ...
    def policy(self) -> _Floats: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _policy(self, records: NDArray[Any]) -> NDArray[np.float64]: ...
    def _reasons(self, records: NDArray[Any]) -> NDArray[np.float64]: ...
    def _sides(self, record: NDArray[Any]) -> NDArray[np.float64]: ...
    def _kinds(self) -> list[tuple[str, int, int, list[str]]]: ...
    def _name_feature(self, feature: int, name: str) -> None: ...
    def _category(self, feature: int, text: str) -> int: ...
    @property
    def spec(self) -> str: ...
    @property
    def time(self) -> int: ...
    @property
    def horizon(self) -> int: ...
    @horizon.setter
    def horizon(self, value: SupportsIndex) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def next_state(self) -> int | None: ...
    @property
    def counters(self) -> dict[str, int]: ...
    @property
    def when_busy(self) -> Literal["refuse", "wait"]: ...
    @when_busy.setter
    def when_busy(self, value: Literal["refuse", "wait"]) -> None: ...
    @property
    def saved_by(self) -> tuple[str, int]: ...
    @property
    def hash(self) -> int: ...
    @property
    def nbytes(self) -> int: ...

class Learner(AnyLearner):
    @overload
    def __new__(
        cls,
        spec: str,
        states: SupportsIndex,
        actions: SupportsIndex,
        horizon: SupportsIndex,
        *,
        masked: bool = False,
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
    @overload
    def __new__(  # type: ignore[misc]
        cls,
        spec: str,
        states: None = None,
        actions: SupportsIndex | None = None,
        horizon: SupportsIndex | None = None,
        *,
        features: SupportsIndex | Sequence[Any] | None = None,
        masked: bool = False,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
    ) -> RecordLearner: ...
    def act(self, state: SupportsIndex, allowed: _Mask | None = None) -> int: ...
    def explain(self, state: SupportsIndex, allowed: _Mask | None = None) -> _Reasons: ...
    def observe(
        self, reward: SupportsFloat, next_state: SupportsIndex, ended: bool = False
    ) -> None: ...
    def step(
        self,
        reward: SupportsFloat,
        next_state: SupportsIndex,
        ended: bool = False,
        allowed: _Mask | None = None,
    ) -> int: ...
    def jump(self) -> None: ...
    def feed(
        self,
        state: ArrayLike,
        action: ArrayLike,
        reward: ArrayLike,
        next_state: ArrayLike,
        ended: ArrayLike | None = None,
    ) -> None: ...
    @classmethod
    def load(
        cls,
        data: bytes,
        threshold: _Threshold | None = None,
        coin: _Coin | None = None,
        model: Model | None = None,
        *,
        reseed: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> Self: ...

class KeyedLearner(AnyLearner):
    def __new__(
        cls,
        spec: str,
        actions: SupportsIndex,
        horizon: SupportsIndex,
        *,
        bins: _Bins | None = None,
        warmup: SupportsIndex = 1000,
        state_limit: SupportsIndex | None = None,
        key_limit: SupportsIndex = 65536,
        secret: bytes | None = None,
        masked: bool = False,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
        threshold: SupportsFloat | Callable[[int, int, int], float] | None = None,
        coin: _Coin | None = None,
    ) -> Self: ...
    def _feed_many(
        self,
        states: Sequence[_Key] | _Floats,
        state: ArrayLike,
        action: ArrayLike,
        reward: ArrayLike,
        next_state: ArrayLike,
        ended: ArrayLike,
        /,
    ) -> None: ...
    def act(self, key: _State, allowed: _Mask | None = None) -> int: ...
    def explain(self, key: _State, allowed: _Mask | None = None) -> _Reasons: ...
    def observe(self, reward: SupportsFloat, next_key: _State, ended: bool = False) -> None: ...
    def step(
        self,
        reward: SupportsFloat,
        next_key: _State,
        ended: bool = False,
        allowed: _Mask | None = None,
    ) -> int: ...
    def jump(self) -> None: ...
    def feed(
        self,
        key: _State,
        action: SupportsIndex,
        reward: SupportsFloat,
        next_key: _State,
        ended: bool = False,
    ) -> None: ...
    def find(self, key: _State, /) -> int | None: ...
    @property
    def warmup(self) -> int: ...
    @classmethod
    def load(
        cls,
        data: bytes,
        threshold: SupportsFloat | Callable[[int, int, int], float] | None = None,
        coin: _Coin | None = None,
        *,
        reseed: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> Self: ...

class Units(AnyLearner):
    @overload
    def __new__(  # type: ignore[overload-overlap]
        cls,
        spec: str,
        states: SupportsIndex | None,
        actions: SupportsIndex,
        horizon: SupportsIndex,
        unit_limit: SupportsIndex,
        *,
        patience: SupportsIndex = 65536,
        missing: SupportsFloat | None = None,
        unit_horizon: SupportsIndex | None = None,
        bins: _Bins | None = None,
        warmup: SupportsIndex = 1000,
        state_limit: SupportsIndex | None = None,
        key_limit: SupportsIndex = 65536,
        secret: bytes | None = None,
        masked: bool = False,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
        model: Model | None = None,
        threshold: _Threshold | None = None,
        coin: _Coin | None = None,
    ) -> Self: ...
    @overload
    def __new__(
        cls,
        spec: str,
        states: None = None,
        actions: SupportsIndex | None = None,
        horizon: SupportsIndex | None = None,
        unit_limit: SupportsIndex | None = None,
        *,
        features: SupportsIndex | Sequence[Any] | None = None,
        patience: SupportsIndex = 32768,
        missing: SupportsFloat | None = None,
        unit_horizon: SupportsIndex | None = None,
        masked: bool = False,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
    ) -> RecordUnits: ...
    def act(
        self, unit: SupportsIndex, state: _State = None, allowed: _Mask | None = None
    ) -> tuple[int, int]: ...
    def settle(self, unit: SupportsIndex, state: _State = None) -> None: ...
    def take(
        self,
        unit: SupportsIndex,
        action: SupportsIndex,
        state: _State = None,
        allowed: _Mask | None = None,
    ) -> int: ...
    def feed(
        self,
        unit: SupportsIndex | Sequence[SupportsIndex] | ArrayLike,
        state: _State,
        action: ArrayLike,
        reward: ArrayLike,
        next_state: _State,
        ended: ArrayLike | None = None,
    ) -> None: ...
    def raise_limits(
        self, unit_limit: SupportsIndex | None = None, patience: SupportsIndex | None = None
    ) -> None: ...
    def reward(self, decision: SupportsIndex, reward: SupportsFloat) -> None: ...
    def next(
        self, decision: SupportsIndex, next_state: _State, ended: bool = False
    ) -> None: ...
    def leave(self, unit: SupportsIndex, /) -> None: ...
    def explain(
        self, unit: SupportsIndex, state: _State = None, allowed: _Mask | None = None
    ) -> _Reasons: ...
    def set_horizon(
        self, horizon: SupportsIndex, unit_horizon: SupportsIndex | None = None
    ) -> None: ...
    def _reasons_of(
        self, unit: SupportsIndex, record: NDArray[Any] | None, allowed: Any
    ) -> NDArray[np.float64]: ...
    @property
    def decisions(self) -> int: ...
    @property
    def open(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def expired(self) -> int: ...
    @classmethod
    def load(
        cls,
        data: bytes,
        threshold: _Threshold | None = None,
        coin: _Coin | None = None,
        model: Model | None = None,
        *,
        reseed: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> Self: ...

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

_AnyModel = TypeVar("_AnyModel", bound=Model)
_Param = tuple[str, str, str | None, float, float, str | None, str]
_Entry = tuple[str, str, str, str, tuple[_Param, ...], str | None, str | None, str | None,
               tuple[str, ...]]

EXPERIMENT_BYTES: int

def read_experiment(document: object, data: bytes, path: bytes, /) -> dict[str, Any]: ...
def read_model(
    type: type[_AnyModel], document: object, source: bytes, /
) -> tuple[_AnyModel, str | None, str | None]: ...
def model_of_rows(
    type: type[_AnyModel],
    states: int,
    actions: int,
    indptr: ArrayLike,
    indices: ArrayLike,
    data: ArrayLike,
    R: ArrayLike,
    start: ArrayLike | None,
    /,
) -> _AnyModel: ...
def print_model(model: Model, name: str | None, comment: str | None, /) -> str: ...
def read_series(data: bytes, source: bytes, /) -> _Floats: ...
def read_tape(data: bytes, source: bytes, /) -> _Floats: ...
def entries(kind: str, /) -> list[_Entry]: ...
def traits(spec: str, /) -> tuple[str, ...]: ...
def spec_name(spec: str, /) -> str: ...
def check_env(spec: str, /) -> None: ...
def hash_bytes(data: bytes, /) -> int: ...
def suggest(word: str, names: tuple[str, ...], /) -> str: ...
def spec_value(spec: str, key: str, /) -> str | None: ...

@disjoint_base
class Policy:
    def __new__(
        cls,
        kind: str,
        model: Model,
        horizon: SupportsIndex,
        k: SupportsIndex,
        high: bool,
        threshold: _Threshold | None,
        actions: ArrayLike | None,
        /,
    ) -> Self: ...
    def _sets(self, h: int, count: int, /) -> NDArray[np.bool_]: ...
    def _probabilities(self, h: int, /) -> _Floats: ...
    def _discounted(self, discount: float, /) -> _Floats: ...
    def _average(self) -> _Floats: ...
    def value(self) -> _Floats: ...
    def ratio(self) -> float: ...
    def gain(self, tolerance: SupportsFloat = 1e-12) -> tuple[float, _Floats]: ...
    def _stationary(self, start: ArrayLike | None, /) -> _Floats: ...
    def _passage(self, target: int, /) -> _Floats: ...
    def _arrival(self, member: ArrayLike, /) -> _Floats: ...
    def classes(self) -> NDArray[np.int32]: ...
    def _laws(self, start: ArrayLike | None, times: ArrayLike, /) -> _Floats: ...
    def _means(
        self,
        start: ArrayLike | None,
        k: SupportsIndex | None = None,
        threshold: _Threshold | None = None,
        /,
    ) -> _Floats: ...
    def _cost(
        self, start: ArrayLike | None, k: SupportsIndex, threshold: _Threshold, /
    ) -> float: ...
    def gap_bound(self, k: SupportsIndex, /) -> float: ...
    def gap_distance(self, k: SupportsIndex, /) -> float: ...
    @property
    def _threshold(self) -> _Threshold | None: ...

def lookahead(model: Model, k: SupportsIndex, /) -> _Floats: ...
def gain(model: Model, tolerance: SupportsFloat, /) -> tuple[float, _Floats]: ...
def best(
    model: Model,
    kind: str,
    horizon: SupportsIndex,
    discount: float,
    tolerance: SupportsFloat,
    memory: int,
    progress: Callable[[int, int, float], object] | None,
    /,
) -> tuple[
    tuple[_Floats, _Floats, NDArray[np.int32], NDArray[np.int32]], dict[str, Any]
]: ...
def costs(
    model: Model,
    horizon: SupportsIndex,
    k: SupportsIndex,
    threshold: _Threshold,
    states: ArrayLike,
    actions: ArrayLike,
    /,
) -> _Floats: ...
def gaps(
    model: Model, horizon: SupportsIndex, k: SupportsIndex, threshold: _Threshold, /
) -> tuple[float, float, float]: ...
def two_state_dominance(model: Model, /) -> tuple[bool, str]: ...

@disjoint_base
class Env:
    def __new__(
        cls,
        spec: str,
        *,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        data: Model | ArrayLike | None = None,
    ) -> Self: ...
    def trajectory(
        self,
        horizon: SupportsIndex,
        *,
        seed: SupportsIndex | None = None,
        instance: SupportsIndex | None = None,
    ) -> Trajectory: ...
    def allowed(self, state: SupportsIndex, /) -> NDArray[np.bool_] | None: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...
    @property
    def spec(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def instance(self) -> int: ...
    @property
    def data(self) -> _Model | _Floats | None: ...
    @property
    def states(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def masked(self) -> bool: ...
    @property
    def reward_min(self) -> float | None: ...
    @property
    def reward_max(self) -> float | None: ...
    @property
    def reward_sd(self) -> float | None: ...
    @property
    def coarse(self) -> bool: ...
    @property
    def kinds(self) -> tuple[int, ...] | None: ...
    @property
    def jumps(self) -> bool: ...
    @property
    def model(self) -> _Model | None: ...
    @property
    def hidden_model(self) -> _Model | None: ...
    @property
    def note(self) -> str: ...

@disjoint_base
class Trajectory:
    def __new__(
        cls,
        env: Env,
        horizon: SupportsIndex,
        *,
        seed: SupportsIndex | None = None,
        instance: SupportsIndex | None = None,
    ) -> Self: ...
    def step(self, action: SupportsIndex, /) -> tuple[float, Any, bool]: ...
    def play(
        self, learner: Learner | KeyedLearner, steps: SupportsIndex | None = None
    ) -> tuple[_Ints, _Ints, _Floats]: ...
    def save(self) -> bytes: ...
    @classmethod
    def load(cls, env: Env, data: bytes) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @property
    def when_busy(self) -> Literal["refuse", "wait"]: ...
    @when_busy.setter
    def when_busy(self, value: Literal["refuse", "wait"]) -> None: ...
    @property
    def env(self) -> Env: ...
    @property
    def states(self) -> int: ...
    @property
    def actions(self) -> int: ...
    @property
    def state(self) -> Any: ...
    @property
    def allowed(self) -> NDArray[np.bool_] | None: ...
    @property
    def time(self) -> int: ...
    @property
    def horizon(self) -> int: ...
    @property
    def mean_reward(self) -> float: ...
    @property
    def observation(self) -> bytes | None: ...
    @property
    def shown(self) -> int | bytes: ...

def step_all(
    trajectories: list[Trajectory] | tuple[Trajectory, ...],
    actions: ArrayLike,
    states: NDArray[np.int64],
    rewards: _Floats,
    ended: NDArray[np.bool_],
    means: _Floats | None = None,
) -> None: ...

def run(
    spec: str,
    data: Model | ArrayLike | None,
    learners: tuple[str, ...],
    horizon: SupportsIndex,
    replicates: SupportsIndex,
    seed: SupportsIndex,
    jobs: SupportsIndex,
    untold: bool,
    checkpoints: ArrayLike | None = None,
    regret: tuple[int, float] | None = None,
    progress: Callable[[float], object] | None = None,
) -> dict[str, Any]: ...
def replay(
    spec: str,
    states: SupportsIndex,
    actions: SupportsIndex,
    starts: ArrayLike,
    state: ArrayLike,
    action: ArrayLike,
    reward: ArrayLike,
    next_state: ArrayLike,
    horizon: SupportsIndex,
    runs: SupportsIndex,
    seed: SupportsIndex,
    jobs: SupportsIndex,
    *,
    probabilities: ArrayLike | None = None,
    allowed: _Mask | ArrayLike | None = None,
    reward_min: float | None = None,
    reward_max: float | None = None,
    reward_sd: float | None = None,
    checkpoints: ArrayLike | None = None,
    shuffle: bool = True,
    progress: Callable[[float], object] | None = None,
) -> dict[str, Any]: ...
def simulate_models(
    learners: tuple[str, ...],
    begin: ArrayLike,
    next: ArrayLike,
    counts: ArrayLike,
    rewards: ArrayLike,
    start: ArrayLike,
    reward_min: SupportsFloat,
    reward_max: SupportsFloat,
    horizon: SupportsIndex,
    units: SupportsIndex,
    draws: SupportsIndex,
    seed: SupportsIndex,
    jobs: SupportsIndex,
    *,
    allowed: _Mask | ArrayLike | None = None,
    unseen: SupportsFloat = 1.0,
    bernoulli: bool = False,
    untold: bool = False,
    alone: bool = False,
    progress: Callable[[float], object] | None = None,
) -> _Floats: ...
def checkpoints(horizon: SupportsIndex, log: bool = False, /) -> NDArray[np.int64]: ...
def summarize(values: ArrayLike, /) -> _Floats: ...
def running_sums(values: ArrayLike, /) -> _Floats: ...
def rate(reward: float, random: float, optimum: float, /) -> tuple[float, float]: ...
def student(level: float, df: float, /) -> float: ...
def student_tail(t: float, df: float, /) -> float: ...
@final
class Reproduction:
    def __new__(
        cls,
        experiment: object,
        folder: str,
        source: tuple[str, bytes] | None,
        find: Callable[[str, str], tuple[Model | _Floats | None, Model | _Floats | None]],
        player: Callable[..., tuple[object, object, object, bool]],
        seed: SupportsIndex,
        replicates: SupportsIndex | None,
        quick: bool,
        prices: str | None,
        check: bool = True,
    ) -> Self: ...
    def play(
        self,
        tasks: ArrayLike,
        jobs: SupportsIndex,
        limit: float = ...,
        progress: Callable[[float], object] | None = None,
    ) -> tuple[bytes, _Floats]: ...
    def open(self, folder: str | PathLike[str], shard: str | None = None, /) -> None: ...
    def run(
        self, jobs: SupportsIndex, progress: Callable[[float], object] | None = None, /
    ) -> None: ...
    def missing(self, tasks: ArrayLike | None = None, /) -> NDArray[np.int64]: ...
    def append(self, records: bytes, /) -> int: ...
    def sync(self, seconds: float = 0.0, /) -> None: ...
    def tabulate(
        self,
        folder: str | PathLike[str],
        keep_runs: bool,
        jobs: int,
        seconds: float,
        instances: int,
        /,
    ) -> None: ...
    def close(self, /) -> None: ...
    @property
    def tasks(self) -> int: ...
    @property
    def first(self) -> NDArray[np.int64]: ...
    @property
    def identity(self) -> str: ...

def trace(
    model: Model, tape: ArrayLike, learner: Learner, explain: bool = False, /
) -> tuple[NDArray[Any], ...]: ...
