# SPDX-License-Identifier: MIT
"""What learners would earn in worlds that the log leaves possible: `log.simulate(learners, ...)`.

Models are drawn from what the log says: next states of a pair by a Dirichlet law around its counts,
mean rewards by their posterior. Pairs that the log never tried are set to both ends of what is
possible: in every second model such a pair stays where it is and earns the highest reward for ever,
in the others the lowest. Each learner plays in every model, with the same noise, for `units` units
of `horizon` decisions each, and the interval of its mean reward per decision holds 95% of the
models: what is not known of the world is in it, and the luck of so many units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lgkt import _core, _digits
from lgkt._errors import error
from lgkt._extras import needed
from lgkt.log.coding import Coded
from lgkt.log.features import numbered
from lgkt.log.reading import Told
from lgkt.log.replay import allowed_pairs, table_only
from lgkt.log.tried import fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


class Rank(NamedTuple):
    """A learner's mean reward per decision over the models, with the interval that holds 95% of
    them, and in which share of the models it is the best. `hopeful` and `gloomy` are the means
    where what was never tried is the best possible, and the worst."""

    spec: str
    mean: float
    low: float
    high: float
    best: float
    hopeful: float
    gloomy: float


@dataclass(frozen=True)
class Simulation:
    """Learners in worlds that the log leaves possible, the best first. `values` (L, draws) are the
    learners' mean rewards per decision in each model, in the order of `ranks`; `untried` is the
    number of pairs that the log never tried."""

    ranks: tuple[Rank, ...]
    values: Floats
    horizon: int
    units: int
    untried: int

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"learners": [rank._asdict() for rank in self.ranks], "horizon": self.horizon,
                "units": self.units, "draws": self.values.shape[1], "untried": self.untried}

    def difference(self, first: str, second: str) -> tuple[float, float, float]:
        """How much more the one earns than the other in the same model: mean and interval."""
        names = [rank.spec for rank in self.ranks]
        for name in (first, second):
            if name not in names:
                raise error("ARGUMENT", f'"{name}" was not simulated; these were: '
                                        + ", ".join(names))
        more = self.values[names.index(first)] - self.values[names.index(second)]
        low, high = np.quantile(more, [0.025, 0.975])
        return float(more.mean()), float(low), float(high)

    def digits(self) -> Callable[[float], str]:
        """What prints its rewards."""
        return _digits.rewards([(rank.mean, rank.low, rank.high) for rank in self.ranks])

    def __str__(self) -> str:
        width = max(7, *(len(rank.spec) for rank in self.ranks))
        show = self.digits()
        lines = [f"{self.values.shape[1]} worlds that the log leaves possible, {self.units} units "
                 f"of {self.horizon} decisions; reward per decision", "",
                 f"{'learner':{width}}  {'mean':>8}  {'95% of the worlds':20}  best in"]
        lines += [f"{rank.spec:{width}}  {show(rank.mean):>8}  {show(rank.low):>8} to "
                  f"{show(rank.high):>8}  {rank.best:7.0%}" for rank in self.ranks]
        if self.untried:
            lines += ["", f"{self.untried} pairs of a state and an action were never tried; means "
                      "if they are as good, and as bad, as can be:"]
            lines += [f"{rank.spec:{width}}  {show(rank.hopeful):>8}  {show(rank.gloomy):>8}"
                      for rank in self.ranks]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def plot(self, ax: Axes | None = None,
             logged: tuple[float, float, float] | None = None) -> Axes:
        """A line for each learner: the mean and 95% of the worlds; thin marks are the means where
        what was never tried is the best possible, and the worst. `logged` is a band: what the log
        earned, with its interval."""
        with needed("Simulation.plot", "plot"):
            from matplotlib import pyplot

        from lgkt._figure import GREY, PALETTE, open_frame

        ax = pyplot.gca() if ax is None else ax
        places = np.arange(len(self.ranks))[::-1]
        for place, rank in zip(places, self.ranks, strict=True):
            ax.plot([rank.low, rank.high], [place, place], color=PALETTE[0], linewidth=2,
                    solid_capstyle="round")
            ax.plot(rank.mean, place, "o", color=PALETTE[0])
            if self.untried:
                ax.plot([rank.hopeful, rank.gloomy], [place, place], "|", color=PALETTE[1],
                        markersize=12, label="what was never tried, at its best and worst")
        if self.untried:
            ax.legend(*(some[:1] for some in ax.get_legend_handles_labels()), frameon=False,
                      loc="upper left", bbox_to_anchor=(0.0, -0.25), fontsize=8)
        if logged is not None:
            ax.axvspan(logged[1], logged[2], color=GREY, alpha=0.2, linewidth=0)
            ax.axvline(logged[0], color=GREY, linewidth=1)
            ax.text(logged[0], 1.01, "as logged", transform=ax.get_xaxis_transform(), ha="center",
                    va="bottom", color=GREY)
        ax.set_yticks(places, [rank.spec for rank in self.ranks], parse_math=False)
        ax.set_ylim(-0.6, len(self.ranks) - 0.4)
        ax.set_xlabel("reward per decision")
        open_frame(ax)
        return ax


def simulate(
    log: Any,
    learners: str | Sequence[str],
    horizon: int,
    units: int,
    *,
    draws: int = 100,
    seed: int = 1,
    jobs: int = 1,
    rewards: tuple[float, float] | None = None,
    alone: bool = False,
    told: bool = True,
    progress: bool | None = None,
) -> Simulation:
    """Learners ranked by what they earn in `draws` worlds that the log leaves possible.

    Each plays for `units` units at once, which share it (`alone`: each has its own), over `horizon`
    decisions of each. `rewards` are the ends of what a reward can be, else those of the log;
    learners are told them unless `told` is False.
    """
    coded: Coded = log if isinstance(log, Coded) else log.coded
    table_only(coded, "simulate")
    specs = (learners,) if isinstance(learners, str) else tuple(learners)
    if not specs:
        raise error("ARGUMENT", "simulate: no learner is named")
    if draws < 2:
        raise error("ARGUMENT", f"draws is {draws}; it must be at least 2")
    report = Told("simulating", progress)
    total = len(specs) * draws * units * horizon

    def step(done: float) -> None:
        report(f"{done / total:.0%}")

    low_end, high_end = _ends(coded, rewards)
    known, sums, mask = fitted(coded), _sums(coded), allowed_pairs(coded)
    values = _core.simulate_models(
        specs, known.moves.indptr.astype(np.int64), known.moves.indices.astype(np.int32),
        known.moves.data, sums, known.start, low_end, high_end, horizon, units, draws, seed, jobs,
        allowed=mask, bernoulli=known.binary, untold=not told, alone=alone, progress=step)
    means = values.mean(1)
    winner = np.argmax(values, 0)
    low, high = np.quantile(values, [0.025, 0.975], axis=1)
    ranks = [Rank(spec, float(means[i]), float(low[i]), float(high[i]),
                  float(np.mean(winner == i)), float(values[i, 0::2].mean()),
                  float(values[i, 1::2].mean())) for i, spec in enumerate(specs)]
    order = np.argsort(-means, kind="stable")
    possible = np.ones((coded.S, coded.A), np.bool_) if mask is None else mask
    untried = int((possible & (sums[0] == 0)).sum())
    return Simulation(tuple(ranks[i] for i in order), values[order], horizon, units, untried)


def _sums(coded: Coded) -> Floats:
    """Of the rewards of each pair the number, the sum and the sum of squares, (3, S, A)."""
    paid = ~np.isnan(coded.reward)
    earned = coded.reward[paid]
    pair = (numbered(coded)[0] * np.int64(coded.A) + coded.action)[paid]
    return np.stack([np.bincount(pair, weights, coded.S * coded.A).reshape(coded.S, coded.A)
                     for weights in (np.ones(len(earned)), earned, earned**2)])


def _ends(coded: Coded, given: tuple[float, float] | None) -> tuple[float, float]:
    """Both ends of what a reward can be."""
    if np.isnan(coded.reward).all():
        raise error("ARGUMENT", "all rewards of the log are missing")
    least, most = float(np.nanmin(coded.reward)), float(np.nanmax(coded.reward))
    if given is None:
        return least, most
    if not (given[0] <= least and given[1] >= most):
        raise error("ARGUMENT", f"rewards={given}: the log has rewards from {least:g} to {most:g}")
    return given


def compare(log: Any, learners: str | Sequence[str], horizon: int, units: int,
            **settings: Any) -> Figure:
    """One figure: what learners would earn in the worlds that the log leaves possible, beside what
    the log earned. `settings` are those of `simulate`."""
    with needed("Log.compare", "plot"):
        from matplotlib import pyplot

    from lgkt.log.evaluate import evaluate

    coded: Coded = log if isinstance(log, Coded) else log.coded
    table_only(coded, "compare")
    made = simulate(coded, learners, horizon, units, **settings)
    base = evaluate(coded, "logged", findings=[]).policy
    figure, ax = pyplot.subplots(figsize=(7, 1.4 + 0.4 * len(made.ranks)), layout="constrained")
    made.plot(ax, base)
    ax.set_title(f"{made.values.shape[1]} worlds that the log leaves possible: {units} units of "
                 f"{horizon} decisions", loc="left", fontsize=10, pad=18)
    return figure
