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

import importlib
from typing import TYPE_CHECKING, Any

from lgkt import experiment, files, plan, stats
from lgkt._core import KeyedLearner, Learner, Trajectory, Units, __version__
from lgkt._errors import Error, InputError, UnsupportedError, UseError
from lgkt._extras import found
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
    from lgkt import gym as gym
    from lgkt import log as log
    from lgkt import report as report
    from lgkt import serve as serve
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


# What is imported when it is asked for, with the extras that it needs at least; `import *` leaves
# it out.
_LATER: dict[str, tuple[str, ...]] = {
    "Log": ("logs",), "gym": ("gym",), "log": ("logs",), "report": (), "serve": ()}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(f"module 'lgkt' has no attribute {name!r}")
        module = importlib.import_module(f"lgkt.{name.lower()}")
        return module.Log if name == "Log" else module


def __dir__() -> list[str]:
    return [*__all__, *(name for name, extras in _LATER.items() if found(*extras))]
