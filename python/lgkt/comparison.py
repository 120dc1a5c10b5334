# SPDX-License-Identifier: MIT
"""What `lgkt.compare` found: scores of all learners in all worlds, measures over worlds, files.

The measures are those of Agarwal et al. (2021), "Deep reinforcement learning at the edge of the
statistical precipice", on scores from 0 (random actions) to 100 (optimum): mean, median and
interquartile mean over worlds, optimality gap to 100, probability of improvement, performance
profile. Their intervals are stratified bootstraps: the runs of each world are drawn among
themselves. They are about these worlds, not about all that there could be.
"""

from __future__ import annotations

import html
import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _core, _html, _json, stats
from lgkt._digits import points
from lgkt._errors import error
from lgkt._extras import needed
from lgkt._text import Path, read_bytes, short, write_text
from lgkt.stats import Interval

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

_Floats = NDArray[np.float64]

FORMAT = 1
TARGET = 100.0  # of the optimality gap
MEASURES = {"iqm": "IQM", "mean": "mean", "median": "median", "gap": "optimality gap"}
_ARRAYS = ("reward", "observed", "seconds", "optimum", "random")
_NOTHING = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Tested:
    """One learner in one world: arrays over instances."""

    env: str
    note: str
    optimum: _Floats
    random: _Floats
    reward: _Floats
    observed: _Floats
    seconds: _Floats


@dataclass(frozen=True)
class Failure:
    """A learner of which nothing came in a world."""

    world: str
    learner: str
    why: str
    trace: str = field(default="", repr=False)  #: where it was raised

    def __str__(self) -> str:
        return f"{self.learner} in {self.world}: {self.why}"


@dataclass(eq=False, repr=False)
class Comparison:
    """Learners side by side in many worlds; W worlds, L learners, N instances of each world.

    >>> import lgkt
    >>> found = lgkt.compare(["riverswim", "chain"], ["auto", "random"], 500, 4)
    >>> found.score.shape
    (2, 2, 4)
    >>> found.improvement("auto", "random").estimate
    1.0
    """

    worlds: tuple[str, ...]  #: (W) names
    envs: tuple[str, ...]  #: (W) specs of the environments, or names of own worlds
    horizons: tuple[int, ...]  #: (W)
    notes: tuple[str, ...]  #: (W) the first instance on itself
    labels: tuple[str, ...]  #: (L)
    specs: tuple[str | None, ...]  #: (L) None for own learners
    replicates: int
    seed: int
    untold: bool
    level: float  #: of the intervals
    resamples: int  #: of the bootstrap
    reward: _Floats  #: (W, L, N) expected reward per step; NaN where a learner failed
    observed: _Floats  #: (W, L, N) observed reward per step
    seconds: _Floats  #: (W, L, N) in steps of learner and environment
    optimum: _Floats  #: (W, N) the best expected reward per step; NaN where it is not known
    random: _Floats  #: (W, N) of random actions: exact, or what they earned
    failures: tuple[Failure, ...] = ()

    # ---- scores ----

    @cached_property
    def against(self) -> tuple[str, ...]:
        """(W) What a score of 100 is: `"optimum"`, or the label of the learner that earned most
        where that is not known; empty where there is no score."""
        found = []
        for w in range(len(self.worlds)):
            best = self._best(w)
            found.append("optimum" if not np.isnan(self.optimum[w]).any() else
                         "" if best is None else self.labels[best])
        return tuple(found)

    def _best(self, w: int) -> int | None:
        """The learner that earned most, if random actions earned less."""
        there = ~np.isnan(self.reward[w]).any(axis=1)
        if not there.any() or np.isnan(self.random[w]).any():
            return None
        means = np.where(there, np.nan_to_num(self.reward[w]).mean(axis=1), -np.inf)
        best = int(np.argmax(means))
        zero = float(self.random[w].mean())
        return best if not math.isnan(_core.rate(means[best], zero, means[best])[0]) else None

    @cached_property
    def score(self) -> _Floats:
        """(W, L, N) The score of each run: 0 for random actions, 100 for the optimum of its
        instance; without optimum, of means over instances."""
        scores = np.full(self.reward.shape, np.nan)
        for w in range(len(self.worlds)):
            zero, top = self.random[w], self.optimum[w]
            if np.isnan(top).any():
                best = self._best(w)
                if best is None:
                    continue
                zero = np.full(self.replicates, zero.mean())
                top = np.full(self.replicates, self.reward[w, best].mean())
            for l in range(len(self.labels)):
                scores[w, l] = [_core.rate(*three)[0] for three in
                                zip(self.reward[w, l].tolist(), zero.tolist(), top.tolist())]
        return scores

    @cached_property
    def _scored(self) -> NDArray[np.bool_]:
        """(W, L) Whether there is a score of each run."""
        return np.asarray(~np.isnan(self.score).any(axis=2), dtype=np.bool_)

    def _strata(self, label: str, other: str | None = None) -> list[_Floats]:
        """The scores of a learner in each world that has them; those that another one has, too."""
        l = self._place(label)
        there = self._scored[:, l] & self._scored[:, l if other is None else self._place(other)]
        return [self.score[w, l] for w in np.flatnonzero(there)]

    def _place(self, label: str) -> int:
        if label not in self.labels:
            raise error("ARGUMENT", f'there is no learner "{label}"; '
                                    f"{_core.suggest(label, self.labels)}")
        return self.labels.index(label)

    # ---- measures ----

    @cached_property
    def measures(self) -> dict[str, dict[str, Interval]]:
        """Of each learner `iqm`, `mean`, `median` and `gap` with their intervals, over the worlds
        where it has scores."""
        how: dict[str, Any] = {"level": self.level, "resamples": self.resamples}
        found = {}
        for label in self.labels:
            runs = self._strata(label)
            found[label] = {
                "iqm": stats.iqm(runs, **how), "mean": stats.mean(runs, **how),
                "median": stats.median(runs, **how),
                "gap": stats.optimality_gap(runs, TARGET, **how),
            } if runs else dict.fromkeys(MEASURES, _NOTHING)
        return found

    @property
    def order(self) -> tuple[str, ...]:
        """The learners, the highest interquartile mean first."""
        def key(label: str) -> float:
            value = self.measures[label]["iqm"].estimate
            return math.inf if math.isnan(value) else -value
        return tuple(sorted(self.labels, key=key))

    def improvement(self, a: str, b: str) -> Interval:
        """The probability that a run of a has a higher score than one of b in the same world,
        averaged over the worlds that both have; ties count half."""
        first, second = self._strata(a, b), self._strata(b, a)
        return (stats.improvement(first, second, self.level, resamples=self.resamples)
                if first else _NOTHING)

    def profile(self, label: str, thresholds: ArrayLike) -> stats.Profile:
        """The share of runs with a score above each threshold, averaged over worlds."""
        runs = self._strata(label)
        if not runs:
            raise error("ARGUMENT", f"{label} has no scores")
        return stats.profile(runs, thresholds, self.level, resamples=self.resamples)

    # ---- tables ----

    def table(self, of: str = "measures") -> pandas.DataFrame:
        """Numbers as a data frame (needs pandas).

        `"measures"`: a row for each learner, a column for each measure and each end of its
        interval; `"worlds"`: mean scores, a row for each world and a column for each learner;
        `"improvement"`: the probability that the learner of the row beats that of the column.

        >>> import lgkt
        >>> found = lgkt.compare("chain", ["auto", "random"], 200, 3)
        >>> list(found.table().columns)[:3]
        ['iqm', 'iqm_low', 'iqm_high']
        """
        with needed("Comparison.table", "pandas"):
            import pandas

        if of == "measures":
            rows = [{name + end: value for name, interval in self.measures[label].items()
                     for end, value in zip(("", "_low", "_high"), interval)}
                    | {"worlds": int(self._scored[:, self._place(label)].sum())}
                    for label in self.order]
            return pandas.DataFrame(rows, index=pandas.Index(self.order, name="learner"))
        if of == "worlds":
            return pandas.DataFrame(self.score.mean(axis=2), columns=list(self.labels),
                                    index=pandas.Index(self.worlds, name="world"))
        if of == "improvement":
            return pandas.DataFrame(
                [[stats.improvement(first, self._strata(b, a), resamples=1).estimate
                  if (first := self._strata(a, b)) else math.nan for b in self.order]
                 for a in self.order], columns=list(self.order),
                index=pandas.Index(self.order, name="learner"))
        words = ("measures", "worlds", "improvement")
        raise error("ARGUMENT", f'there is no table "{of}"; {_core.suggest(of, words)}')

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each run: world, learner, instance and what came of it.

        >>> import lgkt
        >>> found = lgkt.compare("chain", ["auto", "random"], 200, 3)
        >>> bool(found.to_pandas().groupby("learner").score.mean()["auto"] > 30)
        True
        """
        with needed("Comparison.to_pandas", "pandas"):
            import pandas

        shape = self.reward.shape
        index = np.indices(shape)
        columns: dict[str, Any] = {
            "world": np.array(self.worlds, object)[index[0].ravel()],
            "learner": np.array(self.labels, object)[index[1].ravel()],
            "instance": index[2].ravel()}
        columns |= {name: np.broadcast_to(
            values if values.ndim == 3 else values[:, None], shape).ravel()
            for name, values in [("score", self.score),
                                 *((name, getattr(self, name)) for name in _ARRAYS)]}
        return pandas.DataFrame(columns)

    def _head(self) -> str:
        count = len(self.worlds)
        worlds = f"{count} world{'s' * (count != 1)}"
        if len(set(self.horizons)) == 1:
            worlds += f", horizon {self.horizons[0]}"
        return f"{worlds}, replicates {self.replicates}, seed {self.seed}" + (
            ", untold" if self.untold else "")

    def _tables(self) -> list[list[list[str]]]:
        """Measures, and scores of each world; titles first."""
        order, wide = self.order, f"{100.0 * self.level:g}%"
        rows = [["learner", *(f"{name} [{wide}]" for name in MEASURES.values()),
                 "beats the next", "worlds"]]
        for label, after in zip(order, [*order[1:], None]):
            measures = self.measures[label]
            beats = _NOTHING if after is None else self.improvement(label, after)
            there = int(self._scored[:, self._place(label)].sum())
            rows.append([label, *(_interval(measures[name], points) for name in MEASURES),
                         _interval(beats, lambda x: f"{x:.2f}"), str(there)])
        scores = self.score.mean(axis=2)
        each = [["score in each world", *order, "100 is"]]
        for w, world in enumerate(self.worlds):
            means = [float(scores[w, self._place(label)]) for label in order]
            top = max((x for x in means if not math.isnan(x)), default=math.nan)
            each.append([world, *(points(x) + ("*" if x == top and len(order) > 1 else "")
                                  for x in means), self.against[w] or "-"])
        return [rows, each]

    def _foot(self) -> list[str]:
        lines = ["score: 0 random actions, 100 optimum; intervals: stratified bootstrap over the "
                 "runs of each world"]
        relative = [world for world, by in zip(self.worlds, self.against) if by not in
                    ("optimum", "")]
        if relative:
            lines.append(f"no optimum is known of {', '.join(relative)}: 100 is what the best "
                         "learner earned there on average")
        none = [world for world, by in zip(self.worlds, self.against) if not by]
        if none:
            lines.append(f"no scores of {', '.join(none)}: nobody earned more than random actions, "
                         "or they failed")
        return lines + [f"failed: {failure}" for failure in self.failures]

    def __repr__(self) -> str:
        parts = [self._head()]
        for rows in self._tables():
            widths = [max(map(len, column)) for column in zip(*rows)]
            parts.append("\n".join("  ".join(
                cell.ljust(width) if j == 0 else cell.rjust(width)
                for j, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows))
        return "\n\n".join([*parts, "\n".join(self._foot())])

    def _repr_html_(self) -> str:
        return "\n".join([
            f"<p>{html.escape(self._head())}</p>",
            *(_html.table(rows[0], rows[1:], numbers=True) for rows in self._tables()),
            f"<p>{'<br>'.join(map(html.escape, self._foot()))}</p>"])

    # ---- figures and files ----

    def plot(self, *, colors: Sequence[Any] | None = None) -> Figure:
        """One figure (needs matplotlib): all measures with their intervals, the performance
        profile, and the scores of each world."""
        from lgkt import _compare_figure

        return _compare_figure.draw(self, colors)

    def to_json(self) -> str:
        """All of it as JSON text; NaN is null."""
        said: dict[str, Any] = {"format": FORMAT}
        for one in fields(self):
            value = getattr(self, one.name)
            said[one.name] = (_nulls(value.tolist()) if isinstance(value, np.ndarray) else
                              [vars(failure) for failure in value] if one.name == "failures" else
                              value)
        return json.dumps(said)

    @classmethod
    def from_json(cls, text: str | bytes, source: Path = "JSON") -> Self:
        """What `to_json` wrote; messages call it `source`.

        >>> import lgkt
        >>> found = lgkt.compare("chain", ["auto", "random"], 200, 3)
        >>> repr(lgkt.Comparison.from_json(found.to_json())) == repr(found)
        True
        """
        said = _json.parse(text, source)
        number = said.pop("format", None) if isinstance(said, dict) else None
        if number != FORMAT:
            raise error("FORMAT", f"{short(source)}: a comparison of format {json.dumps(number)}, "
                                  f"and this version reads format {FORMAT}")
        try:
            for name in _ARRAYS:
                said[name] = np.array(said[name], np.float64)
            said["failures"] = tuple(Failure(**failure) for failure in said["failures"])
            values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value
                                      for name, value in said.items()}
            made = cls(**values)
            runs = len(made.worlds), len(made.labels), made.replicates
            if {getattr(made, name).shape for name in _ARRAYS[:3]} != {runs} or {
                    getattr(made, name).shape for name in _ARRAYS[3:]} != {(runs[0], runs[2])}:
                raise ValueError("arrays of other sizes than its worlds, learners and replicates")
        except (KeyError, TypeError, ValueError, AttributeError) as why:
            raise error("FORMAT", f"{short(source)}: no comparison: {why}") from None
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, as JSON."""
        write_text(path, self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A comparison that `save` wrote."""
        return cls.from_json(read_bytes(path), path)


def _interval(interval: Interval, form: Any) -> str:
    value, low, high = interval
    if math.isnan(value):
        return "-"
    return form(value) if math.isnan(low) else f"{form(value)} [{form(low)}, {form(high)}]"


def _nulls(values: Any) -> Any:
    """Lists of numbers, as deep as they are, with None for NaN."""
    if isinstance(values, Iterable):
        return [_nulls(value) for value in values]
    return None if math.isnan(values) else values
