# SPDX-License-Identifier: MIT
"""Many learners in many worlds: `lgkt.run` for each world, what comes of it as one table.

Learners of the library in its own environments are played by the runner, on threads. Own learners
and own worlds are Python: each learner in each world is a piece of work for a process of its own,
or all pieces are for the workers of a Dask cluster. Instances and noise are those of `lgkt.run`, so
that no number depends on who played what.
"""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lgkt import _crew
from lgkt._arrays import whole
from lgkt._errors import error
from lgkt.comparison import Comparison, Failure, Tested
from lgkt.env import Env
from lgkt.model import Model
from lgkt.registry import traits
from lgkt.run import Progress, _entries, _Entry, _Learners, _name, _threads, run

_Floats = NDArray[np.float64]
_Envs = object  # one, a list of them, or a dict from names to them

_PATIENCE, _BETWEEN = 2.0, 0.2  # seconds without a word, and from one to the next
_RANDOM = "random"  # the learner that is 0 where nothing is known of a world


def compare(
    envs: _Envs,
    learners: _Learners,
    horizon: int | Iterable[int] = 20000,
    replicates: int = 30,
    seed: int = 1,
    jobs: int | None = None,
    *,
    client: Any = None,
    untold: bool = False,
    level: float = 0.95,
    resamples: int = 2000,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Comparison:
    """Play each learner in each of some worlds, and say who is better over all of them.

    >>> import lgkt
    >>> found = lgkt.compare(["riverswim", "chain", "frozenlake"], ["auto", "q-learning"],
    ...                      horizon=1000, replicates=5)
    >>> found.order
    ('auto', 'q-learning')
    >>> found.measures["auto"]["iqm"].estimate > found.measures["q-learning"]["iqm"].estimate
    True

    `envs` is one environment as `lgkt.run` takes it (a spec, an `Env`, a `Model`, a Gymnasium
    environment, a function that makes a `World`), a list of them, or a dict from names to them.
    `learners`, `replicates`, `seed` and `untold` are as for `lgkt.run`: every learner is told the
    same, and plays on the same instances with the same noise. With several horizons every
    environment is a world for each of them.

    Rewards become scores, 0 for random actions and 100 for the optimum. Where no optimum is known,
    100 is the mean of the learner that earned most there, and 0 what random actions earned, which
    are played for that; the table says so.

    What is written in Python is played by as many processes as `jobs` says, by default one for each
    processor that this process may use; 1 plays all of it here, as a debugger needs it. `client` is
    a `dask.distributed.Client`, whose workers play all of it. Neither changes a number.

    A learner that fails in a world is left out there, with a warning; `Comparison.failures` has
    why. Ctrl-C ends the work: the `KeyboardInterrupt` carries what is finished as `comparison`.

    `level` and `resamples` are those of the bootstrap intervals. `progress` is as for `lgkt.run`;
    by default a line on a terminal says how far it is, after two seconds.
    """
    worlds = _worlds(envs, horizon)
    entries = _entries(learners)
    replicates, seed = whole(replicates, "replicates"), whole(seed, "seed")
    if not 1 <= replicates <= 10**7:
        raise error("ARGUMENT", f"replicates: {replicates} is not in 1 .. {10**7}")
    if not 0.0 < level < 1.0:
        raise error("ARGUMENT", f"level is {level}; it must lie between 0 and 1")
    if whole(resamples, "resamples") < 1:
        raise error("ARGUMENT", f"resamples is {resamples}; it must be >= 1")
    if jobs is not None and not 1 <= whole(jobs, "jobs") <= 1024:
        raise error("ARGUMENT", f"jobs: {jobs} is not in 1 .. 1024")
    if client is not None and jobs is not None:
        raise error("ARGUMENT", "jobs are processes here; the workers of a client have theirs")
    for spec in entries.values():
        if isinstance(spec, str):
            traits(spec)  # a name that is misspelt fails everywhere: at once
    tasks = [task for w, world in enumerate(worlds)
             for task in _tasks(w, world, entries, replicates, seed, untold)]
    table = _Table(worlds, entries, replicates, seed, untold, level, resamples)
    with _Watch(progress, tasks) as watch:
        try:
            for i, played in _played(tasks, _threads() if jobs is None else jobs, client,
                                     watch.tell):
                table.take(tasks[i], played)
                watch.tell(i, tasks[i].steps)
        except KeyboardInterrupt as why:
            why.comparison = table.made()  # type: ignore[attr-defined]
            raise
    if len(table.failures) == len(worlds) * len(entries):
        first = table.failures[0]
        raise error("ARGUMENT", f"nothing could be played; {first.learner} in {first.world}: "
                                f"{first.why}")
    for failure in table.failures:
        warnings.warn(f"lgkt.compare: {failure}", RuntimeWarning, stacklevel=2)
    return table.made()


# ---- arguments ----


@dataclass(frozen=True)
class _World:
    """An environment at a horizon."""

    name: str
    env: Any
    horizon: int

    @property
    def library(self) -> bool:
        return isinstance(self.env, str | Env | Model)


def _worlds(envs: Any, horizon: int | Iterable[int]) -> list[_World]:
    if isinstance(envs, Mapping):
        given = [(str(name), env) for name, env in envs.items()]
    else:
        alone = (isinstance(envs, str | Env | Model) or callable(envs)
                 or hasattr(envs, "action_space"))
        items = [envs] if alone else list(envs)
        given = [(env if isinstance(env, str) else env.spec if isinstance(env, Env) else
                  "model" if isinstance(env, Model) else _name(env), env) for env in items]
    horizons = [whole(t, "horizon") for t in (
        horizon if isinstance(horizon, Iterable) else [horizon])]
    if not given or not horizons:
        raise error("ARGUMENT", "there are no worlds")
    for t in horizons:
        if not 1 <= t <= 10**12:
            raise error("ARGUMENT", f"horizon: {t} is not in 1 .. {10**12}")
    worlds: dict[str, _World] = {}
    for plain, env in given:
        for t in horizons:
            name = plain if len(horizons) == 1 else f"{plain}, T = {t}"
            number, free = 1, name
            while free in worlds:
                number += 1
                free = f"{name} ({number})"
            if isinstance(env, str):
                Env(env)  # as for learners
            worlds[free] = _World(free, env, t)
    return list(worlds.values())


# ---- pieces of work ----


@dataclass(frozen=True)
class _Task:
    """Some learners in one world. Place -1 is random play, which is no learner of the table."""

    w: int
    world: _World
    entries: Mapping[int, tuple[str, _Entry]]  # by place: label and entry
    replicates: int
    seed: int
    untold: bool
    jobs: int = 1

    @property
    def steps(self) -> float:
        return float(len(self.entries) * self.replicates * self.world.horizon)

    @property
    def library(self) -> bool:
        return self.world.library and all(isinstance(e, str) for _, e in self.entries.values())

    def play(self, tell: _crew.Tell) -> dict[int, Tested | Failure]:
        """What comes of each learner; should all together fail, they are played one by one."""
        try:
            return self._together(tell)
        except Exception as why:
            if len(self.entries) > 1:
                found: dict[int, Tested | Failure] = {}
                for place, entry in self.entries.items():
                    found |= replace(self, entries={place: entry}).play(lambda steps: None)
                return found
            (place, (label, _)), = self.entries.items()
            notes = [note.removeprefix(f"learner {label}, ") for note in
                     getattr(why, "__notes__", ())]
            said = f"{type(why).__name__}: {(str(why).splitlines() or [''])[0]}"
            return {place: Failure(self.world.name, label, "; ".join([said, *notes]),
                                   traceback.format_exc())}

    def _together(self, tell: _crew.Tell) -> dict[int, Tested | Failure]:
        by_label = dict(self.entries.values())
        result = run(self.world.env, by_label, self.world.horizon, self.replicates, self.seed,
                     self.jobs, untold=self.untold, progress=lambda now: tell(now.steps_done))
        random, known = result.random, not np.isnan(result.optimum).any()
        if not known and self.world.library:
            zero = run(self.world.env, _RANDOM, self.world.horizon, self.replicates, self.seed,
                       self.jobs, untold=self.untold, progress=False)
            random = zero.reward[0]
        return {place: Tested(result.env, result.note, result.optimum, random, result.reward[l],
                              result.observed[l], result.seconds[l])
                for l, place in enumerate(self.entries)}


def _tasks(w: int, world: _World, entries: Mapping[str, _Entry], replicates: int, seed: int,
           untold: bool) -> Iterator[_Task]:
    """The learners of the library together where the runner plays them, the others one by one."""
    every = dict(enumerate(entries.items()))
    fast = {place: entry for place, entry in every.items()
            if world.library and isinstance(entry[1], str)}
    if fast:
        yield _Task(w, world, fast, replicates, seed, untold)
    for place, entry in every.items():
        if place not in fast:
            yield _Task(w, world, {place: entry}, replicates, seed, untold)
    if not world.library:
        yield _Task(w, world, {-1: (_RANDOM, _RANDOM)}, replicates, seed, untold)


def _played(tasks: Sequence[_Task], jobs: int, client: Any,
            tell: Callable[[int, float], object]) -> Iterator[tuple[int, Any]]:
    """Tasks as they end, by their places."""
    if client is not None:
        yield from _crew.cluster(tasks, client)
        return
    def at(places: Sequence[int]) -> Callable[[int, float], object]:
        return lambda n, steps: tell(places[n], steps)

    # threads of the runner first, so that no process is forked while there are some
    fast = [i for i, task in enumerate(tasks) if task.library]
    slow = [i for i, task in enumerate(tasks) if not task.library]
    for n, made in _crew.here([replace(tasks[i], jobs=jobs) for i in fast], at(fast)):
        yield fast[n], made
    own = [tasks[i] for i in slow]
    for n, made in (_crew.here(own, at(slow)) if jobs == 1 else
                    _crew.processes(own, jobs, at(slow))):
        yield slow[n], made


# ---- how far it is ----


class _Watch:
    """Adds up the steps of all tasks, and tells them."""

    def __init__(self, progress: bool | Callable[[Progress], object] | None,
                 tasks: Sequence[_Task]) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress must be True, False, None or a function, not "
                            f"{type(progress).__name__}")
        self.tasks, self.done = tasks, [0.0] * len(tasks)
        self.steps = sum(task.steps for task in tasks)
        self.begin = self.told = time.perf_counter()
        self.shown = False
        self.to: Callable[[Progress], object] | None = progress if callable(progress) else None
        self.line = progress is True or progress is None and (
            sys.stderr is not None and sys.stderr.isatty())

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, i: int, steps: float) -> None:
        self.done[i] = max(self.done[i], min(steps, self.tasks[i].steps))
        done, now = sum(self.done), time.perf_counter()
        if self.to is not None:
            self.to(Progress(done, self.steps, now - self.begin))
        elif self.line and now - self.begin > _PATIENCE and now - self.told >= _BETWEEN:
            self.told, self.shown = now, True
            left = (now - self.begin) * (self.steps / done - 1.0) if done > 0.0 else 0.0
            sys.stderr.write(f"\r\x1b[Klgkt.compare: {100.0 * done / self.steps:.0f}% of "
                             f"{len(self.done)} part{'s' * (len(self.done) != 1)}; "
                             f"{left:.0f} s left")
            sys.stderr.flush()


# ---- what comes of it ----


class _Table:
    """Numbers of all learners in all worlds, as they come in."""

    def __init__(self, worlds: Sequence[_World], entries: Mapping[str, _Entry], replicates: int,
                 seed: int, untold: bool, level: float, resamples: int) -> None:
        self.worlds, self.entries = worlds, entries
        self.told = {"replicates": replicates, "seed": seed, "untold": untold, "level": level,
                     "resamples": resamples}
        shape = (len(worlds), len(entries), replicates)
        self.runs = {name: np.full(shape, np.nan) for name in ("reward", "observed", "seconds")}
        self.ends = {name: np.full((len(worlds), replicates), np.nan)
                     for name in ("optimum", "random")}
        self.envs = [world.name for world in worlds]
        self.notes = [""] * len(worlds)
        self.failed: dict[tuple[int, int], Failure] = {}
        self.taken: set[tuple[int, int]] = set()

    @property
    def failures(self) -> list[Failure]:
        return [self.failed[at] for at in sorted(self.failed)]

    def take(self, task: _Task, played: Any) -> None:
        if isinstance(played, _crew.Lost):
            played = {place: Failure(task.world.name, label, str(played))
                      for place, (label, _) in task.entries.items()}
        for place, made in cast("dict[int, Tested | Failure]", played).items():
            w = task.w
            if isinstance(made, Failure):
                # without random play there is no score, which the table says
                if place >= 0:
                    self.failed[w, place] = made
                continue
            if place < 0:
                self.ends["random"][w] = made.reward
                continue
            self.taken.add((w, place))
            self.envs[w], self.notes[w] = made.env, made.note
            for name in self.runs:
                self.runs[name][w, place] = getattr(made, name)
            if not np.isnan(made.optimum).any():
                self.ends["optimum"][w] = made.optimum
            if not np.isnan(made.random).any():
                self.ends["random"][w] = made.random

    def made(self) -> Comparison:
        labels = tuple(self.entries)
        for w, world in enumerate(self.worlds):
            for place, label in enumerate(labels):
                if (w, place) not in self.taken:
                    self.failed.setdefault((w, place), Failure(world.name, label, "not played: "
                                                                                  "interrupted"))
        return Comparison(
            worlds=tuple(world.name for world in self.worlds), envs=tuple(self.envs),
            horizons=tuple(world.horizon for world in self.worlds), notes=tuple(self.notes),
            labels=labels, specs=tuple(entry if isinstance(entry, str) else None
                                       for entry in self.entries.values()),
            **cast(Any, self.runs | self.ends | self.told), failures=tuple(self.failures))
