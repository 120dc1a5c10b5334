# SPDX-License-Identifier: MIT
"""`python3 -m lgkt reproduce FILE` for files with learners of Python, which the command refuses."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lgkt import _own, experiment
from lgkt._errors import Error, InputError
from lgkt.reproduce import reproduce


def wanted(arguments: Sequence[str]) -> bool:
    """Whether one of the words is a file that has a learner of Python."""
    for word in arguments:
        if word.endswith(".json") and not word.startswith("-"):
            try:
                panels = experiment.read(word).panels
            except (Error, OSError):
                continue  # the command says what is wrong
            if any(_own.own(entry.spec) for panel in panels for entry in panel.entries):
                return True
    return False


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m lgkt reproduce")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-o", "--out", default="results", metavar="DIR")
    for name in ("replicates", "seed", "jobs"):
        parser.add_argument(f"--{name}", type=int)
    for name in ("shard", "prices"):
        parser.add_argument(f"--{name}")
    for name in ("quick", "keep-runs", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    given = vars(parser.parse_args(arguments))
    files, out, quiet = (given.pop(name) for name in ("files", "out", "quiet"))
    try:
        for file in files:
            print(reproduce(file, out, progress=False if quiet else None, **given))
    except (Error, OSError) as why:
        print(f"lgkt: reproduce: {why}", file=sys.stderr)
        return 2 if isinstance(why, InputError) else 1
    return 0
