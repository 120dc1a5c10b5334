# SPDX-License-Identifier: MIT
"""The figure of a `Comparison` (matplotlib): measures over worlds with their intervals, performance
profiles, and what each learner scored in each world. Learners have one colour and one order in all
of it, that of their interquartile means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lgkt._extras import needed
from lgkt._figure import GREY, PALETTE, open_frame
from lgkt.comparison import MEASURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lgkt.comparison import Comparison

WIDTH = 8.4  # inches
ROW = 0.26  # of a learner or a world
POINTS = 201  # of a profile


def draw(found: Comparison, colors: Sequence[Any] | None) -> Figure:
    """The whole figure, measures above, profile and worlds below."""
    with needed("Comparison.plot", "plot"):
        import matplotlib.pyplot as plt

    chosen = list(colors or PALETTE)
    palette = {label: chosen[l % len(chosen)] for l, label in enumerate(found.labels)}
    above = 0.9 + ROW * len(found.labels)
    below = max(2.6, 0.9 + ROW * len(found.worlds))
    figure = plt.figure(figsize=(WIDTH, above + below), layout="constrained")
    parts: Any = figure.subfigures(2, 1, height_ratios=[above, below])
    top, bottom = parts
    measures = top.subplots(1, len(MEASURES), sharey=True)
    for ax, (name, title) in zip(measures, MEASURES.items()):
        _measure(found, ax, name, title, palette)
    profile, worlds = bottom.subplots(1, 2, width_ratios=[1.0, 1.1])
    _profile(found, profile, palette)
    _worlds(found, worlds, palette)
    for ax in (*measures, profile, worlds):
        open_frame(ax)
    return figure


def _measure(found: Comparison, ax: Axes, name: str, title: str, palette: dict[str, Any]) -> None:
    for row, label in enumerate(found.order):
        value, low, high = found.measures[label][name]
        if not math.isnan(low):
            ax.plot([low, high], [row, row], color=palette[label], linewidth=5.0, alpha=0.35,
                    solid_capstyle="butt")
        ax.plot([value], [row], "|", color=palette[label], markersize=11.0, markeredgewidth=2.2)
    ax.set_yticks(range(len(found.order)), found.order)
    # the key of all of the figure
    for written, label in zip(ax.get_yticklabels(), found.order):
        written.set(color=palette[label], fontweight="bold", parse_math=False)
    ax.set_ylim(len(found.order) - 0.5, -0.5)
    ax.set_title(title, fontsize=10.0)
    ax.tick_params(axis="y", length=0.0)
    ax.set_xlabel("points below 100" if name == "gap" else "score", fontsize=9.0)
    ax.grid(axis="x", color="#e4e4e4", linewidth=0.6)
    ax.set_axisbelow(True)


def _profile(found: Comparison, ax: Axes, palette: dict[str, Any]) -> None:
    there = found.score[~np.isnan(found.score)]
    low = max(float(there.min()), -50.0) if there.size else 0.0
    taus = np.linspace(min(low, 0.0), max(100.0, float(there.max()) if there.size else 0.0), POINTS)
    for label in found.order:
        if math.isnan(found.measures[label]["iqm"].estimate):
            continue
        share, least, most = found.profile(label, taus)
        ax.plot(taus, share, color=palette[label], linewidth=1.6)
        ax.fill_between(taus, least, most, color=palette[label], alpha=0.18, linewidth=0.0)
    ax.set_xlim(taus[0], taus[-1])
    ax.set_ylim(0.0, 1.02)
    ax.set_xlabel("score", fontsize=9.0)
    ax.set_ylabel("share of runs above it", fontsize=9.0)
    ax.set_title("performance profile", fontsize=10.0, loc="left")


def _worlds(found: Comparison, ax: Axes, palette: dict[str, Any]) -> None:
    scores = found.score.mean(axis=2)
    rows = range(len(found.worlds))
    for l, label in enumerate(found.labels):
        ax.plot(scores[:, l], rows, "o", color=palette[label], markersize=5.5, alpha=0.85,
                markeredgewidth=0.0)
    for level in (0.0, 100.0):
        ax.axvline(level, color=GREY, linestyle=":" if level == 0.0 else "--", linewidth=1.0,
                   zorder=0.0)
    names = [world if by == "optimum" else f"{world} †" for world, by in
             zip(found.worlds, found.against)]
    ax.set_yticks(rows, names, fontsize=9.0)
    ax.set_ylim(len(found.worlds) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0.0)
    ax.grid(axis="y", color="#e4e4e4", linewidth=0.6)
    ax.set_axisbelow(True)
    relative = any(by not in ("optimum", "") for by in found.against)
    ax.set_xlabel("mean score" + ("; † 100 is the best learner" if relative else ""), fontsize=9.0)
    ax.set_title("worlds", fontsize=10.0, loc="left")
