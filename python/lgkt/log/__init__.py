# SPDX-License-Identifier: MIT
"""Logs of decisions: read, checked, judged, and what learners begin with.

pandas, pyarrow and SciPy are needed: ``pip install lgkt[logs]``.
"""

from __future__ import annotations

try:
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401
    import scipy  # noqa: F401
except ModuleNotFoundError as why:
    raise ModuleNotFoundError(f"{why.name} is missing: pip install lgkt[logs]",
                              name=why.name) from None

from lgkt.log.coding import Coded
from lgkt.log.evaluate import Evaluation
from lgkt.log.log import Log
from lgkt.log.replay import Replay
from lgkt.log.simulate import Simulation

__all__ = ["Coded", "Evaluation", "Log", "Replay", "Simulation"]
