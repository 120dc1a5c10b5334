# SPDX-License-Identifier: MIT
"""Experiment files: what `lgkt reproduce` runs, as Python objects.

>>> import lgkt
>>> lake = lgkt.experiment.read("frozenlake")
>>> lake.title, [panel.environment for panel in lake.panels]
('FrozenLake 4x4 without end', ['frozenlake'])
>>> result = lake.panel().run(replicates=2, jobs=1)
>>> result["Optimal"].mean > result["Random"].mean
True

A file is read by the code that reads it for the command. Specs are looked at when they run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lgkt import _core, _json, files
from lgkt._errors import error
from lgkt._text import encoded, read_bytes, shown
from lgkt.env import Env
from lgkt.result import Result
from lgkt.run import Progress, run

__all__ = ["Entry", "Experiment", "Panel", "names", "read"]


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class Entry:
    """A learner of a panel."""

    label: str
    spec: str
    group: str
    section: str
    style: Mapping[str, Any]  #: color, dash, width, as far as the file says
    oracle: bool  #: it knows the model
    alone: bool  #: of units: each has a learner for itself
    grid: str | None = None  #: of a grid: the label with its names not filled in
    cell: Mapping[str, float | str] = field(default_factory=dict)  #: of a grid: name to value


@dataclass(frozen=True)
class Units:
    """Many units in place of one trajectory; see docs/experiments.md."""

    count: int
    late: float  #: mean number of rounds after which a reward is reported
    missing: float  #: probability that it never is
    patience: int  #: rounds after which nobody waits for it
    told: int  #: rounds that learners are told at first; 0: all
    extended: int  #: round at whose start they are told the rest


@dataclass(frozen=True)
class Panel:
    """An environment with learners side by side; what the file leaves out is filled in."""

    name: str
    title: str
    environment: str
    horizon: int
    instances: int
    quick: int  #: instances of a quick run; 0: it is no part of one
    measures: tuple[str, ...]  #: the first is the main one
    regret: tuple[int, float] | None  #: K and threshold
    events: Mapping[str, str]
    untold: bool
    checkpoints: str | tuple[int, ...]
    compare: tuple[int, ...]
    entries: tuple[Entry, ...]
    seed: int  #: of the experiment
    folder: Path  #: paths in the spec of the environment are relative to it
    units: Units | None
    grid: str | None = None  #: of a grid: the name with its names not filled in
    cell: Mapping[str, float | str] = field(default_factory=dict)  #: of a grid: name to value
    place: int = 0  #: in the list of panels of the file, where those of a grid are one

    @property
    def times(self) -> NDArray[np.int64]:
        """When the command looks at curves: the checkpoints, and where pairs are compared."""
        end = self.horizon
        if self.measures == ("ratio",):
            return np.array([end], np.int64)
        times = (_core.checkpoints(end, self.checkpoints == "log")
                 if isinstance(self.checkpoints, str) else self.checkpoints)
        all_times = np.union1d(times, [*self.compare, end]).astype(np.int64)
        return all_times[all_times <= end]

    def run(self, replicates: int | None = None, *, seed: int | None = None,
            jobs: int | None = None,
            progress: bool | Callable[[Progress], object] | None = None) -> Result:
        """Run it with `lgkt.run`: the same numbers as those of the command.

        Curves are those of the average reward and of the regret; counters over time, events and
        exact ratios are for the command.
        """
        if self.measures == ("ratio",):
            raise error("UNSUPPORTED", f"panel {self.name}: a ratio is exact, there is no run; see "
                                       f"lgkt.plan")
        if self.units is not None:
            raise error("UNSUPPORTED", f"panel {self.name}: units at once are for the command; see "
                                       f"lgkt.Units")
        data = files.resolve(self.environment, self.folder)
        seed = self.seed if seed is None else seed
        env = self.environment if data is None else Env(self.environment, seed=seed, data=data)
        return run(env, {entry.label: entry.spec for entry in self.entries}, self.horizon,
                   self.instances if replicates is None else replicates, seed, jobs, self.times,
                   regret=self.regret if "regret" in self.measures else None, untold=self.untold,
                   progress=progress)


@dataclass(frozen=True)
class Experiment:
    """What an experiment file says; what it leaves out is filled in."""

    name: str
    title: str
    question: str
    place: str
    collection: str
    section: str
    order: int
    seed: int
    file: Path
    panels: tuple[Panel, ...]
    source: bytes = field(default=b"", repr=False, compare=False)  #: what the file holds

    def panel(self, name: str | None = None) -> Panel:
        """The panel of that name; without one the first."""
        return panel_of(self.name, self.panels, name)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_P = TypeVar("_P", bound=_Named)


def panel_of(experiment: str, panels: Sequence[_P], name: str | None) -> _P:
    """The panel of that name, here or in results; without one the first."""
    for panel in panels:
        if name is None or panel.name == name:
            return panel
    hint = _core.suggest(name or "", tuple(panel.name for panel in panels))
    raise error("ARGUMENT", f'{experiment}: there is no panel "{name}"; {hint}')


def names() -> list[str]:
    """The experiments that come with the package.

    >>> "synthetic-10" in names()
    True
    """
    return sorted(file.stem for file in _folder().glob("[!.]*.json") if file.is_file())


def read(name_or_file: str | os.PathLike[str]) -> Experiment:
    """An experiment that comes with the package, or a file (with a '/', or ending in .json)."""
    word = os.fspath(name_or_file)
    if "/" in word or word.endswith(".json"):
        path = word
    elif word in names():
        path = str(_folder() / f"{word}.json")
    else:
        raise error("UNKNOWN_NAME", f'unknown experiment "{shown(word, 60)}"; '
                                    f"{_core.suggest(word, tuple(names()))}")
    return parse(path, read_bytes(path, _core.EXPERIMENT_BYTES))


def _folder() -> Path:
    given, package = os.environ.get("LGKT_EXPERIMENTS"), Path(__file__).resolve().parent
    if given:
        return Path(given)
    installed = package / "experiments"
    return installed if installed.is_dir() else package.parents[1] / "experiments"


def parse(path: str, source: bytes) -> Experiment:
    """An experiment from the bytes of its file, which is called `path`."""
    said = _core.read_experiment(_json.parse(source, path), source, encoded(path))
    learners: dict[int, tuple[Entry, ...]] = {}  # those of a list, which panels of a grid share
    panels = []
    for panel in said["panels"]:
        listed, units = panel["entries"], panel["units"]
        if id(listed) not in learners:
            learners[id(listed)] = tuple(Entry(**entry) for entry in listed)
        panels.append(Panel(**panel | {
            "entries": learners[id(listed)], "seed": said["seed"], "folder": Path(path).parent,
            "units": None if units is None else Units(**units)}))
    return Experiment(**said | {"file": Path(path), "panels": tuple(panels), "source": source})
