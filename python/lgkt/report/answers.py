# SPDX-License-Identifier: MIT
"""The table on top of a report: for each line a word, a number and a small picture.

A line of the definition names a claim and, if it is about a part of it, panels. Its word in a setup
is the verdict over the claim's comparisons there. Its number is what decides them at the end of the
run, in the panel where it is worst for the claim: the best learner that the claim is for minus the
best of the others, or, where the claim says that all are alike, the largest difference. The picture
has that number along the run, a line for each setup. It is in points of the score where there is a
model, else in % of the larger of the two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lgkt.report.claims import Column, Comparison, Judgement, decide, digits
from lgkt.report.definition import COLUMNS, ONLY, Definition

if TYPE_CHECKING:
    from lgkt.report.results import Panel, Results

WORDS = {"holds": "yes", "holds in part": "partly", "does not hold": "no", "not judged": "open"}
# colours that stand out from a white and from a black ground
COLORS = {"printed": "#c75a00", "released": "#1f7fc4", "fair": "#1a9660", ONLY: "#808080"}
WIDE, HIGH, ROOM = 160.0, 36.0, 3.0  # of a picture, and around what is drawn
FIRST = 100.0  # step at which a picture begins
LEAST = 2.0  # above and below 0 that it shows at least


@dataclass
class Cell:
    """What comes out in one setup."""

    setup: str
    verdict: str
    number: str = ""
    times: Sequence[float] = ()
    values: Sequence[float] = ()  # of the picture, in the unit of the number

    @property
    def word(self) -> str:
        """The verdict as an answer."""
        return WORDS[self.verdict]


@dataclass
class Line:
    """A line of the table."""

    said: Mapping[str, Any]
    name: str  # of its picture
    cells: dict[str, Cell]

    @property
    def picture(self) -> str:
        """The picture as SVG; empty where there is nothing to draw."""
        return draw([cell for cell in self.cells.values() if len(cell.times) > 1],
                    f"{self.said['paper']}: {self.said['shows']}")


def lines(definition: Definition, judgements: Sequence[Judgement], results: Results) -> list[Line]:
    """All lines of a definition."""
    claims = {j.claim["id"]: j for j in judgements}
    made = []
    for i, said in enumerate(definition.data.get("answers", [])):
        cells = {}
        known: set[str] = set()
        for name, column in claims[said["claim"]].columns.items():
            known |= {one.panel for one in column.comparisons}
            part = [one for one in column.comparisons
                    if "panels" not in said or one.panel in (*said["panels"], "")]
            if any(one.panel or one.why for one in part):
                cells[name] = _cell(Column(name, part, decide(part)), results)
        for panel in said.get("panels", []):
            if panel not in known and "" not in known:
                raise definition.unknown(f"answers[{i}].panels", "panel of the claim", panel, known)
        made.append(Line(said, f"small-{i + 1}", cells))
    return made


def _cell(column: Column, results: Results) -> Cell:
    cell = Cell(column.name, column.verdict)
    found = []
    for name in dict.fromkeys((c.experiment, c.panel) for c in column.comparisons if c.unit):
        these = [c for c in column.comparisons if (c.experiment, c.panel) == name]
        last = max(c.t for c in these)
        found.append(_margin(results[name[0]].panel(name[1]), [c for c in these if c.t == last]))
    if found:
        _, cell.number, cell.times, cell.values = min(found, key=lambda one: one[0])
    elif numbers := [c for c in column.comparisons if not c.why and not math.isnan(c.value)]:
        one = min(numbers, key=lambda c: c.x)
        cell.number = f"{100 * one.value:.2g}%" if one.kind == "flat" else digits(one.value, 3)
    return cell


def _margin(panel: Panel, ones: Sequence[Comparison]) -> tuple[float, str, Any, Any]:
    """How good it is for the claim, the number, and times and values of the picture."""
    alike = ones[0].kind == "close"
    if alike:
        ones = [max(ones, key=lambda c: abs(c.effect or 0.0))]
    unit = "pt" if ones[0].unit == "pt" else "%"
    best = np.max if panel.better == "higher" else np.min  # of falls the fewest
    sides = [list(dict.fromkeys(getattr(c, key) for c in ones)) for key in ("a", "b")]
    high, low = (float(best([panel.value(label).mean for label in side])) for side in sides)
    scale = 100.0 / (panel.optimum - panel.random if unit == "pt" else max(abs(high), abs(low)))
    number = scale * (high - low)
    curves = [[panel.curve(label) for label in side] for side in sides]
    times, values = curves[0][0][0], np.zeros(0)
    if len(times) > 2 and all(len(curve[0]) == len(times) for side in curves for curve in side):
        first, second = (best([curve[1] for curve in side], axis=0) for side in curves)
        values = scale * (first - second)[times >= FIRST]
    text = f"{number + 0.0:+.1f}" if abs(number) < 9.95 else f"{number:+.0f}"
    return (-abs(number) if alike else number, f"{text} {unit}",
            times[times >= FIRST] if len(values) else [], values)


# ---- pictures ----


def draw(cells: Sequence[Cell], title: str) -> str:
    """Lines over the logarithm of time, with 0 as a thin one and a dot at the end of each."""
    if not cells:
        return ""
    end = max(cell.times[-1] for cell in cells)
    first = min(min(cell.times) for cell in cells)
    numbers = [v for cell in cells for v in cell.values if math.isfinite(v)]
    low, high = min(-LEAST, *numbers), max(LEAST, *numbers)

    def place(t: float, v: float) -> str:
        x = ROOM + (WIDE - 3.0 * ROOM) * math.log(t / first) / max(math.log(end / first), 1e-9)
        y = ROOM + (HIGH - 2.0 * ROOM) * (high - v) / (high - low)
        return f"{x:.1f},{y:.1f}"

    zero = place(first, 0.0).split(",")[1]
    parts = [f'<line x1="0" y1="{zero}" x2="{WIDE:g}" y2="{zero}" stroke="#808080" '
             f'stroke-width="0.8" stroke-dasharray="3 2"/>']
    for cell in cells:
        color = COLORS[cell.setup]
        shown = [place(t, v) for t, v in zip(cell.times, cell.values, strict=True)
                 if math.isfinite(v)]
        thin = [p for i, p in enumerate(shown) if i % max(1, len(shown) // 60) == 0] + shown[-1:]
        x, y = shown[-1].split(",")
        parts += [f'<polyline points="{" ".join(dict.fromkeys(thin))}" fill="none" '
                  f'stroke="{color}" stroke-width="1.8" stroke-linejoin="round"/>',
                  f'<circle cx="{x}" cy="{y}" r="2.4" fill="{color}"/>']
    said = "; ".join(f"{COLUMNS.get(cell.setup, '')} {cell.word} {cell.number}".strip()
                     for cell in cells)
    name = f"{title}: {said}".replace("&", "&amp;").replace("<", "&lt;")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE:g} {HIGH:g}" '
            f'width="{WIDE:g}" height="{HIGH:g}" role="img"><title>{name}</title>'
            f'{"".join(parts)}</svg>\n')
