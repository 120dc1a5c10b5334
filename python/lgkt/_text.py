# SPDX-License-Identifier: MIT
"""Whole files in, whole files out; what the system says about a file is a plain `OSError`. How
numbers look in tables."""

from __future__ import annotations

import math
import os
import stat
import threading
from collections.abc import Sequence

from lgkt._errors import error

_LIMIT = 2**30  # bytes

Path = str | os.PathLike[str]


def short(path: Path) -> str:
    """What messages show of a name."""
    return os.fspath(path)[-100:].encode("utf-8", "replace").decode()


def encoded(path: Path) -> bytes:
    """A name for the C library, as the system has it."""
    text = os.fspath(path)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def shown(text: str, limit: int = 40) -> str:
    """A piece of a file for a message: on one line, and UTF-8."""
    whole = text[:limit].encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() and c != "\ufffd" else "?" for c in whole)


def points(value: float) -> str:
    """A score, or a difference of scores, in a table: one decimal, never -0.0; "-" if unknown.

    >>> points(12.345), points(-0.01), points(float("nan"))
    ('12.3', '0.0', '-')
    """
    return "-" if math.isnan(value) else f"{round(value, 1) + 0.0:.1f}"


def decimals(values: Sequence[float], halves: Sequence[float] = ()) -> int:
    """How many decimals the numbers of a column have, all the same.

    The median half width of their intervals has two digits that count, and the smallest has one
    unless that takes more than two decimals more; without intervals the largest number has four
    digits. No number has more than seven, or 12 decimals.
    """
    def needed(size: float, digits: int) -> int:
        return digits - 1 - math.floor(math.log10(size))

    sizes = sorted(half for half in halves if math.isfinite(half) and half > 0.0)
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if sizes:
        median = needed(sizes[len(sizes) // 2], 2)
        wanted = max(median, min(needed(sizes[0], 1), median + 2))
    else:
        # 1 stands for what lies below it: shares of it have as many digits
        wanted = 4 - math.ceil(math.log10(largest)) if largest > 0.0 else 0
    most = needed(largest, 7) if largest > 0.0 else 12
    return max(0, min(wanted, most, 12))


def column(values: Sequence[float], halves: Sequence[float] = ()) -> list[tuple[str, str]]:
    """The numbers of a column of a table and half the widths of their intervals, with the same
    decimals; empty where there is none.

    >>> column([0.7623, 0.72, float("nan")], [0.0021, 0.0102, 0.0])
    [('0.762', '0.002'), ('0.720', '0.010'), ('', '')]
    """
    places = decimals(values, halves)
    empty = [math.nan] * len(values)

    def text(value: float) -> str:
        return f"{round(value, places) + 0.0:.{places}f}"

    return [("", "") if math.isnan(value) else
            (text(value), "" if math.isnan(half) else text(half))
            for value, half in zip(values, halves or empty)]


def read_bytes(path: Path, limit: int = _LIMIT) -> bytes:
    """All of a file or a pipe, without the mark that some editors put before UTF-8."""
    with open(os.fspath(path), "rb") as file:  # a number would be a file that is open already
        kind = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISFIFO(kind):
            raise error("FORMAT", f"{short(path)}: is neither a file nor a pipe")
        # piece by piece: room for as much as is asked for would be taken at once
        data = bytearray()
        while len(data) <= limit and (piece := file.read(2**20)):
            data += piece
    if len(data) > limit:
        raise error("SHAPE", f"{short(path)}: larger than {limit} bytes")
    return bytes(data).removeprefix(b"\xef\xbb\xbf")


def write_text(path: Path, text: str) -> None:
    """A file with this text, which appears when it is complete."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """A file that appears when it is complete; links stay links, devices are written directly."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            file.write(data)
        return
    temporary = f"{target}.{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
