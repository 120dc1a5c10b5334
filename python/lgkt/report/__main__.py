# SPDX-License-Identifier: MIT
"""The command line of reports: `python3 -m lgkt.report DIR ...`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from errno import EACCES, EEXIST, EISDIR, ENOENT, ENOTDIR, EROFS
from pathlib import Path
from typing import TYPE_CHECKING

from lgkt._errors import Error, InputError
from lgkt._extras import needed
from lgkt._text import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER = Path(__file__).parent / "paper.json"
EXAMPLES = """\
examples:
  python3 -m lgkt.report results                       writes report.html
  python3 -m lgkt.report results/mine --out mine.html  one experiment
  python3 -m lgkt.report results --figure figure-5 --figures out
                                                       writes out/figure-5.svg and .png
  python3 -m lgkt.report results --docs docs           writes what docs/ shows

Without --claims, results of the paper's experiments are judged by the paper's claims; others get
figures and tables. Exit codes: 0 done, 1 failed, 2 bad usage or input.
"""
OPTIONS = {
    "--out": ("FILE", "the page, HTML in one file (default: report.html if nothing is asked for)"),
    "--markdown": ("FILE", "the page as Markdown; it links to figures and tables"),
    "--figures": ("DIR", "write all figures there, as SVG and PNG"),
    "--tables": ("DIR", "write tables of the experiments, CSV files and all comparisons there"),
    "--docs": ("DIR", "write DIR/REPRODUCTION.md, its tables in DIR/results and in DIR/figures the "
               "figures that it shows, as SVG"),
    "--claims": ("FILE", "a report definition: what is told and what is judged"),
}


def make(given: argparse.Namespace) -> list[tuple[Path, bytes | Figure]]:
    """All files that are asked for with their content; none is written before all are made."""
    with needed("lgkt.report", "report"):
        from lgkt.report import figures, page
    from lgkt.report.definition import read_definition, read_theory
    from lgkt.report.results import read

    results = read(*given.folders)
    for name in results.unfinished:
        print(f"lgkt.report: {name} is left out: its run has not ended", file=sys.stderr)
    # a user's own experiment is in no collection
    ours = any(e.collection for e in results.values())
    path = given.claims or (PAPER if ours else None)
    report = page.Report(results, read_definition(path) if path else None,
                         read_theory(given.folders))
    wanted, kinds = given.figure, ["svg", "png"]
    if given.docs:
        given.markdown, given.tables, given.figures = (
            os.path.join(given.docs, name) for name in ("REPRODUCTION.md", "results", "figures"))
        wanted, kinds = [name for part in report.shown for name in part.figures], ["svg"]
    elif given.figures and not wanted:
        wanted = figures.names(results, report.drawn)
    made: list[tuple[Path, bytes | Figure]] = []
    for name in wanted:
        drawn = figures.figure(name, results, report.drawn)
        made += [(Path(given.figures or ".", f"{name}.{kind}"), drawn) for kind in kinds]
    if given.figures and not given.figure:
        made += [(Path(given.figures, f"{line.name}.svg"), line.picture.encode())
                 for line in report.answers if line.picture]
    if given.tables:
        made += [(Path(given.tables, name), data) for name, data in page.tables(report)]
    if given.markdown:
        beside = os.path.dirname(os.path.abspath(given.markdown))
        links = [os.path.relpath(there, beside) if there else usual for there, usual in
                 ((given.figures, "figures"), (given.tables, "results"))]
        made.append((Path(given.markdown), page.markdown(report, *links).encode()))
    if given.out or not made:
        made.append((Path(given.out or "report.html"), page.html(report).encode()))
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m lgkt.report", description="A report on results of `lgkt reproduce` and "
        "`lgkt run --out`: figures, tables and verdicts.", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="DIR",
                        help="a result folder, or one that holds such folders")
    for option, (metavar, text) in OPTIONS.items():
        parser.add_argument(option, metavar=metavar, help=text)
    parser.add_argument("--figure", metavar="NAME", action="append", default=[],
                        help="write only this figure, into --figures or here; may be repeated")
    try:
        for path, data in make(parser.parse_args(arguments)):
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, bytes):
                write_bytes(path, data)
            else:
                from lgkt.report.figures import save

                save(data, path)
            print(path)
    except ModuleNotFoundError as why:
        print(why, file=sys.stderr)
        return 1
    except OSError as why:
        print(f"lgkt.report: {why.filename or ''}: {why.strerror or why}", file=sys.stderr)
        return 2 if why.errno in (ENOENT, ENOTDIR, EISDIR, EACCES, EROFS, EEXIST) else 1
    except Error as why:
        print(f"lgkt.report: {why}", file=sys.stderr)
        return 2 if isinstance(why, InputError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
