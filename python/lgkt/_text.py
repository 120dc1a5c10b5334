# SPDX-License-Identifier: MIT
"""Whole files in, whole files out; what the system says about a file is a plain `OSError`."""

from __future__ import annotations

import os
import stat
import threading

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
