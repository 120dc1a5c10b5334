# SPDX-License-Identifier: MIT
"""Grids: what the results say about choosing parameters.

A learner grid is looked at on one panel, or on all panels of a panel grid. Within a panel cells
are ordered by the main measure. It is told as a score where it is the reward per step and there
is one, which changes no order:

    score = 100 (mean - random) / (optimum - random)

Its interval is that of the mean times the same factor, where all instances have the same optimum:
else it would be about what there is to earn. What a cell loses against another is the difference of
their means with its paired interval, in points of the score or in the measure; over several panels
without scores in % of the best of each panel, as their sizes differ, unless it is a share already.
A cell is clearly worse if that interval lies above 0.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lgkt._digits import measured, points
from lgkt.report.results import MISSING, Entry, Experiment, Number, Panel

Value = float | str
_Floats = NDArray[np.float64]
_LISTED = 6  # cells that a sentence names
LEARNER = "learner"  # the axis of learners that are of no grid


class Axis(NamedTuple):
    """A name of a grid with its values: numbers ascending, texts in the order of the file."""

    name: str
    values: list[Value]

    @property
    def numbers(self) -> bool:
        """Whether no value is a text."""
        return not any(isinstance(value, str) for value in self.values)


class Move(NamedTuple):
    """An axis at another value, and what that loses."""

    value: Value
    loss: float
    ci95: float


class Sensitivity(NamedTuple):
    """What is lost from the best cell on as one axis moves."""

    axis: Axis
    at: Value
    steps: list[Move]  #: to the neighbours, the other axes kept; of texts: to the best other one
    worst: Move  #: to the worst value, the other axes kept
    anew: Move  #: to the worst value, the other axes chosen anew for it


class Grid:
    """A learner grid on some panels; arrays are (panels, cells), NaN where it was not run."""

    def __init__(self, panels: Iterable[Panel], name: str) -> None:
        """All cells of that name; without one all learners that know no model."""
        self.panel_axes = _axes(panel.cell for panel in panels)
        self.panels = sorted(panels, key=lambda panel: _place(self.panel_axes, panel.cell))
        first = self.panels[0]
        self.experiment, self.name, self.measure = first.experiment, name, first.measure
        found = [{tuple(cell.items()): entry for entry in panel.entries
                  if (cell := _cell(entry, name))} for panel in self.panels]
        cells = [dict(key) for key in dict.fromkeys(key for inside in found for key in inside)]
        self.axes = _axes(cells)
        self.cells = sorted(cells, key=lambda cell: _place(self.axes, cell))
        self.entries: list[list[Entry | None]] = [
            [inside.get(tuple(cell.items())) for cell in self.cells] for inside in found]
        self.references = list(dict.fromkeys(
            entry.label for panel in self.panels for entry in panel.entries
            if not entry.grid and not _cell(entry, name)))
        self.scored = self.measure == "average" and all(
            any(math.isfinite(panel.value(entry.label, "score").mean) for entry in inside.values())
            for panel, inside in zip(self.panels, found, strict=True))
        values = [[self.value(p, entry.label) if entry else MISSING for entry in row]
                  for p, row in enumerate(self.entries)]
        self.mean: _Floats = np.array([[number.mean for number in row] for row in values])
        self.ci95: _Floats = np.array([[number.ci95 for number in row] for row in values])
        self.sign = -1.0 if first.better == "lower" else 1.0
        worth = np.where(np.isnan(self.mean), -np.inf, self.sign * self.mean)
        self.best: list[int] = [int(c) for c in worth.argmax(axis=1)]
        top = np.array([row[c] for row, c in zip(self.mean, self.best, strict=True)])
        self.percent = (len(self.panels) > 1 and not self.scored and self.measure != "ratio"
                        and (bool(np.all(top > 0.0)) or bool(np.all(top < 0.0))))
        self._scale = 100.0 / np.abs(top) if self.percent else np.ones(len(self.panels))
        lost = [self.against(p, c) for p, c in enumerate(self.best)]
        self.loss: _Floats = np.array([loss for loss, _ in lost])
        self.loss_ci95: _Floats = np.array([half for _, half in lost])
        self.worse = self.loss - self.loss_ci95 > 0.0
        # the one choice for all panels, among cells that were run on all of them
        mean = np.mean(self.loss, axis=0)
        self.choice = self.best[0] if np.all(np.isnan(mean)) else int(np.nanargmin(mean))
        lost = [self.against(p, self.choice) for p in range(len(self.panels))]
        self.mean_loss = np.mean([loss for loss, _ in lost], axis=0)
        # panels are independent of each other
        self.mean_loss_ci95 = np.sqrt(np.sum([half ** 2 for _, half in lost], axis=0)) / len(lost)

    def value(self, p: int, label: str) -> Number:
        """The score of a learner of panel p, or its main measure."""
        panel = self.panels[p]
        found = panel.value(label)
        if not self.scored:
            return found
        factor = 100.0 / (panel.optimum - panel.random)
        vary = any(panel.value("", key).ci95 > 0.0 for key in ("optimum", "random"))
        return Number(factor * (found.mean - panel.random),
                      math.nan if vary else factor * found.ci95, found.n)

    def against(self, p: int, c: int) -> tuple[_Floats, _Floats]:
        """What each cell loses against cell c in panel p, with the interval of the difference."""
        panel, to = self.panels[p], self.entries[p][c]
        loss = self.sign * self._scale[p] * (self.mean[p, c] - self.mean[p])
        factor = self._scale[p] * (100.0 / (panel.optimum - panel.random) if self.scored else 1.0)
        half = [0.0 if entry is to else
                factor * panel.pair(to.label, entry.label).ci95 if to and entry else math.nan
                for entry in self.entries[p]]
        return loss, np.array(half)

    def level(self, p: int | None = None) -> tuple[int, _Floats, _Floats]:
        """The best cell of panel p, or on average, and what all lose against it."""
        if p is None:
            return self.choice, self.mean_loss, self.mean_loss_ci95
        return self.best[p], self.loss[p], self.loss_ci95[p]

    def close(self, p: int | None = None) -> list[int]:
        """The other cells that are not clearly worse than the best, by what they lose."""
        best, loss, half = self.level(p)
        return sorted((c for c in range(len(self.cells)) if c != best
                       and not math.isnan(loss[c]) and not loss[c] - half[c] > 0.0),
                      key=lambda c: float(loss[c]))

    def leaders(self, p: int) -> list[Entry]:
        """The best cell of panel p for each value of the axis with the fewest, if they are not too
        many; then what is best in the panel and over all, and learners that are in no grid."""
        axis = min(self.several, key=lambda axis: len(axis.values), default=None)
        chosen = {self.best[p], self.choice}
        if axis is not None and len(axis.values) <= _LISTED:
            for value in axis.values:
                cells = [c for c, cell in enumerate(self.cells) if cell[axis.name] == value
                         and not math.isnan(self.loss[p, c])]
                chosen |= {min(cells, key=lambda c: float(self.loss[p, c]))} if cells else set()
        found = [entry for c in sorted(chosen) if (entry := self.entries[p][c]) is not None]
        return found + [entry for entry in self.panels[p].entries
                        if entry.label in self.references and entry not in found]

    def sensitivity(self, p: int | None = None) -> list[Sensitivity]:
        """What moving each axis of several values loses, in panel p or on average."""
        best, loss, half = self.level(p)
        found = []
        for axis in self.several:
            name, at = axis.name, self.cells[best][axis.name]
            line: dict[Value, int] = {}  # the cells that differ from the best on this axis only
            anew: dict[Value, int] = {}  # the best cell of each value
            for c, cell in enumerate(self.cells):
                if math.isnan(loss[c]):
                    continue
                if {**cell, name: at} == self.cells[best]:
                    line[cell[name]] = c
                other = anew.setdefault(cell[name], c)
                anew[cell[name]] = c if loss[c] < loss[other] else other
            moves = {value: Move(value, float(loss[c]), float(half[c]))
                     for value, c in line.items() if value != at}
            if not moves:
                continue
            place = axis.values.index(at)
            steps = [moves[axis.values[i]] for i in (place - 1, place + 1)
                     if 0 <= i < len(axis.values) and axis.values[i] in moves]
            if not axis.numbers:
                steps = [min(moves.values(), key=lambda move: move.loss)]
            value, c = max(((value, c) for value, c in anew.items() if value != at),
                           key=lambda item: float(loss[item[1]]))
            found.append(Sensitivity(axis, at, steps, max(moves.values(), key=lambda m: m.loss),
                                     Move(value, float(loss[c]), float(half[c]))))
        return found

    # ---- words ----

    @property
    def several(self) -> list[Axis]:
        """The axes of learners that have several values."""
        return [axis for axis in self.axes if len(axis.values) > 1]

    @property
    def title(self) -> str:
        """The learners, from the first cell to the last, and the panels alike."""
        labels = [entry.label for entry in self.entries[0] if entry is not None]
        learners = between(labels[0], labels[-1]) if self.name and labels else ""
        panels = between(self.panels[0].title, self.panels[-1].title)
        return " on ".join(filter(None, (learners, panels)))

    @property
    def heading(self) -> str:
        """What stands above the table of sensitivity."""
        unit = f", in {self.unit.strip()}" if self.unit else ""
        average = ", on average" if len(self.panels) > 1 else ""
        return f"What moving one parameter loses{unit}{average} (value: loss)"

    @property
    def unit(self) -> str:
        """What a loss is counted in, to stand behind a number."""
        return " points" if self.scored else "%" if self.percent else ""

    @property
    def what(self) -> str:
        """What the cells are compared by."""
        return "score" if self.scored else self.measure.replace(":", " ")

    def number(self, value: float, half: float = math.nan) -> str:
        """A value or a loss, with its interval if there is one."""
        one = self.scored or self.percent
        if math.isnan(value):
            return "-"
        if not one:
            return measured(value, half)
        return points(value) if math.isnan(half) else f"{points(value)} ± {points(half)}"

    def told(self, p: int, c: int) -> str:
        """The value of a cell; with its main measure where that alone has an interval."""
        text, entry = self.number(self.mean[p, c], self.ci95[p, c]), self.entries[p][c]
        if not self.scored or not math.isnan(self.ci95[p, c]) or entry is None:
            return text
        mean, half, _ = self.panels[p].value(entry.label)
        return text if math.isnan(half) else (
            f"{text} ({self.measure} {measured(mean, half)})")

    def where(self, c: int) -> str:
        """A cell in words: its values on the axes that have several."""
        return named(self.cells[c], self.several or self.axes)

    def panel_where(self, p: int) -> str:
        """A panel in words."""
        axes = [axis for axis in self.panel_axes if len(axis.values) > 1]
        return named(self.panels[p].cell, axes) if axes else self.panels[p].title

    def said(self) -> str:
        """The answer, Markdown."""
        count, several = len(self.cells), len(self.panels) > 1
        best, unit, c = self.where(self.choice), self.unit, self.choice
        if several:
            worst = int(np.nanargmax(self.loss[:, c]))
            text = (f"**{best}** is the best choice for all {len(self.panels)} panels"
                    + (f": a mean {self.what} of {self.number(float(self.mean[:, c].mean()))}."
                       if not self.percent else "."))
            text += (f" Against the best cell of each panel it loses "
                     f"{self.number(float(self.loss[:, c].mean()))}{unit} on average and at most "
                     f"{self.number(self.loss[worst, c], self.loss_ci95[worst, c])}{unit} "
                     f"({self.panel_where(worst)})." if self.loss[worst, c] > 0.0 else
                     " It is the best in each of them.")
        else:
            text = f"**{best}** is the best cell: {self.what} {self.told(0, c)}."
        if count == 1:
            return f"{text} It is the only one."
        close = self.close(None if several else 0)
        names = "; ".join(self.where(c) for c in close[:_LISTED])
        average = " on average" if several else ""
        if len(close) == count - 1:
            return f"{text} None of the {count - 1} others is clearly worse{average}."
        if not close:
            return f"{text} All {count - 1} others are clearly worse{average}."
        more = f" and {len(close) - _LISTED} more" if len(close) > _LISTED else ""
        return (f"{text} Of the {count - 1} others {len(close)} "
                f"{'is' if len(close) == 1 else 'are'} not clearly worse{average}: {names}{more}.")

    def panel_table(self) -> list[list[str]]:
        """For each panel its best cell and what the one choice loses; titles first."""
        axes = [axis.name for axis in self.panel_axes if len(axis.values) > 1] or ["panel"]
        several = len(self.panels) > 1
        rows = [[*axes, "best cell", self.what, "not clearly worse",
                 *([f"lost by {self.where(self.choice)}"] if several else []), *self.references]]
        for p, (panel, c) in enumerate(zip(self.panels, self.best, strict=True)):
            lost = self.number(self.loss[p, self.choice], self.loss_ci95[p, self.choice])
            rows.append([
                *(word(panel.cell[name]) if name in panel.cell else panel.title for name in axes),
                self.where(c), self.told(p, c),
                f"{len(self.close(p))} of {len(self.cells) - 1}",
                *(["0" if self.choice == c else lost + self.unit] if several else []),
                *(self.number(self.value(p, label).mean) for label in self.references)])
        return rows

    def sensitivity_table(self, each: bool = False) -> list[list[str]]:
        """What moving each axis loses, on average or in each panel; titles first."""
        others = len(self.several) > 1
        rows = [[*([self.panel_where(p)] if p is not None else []), found.axis.name, word(found.at),
                 "; ".join(self._moved(step) for step in found.steps), self._moved(found.worst),
                 *([self._moved(found.anew)] if others else [])]
                for p in (range(len(self.panels)) if each else (None,))
                for found in self.sensitivity(p)]
        titles = [*(["panel"] if each else []), "axis", "best", "one step away", "worst value",
                  *(["worst value, others chosen anew"] if others else [])]
        return [titles, *rows] if rows else []

    def _moved(self, move: Move) -> str:
        return f"{word(move.value)}: {self.number(move.loss, move.ci95)}"


def covered(panel: Panel) -> bool:
    """Whether a panel is part of a grid: learners, the panel or both."""
    return panel.better in ("higher", "lower") and (
        any(entry.grid for entry in panel.entries)
        or bool(panel.grid) and not all(entry.oracle for entry in panel.entries))


def grids(experiment: Experiment) -> list[Grid]:
    """All grids of an experiment; plain learners on a panel grid are cells themselves."""
    groups: dict[tuple[str, ...], list[Panel]] = {}
    for panel in filter(covered, experiment.panels):
        # a name may stand for other axes in another panel
        kinds = dict.fromkeys((entry.grid, *entry.cell) for entry in panel.entries if entry.grid)
        for kind in kinds or [("",)]:
            where = (panel.grid, "" if panel.grid else panel.name, panel.measure)
            groups.setdefault((*where, *kind), []).append(panel)
    return [Grid(panels, name) for (_, _, _, name, *_), panels in groups.items()]


def csv_table(found: Sequence[Grid]) -> bytes:
    """The cells of all grids, one row for each on each panel."""
    panel_axes = dict.fromkeys(axis.name for grid in found for axis in grid.panel_axes)
    axes = dict.fromkeys(axis.name for grid in found for axis in grid.axes)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["panel", "grid", "learner", *(f"panel.{name}" for name in panel_axes),
                     *(f"learner.{name}" for name in axes), "measure", "n", "mean", "ci95", "score",
                     "unit", "loss", "loss_ci95", "best", "clearly_worse", "choice"])
    for grid in found:
        for p, panel in enumerate(grid.panels):
            for c, (cell, entry) in enumerate(zip(grid.cells, grid.entries[p], strict=True)):
                if entry is None:
                    continue
                mean, half, n = panel.value(entry.label)
                numbers = (n, mean, half, grid.mean[p, c] if grid.scored else "",
                           grid.unit.strip(), grid.loss[p, c], grid.loss_ci95[p, c])
                writer.writerow([
                    panel.name, grid.name, entry.label,
                    *(panel.cell.get(name, "") for name in panel_axes),
                    *(cell.get(name, "") for name in axes), grid.measure,
                    *("" if x != x else x for x in numbers), int(c == grid.best[p]),
                    int(grid.worse[p, c]), int(c == grid.choice)])
    return out.getvalue().encode()


# ---- pieces ----


def word(value: Value) -> str:
    """A value as the file has it."""
    return value if isinstance(value, str) else f"{value:.12g}"


def between(first: str, last: str) -> str:
    """Two titles of a grid as one.

    >>> between("River, S = 5, A = 2", "River, S = 20, A = 2")
    'River, S = 5 to 20, A = 2'
    >>> between("LG1T 0.5", "LG2T 1"), between("LG1T 0.5", "LG1T 0.5")
    ('LG1T 0.5 to LG2T 1', 'LG1T 0.5')
    """
    words = list(zip(first.split(), last.split()))
    differ = [i for i, (a, b) in enumerate(words) if a != b]
    # of several, which one is meant must be said before each
    same = len(first.split()) == len(last.split()) and (
        len(differ) < 2 or all(i > 0 and words[i - 1][0] == "=" for i in differ))
    if first == last or not same:
        return first if first == last else f"{first} to {last}"
    return " ".join(b if a == b else f"{a.rstrip(',;:')} to {b}" for a, b in words)


def named(cell: Mapping[str, Value], axes: Iterable[Axis]) -> str:
    """k = 2, g = 0.3"""
    return ", ".join(word(cell[axis.name]) if axis.name == LEARNER else
                     f"{axis.name} = {word(cell[axis.name])}" for axis in axes)


def _cell(entry: Entry, name: str) -> Mapping[str, Value]:
    """The cell of an entry in the grid of that name; empty if it is not in it."""
    if name:
        return entry.cell if entry.grid == name else {}
    return {} if entry.oracle else {LEARNER: entry.label}


def _axes(cells: Iterable[Mapping[str, Value]]) -> list[Axis]:
    values: dict[str, dict[Value, None]] = {}
    for cell in cells:
        for name, value in cell.items():
            values.setdefault(name, {})[value] = None
    made = [Axis(name, list(found)) for name, found in values.items()]
    return [axis._replace(values=sorted(axis.values)) if axis.numbers else axis for axis in made]


def _place(axes: Iterable[Axis], cell: Mapping[str, Value]) -> tuple[int, ...]:
    return tuple(axis.values.index(cell[axis.name]) for axis in axes if axis.name in cell)
