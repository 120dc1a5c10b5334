# SPDX-License-Identifier: MIT
"""Figures of grids: heat maps with common colours, and curves of grids with one axis.

    two axes of learners or more    the two longest as rows and columns, the others and the axes of
                                    panels as small multiples
    one, and panels on a grid       a row for each value of the panels' longest axis
    one                             a curve

Colours say what a cell loses against the best of its panel, so that they can be compared where
panels differ in what can be reached; the words in the cells are the values. All lengths are in
points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import matplotlib
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from lgkt._figure import GREY, PALETTE, SIZE, label_ends, open_frame
from lgkt._figure import STEP as LINE
from lgkt.report import figures
from lgkt.report.figures import Tiles
from lgkt.report.grid import LEARNER, Axis, Grid, named, word

PAGE = 800.0  # width that multiples are arranged to
PHONE = 250.0  # width of a key that a phone shows at once
WRITTEN = 150  # cells of a map that still have their numbers written into them
ROW, STEP, LETTER = 16.0, 1.4, 0.56 * 8.5  # height of a row, space between cells, width of a letter
BOLD = 1.28 * LETTER  # the same of a title
HEAD, SPARE = 22.0, 14.0  # above a map, around it
COLORS = "viridis"  # even to the eye, in grey and for the colour-blind
DARK, LIGHT = "#111112", "#ffffff"
MEAN = "mean"


@dataclass
class Cell:
    """A box of a map."""

    value: float
    loss: float
    best: bool = False  # of its panel
    close: bool = False  # not clearly worse
    choice: bool = False  # the best for all panels


@dataclass
class Map:
    """Rows and columns of cells."""

    title: str
    rows: Axis
    columns: Axis
    line: object  #: maps of the same are side by side
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    more: list[str] = field(default_factory=list)  #: further columns: learners of no grid
    below: list[tuple[str, Cell]] = field(default_factory=list)  #: the same, below the map


# ---- what is where ----


def maps(grid: Grid) -> list[Map]:
    """The heat maps of a grid; that of the means first, or as a last row."""
    longest = sorted(grid.several, key=lambda axis: len(axis.values), reverse=True)
    outer = sorted((axis for axis in grid.panel_axes if len(axis.values) > 1),
                   key=lambda axis: len(axis.values), reverse=True)
    columns = longest[0] if longest else grid.axes[0]
    inner = len(longest) > 1 or not outer  # rows are of learners
    rows = longest[1] if len(longest) > 1 else Axis("", [""])
    if len(longest) > 1 and len(rows.values) == len(columns.values):
        rows, columns = columns, rows  # the first is down
    others = longest[2:]
    apart = [axis for axis in grid.panel_axes if axis in (outer if inner else outer[1:])]
    lines = rows if inner else outer[0]
    joined = not inner and len(outer) == 1  # the means are a row of the one map
    if joined:
        lines = lines._replace(values=[*lines.values, MEAN])
    count = len(grid.panels)
    said = f"mean loss in %, all {count} panels" if grid.percent else f"mean of all {count} panels"
    made: dict[tuple[object, ...], Map] = {}
    for p in (*((None,) if count > 1 and not joined else ()), *range(count),
              *((None,) if joined else ())):
        panel = {} if p is None else grid.panels[p].cell
        place = (said if p is None else named(panel, apart) if outer else grid.panels[p].title)
        first, down = None, 0
        for c, cell in enumerate(grid.cells):
            key = (p is None and not joined, *(panel.get(axis.name) for axis in apart),
                   *(cell[axis.name] for axis in others))
            shown = made.setdefault(key, Map(
                ", ".join(filter(None, (place, named(cell, others)))),
                rows if key[0] else lines, columns, key[:-1] if len(key) > 2 else key[0]))
            first = first or shown
            down = shown.rows.values.index(MEAN if p is None and joined else
                                           (cell if inner else panel).get(shown.rows.name, ""))
            at = down, columns.values.index(cell[columns.name])
            if (found := _of(grid, p, c)) is not None:
                shown.cells[at] = found
        assert first is not None
        for label in grid.references:
            if (found := _reference(grid, p, label)) is None:
                continue
            if inner or first.rows is rows:
                first.below.append((label, found))
                continue
            first.more += [label] if label not in first.more else []
            first.cells[down, len(columns.values) + first.more.index(label)] = found
    return list(made.values())


def _of(grid: Grid, p: int | None, c: int) -> Cell | None:
    """Cell c in panel p, or on average."""
    if p is not None:
        value, loss, best = float(grid.mean[p, c]), float(grid.loss[p, c]), grid.best[p]
        close, choice = not grid.worse[p, c], len(grid.panels) > 1 and c == grid.choice
    else:
        loss, best, choice = float(grid.loss[:, c].mean()), grid.choice, False
        value = loss if grid.percent else float(grid.mean[:, c].mean())
        close = not grid.mean_loss[c] - grid.mean_loss_ci95[c] > 0.0
    return None if math.isnan(value) else Cell(value, loss, c == best, close and c != best, choice)


def _reference(grid: Grid, p: int | None, label: str) -> Cell | None:
    """The same of a learner that is not in the grid; it has no marks."""
    panels = range(len(grid.panels)) if p is None else [p]
    values = np.array([grid.value(i, label).mean for i in panels])
    best = np.array([grid.mean[i, grid.best[i]] for i in panels])
    loss = grid.sign * (best - values) * (100.0 / np.abs(best) if grid.percent else 1.0)
    value = float((loss if grid.percent and p is None else values).mean())
    return None if math.isnan(value) else Cell(value, float(loss.mean()))


class _Scale:
    """Colours of losses: the brightest for none."""

    def __init__(self, grid: Grid) -> None:
        self.most = float(np.nanmax(grid.loss)) or 1.0
        self._map = matplotlib.colormaps[COLORS]

    def color(self, loss: float) -> str:
        return to_hex(self._map(1.0 - min(max(loss / self.most, 0.0), 1.0)))


def _ink(color: str) -> str:
    rgb = np.array([int(color[i:i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return DARK if float(np.array([0.2126, 0.7152, 0.0722]) @ rgb ** 2.2) > 0.2 else LIGHT


# ---- blocks: width, height, and what draws them at a place ----

_Draw = Callable[[Tiles, float, float], None]
_Block = tuple[float, float, _Draw]


def _map(grid: Grid, shown: Map, scale: _Scale, longest: int) -> _Block:
    """A map; its numbers have `longest` letters at most, as those of the maps beside it."""
    values, count = shown.columns.values, len(shown.columns.values)
    written = len(shown.rows.values) * count <= WRITTEN
    words = {at: grid.number(cell.value) for at, cell in shown.cells.items()}
    wide = max(27.0, LETTER * longest + 14.0) if written else min(max(440.0 / count, 7.0), 16.0)
    high = ROW if written else min(max(440.0 / len(shown.rows.values), 7.0), 16.0)
    labels = [word(value) for value in values]
    upright = max(map(len, labels)) * LETTER > wide - 2.0
    foot = (LETTER * max(map(len, labels)) if upright else 10.0) + 8.0
    side = LETTER * max(len(word(value)) for value in shown.rows.values)
    turned = len(shown.rows.name) > 2
    left = side + 8.0 + (16.0 if turned else 14.0 if shown.rows.name else 0.0)
    right = left + count * wide + (8.0 if shown.more else 0.0) + len(shown.more) * max(wide, 30.0)
    space = HEAD if shown.title else 6.0
    gap = 4.0 if MEAN in shown.rows.values else 0.0  # above the row of means
    down = space + len(shown.rows.values) * high + gap
    head = LETTER * max(map(len, shown.more)) * 0.8 if shown.more else 0.0  # aslant
    # what is below the map, in lines of its width or what they need
    items = [(label, cell, LETTER * len(label) + 40.0 + LETTER * longest)
             for label, cell in shown.below]
    width = max(right + head * 0.8, BOLD * len(shown.title),
                *(left + size for *_, size in items), 120.0)
    lines: list[list[tuple[str, Cell, float]]] = []
    for item in items:
        if not lines or left + sum(size for *_, size in lines[-1]) + item[2] > width:
            lines.append([])
        lines[-1].append(item)
    tall = head + down + foot + 9.0 + len(lines) * (ROW + 2.0) + (4.0 if lines else 0.0)

    def top(r: int) -> float:
        return space + r * high + gap * (shown.rows.values[r] == MEAN)

    def draw(tiles: Tiles, x: float, y: float) -> None:
        tiles.write(x, y + 9.0, shown.title, SIZE + 0.5, weight="bold")
        y += head
        place = x + left
        for r, value in enumerate(shown.rows.values):
            if high >= 9.0 or r % math.ceil(9.0 / high) == 0:
                tiles.write(place - 5.0, y + top(r) + (high - STEP) / 2.0, word(value), ha="right")
        tiles.write(x + 4.0, y + (space + down) / 2.0, shown.rows.name,
                    ha="center" if turned else "left", rotation=90.0 if turned else 0.0,
                    style="italic", va="center" if turned else "center_baseline")
        every = math.ceil((10.0 if upright else LETTER * max(map(len, labels)) + 2.0) / wide)
        for c, text in enumerate(labels):
            middle = place + (c + 0.5) * wide - STEP / 2.0
            if c % every == 0 and upright:
                tiles.write(middle, y + down + 3.0, text, ha="center", va="top", rotation=90.0)
            elif c % every == 0:
                tiles.write(middle, y + down + 8.0, text, ha="center")
        if shown.columns.name != LEARNER:
            tiles.write(place + count * wide / 2.0, y + down + foot + 1.0, shown.columns.name,
                        ha="center", style="italic")
        for (r, c), cell in shown.cells.items():
            extra = c - count
            size = wide if extra < 0 else max(wide, 30.0)
            at = place + (c * wide if extra < 0 else count * wide + 8.0 + extra * size)
            _cell(tiles, at, y + top(r), size - STEP, high - STEP, cell,
                  words[r, c] if written else "", scale)
        for i, label in enumerate(shown.more):
            size = max(wide, 30.0)
            tiles.write(place + count * wide + 8.0 + (i + 0.4) * size, y + space - 4.0, label,
                        rotation=50.0, va="bottom", rotation_mode="anchor")
        down_to = y + down + foot + 13.0
        for line in lines:
            at = place
            for label, cell, size in line:
                box = LETTER * longest + 8.0
                _cell(tiles, at, down_to, box, ROW - STEP, cell, grid.number(cell.value), scale)
                tiles.write(at + box + 5.0, down_to + ROW / 2.0 - 0.7, label)
                at += size
            down_to += ROW + 2.0

    return width, tall, draw


def _cell(tiles: Tiles, x: float, y: float, wide: float, high: float, cell: Cell, text: str,
          scale: _Scale) -> None:
    fill = scale.color(cell.loss)
    ink = _ink(fill)
    frame = ink if cell.best or cell.choice else ""
    # a rim outside of the frame, which would be lost on a ground of its colour
    tiles.box(x, y, wide, high, fill, frame, "solid" if cell.best else "short", 1.4)
    if text:
        tiles.write(x + wide / 2.0, y + high / 2.0, text, 8.0, ha="center", color=ink,
                    weight="bold" if cell.best else "normal")
    if cell.close and text:  # in the corner, within the frame
        aside = 4.6 if frame else 3.0
        tiles.dot(x + wide - aside, y + min(aside, 4.4), 1.3, ink)
    elif cell.close:
        tiles.dot(x + wide / 2.0, y + high / 2.0, 0.16 * min(wide, high), ink)


def _key(grid: Grid, scale: _Scale, across: float) -> _Block:
    """What colours and marks mean, in lines of a width."""
    several = len(grid.panels) > 1
    where = " of its panel" if several else ""
    marks = [("best of its panel, or on average" if several else "best", Cell(0.0, 0.0, best=True)),
             ("not clearly worse than it", Cell(0.0, 0.0, close=True))]
    if several:
        marks.append(("best on average, in each panel", Cell(0.0, 0.2 * scale.most, choice=True)))
    ends = ["0", grid.number(scale.most) + grid.unit]
    says = [f"numbers: {grid.what}", f"colour: what is lost to the best{where}"]
    bar, box = 120.0, 20.0

    def words(text: str) -> _Block:
        return LETTER * len(text), 14.0, lambda tiles, x, y: tiles.write(x, y + 7.0, text)

    def draw_bar(tiles: Tiles, x: float, y: float) -> None:
        tiles.write(x, y + 7.0, ends[0])
        x += LETTER + 4.0
        for i in range(60):  # overlapping a little: no seams
            tiles.box(x + i * bar / 60.0, y + 2.0, bar / 60.0 + 0.6 * (i < 59), 10.0,
                      scale.color(scale.most * i / 59.0), round_by=0.0)
        tiles.write(x + bar + 4.0, y + 7.0, ends[1])

    def mark(text: str, cell: Cell) -> _Block:
        def draw(tiles: Tiles, x: float, y: float) -> None:
            _cell(tiles, x, y + 1.0, box, 12.0, cell, " " if cell.close else "", scale)
            tiles.write(x + box + 5.0, y + 7.0, text)
        return box + 5.0 + LETTER * len(text), 14.0, draw

    return _flow([[*map(words, says),
                   (bar + 8.0 + LETTER * (len(ends[1]) + 1), 14.0, draw_bar)],
                  [mark(*item) for item in marks]], across, 2.0)


def _curve(grid: Grid) -> _Block:
    """Values along the one axis, with the interval of what they differ from the best."""
    axis, best = grid.several[0], grid.best[0]
    half = np.nan_to_num(grid.loss_ci95[0])
    top, reach = float(grid.mean[0, best]), float(np.nanmax(grid.loss[0] + half))
    reach = max(1.5 * reach, 2.0 if grid.scored else 0.02 * abs(top))
    low, high = sorted((top - grid.sign * reach, top + grid.sign * 0.7 * reach))
    levels = []  # those that are far off would press the curve flat
    for label in grid.references:
        level = grid.value(0, label).mean
        off = "" if low <= level <= high else " \N{UPWARDS ARROW}" if level > high else (
            " \N{DOWNWARDS ARROW}")
        if math.isfinite(level):
            levels.append((min(max(level, low), high), f"{label} {grid.number(level)}{off}", GREY))
    height = max(figures.HEIGHT, (len(levels) + 1) * LINE)
    aside = max(24.0, 18.0 + 0.62 * SIZE * max((len(label) for _, label, _ in levels), default=0))
    left, wide = figures.LEFT, max(figures.WIDTH, 12.0 * len(axis.values))

    def draw(tiles: Tiles, x: float, y: float) -> None:
        tiles.figure.set_label("")  # lines have no grounds: on a dark page they are lighter
        ax = figures.axes(tiles.figure, x + left, y + figures.TOP, wide, height)
        numbers = [value for value in axis.values if not isinstance(value, str)]
        log = axis.numbers and min(numbers) > 0.0 and max(numbers) >= 30.0 * min(numbers)
        ax.set_xscale("log" if log else "linear")
        places = np.array(numbers if axis.numbers else range(len(axis.values)), float)
        places = places[[axis.values.index(cell[axis.name]) for cell in grid.cells]]
        color = PALETTE[0]
        if axis.numbers:
            ax.plot(places, grid.mean[0], color=color, linewidth=1.2)
        ax.errorbar(places, grid.mean[0], yerr=half, fmt="none", color=color, capsize=2.5,
                    linewidth=1.1)
        for c, at in enumerate(places):
            ax.plot(at, grid.mean[0, c], "o", color=color, markersize=8.0 if c == best else 4.5,
                    markerfacecolor="none" if grid.worse[0, c] else color)
        ax.set_ylim(low, high)
        ax.axhline(top, color=color, linewidth=0.7, linestyle=":", zorder=1.0)
        for level, *_ in levels:
            if low < level < high:
                ax.axhline(level, color=GREY, linestyle="--", linewidth=0.9, zorder=1.0)
        open_frame(ax)
        ax.set_title(grid.panels[0].title)
        ax.set_xlabel("" if axis.name == LEARNER else axis.name)
        ax.set_ylabel(grid.what if grid.scored else figures.TITLES.get(grid.measure, grid.what))
        if len(places) <= 12 or not axis.numbers:
            ax.set_xticks(places, [word(cell[axis.name]) for cell in grid.cells])
            ax.set_xticks([], minor=True)
        else:
            ax.xaxis.set_major_formatter(figures.ticks(log, max(places)))
        if not axis.numbers:
            ax.set_xlim(-0.6, len(places) - 0.4)
        label_ends(ax, levels, height)
        text = ("big: best; filled: not clearly worse; bars: interval of the difference to the "
                "best")
        tiles.write(x + 8.0, y + figures.TOP + height + figures.BOTTOM + 6.0, text, 7.5)

    return left + wide + aside, figures.TOP + height + figures.BOTTOM + 16.0, draw


# ---- figures ----


def _lines(grid: Grid, key: float = 420.0) -> list[list[_Block]]:
    """Blocks, each list on lines of its own: the key, of that width, means, then panels by all axes
    but one."""
    if len(grid.several) == 1 and len(grid.panels) == 1:
        return [[_curve(grid)]]
    scale = _Scale(grid)
    found: dict[object, list[_Block]] = {}
    all_maps = maps(grid)
    longest = max(len(grid.number(cell.value)) for shown in all_maps
                  for cell in (*shown.cells.values(), *(cell for _, cell in shown.below)))
    for shown in all_maps:
        found.setdefault(shown.line, []).append(_map(grid, shown, scale, longest))
    return [[_key(grid, scale, key)], *found.values()]


def parts(grid: Grid) -> list[list[Figure]]:
    """The key and one figure for each map, in lines, for pages that have less width."""
    return [[_sheet([[block]]) for block in line] for line in _lines(grid, PHONE)]


def draw(grids: Sequence[Grid]) -> Figure:
    """All grids of an experiment in one figure."""
    several = len(grids) > 1
    return _sheet([line for grid in grids
                   for line in ([_head(grid.title)] if several else [], *_lines(grid))])


def _head(text: str) -> _Block:
    return LETTER * 1.5 * len(text), 14.0, lambda tiles, x, y: tiles.write(
        x, y + 6.0, text, SIZE + 2.0, weight="bold")


def _flow(lines: Iterable[Sequence[_Block]], width: float, space: float) -> _Block:
    """Lines of blocks as one, broken where they are longer than a width."""
    placed: list[tuple[float, float, _Draw]] = []
    right, y = 0.0, 0.0
    for blocks in filter(None, lines):
        x, tall = 0.0, 0.0
        for wide, high, draw in blocks:
            if x > 0.0 and x + wide > width:
                x, y, tall = 0.0, y + tall + space, 0.0
            placed.append((x, y, draw))
            right, tall = max(right, x + wide), max(tall, high)
            x += wide + 1.5 * SPARE
        y += tall + space

    def draw_all(tiles: Tiles, x: float, y: float) -> None:
        for right, down, draw in placed:
            draw(tiles, x + right, y + down)

    return right, y - space, draw_all


def _sheet(lines: Iterable[Sequence[_Block]]) -> Figure:
    wide, high, draw = _flow(lines, PAGE, SPARE)
    with figures.style():
        tiles = Tiles(wide + SPARE, high + SPARE)
        draw(tiles, SPARE / 2.0, SPARE / 2.0)
        return tiles.done()
