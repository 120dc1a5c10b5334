# SPDX-License-Identifier: MIT
"""Learning to act well when there is only one run.

A `Learner` plays one trajectory that is never reset. `Env` and `Model` are worlds to play in,
`run` plays many learners side by side, `compare` in many worlds, `reproduce` whole experiments,
`plan` computes what is best on a known model.

>>> import lgkt
>>> lgkt.Learner("lg2t:threshold=0.9", states=5, actions=2, horizon=1000).time
0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lgkt import experiment, files, plan, stats
from lgkt._core import KeyedLearner, Learner, Trajectory, Units, __version__
from lgkt._errors import Error, InputError, UnsupportedError, UseError
from lgkt.compare import compare
from lgkt.comparison import Comparison
from lgkt.env import Env, Problem
from lgkt.model import Model
from lgkt.records import RecordLearner, RecordUnits
from lgkt.registry import Entry, Param, envs, learners, traits
from lgkt.reproduce import reproduce
from lgkt.result import LearnerResult, Result
from lgkt.run import Player, Progress, World, run
from lgkt.trace import trace

if TYPE_CHECKING:
    from lgkt.log import Log as Log

__all__ = [
    "Comparison",
    "Entry",
    "Env",
    "Error",
    "InputError",
    "KeyedLearner",
    "Learner",
    "LearnerResult",
    "Model",
    "Param",
    "Player",
    "Problem",
    "Progress",
    "RecordLearner",
    "RecordUnits",
    "Result",
    "Trajectory",
    "Units",
    "UnsupportedError",
    "UseError",
    "World",
    "__version__",
    "compare",
    "envs",
    "experiment",
    "files",
    "learners",
    "plan",
    "reproduce",
    "run",
    "stats",
    "trace",
    "traits",
]


def __getattr__(name: str) -> Any:
    # pandas and pyarrow are imported by those only who read logs
    if name == "Log":
        from lgkt.log import Log

        return Log
    raise AttributeError(f"module 'lgkt' has no attribute {name!r}")
