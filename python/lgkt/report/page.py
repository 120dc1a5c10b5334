# SPDX-License-Identifier: MIT
"""The report as a page: HTML in one file that loads nothing, and Markdown.

Both have the same order: the answer, line by line of the paper, what makes the difference, the
verdicts, where each part of the paper is, sections with figures and claims, how to run it again.
Details are folded in HTML and not in Markdown, which has its tables in files of their own
(`tables`).
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from lgkt._digits import measured, points
from lgkt._errors import error
from lgkt.report import answers, arena, claims, figures, grid, heat, summary
from lgkt.report.definition import COLUMNS, ONLY, Definition, Theory
from lgkt.report.results import Experiment, Panel, Results

MOST = 1000  # rows of numbers of an experiment that a page has


@dataclass
class Section:
    """A part of a report."""

    id: str
    title: str
    text: str
    figures: dict[str, str]  # captions by name
    judgements: list[claims.Judgement]
    experiments: list[Experiment]
    early: bool = False


class Report:
    """Results with what a definition says about them; without one, figures and tables."""

    def __init__(self, results: Results, definition: Definition | None, theory: Theory) -> None:
        first = next(iter(results.values()))
        self.results = results
        # what says nothing is a definition, too
        definition = definition or Definition(
            {"title": first.title if len(results) == 1 else "Results"}, "")
        data = definition.data
        self.title: str = data["title"]
        self.drawn: Mapping[str, Any] = data.get("figures", {})
        self.map = data.get("map", [])
        self.rerun = data.get("rerun") or [_again(e) for e in results.values()]
        self.judgements = claims.judge(definition, results, theory)
        asked = {(check["file"], check["test"]) for j in self.judgements for check in j.tests}
        self.theory = [row for key, row in theory.items() if key in asked]
        self.values = claims.texts(self.judgements, definition, results)
        for j in self.judgements:
            if "remark" in j.claim:
                remark = definition.fill(j.claim["remark"], self.values, f"{j.claim['id']}.remark")
                j.claim = {**j.claim, "remark": remark}
        have = {name for j in self.judgements for name in j.columns}
        self.columns = {name: title for name, title in COLUMNS.items() if name in have}
        self.answers = answers.lines(definition, self.judgements, results)
        self.intro = definition.fill(data.get("intro", ""), self.values, "intro")
        self.notes = [definition.fill(note, self.values, f"notes[{i}]")
                      for i, note in enumerate(data.get("notes", []))]
        self.drivers = [{"title": driver["title"], "text": definition.fill(
            driver["text"], self.values, f"drivers[{i}].text")}
            for i, driver in enumerate(data.get("drivers", []))]
        self.grids = {e.name: found for e in results.values() if e.name not in self.drawn
                      and e.collection != "arena" and (found := grid.grids(e))}
        self.sections = self._sections(definition)

    def _sections(self, definition: Definition) -> list[Section]:
        can = figures.names(self.results, self.drawn)
        captions = {name: e.title for e in self.results.values() for name in figures.own(e)}
        captions |= {name: self.drawn[name].get("caption", name) for name in can
                     if name in self.drawn}
        made, placed = [], set()
        for i, part in enumerate(definition.data.get("sections", [])):
            inside = [e for e in self.results.values() if (
                e.name in part["experiments"] if "experiments" in part else
                e.section == part["id"])]
            placed |= {e.name for e in inside}
            shown: list[str] = []
            own = [name for e in inside for name in figures.own(e)]
            for name in part.get("figures", own):
                if name not in (*self.drawn, *own, *definition.data.get("experiments", [])):
                    raise definition.unknown(f"sections[{i}].figures", "figure", name, self.drawn)
                # of a figure that needs more than was read, the experiments that were
                views = self.drawn.get(name, {}).get("views", [])
                shown += [name] if name in can else [view.get("experiment") for view in views]
            made.append(Section(
                part["id"], part["title"],
                definition.fill(part.get("text", ""), self.values, f"sections[{i}].text"),
                {name: captions[name] for name in shown if name in captions},
                [j for j in self.judgements if j.claim["section"] == part["id"]], inside,
                part.get("early", False)))
        return made + [Section(f"of-{e.name}", e.title, e.question,
                               {name: captions[name] for name in figures.own(e)}, [], [e])
                       for e in self.results.values() if e.name not in placed]

    def answer(self, section: Section) -> str:
        """What comes out in a section, in words: of claims how many hold, else who is best."""
        if not section.judgements:
            return "\n\n".join(filter(None, (
                summary.answer(e) for e in section.experiments if e.name not in self.grids)))
        told = []
        for name, title in [*self.columns.items(), (ONLY, "in no setup" if self.columns else "")]:
            words = [j.columns[name].verdict for j in section.judgements
                     if j.counted and name in j.columns]
            if not words:
                continue
            unknown = words.count("not judged")
            counts = [f"{words.count('holds')} of {len(words)} hold" + "s" * (len(words) == 1)]
            counts += [f"{count} {word}" for verdict, word in (
                ("holds in part", "in part"), ("does not hold", "not"),
                ("not judged", "not judged")) if (count := words.count(verdict))]
            told.append((unknown < len(words), title, "not judged" if unknown == len(words) else
                         ", ".join(counts)))
        if not any(judged for judged, *_ in told):
            return "None of the claims here is judged by these results." if told else ""
        return "Of the claims here: " + "; ".join(
            f"{title}: {said}" if title else said for _, title, said in told) + "."

    @property
    def tally(self) -> list[tuple[str, list[str]]]:
        """How many claims hold, by whom they compare and by setup: title and cells of each row."""
        rows = []
        for title, part in (("compared with baselines", ".baselines"), ("others", ".others"),
                            ("together", "")):
            cells = []
            for name in (*self.columns, ONLY):
                holds, partly, fails, unknown, every = (
                    self.values[f"{name}{part}.{word}"]
                    for word in (*claims.VERDICTS.values(), "all"))
                more = ", ".join([f"{partly} in part", f"{fails} not",
                                  *([f"{unknown} not judged"] if unknown else [])])
                cells.append(f"**{holds}** of {every} hold; {more}" if every else "")
            rows.append((title, cells))
        return rows

    @property
    def used(self) -> set[str]:
        """The experiments that verdicts rest on."""
        return {one.experiment for j in self.judgements for column in j.columns.values()
                for one in column.comparisons}

    @property
    def shown(self) -> list[Section]:
        """The sections of the Markdown page: where claims are judged, those that have any."""
        return [part for part in self.sections if part.judgements or not self.judgements]

    def linked(self, text: str) -> str:
        """A text in which the names of claims lead to them."""
        names = {j.claim["id"] for j in self.judgements}
        return re.sub(r"\w+", lambda m: f"[{m[0]}](#{m[0]})" if m[0] in names else m[0], text)

    @property
    def machines(self) -> list[dict[str, Any]]:
        """Version, seed, machine and date, with the experiments that share them."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for e in self.results.values():
            path = e.folder / "timings.json"
            try:
                said = json.loads(path.read_bytes()) if path.is_file() else {}
                host = said.get("host", {})
                machine = (f"{host.get('processors')} processors {host.get('machine')}, "
                           f"{host.get('system')}" if host else "")
                seconds = sum(learner.get("seconds") or 0.0 for panel in said.get("panels", [])
                              for learner in panel.get("learners", []))
            except (ValueError, TypeError, AttributeError):
                raise error("FORMAT", f"{path}: not what the command writes") from None
            row = {"version": e.version, "seed": str(e.seed), "machine": machine,
                   "prices": str(e.manifest.get("prices", "")), "date": str(said.get("date", ""))}
            same = found.setdefault(tuple(row.values()), {**row, "names": [], "seconds": 0.0})
            same["names"].append(e.name)
            same["seconds"] += seconds
        return list(found.values())


def _again(e: Experiment) -> str:
    """The command that made it."""
    panel = e.panel()
    if "source" in e.manifest:
        what = e.name if e.collection else shlex.quote(e.manifest["source"].get("file", e.name))
        count = f" --replicates {panel.instances}" * (panel.instances != panel.full_instances)
        return f"lgkt reproduce {what} --seed {e.seed}{count}"
    learners = " ".join(f"--learner {shlex.quote(entry.spec)}" for entry in panel.entries)
    return (f"lgkt run --env {shlex.quote(panel.environment)} {learners} --horizon {panel.horizon} "
            f"--replicates {panel.instances} --seed {e.seed}")


def table(panel: Panel) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The numbers of a panel at the end: titles of the columns that have any, and a row for each.

    The best that knows no model is marked.
    """
    more = {"score": "score", "share": "share", "median": "median", "worst_tenth": "worst tenth"}
    rows: list[dict[str, Any]] = []
    for entry in panel.entries:
        row: dict[str, Any] = {"learner": entry.label, "spec": entry.spec, "oracle": entry.oracle}
        for key in (*panel.measures, *more):
            found = panel.value(entry.label, key)
            row[key] = ("" if math.isnan(found.mean) else points(found.mean) if key == "score" else
                        measured(found.mean, found.ci95))
        rows.append(row)
    sign = {"higher": 1.0, "lower": -1.0}.get(panel.better, math.nan)
    means = {i: sign * panel.value(entry.label).mean for i, entry in enumerate(panel.entries)}
    rivals = [i for i, mean in means.items() if not (math.isnan(mean) or rows[i]["oracle"])]
    if len(rivals) > 1:
        rows[max(rivals, key=lambda i: means[i])]["best"] = True
    titles = {"learner": "learner", **{m: m.replace(":", " ") for m in panel.measures}, **more,
              "spec": "spec"}
    return {key: title for key, title in titles.items() if any(row[key] for row in rows)}, rows


# ---- text ----


def rich(text: str) -> Markup:
    """Paragraphs, lists, code, strong, emphasis and links of Markdown as HTML.

    >>> print(rich("*a* < `b*`"))
    <p><em>a</em> &lt; <code>b*</code></p>
    """
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        first, *items = re.split(r"(?m)^[-*] ", block)
        blocks.append(f"<p>{inline(first.strip())}</p>" if first.strip() else "")
        inside = "".join(f"<li>{inline(item.strip())}</li>" for item in items)
        blocks.append(f"<ul>{inside}</ul>" if items else "")
    return Markup("\n".join(filter(None, blocks)))


def inline(text: str) -> Markup:
    """The marks within a line; a link to a file, which the page may not have beside it, is text."""
    made = []
    for i, piece in enumerate(re.split(r"`([^`]+)`", text)):
        safe = str(escape(piece))
        if not i % 2:
            safe = re.sub(r"\[([^\]]+)\]\((#[\w.-]+|https?://[^\s)]+)\)", r'<a href="\2">\1</a>',
                          safe)
            safe = re.sub(r"\[([^\]]+)\]\([^\s)]+\)", r"\1", safe)
            safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
            safe = re.sub(r"\*(.+?)\*", r"<em>\1</em>", safe)
        made.append(f"<code>{safe}</code>" if i % 2 else safe)
    return Markup("".join(made))


def cell(text: str) -> str:
    """A text that can stand in a table of Markdown."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


# ---- pages ----


def _template(name: str) -> jinja2.Template:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=name.endswith(".html"), trim_blocks=True, lstrip_blocks=True)
    made.filters.update(rich=rich, inline=inline, cell=cell, basename=os.path.basename)
    made.globals.update(table=table, over_panels=summary.over_panels, verdicts=claims.VERDICTS,
                        only=ONLY, least=claims.LEAST, most=MOST)
    return made.get_template(name)


def html(report: Report) -> str:
    """The whole page."""
    drawn: dict[str, list[Any]] = {}
    curves: dict[str, list[list[Markup]]] = {}
    small = {line.name: Markup(line.picture) for line in report.answers}
    wide = set()
    for name, caption in (shown for part in report.sections for shown in part.figures.items()):
        if name in report.grids:
            drawn[name] = [[[_sized(part, f"{name}-{g}-{i}-{j}", found.title)
                             for j, part in enumerate(line)]
                            for i, line in enumerate(heat.parts(found))]
                           for g, found in enumerate(report.grids[name])]
            curves[name] = [[Markup(figures.inline(figures.draw(view), f"{name}-{g}-curve-{i}",
                                                   view.title))
                             for i, view in enumerate(figures.along(found))]
                            for g, found in enumerate(report.grids[name])]
            continue
        parts = figures.parts(name, report.results, report.drawn)
        drawn[name] = [Markup(figures.inline(part, f"{name}-{i}", caption))
                       for i, part in enumerate(parts)]
        if parts[0].get_figwidth() > 9.0:  # inches: more than a view
            wide.add(name)
    return _template("page.html").render(
        report=report, drawn=drawn, curves=curves, wide=wide, small=small, colors=answers.COLORS)


def _sized(figure: Figure, name: str, title: str) -> Markup:
    """A figure that is shown in its own size, as far as there is room."""
    wide = 72.0 * figure.get_figwidth()
    size = f"width:{wide:.0f}pt;max-width:max(100%,{0.7 * wide:.0f}pt)"
    return Markup(figures.inline(figure, name, title).replace("<svg", f'<svg style="{size}"', 1))


def markdown(report: Report, figures_at: str = "figures", tables_at: str = "results") -> str:
    """The page as Markdown, with links to figures and tables."""
    text = _template("page.md").render(report=report, figures_at=figures_at, tables_at=tables_at,
                                        colors=answers.COLORS)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def tables(report: Report) -> Iterable[tuple[str, bytes]]:
    """The files beside the Markdown page: a table for each experiment, its CSV, all comparisons.

    What verdicts rest on is a result folder with few rows, from which they can be made again.
    """
    for e in report.results.values():
        found = report.grids.get(e.name, [])
        text = (arena.markdown(arena.Scores(e)) if e.collection == "arena" else
                _template("tables.md").render(experiment=e, grids=found))
        yield f"{e.name}.md", text.encode()
        if found:
            yield os.path.join(e.name, "grid.csv"), grid.csv_table(found)
        for file, data in (e.kept().items() if e.name in report.used else
                           [("summary.csv", (e.folder / "summary.csv").read_bytes())]):
            yield os.path.join(e.name, file), data
    if report.theory:
        rows = [json.dumps(row, ensure_ascii=False) + "\n" for row in report.theory]
        yield os.path.join("theory", "verdicts.jsonl"), "".join(rows).encode()
    if report.judgements:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        names = [f.name for f in fields(claims.Comparison) if f.name != "check"]
        writer.writerow(["claim", "column", "verdict", "kind", *names])
        for j, column in ((j, c) for j in report.judgements for c in j.columns.values()):
            for one in column.comparisons:
                values = [getattr(one, name) for name in names]
                writer.writerow([j.claim["id"], column.name, column.verdict, one.kind,
                                 *("" if v is None or v != v else v for v in values)])
        yield "claims.csv", out.getvalue().encode()
