# SPDX-License-Identifier: MIT
"""The figures of a `Result` (matplotlib)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lgkt._errors import error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lgkt.result import Result

# Okabe and Ito's colours, which the colour-blind can tell apart, the pale yellow left out
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_GREY = "#666666"


def draw(result: Result, ax: Axes | None, regret: bool, log: bool,
         colors: Sequence[Any] | None) -> Axes:
    """Learning curves; without checkpoints means with intervals."""
    import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")[1]
    chosen = list(colors or _COLORS)
    palette = [chosen[l % len(chosen)] for l in range(len(result))]
    if result.checkpoints.size:
        _curves(result, ax, regret, log, palette)
    elif regret:
        raise error("ARGUMENT", "there are no checkpoints: run(..., checkpoints=True)")
    else:
        _dots(result, ax, palette)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _curves(result: Result, ax: Axes, regret: bool, log: bool, palette: list[Any]) -> None:
    mean, half = result.curve_summary(regret)
    times = result.checkpoints
    ends = []
    for l, label in enumerate(result.labels):
        ax.plot(times, mean[l], color=palette[l], linewidth=1.6)
        ax.fill_between(times, mean[l] - half[l], mean[l] + half[l], color=palette[l], alpha=0.18,
                        linewidth=0)
        ends.append((float(mean[l, -1]), label, palette[l]))
    if not regret and not math.isnan(result.optimum_mean):
        for level, label, style in ((result.optimum_mean, "optimum", "--"),
                                    (result.random_mean, "uniform", ":")):
            ax.axhline(level, color=_GREY, linestyle=style, linewidth=1.0, zorder=0)
            ends.append((level, label, _GREY))
    # intervals of a few runs are wide at first: they are cut where they would press the lines flat
    lines = np.append(mean.ravel(), [level for level, _, _ in ends])
    spare = 0.3 * float(np.ptp(lines))
    low, high = ax.get_ylim()
    if spare > 0.0:
        ax.set_ylim(max(low, float(lines.min()) - spare), min(high, float(lines.max()) + spare))
    if log:
        ax.set_xscale("log")
    ax.set_xlim(times[0], times[-1])
    ax.set_xlabel("step")
    ax.set_ylabel("regret to thresholding" if regret else "reward per step so far")
    _label_ends(ax, ends)


def _label_ends(ax: Axes, ends: list[tuple[float, str, Any]]) -> None:
    """Labels right of the lines' ends, moved apart where they would meet."""
    ends = sorted(ends, key=lambda end: end[0])
    low, high = ax.get_ylim()
    # heights in points, from the bottom of the axes
    figure = ax.figure
    height = ax.get_position().height * figure.get_figheight() * 72.0  # type: ignore[union-attr]
    size = 9.0
    wanted = np.array([(y - low) / (high - low) * height for y, _, _ in ends])
    places = wanted.copy()
    for _ in range(200):
        gaps = size * 1.25 - np.diff(places)
        if not np.any(gaps > 1e-6):
            break
        for i in np.flatnonzero(gaps > 0.0):
            places[i] -= gaps[i] / 2.0
            places[i + 1] += gaps[i] / 2.0
    for (y, label, color), place, want in zip(ends, places, wanted, strict=True):
        ax.annotate(label, (1.0, y), xycoords=("axes fraction", "data"),
                    xytext=(6.0, float(place - want)), textcoords="offset points", va="center",
                    fontsize=size, color=color, annotation_clip=False)


def _dots(result: Result, ax: Axes, palette: list[Any]) -> None:
    summary = result.summary
    rows = np.arange(len(result))[::-1]
    spread = np.linspace(-0.22, 0.22, result.replicates)
    for l, row in enumerate(rows):
        # the instances in the order of their numbers
        ax.plot(result.reward[l], row + spread, ".", color=palette[l], alpha=0.35, markersize=5,
                markeredgewidth=0)
        half = summary["ci95"][l]
        ax.errorbar(summary["mean"][l], row, xerr=None if math.isnan(half) else half, fmt="o",
                    color=palette[l], markersize=6, capsize=4, linewidth=1.8)
    if not math.isnan(result.optimum_mean):
        for level, label, style in ((result.optimum_mean, "optimum", "--"),
                                    (result.random_mean, "uniform", ":")):
            ax.axvline(level, color=_GREY, linestyle=style, linewidth=1.0, zorder=0)
            ax.annotate(label, (level, 1.0), xycoords=("data", "axes fraction"), xytext=(0.0, 3.0),
                        textcoords="offset points", ha="center", fontsize=9, color=_GREY)
    ax.set_yticks(rows, result.labels)
    ax.set_ylim(-0.6, len(result) - 0.4)
    ax.set_xlabel("reward per step")
