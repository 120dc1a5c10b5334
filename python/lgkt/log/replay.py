# SPDX-License-Identifier: MIT
"""What a learner would have earned, by feeding it the log's own outcomes: `log.replay(learner)`.

After Mandel, Liu, Brunskill and Popovic (2016). Two ways, each a run of the learner in which every
outcome comes from the log and is used at most once:

- `"queues"`: each pair of state and action has a queue of its rows, shuffled. What the learner
  plays takes the next row of the queue; the run ends where a queue is empty. No probabilities are
  needed.
- `"rejection"`: each state has a queue. A row is taken as the learner's with probability
  pi(a|s) / (M b(a|s)), where M is the largest ratio in that state, else it is thrown away. It needs
  the log's probabilities of all actions, and it throws rows away, but is right also where the log's
  actions were drawn by what else is known of the moment.

Both need that what follows depends on state and action only. Means over the runs that lasted are
biased: a run that got lucky stays where the log has many rows. So the answer is over the first
`lasted` steps, those that every run lasted, and is unbiased where `lasted` was no choice: read it
as an answer on a run of that length, not on the horizon asked for.

The interval is a jackknife over tenths of the units: everything is repeated with a tenth of the
units left out, ten times, which counts the chance in the log, and not only that of the shuffles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lgkt import _core, _digits
from lgkt._errors import error
from lgkt.log.coding import Coded
from lgkt.log.features import numbered
from lgkt.log.intervals import Interval
from lgkt.log.reading import Told

Floats = NDArray[np.float64]

_PARTS = 10
_POINTS = 200  # of the curve
_ENDS = ("the horizon", "a pair of which no row was left", "no first state left",
         "an action that the log never plays there")


@dataclass(frozen=True)
class Replay:
    """What a learner earned in the log's own outcomes.

    `mean` is its mean reward per decision over the first `lasted` decisions, which every run
    lasted; `steps` (runs) is how long each lasted, `longest` the horizon asked for. `curve` holds
    pairs of a number of decisions and the mean total until then. `ended` says in words where runs
    ended, and how many.
    """

    spec: str
    method: str
    mean: Interval
    lasted: int
    longest: int
    steps: NDArray[np.int64]
    used: NDArray[np.int64]
    rows: int
    curve: Floats
    ended: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        ends = {name: value if np.isfinite(value) else None
                for name, value in self.mean._asdict().items()}
        return {"spec": self.spec, "method": self.method, **ends, "lasted": self.lasted,
                "horizon": self.longest, "median_steps": float(np.median(self.steps)),
                "rows_used": float(np.mean(self.used)), "ended": self.ended}

    def __str__(self) -> str:
        ends = "; ".join(f"{count} runs: {what}" for what, count in self.ended.items())
        all_of_it = " (all of it)" if self.lasted == self.longest else ""
        earned = self.mean.words(_digits.rewards(self.mean))
        return (f"{self.spec}, replayed by {self.method}: {earned} per decision\n"
                f"over the first {self.lasted} of {self.longest} decisions{all_of_it}, which every "
                f"run lasted; half of them lasted {np.median(self.steps):.0f}\n"
                f"ended by {ends}; {np.mean(self.used):.0f} of {self.rows} rows were used")


def allowed_pairs(coded: Coded) -> NDArray[np.bool_] | None:
    """What was ever allowed in each state (S, A); everything where the log never was."""
    if coded.allowed is None:
        return None
    state, _ = numbered(coded)
    table = np.zeros((coded.S, coded.A), np.bool_)
    for a in range(coded.A):
        table[:, a] = np.bincount(state, coded.allowed[:, a], coded.S) > 0
    table[~table.any(1)] = True
    return table


def _law(coded: Coded) -> Floats:
    """The log's law of all actions, (n, A) or (S, A)."""
    if coded.probabilities is not None and not np.isnan(coded.probabilities).any():
        return coded.probabilities
    if coded.probability is not None and not np.isnan(coded.probability).any():
        # one probability for each pair that occurs, summing to 1, is the whole law of a state
        state, _ = numbered(coded)
        pair = state * np.int64(coded.A) + coded.action
        law = np.zeros(coded.S * coded.A)
        law[pair] = coded.probability
        total = law.reshape(coded.S, coded.A).sum(1)
        seen = np.bincount(state, minlength=coded.S) > 0
        if np.allclose(law[pair], coded.probability) and np.allclose(total[seen], 1):
            made = law.reshape(coded.S, coded.A)
            made[~seen] = 1 / coded.A
            return np.asarray(made / made.sum(1, keepdims=True))
    raise error("UNSUPPORTED", "rejection needs the log's probabilities of all actions (a column "
                               "of lists, probabilities=); queues do without")


def table_only(coded: Coded, what: str) -> None:
    """Refuses records by name."""
    if coded.kind != "table":
        raise error("UNSUPPORTED", f"{what} needs states that recur, but this log's states are "
                                   f"records ({', '.join(coded.state_names)}): make bins of the "
                                   "numbers (bins=), or use evaluate")


def replay(
    log: Any,
    learner: str,
    *,
    horizon: int,
    method: str = "queues",
    runs: int = 20,
    seed: int = 1,
    jobs: int = 1,
    reward_min: float | None = None,
    reward_max: float | None = None,
    progress: bool | None = None,
) -> Replay:
    """Runs of `learner`, a spec, over `horizon` decisions, of which the log supplies the outcomes.

    `reward_min` and `reward_max` are told to the learner.
    """
    coded: Coded = log if isinstance(log, Coded) else log.coded
    table_only(coded, "replay")
    if method not in ("queues", "rejection"):
        raise error("ARGUMENT", f'method is "{method}"; it must be "queues" or "rejection"')
    if not isinstance(learner, str):
        raise TypeError("replay takes the spec of a learner, a text: it begins anew in each run")
    law = _law(coded) if method == "rejection" else None
    told = Told(f"replaying {learner}", progress)
    mask = allowed_pairs(coded)
    points = np.unique(np.linspace(1, horizon, min(horizon, _POINTS)).astype(np.int64))

    def play(rows: NDArray[np.bool_], episodes: NDArray[np.bool_],
             points: NDArray[np.int64]) -> dict[str, Any]:
        state, following = numbered(coded)
        there = rows & ~np.isnan(coded.reward)
        own = law[there] if law is not None and len(law) == len(rows) else law
        return _core.replay(
            learner, coded.S, coded.A, state[coded.start[:-1][episodes]], state[there],
            coded.action[there], coded.reward[there], following[there], horizon, runs, seed, jobs,
            probabilities=own, allowed=mask, reward_min=reward_min, reward_max=reward_max,
            checkpoints=points)

    every = play(np.ones(coded.n, np.bool_), np.ones(coded.m, np.bool_), points)
    units = len(coded.units)
    parts = min(_PARTS, units)
    draw = np.random.default_rng(seed).permutation(units) % parts
    steps, parted = [int(every["steps"].min())], []
    for k in range(parts):
        told(f"part {k + 1} of {parts}")
        kept = draw != k
        rows, episodes = kept[coded.unit], kept[coded.episode_unit]
        if parts > 1:
            parted.append((rows, episodes))
            steps.append(int(play(rows, episodes, points)["steps"].min()))
    lasted = min(steps)
    mean = Interval(np.nan, -np.inf, np.inf)
    if lasted > 0:
        # the same runs, read off where the shortest of all ended
        at = np.append(points[points < lasted], lasted)
        value = float(play(np.ones(coded.n, np.bool_), np.ones(coded.m, np.bool_),
                           at)["curve"][:, -1].mean()) / lasted
        left = np.array([play(*part, at)["curve"][:, -1].mean() / lasted for part in parted])
        half = np.inf
        if parts > 1:
            half = _core.student(0.95, parts - 1) * float(
                np.sqrt((parts - 1) / parts * ((left - left.mean())**2).sum()))
        mean = Interval(value, value - half, value + half)
    kinds, counts = np.unique(every["stopped"], return_counts=True)
    reached = points <= lasted
    curve = np.column_stack([points[reached], every["curve"][:, reached].mean(0)])
    return Replay(learner, method, mean, lasted, horizon, every["steps"], every["used"],
                  coded.n, curve, {_ENDS[k]: int(n) for k, n in zip(kinds, counts, strict=True)})
