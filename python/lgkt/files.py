# SPDX-License-Identifier: MIT
"""Files: saved learners, prices, tapes, and the file that an environment's spec names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lgkt import _core, registry
from lgkt._core import Learner
from lgkt._errors import Error, error
from lgkt._text import Path, read_bytes, short, shown
from lgkt.model import Model

_Floats = NDArray[np.float64]
_ORIGIN = re.compile(rb"\nmodel [0-9a-f]{16} tape [0-9a-f]{16}\n\Z")
_TAPE = ("u_next", "z_reward", "u_reward", "u_coin")


def read_learner(path: Path, **given: Any) -> Learner:
    """A learner that `lgkt trace --save-at` saved, or the bytes of `Learner.save`.

    The command adds a line on the model and the tape to the bytes, which is not looked at here.
    `given` is what `Learner.load` takes besides them.
    """
    data = read_bytes(path)
    return Learner.load(_ORIGIN.sub(b"", data), **given)


# ---- CSV ----


class _Table:
    """The lines of a CSV file, of which a message names the last one read, counted from 1."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self._lines = read_bytes(path).decode("utf-8", "replace").split("\n")
        if self._lines[-1] == "":
            self._lines.pop()

    def __iter__(self) -> Iterator[str]:
        for self.line, line in enumerate(self._lines, 1):
            yield line.removesuffix("\r")
        self.line += 1

    def error(self, status: str, text: str) -> Error:
        return error(status, f"{short(self.path)}:{self.line}: {text}")

    def fields(self, line: str, columns: int) -> list[str]:
        fields = _fields(line)
        if len(fields) != columns:
            raise self.error("SHAPE", f"has {len(fields)} columns; it must have {columns}")
        return fields

    def number(self, column: str, text: str) -> float:
        value = _core.parse_number(text) if len(text) < 64 and "\0" not in text else None
        if value is None:
            raise self.error("FORMAT", f'{column} is "{shown(text, 24)}"; it must be a number')
        return value


def _fields(line: str) -> list[str]:
    """The fields of a line; one may be quoted, and behind the closing quote only a comma counts."""
    fields = []
    while True:
        if line.startswith('"'):
            field, _, line = line[1:].partition('"')
            comma, line = line[:1] == ",", line[1:]
        else:
            field, found, line = line.partition(",")
            comma = bool(found)
        fields.append(field)
        if not comma:
            return fields


def read_series(path: Path) -> _Floats:
    """Prices from a CSV file: its column Close, or the only column, with or without a header."""
    table = _Table(path)
    prices = []
    for line in table:
        if table.line == 1:
            names = [name.lower() for name in _fields(line)]
            if "close" not in names and len(names) > 1:
                raise table.error("FORMAT", "no column is called Close")
            column, columns = names.index("close") if "close" in names else 0, len(names)
            # a number on top of the only column is a price already, a word is its name
            if "close" in names or (line and line[0] not in "0123456789+-.\0"):
                continue
        price = table.number("the price", table.fields(line, columns)[column])
        if not price > 0.0:
            raise table.error("ARGUMENT", f"the price is {price:g}; it must be positive")
        prices.append(price)
    if not prices:
        raise table.error("SHAPE", "the file has no prices")
    return np.array(prices)


def read_tape(path: Path) -> _Floats:
    """The random numbers of a run from a CSV file (n, 4): u_next, z_reward, u_reward, u_coin."""
    table = _Table(path)
    rows = []
    lines = iter(table)
    if next(lines, None) != ",".join(_TAPE):
        table.line = 1
        raise table.error("FORMAT", f"the header must be {','.join(_TAPE)}")
    for line in lines:
        row = []
        for name, field in zip(_TAPE, table.fields(line, len(_TAPE))):
            value = table.number(name, field)
            if name[0] == "u" and not 0.0 <= value < 1.0:
                raise table.error("ARGUMENT", f"{name} is {value:g}; it must be in [0, 1)")
            row.append(value)
        rows.append(row)
    if not rows:
        raise table.error("SHAPE", "the tape has no rows")
    return np.array(rows)


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
