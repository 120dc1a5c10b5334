# SPDX-License-Identifier: MIT
"""The command of the package: `lgkt run ...` where it is installed, `python3 -m lgkt run ...`
everywhere.

`log` and `report` are made here. All else is asked of the compiled command, which takes the place
of this process: arguments, exit codes and signals are its own.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from lgkt import _core, experiment

COMMAND = Path(__file__).resolve().with_name("bin") / "lgkt"
OURS = {
    "log": "check a log of decisions, and ask what others would have earned",
    "report": "a page of results of experiments",
}
# what the package has in place of the others
COMPILED = {
    "demo": "", "run": "lgkt.run", "reproduce": "lgkt.reproduce", "merge": "", "slurm": "",
    "plan": "lgkt.plan", "trace": "lgkt.trace", "list": "lgkt.learners, lgkt.envs", "bench": "",
    "serve": "", "completion": "", "man": "",
}
MISSING = ("the compiled command, which is not in this package, since jansson was missing when it "
           "was built; install jansson (Debian: pkg-config libjansson-dev) and lgkt again")


def _usage() -> str:
    lines = [f"  {name:<11}{text}\n" for name, text in OURS.items()]
    return (f"usage: lgkt COMMAND ..., or python3 -m lgkt COMMAND ...\n\n{''.join(lines)}\n"
            f"`lgkt COMMAND --help` says more. {', '.join(COMPILED)} need {MISSING}.\n")


def _main_of(command: str) -> Callable[[Sequence[str]], int]:
    if command == "log":
        from lgkt.log.command import main
    else:
        from lgkt.report.__main__ import main
    return main


def _become(arguments: Sequence[str]) -> int:
    """Become the compiled command; returns only where that fails."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these
        signal.signal(number, signal.SIG_DFL)
    found = {"LGKT_EXPERIMENTS": os.fspath(experiment._folder())}
    try:
        os.execve(COMMAND, ["lgkt", *arguments], os.environ | found)
    except OSError as why:
        print(f"lgkt: {COMMAND}: {why.strerror}", file=sys.stderr)
    return 1


def _do_without(arguments: Sequence[str]) -> int:
    """What can be said without the compiled command."""
    command = arguments[0] if arguments else ""
    if command in ("version", "--version", "-V"):
        print(f"lgkt {_core.__version__}")
        return 0
    if not command or command in ("help", "--help", "-h"):
        print(_usage(), end="", file=sys.stdout if command else sys.stderr)
        return 0 if command else 2
    if command in COMPILED:
        other = f"; in Python there is {COMPILED[command]}" if COMPILED[command] else ""
        print(f"lgkt {command} needs {MISSING}{other}", file=sys.stderr)
        return 1
    hint = _core.suggest(command, (*COMPILED, *OURS))
    print(f'lgkt: no command "{command}"; {hint}', file=sys.stderr)
    return 2


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) > 1 and given[0] == "help" and given[1] in OURS:
        given = [given[1], "--help"]
    own = given[:1] == ["reproduce"] and any(word.endswith(".json") for word in given)
    if own:
        from lgkt import _reproduce_command

        own = _reproduce_command.wanted(given[1:])
    if not own and (not given or given[0] not in OURS):
        return _become(given) if COMMAND.exists() else _do_without(given)
    try:
        return (_reproduce_command.main if own else _main_of(given[0]))(given[1:])
    except ModuleNotFoundError as why:
        print(f"lgkt {given[0]}: {why}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lgkt: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
