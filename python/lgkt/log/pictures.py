# SPDX-License-Identifier: MIT
"""Pictures of a log: what today's policy does in each state, and what happened over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lgkt import _digits
from lgkt._figure import PALETTE, SIZE, open_frame
from lgkt.log.coders import Floats
from lgkt.log.coding import Coded

MOST = 24     # states in a picture
PERIODS = 20  # parts of the time
ACTIONS = 6   # actions with a colour of their own


def state_name(coded: Coded, state: int) -> str:
    return ", ".join("missing" if part is None else str(part) for part in coded.states[state])


def policy(coded: Coded) -> Figure:
    """How often each action was played in the states that occur most, with the mean reward."""
    assert coded.state is not None
    played = np.bincount(coded.state.astype(np.int64) * coded.A + coded.action,
                         minlength=coded.S * coded.A).reshape(coded.S, coded.A)
    known = ~np.isnan(coded.reward)
    pair = coded.state[known].astype(np.int64) * coded.A + coded.action[known]
    sums = np.bincount(pair, coded.reward[known], coded.S * coded.A).reshape(coded.S, coded.A)
    count = np.bincount(pair, minlength=coded.S * coded.A).reshape(coded.S, coded.A)
    shown = np.sort(np.argsort(-played.sum(1), kind="stable")[:MOST])
    share = played[shown] / np.maximum(played[shown].sum(1, keepdims=True), 1)
    rows, columns = share.shape
    means = sums / np.maximum(count, 1)
    show = _digits.rewards(means[count > 0])
    figure = Figure(figsize=(1.8 + 1.15 * columns, 0.9 + 0.3 * rows), layout="constrained")
    ax = figure.add_subplot()
    ax.imshow(share, cmap="Blues", vmin=0.0, vmax=1.4, aspect="auto")
    for i, s in enumerate(shown):
        for a in range(columns):
            if played[s, a]:
                mean = f"  {show(means[s, a])}" if count[s, a] else ""
                text, color = f"{share[i, a]:.0%}{mean}", "#000000"
            else:
                text, color = "never", "#a03018"
            ax.text(a, i, text, ha="center", va="center", fontsize=SIZE - 1, color=color)
    ax.set_xticks(range(columns), [str(one)[:16] for one in coded.actions], fontsize=SIZE)
    ax.set_yticks(range(rows), [state_name(coded, s)[:28] for s in shown], fontsize=SIZE)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return figure


def _periods(coded: Coded) -> tuple[Floats, np.ndarray[Any, Any], str]:
    """Ends of about equally large parts of the log, and the part of each row."""
    if coded.time is not None and not np.isnan(coded.time).any():
        at, title = coded.time, "time"
    else:
        at = (np.arange(coded.n) - np.repeat(coded.start[:-1], np.diff(coded.start))
              ).astype(np.float64)
        title = "decision of the trajectory"
    low, high = float(at.min()), float(at.max())
    edges = np.linspace(low, high if high > low else low + 1.0, PERIODS + 1)
    return edges, np.clip(np.searchsorted(edges, at, "right") - 1, 0, PERIODS - 1), title


def over_time(coded: Coded) -> Figure:
    """Mean reward and shares of actions, part by part."""
    edges, period, title = _periods(coded)
    middle = (edges[1:] + edges[:-1]) / 2
    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    known = ~np.isnan(coded.reward)
    count = np.bincount(period[known], minlength=PERIODS)
    mean, error = np.full(PERIODS, np.nan), np.full(PERIODS, np.nan)
    some = count > 1
    sums = np.bincount(period[known], coded.reward[known], PERIODS)
    squares = np.bincount(period[known], coded.reward[known]**2, PERIODS)
    mean[some] = sums[some] / count[some]
    error[some] = 1.96 * np.sqrt(np.maximum(squares[some] / count[some] - mean[some]**2, 0.0)
                                 / count[some])
    above.errorbar(middle, mean, error, fmt="o-", color=PALETTE[0], markersize=3.5, linewidth=1.4)
    above.set_ylabel("mean reward", fontsize=SIZE)
    played = np.zeros((PERIODS, coded.A))
    np.add.at(played, (period, coded.action), 1)
    share = played / np.maximum(played.sum(1, keepdims=True), 1)
    share[played.sum(1) == 0] = np.nan
    often = np.argsort(-played.sum(0), kind="stable")
    for i, a in enumerate(often[:ACTIONS]):
        below.plot(middle, share[:, a], color=PALETTE[i % len(PALETTE)], linewidth=1.6,
                   label=str(coded.actions[a])[:18])
    if coded.A > ACTIONS:
        below.plot(middle, share[:, often[ACTIONS:]].sum(1), color="#666666", linewidth=1.2,
                   linestyle=":", label=f"{coded.A - ACTIONS} others")
    below.set_ylim(0, 1)
    below.set_ylabel("share of decisions", fontsize=SIZE)
    below.set_xlabel(title, fontsize=SIZE)
    below.legend(fontsize=SIZE - 1, frameon=False, ncols=3, loc="upper left",
                 bbox_to_anchor=(0.0, 1.22))
    if title == "time" and float(edges[-1]) > 1e8:
        _dates(below, edges)
    for ax in (above, below):
        open_frame(ax)
        ax.tick_params(labelsize=SIZE - 1)
    return figure


def _dates(ax: Any, edges: Floats) -> None:
    """Seconds since 1970 as days, or as hours where the log is short."""
    places = np.linspace(edges[0], edges[-1], 5)
    unit = "D" if edges[-1] - edges[0] > 4 * 86400 else "m"
    labels = [str(np.datetime64(int(one), "s").astype(f"datetime64[{unit}]")).replace("T", " ")
              for one in places]
    ax.set_xticks(places, labels)
