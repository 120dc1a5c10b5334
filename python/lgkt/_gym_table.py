# SPDX-License-Identifier: MIT
"""The table P of Gymnasium's toy-text environments as the flat arrays of `_core.Model`.

The three meanings of an episode's end are defined in `Model.from_gym`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lgkt import _arrays
from lgkt._errors import error

_ENDS = ("restart", "restart-step", "absorb")


def arrays(source: Mapping[Any, Any] | Any, end: str,
           start: int | ArrayLike | None) -> dict[str, Any]:
    """The arguments of `_core.Model`."""
    if end not in _ENDS:
        raise error("ARGUMENT", f"end is {end!r}; it must be one of {', '.join(_ENDS)}")
    table = source
    if not isinstance(source, Mapping):
        inside = getattr(source, "unwrapped", source)
        table = getattr(inside, "P", None)
        if not isinstance(table, Mapping):
            raise TypeError("source must be a table {state: {action: [(probability, next, reward, "
                            "ended), ...]}}, or an environment that has one as P")
        if start is None:
            start = getattr(inside, "initial_state_distrib", None)
    states = len(table)
    actions = 1 + max((int(a) for row in table.values() for a in row), default=-1)
    if set(table) != set(range(states)) or actions < 1:
        raise error("SHAPE", "the states of the table must be 0, 1, ..., each with actions")
    rows = np.array([(s * actions + a, p, y, r, ended) for s, row in table.items()
                     for a, moves in row.items() for p, y, r, ended in moves], np.float64)
    pair, chance, following, reward, ended = rows.reshape(-1, 5).T
    pair, following, ended = pair.astype(np.int64), following.astype(np.int64), ended != 0
    for y in following[(following < 0) | (following >= states)]:
        raise error("ARGUMENT", f"next state {y}; allowed are 0 to {states - 1}")

    first = 0 if start is None else start
    if np.ndim(first) == 0:
        (begin,) = np.atleast_1d(_arrays.read([first], "start", "i4", 1))
        law = (np.arange(states) == begin).astype(np.float64)
    else:
        law = _arrays.read(first, "start", "f8", 1)
    entry = np.flatnonzero(law)

    def link(pairs: Any, chances: Any, rewards: Any) -> tuple[Any, ...]:
        """Moves of these pairs to the start."""
        return (np.repeat(pairs, len(entry)), np.outer(chances, law[entry]).ravel(),
                np.tile(entry, len(pairs)), np.repeat(rewards, len(entry)))

    if end == "restart":
        kept = ~ended
        extra = link(pair[ended], chance[ended], reward[ended])
    else:
        last = np.unique(following[ended])
        kept = ~np.isin(pair // actions, last)
        final = (last[:, None] * actions + np.arange(actions)).ravel()
        nothing = np.zeros(len(final))
        extra = (link(final, nothing + 1.0, nothing) if end == "restart-step"
                 else (final, nothing + 1.0, final // actions, nothing))
    pair, chance, following, reward = (
        np.concatenate(both) for both in zip((pair[kept], chance[kept], following[kept],
                                              reward[kept]), extra))

    # moves of a pair to one state become one, with their mean reward
    key, place = np.unique(pair * states + following, return_inverse=True)
    total = np.bincount(place, chance, len(key))
    earned = np.bincount(place, chance * reward, len(key))
    # equal rewards stay as they are, to the last bit
    same = np.zeros(len(key))
    same[place] = reward
    differ = np.bincount(place, reward != same[place], len(key)) > 0
    mean = np.where(differ & (total > 0), earned / np.where(total > 0, total, 1.0), same)
    known = np.zeros(states * actions, np.bool_)
    known[[s * actions + a for s, row in table.items() for a in row]] = True
    if end != "restart":
        known[final] = True
    moves = {"pair": key // states, "next": key % states}
    return {"states": states, "actions": actions, **moves, "probability": total,
            "rewards": np.zeros(states * actions), "start": first, "noise": None,
            "move_pair": moves["pair"], "move_next": moves["next"], "move_reward": mean,
            "forbidden": None if known.all() else ~known}
