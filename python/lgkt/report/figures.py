# SPDX-License-Identifier: MIT
"""Figures of results (matplotlib): curves, ratios, and drawings, as SVG and PNG.

A figure is some views, two side by side; a view is some learners of a panel by one measure:

    average, cumulative, event:NAME    log t against the mean, with its 95% interval
    regret, counter:NAME               the same with both axes logarithmic
    ratio                              a point with its interval for each learner; against a
                                       measure of runs.csv, a dot for each instance

Labels stand at the right ends of the lines, so no legend covers a curve. The same results and
versions of the packages give the same bytes. All lengths are in points.
"""

from __future__ import annotations

import contextlib
import html
import io
import math
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Patch, PathPatch, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

import lgkt
from lgkt import _core
from lgkt._errors import error
from lgkt._figure import GREY, PALETTE, SIZE, STEP, label_ends, open_frame
from lgkt._text import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lgkt.report.grid import Grid
    from lgkt.report.results import Entry, Experiment, Panel, Results

COLUMNS = 2
WIDTH, HEIGHT = 250.0, 196.0  # of the axes of a view
LEFT, RIGHT, TOP, BOTTOM = 58.0, 112.0, 30.0, 40.0  # around them
FINEST = 0.012  # part of the time axis that has one point of a curve
MOST_CURVES = 12  # panels of a grid that have curves beside the maps
BESIDE = "-curves"  # ends the name of the figure of panels beside the grids of an experiment
GROUNDS = "has grounds of its own"  # the label of a figure whose colours stay on a dark page
INK, FRAME, LINES, PAPER = "#111111", "#444444", "#e4e4e4", "#ffffff"
DASHES: dict[str, Any] = {"solid": "-", "dashed": (0, (5.0, 2.8)), "dotted": (0, (1.1, 2.2)),
                          "dashdot": (0, (5.0, 2.2, 1.1, 2.2)), "short": (0, (2.8, 2.2))}
TITLES = {"average": "reward per step so far", "cumulative": "reward so far",
          "regret": "regret so far", "ratio": "share of the optimal value",
          "distance": "L1 distance of transitions per step (theorem 3.5)"}
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans", "font.size": SIZE, "axes.titlesize": SIZE + 1.0,
    "axes.titlelocation": "left", "axes.titlepad": 9.0, "axes.edgecolor": FRAME,
    "axes.labelcolor": INK, "axes.titlecolor": INK, "text.color": INK, "text.parse_math": False,
    "xtick.color": FRAME, "ytick.color": FRAME, "xtick.major.size": 3.0, "ytick.major.size": 3.0,
    "xtick.minor.size": 1.7, "ytick.minor.size": 1.7, "axes.linewidth": 0.9, "axes.grid": True,
    "axes.grid.axis": "y", "grid.color": LINES, "grid.linewidth": 0.6, "axes.axisbelow": True,
    "figure.facecolor": PAPER, "axes.facecolor": "none", "svg.fonttype": "none",
    "savefig.dpi": 144.0, "axes.unicode_minus": False, "lines.dash_capstyle": "butt",
}


@dataclass
class View:
    """Some learners of a panel by one measure."""

    panel: Panel
    entries: Sequence[Entry]
    title: str
    measure: str
    against: str | None = None  #: ratio: a measure of runs.csv on the x axis
    marks: Mapping[str, float] = field(default_factory=dict)  #: ratio: what the paper prints
    levels: bool = False  #: with lines for the optimum and for uniform play
    few: bool = False  #: of many learners, so that colours go by the place among these


# ---- which figures there are ----


def views(experiment: Experiment, hide: Sequence[str] = ()) -> list[View]:
    """All panels; one with sections once for each, along with what belongs to no section."""
    return [_view(panel, {"sections": ["", section], "measure": measure, "hide": hide,
                          "title": ", ".join(filter(None, (panel.title, section)))})
            for panel in experiment.panels
            for measure in panel.measures
            for section in dict.fromkeys(e.section for e in panel.entries if e.section) or [""]]


def names(results: Results, figures: Mapping[str, Any]) -> list[str]:
    """The figures that can be drawn: defined ones whose experiments are there, then one of each."""
    defined = []
    for name, figure in figures.items():
        parts = figure.get("views", [figure] if "experiment" in figure else [])
        if not parts or any(_there(part, results) for part in parts) and all(
                part.get("experiment") in results for part in parts):
            defined.append(name)
    return defined + [name for experiment in results.values() for name in own(experiment)
                      if name not in defined]


def own(experiment: Experiment) -> list[str]:
    """The figures of an experiment: its own name, and one for panels beside its grids."""
    from lgkt.report.grid import covered

    inside = [covered(panel) for panel in experiment.panels]
    return [experiment.name, *([experiment.name + BESIDE] if any(inside) and not all(inside)
                               and experiment.collection != "arena" else [])]


def along(grid: Grid) -> list[View]:
    """Curves of the leading cells of a grid, in panels that have curves; none for very many."""
    if len(grid.panels) > MOST_CURVES:
        return []
    return [View(panel, entries, f"{panel.title} ({panel.instances} instance"
                                 f"{'s' * (panel.instances != 1)})", panel.measure, few=True)
            for p, panel in enumerate(grid.panels)
            if (entries := [entry for entry in grid.leaders(p)
                            if len(panel.curve(entry.label)[0]) > 2])]


def figure(name: str, results: Results, figures: Mapping[str, Any]) -> Figure:
    """A figure by its name, that of the definition or of an experiment."""
    found = _find(name, results, figures)
    columns = max(1, int(figures.get(name, {}).get("columns", COLUMNS)))
    views = [part for part in found if isinstance(part, View)]
    return draw(*views, columns=columns) if views else next(
        part for part in found if isinstance(part, Figure))


def parts(name: str, results: Results, figures: Mapping[str, Any]) -> list[Figure]:
    """The same as one figure for each view, for pages that arrange them to their width."""
    return [draw(part) if isinstance(part, View) else part
            for part in _find(name, results, figures, apart=True)]


def _find(name: str, results: Results, figures: Mapping[str, Any],
          apart: bool = False) -> Sequence[Figure | View]:
    """The views of a figure, or a drawing, `apart` in its columns."""
    from lgkt.report import arena, grid, heat

    if name not in figures:
        _check(name, names(results, figures), "there is no figure")
        if name not in results:
            return [view for view in views(results[name.removesuffix(BESIDE)])
                    if not grid.covered(view.panel)]
        if results[name].collection == "arena":
            return [arena.draw(arena.Scores(results[name]))]
        found_grids = grid.grids(results[name])
        return [heat.draw(found_grids)] if found_grids else views(results[name])
    found, made = figures[name], []
    if "drawing" in found:
        drawings = _drawings()
        _check(found["drawing"], drawings, f"{name}: there is no drawing")
        return drawings[found["drawing"]](found, results, apart)
    whole = "views" not in found and "experiment" in found
    for i, view in enumerate([found] if whole else found.get("views", ())):
        place = name if whole else f"{name}: views[{i}]"
        _check(view.get("experiment"), results, f"{place}: there are no results of experiment")
        experiment = results[view["experiment"]]
        if whole:
            made += views(experiment, view.get("hide", ()))
        elif _there(view, results) or not any(_there(other, results) for other in found["views"]):
            made.append(_view(experiment.panel(view.get("panel")), view, place))
    if not made:
        raise error("FORMAT", f"{name}: has neither views, nor an experiment, nor a drawing")
    return made


def _there(view: Mapping[str, Any], results: Results) -> bool:
    """Whether its panel is among the results: a quick run may leave out some."""
    experiment = results.get(view.get("experiment", ""))
    return experiment is not None and view.get("panel") in (
        None, *(panel.name for panel in experiment.panels))


def _check(word: Any, words: Iterable[str], what: str) -> None:
    """That a word is one of these; `what` says what is wrong else."""
    if word not in (known := tuple(dict.fromkeys(words))):
        raise error("ARGUMENT", f'{what} "{word}"; {_core.suggest(str(word), known)}')


def _view(panel: Panel, said: Mapping[str, Any], place: str = "") -> View:
    whose = f"panel {panel.name} of {panel.experiment.name} has no"
    known = {"groups": [entry.group for entry in panel.entries],
             "labels": [entry.label for entry in panel.entries],
             "sections": [*(entry.section for entry in panel.entries if entry.section), ""]}
    for key, words in known.items():
        for word in said.get(key, ()):
            _check(word, words, f"{place}.{key}: {whose}")
    entries = [entry for entry in panel.select(*(said.get(key) for key in known))
               if entry.label not in said.get("hide", ())]
    measure = said.get("measure", panel.measure)
    _check(measure, panel.measures, f"{place}.measure: {whose}")
    n = panel.instances
    title = f"{said.get('title', panel.title)} ({n} instance{'' if n == 1 else 's'})"
    # a user's own experiment without policies that know the model
    own = not panel.experiment.collection and not any(entry.oracle for entry in panel.entries)
    return View(panel, entries, title, measure, said.get("against"), said.get("marks", {}),
                said.get("levels", own and measure == "average"))


# ---- a figure ----


def draw(*views: View, columns: int = COLUMNS) -> Figure:
    """Views side by side, in rows."""
    columns = min(columns, len(views))
    rows = [views[i:i + columns] for i in range(0, len(views), columns)]
    # where there are many labels, axes are higher
    heights = [max(HEIGHT, *((len(view.entries) + 1) * STEP / 1.12 for view in row))
               for row in rows]
    longest = max(len(entry.label) for view in views for entry in view.entries)
    across = LEFT + WIDTH + max(RIGHT, 18.0 + 0.62 * SIZE * longest)
    figure = canvas(columns * across, sum(heights) + len(rows) * (TOP + BOTTOM))
    top = 0.0
    with style():
        for row, height in zip(rows, heights, strict=True):
            for c, view in enumerate(row):
                ax = axes(figure, c * across + LEFT, top + TOP, WIDTH, height)
                if view.measure != "ratio":
                    _curves(ax, view, height)
                elif view.against:
                    _scatter(ax, view, height, view.against)
                else:
                    _ratios(ax, view)
            top += TOP + height + BOTTOM
    return figure


def canvas(width: float, height: float) -> Figure:
    """An empty figure."""
    with style():
        return Figure(figsize=(width / 72.0, height / 72.0))


def axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes by lengths from the upper left corner."""
    across, down = figure.get_size_inches() * 72.0
    return figure.add_axes((left / across, 1.0 - (top + height) / down, width / across,
                            height / down))


class Tiles:
    """Boxes and words on a canvas, by lengths from the upper left corner; made within `style`."""

    def __init__(self, width: float, height: float) -> None:
        self.figure = canvas(width, height)
        self.figure.set_label(GROUNDS)
        self.ax = axes(self.figure, 0.0, 0.0, width, height)
        self.ax.set(xlim=(0.0, width), ylim=(height, 0.0))
        self.ax.set_axis_off()
        self._patches: list[Patch] = []

    def box(self, x: float, y: float, wide: float, high: float, fill: str, frame: str = "",
            dash: str = "solid", inset: float = 0.6, round_by: float = 1.6) -> None:
        """A box, and a frame within it if that has a colour, so far from the edge."""
        for by, there, color in ((0.0, True, fill), (inset, frame, "none")):
            if there:
                self._patches.append(FancyBboxPatch(
                    (x + by, y + by), wide - 2.0 * by, high - 2.0 * by,
                    boxstyle=f"round,pad=0,rounding_size={round_by}", facecolor=color,
                    edgecolor=frame or "none", linewidth=1.2 if by else 0.0,
                    linestyle=DASHES[dash if by else "solid"]))

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        """A small disc."""
        self._patches.append(Circle((x, y), radius, facecolor=color, linewidth=0.0))

    def write(self, x: float, y: float, text: str, size: float = 8.5, va: Any = "center_baseline",
              **more: Any) -> None:
        """A line of text; y is its middle unless `va` says otherwise."""
        self.ax.text(x, y, text, va=va, fontsize=size, **more)

    def done(self) -> Figure:
        """The figure, boxes beneath the words."""
        self.ax.add_collection(PatchCollection(self._patches, match_original=True, zorder=0.5))
        return self.figure


@contextlib.contextmanager
def style() -> Iterator[None]:
    """The settings of all figures, whatever the user's own are."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def _look(view: View, entry: Entry) -> dict[str, Any]:
    """Colour, dashes and width: the entry's own, else by its place in the panel, or the view."""
    place = (view.entries if view.few else view.panel.entries).index(entry)
    color = GREY if entry.oracle else PALETTE[place % len(PALETTE)]
    dashes = list(DASHES)
    dash = "dashed" if entry.oracle else dashes[place // len(PALETTE) % len(dashes)]
    return {"color": entry.style.get("color", color),
            "linestyle": DASHES[entry.style.get("dash", dash)],
            "linewidth": 0.75 * entry.style.get("width", 1.8)}


def ticks(log: bool, high: float) -> FuncFormatter:
    """Ticks such as 0.25, 100, 10k, 1M; on a linear axis all in the same unit."""
    units = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (0.0, ""))

    def shown(value: float, _: int | None) -> str:
        size, letter = next(unit for unit in units
                            if (abs(value) if log else high / 10.0) >= unit[0])
        return f"{value / (size or 1.0):.6g}{letter if value else ''}"

    return FuncFormatter(shown)


def _frame(ax: Axes, view: View, x_title: str) -> None:
    open_frame(ax)
    ax.set_title(view.title)
    ax.set_xlabel(x_title)
    kind, _, name = view.measure.partition(":")
    ax.set_ylabel(TITLES.get(kind) or f"{name.replace('_', ' ')} so far")
    for axis in (ax.xaxis, ax.yaxis):
        log = axis.get_scale() == "log"
        axis.set_major_formatter(ticks(log, max(map(abs, axis.get_view_interval()))))
        if log:
            axis.set_major_locator(LogLocator(numticks=8))
            axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=99))
            axis.set_minor_formatter(NullFormatter())


def _set_range(ax: Axes, values: Sequence[float]) -> None:
    """The y axis: some room above and below what is shown."""
    log = ax.get_yscale() == "log"
    shown = [v for v in values if math.isfinite(v) and (v > 0.0 or not log)]
    low, high = (min(shown), max(shown)) if shown else (1.0, 10.0) if log else (0.0, 1.0)
    if log:
        factor = max((high / low) ** 0.04, 1.05)
        ax.set_ylim(low / factor, high * factor)
    else:
        room = max(0.05 * (high - low), 1e-3 * abs(high) + 1e-9)
        ax.set_ylim(low - room, high + room)


# ---- kinds of views ----


def _curves(ax: Axes, view: View, height: float) -> None:
    kind = view.measure.partition(":")[0]
    log = kind in ("regret", "counter")
    end = float(view.panel.horizon)
    first = next((t for t in ((100.0, 10.0) if log else (10.0,)) if 20.0 * t <= end), 1.0)
    finest = max(end / first, 2.0) ** FINEST
    ax.set_xscale("log")
    ax.set_yscale("log" if log else "linear")
    lines = []
    for entry in view.entries:
        t, mean, half = view.panel.curve(entry.label, view.measure)
        cell = np.floor(np.log(np.maximum(t, 1.0) / first) / math.log(finest))
        kept = (t >= first) & ((np.diff(cell, prepend=-1.0) > 0.0) | (t == t[-1:]))
        if kept.any():
            lines.append((entry, t[kept], mean[kept], np.nan_to_num(half[kept])))
    levels = [("optimum", view.panel.optimum, "--"), ("uniform", view.panel.random, ":")]
    levels = [level for level in levels if view.levels and math.isfinite(level[1])]
    _set_range(ax, [*(float(v) for _, _, mean, _ in lines for v in mean),
                    *(level for _, level, _ in levels)])
    earliest = min((float(t[0]) for _, t, _, _ in lines), default=first)
    ax.set_xlim(max(first, min(earliest, 0.5 * end)), max(end, 2.0))
    floor = ax.get_ylim()[0] if log else -math.inf
    ends: list[tuple[float, str, str]] = [(level, name, GREY) for name, level, _ in levels]
    for _, level, dash in levels:
        ax.axhline(level, color=GREY, linestyle=dash, linewidth=0.9, zorder=1.0)
    # the first learners of a panel are those it is about: they lie on top, lines over intervals
    for i, (entry, t, mean, half) in enumerate(lines):
        look = _look(view, entry)
        ax.fill_between(t, np.maximum(mean - half, floor), mean + half, color=look["color"],
                        alpha=min(0.13, 1.6 / len(lines)), linewidth=0.0, zorder=2.0 - 1e-3 * i)
        ax.plot(t, np.where(mean > 0.0, mean, np.nan) if log else mean, **look,
                zorder=3.0 - 1e-3 * i)
        if math.isfinite(mean[-1]) and (mean[-1] > 0.0 or not log):
            ends.append((float(mean[-1]), entry.label, look["color"]))
    _frame(ax, view, "step")
    label_ends(ax, ends, height)


def _ratios(ax: Axes, view: View) -> None:
    numbers = [view.panel.value(entry.label) for entry in view.entries]
    _set_range(ax, [1.0, *(number.mean for number in numbers), *view.marks.values()])
    ax.set_xlim(-1.75 if view.marks else -0.7, len(numbers) - 0.2)
    # numbers stand at the right, or above where there is little room
    aside: dict[str, Any] = ({"xytext": (7.0, 0.0), "va": "center"} if len(numbers) < 6 else
                             {"xytext": (0.0, 6.0), "ha": "center", "fontsize": SIZE - 1.5})
    for x, (entry, number) in enumerate(zip(view.entries, numbers, strict=True)):
        color = _look(view, entry)["color"]
        ax.errorbar(x, number.mean, yerr=np.nan_to_num(number.ci95), fmt="o", color=color,
                    markersize=4.5, capsize=2.5, linewidth=1.3)
        ax.annotate(f"{number.mean:.3f}", (x, number.mean), textcoords="offset points",
                    color=color, **aside)
        if entry.label in view.marks:
            printed = view.marks[entry.label]
            ax.plot(x - 0.12, printed, "s", markersize=5.0, color=INK, markerfacecolor="none")
            ax.annotate(f"paper {printed:g}", (x - 0.12, printed), (-6.0, 0.0), ha="right",
                        va="center", textcoords="offset points")
    _frame(ax, view, "steps of lookahead")
    ax.set_xticks(range(len(numbers)), [entry.label for entry in view.entries])


def _scatter(ax: Axes, view: View, height: float, against: str) -> None:
    dots = []
    for entry in view.entries:
        x, y = view.panel.runs(entry.label, against), view.panel.runs(entry.label)
        if x is not None and y is not None and len(x) == len(y):
            there = np.isfinite(x) & np.isfinite(y)
            dots.append((entry, x[there], y[there]))
    _set_range(ax, [1.0, *(float(v) for _, _, y in dots for v in y)])
    far = max((float(x.max(initial=0.0)) for _, x, _ in dots), default=0.0)
    ax.set_xlim(0.0, 1.03 * far or 1.0)
    low, high = ax.get_ylim()
    scale = np.array([ax.get_xlim()[1] / WIDTH, (high - low) / height])
    for entry, x, y in dots:
        # one outline of short strokes with round ends; those that would cover each other once
        points = np.unique(np.round(2.0 * np.column_stack([x, y - low]) / scale), axis=0) / 2.0
        ends = np.repeat(points, 2, axis=0) + np.tile([[0.0, 0.0], [0.01, 0.0]], (len(points), 1))
        outline = Outline(ends * scale + (0.0, low),
                          np.tile([Outline.MOVETO, Outline.LINETO], len(points)))
        ax.add_patch(PathPatch(outline, edgecolor=_look(view, entry)["color"], facecolor="none",
                               linewidth=2.6, capstyle="round", zorder=2.0, snap=False))
    _frame(ax, view, TITLES.get(against, against))
    label_ends(ax, [(view.panel.value(entry.label).mean, entry.label, _look(view, entry)["color"])
                    for entry, _, _ in dots], height)


# ---- drawings ----


def _lake(said: Mapping[str, Any], _results: Results, _apart: bool) -> list[Figure]:
    """The map of a FrozenLake, read off the rewards for entering tiles."""
    spec = said.get("environment", "frozenlake")
    other = ",slippery=0,reward-frozen=0,reward-goal=1,reward-hole=-1"
    model = lgkt.Env(spec + (other if ":" in spec else ":" + other[1:])).model
    assert model is not None
    rows = _core.spec_value(spec, "map") or ""
    across = len(rows.split("/")[0]) if "/" in rows else math.isqrt(model.states)
    down = model.states // across
    kinds = {0: ("F", "#dbeaf6"), 1: ("G", "#f3d38a"), -1: ("H", "#2b5d86"), 2: ("S", "#c5e6cf")}
    tiles = np.zeros((down, across), int)
    for state in range(model.states):
        for action, (dy, dx) in enumerate(((0, -1), (1, 0), (0, 1), (-1, 0))):
            y, x = state // across + dy, state % across + dx
            if 0 <= y < down and 0 <= x < across:
                tiles[y, x] = tiles[y, x] or round(float(model.R[state, action]))
    tiles.flat[model.start_state or 0] = 2
    side, words = 44.0, "S start, F frozen, H hole, G goal"
    figure = canvas(across * side + 100.0, down * side + 46.0)
    figure.set_label(GROUNDS)
    with style():
        ax = axes(figure, 50.0, 10.0, across * side, down * side)
        ax.set(xlim=(0, across), ylim=(down, 0))
        ax.set_axis_off()
        for (y, x), tile in np.ndenumerate(tiles):
            letter, color = kinds[int(tile)]
            ax.add_patch(Rectangle((x + 0.03, y + 0.03), 0.94, 0.94, facecolor=color,
                                   edgecolor=FRAME, linewidth=0.6))
            ax.text(x + 0.5, y + 0.53, letter, ha="center", va="center", fontsize=14.0,
                    color=PAPER if letter == "H" else "#111112")
        ax.annotate(words, (0.5, 0.0), (0.0, -10.0), xycoords="axes fraction", ha="center",
                    va="top", textcoords="offset points", annotation_clip=False)
    return [figure]


def _drawings() -> dict[str, Callable[[Mapping[str, Any], Results, bool], list[Figure]]]:
    from lgkt.report import target

    return {"frozenlake-map": _lake, "target-rewards": target.rewards,
            "target-actions": target.actions}


# ---- files ----


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure; the end of the name says how: .svg, .png or .pdf."""
    kind = os.path.splitext(os.fspath(path))[1][1:]
    if kind not in ("svg", "png", "pdf"):
        raise error("ARGUMENT", f"{os.fspath(path)}: a name that ends in .svg, .png or .pdf is "
                                f"needed")
    write_bytes(path, _rendered(figure, kind))


def inline(figure: Figure, name: str, title: str) -> str:
    """SVG to stand in a page: without a ground, and with colours that can be seen on a dark one.

    Names within it begin with `name`, so that a page can hold several.
    """
    text = _rendered(figure, "svg").decode()
    text = text[text.index("<svg"):]
    text = re.sub(r'<g id="patch_1">.*?</g>', "", text, count=1, flags=re.DOTALL)  # the ground
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub(r" <metadata>.*?</metadata>\n", "", text, flags=re.DOTALL)
    title = html.escape(title)
    dark = {}

    def color(found: re.Match[str]) -> str:
        shown = _on_dark(found[0], figure.get_label() != GROUNDS)
        if shown == found[0]:
            return found[0]
        dark[f"--ink-{found[0][1:]}"] = shown
        return f"var(--ink-{found[0][1:]},{found[0]})"

    head, _, body = text.partition(">")
    body = re.sub(r"#[0-9a-f]{6}(?=[;\"])", color, body)
    rules = ";".join(f"{key}:{value}" for key, value in sorted(dark.items()))
    head = re.sub(r' (width|height|version|xmlns(:\w+)?)="[^"]*"', "", head)
    # black is what matplotlib does not write down
    return (f'{head} fill="currentColor" role="img" aria-label="{title}"><title>{title}</title>'
            f"<style>@media screen and (prefers-color-scheme:dark){{:root{{{rules}}}}}</style>"
            f"{body}")


def _on_dark(color: str, lighter: bool) -> str:
    """The colour as it is shown on a dark ground: lighter where it would not be seen."""
    swapped = {INK: "#e8e8e8", FRAME: "#b0b0b0", LINES: "#3a3a3a", "#000000": "#ffffff"}
    if color in swapped or not lighter:
        return swapped.get(color, color)
    rgb = np.array([int(color[i:i + 2], 16) for i in (1, 3, 5)]) / 255.0
    for share in np.linspace(0.0, 1.0, 21):
        mixed = rgb + (1.0 - rgb) * share
        if float(np.array([0.2126, 0.7152, 0.0722]) @ mixed ** 2.2) >= 0.22:  # its luminance
            break
    return "#" + "".join(f"{round(255.0 * v):02x}" for v in mixed)


def _rendered(figure: Figure, kind: str) -> bytes:
    data = io.BytesIO()
    nothing = {"svg": ("Date", "Creator", "Format", "Type"), "png": ("Software",),
               "pdf": ("CreationDate", "Creator", "Producer")}[kind]
    with style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a letter that the font lacks is a box
        matplotlib.rcParams["svg.hashsalt"] = "lgkt"
        figure.savefig(data, format=kind, metadata=dict.fromkeys(nothing))
    if kind != "svg":
        return data.getvalue()
    text = data.getvalue().replace(b"'DejaVu Sans'", b"'DejaVu Sans',Verdana,Arial,sans-serif")
    text = re.sub(rb' transform="rotate\(-0 [^"]*"', b"", text)
    # a hundredth of a point is finer than any screen
    return re.sub(rb' [dxy]="[^"]*"', lambda place: re.sub(
        rb"-?\d+\.\d{3,}", lambda number: b"%g" % round(float(number[0]), 2), place[0]), text)
