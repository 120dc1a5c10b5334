# SPDX-License-Identifier: MIT
"""The page on a log: is it sound, what does today's policy earn, would a learner earn more, which
one, and what to log from now on. HTML in one file that loads nothing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import lgkt.report
from lgkt._core import __version__
from lgkt._errors import InputError, UnsupportedError
from lgkt._extras import needed
from lgkt.log import pictures
from lgkt.log.halves import LEARNERS, as_long, judged_on_the_others
from lgkt.report.figures import inline

with needed("a report on a log", "logs", "report"):
    import jinja2
    from markupsafe import Markup
    from matplotlib.figure import Figure

if TYPE_CHECKING:
    from lgkt.log.columns import Columns
    from lgkt.log.evaluate import Evaluation
    from lgkt.log.log import Log

class Mark(NamedTuple):
    """A verdict as the pages show it: its class and its word."""

    kind: str
    word: str


class Line(NamedTuple):
    question: str
    mark: Mark
    text: str


SURE = 0.9  # share of the worlds from which on the best learner is taken for it

LEVELS = {"problem": Mark("not", "problem"), "warning": Mark("part", "warning"),
          "note": Mark("open", "note")}
VERDICTS = {"better": Mark("holds", "better"), "worse": Mark("not", "worse"),
            "cannot be told": Mark("open", "cannot be told")}


@dataclass
class Answer:
    """What was found of one question, ready to be shown."""

    words: str
    table: list[list[str]]
    best: int | None
    picture: Markup = Markup("")


class Page:
    """All that the template shows."""

    def __init__(self, log: Log, learners: Sequence[str] = ()) -> None:
        self.log, self.coded = log, log.coded
        self.version = __version__
        self.title = f"What the log {os.path.basename(log.name)} says"
        c = self.coded
        states = (f"{c.S} states ({', '.join(c.state_names)})" if c.kind == "table" else
                  f"records of {len(c.features)} features ({', '.join(c.state_names)})")
        self.lead = (f"{c.n:,} decisions of {len(c.units):,} unit{'s' * (len(c.units) != 1)}, "
                     f"{states}, {c.A} actions ({', '.join(map(str, c.actions[:8]))}"
                     f"{', ..' * (c.A > 8)}).")
        self.most = pictures.MOST
        self.more_states = c.S if c.kind == "table" and c.S > pictures.MOST else 0
        self.policy = (_drawn(pictures.policy(c), "policy", "actions by state")
                       if c.kind == "table" else Markup(""))
        self.over_time = _drawn(pictures.over_time(c), "over-time", "rewards and actions over time")
        self.answers: list[Line] = []
        self.todos: list[str] = []
        self._sound()
        self._today()
        self._other()
        self._learners(list(learners) or list(LEARNERS))
        self._next()
        self.again = _again(log.name, log.columns)

    def _sound(self) -> None:
        self.check = self.log.check()
        self.findings = [{"mark": LEVELS[one.level]._replace(word=one.code.replace("-", " ")),
                          "text": one.text, "todo": one.todo} for one in self.check.findings]
        levels = [one.level for one in self.check.findings]
        worst = next((level for level in LEVELS if level in levels), None)
        mark = {None: Mark("holds", "yes"), "note": Mark("holds", "yes"),
                "warning": Mark("part", "mostly"), "problem": Mark("not", "no")}[worst]
        counts = [f"{levels.count(level)} {level}{'s' * (levels.count(level) != 1)}"
                  for level in LEVELS if level in levels]
        text = ", ".join(counts) if counts else "nothing was found"
        first = next((one.text for one in self.check.findings if one.level == worst), "")
        self.answers.append(Line("Is the log sound?", mark, f"{text}. {first}".strip()))
        self.todos += [one.todo for one in self.check.findings
                       if one.todo and one.level != "note"]

    def _today(self) -> None:
        found = self.log.evaluate("logged")
        self.today, show = found.logged, found.digits()
        self.answers.append(Line(
            "What does today's policy earn?", Mark("plain", show(self.today.mean)),
            f"per decision, {show(self.today.low)} to {show(self.today.high)} (95%)."))

    def _other(self) -> None:
        self.other: Answer | None = None
        self.no_other = ""
        spec = "auto" if self.log.kind == "table" else "forest"
        try:
            found = judged_on_the_others(self.log, spec)
        except (InputError, UnsupportedError) as why:
            self.no_other = f"This was not asked: {why}."
            self.answers.append(Line("Would another rule earn more?", VERDICTS["cannot be told"],
                                     self.no_other))
            return
        self.other = _evaluated(found)
        mean, low, high = map(found.digits(), found.difference)
        change = f"{'+' * (found.difference.mean > 0)}{mean} per decision, {low} to {high}"
        reasons = " ".join(one.text for one in found.reasons if one.code != "interval")
        self.answers.append(Line("Would another rule earn more?", VERDICTS[found.verdict],
                                 f"{change}. {reasons}".strip()))
        self.todos += [one.todo for one in found.reasons if one.todo]

    def _learners(self, learners: list[str]) -> None:
        self.simulation: Answer | None = None
        self.no_simulation = ""
        try:
            horizon, units = as_long(self.log)
            found = self.log.simulate(learners, horizon, units)
        except (InputError, UnsupportedError) as why:
            self.no_simulation = f"This was not asked: {why}."
            self.answers.append(Line("Which learner?", VERDICTS["cannot be told"],
                                     self.no_simulation))
            return
        show = found.digits()
        table = [[rank.spec, show(rank.mean), f"{show(rank.low)} to {show(rank.high)}",
                  f"{rank.best:.0%}"] for rank in found.ranks]
        figure = Figure(figsize=(7.0, 1.2 + 0.4 * len(table)), layout="constrained")
        found.plot(figure.add_subplot(), self.today)
        self.simulation = Answer(
            f"{units} units of {horizon} decisions each, which share a learner that begins with "
            f"nothing, in {found.values.shape[1]} worlds.", table, 0,
            _drawn(figure, "learners", "what learners earn"))
        first = found.ranks[0]
        self.answers.append(Line(
            "Which learner?", Mark("holds" if first.best >= SURE else "part", first.spec),
            f"{show(first.mean)} per decision, {show(first.low)} to {show(first.high)}; "
            f"the best in {first.best:.0%} of the worlds that the log leaves possible."))

    def _next(self) -> None:
        c = self.coded
        if c.probability is None and c.probabilities is None:
            self.todos.append("Write down with which probability each action was chosen: without "
                              "it, estimates rest on frequencies.")
        self.todos.append("Give every allowed action a small probability (a floor, as in "
                          "explore:of=(auto),floor=0.02), so that the next log can judge any "
                          "policy.")
        self.todos = [one[:1].upper() + one[1:].rstrip(".") + "."
                      for one in dict.fromkeys(self.todos)]
        self.answers.append(Line("What to log from now on?",
                                 Mark("plain", f"{len(self.todos)} points"), self.todos[0]))


def _drawn(figure: Any, name: str, title: str) -> Markup:
    return Markup(inline(figure, name, title))


def _evaluated(found: Evaluation) -> Answer:
    table = []
    for one in found.shown:
        mean, low, high = map(found.digits(), one.difference)
        table.append([one.name, mean, f"{low} to {high}", f"{one.units:.0f}",
                      f"{one.decisions:.0f}"])
    best = next((i for i, one in enumerate(found.shown) if one.chosen), None)
    return Answer(str(found).split("\n\n")[0], table, best)


def _again(name: str, columns: Columns) -> str:
    """The commands that ask the same."""
    said = []
    for option, value in (
            ("unit", columns.unit), ("time", columns.time), ("episode", columns.episode),
            ("state", ",".join(columns.state)), ("action", columns.action),
            ("reward", columns.reward), ("probability", columns.probability),
            ("allowed", columns.allowed), ("next-state", ",".join(columns.next_state)),
            ("cut", columns.cut)):
        if value:
            said.append(f"--{option} {shlex.quote(value)}")
    words = "" if columns.packed or any(one.startswith("state.") for one in columns.state) else (
        " " + " ".join(said))
    file = shlex.quote(os.path.basename(name))
    return "\n".join(f"python3 -m lgkt log {what} {file}{words}{more}" for what, more in (
        ("check", ""), ("evaluate", " --policy policy.csv"), ("simulate", " --learner auto"),
        ("report", " --out page.html")))


def page(log: Log, learners: Sequence[str] = ()) -> str:
    """The whole page."""
    folders = [Path(__file__).parent / "templates",
               Path(lgkt.report.__file__).parent / "templates"]
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(folders), autoescape=True,
                              trim_blocks=True, lstrip_blocks=True)
    return made.get_template("log.html").render(page=Page(log, learners))
