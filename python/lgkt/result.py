# SPDX-License-Identifier: MIT
"""What `lgkt.run` measured: numbers of every instance, their summary as a table and a figure.

All numbers are those of the command ``lgkt run``, to the last digit; only times vary. Intervals are
Student's.
"""

from __future__ import annotations

import html
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lgkt import _core, _digits, _html, stats
from lgkt._errors import error
from lgkt._extras import needed

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

_Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class Result:
    """Learners side by side on the same instances; L learners, N instances, C checkpoints.

    >>> import lgkt
    >>> result = lgkt.run("riverswim:states=5", ["auto", "random"], horizon=1000, replicates=10)
    >>> result.reward.shape
    (2, 10)
    >>> print(f"{result['random'].mean:.2f}")
    0.08
    >>> result.paired("auto", "random").low > 0
    True
    """

    env: str  #: the spec of the environment, or the name of an own world
    note: str  #: the first instance on itself
    horizon: int
    replicates: int
    seed: int
    labels: tuple[str, ...]  #: (L)
    specs: tuple[str | None, ...]  #: (L) None for own learners
    reward: _Floats  #: (L, N) expected reward per step
    observed: _Floats  #: (L, N) observed reward per step
    seconds: _Floats  #: (L, N) in steps of learner and environment
    optimum: _Floats  #: (N) the best expected reward per step; NaN where there is no model
    random: _Floats  #: (N) the same of uniform actions
    checkpoints: NDArray[np.int64]  #: (C) times
    curve: _Floats  #: (L, C, N) expected reward per step so far
    regret_policy: tuple[int, float] | None  #: K and threshold, if regret was asked for
    regret: _Floats | None  #: (L, N) of the whole run, to the thresholding policy
    regret_curve: _Floats | None  #: (L, C, N) the same so far
    counters: tuple[dict[str, int], ...]  #: (L) what each learner counted, summed over instances
    untold: tuple[str, ...] | None  #: (L) what each learner does untold, if it was
    masks: tuple[bool, ...] | None = None
    """(L) Whether each learner was told which actions are allowed; None where all always are."""

    # ---- numbers ----

    @cached_property
    def summary(self) -> dict[str, _Floats]:
        """Numbers of each learner over all instances, (L) each.

        `mean`, `ci95` (half the width of Student's interval), `median` and `worst_tenth` (the mean
        of the worst tenth of the instances) of the expected reward per step; the `score` of the
        mean, 0 for uniform actions and 100 for the optimum; the `share` of the optimum; the mean
        `observed` reward; `seconds` and `steps_per_second` of one thread. With regret also
        `threshold_regret` and `optimum_regret` of a run with their `_ci95`.
        """
        mean, ci95, median, worst = _core.summarize(self.reward).T
        random, optimum = self.random_mean, self.optimum_mean
        rated = np.array([_core.rate(m, random, optimum) for m in mean])
        seconds = np.array([_core.running_sums(row)[-1] for row in self.seconds])
        numbers = {
            "mean": mean, "ci95": ci95, "median": median, "worst_tenth": worst,
            "score": rated[:, 0], "share": rated[:, 1],
            "observed": _core.summarize(self.observed)[:, 0], "seconds": seconds,
            "steps_per_second": float(self.replicates) * self.horizon / seconds,
        }
        if self.regret is not None:
            to_policy = _core.summarize(self.regret)
            to_optimum = _core.summarize(self.optimum - self.reward) * self.horizon
            numbers |= {
                "threshold_regret": to_policy[:, 0],
                "threshold_regret_ci95": to_policy[:, 1],
                "optimum_regret": to_optimum[:, 0],
                "optimum_regret_ci95": to_optimum[:, 1],
            }
        return numbers

    @cached_property
    def optimum_mean(self) -> float:
        """The mean over instances of the optimum per step; NaN where there is no model."""
        return float(_core.summarize(self.optimum[None])[0, 0])

    @cached_property
    def random_mean(self) -> float:
        """The same of uniform actions."""
        return float(_core.summarize(self.random[None])[0, 0])

    def curve_summary(self, regret: bool = False) -> tuple[_Floats, _Floats]:
        """Mean and half the width of its 95% interval at every checkpoint, (L, C) each."""
        values = self.regret_curve if regret else self.curve
        if values is None:
            raise error("ARGUMENT", "regret was not asked for: run(..., regret=(k, threshold))")
        rows = _core.summarize(values.reshape(-1, self.replicates))
        shape = values.shape[:2]
        return rows[:, 0].reshape(shape), rows[:, 1].reshape(shape)

    def paired(self, a: str | int, b: str | int, level: float = 0.95) -> stats.Interval:
        """How much more a earned per step than b on the same instances, with Student's interval.

        >>> import lgkt
        >>> result = lgkt.run("synthetic", ["auto", "random"], horizon=500, replicates=8)
        >>> difference, low, high = result.paired("auto", "random")
        >>> low < difference < high
        True
        """
        return stats.paired(self[a].reward, self[b].reward, level)

    # ---- learners ----

    def __getitem__(self, label: str | int) -> LearnerResult:
        """One learner, by its label or its place."""
        if isinstance(label, str):
            if label not in self.labels:
                raise KeyError(f"no learner {label!r}; there are {', '.join(self.labels)}")
            label = self.labels.index(label)
        return LearnerResult(self, range(len(self.labels))[label])

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[LearnerResult]:
        return (self[place] for place in range(len(self)))

    # ---- tables ----

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each learner on each instance.

        >>> import lgkt
        >>> result = lgkt.run("chain", ["auto", "random"], horizon=200, replicates=3)
        >>> list(result.to_pandas().columns)
        ['learner', 'instance', 'reward', 'observed', 'optimum', 'random', 'seconds']
        """
        with needed("Result.to_pandas", "pandas"):
            import pandas

        count = len(self)
        columns: dict[str, Any] = {
            "learner": np.repeat(np.array(self.labels, object), self.replicates),
            "instance": np.tile(np.arange(self.replicates), count),
            "reward": self.reward.ravel(), "observed": self.observed.ravel(),
            "optimum": np.tile(self.optimum, count), "random": np.tile(self.random, count),
            "seconds": self.seconds.ravel(),
        }
        if self.regret is not None:
            columns["regret"] = self.regret.ravel()
        return pandas.DataFrame(columns)

    def curve_to_pandas(self) -> pandas.DataFrame:
        """A row for each learner at each checkpoint of each instance: rewards per step so far."""
        with needed("Result.curve_to_pandas", "pandas"):
            import pandas

        count, times = len(self), self.checkpoints.size
        columns: dict[str, Any] = {
            "learner": np.repeat(np.array(self.labels, object), times * self.replicates),
            "t": np.tile(np.repeat(self.checkpoints, self.replicates), count),
            "instance": np.tile(np.arange(self.replicates), count * times),
            "reward": self.curve.ravel(),
        }
        if self.regret_curve is not None:
            columns["regret"] = self.regret_curve.ravel()
        return pandas.DataFrame(columns)

    def _head(self) -> list[str]:
        lines = [f"{self.env}: replicates {self.replicates}, horizon {self.horizon}, "
                 f"seed {self.seed}"]
        if self.note:
            lines.append(f"first instance: {self.note}")
        if self.masks is not None:
            without = [label for label, told in zip(self.labels, self.masks) if not told]
            lines.append("masks: learners choose among the actions that are allowed" + (
                f", but not {', '.join(without)}, whose act takes no `allowed`" if without else ""))
        return lines

    def _foot(self) -> list[str]:
        if math.isnan(self.optimum_mean):
            return ["optimum: not known, there is no model"]
        show = _digits.rewards(self.summary["mean"])
        return [f"optimum: {show(self.optimum_mean)} per step with full knowledge, exact "
                f"(score 100)",
                f"uniform: {show(self.random_mean)} per step with random actions, exact (score 0)"]

    def _tables(self) -> list[list[list[str]]]:
        """The tables of the command, each with its headings first."""
        s = self.summary
        show = _digits.rewards(s["mean"])
        tables = []
        if self.untold is not None:
            tables.append([["learner", "not told the rewards"],
                           *([a, b] for a, b in zip(self.labels, self.untold, strict=True))])
        table = [["learner", "mean reward", "+- 95%", "median", "worst tenth", "score", "share",
                  "steps/s"]]
        for l, label in enumerate(self.labels):
            speed = s["steps_per_second"][l]
            table.append([
                label, *(show(s[name][l]) for name in ("mean", "ci95", "median", "worst_tenth")),
                _digits.points(s["score"][l]), _digits.percent(s["share"][l]),
                f"{1e-6 * speed:.1f} M" if speed >= 1e5 else _digits.shown("%.0f", speed)])
        tables.append(table)
        if self.regret is not None:
            names = ("threshold_regret", "threshold_regret_ci95", "optimum_regret",
                     "optimum_regret_ci95")
            tables.append([
                ["learner", "threshold regret", "+- 95%", "optimum regret", "+- 95%"],
                *([label, *(_digits.points(s[name][l]) for name in names)]
                  for l, label in enumerate(self.labels))])
        return tables

    def __repr__(self) -> str:
        texts = ["\n".join(self._head())]
        for table in self._tables():
            widths = [max(len(row[j]) for row in table) for j in range(len(table[0]))]
            left = table[0][-1].startswith("not told")
            lines = ["  ".join(cell.ljust(w) if j == 0 or left else cell.rjust(w)
                               for j, (cell, w) in enumerate(zip(row, widths, strict=True)))
                     for row in table]
            if "mean reward" in table[0]:
                lines += self._foot()
            texts.append("\n".join(line.rstrip() for line in lines))
        return "\n\n".join(texts)

    def _repr_html_(self) -> str:
        parts = [f"<p>{'<br>'.join(map(html.escape, self._head()))}</p>"]
        for table in self._tables():
            parts.append(_html.table(table[0], table[1:], numbers=True))
        parts.append(f"<p>{'<br>'.join(map(html.escape, self._foot()))}</p>")
        return "\n".join(parts)

    # ---- figures and files ----

    def plot(self, ax: Axes | None = None, *, regret: bool = False, log: bool = True,
             colors: Sequence[Any] | None = None) -> Axes:
        """Draw the learning curves or, without checkpoints, the mean rewards; with 95% intervals.

        `regret` draws the regret to the thresholding policy, `log` says whether time is on a
        logarithmic axis. Needs matplotlib.
        """
        from lgkt import _figure

        return _figure.draw(self, ax, regret, log, colors)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of it to a file .npz, which `load` reads; it holds arrays and text only.

        >>> import lgkt
        >>> result = lgkt.run("chain", "auto", horizon=200, replicates=3)
        >>> result.save("chain.npz")
        >>> bool((lgkt.Result.load("chain.npz").reward == result.reward).all())
        True
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays: dict[str, Any] = {
            name: value for name, value in values.items() if isinstance(value, np.ndarray)}
        rest = {name: value for name, value in values.items() if name not in arrays}
        with open(path, "wb") as file:
            np.savez_compressed(file, json=np.array(json.dumps(rest)), **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A result that `save` wrote."""
        with np.load(path, allow_pickle=False) as file:
            values: dict[str, Any] = {name: file[name] for name in file.files}
        for name, value in json.loads(str(values.pop("json"))).items():
            values[name] = tuple(value) if isinstance(value, list) else value
        return cls(**values)


class LearnerResult:
    """One learner of a `Result`: its arrays, and every number of `Result.summary`.

    `reward`, `observed`, `seconds` and `regret` are (N), `curve` and `regret_curve` (C, N).

    >>> import lgkt
    >>> result = lgkt.run("chain", ["auto", "random"], horizon=200, replicates=3)
    >>> [learner.label for learner in result], result["auto"].reward.shape
    (['auto', 'random'], (3,))
    """

    label: str
    spec: str | None
    reward: _Floats
    observed: _Floats
    seconds: _Floats
    curve: _Floats
    regret: _Floats | None
    regret_curve: _Floats | None
    counters: dict[str, int]
    mean: float
    ci95: float
    median: float
    worst_tenth: float
    score: float
    share: float
    steps_per_second: float

    def __init__(self, result: Result, place: int) -> None:
        self.label, self.spec = result.labels[place], result.specs[place]
        self.counters = result.counters[place]
        for name in ("reward", "observed", "seconds", "curve", "regret", "regret_curve"):
            values = getattr(result, name)
            setattr(self, name, None if values is None else values[place])
        self.summary = {name: float(values[place]) for name, values in result.summary.items()}
        for name in ("mean", "ci95", "median", "worst_tenth", "score", "share",
                     "steps_per_second"):
            setattr(self, name, self.summary[name])

    def __repr__(self) -> str:
        return f"<{self.label}: mean reward {_digits.measured(self.mean, self.ci95)}>"
