# SPDX-License-Identifier: MIT
"""Columns of a log as they come, block by block: texts become codes, the rest numbers.

Each coder is given its column of each block in turn, and refuses what is not meant with the row,
from 0 on, in which it stands.
"""

from __future__ import annotations

import datetime
import decimal
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lgkt._errors import error
from lgkt._text import shown

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

LEVELS = 65536  # values of a state column that are held as codes; more must be numbers
FEW = 20  # values of a column of numbers that may be told apart as states
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_WHOLE = re.compile(r"-?(0|[1-9]\d*)")
# what is written where a number is missing
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "none", ".", "-")
_YES = {"true", "1", "yes", "t", "y", "1.0"}
_NO = {"false", "0", "no", "f", "n", "", "0.0"}


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    """The parts as one array; they are let go of."""
    made = np.concatenate(parts) if parts else np.zeros(0, dtype)
    parts.clear()
    return made


def decoded(column: pa.Array) -> pa.Array:
    """A column without the ways in which libraries keep texts short."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    view = getattr(pa.types, "is_string_view", None)
    return column.cast(pa.string()) if view is not None and view(column.type) else column


class Coder:
    """What all have in common: the name of the column for messages, and the rows so far."""

    def __init__(self, name: str, what: str) -> None:
        self.name, self.what, self.rows = name, what, 0

    def bad(self, row: int, text: str) -> Exception:
        return error("ARGUMENT", f'column "{self.name}" ({self.what}), row {row}: {text}')

    def add(self, column: pa.Array) -> None:
        raise NotImplementedError


def _plain(value: Any) -> Any:
    """A level as Python has it; None is missing."""
    if value is None or isinstance(value, (str, bool, int)):
        return None if value == "" else value
    if isinstance(value, (float, decimal.Decimal)):
        number = float(value)
        return None if number != number else int(number) if number.is_integer() else number
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    return str(value)


class Labels(Coder):
    """Values told apart by their names: int32 codes in the order in which they are met; -1 where
    there is none."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(name, what)
        self.codes: dict[Any, int] = {}
        self.parts: list[Any] = []

    def add(self, column: pa.Array) -> None:
        if pa.types.is_nested(column.type):
            column = pa.array([None if one is None else json.dumps(one)
                               for one in column.to_pylist()], pa.string())
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            raise self.bad(self.rows, "holds bytes; texts or numbers are needed")
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        table = np.empty(len(coded.dictionary) + 1, np.int32)
        table[-1] = -1  # what index -1 finds
        for i, value in enumerate(coded.dictionary.to_pylist()):
            level = _plain(value)
            table[i] = -1 if level is None else self.codes.setdefault(level, len(self.codes))
        indices = coded.indices
        if indices.null_count:
            indices = pc.fill_null(indices.cast(pa.int32()), -1)
        self.keep(table[indices.to_numpy(zero_copy_only=False)])
        self.rows += len(column)

    def keep(self, codes: Ints) -> None:
        self.parts.append(codes)

    def finish(self) -> tuple[Ints, list[Any]]:
        """All codes, and the levels; texts that are whole numbers become numbers, if all are."""
        return joined(self.parts, np.int32), numbers_if_all(list(self.codes))


def numbers_if_all(levels: list[Any]) -> list[Any]:
    if levels and all(isinstance(one, str) and _WHOLE.fullmatch(one) for one in levels):
        return [int(one) for one in levels]
    return levels


class States(Labels):
    """One part of a state: codes as long as there are few values, numbers where there are many."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(name, what)
        self.numbers: Numbers | None = None

    def add(self, column: pa.Array) -> None:
        if self.numbers is not None:
            self.numbers.add(column)
            self.rows = self.numbers.rows
            return
        super().add(column)
        if len(self.codes) > LEVELS:
            self.numbers = Numbers(self.name, self.what)
            values = self.as_numbers()
            self.numbers.parts = [values]
            self.numbers.rows = self.rows

    def all_numbers(self) -> bool:
        return all(not isinstance(one, (str, bool)) or isinstance(one, str) and is_number(one)
                   for one in self.codes)

    def missing_words(self) -> None:
        """Among many numbers, words such as NA say that there is none."""
        for word in MISSING:
            code = self.codes.get(word)
            if code is not None:
                for part in self.parts:
                    part[part == code] = -1

    def as_numbers(self) -> Floats:
        """The values so far; what is no number among many that are is refused."""
        self.missing_words()
        levels = list(self.codes)
        text = [i for i, one in enumerate(levels) if isinstance(one, bool) or isinstance(one, str)
                and one not in MISSING and not is_number(one)]
        codes = joined(self.parts, np.int32)
        if text:
            row = int(np.flatnonzero(np.isin(codes, text))[0])
            if len(text) > max(1, len(levels) // 2):
                raise error("ARGUMENT", f'column "{self.name}" ({self.what}) holds '
                            f"{'more than ' * (len(levels) > LEVELS)}{min(len(levels), LEVELS)} "
                            "different texts; a state can tell 1000 apart: leave the column out, "
                            "or group its texts")
            raise self.bad(row, f'"{shown(str(levels[codes[row]]))}" is no number, but most of the '
                                "others are: mixed types; leave empty what is missing")
        table = np.array([np.nan if isinstance(one, str) and one in MISSING else float(one)
                          for one in levels] + [np.nan])
        values: Floats = table[codes]
        return values


class Numbers(Coder):
    """float64, NaN where it is missing."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(name, what)
        self.parts: list[Any] = []

    def add(self, column: pa.Array) -> None:
        values = self.convert(column)
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise self.bad(self.rows + row, "is infinite; leave empty what is missing")
        self.parts.append(values)
        self.rows += len(column)

    def convert(self, column: pa.Array) -> Floats:
        column = decoded(column)
        kind = column.type
        if pa.types.is_null(kind):
            return np.full(len(column), np.nan)
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            column = self._parsed(column)
        elif not (pa.types.is_floating(kind) or pa.types.is_integer(kind)
                  or pa.types.is_boolean(kind) or pa.types.is_decimal(kind)):
            raise self.bad(self.rows, f"holds {kind}; numbers are needed")
        numbers = column.cast(pa.float64(), safe=False)
        if numbers.null_count:
            numbers = pc.fill_null(numbers, float("nan"))
        values: Floats = numbers.to_numpy(zero_copy_only=False)
        return values

    def _parsed(self, column: pa.Array) -> pa.Array:
        nothing = pa.scalar(None, column.type)
        column = pc.if_else(pc.equal(column, ""), nothing, column)
        try:
            return column.cast(pa.float64())
        except pa.ArrowInvalid:
            pass
        column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.is_in(column, pa.array(MISSING, column.type)), nothing, column)
        try:
            return column.cast(pa.float64())
        except pa.ArrowInvalid:
            texts = column.to_pylist()
            row = next((i for i, one in enumerate(texts)
                        if one is not None and not is_number(one)), 0)
            raise self.bad(self.rows + row, f'"{shown(str(texts[row]))}" is no number; leave empty '
                                            "what is missing") from None

    def finish(self) -> Floats:
        return joined(self.parts, np.float64)


class Times(Numbers):
    """Seconds: numbers as they are, or ISO 8601 as seconds since 1970."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "time")
        self.written: bool | None = None  # as ISO 8601

    def convert(self, column: pa.Array) -> Floats:
        column = decoded(column)
        if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
            return self._seconds(column)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            if self.written is None:
                first = next((one for one in column.to_pylist() if one), "0")
                self.written = not is_number(first)
            if self.written:
                return self._seconds(self._stamps(column))
        return super().convert(column)

    def _stamps(self, column: pa.Array) -> pa.Array:
        column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
        for kind in pa.timestamp("us"), pa.timestamp("us", "UTC"):
            try:
                return column.cast(kind)
            except pa.ArrowInvalid:
                continue
        return pa.array([None if one is None else self._stamp(one, row)
                         for row, one in enumerate(column.to_pylist())], pa.timestamp("us", "UTC"))

    def _stamp(self, text: str, row: int) -> datetime.datetime:
        try:
            made = datetime.datetime.fromisoformat(text.strip())
        except ValueError:
            raise self.bad(self.rows + row, f'"{shown(text)}" is no time; seconds or ISO 8601, as '
                                            "2026-11-19T07:30:00, are needed") from None
        if made.tzinfo is None:
            made = made.replace(tzinfo=datetime.UTC)
        return made

    def _seconds(self, column: pa.Array) -> Floats:
        whole = column.cast(pa.timestamp("us", getattr(column.type, "tz", None)),
                            safe=False).cast(pa.int64())
        lacking = whole.is_null().to_numpy(zero_copy_only=False)
        seconds: Floats = pc.fill_null(whole, 0).to_numpy(zero_copy_only=False) / 1e6
        seconds[lacking] = np.nan
        return seconds


class Switches(Labels):
    """Yes or no; empty is no."""

    def finish_bool(self) -> NDArray[np.bool_]:
        codes = joined(self.parts, np.int32)
        table = np.zeros(len(self.codes) + 1, np.bool_)
        for value, i in self.codes.items():
            word = str(value).strip().lower()
            if word not in _YES | _NO:
                row = int(np.flatnonzero(codes == i)[0])
                raise self.bad(row, f'"{shown(str(value))}" is neither true nor false')
            table[i] = word in _YES
        made: NDArray[np.bool_] = table[codes]
        return made


class Lists(Coder):
    """Lists of numbers of one length, JSON where they are texts; no list at all is NaN."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(name, what)
        self.parts: list[Any] = []
        self.width: int | None = None

    def add(self, column: pa.Array) -> None:
        column = decoded(column)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
            column = pc.split_pattern(pc.utf8_trim(column, characters="[] \t"), ",")
        elif pa.types.is_null(column.type):
            column = column.cast(pa.list_(pa.float64()))
        elif not pa.types.is_list(column.type) and not pa.types.is_large_list(column.type):
            raise self.bad(self.rows, f"holds {column.type}; lists of numbers are needed")
        there = column.is_valid().to_numpy(zero_copy_only=False)
        lengths = pc.list_value_length(column).drop_null().to_numpy(zero_copy_only=False)
        if lengths.size and self.width is None:
            self.width = int(lengths[0])
        odd = np.flatnonzero(lengths != self.width) if lengths.size else lengths
        if odd.size:
            row = int(np.flatnonzero(there)[odd[0]])
            raise self.bad(self.rows + row, f"a list of {lengths[odd[0]]} numbers; the first has "
                                            f"{self.width}")
        numbers = Numbers(self.name, self.what)
        try:
            values = numbers.convert(column.flatten())
        except Exception as why:
            if not hasattr(why, "status"):
                raise
            raise self.bad(self.rows, "a list from here on holds what is no number") from None
        block = np.full((len(column), self.width or 0), np.nan)
        if self.width:
            block[there] = values.reshape(-1, self.width)
        self.parts.append(block)
        self.rows += len(column)

    def finish(self) -> NDArray[np.float64] | None:
        if not self.width:
            return None
        parts = [one if one.shape[1] else np.full((len(one), self.width), np.nan)
                 for one in self.parts]
        self.parts.clear()
        return np.concatenate(parts)


class Choices(Labels):
    """Which actions are allowed: a list of their labels, or of true and false for each, as JSON;
    labels may also be parted by | or ;. Empty is all."""

    def finish_mask(self, actions: Sequence[Any],
                    find: Callable[[Any], int | None]) -> NDArray[np.bool_]:
        codes = joined(self.parts, np.int32)
        table = np.ones((len(self.codes) + 1, len(actions)), np.bool_)
        for text, i in self.codes.items():
            row = int(np.flatnonzero(codes == i)[0])
            table[i] = self._row(text, row, actions, find)
        made: NDArray[np.bool_] = table[codes]
        return made

    def _row(self, text: Any, row: int, actions: Sequence[Any],
             find: Callable[[Any], int | None]) -> NDArray[np.bool_]:
        items = self.items(text)
        if items and all(isinstance(one, bool) for one in items):
            if len(items) != len(actions):
                raise self.bad(row, f"{len(items)} times true or false for {len(actions)} actions")
            return np.array(items, np.bool_)
        mask = np.zeros(len(actions), np.bool_)
        for one in items:
            at = find(one)
            if at is None:
                raise self.bad(row, f'"{shown(str(one))}" is none of the actions')
            mask[at] = True
        if not mask.any():
            raise self.bad(row, "allows no action; leave it empty where all are allowed")
        return mask

    def switches(self) -> int | None:
        """How many times true or false the first list has, where it has nothing else."""
        items = self.items(next(iter(self.codes))) if self.codes else []
        return len(items) if items and all(isinstance(one, bool) for one in items) else None

    def levels(self) -> list[Any]:
        """All labels that occur in a list."""
        found: dict[Any, None] = {}
        for text in self.codes:
            for one in self.items(text):
                if not isinstance(one, bool):
                    found.setdefault(one)
        return list(found)

    @staticmethod
    def items(text: Any) -> list[Any]:
        if not isinstance(text, str):
            return [text]
        if text.lstrip().startswith("["):
            try:
                made = json.loads(text)
                return made if isinstance(made, list) else [made]
            except ValueError:
                pass
        return [one.strip() for one in re.split(r"[|;]", text) if one.strip()]
