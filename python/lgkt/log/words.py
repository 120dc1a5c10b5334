# SPDX-License-Identifier: MIT
"""What the user calls states, actions and units, and what the library does: labels and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lgkt import _core
from lgkt._errors import error
from lgkt.log.coding import Coded, finder


def _shown(value: Any) -> str:
    return repr(value)[:80]


class Words:
    """The labels of a log: states as tuples, dicts by the names of the columns, or the one label
    where there is one column; actions as the log has them."""

    def __init__(self, coded: Coded) -> None:
        self.names = coded.state_names
        self.states, self.actions = coded.states, coded.actions
        self.features = coded.features
        self.edges = coded.edges
        self.offered = _offered(coded)
        columns = [list(dict.fromkeys(state[i] for state in coded.states))
                   for i in range(len(self.names))] if coded.states else []
        self._levels = columns
        self._prepare()

    def _prepare(self) -> None:
        self._number = {state: i for i, state in enumerate(self.states)}
        self._find_level: list[Callable[[Any], int | None]] = [finder(one) for one in self._levels]
        self._find_action = finder(self.actions)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items()
                if key not in ("_number", "_find_level", "_find_action")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    # ---- states ----

    def parts(self, state: Any) -> list[Any]:
        """What the user says of each column of the state."""
        if isinstance(state, Mapping):
            lacking = [name for name in self.names if name not in state]
            if lacking:
                raise error("ARGUMENT", f'the state {_shown(state)} has no "{lacking[0]}"')
            return [state[name] for name in self.names]
        if len(self.names) == 1 and not isinstance(state, (tuple, list)):
            return [state]
        if isinstance(state, (str, bytes)) or not isinstance(state, Sequence | np.ndarray):
            raise error("ARGUMENT", f"a state is a tuple or a dict with {', '.join(self.names)}, "
                                    f"not {_shown(state)}")
        if len(state) != len(self.names):
            raise error("SHAPE", f"a state has {len(self.names)} parts ({', '.join(self.names)}), "
                                 f"not {len(state)}")
        return list(state)

    def _binned(self, i: int, part: Any) -> Any:
        """A part as it stands in the states: of a number that has bins, its bin."""
        value = part.item() if isinstance(part, np.generic) else part
        name = self.names[i]
        if name not in self.edges or value is None or isinstance(value, str):
            return value
        edges, labels = self.edges[name]
        return labels[int(np.searchsorted(edges, float(value), side="right"))]

    def record(self, state: Any) -> list[Any]:
        """A record as the learner takes it: texts for categories, numbers, None for what is
        missing."""
        made = []
        for i, part in enumerate(self.parts(state)):
            value = self._binned(i, part)
            category = isinstance(self.features[i], tuple)
            made.append(str(value) if category and value is not None else value)
        return made

    def number(self, key: tuple[Any, ...]) -> int | None:
        """The number of a state in the table, if it is there."""
        return self._number.get(key)

    def key(self, state: Any) -> tuple[Any, ...]:
        """A state of a table as the log would have it, also one that it has not."""
        made = []
        for i, part in enumerate(self.parts(state)):
            value = self._binned(i, part)
            place = self._find_level[i](value) if value is not None else None
            made.append(self._levels[i][place] if place is not None else value)
        return tuple(made)

    def state(self, state: Any) -> int:
        """The number of a state of the table."""
        key = self.key(state)
        number = self._number.get(key)
        if number is not None:
            return number
        for i, part in enumerate(key):
            if part not in self._levels[i]:
                texts = tuple(str(one) for one in self._levels[i])
                raise error("ARGUMENT", f'"{self.names[i]}" is {_shown(part)}, which the log does '
                                        f"not have: {_core.suggest(str(part), texts)}")
        raise error("ARGUMENT", f"the log has no state {_shown(key)}; log.keyed(..) takes states "
                                "that come up later")

    # ---- actions ----

    def action(self, action: Any) -> int:
        place = self._find_action(action)
        if place is None:
            raise error("ARGUMENT", f"{_shown(action)} is no action of the log: "
                                    + _core.suggest(str(action), tuple(map(str, self.actions))))
        return place

    def mask(self, allowed: Any, state: int | None) -> NDArray[np.bool_] | None:
        """Which actions are allowed: a list of labels or of bools. None is what the log allowed in
        the state, where it says so."""
        if allowed is None:
            known = self.offered is not None and state is not None
            return self.offered[state] if known and self.offered is not None else None
        items = list(allowed)
        if len(items) == len(self.actions) and all(isinstance(one, (bool, np.bool_))
                                                   for one in items):
            return np.array(items, np.bool_)
        made = np.zeros(len(self.actions), np.bool_)
        for one in items:
            made[self.action(one)] = True
        return made


def _offered(coded: Coded) -> NDArray[np.bool_] | None:
    """(S, A) which actions the log has ever allowed in a state."""
    if coded.allowed is None or coded.state is None:
        return None
    made = np.zeros((coded.S, coded.A), np.bool_)
    for a in range(coded.A):
        made[coded.state[coded.allowed[:, a]], a] = True
    made[~made.any(1)] = True  # states that were reached only
    return made
