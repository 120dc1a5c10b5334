# SPDX-License-Identifier: MIT
"""Experiment files: what `lgkt reproduce` runs, as Python objects.

>>> import lgkt
>>> lake = lgkt.experiment.read("frozenlake")
>>> lake.title, [panel.environment for panel in lake.panels]
('FrozenLake 4x4 without end', ['frozenlake'])
>>> result = lake.panel().run(replicates=2, jobs=1)
>>> result["Optimal"].mean > result["Random"].mean
True

A file is checked as the command checks it, with the same words. Specs are looked at when they run.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lgkt import _core, files
from lgkt import _experiment_grid as _grid
from lgkt._errors import error
from lgkt._text import read_bytes, short, shown
from lgkt.env import Env
from lgkt.result import Result
from lgkt.run import Progress, run

__all__ = ["Entry", "Experiment", "Panel", "names", "read"]

_WORD, _LINE, _SPEC = 64, 2000, 4096  # bytes
_LEARNERS, _PANELS, _MEASURES, _COMPARE, _TIMES = 1000, 1000, 8, 15, 199
_CELLS = 20000  # learners that the grids of a file make
_HORIZON, _INSTANCES = 10**12, 10**7
_USUAL = (100, 1000, 5000, 10000, 100000)
_DASHES = ("solid", "dashed", "dotted", "dashdot", "short")
_MEASURE_WORDS = ("average", "cumulative", "regret", "ratio", "counter:NAME", "event:NAME")
_SHARED = ("horizon", "instances", "quick", "measure", "regret", "events", "untold", "compare",
           "checkpoints", "units")
_Field = _grid.Field
_LEARNER_FIELDS = (_Field("label", _WORD, before=" ", between="="), _Field("spec", _SPEC, True),
                   _Field("group", _WORD), _Field("section", _WORD))
_PANEL_FIELDS = (_Field("name", _WORD, before=" ", between="="),
                 _Field("title", _LINE, before=", ", between=" = "),
                 _Field("environment", _SPEC, True), _Field("events", _SPEC, True),
                 _Field("horizon", 0, True), _Field("instances", 0, True), _Field("quick", 0))


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
    return sorted(file.stem for file in _folder().glob("[!.]*.json"))


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
    return _Reader(path).experiment()


def _folder() -> Path:
    given, package = os.environ.get("LGKT_EXPERIMENTS"), Path(__file__).resolve().parent
    if given:
        return Path(given)
    installed = package / "experiments"
    return installed if installed.is_dir() else package.parents[1] / "experiments"


# ---- reading, in the order of experiment_file.c ----


def _inner(place: str, name: str, index: int | None = None) -> str:
    return f"{place}{'.' if place else ''}{name}{'' if index is None else f'[{index}]'}"


class _Reader:
    """A file; messages name the place of an object in it, e.g. panels[2], and the field."""

    def __init__(self, path: str, source: bytes | None = None) -> None:
        self.path = path
        self.source = read_bytes(path) if source is None else source

        def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            made = dict(pairs)
            if len(made) < len(pairs):
                twice = next(key for key, _ in pairs if [k for k, _ in pairs].count(key) > 1)
                self.refuse("", "", f'duplicate object key "{shown(twice)}"')
            return made

        def integer(text: str) -> int:
            if len(text) > 20 or not -2**63 <= int(text) < 2**63:
                self.refuse("", "", f"too big integer near {text[:40]}")
            return int(text)

        try:
            self.root = json.loads(self.source.decode(), object_pairs_hook=unique,
                                   parse_int=integer)
        except json.JSONDecodeError as why:
            raise error("FORMAT", f"{short(path)}:{why.lineno}:{why.colno}: {why.msg}") from None
        except UnicodeDecodeError:
            self.refuse("", "", "it is not UTF-8")

    def refuse(self, place: str, key: str, text: str) -> NoReturn:
        where = ".".join(part for part in (place, key) if part)
        raise error("FORMAT", f"{short(self.path)}: {where}{': ' if where else ''}{text}")

    def word(self, place: str, key: str, what: str, word: str, words: Iterable[str]) -> None:
        if word not in (known := tuple(words)):
            self.refuse(place, key, f'unknown {what}"{shown(word)}"; {_core.suggest(word, known)}')

    def keys(self, place: str, value: Any, *keys: str) -> dict[str, Any]:
        """That it is an object of these keys only."""
        if not isinstance(value, dict):
            self.refuse(place, "", "it must be an object {...}")
        for key in value:
            self.word(place, "", "field ", key, keys)
        return value

    def text(self, place: str, key: str, value: Any, limit: int, empty: bool = False) -> str:
        if not isinstance(value, str):
            self.refuse(place, key, "it must be a text")
        size = len(value.encode("utf-8", "replace"))
        if size > limit or not value and not empty:
            self.refuse(place, key, f"it has {size} bytes; it must have {int(not empty)} to "
                                    f"{limit}")
        if any(c < " " or c == "\x7f" for c in value):
            self.refuse(place, key, "it has a control character; it must be one line")
        return value

    def needed(self, place: str, data: Mapping[str, Any], key: str) -> Any:
        if key not in data:
            self.refuse(place, key, "it is missing")
        return data[key]

    def get_text(self, place: str, data: Mapping[str, Any], key: str, limit: int,
                 fallback: str | None = None) -> str:
        if fallback is not None and key not in data:
            return fallback
        return self.text(place, key, self.needed(place, data, key), limit, fallback is not None)

    def get_whole(self, place: str, data: Mapping[str, Any], key: str, low: int, high: int,
                  fallback: int | None = None) -> int:
        if fallback is not None and key not in data:
            return fallback
        value = self.needed(place, data, key)
        if not isinstance(value, int) or isinstance(value, bool):
            self.refuse(place, key, "it must be a whole number")
        if not low <= value <= high:
            self.refuse(place, key, f"it is {value}; it must be in {low} .. {high}")
        return value

    def get_real(self, place: str, data: Mapping[str, Any], key: str, low: float,
                 high: float) -> float:
        value = self.needed(place, data, key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            self.refuse(place, key, "it must be a number")
        if not low <= value <= high:
            self.refuse(place, key, f"it is {value:.16g}; it must be in {low:g} .. {high:g}")
        return float(value)

    def get_bool(self, place: str, data: Mapping[str, Any], key: str) -> bool:
        value = data.get(key, False)
        if not isinstance(value, bool):
            self.refuse(place, key, "it must be true or false")
        return value

    def items(self, place: str, key: str, value: Any, low: int, high: int) -> list[Any]:
        if not isinstance(value, list):
            self.refuse(place, key, "it must be a list [...]")
        if not low <= len(value) <= high:
            self.refuse(place, key, f"it has {len(value)} entries; it must have {low} to {high}")
        return value

    def increasing(self, place: str, key: str, value: Any, most: int) -> tuple[int, ...]:
        last = 0
        for i, time in enumerate(self.items(place, key, value, 0, most)):
            if not isinstance(time, int) or isinstance(time, bool) or not last < time <= _HORIZON:
                self.refuse(place, key, f"entry {i}: times are whole numbers from 1 on that "
                                        f"increase")
            last = time
        return tuple(value)

    # ---- learners ----

    def entry(self, place: str, value: Any, group: str) -> Entry:
        data = self.keys(place, value, "label", "spec", "group", "section", "style", "oracle",
                         "alone", "grid")
        label = self.get_text(place, data, "label", _WORD)
        spec = self.get_text(place, data, "spec", _SPEC)
        oracle = self.get_bool(place, data, "oracle")
        alone = self.get_bool(place, data, "alone")
        group = self.get_text(place, data, "group", _WORD, group)
        section = self.get_text(place, data, "section", _WORD, "")
        style: dict[str, Any] = {}
        if "style" in data:
            place = _inner(place, "style")
            style = self.keys(place, data["style"], "color", "dash", "width")
            if "color" in style:
                color = self.get_text(place, style, "color", _WORD)
                if not re.fullmatch("#[0-9a-fA-F]{6}", color):
                    self.refuse(place, "color", f'it is "{color}"; it must be like "#e69f00"')
            if "dash" in style:
                dash = self.get_text(place, style, "dash", _WORD)
                self.word(place, "dash", "", dash, _DASHES)
            if "width" in style:
                self.get_real(place, style, "width", 0.1, 20.0)
        return Entry(label, spec, group, section, style, oracle, alone)

    def sets(self, value: Any) -> dict[str, list[Entry]]:
        if not isinstance(value, dict) or not 1 <= len(value) <= _LEARNERS:
            self.refuse("", "learners", "it must be an object with named lists of learners")
        made = {}
        cells = 0
        for name, entries in value.items():
            self.text("learners", name, name, _WORD)
            made[name] = [
                replace(self.entry(_inner("learners", name, part.place), part.data, name),
                        grid=part.grid, cell=part.cell)
                for part in _grid.parts(self, "learners", name, entries, _LEARNER_FIELDS,
                                        _LEARNERS)]
            cells += sum(entry.grid is not None for entry in made[name])
            if cells > _CELLS:
                self.refuse("", "learners", f"grids make more than {_CELLS} of them")
        return made

    def learners(self, place: str, data: Mapping[str, Any],
                 sets: Mapping[str, list[Entry]]) -> tuple[Entry, ...]:
        found: dict[str, Entry] = {}
        clashes = _grid.Clashes(self)
        listed = self.needed(place, data, "learners")
        for name in self.items(place, "learners", listed, 1, _LEARNERS):
            self.text(place, "learners", name, _WORD)
            if name not in sets:
                self.refuse(place, "learners", f'no set of learners "{name}"; '
                                               f"{_core.suggest(name, tuple(sets))}")
            for entry in sets[name]:
                if entry.label in found:
                    self.refuse(place, "learners", f'two of them have the label "{entry.label}"')
                clashes.check(place, "learners", entry.grid, entry.cell)
                if len(found) == _LEARNERS:
                    self.refuse(place, "learners", f"more than {_LEARNERS} learners")
                found[entry.label] = entry
        return tuple(found.values())

    # ---- panels ----

    def measures(self, place: str, value: Any, regret: Any,
                 events: Mapping[str, str]) -> tuple[str, ...]:
        several = isinstance(value, list)
        words = self.items(place, "measure", value, 1, _MEASURES) if several else [value]
        for i, word in enumerate(words):
            self.text(place, "measure", word, _WORD)
            kind, colon, name = word.partition(":")
            if not (colon and name and kind in ("counter", "event")):
                self.word(place, "measure", "measure ", word, _MEASURE_WORDS)
            if word == "regret" and regret is None:
                self.refuse(place, "measure", 'regret needs "regret": {"k": ..., "threshold": '
                                              '...}')
            if kind == "event" and name not in events:
                self.refuse(place, "measure", f'"events" has no "{name}"')
            if word in words[:i]:
                self.refuse(place, "measure", f'"{word}" is there twice')
            if word == "ratio" and len(words) > 1:
                self.refuse(place, "measure", "ratio goes with no other measure")
        return tuple(words)

    def units(self, place: str, data: Mapping[str, Any]) -> Units | None:
        if "units" not in data:
            return None
        place = _inner(place, "units")
        said = self.keys(place, data["units"], "count", "late", "missing", "patience", "told",
                         "extended")
        made = Units(self.get_whole(place, said, "count", 1, 10**6),
                     self.get_real(place, {"late": 0, **said}, "late", 0, 1e6),
                     self.get_real(place, {"missing": 0, **said}, "missing", 0, 1),
                     self.get_whole(place, said, "patience", 1, 10**6, 100),
                     self.get_whole(place, said, "told", 1, _HORIZON, 0),
                     self.get_whole(place, said, "extended", 0, _HORIZON, 0))
        if 0 < made.told < made.extended:
            self.refuse(place, "extended", f"it is {made.extended}, and the run ends after "
                                           f"{made.told} rounds that were told")
        return made

    def panel(self, place: str, value: Any, sets: Mapping[str, list[Entry]], seed: int) -> Panel:
        own = self.keys(place, value, "name", "title", "environment", "learners", *_SHARED,
                        "grid")
        # what a panel leaves to the whole file is found in the one that has it
        def at(key: str) -> tuple[str, Mapping[str, Any]]:
            return ("", self.root) if key in self.root and key not in own else (place, own)

        name = self.get_text(place, own, "name", _WORD)
        environment = self.get_text(place, own, "environment", _SPEC)
        horizon = self.get_whole(*at("horizon"), "horizon", 1, _HORIZON)
        instances = self.get_whole(*at("instances"), "instances", 1, _INSTANCES)
        untold = self.get_bool(*at("untold"), "untold")
        title = self.get_text(place, own, "title", _LINE, name)
        quick = min(self.get_whole(*at("quick"), "quick", 0, _INSTANCES, 30), instances)
        units = self.units(*at("units"))
        where, data = at("regret")
        regret = None
        if "regret" in data:
            where = _inner(where, "regret")
            said = self.keys(where, data["regret"], "k", "threshold")
            regret = (self.get_whole(where, said, "k", 1, _HORIZON),
                      self.get_real(where, said, "threshold", -1e300, 1e300))
        where, data = at("events")
        events = data.get("events", {})
        if not isinstance(events, dict) or len(events) > _MEASURES:
            self.refuse(where, "events", f"it must be an object with at most {_MEASURES} "
                                         f"environments")
        for key, spec in events.items():
            self.text(where, "events", key, _WORD - len("event:") - 1)
            self.text(where, "events", spec, _SPEC)
        where, data = at("measure")
        measures = self.measures(where, data.get("measure", "average"), regret, events)
        where, data = at("checkpoints")
        usual = "log" if measures[0] == "regret" else "mixed"
        times: str | tuple[int, ...]
        if isinstance(data.get("checkpoints"), list):
            times = self.increasing(where, "checkpoints", data["checkpoints"], _TIMES)
        else:
            times = self.get_text(where, data, "checkpoints", _WORD, usual)
            if times not in ("log", "mixed"):
                self.refuse(where, "checkpoints", 'it must be "mixed", "log" or a list of times')
        where, data = at("compare")
        compare = self.increasing(where, "compare", data.get("compare", list(_USUAL)), _COMPARE)
        return Panel(name, title, environment, horizon, instances, quick, measures, regret, events,
                     untold, times, compare, self.learners(place, own, sets), seed,
                     Path(self.path).parent, units)

    def experiment(self) -> Experiment:
        file = os.path.basename(self.path)
        name = file.removesuffix(".json") or file
        self.text("", "its name", name, _WORD)
        if name.startswith("."):
            self.refuse("", "", "the name of an experiment must not begin with a dot")
        root = self.keys("", self.root, "title", "question", "place", "collection", "section",
                         "order", "seed", "comment", "learners", "panels", *_SHARED)
        title = self.get_text("", root, "title", _LINE, name)
        question = self.get_text("", root, "question", _LINE, "")
        where = self.get_text("", root, "place", _LINE, "")
        collection = self.get_text("", root, "collection", _WORD, "")
        section = self.get_text("", root, "section", _WORD, name)
        order = self.get_whole("", root, "order", 0, 1000000, 1000)
        seed = self.get_whole("", root, "seed", 0, 2**53 - 1, 1)
        self.get_text("", root, "comment", _LINE, "")
        sets = self.sets(root.get("learners"))
        panels: list[Panel] = []
        clashes = _grid.Clashes(self)
        for part in _grid.parts(self, "", "panels", self.needed("", root, "panels"), _PANEL_FIELDS,
                                _PANELS):
            made = replace(self.panel(f"panels[{part.place}]", part.data, sets, seed),
                           grid=part.grid, cell=part.cell, place=part.place)
            if any(panel.name == made.name for panel in panels):
                self.refuse(f"panels[{part.place}]", "name", f'a second panel "{made.name}"')
            clashes.check(f"panels[{part.place}]", "grid", made.grid, made.cell)
            panels.append(made)
        return Experiment(name, title, question, where, collection, section, order, seed,
                          Path(self.path), tuple(panels), self.source)
