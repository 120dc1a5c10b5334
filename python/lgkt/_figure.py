# SPDX-License-Identifier: MIT
"""What figures have in common (matplotlib), and those of a `Result`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt._errors import error
from lgkt._extras import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lgkt.result import Result

# Okabe and Ito's colours, which the colour-blind can tell apart, the pale yellow left out
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
GREY = "#666666"
SIZE = 9.0  # of letters, in points
STEP = 1.2 * SIZE  # between the lines of two labels


def spread(places: ArrayLike, gap: float, low: float, high: float) -> NDArray[np.float64]:
    """The places nearest to the given ones that are a gap or more apart, from low to high.

    With places sorted, p_i - i gap must not decrease: the nearest such sequence is the isotonic
    regression, found by pooling neighbours, and cut off at the bounds.

    >>> spread([0.5, 0.5, 0.9], 0.2, 0.0, 1.0).round(3).tolist()
    [0.4, 0.6, 0.9]
    """
    wanted = np.asarray(places, np.float64)
    order = np.argsort(wanted, kind="stable")
    blocks: list[tuple[float, int]] = []  # mean and number of labels that touch
    for i, place in enumerate(wanted[order]):
        mean, count = float(place) - i * gap, 1
        while blocks and blocks[-1][0] > mean:
            below, more = blocks.pop()
            mean, count = (below * more + mean * count) / (more + count), more + count
        blocks.append((mean, count))
    moved = np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])
    steps = gap * np.arange(wanted.size)
    result = np.empty_like(wanted)
    result[order] = np.clip(moved, low, max(low, high - gap * (wanted.size - 1))) + steps
    return result


def label_ends(ax: Axes, ends: Sequence[tuple[float, str, Any]], height: float) -> None:
    """Labels right of the lines' ends, moved apart; ends are heights in data, texts and colours.

    `height` is that of the axes in points. The y axis has its final limits and scale.
    """
    from matplotlib.collections import LineCollection

    if not ends:
        return
    heights, labels, colors = zip(*ends, strict=True)
    shown = ax.transData.transform([(1.0, y) for y in heights])
    at = ax.transAxes.inverted().transform(shown)[:, 1]
    places = spread(at, STEP / height, -0.12, 1.0)
    ax.add_collection(LineCollection(
        [((1.005, y), (1.046, place)) for y, place in zip(at, places, strict=True)],
        colors=colors, linewidths=0.6, transform=ax.transAxes, clip_on=False), autolim=False)
    for label, color, place in zip(labels, colors, places, strict=True):
        ax.text(1.055, float(place), label, transform=ax.transAxes, va="center", fontsize=SIZE,
                color=color, parse_math=False)


def open_frame(ax: Axes) -> None:
    """Axes at the left and at the bottom only."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


# ---- of a Result ----


def draw(result: Result, ax: Axes | None, regret: bool, log: bool,
         colors: Sequence[Any] | None) -> Axes:
    """Learning curves; without checkpoints means with intervals."""
    with needed("Result.plot", "plot"):
        import matplotlib.pyplot as plt

    if ax is None:
        ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")[1]
    chosen = list(colors or PALETTE)
    palette = [chosen[l % len(chosen)] for l in range(len(result))]
    if result.checkpoints.size:
        _curves(result, ax, regret, log, palette)
    elif regret:
        raise error("ARGUMENT", "there are no checkpoints: run(..., checkpoints=True)")
    else:
        _dots(result, ax, palette)
    open_frame(ax)
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
            ax.axhline(level, color=GREY, linestyle=style, linewidth=1.0, zorder=0)
            ends.append((level, label, GREY))
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
    figure = ax.figure
    label_ends(ax, ends,
               ax.get_position().height * figure.get_figheight() * 72.0)  # type: ignore[union-attr]


def _dots(result: Result, ax: Axes, palette: list[Any]) -> None:
    summary = result.summary
    rows = np.arange(len(result))[::-1]
    aside = np.linspace(-0.22, 0.22, result.replicates)
    for l, row in enumerate(rows):
        # the instances in the order of their numbers
        ax.plot(result.reward[l], row + aside, ".", color=palette[l], alpha=0.35, markersize=5,
                markeredgewidth=0)
        half = summary["ci95"][l]
        ax.errorbar(summary["mean"][l], row, xerr=None if math.isnan(half) else half, fmt="o",
                    color=palette[l], markersize=6, capsize=4, linewidth=1.8)
    if not math.isnan(result.optimum_mean):
        for level, label, style in ((result.optimum_mean, "optimum", "--"),
                                    (result.random_mean, "uniform", ":")):
            ax.axvline(level, color=GREY, linestyle=style, linewidth=1.0, zorder=0)
            ax.annotate(label, (level, 1.0), xycoords=("data", "axes fraction"), xytext=(0.0, 3.0),
                        textcoords="offset points", ha="center", fontsize=9, color=GREY)
    ax.set_yticks(rows, result.labels)
    ax.set_ylim(-0.6, len(result) - 0.4)
    ax.set_xlabel("reward per step")
