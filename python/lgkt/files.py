# SPDX-License-Identifier: MIT
"""Files: saved learners, prices, tapes, and the file that an environment's spec names."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lgkt import _core, registry
from lgkt._core import Learner
from lgkt._errors import Error, error
from lgkt._text import Path, encoded, read_bytes, short, shown
from lgkt.model import Model

__all__ = ["read_learner", "read_series", "read_tape", "resolve"]


def __dir__() -> list[str]:
    return __all__


_Floats = NDArray[np.float64]
_ORIGIN = re.compile(rb"\nmodel [0-9a-f]{16} tape [0-9a-f]{16}\n\Z")


def read_learner(path: Path, **given: Any) -> Learner:
    """A learner that `lgkt trace --save-at` saved, or the bytes of `Learner.save`.

    The command adds a line on the model and the tape to the bytes, which is not looked at here.
    `given` is what `Learner.load` takes besides them.
    """
    data = read_bytes(path)
    return Learner.load(_ORIGIN.sub(b"", data), **given)


def read_series(path: Path) -> _Floats:
    """Prices from a CSV file: its column Close, or the only column, with or without a header."""
    return _core.read_series(read_bytes(path), encoded(path))


def read_tape(path: Path) -> _Floats:
    """The random numbers of a run from a CSV file (n, 4): u_next, z_reward, u_reward, u_coin."""
    return _core.read_tape(read_bytes(path), encoded(path))


# ---- environments ----


def _entry(spec: str) -> registry.Entry | None:
    try:
        return registry.envs()[_core.spec_name(spec)]
    except Error:
        return None


def _value(spec: str, key: str) -> str:
    try:
        return _core.spec_value(spec, key) or ""
    except Error:
        return ""


def _reader_of(spec: str) -> tuple[str | None, str]:
    """A spec may be a mere path, alone or in place of the settings: which environment reads such a
    file, and the path. None: it does not look like one."""
    word, colon, rest = spec.partition(":")
    entry = _entry(word) if colon else None
    if entry is not None:
        return entry.name if entry.data and rest and "=" not in rest else None, rest
    if spec.endswith(".csv"):
        return "trading", spec
    return "model" if spec.endswith(".json") or os.path.isfile(spec) else None, spec


def resolve(spec: str, folder: Path = "") -> Model | _Floats | None:
    """What the file holds that the spec of an environment names, also within another's: a model or
    prices. None if it names none. Its path is relative to `folder`.

    >>> from lgkt import files
    >>> files.resolve("riverswim:states=5") is None
    True
    >>> files.resolve("scaled:of=(town.json)")
    Traceback (most recent call last):
    lgkt._errors.InputError: "town.json" names no environment; did you mean "model:file=town.json"?
    """
    return _resolve(spec, spec, folder)


def resolve_both(spec: str, folder: Path = "") -> tuple[Model | _Floats | None,
                                                        Model | _Floats | None]:
    """The same, and for an environment that has a second one within, what that one's file holds."""
    entry = _entry(spec)
    after = _value(spec, entry.inner_after) if entry is not None and entry.inner_after else ""
    return _resolve(spec, spec, folder), _resolve(spec, after, folder) if after else None


def _resolve(spec: str, part: str, folder: Path) -> Model | _Floats | None:
    """What the file holds that a part of a spec names."""
    within, entry = part, _entry(part)
    while entry is not None and entry.inner is not None:
        within = _value(within, entry.inner)
        entry = _entry(within)
    file = _value(within, "file") if entry is not None and entry.data else ""
    reader, path = _reader_of(within)
    if not file and reader is None:
        return None
    # without its file the environment is refused: for what else is wrong with the spec, if
    # anything is
    try:
        _core.check_env(spec)
    except Error as why:
        if why.status == "CONFIG" and file and entry is not None:
            file = os.path.join(folder, file)
            return Model.read(file) if entry.data == "model" else read_series(file)
        if why.status in ("SPEC", "UNKNOWN_NAME") and reader is not None:
            named = f"({short(path)})" if any(c in path for c in ",()") else short(path)
            raise error(why.status, f'"{shown(within, 60)}" names no environment; did you mean '
                                    f'"{reader}:file={named}"?') from None
        raise
    return None
