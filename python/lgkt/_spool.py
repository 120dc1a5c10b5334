# SPDX-License-Identifier: MIT
"""A file of things to tell a server later: JSON lines, each on the disk before it is relied upon.

What was told is dropped from the front; the file is written anew, whole, once half of its lines
were. Until then a line may be told again after a crash, which the keys in it make harmless.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections import deque
from typing import Any

from lgkt._errors import error
from lgkt._text import short, write_bytes

_KEEP = 64  # lines that were told, and that may stay in the file


class Spool:
    """`lines` are those that wait, the oldest first: decisions (kind "taken") and reports, which
    name their decision by its key until it has a number. `numbers` has what keys became."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self._guard = open(f"{self.path}.lock", "a")
        try:
            fcntl.flock(self._guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._guard.close()
            raise error("ARGUMENT", f"{short(self.path)}: another client has this spool; each "
                                    "needs one of its own") from None
        self.lines: deque[dict[str, Any]] = deque()
        self.numbers: dict[str, int] = {}
        self._told = 0
        if os.path.exists(self.path):
            self._read()
        self._file = open(self.path, "ab")
        _sync_folder(self.path)

    def _read(self) -> None:
        with open(self.path, "rb") as file:
            whole = file.read()
        *lines, rest = whole.split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                raise error("FORMAT", f"{short(self.path)}:{number}: no JSON; the file was changed "
                                      "by somebody else") from None
        if rest:  # the writer died in the middle of it, and nobody was told
            write_bytes(self.path, whole[:len(whole) - len(rest)])

    def find(self, key: str) -> dict[str, Any] | None:
        """The decision that waits under a key."""
        return next((line for line in self.lines
                     if line["kind"] == "taken" and line["key"] == key), None)

    def add(self, line: dict[str, Any]) -> None:
        """One more line, on the disk when this returns."""
        self._file.write(json.dumps(line, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.lines.append(line)

    def known(self, key: str, number: int) -> None:
        """A key became a decision of the server: what is reported of it goes there."""
        self.numbers[key] = number
        for line in self.lines:
            if line["kind"] == "report" and line.get("key") == key:
                del line["key"]
                line["decision"] = number

    def drop_first(self) -> None:
        """The first line was told."""
        self.lines.popleft()
        self._told += 1
        if not self.lines or self._told > max(_KEEP, len(self.lines)):
            self._file.close()
            write_bytes(self.path, b"".join(json.dumps(line).encode() + b"\n"
                                            for line in self.lines))
            self._file = open(self.path, "ab")
            self._told = 0

    def refuse(self, line: dict[str, Any], why: str) -> None:
        """Keeps a line that the server will never take."""
        with open(f"{self.path}.refused", "ab") as file:
            file.write(json.dumps({**line, "why": why}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """What is in the file stays there."""
        self._file.close()
        self._guard.close()


def _sync_folder(path: str) -> None:
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
