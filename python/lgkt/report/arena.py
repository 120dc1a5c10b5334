# SPDX-License-Identifier: MIT
"""The arena: many learners on many environments, as tables and heat maps.

score = 100 (reward - random) / (optimum - random). The worst tenth is that of the scores of single
runs where they were kept (--keep-runs), else of the mean rewards of the worst runs. A learner that
was not run on an environment is left out of its own means only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from lgkt._digits import points
from lgkt.report import figures
from lgkt.report.results import Experiment, Panel

BEHIND = 10.0  # points
TIE = 0.05  # points: as good as the best, as far as one digit shows
LEAST = 5.0  # points: where nobody has more, nobody wins

_Floats = NDArray[np.float64]


class Scores:
    """The scores of an experiment: arrays (environments, learners), NaN where it was not run."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        labels = dict.fromkeys(entry.label for p in experiment.panels for entry in p.entries)
        self.learners = list(labels)
        every = [[p.value(label, "score").mean for label in labels] for p in experiment.panels]
        scored = ~np.all(np.isnan(every), axis=1)
        panels = [p for p, yes in zip(experiment.panels, scored, strict=True) if yes]
        self.environments = [p.name for p in panels]
        self.score: _Floats = np.array(every)[scored]
        self.worst: _Floats = np.array([[_worst(p, label) for label in labels] for p in panels])
        # what was earned where there is no model
        self.earned = {p.name: np.array([p.value(label).mean for label in labels])
                       for p in experiment.panels if p not in panels}
        self.best = np.nanmax(self.score, axis=1, keepdims=True)
        self.leading = self.score >= self.best - TIE
        self.won = np.sum(self.leading & (self.best >= LEAST), axis=0)
        self.behind = self.score < self.best - BEHIND
        self.mean = np.nanmean(self.score, axis=0)
        self.order = np.argsort(-self.mean, kind="stable")


def _worst(panel: Panel, label: str) -> float:
    runs = panel.runs(label, "score")
    if runs is not None:
        return float(np.sort(runs)[:-(-runs.size // 10)].mean())
    lowest = panel.value(label, "worst_tenth").mean
    return 100.0 * (lowest - panel.random) / (panel.optimum - panel.random)


# ---- tables ----


def markdown(scores: Scores, focus: str = "Auto") -> str:
    """The tables of an experiment; `focus` is the learner that others are compared with."""
    s, experiment = scores, scores.experiment
    counts = sorted({panel.instances for panel in experiment.panels})
    out = [f"# {experiment.title}\n\n{len(s.environments)} environments, "
           f"{' or '.join(map(str, counts))} run{'' if counts == [1] else 's'} each.\n",
           f"| learner | mean | none below 0 | worst tenth | won | more than {BEHIND:.0f} behind "
           f"| environments | minus {focus} |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    there = ~np.isnan(s.score)
    main = s.learners.index(focus) if focus in s.learners else None
    for l in s.order:
        difference = np.nan
        if main is not None and l != main and np.any(both := there[:, l] & there[:, main]):
            difference = s.score[both, l].mean() - s.score[both, main].mean()
        out.append(f"| {s.learners[l]} | {points(s.mean[l])} "
                   f"| {points(np.nanmean(np.maximum(s.score[:, l], 0.0)))} "
                   f"| {points(np.nanmean(s.worst[:, l]))} | {s.won[l]} | {s.behind[:, l].sum()} "
                   f"| {there[:, l].sum()} | {points(difference)} |")
    missing: dict[str, list[str]] = {}
    for l, label in enumerate(s.learners):
        if not there[:, l].all():
            gone = ", ".join(np.array(s.environments)[~there[:, l]])
            missing.setdefault(gone, []).append(label)
    out += [f"\nNot run: {', '.join(labels)} on {gone}." for gone, labels in missing.items()]
    if main is not None and s.behind[:, main].any():
        out.append(f"\n{focus} is more than {BEHIND:.0f} points behind the best on\n\n"
                   f"| environment | {focus} | best | who |\n| --- | --- | --- | --- |")
        for e in np.flatnonzero(s.behind[:, main]):
            who = ", ".join(np.array(s.learners)[s.leading[e]])
            out.append(f"| {s.environments[e]} | {points(s.score[e, main])} "
                       f"| {points(s.best[e, 0])} | {who} |")
    for name, earned in s.earned.items():
        some = [l for l in np.argsort(-earned, kind="stable") if not np.isnan(earned[l])]
        out.append(f"\n{name}, observed reward in all: "
                   + ", ".join(f"{s.learners[l]} {earned[l]:.0f}" for l in some) + ".")
    return "\n".join(out) + "\n"


# ---- heat map ----

WIDTH, HEIGHT, GAP = 36.0, 16.0, 5.5  # of a cell; between families; in points
LEFT, HEAD = 140.0, 118.0
KEY = 360.0  # right end of the key
ZERO, HUNDRED = np.array([247, 249, 252]), np.array([26, 96, 152])
BELOW, NONE, FRAME, INK = "#fadecf", "#f0f0f0", "#e08a00", "#222223"


def _color(score: float) -> str:
    if np.isnan(score) or score < -0.5:
        return NONE if np.isnan(score) else BELOW
    mixed = ZERO + (HUNDRED - ZERO) * np.clip(score / 100.0, 0.0, 1.0)
    return "#" + "".join(f"{round(v):02x}" for v in mixed)


def draw(scores: Scores) -> Figure:
    """A row for each environment, columns by their means, a frame around the best of a row."""
    s, nothing = scores, np.full(len(scores.learners), np.nan)
    # space above, name, numbers that colour the cells, frames, words
    rows: list[tuple[bool, str, _Floats, NDArray[np.bool_], list[str]]] = []

    def add(apart: bool, name: str, values: _Floats, best: NDArray[np.bool_],
            words: list[str] | None = None) -> None:
        rows.append((apart, name, values, best, words or
                     ["not run" if np.isnan(v) else f"{round(v)}" for v in values]))

    for name, values in (("mean", s.mean), ("worst tenth of runs", np.nanmean(s.worst, axis=0))):
        add(False, name, values, values == np.nanmax(values))
    for name, numbers in (("environments won", s.won),
                          (f"more than {BEHIND:.0f} behind", s.behind.sum(axis=0))):
        add(False, name, nothing, nothing > 0.0, [str(n) for n in numbers])
    family = ""
    for env, values, best, leading in zip(s.environments, s.score, s.best, s.leading, strict=True):
        add(env.split("-")[0] != family, env, values, leading & (best >= LEAST))
        family = env.split("-")[0]
    for env, values in s.earned.items():
        add(True, f"{env} (reward)", nothing, values == np.nanmax(values),
            ["not run" if np.isnan(v) else f"{v:.0f}" for v in values])

    height = HEAD + len(rows) * HEIGHT + GAP * sum(row[0] for row in rows) + 63.0
    width = max(LEFT + len(nothing) * WIDTH + 40.0, 560.0)
    with figures.style():
        tiles = figures.Tiles(width, height)
        ax = tiles.ax

        def write(x: float, y: float, text: str, size: float = 8.5, **more: Any) -> None:
            tiles.write(x, y + HEIGHT / 2.0 - 0.6, text, size, **more)

        def box(x: float, y: float, wide: float, value: float, best: bool) -> None:
            tiles.box(x, y, wide, HEIGHT - 1.6, _color(value), FRAME if best else "")

        ax.text(12.0, 22.0, s.experiment.title, fontsize=13.0, weight="bold")
        ax.text(12.0, 37.0, "score of the mean reward; columns by their mean", fontsize=8.5)
        xs = LEFT + WIDTH * np.arange(len(nothing))
        for x, l in zip(xs, s.order, strict=True):
            ax.text(x + WIDTH / 2.0 - 4.0, HEAD - 5.0, s.learners[l], rotation=50.0, weight="bold",
                    fontsize=8.5, va="bottom", rotation_mode="anchor")
        y = HEAD
        for r, (apart, name, values, best, words) in enumerate(rows):
            y += GAP * apart
            write(LEFT - 6.0, y, name, ha="right", weight="bold" if r < 4 else "normal")
            for x, l in zip(xs, s.order, strict=True):
                if r not in (2, 3):  # plain numbers
                    box(x, y, WIDTH - 1.6, values[l], bool(best[l]))
                gone = words[l] == "not run"
                ink = "#aaaaaa" if gone else "#ffffff" if values[l] > 55.0 else INK
                write(x + WIDTH / 2.0 - 0.8, y, words[l], 6.0 if gone else 8.5, ha="center",
                      weight="bold" if best[l] else "normal",
                      color=figures.INK if r in (2, 3) else ink)
            y += HEIGHT
        # in lines that a phone shows at once
        x, y = 12.0, y + 12.0
        for text, value in (("below 0", -50.0), ("0: random play", 0.0), ("25", 25.0),
                            ("50", 50.0), ("75", 75.0), ("100: optimum", 100.0),
                            ("best of its row", np.nan)):
            if x + 30.0 + 5.2 * len(text) > KEY:
                x, y = 12.0, y + HEIGHT + 3.0
            box(x, y, 14.0, value, bool(np.isnan(value)))
            write(x + 18.0, y, text)
            x += 30.0 + 5.2 * len(text)
        return tiles.done()
