# SPDX-License-Identifier: MIT
"""Own learners by import path: what a spec such as ``"python:mine.learners:Careful:alpha=0.1"``
names. The module is imported when such a learner is made, and at no other time."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from lgkt._errors import error
from lgkt._text import shown

PREFIX = "python:"
_FORM = "python:MODULE:NAME or python:MODULE:NAME:key=value,..."


def own(spec: object) -> bool:
    """Whether a spec names a learner that is written in Python."""
    return isinstance(spec, str) and spec.startswith(PREFIX)


def _value(text: str) -> Any:
    if text.startswith("(") and text.endswith(")"):
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _pieces(text: str) -> Iterable[str]:
    """What stands between commas that are not within parentheses."""
    depth, begin = 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            yield text[begin:i]
            begin = i + 1
    yield text[begin:]


def parse(spec: str) -> tuple[str, str, dict[str, Any]]:
    """Module, name and arguments.

    >>> parse("python:mine.learners:Careful:alpha=0.1,mode=fast,of=(a,b),deep=true")
    ('mine.learners', 'Careful', {'alpha': 0.1, 'mode': 'fast', 'of': 'a,b', 'deep': True})
    """
    module, _, rest = spec.removeprefix(PREFIX).partition(":")
    name, _, said = rest.partition(":")
    arguments: dict[str, Any] = {}
    for piece in _pieces(said) if said else ():
        key, equals, value = piece.partition("=")
        if not equals or not key.isidentifier():
            raise error("SPEC", f'{shown(spec, 100)}: "{shown(piece)}" is no key=value')
        if key in arguments:
            raise error("SPEC", f"{shown(spec, 100)}: {key} is there twice")
        arguments[key] = _value(value)
    if not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        raise error("SPEC", f"{shown(spec, 100)}: a learner of Python is {_FORM}")
    return module, name, arguments


def factory(spec: str) -> Callable[[Any], Any]:
    """What is called with a `Problem` and makes the learner."""
    module, name, arguments = parse(spec)
    try:
        thing: Any = importlib.import_module(module)
    except ModuleNotFoundError as why:
        if why.name is None or not f"{module}.".startswith(f"{why.name}."):
            raise
        raise error("UNKNOWN_NAME", f"{shown(spec, 100)}: there is no module {why.name} where "
                                    f"Python looks (PYTHONPATH, or the folder it is called in)"
                    ) from None
    for part in name.split("."):
        if not hasattr(thing, part):
            from lgkt import _core

            known = tuple(key for key in vars(thing) if not key.startswith("_"))
            raise error("UNKNOWN_NAME", f"{shown(spec, 100)}: {module} has no {part}; "
                                        f"{_core.suggest(part, known)}")
        thing = getattr(thing, part)
    if not callable(thing):
        raise error("SPEC", f"{shown(spec, 100)}: {name} is no class or function, but a "
                            f"{type(thing).__name__}")
    made = functools.partial(thing, **arguments)
    functools.update_wrapper(made, thing, updated=())
    return made


def player(spec: str, states: int, actions: int, horizon: int, reward_min: float | None,
           reward_max: float | None, reward_sd: float | None, model: Any, seed: int, instance: int,
           masked: bool) -> tuple[Any, Any, Any, bool]:
    """A learner for the runner: itself, its act and observe, and whether act has masks as second
    argument."""
    from lgkt.env import Problem
    from lgkt.run import _player, _takes_masks

    problem = Problem(states, actions, horizon, reward_min, reward_max, reward_sd, model, seed,
                      instance, masked)
    made: Any = _player(factory(spec), problem, None)
    if masked and _takes_masks(made):
        return made, lambda state, mask: made.act(state, allowed=mask), made.observe, True
    return made, made.act, made.observe, False


def fingerprint(spec: str) -> str:
    """A hash of the file of the module that a spec names; empty where it has none."""
    module = parse(spec)[0]
    factory(spec)
    thing = importlib.import_module(module)
    try:
        file = inspect.getsourcefile(thing)
        data = b"" if file is None else open(file, "rb").read()
    except (OSError, TypeError):
        return ""
    return hashlib.sha256(data).hexdigest() if data else ""
