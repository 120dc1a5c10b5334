# SPDX-License-Identifier: MIT
"""A log as arrays: rows in order, texts as codes, and what is a state.

A state is a table, one number for each combination of its parts that occurs, or a record, a vector
of numbers and categories: `Coded.kind` says which.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from lgkt._errors import error
from lgkt._text import shown
from lgkt.log import coders
from lgkt.log.coders import Floats, Ints
from lgkt.log.columns import PART, Columns
from lgkt.log.parts import (
    COMBINATIONS,
    MOST_STATES,
    Part,
    bin_parts,
    ordered,
    part_of,
    records_of,
    sorted_levels,
    table_of,
)
from lgkt.log.reading import Source, Told

MOST_ACTIONS = 1024
SUM = 1e-6  # how far a law's sum may be from 1

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """The rows of a log, sorted by unit (as they first occur), episode and time; rows of one time
    keep the order of the file."""

    row: NDArray[np.int64]  # (n) number of the row in the file, from 0
    unit: Ints  # (n)
    units: list[Any]
    start: NDArray[np.int64]  # (m + 1) episode i is rows start[i] to start[i + 1] - 1
    episode_unit: Ints  # (m)
    kind: str  # "table" or "record"
    state: Ints | None  # (n), of a table
    states: list[tuple[Any, ...]]
    state_names: tuple[str, ...]
    record: Floats | None  # (n, d); NaN is missing, categories are numbers
    features: list[Any]  # as lgkt.Learner takes them
    next_state: Ints | None  # (n), -1 where it is not known
    next_record: Floats | None  # (n, d)
    next_known: Bools  # (n)
    ended: Bools  # (n) the world ended after the row, and began again
    action: Ints  # (n)
    actions: list[Any]
    reward: Floats  # (n), NaN is missing
    time: Floats | None  # (n)
    probability: Floats | None  # (n) of the action that was played; NaN is missing
    probabilities: Floats | None  # (n, A)
    allowed: Bools | None  # (n, A)
    source: Ints | None  # (n), -1 is missing
    sources: list[Any]
    edges: dict[str, tuple[Floats, list[Any]]]  # of the parts in bins, with the labels of these

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.row)

    @property
    def m(self) -> int:
        """Episodes."""
        return len(self.start) - 1

    @property
    def S(self) -> int:
        """States of a table."""
        return len(self.states)

    @property
    def A(self) -> int:
        """Actions."""
        return len(self.actions)


def without(coded: Coded, drop: Bools) -> Coded:
    """A log without some of its rows, each of which is the copy of one before it in its episode."""
    kept = np.flatnonzero(~drop)
    # what a row led to is what the last of its copies led to
    last = np.append(kept[1:], coded.n) - 1
    start = np.concatenate([[0], np.cumsum(~drop)])[coded.start]
    same: dict[str, Any] = {"start": start}
    for name in ("row", "unit", "state", "record", "action", "reward", "time", "probability",
                 "probabilities", "allowed", "source"):
        values = getattr(coded, name)
        same[name] = None if values is None else values[kept]
    for name in ("next_state", "next_record", "next_known", "ended"):
        values = getattr(coded, name)
        same[name] = None if values is None else values[last]
    return replace(coded, **same)


def finder(labels: Sequence[Any]) -> Callable[[Any], int | None]:
    """Finds a label's code, also one that is written as text or number where the log has the
    other."""
    exact = {label: i for i, label in enumerate(labels)}
    texts = {str(label): i for i, label in enumerate(labels)}

    def find(value: Any) -> int | None:
        plain = value.item() if isinstance(value, np.generic) else value
        try:
            if plain in exact:
                return exact[plain]
        except TypeError:  # a list, say
            return None
        if isinstance(plain, float) and plain.is_integer():
            plain = int(plain)
        return texts.get(str(plain))

    return find


# ---- reading ----


class Packed(coders.Coder):
    """States in one column: a JSON object has a part for each of its names, a JSON list one for
    each place, and anything else is the one part of its state."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(name, what)
        self.parts: dict[str, coders.States] = {}

    def add(self, column: pa.Array) -> None:
        column = coders.decoded(column)
        for name, part in self._opened(column).items():
            if name not in self.parts:
                if self.rows:
                    raise self.bad(self.rows, f'a state with the part "{shown(name)}", which those '
                                              "before do not have")
                self.parts[name] = coders.States(name, self.what)
            self.parts[name].add(part)
        self.rows += len(column)
        for part in self.parts.values():
            if part.rows < self.rows:
                raise self.bad(part.rows, f'a state without the part "{shown(part.name)}"')

    def _opened(self, column: pa.Array) -> dict[str, pa.Array]:
        first = next((one for one in column.to_pylist() if one), None)
        if isinstance(first, str) and first.lstrip()[:1] in ("{", "["):
            values = [self._parsed(one, i) if one else None
                      for i, one in enumerate(column.to_pylist())]
        elif isinstance(first, list):
            values = column.to_pylist()
        else:
            return {self.name: column}
        made = next(one for one in values if one is not None)
        if isinstance(made, list):
            values = [None if one is None else dict(enumerate(one)) for one in values]
        names = list(next(one for one in values if one is not None))
        for i, one in enumerate(values):
            if one is not None and list(one) != names and set(one) != set(names):
                raise self.bad(self.rows + i, "a state with other parts than the first")
        return {str(name): _array([None if one is None else one[name] for one in values])
                for name in names}

    def _parsed(self, text: str, i: int) -> Any:
        try:
            made = json.loads(text)
        except ValueError:
            raise self.bad(self.rows + i, f'"{shown(text)}" is no JSON') from None
        return made


def _array(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if one is None else str(one) for one in values], pa.string())


class _Read:
    """All columns of a log as the coders leave them."""

    def __init__(self, source: Source, columns: Columns, progress: bool | None) -> None:
        self.columns, self.where = columns, source.where
        state: type[Any] = Packed if columns.packed else coders.States
        self.state = [state(name, "state") for name in columns.state]
        self.next = [state(name, "next_state") for name in columns.next_state]
        self.unit = coders.Labels(columns.unit, "unit") if columns.unit else None
        self.time = coders.Times(columns.time) if columns.time else None
        self.episode = coders.Labels(columns.episode, "episode") if columns.episode else None
        self.action = coders.Labels(columns.action, "action")
        self.reward = coders.Numbers(columns.reward, "reward")
        self.probability = (coders.Numbers(columns.probability, "probability")
                            if columns.probability else None)
        self.probabilities = (coders.Lists(columns.probabilities, "probabilities")
                              if columns.probabilities else None)
        self.allowed = coders.Choices(columns.allowed, "allowed") if columns.allowed else None
        self.cut = coders.Switches(columns.cut, "cut") if columns.cut else None
        self.source = coders.Labels(columns.source, "source") if columns.source else None
        self.order = coders.Numbers(columns.order, "seq") if columns.order else None
        self.rows = 0
        self.kept: list[NDArray[np.int64]] = []  # rows of the file, where some are left out
        self._run(source, progress)

    def _run(self, source: Source, progress: bool | None) -> None:
        single: list[coders.Coder | None] = [
            self.unit, self.time, self.episode, self.action, self.reward, self.probability,
            self.probabilities, self.allowed, self.cut, self.source, self.order]
        all_coders = [one for one in (*self.state, *self.next, *single) if one is not None]
        plain = [] if not self.columns.packed else [*self.columns.state, *self.columns.next_state]
        labels = [one for one in self.columns.labels if one not in plain]
        told = Told(f"reading {self.where}", progress)
        seen = 0
        for batch in source.blocks(self.columns.used, labels):
            said = _said(batch, self.columns)
            self.kept.append(seen + np.flatnonzero(said))
            seen += batch.num_rows
            if not said.all():
                batch = _some(batch, said)
            for coder in all_coders:
                coder.add(batch.column(coder.name))
            self.rows += batch.num_rows
            told(f"{self.rows} rows")
        if self.rows == 0:
            raise error("FORMAT", f"{self.where} has no rows")
        if self.columns.packed:
            self._unpack()

    def _unpack(self) -> None:
        self.state = list(self.state[0].parts.values())
        if self.next:
            found = self.next[0].parts
            # a column of one part is called by its own name
            if len(self.state) == 1 and len(found) == 1:
                self.next = list(found.values())
            elif all(one.codes == {} and one.numbers is None for one in found.values()):
                self.next = []  # no next state at all was reported
            else:
                lacking = [one.name for one in self.state if one.name not in found]
                if lacking or len(found) > len(self.state):
                    raise error("FORMAT", f"{self.where}: states and next states have not the same "
                                          "parts")
                self.next = [found[one.name] for one in self.state]


def _empty(column: pa.Array) -> Bools:
    found: Bools = column.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        found |= pc.fill_null(pc.equal(column, ""), False).to_numpy(zero_copy_only=False)
    return found


def _some(batch: pa.RecordBatch, said: Bools) -> pa.RecordBatch:
    """Some rows, without labels that only the others have."""
    kept = batch.filter(pa.array(said))
    plain = [one.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else one
             for one in kept.columns]
    return pa.RecordBatch.from_arrays(plain, names=kept.schema.names)


def _said(batch: pa.RecordBatch, columns: Columns) -> Bools:
    """Which rows tell something. A decision log says of somebody who was erased only that there was
    a decision: neither when it was nor what was done."""
    if columns.order is None or columns.time is None:
        return np.ones(batch.num_rows, np.bool_)
    silent = _empty(batch.column(columns.time))
    if silent.any():
        silent &= _empty(batch.column(columns.action))
    return ~silent


# ---- all of it ----


def _units(read: _Read) -> tuple[Ints, list[Any]]:
    if read.unit is None:
        return np.zeros(read.rows, np.int32), ["all"]
    codes, labels = read.unit.finish()
    _complete(codes < 0, read.unit, "which unit it was of; drop the row or name the unit")
    return codes, labels


def _complete(lacking: Bools, coder: coders.Coder, what: str) -> None:
    if lacking.any():
        rows = np.flatnonzero(lacking)
        more = f", and {len(rows) - 1} more rows" if len(rows) > 1 else ""
        raise error("ARGUMENT", f'column "{coder.name}" ({coder.what}), row {rows[0]}{more}: '
                                f"empty; the log must say {what}")


def _sequence(read: _Read, unit: Ints, episode: Ints | None,
              clock: Floats | None) -> NDArray[np.int64] | None:
    """The order of the rows; None where they are in order."""
    keys: list[NDArray[Any]] = []
    if read.order is not None:
        keys.append(read.order.finish())
    if clock is not None:
        keys.append(clock)
    if episode is not None:
        keys.append(episode)
        if clock is not None:  # episodes of a unit in the order in which they begin
            count = int(episode.max()) + 2
            pair = unit.astype(np.int64) * count + episode + 1
            labels, place = np.unique(pair, return_inverse=True)
            first = np.full(len(labels), np.inf)
            np.minimum.at(first, place, clock)
            keys.append(first[place])
    keys.append(unit)
    if _in_order(keys):
        return None
    while len(keys) > 1 and np.all(keys[0][1:] >= keys[0][:-1]):
        keys.pop(0)  # a stable sort by the others keeps its order
    return np.lexsort(keys).astype(np.int64, copy=False) if len(keys) > 1 else np.argsort(
        keys[0], kind="stable")


def _in_order(keys: list[NDArray[Any]]) -> bool:
    """By the last key, among equals by the one before, and so on."""
    open_ = np.ones(len(keys[0]) - 1, np.bool_)
    for key in reversed(keys):
        if np.any(key[1:][open_] < key[:-1][open_]):
            return False
        open_ &= key[1:] == key[:-1]
    return True


def _by_law(met: list[Any], codes: Ints, single: Floats | None, law: Floats) -> list[Any] | None:
    """The actions in the order of their probabilities, by which of them is that of what was played;
    None where that does not tell."""
    if single is None:
        return None
    width = law.shape[1]
    fits = np.ones((len(met), width), np.bool_)
    known = ~np.isnan(single) & ~np.isnan(law).any(1)
    for j in range(width):
        off = known & (np.abs(law[:, j] - single) > 1e-9)
        fits[np.unique(codes[off]), j] = False
    labels: list[Any] = [None] * width
    left = dict(enumerate(met))
    while left:  # one that fits one place only, again and again
        sure = [i for i in left if fits[i].sum() == 1]
        if not sure:
            return None
        place = int(fits[sure[0]].argmax())
        labels[place] = left.pop(sure[0])
        fits[:, place] = False
    return [f"action {j}, never played" if one is None else one for j, one in enumerate(labels)]


def _actions(read: _Read, given: Sequence[Any] | None, single: Floats | None,
             law: Floats | None) -> tuple[Ints, list[Any]]:
    codes, met = read.action.finish()
    _complete(codes < 0, read.action, "what was done; drop rows without an action")
    width = read.probabilities.width if read.probabilities is not None else None
    if width is None and read.allowed is not None:
        width = read.allowed.switches()
    labels: list[Any]
    if given is not None:
        labels = list(given)
        if len(set(map(str, labels))) < len(labels):
            raise error("ARGUMENT", "actions= names an action twice")
    else:
        listed = read.allowed.levels() if read.allowed is not None else []
        if all(isinstance(one, int) for one in met):
            listed = [int(one) if isinstance(one, str) and one.isdecimal() else one
                      for one in listed]
        labels = sorted_levels(list(dict.fromkeys([*met, *listed])))[1]
        if width is not None:
            if all(isinstance(one, int) and 0 <= one < width for one in labels):
                labels = list(range(width))
            elif width < len(met):
                raise error("SHAPE", f"the lists for all actions have {width} values, but "
                                     f"{len(met)} actions occur")
            else:  # the order of the lists is not written in the log
                found = _by_law(met, codes, single, law) if law is not None else None
                if found is None:
                    raise error("SHAPE", "in which order do the lists for all actions have them? "
                                         f"Say actions=[..], {width} names in that order")
                labels = found
    if width is not None and width != len(labels):
        raise error("SHAPE", f"the lists for all actions have {width} values; there are "
                             f"{len(labels)} actions")
    if len(labels) > MOST_ACTIONS:
        raise error("ARGUMENT", f'column "{read.action.name}" (action) has {len(labels)} different '
                                f"values; at most {MOST_ACTIONS} actions: is it the right column?")
    find = finder(labels)
    places = [find(one) for one in met]
    for i, place in enumerate(places):
        if place is None:
            row = int(np.flatnonzero(codes == i)[0])
            raise read.action.bad(row, f'"{shown(str(met[i]))}" is none of actions=')
    return np.array(places, np.int32)[codes], labels


def _probability(read: _Read, action: Ints, single: Floats | None,
                 law: Floats | None) -> tuple[Floats | None, Floats | None]:
    """Of what was played and of all actions, in the order of the file."""
    if law is not None and read.probabilities is not None:
        wrong = ~((law >= 0) & (law <= 1 + SUM)) & ~np.isnan(law)
        if wrong.any():
            row, at = np.argwhere(wrong)[0]
            raise read.probabilities.bad(row, f"a probability is {law[row, at]:g}; allowed are 0 "
                                              "to 1")
        sums = law.sum(1)
        off = np.abs(sums - 1) > SUM
        if off.any():
            row = int(np.flatnonzero(off)[0])
            raise read.probabilities.bad(row, f"the probabilities sum to {sums[row]:.9g}; they "
                                              "must sum to 1")
        played = law[np.arange(len(law)), action]
        if single is None:
            single = played
    if single is not None:
        coder = read.probability or read.probabilities
        assert coder is not None
        wrong = ~((single > 0) & (single <= 1 + SUM)) & ~np.isnan(single)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise coder.bad(row, f"the action that was played has probability {single[row]:g}; "
                                 "allowed are numbers above 0, up to 1 (is it a percentage?)")
        np.minimum(single, 1.0, out=single)
        if np.isnan(single).all():
            single = None
    return single, law


def code(
    source: Source,
    columns: Columns,
    *,
    actions: Sequence[Any] | None = None,
    as_: str | None = None,
    bins: Mapping[str, ArrayLike | int] | None = None,
    progress: bool | None = None,
) -> Coded:
    """Reads a log and brings it into order."""
    if as_ not in (None, "table", "record"):
        raise error("ARGUMENT", f'as_ is {as_!r}; it must be "table", "record" or None')
    read = _Read(source, columns, progress)
    unit, units = _units(read)
    clock = read.time.finish() if read.time is not None else None
    if clock is not None and read.time is not None:
        _complete(np.isnan(clock), read.time, "when it was; drop the row or leave time= out")
    episode = read.episode.finish()[0] if read.episode is not None else None
    single = read.probability.finish() if read.probability is not None else None
    law = read.probabilities.finish() if read.probabilities is not None else None
    action, labels = _actions(read, actions, single, law)
    probability, law = _probability(read, action, single, law)
    mask = None
    if read.allowed is not None:
        mask = read.allowed.finish_mask(labels, finder(labels))
        forbidden = ~mask[np.arange(len(mask)), action]
        if forbidden.any():
            row = int(np.flatnonzero(forbidden)[0])
            raise read.allowed.bad(row, f'the action "{shown(str(labels[action[row]]))}" was '
                                        "played, but is not among those allowed")
    order = _sequence(read, unit, episode, clock)
    rows = ordered(np.concatenate(read.kept), order)
    unit = ordered(unit, order)
    cut = (ordered(read.cut.finish_bool(), order) if read.cut is not None
           else np.zeros(read.rows, np.bool_))
    last = np.empty(read.rows, np.bool_)
    last[-1] = True
    np.not_equal(unit[1:], unit[:-1], out=last[:-1])
    if episode is not None:
        episode = ordered(episode, order)
        last[:-1] |= episode[1:] != episode[:-1]
    last |= cut
    ends = np.flatnonzero(last) + 1
    start = np.concatenate([[0], ends]).astype(np.int64)

    wide = as_ == "table"
    after = read.next or [None] * len(read.state)
    parts = [part_of(one, following, order, wide)
             for one, following in zip(read.state, after, strict=True)]
    if all(one.name.startswith(PART) for one in parts):
        for one in parts:
            one.name = one.name.removeprefix(PART)
    bin_parts(parts, bins)
    known_next = _known(parts) if read.next else np.zeros(read.rows, np.bool_)
    made = None
    if as_ != "record" and (wide or all(one.told_apart for one in parts)):
        numeric = [one.name for one in parts if one.numbers]
        if numeric:
            raise error("ARGUMENT", f'as_="table": "{numeric[0]}" has more than {coders.LEVELS} '
                                    "values; say bins={..} for it")
        made = table_of(parts, MOST_STATES if wide else COMBINATIONS, known_next)
        if made is None and wide:
            raise error("ARGUMENT", f'as_="table": more than {MOST_STATES} states occur; leave '
                                    "columns out, or say bins={..}")
    own: list[Any]
    features: list[Any] = []
    states: list[tuple[Any, ...]] = []
    if made is not None:
        own, states = made
    else:
        own, features = records_of(parts)
    table = made is not None
    state: Any = own[0]
    following = _following(own, known_next, last, cut)
    next_known = following >= 0 if table else (known_next | ~last) & ~cut
    ended = last & ~cut & known_next if read.next else (
        last & ~cut if read.cut is not None else np.zeros(read.rows, np.bool_))
    sources, names = read.source.finish() if read.source is not None else (None, [])
    return Coded(
        row=rows, unit=unit, units=units, start=start,
        episode_unit=unit[start[:-1]], kind="table" if table else "record",
        state=state if table else None, states=states,
        state_names=tuple(one.name for one in parts), record=None if table else state,
        features=features, next_state=following if table else None,
        next_record=None if table else following, next_known=next_known, ended=ended,
        action=ordered(action, order), actions=labels,
        reward=ordered(read.reward.finish(), order),
        time=None if clock is None else ordered(clock, order),
        probability=None if probability is None else ordered(probability, order),
        probabilities=None if law is None else ordered(law, order),
        allowed=None if mask is None else ordered(mask, order),
        source=None if sources is None else ordered(sources, order), sources=names,
        edges={one.name: (one.edges, one.levels) for one in parts if one.edges is not None})


def _known(parts: list[Part]) -> Bools:
    """Rows whose next state is given, in part at least."""
    known = None
    for part in parts:
        there = ~np.isnan(part.numbers[1]) if part.numbers else part.codes[1] >= 0
        known = there if known is None else known | there
    assert known is not None
    return known


def _following(own: list[Any], known: Bools, last: Bools, cut: Bools) -> Any:
    """The next states: as given, else those of the rows that follow; -1 or NaN where cut."""
    state = own[0]
    nothing = np.nan if state.dtype.kind == "f" else -1
    made = np.empty_like(state)
    made[:-1] = state[1:]
    made[-1] = nothing
    made[last] = nothing
    if len(own) > 1:
        made[known] = own[1][known]
        made[cut] = nothing
    return made
