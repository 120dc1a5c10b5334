# SPDX-License-Identifier: MIT
"""The report as a page: HTML in one file that loads nothing, and Markdown.

Both have the same order: the answer, what makes the difference, the verdicts, where each part of
the paper is, sections with figures and claims, how to run it again. Details are folded in HTML and
not in Markdown, which has its tables in files of their own (`tables`).
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from lgkt.report import arena, claims, figures
from lgkt.report.claims import digits
from lgkt.report.definition import COLUMNS, ONLY, Definition, Theory
from lgkt.report.results import Experiment, Panel, Results

# ---- what is in a report ----


@dataclass
class Section:
    """A part of a report: figures by name with captions, claims, experiments."""

    id: str
    title: str
    text: str = ""
    figures: list[tuple[str, str]] = field(default_factory=list)
    judgements: list[claims.Judgement] = field(default_factory=list)
    experiments: list[Experiment] = field(default_factory=list)


class Report:
    """Results with what a definition says about them; without one, figures and tables."""

    def __init__(self, results: Results, definition: Definition | None = None,
                 theory: Theory | None = None) -> None:
        data = definition.data if definition else {}
        self.results = results
        self.judgements = claims.judge(definition, results, theory or {}) if definition else []
        self.drawn: Mapping[str, Any] = data.get("figures", {})
        first = next(iter(results.values()))
        self.title = str(data.get("title", first.title if len(results) == 1 else "Results"))
        self.intro, self.drivers = "", []
        self.map, self.notes = data.get("map", []), data.get("notes", [])
        if definition:
            self.intro = definition.fill(data.get("intro", ""), claims.tally(self.judgements),
                                         "intro")
        for i, driver in enumerate(data.get("drivers", [])):
            assert definition is not None
            numbers = {key: claims.reference(number, definition, f"drivers[{i}].numbers.{key}",
                                             results)
                       for key, number in driver.get("numbers", {}).items()}
            text = definition.fill(driver["text"], numbers, f"drivers[{i}].text")
            self.drivers.append({"title": driver["title"], "text": text})
        self.sections = self._sections(definition)
        self.rerun = data.get("rerun") or [
            f"lgkt reproduce {e.manifest.get('source', {}).get('file', e.name)} --seed {e.seed}"
            for e in results.values()]

    def _sections(self, definition: Definition | None) -> list[Section]:
        can = figures.names(self.results, self.drawn)
        made, placed = [], set()
        for i, part in enumerate(definition.data.get("sections", []) if definition else []):
            assert definition is not None
            inside = [e for e in self.results.values()
                      if e.name in part.get("experiments", [])
                      or ("experiments" not in part and e.section == part["id"])]
            placed |= {e.name for e in inside}
            for name in part.get("figures", []):
                if name not in self.drawn and name not in definition.data.get("experiments", []):
                    raise definition.unknown(f"sections[{i}].figures", "figure", name, self.drawn)
            shown = part.get("figures", [e.name for e in inside])
            made.append(Section(
                part["id"], part["title"], part.get("text", ""),
                [(name, self.caption(name)) for name in shown if name in can],
                [j for j in self.judgements if j.claim["section"] == part["id"]], inside))
        for e in self.results.values():
            if e.name not in placed:
                made.append(Section(f"of-{e.name}", e.title, e.question,
                                    [(e.name, self.caption(e.name))], [], [e]))
        return made

    def caption(self, name: str) -> str:
        if name in self.drawn:
            return str(self.drawn[name].get("caption", name))
        return self.results[name].title

    # ---- for the templates ----

    def linked(self, text: str) -> str:
        """A text in which the names of claims lead to them."""
        names = {j.claim["id"] for j in self.judgements}
        return re.sub(r"\w+", lambda m: f"[{m[0]}](#{m[0]})" if m[0] in names else m[0], text)

    @property
    def columns(self) -> dict[str, str]:
        """The setups that any claim has, with their titles."""
        have = {name for j in self.judgements for name in j.columns}
        return {name: title for name, title in COLUMNS.items() if name in have}

    @property
    def machines(self) -> list[dict[str, Any]]:
        """Version, seed, machine and date, with the experiments that share them."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for e in self.results.values():
            path, said = e.folder / "timings.json", {}
            if path.is_file():
                said = json.loads(path.read_bytes())
            host = said.get("host", {})
            machine = (f"{host['processors']} processors {host['machine']}, {host['system']}"
                       if {"processors", "machine", "system"} <= set(host) else "")
            key = (e.version, str(e.seed), str(e.manifest.get("prices", "")), machine,
                   str(said.get("date", "")))
            row = found.setdefault(key, {"names": [], "seconds": 0.0, **dict(zip(
                ("version", "seed", "prices", "machine", "date"), key, strict=True))})
            row["names"].append(e.name)
            row["seconds"] += sum(learner.get("seconds") or 0.0 for panel in said.get("panels", [])
                                  for learner in panel.get("learners", []))
        return list(found.values())


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
            width = "" if math.isnan(found.ci95) else f" ± {digits(found.ci95, 2)}"
            size = 3 if key == "score" else 4
            row[key] = "" if math.isnan(found.mean) else digits(found.mean, size) + width
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
        items = re.split(r"(?m)^[-*] ", block)
        if len(items) > 1 and not items[0].strip():
            inside = "".join(f"<li>{inline(item.strip())}</li>" for item in items[1:])
            blocks.append(f"<ul>{inside}</ul>")
        elif block:
            blocks.append(f"<p>{inline(block)}</p>")
    return Markup("\n".join(blocks))


def inline(text: str) -> Markup:
    """The marks within a line; a link to a file, which the page may not have beside it, is text."""
    made = []
    for i, piece in enumerate(re.split(r"`([^`]+)`", text)):
        safe = str(escape(piece))
        if i % 2:
            made.append(f"<code>{safe}</code>")
            continue
        safe = re.sub(r"\[([^\]]+)\]\((#[\w.-]+|https?://[^\s)]+)\)", r'<a href="\2">\1</a>', safe)
        safe = re.sub(r"\[([^\]]+)\]\([^\s)]+\)", r"\1", safe)
        safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
        made.append(re.sub(r"\*(.+?)\*", r"<em>\1</em>", safe))
    return Markup("".join(made))


def cell(text: str) -> str:
    """A text that can stand in a table of Markdown."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


# ---- pages ----


def _environment(html: bool) -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"), autoescape=html,
        trim_blocks=True, lstrip_blocks=True)
    made.filters.update(rich=rich, inline=inline, cell=cell, basename=os.path.basename)
    made.globals.update(table=table, verdicts=claims.VERDICTS, only=ONLY, least=claims.LEAST)
    return made


def html(report: Report) -> str:
    """The whole page."""
    drawn, wide = {}, set()
    for name, caption in (shown for section in report.sections for shown in section.figures):
        parts = figures.parts(name, report.results, report.drawn)
        drawn[name] = [Markup(figures.inline(part, f"{name}-{i}", caption))
                       for i, part in enumerate(parts)]
        if parts[0].get_figwidth() > 9.0:  # inches: more than a view
            wide.add(name)
    template = _environment(True).get_template("page.html")
    return template.render(report=report, drawn=drawn, wide=wide)


def markdown(report: Report, figures_at: str = "figures", tables_at: str = "results") -> str:
    """The page as Markdown, with links to figures and tables."""
    text = _environment(False).get_template("page.md").render(
        report=report, figures_at=figures_at.rstrip("/"), tables_at=tables_at.rstrip("/"))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def tables(report: Report) -> Iterable[tuple[str, bytes]]:
    """The files beside the Markdown page: a table for each experiment, its CSV, all comparisons."""
    template = _environment(False).get_template("tables.md")
    for e in report.results.values():
        text = (arena.markdown(arena.Scores(e)) if e.collection == "arena" else
                template.render(experiment=e))
        yield f"{e.name}.md", text.encode()
        for name in ("summary.csv", "pairs.csv"):
            yield os.path.join(e.name, name), (e.folder / name).read_bytes()
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
