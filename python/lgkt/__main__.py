# SPDX-License-Identifier: MIT
"""The package as a command: `python3 -m lgkt log ...`, `python3 -m lgkt report ...`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

USAGE = """\
usage: python3 -m lgkt COMMAND ...

  log      check a log of decisions, and ask what others would have earned
  report   a page of results of experiments

`python3 -m lgkt COMMAND --help` says more.
"""
COMMANDS = ("log", "report")


def _main_of(command: str) -> Callable[[Sequence[str]], int]:
    if command == "log":
        from lgkt.log.command import main
    else:
        from lgkt.report.__main__ import main
    return main


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        print(USAGE, end="", file=sys.stdout if given else sys.stderr)
        return 0 if given else 2
    command, *rest = given
    if command not in COMMANDS:
        from lgkt import _core

        print(f'lgkt: no command "{command}"; {_core.suggest(command, COMMANDS)}', file=sys.stderr)
        return 2
    try:
        return _main_of(command)(rest)
    except KeyboardInterrupt:
        print("lgkt: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
