# SPDX-License-Identifier: MIT
"""The pictures of `Log.check` (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lgkt._extras import needed
from lgkt._figure import GREY, PALETTE, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lgkt.log.check import Check

YEAR = 366 * 86400.0


def draw(found: Check) -> Figure:
    with needed("Check.plot", "plot"):
        from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 6.0), layout="constrained")
    axes = figure.subplots(2, 2)
    _over_time(found, axes[0, 0])
    _bars(found, axes[0, 1], "tries", "rows with the action")
    _bars(found, axes[1, 0], "missing", "share of its rewards that is missing")
    _telling(found, axes[1, 1])
    return figure


def _over_time(found: Check, ax: Axes) -> None:
    low, high, rows, mean = found.pictures["time"]
    dates = YEAR < low <= high < 300 * YEAR  # seconds since 1970
    if dates:
        low, high = low / 86400.0, high / 86400.0
        ax.xaxis_date()
        ax.tick_params(axis="x", labelrotation=30)
    middle = low + (np.arange(len(rows)) + 0.5) * (high - low) / len(rows)
    ax.bar(middle, rows, width=(high - low or 1.0) / len(rows), color="#dddddd")
    ax.set_ylabel("rows", color=GREY)
    ax.set_xlabel("time")
    other = ax.twinx()
    other.plot(middle, mean, color=PALETTE[0], marker=".", markersize=4)
    other.set_ylabel("mean reward", color=PALETTE[0])
    ax.spines["top"].set_visible(False)
    other.spines["top"].set_visible(False)


def _bars(found: Check, ax: Axes, what: str, words: str) -> None:
    values = np.asarray(found.pictures[what], np.float64)
    names = found.pictures["actions"]
    shown = np.sort(np.argsort(-values, kind="stable")[:12])[::-1]
    ax.barh([names[a][:24] for a in shown], values[shown], color=PALETTE[0])
    ax.set_xlabel(words)
    if what == "missing":
        ax.set_xlim(0, max(0.05, float(values.max()) * 1.1))
    open_frame(ax)


def _telling(found: Check, ax: Axes) -> None:
    from lgkt.log.check import FLOOR, ROUGH

    t = found.pictures["telling"]
    rows = (("time", t.time), ("last reward", t.last_reward), ("last action", t.last_action))
    for y, (_, some) in enumerate(rows):
        known = [one.share if one.known else 0.0 for one in some]
        reward, following = known[0], max(known[1:], default=0.0)
        ax.barh(y + 0.18, 100 * reward, height=0.34, color=PALETTE[0],
                label="the reward" if y == 0 else None)
        ax.barh(y - 0.18, 100 * following, height=0.34, color=PALETTE[1],
                label="the next state" if y == 0 else None)
    floor = ROUGH if found.words.count("records of") else FLOOR
    ax.axvline(100 * floor, color=GREY, linestyle=":", linewidth=1.0)
    ax.set_yticks(range(3), [name for name, _ in rows])
    ax.set_xlabel("% of the spread explained beyond state and action")
    ax.set_xlim(0, max(100 * 2 * floor, ax.get_xlim()[1]))
    ax.legend(frameon=False, fontsize=9)
    open_frame(ax)
