# SPDX-License-Identifier: MIT
"""Which column of a log says what: names that the user gives, or those of the decision log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lgkt import _core
from lgkt._errors import error

# what a program that decides writes: its names are known, and need not be given
DECISION_LOG = ("seq", "time", "unit", "decision", "state", "allowed", "action", "probability",
                "probabilities", "source", "reward", "reward_time", "next_state", "cut")
PART = "state."
NEXT_PART = "next_state."


@dataclass(frozen=True)
class Columns:
    """The names of the columns in use; None where there is none of that kind."""

    state: tuple[str, ...]
    action: str
    reward: str
    unit: str | None = None
    time: str | None = None
    episode: str | None = None
    probability: str | None = None
    probabilities: str | None = None
    allowed: str | None = None
    next_state: tuple[str, ...] = ()
    cut: str | None = None
    source: str | None = None
    order: str | None = None  # among rows of one time
    packed: bool = False  # a state of several parts is a JSON object in one column

    @property
    def used(self) -> tuple[str, ...]:
        """All names, each once."""
        single = (self.unit, self.time, self.episode, self.action, self.reward, self.probability,
                  self.probabilities, self.allowed, self.cut, self.source, self.order)
        names = [*self.state, *self.next_state, *(one for one in single if one is not None)]
        return tuple(dict.fromkeys(names))

    @property
    def labels(self) -> tuple[str, ...]:
        """Those whose values are names of something rather than amounts."""
        some = (*self.state, *self.next_state, self.unit, self.action, self.episode, self.source,
                self.cut, self.allowed)
        return tuple(dict.fromkeys(one for one in some if one is not None))


def _tuple(given: str | Sequence[str] | None, what: str) -> tuple[str, ...]:
    if given is None:
        return ()
    names = (given,) if isinstance(given, str) else tuple(given)
    wrong = [one for one in names if not isinstance(one, str)]
    if wrong:
        raise TypeError(f"{what}= takes the name of a column or a list of names, not {wrong[0]!r}")
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise error("ARGUMENT", f'{what}= names the column "{twice}" twice')
    return names


def _find(name: str, what: str, present: Sequence[str], where: str) -> None:
    if name in present:
        return
    hint = _core.suggest(name, tuple(present))
    raise error("ARGUMENT", f'{where} has no column "{name}" ({what}=): {hint}')


def _of_decision_log(present: Sequence[str], where: str) -> Columns:
    parts = tuple(one for one in present if one.startswith(PART))
    nexts = tuple(NEXT_PART + one.removeprefix(PART) for one in parts)
    lacking = [one for one in ("unit", "action", "reward") if one not in present]
    if not parts and "state" not in present:
        lacking.append("state")
    if lacking:
        raise error("ARGUMENT", f'{where} has no column "{lacking[0]}": name its columns, as in '
                                'lgkt.Log.read(.., unit="id", time="t", state=["mood", "hour"], '
                                'action="act", reward="r"), as options --unit id --time t '
                                '--state mood,hour --action act --reward r')

    def there(name: str) -> str | None:
        return name if name in present else None

    if parts:
        following = nexts if nexts and all(one in present for one in nexts) else ()
    else:
        following = ("next_state",) if "next_state" in present else ()
    return Columns(
        state=parts or ("state",), action="action", reward="reward", unit="unit",
        time=there("time"), probability=there("probability"), allowed=there("allowed"),
        probabilities=there("probabilities"), next_state=following, cut=there("cut"),
        source=there("source"), order=there("seq"), packed=not parts)


def named(
    present: Sequence[str],
    where: str,
    given: Mapping[str, Any],
) -> Columns:
    """The columns that the user named, all of them in the log; without any, the decision log's."""
    twice = [one for one in dict.fromkeys(present) if list(present).count(one) > 1]
    asked = {key: value for key, value in given.items() if value is not None}
    if not asked:
        if twice and twice[0] in DECISION_LOG:
            raise error("FORMAT", f'{where} has two columns "{twice[0]}": rename one')
        return _of_decision_log(present, where)
    lists = {key: _tuple(asked.get(key), key) for key in ("state", "next_state")}
    for key in ("state", "action", "reward"):
        if not asked.get(key):
            raise error("ARGUMENT", f'{where}: which column holds the {key}? Say {key}='
                                    + ('["mood", "hour"]' if key == "state" else f'"{key}"'))
    for key, value in asked.items():
        if key not in lists and not isinstance(value, str):
            raise TypeError(f"{key}= takes the name of a column, not {value!r}")
        for name in lists.get(key, (value,)):
            _find(name, key, present, where)
            if name in twice:
                raise error("FORMAT", f'{where} has two columns "{name}": rename one')
    _not_shared({key: value for key, value in asked.items() if key not in lists}, lists)
    if lists["next_state"] and len(lists["next_state"]) != len(lists["state"]):
        raise error("SHAPE", f"next_state= names {len(lists['next_state'])} columns and state= "
                             f"{len(lists['state'])}: the same columns, one step later, are needed")
    single = {key: value for key, value in asked.items() if key not in lists}
    return Columns(state=lists["state"], next_state=lists["next_state"], **single)


def _not_shared(single: Mapping[str, str], lists: Mapping[str, Sequence[str]]) -> None:
    """What was played, earned or shown to be likely is known after the state only."""
    for key in ("action", "reward", "probability"):
        for other in ("state", "next_state"):
            if key in single and single[key] in lists[other]:
                raise error("ARGUMENT", f'the column "{single[key]}" is given as {other}= and as '
                                        f"{key}=")
    if single["action"] == single["reward"]:
        raise error("ARGUMENT", f'the column "{single["action"]}" is given as action= and as '
                                "reward=")
