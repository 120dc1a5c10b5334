# SPDX-License-Identifier: MIT
"""What learners and environments there are, and their parameters: the library's own tables."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeVar, overload

from lgkt import _core, _html
from lgkt._errors import error

if TYPE_CHECKING:
    from lgkt._core import _Param

_NO_BOUND = 1e15  # what is at least this large is no bound to speak of

@dataclass(frozen=True)
class Param:
    """One parameter of a learner or an environment.

    `type` is ``"integer"``, ``"real"``, ``"choice"`` or ``"text"``. `default` is what a user would
    type; where it begins with ``@`` it is computed, as the words behind it say. `min` and `max` are
    the range of a number, None for the other types; `choices` are what a choice may be.

    >>> import lgkt
    >>> states = lgkt.envs()["synthetic"]["states"]
    >>> states.type, states.default, states.min, states.range
    ('integer', '10', 1.0, '1 .. 16777216')
    """

    name: str
    type: str
    default: str
    min: float | None
    max: float | None
    choices: tuple[str, ...]
    help: str

    @property
    def default_text(self) -> str:
        """The default, a computed one in parentheses."""
        return f"({self.default[1:]})" if self.default.startswith("@") else self.default or "-"

    @property
    def range(self) -> str:
        """What may be typed, in words."""
        if self.min is None or self.max is None:
            return ", ".join(self.choices) or "any"
        low, high = self.min > -_NO_BOUND, self.max < _NO_BOUND
        if low and high:
            return f"{self.min:.15g} .. {self.max:.15g}"
        return f">= {self.min:.15g}" if low else f"<= {self.max:.15g}" if high else "any"


_Named = TypeVar("_Named", "Entry", Param)


def _find(items: Sequence[_Named], name: str, kind: str) -> _Named:
    for item in items:
        if item.name == name:
            return item
    hint = _core.suggest(name, tuple(item.name for item in items))
    raise error("UNKNOWN_NAME", f'unknown {kind} "{name[:60]}"; {hint}')


@dataclass(frozen=True, repr=False)
class Entry:
    """One named learner or environment. Printing it shows its parameters as a table."""

    name: str
    summary: str
    source: str
    memory: str
    params: tuple[Param, ...]
    data: str | None = None
    """What an environment is made from besides its settings: ``"model"``, ``"series"`` or None."""
    inner: str | None = None
    """The parameter with the spec of the environment that this one wraps; None: it wraps none."""
    inner_after: str | None = None
    """The same of a second one."""
    traits: tuple[str, ...] = ()
    """What a learner can do with its defaults; `lgkt.traits` says what the words mean."""

    def __getitem__(self, name: str) -> Param:
        return _find(self.params, name, f"parameter of {self.name}")

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [(param.name, param.default_text, param.range, param.help) for param in self.params]

    def __repr__(self) -> str:
        head = [f"{self.name}: {self.summary}", f"  source: {self.source}; memory: {self.memory}"]
        return "\n".join(head + _table(("parameter", "default", "range", "meaning"), self._cells()))

    def _repr_html_(self) -> str:
        head = (f"<p><b>{html.escape(self.name)}</b>: {html.escape(self.summary)}<br>"
                f"source: {html.escape(self.source)}; memory: {html.escape(self.memory)}</p>")
        titles = ("parameter", "default", "range", "meaning")
        return head + (_html.table(titles, self._cells()) if self.params else "")


class Registry(Sequence[Entry]):
    """Entries in display order, found by number or by name."""

    def __init__(self, kind: str, entries: Sequence[Entry]) -> None:
        self._kind = kind
        self._entries = tuple(entries)

    @overload
    def __getitem__(self, key: int | str) -> Entry: ...
    @overload
    def __getitem__(self, key: slice) -> Registry: ...
    def __getitem__(self, key: int | str | slice) -> Entry | Registry:
        if isinstance(key, str):
            return _find(self._entries, key, self._kind)
        if isinstance(key, slice):
            return Registry(self._kind, self._entries[key])
        return self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __contains__(self, value: object) -> bool:
        return value in self.names if isinstance(value, str) else value in self._entries

    @property
    def names(self) -> list[str]:
        """All names."""
        return [entry.name for entry in self._entries]

    def __repr__(self) -> str:
        width = max(map(len, self.names), default=0)
        return "\n".join(f"{entry.name:{width}}  {entry.summary}" for entry in self._entries)

    def _repr_html_(self) -> str:
        return _html.table(("name", "what"), [(e.name, e.summary) for e in self._entries])


def learners() -> Registry:
    """All learners.

    >>> import lgkt
    >>> lgkt.learners()["lg2t"]["p"].default
    '1/2'
    """
    return _read("learner")


def traits(spec: str) -> tuple[str, ...]:
    """What the learner of a spec can do, with its settings and the learners that it holds.

    ``"law"``: `explain` always knows the probabilities of the next act (else they are NaN at
    times); ``"fed"``: it learns from steps that another one chose; ``"shared"``: units can share
    it; ``"masked"``: it can leave out actions; ``"grown"``: its states may be keys; ``"states"``:
    they may be numbered; ``"records"``: they may be records. On these ``"auto"`` is ``"forest"``.

    >>> import lgkt
    >>> lgkt.traits("window:of=psrl")
    ('fed', 'shared', 'masked', 'grown', 'states')
    >>> lgkt.learners()["q-learning"].traits
    ('law', 'shared', 'masked', 'grown', 'states')
    """
    return _core.traits(spec)


def envs() -> Registry:
    """All environments.

    >>> import lgkt
    >>> lgkt.envs()["riverswm"]
    Traceback (most recent call last):
    lgkt._errors.InputError: unknown environment "riverswm"; did you mean "riverswim"?
    """
    return _read("env")


@cache
def _read(kind: str) -> Registry:
    return Registry("environment" if kind == "env" else kind, [
        Entry(name, summary, source, memory, tuple(map(_param, params)), data, inner, after, traits)
        for name, summary, source, memory, params, data, inner, after, traits
        in _core.entries(kind)])


def _param(row: _Param) -> Param:
    name, kind, default, low, high, choices, text = row
    number = kind in ("integer", "real")
    return Param(name, kind, default or "", low if number else None, high if number else None,
                 tuple(choices.split("|")) if choices else (), text)


def _table(titles: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table; the last column is wrapped."""
    if not cells:
        return []
    widths = [max(len(row[i]) for row in [titles, *cells]) for i in range(len(titles) - 1)]
    lines = []
    for row in [titles, *cells]:
        start = "  " + "".join(f"{cell:{width}}  " for cell, width in zip(row, widths))
        lines += textwrap.wrap(row[-1], width=max(100, len(start) + 40), initial_indent=start,
                               subsequent_indent=" " * len(start)) or [start.rstrip()]
    return lines
