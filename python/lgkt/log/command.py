# SPDX-License-Identifier: MIT
"""The command of logs: `python3 -m lgkt log check | evaluate | simulate | report`.

Each question is asked as `lgkt.Log` answers it; the words that name columns are the same for all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lgkt._errors import Error, InputError, UnsupportedError, error
from lgkt._text import write_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lgkt.log.log import Log

COLUMNS = """\
A log has a row for each decision. Its columns are named by options; a log with the columns of a
decision log (unit, state, action, reward, ..) needs none of them."""
END = """\
Exit codes: 0 answered, also if the answer is that the log cannot tell; 1 failed; 2 bad usage or
input; 130 interrupted."""
EXAMPLES = {
    "check": """\
examples:
  python3 -m lgkt log check decisions.csv
  python3 -m lgkt log check log.csv --unit id --time t --state mood,hour --action act --reward r
""",
    "evaluate": """\
examples:
  python3 -m lgkt log evaluate decisions.csv                     what today's policy earns
  python3 -m lgkt log evaluate decisions.csv --policy policy.csv
  python3 -m lgkt log evaluate decisions.csv --learner auto --json

The policy is a table (CSV with the columns of the state, action, probability; an action that a
state lacks has probability 0), a learner that learns from half of the units and is judged on the
others, or a column of the log with the policy's probability of the action that was played.
""",
    "simulate": """\
examples:
  python3 -m lgkt log simulate decisions.csv --learner auto --learner lg1t
  python3 -m lgkt log simulate decisions.csv --learner auto --horizon 5000 --json
""",
    "report": """\
examples:
  python3 -m lgkt log report decisions.csv --out page.html
  python3 -m lgkt log report log.csv --unit id --time t --state mood,hour --action act --reward r \\
      --probability p --out page.html
""",
}
WHAT = {
    "check": "Is the log sound? What is wrong with it, and what to do.",
    "evaluate": "What would another policy have earned? Better, worse, or: the log cannot tell.",
    "simulate": "What would learners have earned, on the worlds that the log leaves possible?",
    "report": "One page: is the log sound, what does today's policy earn, would a learner earn "
              "more, which one, and what to log from now on.",
}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _bins(text: str) -> tuple[str, int | list[float]]:
    name, sign, values = text.rpartition("=")
    try:
        parts = [float(one) for one in values.split(",")]
    except ValueError:
        parts = []
    if not sign or not name or not parts:
        raise argparse.ArgumentTypeError(f'"{text}" is neither NAME=PARTS nor NAME=EDGE,EDGE,..')
    return name, int(parts[0]) if len(parts) == 1 and parts[0].is_integer() else parts


def _count(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number from 1 on')
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m lgkt log", description="Questions about a log of decisions.", epilog=END)
    commands = parser.add_subparsers(dest="command", required=True, metavar="|".join(WHAT))
    made = {}
    for name, what in WHAT.items():
        made[name] = one = commands.add_parser(
            name, help=what, description=f"{what}\n\n{COLUMNS}", epilog=EXAMPLES[name] + "\n" + END,
            formatter_class=argparse.RawDescriptionHelpFormatter)
        one.add_argument("file", metavar="FILE", help="CSV, JSON lines or Parquet")
        columns = one.add_argument_group("columns")
        for option, text in (
                ("--unit", "of whom or what the row is"),
                ("--time", "when: seconds, or ISO 8601; equal times keep the order of the file"),
                ("--state", "what was known before the decision: NAME or NAME,NAME,.."),
                ("--action", "what was done"),
                ("--reward", "what it earned; empty: not known"),
                ("--probability", "with which the action was chosen"),
                ("--episode", "which of the unit's trajectories"),
                ("--allowed", "the actions that were allowed: a JSON list, or parted by |"),
                ("--next-state", "the state after the decision: NAME or NAME,NAME,.."),
                ("--cut", "whether a clock ended the trajectory there")):
            columns.add_argument(option, metavar="NAME",
                                 type=_names if option.endswith("state") else str, help=text)
        columns.add_argument("--as", dest="as_", choices=("table", "record"),
                             help="what a state is (default: found by its columns)")
        columns.add_argument("--bins", metavar="NAME=N", type=_bins, action="append", default=[],
                             help="N parts of a number's range, or NAME=EDGE,EDGE,..")
        if name == "report":
            one.add_argument("--out", metavar="FILE", required=True, help="the page, HTML")
        else:
            one.add_argument("--json", action="store_true", help="for machines")
    judged = made["evaluate"].add_mutually_exclusive_group()
    judged.add_argument("--policy", metavar="FILE", help="CSV: state columns, action, probability")
    judged.add_argument("--learner", metavar="SPEC",
                        help="it learns from half of the units and is judged on the others")
    judged.add_argument("--policy-probability", metavar="NAME", help="a column of the log")
    for name in ("simulate", "report"):
        made[name].add_argument("--learner", metavar="SPEC", action="append", default=[],
                                help="may be repeated (default: auto, lg1t, lg2t, random)")
    made["simulate"].add_argument("--horizon", metavar="N", type=_count,
                                  help="decisions of each unit (default: as many as in the log)")
    made["simulate"].add_argument("--units", metavar="N", type=_count,
                                  help="units that share a learner (default: as in the log, at "
                                       "most so many that 20000 decisions are made)")
    return parser


def _log(given: argparse.Namespace) -> Log:
    from lgkt.log.log import Log

    words = {name: getattr(given, name) for name in (
        "unit", "time", "state", "action", "reward", "probability", "episode", "allowed",
        "next_state", "cut", "as_")}
    return Log.read(given.file, bins=dict(given.bins) or None,
                    **{name: value for name, value in words.items() if value is not None})


def _column(file: str, name: str) -> NDArray[np.float64]:
    """One more column of numbers, in the order of the file."""
    import numpy as np

    from lgkt._core import suggest
    from lgkt.log.coders import Numbers
    from lgkt.log.reading import opened

    found = opened(file)
    if name not in found.names:
        hint = suggest(name, tuple(found.names))
        raise error("ARGUMENT", f'{file} has no column "{name}" (--policy-probability): {hint}')
    column = Numbers(name, "policy_probability")
    for block in found.blocks([name], []):
        column.add(block.column(0))
    return np.concatenate(column.parts)


def _check(given: argparse.Namespace) -> Any:
    return _log(given).check()


def _evaluate(given: argparse.Namespace) -> Any:
    log = _log(given)
    if given.policy_probability:
        return log.evaluate(probabilities=_column(given.file, given.policy_probability))
    if given.learner:
        from lgkt.log.halves import judged_on_the_others

        return judged_on_the_others(log, given.learner)
    return log.evaluate(given.policy or "logged")


def _simulate(given: argparse.Namespace) -> Any:
    from lgkt.log.halves import LEARNERS, as_long

    log = _log(given)
    horizon, units = as_long(log)
    return log.simulate(given.learner or list(LEARNERS), given.horizon or horizon,
                        given.units or units)


def _report(given: argparse.Namespace) -> Any:
    from lgkt.log.page import page

    write_bytes(Path(given.out), page(_log(given), learners=given.learner).encode())
    return given.out


ASKED: dict[str, Callable[[argparse.Namespace], Any]] = {
    "check": _check, "evaluate": _evaluate, "simulate": _simulate, "report": _report}


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    try:
        answer = ASKED[given.command](given)
        print(json.dumps(answer.to_dict(), ensure_ascii=False, allow_nan=False, indent=2)
              if getattr(given, "json", False) else answer)
    except ModuleNotFoundError as why:
        print(f"lgkt log: {why}", file=sys.stderr)
        return 1
    except OSError as why:
        # a name that does not lead to a file, or not to one that may be read or written
        print(f"lgkt log: {why.filename or given.file}: {why.strerror or why}", file=sys.stderr)
        return 2
    except MemoryError:
        print("lgkt log: out of memory", file=sys.stderr)
        return 1
    except (Error, TypeError) as why:
        print(f"lgkt log: {why}", file=sys.stderr)
        return 2 if isinstance(why, (InputError, UnsupportedError, TypeError)) else 1
    return 0
