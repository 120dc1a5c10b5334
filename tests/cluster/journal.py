# SPDX-License-Identifier: MIT
"""Journals, read without a line of the code that writes them (src/experiments/runner/journal.c)."""

import pathlib
import struct

# a record is its size, a check, the bytes and another check
HEAD, TAIL = 16, 8
ORIGIN = 2**64 - 1


def records_of(path):
    """The bytes of each whole record; the last one may have been cut off by a kill."""
    whole = pathlib.Path(path).read_bytes()
    at = 0
    while at + HEAD <= len(whole):
        size, = struct.unpack_from("<Q", whole, at)
        if at + HEAD + size + TAIL > len(whole):
            break
        yield whole[at + HEAD:at + HEAD + size]
        at += HEAD + size + TAIL


def units_of(path):
    """The units that a journal holds, in their order, each as its panel and instance."""
    records = list(records_of(path))[1:]
    units = [struct.unpack_from("<QQ", record) for record in records]
    return [unit for unit in units if unit[0] != ORIGIN]
