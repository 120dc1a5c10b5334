# SPDX-License-Identifier: MIT
"""Learners side by side on many instances of an environment.

Learners of the library are played by the runner of the command, on threads and with the interpreter
released. Your own learners, and all learners in your own worlds, are played by a Python loop, on
the same instances and with the same noise, and their rewards are summed in the same order: a
learner of the library within a Python object earns the same to the last bit.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _core, _own, files, plan
from lgkt._arrays import whole
from lgkt._core import KeyedLearner, Learner
from lgkt._errors import UnsupportedError, error
from lgkt._extras import needed
from lgkt.env import Env, Problem
from lgkt.model import Model
from lgkt.records import RecordLearner
from lgkt.result import Result

_BLOCK = 512  # steps that are summed plainly, as the runner does


@runtime_checkable
class Player(Protocol):
    """An own learner: `act` for the state at hand, then `observe` what came of it.

    States are numbers in 0 .. states - 1. `ended` says that the process was cut: the next state is
    then no consequence of the action. What `counters`, a dict of whole numbers, holds at the end of
    a run is summed over instances, where there is such an attribute. An `act` that has a second
    argument `allowed` is told which actions are allowed, as an array of bools, in worlds that
    forbid some; None is all of them.
    """

    def act(self, state: Any, /) -> int:
        """The action for the state at hand."""
        ...

    def observe(self, reward: float, next_state: Any, ended: bool, /) -> object:
        """What the action earned and where it led."""
        ...


class World(Protocol):
    """An own world, as a `Trajectory` is one.

    It has a number of `actions`, the `state` to act in, and `step(action)`, which returns the
    reward, the next state and whether the process was cut there. States are whole numbers below
    `states`; where that is None they are anything that `KeyedLearner` takes as keys. There may also
    be `mean_reward`, the expected reward of the last step, which learners are then measured by,
    `reward_min`, `reward_max`, `reward_sd`, which they are then told, `state_limit`, the most
    keys that there may be, `allowed`, a bool for each action that may be played in the state
    at hand, or None for all, and `features`, where states are records, as `Learner` takes them.

    >>> import lgkt
    >>> class Switch:
    ...     states, actions = 2, 2
    ...     def __init__(self, seed, instance):
    ...         self.state = 0
    ...     def step(self, action):
    ...         reward, self.state = float(action != self.state), action
    ...         return reward, self.state, False
    >>> lgkt.run(Switch, "auto", horizon=500, replicates=1)["auto"].mean > 0.9
    True
    """

    @property
    def states(self) -> int | None:
        """The number of states; None: they are keys."""
        ...

    @property
    def actions(self) -> int:
        """The number of actions."""
        ...

    @property
    def state(self) -> Any:
        """The state to act in."""
        ...

    def step(self, action: int, /) -> tuple[float, Any, bool]:
        """Play an action: returns the reward, the next state, and whether the process was cut."""
        ...


class Progress(NamedTuple):
    """How far a run is; steps are those of all learners on all instances.

    >>> import lgkt
    >>> told = []
    >>> result = lgkt.run("chain", "auto", horizon=200, replicates=3, progress=told.append)
    >>> all(0 <= now.steps_done <= now.steps == 600 for now in told)
    True
    """

    steps_done: float
    steps: float
    seconds: float


_Entry = str | Player | Callable[[Problem], Player]
_Learners = _Entry | Iterable[_Entry] | Mapping[str, _Entry]
_Factory = Callable[[int, int], World]
_Tell = Callable[[float], object]


def run(
    env: str | Env | Model | _Factory | object,
    learners: _Learners,
    horizon: int = 20000,
    replicates: int = 100,
    seed: int = 1,
    jobs: int | None = None,
    checkpoints: bool | int | ArrayLike | None = None,
    *,
    regret: tuple[int, float] | None = None,
    untold: bool = False,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Result:
    """Play each learner once on each of `replicates` instances of an environment.

    >>> import lgkt
    >>> result = lgkt.run("riverswim:states=5", ["auto", "random"], horizon=1000, replicates=10)
    >>> result["auto"].mean > result["random"].mean
    True

    `env` is a spec, an `Env` (of which instances 0, 1, ... of `seed` are played), a `Model`, a
    Gymnasium environment, or a function of (seed, instance) that makes a `World`; it is called
    again for each learner and should make the same one then.

    `learners` is one entry, a list of entries, or a dict from labels to entries. An entry is a
    spec, a class or function that is called with a `Problem` and returns a `Player`, or a `Player`
    itself, of which every instance gets a deep copy; or a spec that names such a class or function,
    as ``"python:mine.learners:Careful:alpha=0.1"``, which calls it with alpha, too.

    >>> class First:
    ...     def __init__(self, problem):
    ...         self.action = 0
    ...     def act(self, state):
    ...         return self.action
    ...     def observe(self, reward, next_state, ended):
    ...         pass
    >>> lgkt.run("riverswim", {"mine": First, "auto": "auto"}, 500, 4).labels
    ('mine', 'auto')

    `jobs` is the number of threads for learners of the library, by default one for each processor
    that this process may use; it changes no number. `checkpoints` asks for learning curves: True
    for about 200 times, denser early; a number for so many, evenly spaced; or the times themselves.
    `regret` is (K, threshold): also the regret to the K-step thresholding policy; for own
    learners it is the same up to rounding. `untold` keeps range and noise of the rewards from the
    learners. `progress` is True for a bar (tqdm), False for none, or a function that is called with
    a `Progress`; by default there is a bar where tqdm is installed and errors go to a terminal.
    """
    horizon, replicates = whole(horizon, "horizon"), whole(replicates, "replicates")
    seed = whole(seed, "seed")
    entries = _entries(learners)
    times = _times(checkpoints, horizon)
    library = isinstance(env, str | Env | Model)
    specs = tuple(entry if isinstance(entry, str) else None for entry in entries.values())
    # the runner plays these, Python the others
    fast = [l for l, spec in enumerate(specs) if library and spec is not None]
    slow = [l for l in range(len(specs)) if l not in fast]
    count = len(specs)
    numbers: dict[str, Any] = {}
    with _watching(progress, count * replicates * horizon) as tell:
        world: _Library | _Own
        if isinstance(env, str | Env | Model):
            world = _Library(env, seed, horizon, untold)
            # the runner also plans the optimum of every instance
            numbers = _core.run(
                world.spec, world.data, tuple(str(specs[l]) for l in fast), horizon, replicates,
                seed, _threads() if jobs is None else jobs, untold, times, regret, tell)
        else:
            world = _Own(env, seed, horizon, untold, replicates)
            unknown = np.full(replicates, np.nan)
            numbers = {"note": "", "optimum": unknown, "random": unknown.copy()}
            if regret is not None:
                raise error("UNSUPPORTED", f"regret is known only where there is a model, and "
                                           f"{_name(env)} has none")
        masks: dict[int, bool] = {}
        if slow:
            session = _Session(world, count, replicates, times, regret, tell,
                               len(fast) * replicates * horizon)
            session.take(fast, numbers)
            for instance in range(replicates):
                for l in slow:
                    label = list(entries)[l]
                    session.play(label, entries[label], instance, l)
            numbers |= session.numbers
            masks = session.masks
        if isinstance(world, _Library) and world.env(0).masked:
            masks |= dict.fromkeys(fast, True)
    return Result(
        env=world.spec if isinstance(world, _Library) else _name(world.make), note=numbers["note"],
        horizon=horizon, replicates=replicates, seed=seed, labels=tuple(entries), specs=specs,
        optimum=numbers["optimum"], random=numbers["random"], reward=numbers["reward"],
        observed=numbers["observed"], seconds=numbers["seconds"], checkpoints=times,
        curve=numbers["curve"], regret_policy=regret, regret=numbers.get("regret"),
        regret_curve=numbers.get("regret_curve"), counters=tuple(numbers["counters"]),
        untold=tuple(numbers["untold"]) if untold else None,
        masks=tuple(masks[l] for l in range(count)) if masks else None)


# ---- arguments ----


def _name(thing: object) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__))


def _entries(learners: _Learners) -> dict[str, _Entry]:
    """Entries by label; a label that is there already gets a number."""
    if isinstance(learners, Mapping):
        given = [(str(label), entry) for label, entry in learners.items()]
    else:
        alone = isinstance(learners, str) or callable(learners) or isinstance(learners, Player)
        items = [cast(_Entry, learners)] if alone else list(cast(Iterable[_Entry], learners))
        given = [(entry if isinstance(entry, str) else _name(entry), entry) for entry in items]
    entries: dict[str, _Entry] = {}
    for label, entry in given:
        if not (isinstance(entry, str) or callable(entry) or isinstance(entry, Player)):
            raise TypeError(f"learner {label}: a spec, an object with act and observe, or what "
                            f"makes one is needed, not {type(entry).__name__}")
        number, free = 1, label
        while free in entries:
            number += 1
            free = f"{label} ({number})"
        entries[free] = _own.factory(entry) if isinstance(entry, str) and _own.own(entry) else entry
    if not entries:
        raise error("ARGUMENT", "there are no learners")
    return entries


def _times(checkpoints: bool | int | ArrayLike | None, horizon: int) -> NDArray[np.int64]:
    if checkpoints is None or checkpoints is False:
        return np.zeros(0, np.int64)
    if checkpoints is True:
        return _core.checkpoints(horizon)
    if isinstance(checkpoints, int | np.integer):
        count = int(checkpoints)
        if not 1 <= count <= horizon:
            raise error("ARGUMENT", f"checkpoints: {count} is not in 1 .. {horizon}")
        return np.array([horizon * i // count for i in range(1, count + 1)], np.int64)
    times = np.asarray(checkpoints)
    if times.shape == (0,):
        return np.zeros(0, np.int64)
    if times.ndim != 1 or times.dtype.kind not in "iu":
        raise error("SHAPE", "checkpoints must be True, a number of them, or increasing times")
    if np.any(np.diff(times) <= 0) or not 1 <= times[0] <= times[-1] <= horizon:
        raise error("ARGUMENT", f"checkpoints must be increasing times in 1 .. {horizon}")
    return times.astype(np.int64)


def _threads() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1


@contextlib.contextmanager
def _watching(
    progress: bool | Callable[[Progress], object] | None, steps: float
) -> Iterator[_Tell | None]:
    """What is called with the steps done while a run goes on."""
    if callable(progress):
        function, begin = progress, time.perf_counter()
        yield lambda done: function(Progress(done, steps, time.perf_counter() - begin))
        return
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False, None or a function, not "
                        f"{type(progress).__name__}")
    bar: Any = None
    if progress is not False and (progress or sys.stderr is not None and sys.stderr.isatty()):
        try:
            with needed("progress=True", "progress"):
                from tqdm.auto import tqdm
        except ModuleNotFoundError:
            if progress:
                raise
        else:
            # for a short run only where it was asked for
            bar = tqdm(total=steps, unit=" steps", unit_scale=True, leave=False,
                       delay=0.0 if progress else 0.5)
    if bar is None:
        yield None
        return
    with bar:
        yield lambda done: bar.update(done - bar.n)


# ---- the worlds ----


class _Library:
    """Instances of an environment of the library."""

    def __init__(self, env: str | Env | Model, seed: int, horizon: int, untold: bool) -> None:
        self.seed, self.horizon, self.untold = seed, horizon, untold
        if isinstance(env, Model):
            self.spec, self.data = "model", cast(Any, env)
        elif isinstance(env, Env):
            self.spec, self.data = env.spec, env.data
        else:
            self.spec, self.data = env, files.resolve(env)
        self.last: tuple[int, Env] | None = None

    def env(self, instance: int) -> Env:
        if self.last is None or self.last[0] != instance:
            made = Env(self.spec, seed=self.seed, instance=instance, data=self.data)
            self.last = instance, made
        return self.last[1]

    def open(self, instance: int) -> tuple[World, Problem]:
        """A new run on an instance, and what a learner is told of it."""
        env = self.env(instance)
        if env.jumps:
            raise UnsupportedError(f"{env.spec} shows one state and goes on in another, which only "
                                   "learners that are named by specs play")
        problem = env.problem(self.horizon)
        if self.untold:
            problem = problem._replace(reward_min=None, reward_max=None, reward_sd=None)
        return cast(World, env.trajectory(self.horizon)), problem


class _Own:
    """Instances of a user's world."""

    def __init__(self, env: object, seed: int, horizon: int, untold: bool,
                 replicates: int) -> None:
        if hasattr(env, "action_space") or type(env).__module__.startswith("gymnasium."):
            from lgkt import gym

            env = gym.world(cast(Any, env))
        if not callable(env):
            raise TypeError(f"env must be a spec, an Env, a Model, a Gymnasium environment or a "
                            f"function of (seed, instance) that makes a world, not "
                            f"{type(env).__name__}")
        for name, value, most in (("replicates", replicates, 10**7), ("horizon", horizon, 10**12)):
            if not 1 <= value <= most:
                raise error("ARGUMENT", f"{name}: {value} is not in 1 .. {most}")
        self.make, self.seed, self.horizon, self.untold = env, seed, horizon, untold

    def open(self, instance: int) -> tuple[World, Problem]:
        world = self.make(self.seed, instance)
        told = {name: None if self.untold else getattr(world, name, None)
                for name in ("reward_min", "reward_max", "reward_sd")}
        problem = Problem(states=world.states, actions=world.actions, horizon=self.horizon,
                          model=None, seed=self.seed, instance=instance,
                          masked=hasattr(world, "allowed"), **told)
        return world, problem


def _takes_masks(player: Player) -> bool:
    """Whether its `act` can be told which actions are allowed."""
    try:
        return "allowed" in inspect.signature(player.act).parameters
    except ValueError:  # a function in C that does not say
        return False


def _player(entry: _Entry, problem: Problem, world: World | None) -> Player:
    if isinstance(entry, str):
        told = problem._asdict()
        features = getattr(world, "features", None)
        if problem.states is not None and features is None:
            return Learner(entry, **told)
        del told["states"], told["model"]
        if features is not None:
            return cast(Player, RecordLearner(entry, features, **told))
        limit = getattr(world, "state_limit", None)
        return cast(Player, KeyedLearner(entry, state_limit=limit, **told))
    if isinstance(entry, type) or not isinstance(entry, Player):
        made = cast(Callable[[Problem], Player], entry)(problem)
        if not isinstance(made, Player):
            raise TypeError(f"{_name(entry)} made no learner: a {type(made).__name__} has no act "
                            f"and observe")
        return made
    return copy.deepcopy(entry)


# ---- the loop ----


class _Session:
    """Runs in Python, beside those of the runner."""

    def __init__(self, world: _Library | _Own, count: int, replicates: int,
                 times: NDArray[np.int64], regret: tuple[int, float] | None, tell: _Tell | None,
                 done: float) -> None:
        self.world, self.horizon, self.times, self.regret = world, world.horizon, times, regret
        self.tell, self.done, self.told = tell, done, time.perf_counter()
        run, curve = (count, replicates), (count, times.size, replicates)
        self.numbers: dict[str, Any] = {
            "reward": np.zeros(run), "observed": np.zeros(run), "seconds": np.zeros(run),
            "curve": np.zeros(curve), "counters": [{} for _ in range(count)],
            "untold": [""] * count,
        }
        self.masks: dict[int, bool] = {}  # by place: whether it is told, where there are masks
        if regret is not None:
            self.numbers |= {"regret": np.zeros(run), "regret_curve": np.zeros(curve)}

    def take(self, places: list[int], numbers: dict[str, Any]) -> None:
        """Put what the runner made into its places."""
        for name, rows in self.numbers.items():
            for i, place in enumerate(places):
                if numbers[name] is not None:
                    rows[place] = numbers[name][i]

    def play(self, label: str, entry: _Entry, instance: int, place: int) -> None:
        """One learner on one instance: sums are plain within a block, as the runner's are."""
        horizon, times = self.horizon, [*self.times.tolist(), self.horizon]
        rewards: list[float] = []  # of whole blocks, as the next
        observations: list[float] = []
        points: list[tuple[int, float]] = []  # at a checkpoint: whole blocks, and the block so far
        states: list[int] = []
        actions: list[int] = []
        expected = observed = 0.0
        t = -1
        try:
            world, problem = self.world.open(instance)
            player = _player(entry, problem, world)
            act, observe, step = player.act, player.observe, world.step
            if problem.masked:
                self.masks[place] = _takes_masks(player)
            if self.masks.get(place):
                def act(state: Any, /) -> int:
                    mask = world.allowed  # type: ignore[attr-defined]
                    return cast(Any, player).act(state, allowed=mask)  # type: ignore[no-any-return]
            if self.regret is not None:
                choose = act

                def act(state: Any, /) -> int:
                    states.append(state)
                    actions.append(choose(state))
                    return actions[-1]
            known = hasattr(world, "mean_reward")
            begin, state, t = time.perf_counter(), world.state, 0
            while t < horizon:
                until = min(t - t % _BLOCK + _BLOCK, times[len(points)])
                for t in range(t, until):
                    reward, state, ended = step(act(state))
                    observe(reward, state, ended)
                    expected += world.mean_reward if known else reward  # type: ignore[attr-defined]
                    observed += reward
                t = until
                if t % _BLOCK == 0 or t == horizon:
                    rewards.append(expected)
                    observations.append(observed)
                    expected = observed = 0.0
                    self.report(t)
                if t == times[len(points)]:
                    points.append((len(rewards), expected))
            seconds = time.perf_counter() - begin
        except Exception as why:
            where = f"at step {t}" if t >= 0 else "before the first step"
            why.add_note(f"learner {label}, instance {instance}, {where}")
            raise
        numbers, sums = self.numbers, np.append(0.0, _core.running_sums(rewards))
        numbers["reward"][place, instance] = sums[-1] / horizon
        numbers["observed"][place, instance] = _core.running_sums(observations)[-1] / horizon
        numbers["seconds"][place, instance] = seconds
        for c, t in enumerate(self.times):
            blocks, rest = points[c]
            numbers["curve"][place, c, instance] = (sums[blocks] + rest) / t
        if self.regret is not None and problem.model is not None:
            k, threshold = self.regret
            lost = plan.regret(problem.model, states, actions, k=k, threshold=threshold,
                               cumulative=True)
            numbers["regret"][place, instance] = lost[-1]
            numbers["regret_curve"][place, :, instance] = lost[self.times - 1]
        counters = numbers["counters"][place]
        for name, value in dict(getattr(player, "counters", {})).items():
            counters[name] = counters.get(name, 0) + value
        self.done += horizon

    def report(self, steps: int) -> None:
        now = time.perf_counter()
        if self.tell is not None and (now - self.told > 0.1 or steps == self.horizon):
            self.told = now
            self.tell(self.done + steps)
