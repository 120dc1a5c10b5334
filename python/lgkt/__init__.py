# SPDX-License-Identifier: MIT
"""Learning to act well when there is only one run.

A `Learner` plays one trajectory that is never reset. `Env` and `Model` are worlds to play in,
`run` plays many learners side by side, `plan` computes what is best on a known model.

>>> import lgkt
>>> lgkt.Learner("lg2t:threshold=0.9", states=5, actions=2, horizon=1000).time
0
"""

from __future__ import annotations

from lgkt._core import KeyedLearner, Learner, __version__
from lgkt._errors import Error, InputError, UnsupportedError, UseError

__all__ = [
    "Error",
    "InputError",
    "KeyedLearner",
    "Learner",
    "UnsupportedError",
    "UseError",
    "__version__",
]
