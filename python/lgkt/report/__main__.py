# SPDX-License-Identifier: MIT
"""The command line of reports: `python3 -m lgkt.report DIR ...`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lgkt._errors import Error, InputError
from lgkt._text import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLES = """\
examples:
  python3 -m lgkt.report results                       writes report.html
  python3 -m lgkt.report results/mine --out mine.html  one experiment
  python3 -m lgkt.report results --figure figure-5 --figures out
                                                       writes out/figure-5.svg and .png
  python3 -m lgkt.report results --markdown docs/REPRODUCTION.md --figures docs/figures \\
      --tables docs/results                            writes what docs/ shows

Without --claims, results of the paper's experiments are judged by the paper's claims; others get
figures and tables. Exit codes: 0 done, 1 failed, 2 bad usage or input.
"""
PAPER = Path(__file__).parent / "paper.json"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m lgkt.report", description="A report on results of `lgkt reproduce` and "
        "`lgkt run --out`: figures, tables and verdicts.", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folders", nargs="+", metavar="DIR", help="a result folder, or one that holds such folders")
    add("--out", metavar="FILE", help="the page, HTML in one file (default: report.html if nothing "
                                      "else is asked for)")
    add("--markdown", metavar="FILE", help="the page as Markdown; it links to figures and tables")
    add("--figures", metavar="DIR", help="write all figures there, as SVG and PNG")
    add("--figure", metavar="NAME", action="append", default=[],
        help="write only this figure, into --figures or here; may be given several times")
    add("--tables", metavar="DIR", help="write a table for each experiment, its CSV files, and all "
                                        "comparisons there")
    add("--claims", metavar="FILE", help="a report definition: what is told and what is judged")
    return parser


def make(arguments: argparse.Namespace) -> list[tuple[Path, bytes | Figure]]:
    """All files that are asked for with their content; none is written before all are made."""
    from lgkt.report import figures, page
    from lgkt.report.definition import read_definition, read_theory
    from lgkt.report.results import read

    results = read(*arguments.folders)
    path = arguments.claims
    # a user's own experiment is in no collection
    if path is None and PAPER.exists() and any(e.collection for e in results.values()):
        path = PAPER
    definition = read_definition(path) if path else None
    report = page.Report(results, definition, read_theory(arguments.folders))
    folder = Path(arguments.figures or ".")
    if arguments.out is None and not (arguments.markdown or arguments.figures or arguments.figure
                                      or arguments.tables):
        arguments.out = "report.html"
    made: list[tuple[Path, bytes | Figure]] = []
    wanted = arguments.figure or (figures.names(results, report.drawn) if arguments.figures else [])
    for name in wanted:
        drawn = figures.figure(name, results, report.drawn)
        made += [(folder / f"{name}.svg", drawn), (folder / f"{name}.png", drawn)]
    if arguments.tables:
        made += [(Path(arguments.tables, name), data) for name, data in page.tables(report)]
    if arguments.markdown:
        beside = os.path.dirname(os.path.abspath(arguments.markdown))
        text = page.markdown(report, *(os.path.relpath(there, beside) if there else default
                                       for there, default in ((arguments.figures, "figures"),
                                                              (arguments.tables, "results"))))
        made.append((Path(arguments.markdown), text.encode()))
    if arguments.out:
        made.append((Path(arguments.out), page.html(report).encode()))
    for name in results.unfinished:
        print(f"lgkt.report: {name} is left out: its run has not ended", file=sys.stderr)
    return made


def main(given: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(given)
    try:
        made = make(arguments)
        from lgkt.report.figures import save

        for path, data in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, bytes):
                write_bytes(path, data)
            else:
                save(data, path)
            print(path)
    except ModuleNotFoundError as why:
        if why.name and why.name.partition(".")[0] == "lgkt":
            raise
        print(f"lgkt.report: {why.name} is missing: pip install lgkt[report]", file=sys.stderr)
        return 1
    except OSError as why:
        print(f"lgkt.report: {why.filename or ''}: {why.strerror or why}", file=sys.stderr)
        return 1
    except Error as why:
        print(f"lgkt.report: {why}", file=sys.stderr)
        return 2 if isinstance(why, InputError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
