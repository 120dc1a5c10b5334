# SPDX-License-Identifier: MIT
"""Logs of decisions: read, checked, judged, and what learners begin with.

pandas, pyarrow and SciPy are needed: ``pip install "lgkt[logs]"``.
"""

from __future__ import annotations

from lgkt._extras import needed

with needed("lgkt.Log", "logs"):
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401
    import scipy  # noqa: F401

from lgkt.log.coding import Coded
from lgkt.log.evaluate import Evaluation
from lgkt.log.log import Log
from lgkt.log.replay import Replay
from lgkt.log.simulate import Simulation

__all__ = ["Coded", "Evaluation", "Log", "Replay", "Simulation"]


def __dir__() -> list[str]:
    return __all__
