# SPDX-License-Identifier: MIT
"""The command `lgkt`, for tests that compare with it: `$LGKT_COMMAND`, or that of the build."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("LGKT_COMMAND") or shutil.which("lgkt", path=ROOT / "build") or ""
needs_command = pytest.mark.skipif(not COMMAND, reason="the command is not built")
