# SPDX-License-Identifier: MIT
"""The environments of lgkt as Gymnasium environments, one at a time and as vectors.

>>> import gymnasium
>>> import lgkt.gym
>>> env = gymnasium.make("lgkt/RiverSwim-v0", states=5, horizon=1000)
>>> env.observation_space, env.action_space
(Discrete(5), Discrete(2))
>>> state, info = env.reset(seed=1)
>>> state, reward, terminated, truncated, info = env.step(1)
>>> env.unwrapped.model.states
5

Every environment of `lgkt.envs()` has an id; its parameters are keyword arguments, with underscores
for dashes. ``lgkt/Env-v0`` takes any spec: ``gymnasium.make("lgkt/Env-v0", spec="chain:slip=0")``.
Importing this module registers them. Gymnasium imports it by itself for an id with the module
before it: ``gymnasium.make("lgkt.gym:lgkt/Chain-v0")``.

One episode is one run of `horizon` steps, cut there (`truncated`) and never `terminated`. Where an
environment restarts on its own, as frozenlake at the goal, the run goes on and ``info["ended"]``
says so.

The other way, learners of lgkt on any Gymnasium environment, are `play` and `world`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lgkt._extras import needed

with needed("lgkt.gym", "gym"):
    import gymnasium
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

import lgkt
from lgkt import _core
from lgkt.play import play, world

__all__ = ["Env", "VectorEnv", "ids", "play", "world"]


def __dir__() -> list[str]:
    return __all__


# Names that are more than one word. All others are made from the name in the registry.
_NAMES = {
    "riverswim": "RiverSwim",
    "mountaincar": "MountainCar",
    "frozenlake": "FrozenLake",
    "sixarms": "SixArms",
    "deepsea": "DeepSea",
    "cliffwalking": "CliffWalking",
    "fourrooms": "FourRooms",
}

# Trading is seen as rows of two numbers, price and change. The library takes prices up to this. The
# numbers of records have no bounds that are known; Gymnasium wants finite ones.
_LIMIT = 1e30


def ids() -> dict[str, str]:
    """The id of every environment, by its name in specs.

    >>> import lgkt.gym
    >>> lgkt.gym.ids()["linear-gap"]
    'lgkt/LinearGap-v0'
    """
    names = (entry.name for entry in lgkt.envs())
    return {name: f"lgkt/{_NAMES.get(name, name.title().replace('-', ''))}-v0" for name in names}


def _full_spec(spec: str, parameters: dict[str, Any]) -> str:
    words = []
    for key, value in parameters.items():
        if isinstance(value, (bool, np.bool_)):
            value = int(value)
        text = str(value)
        if any(mark in text for mark in ",()") and not text.startswith("("):
            text = f"({text})"
        if value is not None:
            words.append(f"{key.replace('_', '-')}={text}")
    return spec + (":" if words and ":" not in spec else "," if words else "") + ",".join(words)


class _World:
    """What one environment and a vector of them have in common: the world, its runs, its spaces."""

    def __init__(self, spec: str, horizon: int, seed: int, instance: int, data: Any,
                 parameters: dict[str, Any]) -> None:
        self.env = lgkt.Env(_full_spec(spec, parameters), seed=seed, instance=instance, data=data)
        if self.env.jumps:
            raise lgkt.UnsupportedError(
                f"{self.env.spec} shows one state and goes on in another, and Gymnasium has one "
                "observation a step")
        self.horizon = horizon
        self.kinds = self.env.kinds
        self.actions = spaces.Discrete(self.env.actions)
        self.states, self.seen = self._space(self.env.trajectory(horizon).observation)
        # (S, A) where actions are forbidden, of the type that `Discrete.sample` takes
        self.masks = np.array([self.env.allowed(s) for s in range(self.env.states)],
                              np.int8) if self.env.masked else None
        self.tells = self.numbered or self.env.masked

    def _space(self, observation: bytes | None) -> tuple[spaces.Space[Any], bool]:
        """The space of observations, and whether these are more than the number of the state."""
        self.numbered = False
        if self.kinds is not None:
            numbers = self.kinds.count(0)
            box = spaces.Box(-_LIMIT, _LIMIT, shape=(numbers,), dtype=np.float64)
            if numbers == len(self.kinds):
                return box, True
            categories = {f"category {d}": spaces.Discrete(count)
                          for d, count in enumerate(self.kinds) if count > 0}
            return spaces.Dict({"numbers": box, **categories}), True
        if observation is None or self.env.coarse:
            return spaces.Discrete(self.env.states), False
        self.numbered = True
        shape = (len(observation) // 8, 2)
        return spaces.Box(-_LIMIT, _LIMIT, shape=shape, dtype=np.float32), True

    def start(self, random: np.random.Generator) -> lgkt.Trajectory:
        """A new run, with noise that the generator chooses."""
        return self.env.trajectory(self.horizon, seed=int(random.integers(2**63)))

    def show(self, runs: Sequence[lgkt.Trajectory]) -> Any:
        """The observations of these runs, as a vector of environments has them."""
        all_bytes = b"".join(run.observation or b"" for run in runs)
        if self.kinds is None:
            windows = np.frombuffer(all_bytes, dtype=np.float32)
            return windows.reshape(len(runs), *(self.states.shape or ())).copy()
        records = np.frombuffer(all_bytes, dtype=np.float64).reshape(len(runs), -1)
        if isinstance(self.states, spaces.Box):
            return records.copy()
        # in the order of the space
        keys = cast(spaces.Dict, self.states).spaces
        return {key: records[:, int(key.split()[1])].astype(np.int64) if key != "numbers" else
                records[:, np.array(self.kinds) == 0] for key in keys}

    def show_one(self, run: lgkt.Trajectory) -> Any:
        """The observation of one run alone."""
        return self.pick(self.show([run]), 0) if self.seen else run.state

    def pick(self, shown: Any, i: int) -> Any:
        """Observation i of those of a vector."""
        if isinstance(shown, dict):
            return {key: rows[i] for key, rows in shown.items()}
        return shown[i] if self.seen else int(shown[i])

    def tell(self, states: Any) -> dict[str, Any]:
        """What the info of every step and reset has of these states."""
        told = {"state": states} if self.numbered else {}
        return told if self.masks is None else told | {"action_mask": self.masks[states].copy()}


class Env(gymnasium.Env[Any, Any]):
    """An environment of lgkt, made by `gymnasium.make`.

    Parameters
    ----------
    spec: what `lgkt.Env` takes; further keyword arguments are parameters of it.
    horizon: steps of an episode, after which it is truncated.
    world_seed, instance: which instance is drawn (the model, the prices), as for `lgkt.Env`. The
        noise of a run comes from `np_random`: `reset(seed=...)` repeats it, a further `reset()`
        has new noise in the same world.
    data: a model or prices, for environments that are made from them.
    render_mode: "ansi" shows the last step as a line.

    An observation is the number of the state. For trading it is the window of prices that is seen,
    as rows of price and change, oldest first, and ``info["state"]`` is the number. Where states are
    records (`view="record"`, and worlds such as pendulum) it is a Box of their numbers or, where
    they have categories, a Dict of ``"numbers"`` and one Discrete for each category.

    `info` of a step has `ended` (the process was cut: the state is no consequence of the action)
    and `mean_reward` (the expected reward of the pair played, where there is a model). Where some
    actions are forbidden, ``info["action_mask"]`` has 1 for those that are allowed in the state at
    hand and 0 for the others, which raise.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(self, spec: str, *, horizon: int = 20000, world_seed: int = 0, instance: int = 0,
                 data: Any = None, render_mode: str | None = None, **parameters: Any) -> None:
        if render_mode not in (None, "ansi"):
            raise lgkt.InputError(f'render_mode must be None or "ansi", not {render_mode!r}')
        self._world = _World(spec, horizon, world_seed, instance, data, parameters)
        self._run: lgkt.Trajectory | None = None
        self._line = ""
        self.world = self._world.env
        self.horizon = horizon
        self.observation_space = self._world.states
        self.action_space = self._world.actions
        self.render_mode = render_mode

    @property
    def model(self) -> lgkt.Model | None:
        """The exact model; None where there is none (trading, merged)."""
        return self.world.model

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new run in the same world, with the noise of `seed` or else new noise."""
        super().reset(seed=seed)
        self._run = self._world.start(self.np_random)
        self._line = f"step 0: state {self._run.state}"
        return self._world.show_one(self._run), self._world.tell(self._run.state)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step of the run; `truncated` at its horizon."""
        run = self._run
        if run is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        reward, state, ended = run.step(action)
        info = {"ended": ended, "mean_reward": run.mean_reward}
        if self._world.tells:
            info |= self._world.tell(state)
        over = run.time == self.horizon
        if self.render_mode is not None:
            self._line = (f"step {run.time}: action {action}, reward {reward:g}, state {state}"
                          + ", ended" * ended)
        return self._world.show_one(run), reward, False, over, info

    def render(self) -> str | None:
        """The last step in a line; None without a render mode."""
        return self._line if self.render_mode == "ansi" else None


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Copies of an environment of lgkt, all stepped by one call, made by `gymnasium.make_vec`.

    >>> import gymnasium
    >>> import lgkt.gym
    >>> envs = gymnasium.make_vec("lgkt/Chain-v0", num_envs=3, horizon=1000)
    >>> states, infos = envs.reset(seed=1)
    >>> states
    array([0, 0, 0])

    The copies play in the same instance and differ in their noise. They are seeded as
    `SyncVectorEnv` does it: copy i with seed + i. `autoreset_mode` says how a copy that is over
    begins anew; by default in the step after, whose action it ignores. What it returns equals a
    `SyncVectorEnv` of single environments, number by number.
    """

    def __init__(self, spec: str, num_envs: int = 1, *, horizon: int = 20000, world_seed: int = 0,
                 instance: int = 0, data: Any = None,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
                 **parameters: Any) -> None:
        if num_envs < 1:
            raise lgkt.InputError(f"num_envs must be at least 1, not {num_envs}")
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        self._world = _World(spec, horizon, world_seed, instance, data, parameters)
        self.world = self._world.env
        self.horizon = horizon
        self.single_observation_space = self._world.states
        self.single_action_space = self._world.actions
        self.observation_space = batch_space(self._world.states, num_envs)
        self.action_space = batch_space(self._world.actions, num_envs)
        self._random: list[np.random.Generator] = []
        self._runs: list[lgkt.Trajectory] = []
        self._states = np.zeros(num_envs, dtype=np.int64)
        self._means = np.zeros(num_envs)  # expected rewards of the last step
        self._quiet = 0

    @property
    def model(self) -> lgkt.Model | None:
        """The exact model; None where there is none (trading, merged)."""
        return self.world.model

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As in `SyncVectorEnv`; ``options={"reset_mask": ...}`` resets some copies only."""
        n = self.num_envs
        seeds = [None] * n if seed is None else (
            [seed + i for i in range(n)] if isinstance(seed, int) else list(seed))
        if len(seeds) != n:
            raise lgkt.InputError(f"there are {n} copies, but {len(seeds)} seeds")
        mask = np.asarray((options or {}).get("reset_mask", np.ones(n, dtype=np.bool_)))
        if mask.dtype != np.bool_ or mask.shape != (n,) or not (mask.all() or self._runs):
            raise lgkt.InputError(f"reset_mask must be an array of {n} bools, all of them at first")
        if not self._runs:
            self._random = [seeding.np_random()[0] for _ in range(n)]
            self._runs = [self._world.start(random) for random in self._random]
        for i in np.flatnonzero(mask):
            if seeds[i] is not None:
                self._random[i] = seeding.np_random(seeds[i])[0]
        self._restart(mask)
        return self._show(), self._reset_infos(mask)

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_],
                                          NDArray[np.bool_], dict[str, Any]]:
        """A step of every copy; one that was over begins anew, as `autoreset_mode` says."""
        if not self._runs:
            raise gymnasium.error.ResetNeeded("call reset before step")
        rewards, means = np.zeros(self.num_envs), self._means
        ended = np.zeros(self.num_envs, dtype=np.bool_)
        none = np.zeros(self.num_envs, dtype=np.bool_)
        if self._quiet > 0:
            _core.step_all(self._runs, actions, self._states, rewards, ended, means)
            self._quiet -= 1
            return self._show(), rewards, none, none.copy(), _infos(self._played(ended), None)

        mode = self.autoreset_mode
        again = self._over() & (mode is AutoresetMode.NEXT_STEP)
        live = ~again
        # the steps first: an action that is refused leaves everything as it was
        runs = [run for run, on in zip(self._runs, live) if on]
        parts = self._states[live], rewards[live], ended[live], means[live]
        _core.step_all(runs, np.asarray(actions)[live], *parts)
        self._states[live], rewards[live], ended[live], means[live] = parts

        infos, over, played = {}, live & self._over(), self._played(ended)
        if mode is AutoresetMode.SAME_STEP and over.any():
            last, shown = np.full(self.num_envs, None, dtype=object), self._show()
            for i in np.flatnonzero(over):
                last[i] = self._world.pick(shown, int(i))
            infos = {"final_obs": last, "_final_obs": over.copy(),
                     "final_info": _infos(played, over), "_final_info": over.copy()}
            live, again = live & ~over, over
        infos |= _infos(played, live)
        self._restart(again)
        infos |= self._reset_infos(~none)
        return self._show(), rewards, none, over, infos

    def _restart(self, mask: NDArray[np.bool_]) -> None:
        for i in np.flatnonzero(mask):
            self._runs[i] = self._world.start(self._random[i])
            self._states[i] = 0 if self._world.kinds is not None else self._runs[i].state
        # so many steps in which no copy ends or begins
        self._quiet = self.horizon - 1 - max(run.time for run in self._runs)

    def _over(self) -> NDArray[np.bool_]:
        return np.array([run.time == self.horizon for run in self._runs])

    def _played(self, ended: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """What single environments put into the info of a step."""
        return {"ended": ended, "mean_reward": self._means.copy(),
                **self._world.tell(self._states.copy())}

    def _show(self) -> NDArray[Any]:
        return self._world.show(self._runs) if self._world.seen else self._states.copy()

    def _reset_infos(self, mask: NDArray[np.bool_]) -> dict[str, Any]:
        return _infos(self._world.tell(self._states), mask)


def _infos(values: dict[str, NDArray[Any]], mask: NDArray[np.bool_] | None) -> dict[str, Any]:
    """Infos as vector environments have them: an array for each key, and whose of it counts; all
    if there is no mask."""
    infos: dict[str, Any] = {}
    for key, array in values.items() if mask is None or mask.any() else ():
        infos[key] = array if mask is None else np.zeros_like(array)
        if mask is not None:
            infos[key][mask] = array[mask]
        infos[f"_{key}"] = np.ones(len(array), np.bool_) if mask is None else mask.copy()
    return infos


def _register() -> None:
    for spec, name in ({"": "lgkt/Env-v0"} | ids()).items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point="lgkt.gym:Env",
                               vector_entry_point="lgkt.gym:VectorEnv",
                               kwargs={"spec": spec} if spec else {})


_register()
