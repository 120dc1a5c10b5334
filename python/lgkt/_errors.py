# SPDX-License-Identifier: MIT
"""The exceptions of the package: what the library's status codes become.

Each is also the built-in exception that Python people expect, and carries the name of the status.
A lack of memory is a plain `MemoryError`.
"""

from __future__ import annotations


class Error(Exception):
    """What all exceptions of the package have in common.

    `status` is the name of the library's status code, e.g. ``"SPEC"`` or ``"HORIZON"``.

    >>> import lgkt
    >>> try:
    ...     lgkt.Learner("lg2t:treshold=0.9", states=5, actions=2, horizon=100)
    ... except lgkt.Error as why:
    ...     print(why.status, isinstance(why, ValueError))
    ...     print(why)
    SPEC True
    lg2t: unknown parameter "treshold"; did you mean "threshold"?
    """

    status: str = ""


class InputError(Error, ValueError):
    """A value, a spec, a name, a shape or a saved state that cannot be used."""


class UseError(Error, RuntimeError):
    """A call out of order or past the horizon, an object in use, an iteration that did not end."""


class UnsupportedError(Error, NotImplementedError):
    """Something that this learner, environment or model cannot do."""


_USE = {"PROTOCOL", "HORIZON", "NO_CONVERGENCE", "SYSTEM"}


def error(status: str, text: str) -> Error:
    """The exception for a status, not yet raised."""
    other = UnsupportedError if status == "UNSUPPORTED" else InputError
    kind = UseError if status in _USE else other
    made = kind(text)
    made.status = status
    return made
