# SPDX-License-Identifier: MIT
"""Grids of experiment files: an object with "grid" as the cells it stands for.

The same as src/experiments/studies/experiment_grid.c, with the same arithmetic and the same words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lgkt import _core
from lgkt._text import number_text, shown

if TYPE_CHECKING:
    from lgkt.experiment import _Reader

_NAMES, _VALUES, _VALUE = 16, 1000, 64
_REAL, _LOG, _INTEGER = 1e300, 1e150, 2**53 - 1

Value = float | str


@dataclass(frozen=True)
class Field:
    """A field in which names of a grid may stand."""

    key: str
    limit: int  #: bytes of a text; 0: a whole number, for which a name may stand
    makes: bool = False  #: it is part of what is run: each name must stand in a field that is
    before: str | None = None  #: what goes before a name that it lacks; None: it may lack names
    between: str = ""  #: what goes between that name and its value


@dataclass(frozen=True)
class Part:
    """An object of a list, or a cell of one with a grid."""

    place: int  #: in the list
    data: Any
    grid: str | None
    cell: Mapping[str, Value]


@dataclass
class _Grid:
    data: Any
    axes: dict[str, list[Value]] = field(default_factory=dict)
    cells: int = 1


def _text(value: Value) -> str:
    return value if isinstance(value, str) else number_text(value)


# ---- values ----


def _count(reader: _Reader, place: str, name: str, value: Any) -> int:
    if isinstance(value, list):
        return len(reader.items(place, name, value, 1, _VALUES))
    if not isinstance(value, dict):
        reader.refuse(place, name, 'it must be a list of values or {"from", "to", "count"}')
    inner = f"{place}.{name}"
    reader.keys(inner, value, "from", "to", "count", "scale")
    return reader.get_whole(inner, value, "count", 2, _VALUES)


def _list(reader: _Reader, place: str, name: str, items: list[Any]) -> list[Value]:
    made: list[Value] = []
    for i, item in enumerate(items):
        if isinstance(item, str):
            made.append(reader.text(place, name, item, _VALUE))
            continue
        if not isinstance(item, int | float) or isinstance(item, bool):
            reader.refuse(place, name, f"entry {i}: it must be a number or a text")
        most = _INTEGER if isinstance(item, int) else _REAL
        if not abs(item) <= most:
            reader.refuse(place, name, f"entry {i}: it is {item:.16g}; it must be in {-most:.16g} "
                                       f".. {most:.16g}")
        made.append(float(item))
    return made


def _root(q: float, power: int) -> float:
    """The number whose power is q, by halving: products only, as in C."""
    low, high = min(q, 1.0), max(q, 1.0)
    while True:
        middle = low + 0.5 * (high - low)
        if middle <= low or middle >= high:
            return high
        product = 1.0
        for _ in range(power):
            product *= middle
        if product < q:
            low = middle
        else:
            high = middle


def _range(reader: _Reader, place: str, data: Mapping[str, Any], count: int) -> list[Value]:
    scale = reader.get_text(place, data, "scale", _VALUE, "linear")
    reader.word(place, "scale", "", scale, ("linear", "log"))
    log = scale == "log"
    ends = (1 / _LOG, _LOG) if log else (-_REAL, _REAL)
    start = reader.get_real(place, data, "from", *ends)
    end = reader.get_real(place, data, "to", *ends)
    last = count - 1
    largest = max(abs(start), abs(end))
    factor = _root(end / start, last) if log else 0.0
    made: list[Value] = [start]
    grown = start
    for i in range(1, last):
        grown *= factor
        number = grown if log else (start * (last - i) + end * i) / last
        if abs(number) < 1e-12 * largest and not log:
            number = 0.0
        made.append(float(f"{number:.12g}"))
    return [*made, end]


def _values(reader: _Reader, place: str, name: str, value: Any, count: int) -> list[Value]:
    made = (_list(reader, place, name, value) if isinstance(value, list) else
            _range(reader, f"{place}.{name}", value, count))
    seen: set[Value] = set()
    for one in made:
        if one in seen or _text(one) in seen:
            reader.refuse(place, name, f"the value {_text(one)} is there twice")
        seen |= {one, _text(one)}
    return made


# ---- names ----


def _check_names(reader: _Reader, place: str, to: Field, text: Any, names: tuple[str, ...]
                 ) -> set[str]:
    """That the names in a text are those of the grid; those that are there."""
    if not isinstance(text, str):
        return set()
    found = re.findall(r"\{([^}]*)(\}?)", text)
    for name, closed in found:
        if not closed:
            reader.refuse(place, to.key, 'a "{" has no "}"')
        if name not in names:
            word = name.encode("utf-8", "replace")[:40].decode(errors="ignore")
            reader.refuse(place, to.key, f'no name "{shown(word)}" in the grid; '
                                         f"{_core.suggest(word, names)}")
    if to.limit == 0 and text and not re.fullmatch(r"\{[^{}]*\}", text):
        reader.refuse(place, to.key, f'it is "{shown(text)}"; it must be a whole number or one '
                                     f"name of the grid in braces")
    return {name for name, _ in found}


def _read_grid(reader: _Reader, place: str, data: Any, fields: tuple[Field, ...],
               most: int) -> _Grid:
    made = _Grid(data)
    if not isinstance(data, dict) or "grid" not in data:
        return made
    said, inner = data["grid"], f"{place}.grid"
    if not isinstance(said, dict):
        reader.refuse(place, "grid", "it must be an object with names and their values")
    if not 1 <= len(said) <= _NAMES:
        reader.refuse(place, "grid", f"it has {len(said)} names; it must have 1 to {_NAMES}")
    counts = []
    for name, value in said.items():
        if not re.fullmatch("[a-zA-Z0-9_-]{1,16}", name):
            reader.refuse(place, "grid", f'the name "{shown(name)}" must have 1 to 16 letters, '
                                         f"digits, _ and -")
        counts.append(_count(reader, inner, name, value))
        made.cells *= counts[-1]
        if made.cells > most:
            reader.refuse(place, "grid", f"it has more than {most} cells")
    for (name, value), count in zip(said.items(), counts, strict=True):
        made.axes[name] = _values(reader, inner, name, value, count)
    used: set[str] = set()
    for to in fields:
        value = data.get(to.key)
        for text in [value, *(value.values() if isinstance(value, dict) else ())]:
            there = _check_names(reader, place, to, text, tuple(said))
            used |= there if to.makes else set()
    for name in said:
        if name not in used:
            where = ", ".join(to.key for to in fields if to.makes)
            reader.refuse(inner, name, f'"{{{name}}}" stands nowhere in {where}')
    return made


# ---- cells ----


def _fill(reader: _Reader, place: str, to: Field, text: Any, grid: _Grid,
          cell: Mapping[str, Value]) -> Any:
    """A field of a cell: the names of a text become their values."""
    if not isinstance(text, str):
        return text
    there = re.findall(r"\{([^}]*)\}", text)
    filled = re.sub(r"\{([^}]*)\}", lambda found: _text(cell[found[1]]), text)
    if to.limit == 0:
        only = cell[there[0]] if there else ""
        if isinstance(only, str) or abs(only) > _INTEGER or only != math.floor(only):
            reader.refuse(place, to.key, f'it is "{filled}"; it must be a whole number')
        return int(only)
    if to.before is not None:
        filled += "".join(f"{to.before}{name}{to.between}{_text(cell[name])}" for name in grid.axes
                          if name not in there and len(grid.axes[name]) > 1)
    size = len(filled.encode("utf-8", "replace"))
    if size > to.limit:
        reader.refuse(place, to.key, f"it has {size} bytes; it must have 1 to {to.limit}")
    return filled


def _cell(reader: _Reader, place: str, index: int, grid: _Grid, fields: tuple[Field, ...],
          at: int) -> Part:
    cell: dict[str, Value] = {}
    for name in reversed(grid.axes):
        index, own = divmod(index, len(grid.axes[name]))
        cell[name] = grid.axes[name][own]
    cell = {name: cell[name] for name in grid.axes}
    made = {key: value for key, value in grid.data.items() if key != "grid"}
    for to in fields:
        value = made.get(to.key)
        if isinstance(value, dict):
            made[to.key] = {key: _fill(reader, place, to, text, grid, cell)
                            for key, text in value.items()}
        elif to.key in made:
            made[to.key] = _fill(reader, place, to, value, grid, cell)
    label = grid.data.get(fields[0].key)
    return Part(at, made, label if isinstance(label, str) else "", cell)


def parts(reader: _Reader, place: str, key: str, listed: Any, fields: tuple[Field, ...],
          most: int) -> Iterator[Part]:
    """The objects of a list, those with a grid as their cells; at most `most`."""
    where = f"{place}{'.' if place else ''}{key}"
    grids = [_read_grid(reader, f"{where}[{i}]", data, fields, most)
             for i, data in enumerate(reader.items(place, key, listed, 1, most))]
    total = sum(grid.cells for grid in grids)
    if total > most:
        reader.refuse(place, key, f"it has {total} entries with those of grids; it must have 1 to "
                                  f"{most}")
    for i, grid in enumerate(grids):
        if not grid.axes:
            yield Part(i, grid.data, None, {})
        for index in range(grid.cells if grid.axes else 0):
            yield _cell(reader, f"{where}[{i}]", index, grid, fields, i)


class Clashes:
    """Cells that cannot be of one table: grids of one label with other names, or a cell twice."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.names: dict[str, tuple[str, ...]] = {}
        self.seen: set[tuple[str, ...]] = set()

    def check(self, place: str, key: str, grid: str | None, cell: Mapping[str, Value]) -> None:
        if grid is None:
            return
        texts = (grid, *map(_text, cell.values()))
        if self.names.setdefault(grid, tuple(cell)) != tuple(cell) or texts in self.seen:
            self.reader.refuse(place, key, f'grids of "{grid}" must have the same names and no '
                                           f"cell in common")
        self.seen.add(texts)
