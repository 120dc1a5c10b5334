# SPDX-License-Identifier: MIT
"""Model files (docs/model-files.md): JSON to the flat arrays of `_core.Model`, and back.

Every file is refused that the C reader refuses, with the same words where the place is one of the
model. Lists are checked as whole arrays; only where one is wrong it is walked to find the place.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from lgkt import _core
from lgkt._errors import Error, error
from lgkt._text import number_text, short, shown

if TYPE_CHECKING:
    from lgkt.model import Model

_Floats = NDArray[np.float64]

# the first four are needed, rewards mostly, and one of transitions and edges
_KEYS = ("states", "actions", "start", "noise", "rewards", "edges", "transitions", "name",
         "comment", "allowed")
_KINDS = ("none", "normal", "bernoulli")
_TOLERANCE = 1e-6
_MAX_STATES, _MAX_ACTIONS = 2**24, 2**16
_WHOLE = 2.0**63


class _Reader:
    """One file on its way in; what is found is collected for `_core.Model`."""

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, status: str, text: str) -> NoReturn:
        raise error(status, f"{self.source}: {text}")

    # ---- values; `where` is the place in the file ----

    def parse(self, text: str | bytes) -> Any:
        def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
            made = dict(items)
            if len(made) < len(items):
                twice = Counter(key for key, _ in items).most_common(1)[0][0]
                self.fail("FORMAT", f'duplicate object key "{shown(twice)}"')
            return made

        def constant(word: str) -> NoReturn:
            self.fail("FORMAT", f"{word} is no JSON")

        try:
            decoded = text.decode() if isinstance(text, bytes) else text
            return json.loads(decoded, object_pairs_hook=pairs, parse_constant=constant)
        except UnicodeDecodeError as why:
            line = why.object.count(b"\n", 0, why.start) + 1
            column = why.start - why.object.rfind(b"\n", 0, why.start)
            raise error("FORMAT", f"{self.source}:{line}:{column}: unable to decode byte "
                                  f"{why.object[why.start]:#x}") from None
        except json.JSONDecodeError as why:
            raise error("FORMAT", f"{self.source}:{why.lineno}:{why.colno}: {why.msg}") from None
        except Error:
            raise
        except ValueError:  # from int(): more digits than Python reads
            self.fail("FORMAT", "too big integer")
        except RecursionError:
            self.fail("FORMAT", "maximum parsing depth reached")

    def list_of(self, value: object, where: str, length: int) -> list[Any]:
        if not isinstance(value, list):
            self.fail("FORMAT", f"{where} must be a list of {length} entries")
        if len(value) != length:
            self.fail("SHAPE", f"{where} has {len(value)} entries; it must have {length}")
        return value

    def number(self, value: object, where: str, low: float, high: float) -> float:
        if type(value) not in (int, float):
            self.fail("FORMAT", f"{where} must be a number")
        if isinstance(value, int) and not -_WHOLE <= value < _WHOLE:
            self.fail("FORMAT", f"{where}: too big integer")
        number = float(value)  # type: ignore[arg-type]
        if math.isinf(number):
            self.fail("FORMAT", f"{where}: real number overflow")
        if not low <= number <= high:
            allowed = f">= {low:g}" if math.isinf(high) else f"in [{low:g}, {high:g}]"
            self.fail("ARGUMENT", f"{where} is {number:g}; it must be {allowed}")
        return number

    def range(self, z: int) -> tuple[float, float]:
        """Of the rewards of a pair."""
        return (0.0, 1.0) if self.coin[z] else (-math.inf, math.inf)

    def numbers(self, values: list[Any], where: str, low: float, high: float) -> _Floats:
        quick = _quick(values, low, high)
        if quick is not None:
            return quick
        return np.array([self.number(value, f"{where}[{i}]", low, high)
                         for i, value in enumerate(values)])

    def whole(self, value: object, where: str, low: int, high: int) -> int:
        if type(value) is not int:
            self.fail("FORMAT", f"{where} must be a whole number")
        if not low <= value <= high:
            self.fail("SHAPE", f"{where} is {shown(str(value))}; it must be in {low} .. {high}")
        return value

    def law(self, value: object, where: str) -> _Floats:
        values = self.list_of(value, where, self.states)
        law = self.numbers(values, where, 0.0, 1.0 + _TOLERANCE)
        total = float(np.add.accumulate(law)[-1])
        if not abs(total - 1.0) <= _TOLERANCE:
            self.fail("PROBABILITY",
                      f"{where} sums to {total:.9g}; it must be 1 within {_TOLERANCE:g}")
        return law

    def noise(self, value: object, where: str) -> tuple[int, float]:
        if not isinstance(value, dict):
            self.fail("FORMAT", f'{where} must be an object such as {{"kind": "none"}}')
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in _KINDS:
            self.fail("FORMAT", f'{where}: "kind" must be "none", "normal" or "bernoulli"')
        normal = kind == "normal"
        if normal and "sd" not in value:
            self.fail("FORMAT", f'{where}: key "sd" is missing')
        if len(value) != 1 + normal:
            self.fail("FORMAT", f'{where}: unknown key; the keys of "{kind}" are '
                                f'{"kind and sd" if normal else "kind"}')
        sd = self.number(value["sd"], f"{where}.sd", 0.0, math.inf) if normal else 0.0
        return _KINDS.index(kind), sd

    def text(self, key: str, one_line: bool) -> str | None:
        if key not in self.root:
            return None
        value = self.root[key]
        if not isinstance(value, str):
            self.fail("FORMAT", f"{key} must be a text")
        try:
            check_text(key, value, one_line)
        except Error as why:
            self.fail("FORMAT", str(why))
        return value

    # ---- the parts ----

    def read(self, text: str | bytes) -> tuple[dict[str, Any], str | None, str | None]:
        root = self.root = self.parse(text)
        self.outline()
        states, actions, edges = self.states, self.actions, root.get("edges")
        pairs = states * actions
        self.forbidden = np.zeros(pairs, np.uint8)
        if "allowed" in root:
            self.allowed(root["allowed"])
        one_noise = not isinstance(root["noise"], list)
        kinds = np.zeros(1 if one_noise else pairs, np.uint8)
        scales = np.zeros(len(kinds))
        if one_noise:
            kinds[0], scales[0] = self.noise(root["noise"], "noise")
        start = (self.law(root["start"], "start") if isinstance(root["start"], list)
                 else self.whole(root["start"], "start", 0, states - 1))

        if not one_noise:
            self.table("noise")
        if "transitions" in root:
            self.table("transitions")
        means = np.zeros(pairs)
        chances, moves = _Log(), _Log()
        everywhere = np.arange(states)
        self.coin = np.full(pairs, one_noise and kinds[0] == 2)
        quick = None
        if one_noise and "rewards" in root:
            quick = _quick([*chain.from_iterable(root["rewards"])], *self.range(0))
        if quick is not None:
            means = quick
        # most files with edges need no walk over the pairs
        for z in range(pairs if quick is None or "transitions" in root else 0):
            at = f"[{z // actions}][{z % actions}]"
            if not one_noise and (entry := self.entry("noise", z)) is not _NOTHING:
                kinds[z], scales[z] = self.noise(entry, "noise" + at)
                self.coin[z] = kinds[z] == 2
            entry = self.entry("rewards", z) if quick is None else _NOTHING
            if isinstance(entry, list):
                values = self.list_of(entry, "rewards" + at, states)
                moves.add(z, everywhere, self.numbers(values, "rewards" + at, *self.range(z)))
            elif entry is not _NOTHING:
                means[z] = self.number(entry, "rewards" + at, *self.range(z))
            entry = self.entry("transitions", z)
            if entry is not _NOTHING:
                row = self.law(entry, "transitions" + at)
                following = np.flatnonzero(row)
                chances.add(z, following, row[following])
        if edges is not None:
            self.edges(edges, chances, moves)
        arrays = {
            "states": states, "actions": actions, "rewards": means, "start": start,
            **dict(zip(("pair", "next", "probability"), chances.arrays())),
            **dict(zip(("move_pair", "move_next", "move_reward"), moves.arrays())),
            "noise": kinds, "noise_sd": scales, "forbidden": self.forbidden,
        }
        return arrays, self.text("name", True), self.text("comment", False)

    def outline(self) -> None:
        """Keys, sizes, and lists as long as these ask for: before memory of that size is taken."""
        root = self.root
        if not isinstance(root, dict):
            self.fail("FORMAT", "a model must be an object {...}")
        for key in root:
            if key not in _KEYS:
                word = shown(key)
                self.fail("FORMAT", f'unknown key "{word}"; {_core.suggest(word, _KEYS)}')
        for key in _KEYS[:4]:
            if key not in root:
                self.fail("FORMAT", f'key "{key}" is missing')
        if ("transitions" in root) == ("edges" in root):
            self.fail("FORMAT", 'both "transitions" and "edges" are given' if "edges" in root
                      else 'key "transitions" or "edges" is missing')
        self.states = self.whole(root["states"], "states", 1, _MAX_STATES)
        self.actions = self.whole(root["actions"], "actions", 1, _MAX_ACTIONS)
        if "rewards" not in root:
            edges = root.get("edges")
            if (not isinstance(edges, list) or len(edges) < self.states * self.actions
                    or any(not isinstance(edge, list) or len(edge) != 5 for edge in edges)):
                self.fail("FORMAT", 'key "rewards" is missing; it may be only where every pair has '
                                    "edges and every edge a reward")
        else:
            self.table("rewards")

    def table(self, key: str) -> None:
        """S lists of A entries."""
        for s, entry in enumerate(self.list_of(self.root[key], key, self.states)):
            self.list_of(entry, f"{key}[{s}]", self.actions)

    def entry(self, key: str, z: int) -> Any:
        """What a table has for a pair; nothing without a table, and for null where forbidden."""
        if key not in self.root:
            return _NOTHING
        value = self.root[key][z // self.actions][z % self.actions]
        return _NOTHING if value is None and self.forbidden[z] else value

    def allowed(self, value: object) -> None:
        for s, entry in enumerate(self.list_of(value, "allowed", self.states)):
            where = f"allowed[{s}]"
            if not isinstance(entry, list) or not entry:
                self.fail("FORMAT", f"{where} must be a list of at least one action")
            seen = set()
            for i, item in enumerate(entry):
                action = self.whole(item, f"{where}[{i}]", 0, self.actions - 1)
                if action in seen:
                    self.fail("FORMAT", f"{where}: action {action} is there twice")
                seen.add(action)
            self.forbidden[s * self.actions:(s + 1) * self.actions] = [
                action not in seen for action in range(self.actions)]

    def edges(self, edges: object, chances: _Log, moves: _Log) -> None:
        """[state, action, next, probability] or with a reward at the end."""
        if not isinstance(edges, list):
            self.fail("FORMAT", "edges must be a list of [state, action, next, probability]")
        last = (self.states - 1, self.actions - 1, self.states - 1)
        quick = self.quick_edges(edges, last)
        if quick is not None:
            state, action, following, chance_column, *reward_column = quick
            pairs = (state * self.actions + action).astype(np.int64)
            chances.add(pairs, following.astype(np.int64), chance_column)
            for column in reward_column:
                moves.add(pairs, following.astype(np.int64), column)
        for i, edge in enumerate(edges if quick is None else ()):
            where = f"edges[{i}]"
            if not isinstance(edge, list) or not edge:
                self.list_of(edge, where, 4)
            if len(edge) not in (4, 5):
                self.fail("SHAPE", f"{where} has {len(edge)} entries; it must have 4, or 5 with a "
                                   "reward")
            for j, item in enumerate(edge[:3]):
                if type(item) is not int or not 0 <= item <= last[j]:
                    self.whole(item, f"{where}[{j}]", 0, last[j])
            z = edge[0] * self.actions + edge[1]
            chance = self.number(edge[3], f"{where}[3]", 0.0, 1.0 + _TOLERANCE)
            chances.add_one(z, edge[2], chance)
            if len(edge) == 5:
                moves.add_one(z, edge[2], self.number(edge[4], f"{where}[4]", *self.range(z)))
        pair, _, chance_list = chances.arrays()
        sums = np.bincount(pair, chance_list, self.states * self.actions)
        bad = np.flatnonzero(~(np.abs(sums - 1.0) <= _TOLERANCE) & (self.forbidden == 0))
        if len(bad):
            s, a = divmod(int(bad[0]), self.actions)
            self.fail("PROBABILITY", f"edges of state {s}, action {a} sum to {sums[bad[0]]:.9g}; "
                                     f"they must sum to 1 within {_TOLERANCE:g}")

    def quick_edges(self, edges: list[Any], last: tuple[int, int, int]) -> list[_Floats] | None:
        """The columns of all edges if all of it is surely right."""
        if (not edges or set(map(type, edges)) != {list} or self.coin.any()
                or set(map(len, edges)) not in ({4}, {5})):
            return None
        columns = []
        for j, column in enumerate(map(list, zip(*edges))):
            if j < 3 and set(map(type, column)) != {int}:
                return None
            low, high = ((0, last[j]) if j < 3 else (0.0, 1.0 + _TOLERANCE) if j == 3
                         else (-math.inf, math.inf))
            quick = _quick(column, low, high)
            if quick is None:
                return None
            columns.append(quick)
        return columns


_NOTHING = object()


class _Log:
    """Moves in the order given, in pieces and one by one."""

    def __init__(self) -> None:
        self._pieces: list[tuple[NDArray[np.int64], NDArray[np.int64], _Floats]] = []
        self._loose: list[tuple[int, int, float]] = []

    def add(self, pair: int | NDArray[np.int64], following: NDArray[np.int64],
            values: _Floats) -> None:
        self._pieces.append((np.broadcast_to(pair, following.shape), following, values))

    def add_one(self, pair: int, following: int, value: float) -> None:
        self._loose.append((pair, following, value))

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], _Floats]:
        """Pairs, next states and values; the loose ones come last."""
        pair, following, value = zip(*self._loose) if self._loose else ((), (), ())
        columns = [*self._pieces, (np.array(pair, np.int64), np.array(following, np.int64),
                                   np.array(value, np.float64))]
        pairs, nexts, values = zip(*columns)
        return np.concatenate(pairs), np.concatenate(nexts), np.concatenate(values)


def _quick(values: list[Any], low: float, high: float) -> _Floats | None:
    """The list as an array if all of it is surely right."""
    if not set(map(type, values)) <= {int, float}:
        return None
    try:
        array = np.array(values, np.float64)
    except OverflowError:
        return None
    good = (array >= low) & (array <= high) & (np.abs(array) < _WHOLE)
    return array if good.all() else None


def check_text(key: str, text: str | None, one_line: bool) -> None:
    """Refuses what C could not keep."""
    if text is None:
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error("FORMAT", f"{key} is not UTF-8") from None
    if one_line and any(ord(c) < 0x20 or ord(c) == 0x7F for c in text):
        raise error("FORMAT", f"{key} has a control character; it must be one line")
    if "\0" in text:
        raise error("FORMAT", f"{key} has a zero character")


def parse(text: str | bytes, source: str) -> tuple[dict[str, Any], str | None, str | None]:
    """The arguments of `_core.Model`, the name and the comment."""
    return _Reader(short(source)).read(text)


# ---- writing ----


def _quoted(text: str) -> str:
    return '"' + "".join(f"\\{c}" if c in '"\\' else f"\\u{ord(c):04x}" if c < " " else c
                         for c in text) + '"'


def _lines(items: list[str], indent: int) -> str:
    """A list with an item on each line."""
    pad = " " * indent
    return "[\n" + ",\n".join(f"{pad}  {item}" for item in items) + f"\n{pad}]"


def _noise_text(kind: str, sd: float) -> str:
    return f'{{"kind": "{kind}"' + (f', "sd": {number_text(sd)}' if kind == "normal" else "") + "}"


def print_model(model: Model) -> str:
    """The text of a model file, byte for byte what the C library writes."""
    if model.noise == "drifting":
        raise error("UNSUPPORTED", "a model file cannot say drifting noise")
    check_text("name", model.name, True)
    check_text("comment", model.comment, False)
    states, actions = model.states, model.actions
    allowed = model.allowed
    means, _, _, permitted, own = (array.ravel().tolist() for array in model._pairs)
    indptr, following, chances, rewards = (array.tolist() for array in model._rows)
    # dense where at least a quarter of all (s, a, next) is positive
    dense = len(chances) >= states * states * actions / 4

    def full(z: int, values: list[float]) -> str:
        row = [0.0] * states
        for i in range(indptr[z], indptr[z + 1]):
            row[following[i]] = values[i]
        return "[" + ", ".join(map(number_text, row)) + "]"

    def reward(z: int) -> str:
        if not own[z]:
            return number_text(means[z])
        return full(z, rewards) if dense else "0"

    def by_state(item: Callable[[int], str]) -> list[list[str]]:
        return [[item(z) if permitted[z] else "null" for z in range(s * actions, (s + 1) * actions)]
                for s in range(states)]

    def table(item: Callable[[int], str]) -> str:
        return _lines(["[" + ", ".join(row) + "]" for row in by_state(item)], 2)

    parts: list[tuple[str, str]] = []
    if model.name is not None:
        parts.append(("name", _quoted(model.name)))
    if model.comment is not None:
        parts.append(("comment", _quoted(model.comment)))
    parts += [("states", str(states)), ("actions", str(actions))]
    if model.restricted:
        parts.append(("allowed", _lines([str(np.flatnonzero(row).tolist()) for row in allowed], 2)))
    start = model.start_state
    parts.append(("start", str(start) if start is not None
                  else "[" + ", ".join(map(number_text, model.start_law.tolist())) + "]"))
    if model.noise == "mixed":
        kinds, scales = model.pair_noise
        parts.append(("noise", table(lambda z: _noise_text(kinds.flat[z], float(scales.flat[z])))))
    else:
        parts.append(("noise", _noise_text(model.noise, model.noise_sd)))
    parts.append(("rewards", table(reward)))
    if dense:
        rows = by_state(lambda z: full(z, chances))
        parts.append(("transitions", _lines([_lines(row, 4) for row in rows], 2)))
    else:
        edges = []
        for z in range(states * actions):
            for i in range(indptr[z], indptr[z + 1]):
                earns = f", {number_text(rewards[i])}" if own[z] else ""
                edges.append(f"[{z // actions}, {z % actions}, {following[i]}, "
                             f"{number_text(chances[i])}{earns}]")
        parts.append(("edges", _lines(edges, 2)))
    return "{\n" + ",\n".join(f'  "{key}": {value}' for key, value in parts) + "\n}\n"
