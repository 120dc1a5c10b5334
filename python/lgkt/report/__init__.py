# SPDX-License-Identifier: MIT
"""Results of experiments, read, judged and drawn.

>>> import lgkt.report
>>> lgkt.report.read("no-such-folder")
Traceback (most recent call last):
lgkt._errors.InputError: no-such-folder: there is no such folder
"""

from __future__ import annotations

from lgkt.report.results import Entry, Experiment, Number, Panel, Results, read

__all__ = ["Entry", "Experiment", "Number", "Panel", "Results", "read"]


def __dir__() -> list[str]:
    return __all__
