# SPDX-License-Identifier: MIT
"""The parts of a state: codes of few values or numbers of many, bins of these, and what they are
together, the number of a combination or a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lgkt._errors import error
from lgkt.log import coders
from lgkt.log.coders import Floats, Ints
from lgkt.records import TEXTS

COMBINATIONS = 1000  # of the parts of a state, above which a log is one of records
MOST_STATES = 65536  # where the user says that it is a table
Bools = NDArray[np.bool_]


@dataclass
class Part:
    """One part of a state, of the rows and of their next states: codes of few values (-1 is
    missing), or numbers."""

    name: str
    codes: list[Ints]
    levels: list[Any]
    numbers: list[Floats]
    told_apart: bool  # of a table: texts, few values, or bins
    edges: Floats | None = None


def sorted_levels(levels: list[Any]) -> tuple[NDArray[np.int32], list[Any]]:
    """Levels in order, and what each becomes; equal numbers that were written in two ways are
    one. The last place stands for -1."""
    whole = coders.numbers_if_all(levels)
    if levels and whole is levels and all(isinstance(one, str) and coders.is_number(one)
                                          for one in levels):
        whole = [float(one) for one in levels]
        whole = [int(one) if one.is_integer() else one for one in whole]
    unique = list(dict.fromkeys(whole))
    try:
        unique.sort()
    except TypeError:
        unique.sort(key=str)
    place = {level: i for i, level in enumerate(unique)}
    return np.array([place[one] for one in whole] + [-1], np.int32), unique


def _edges(name: str, given: Any, values: list[Floats]) -> Floats:
    """Where bins end: as given, or so that each has about as many rows."""
    if np.ndim(given) == 0:
        if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 2:
            raise error("ARGUMENT", f'bins: "{name}" is to have {given!r} bins; a number from 2 '
                                    "on, or a list of edges, is needed")
        known = values[0][~np.isnan(values[0])]
        inner = np.linspace(0, 1, int(given) + 1)[1:-1]
        return np.unique(np.quantile(known, inner)) if known.size else np.zeros(0)
    made = np.asarray(given, np.float64)
    if made.ndim != 1 or made.size == 0 or not np.all(np.isfinite(made)) or np.any(
            np.diff(made) <= 0):
        raise error("ARGUMENT", f'bins: the edges of "{name}" must be finite numbers that increase')
    return made


def _binned(part: Part, given: Any) -> Part:
    values = part.numbers or [_values(part, one) for one in part.codes]
    edges = _edges(part.name, given, values)
    texts = [f"{one:.6g}" for one in edges]
    levels = [f"below {texts[0]}", *(f"{low} to {high}" for low, high in zip(texts, texts[1:])),
              f"{texts[-1]} or more"] if texts else ["all"]
    codes = []
    for one in values:
        code = np.searchsorted(edges, one, side="right").astype(np.int32)
        code[np.isnan(one)] = -1
        codes.append(code)
    return Part(part.name, codes, levels, [], True, edges)


def _values(part: Part, codes: Ints) -> Floats:
    table = np.array([*map(float, part.levels), np.nan])
    return table[codes]


def part_of(own: coders.States, after: coders.States | None, order: Any, wide: bool) -> Part:
    """What two columns hold together, in the order of the rows. `wide`: the user wants a table,
    however many values there are."""
    both = [own] if after is None else [own, after]
    if any(one.numbers is not None for one in both):
        if not all(one.numbers is not None or one.all_numbers() for one in both):
            raise error("ARGUMENT", f'column "{own.name}" holds numbers in one of state and '
                                    "next_state, texts in the other")
        numbers = [one.numbers.finish() if one.numbers is not None else one.as_numbers()
                   for one in both]
        return Part(own.name, [], [], [ordered(one, order) for one in numbers], False)
    for one in both:
        numeric = sum(not isinstance(level, (str, bool)) or isinstance(level, str)
                      and coders.is_number(level) for level in one.codes)
        if len(one.codes) > coders.FEW and numeric > len(one.codes) // 2:
            one.missing_words()
            words = [level for level in one.codes if isinstance(level, str)
                     and not coders.is_number(level)]
            for level in words:
                if level not in coders.MISSING:
                    one.as_numbers()  # names the row
    met = dict.fromkeys(level for one in both for level in one.codes)
    # among numbers, words such as NA say that there is none
    plain = [level for level in met if not (isinstance(level, str) and level in coders.MISSING)]
    numbers_only = plain and all(isinstance(one, str) and coders.is_number(one) for one in plain)
    raw = plain if numbers_only else list(met)
    change, levels = sorted_levels(raw)
    place = {level: int(change[i]) for i, level in enumerate(raw)}
    codes = []
    for one in both:
        table = np.array([*(place.get(level, -1) for level in one.codes), -1], np.int32)
        codes.append(ordered(table[coders.joined(one.parts, np.int32)], order))
    text = any(isinstance(one, (str, bool)) for one in levels)
    if text and len(levels) > MOST_STATES or text and len(levels) > COMBINATIONS and not wide:
        raise error("ARGUMENT", f'the state column "{own.name}" has {len(levels)} different texts; '
                                f"a state can tell {COMBINATIONS} apart: leave the column out, or "
                                "group its texts")
    return Part(own.name, codes, levels, [], text or len(levels) <= coders.FEW)


def ordered(values: NDArray[Any], order: NDArray[np.int64] | None) -> Any:
    return values if order is None else values[order]


def table_of(parts: list[Part], limit: int,
           known_next: Bools) -> tuple[list[Ints], list[tuple[Any, ...]]] | None:
    """A number for each combination that occurs, in the order of the levels; None where there are
    more than `limit`. A missing part is a level of its own, the last."""
    total: list[Any] = [np.zeros(len(one), np.int32) for one in parts[0].codes]
    combos: list[tuple[Any, ...]] = [()]
    for part in parts:
        size = len(part.levels) + 1
        known = np.zeros(len(combos) * size, np.bool_)
        for i, codes in enumerate(part.codes):
            total[i] *= size
            total[i] += np.where(codes < 0, size - 1, codes)
            known[total[i] if i == 0 else total[i][known_next]] = True
        kept = np.flatnonzero(known)
        if len(kept) > max(limit, 1):
            return None
        number = np.zeros(known.size, np.int32)
        number[kept] = np.arange(len(kept), dtype=np.int32)
        total = [number[one] for one in total]
        levels = [*part.levels, None]
        combos = [(*combos[at // size], levels[at % size]) for at in kept.tolist()]
    return total, combos


def records_of(parts: list[Part]) -> tuple[list[Floats], list[Any]]:
    features: list[Any] = []
    columns: list[list[Floats]] = []
    for part in parts:
        if part.numbers:
            features.append(part.name)
            columns.append(part.numbers)
        elif part.levels and not any(isinstance(one, (str, bool)) for one in part.levels):
            features.append(part.name)
            columns.append([_values(part, one) for one in part.codes])
        else:
            if len(part.levels) > TEXTS:
                raise error("ARGUMENT", f'the state column "{part.name}" has {len(part.levels)} '
                                        f"different texts; a record may have {TEXTS}")
            texts = [str(one) for one in part.levels] or ["none"]
            features.append((part.name, texts))
            columns.append([np.where(one < 0, np.nan, one) for one in part.codes])
    return [np.column_stack(one) for one in zip(*columns, strict=True)], features


def bin_parts(parts: list[Part], bins: Mapping[str, Any] | None) -> None:
    for name, given in (bins or {}).items():
        at = next((i for i, one in enumerate(parts) if one.name == name), None)
        if at is None:
            raise error("ARGUMENT", f'bins: "{name}" is no column of the state; these are '
                                    + ", ".join(one.name for one in parts))
        if any(isinstance(one, (str, bool)) for one in parts[at].levels):
            raise error("ARGUMENT", f'bins: "{name}" holds texts, which have no bins')
        parts[at] = _binned(parts[at], given)
