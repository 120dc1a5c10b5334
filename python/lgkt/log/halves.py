# SPDX-License-Identifier: MIT
"""Some of a log's units as a log, and what is learned from some judged on the others.

A policy that was learned from a log looks too good on the same log: it plays what chance favoured
there. On units that it has not seen it does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lgkt._errors import error

if TYPE_CHECKING:
    from lgkt.log.evaluate import Evaluation
    from lgkt.log.log import Log

LEARNERS = ("auto", "lg1t", "lg2t", "random")  # that are simulated if none is named
_MOST = 20_000  # decisions of a learner in a simulated world, if nothing is said

_ROWS = ("row", "unit", "state", "record", "next_state", "next_record", "next_known", "ended",
         "action", "reward", "time", "probability", "probabilities", "allowed", "source")


def part(log: Log, chosen: NDArray[np.bool_]) -> Log:
    """The units that are `chosen`, by number; states and actions keep theirs."""
    c = log.coded
    rows = np.flatnonzero(chosen[c.unit])
    episodes = np.flatnonzero(chosen[c.episode_unit])
    sizes = np.diff(c.start)[episodes]
    number = np.cumsum(chosen) - 1
    kept: dict[str, Any] = {name: None if value is None else value[rows]
                            for name in _ROWS for value in [getattr(c, name)]}
    kept["unit"] = number[kept["unit"]].astype(np.int32)
    kept["units"] = [c.units[i] for i in np.flatnonzero(chosen)]
    kept["start"] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    kept["episode_unit"] = number[c.episode_unit[episodes]].astype(np.int32)
    made = replace(c, **kept)
    return type(log)(made, log.columns, log.name)


def halves(log: Log, seed: int = 1) -> tuple[Log, Log]:
    """The units in two parts, by lot."""
    count = len(log.coded.units)
    if count < 4:
        raise error("ARGUMENT", f"the log has {count} unit{'s' * (count != 1)}; to learn from half "
                                "of them and judge on the others takes at least 4")
    first = np.zeros(count, np.bool_)
    first[np.random.default_rng(seed).permutation(count)[:count // 2]] = True
    return part(log, first), part(log, ~first)


def judged_on_the_others(log: Log, spec: str, seed: int = 1) -> Evaluation:
    """What the policy would have earned that `spec` learns from half of the units, judged on the
    other half. It plays what was tried often enough, and is frozen."""
    first, others = halves(log, seed)
    warm = first.learner(spec, horizon=max(len(log), 1))
    policy = (warm.policy(tried=True) if log.kind == "table"
              else lambda records: warm.policy(records, tried=True))
    return others.evaluate(policy, name="learned")


def as_long(log: Log) -> tuple[int, int]:
    """Decisions of a unit and number of units for a simulation as long as the log."""
    c = log.coded
    horizon = min(max(1, round(c.n / len(c.units))), _MOST)
    return horizon, max(1, min(len(c.units), _MOST // horizon))
