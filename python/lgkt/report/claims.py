# SPDX-License-Identifier: MIT
"""Verdicts on claims, computed from results by fixed rules.

A report definition is a JSON file (`paper.json` is the one of the paper); its claims are lists of
checks, and a check opens into single comparisons: one for each panel, time and pair of learners.

    {"kind": "above", "experiment": "riverswim-5", "panels": ["riverswim-5"],
     "a": ["LG1T", "LG2T"], "b": {"group": "model-based"}, "times": [1000, "end"]}

a and b are a label, a list of labels, or {"group" or "groups", "section" or "sections"}; without
"panels" all panels count. `best` and `best-b` take only the one that does best at that time. Times
are steps, "end", or "along" for all of `compare` and the end; without them, the end.

d is the paired difference a - b with Student's 95% half width w, m = `limit` times |mean of b|.
x is how far a number is on the claim's side of the border:

    kind       x                 for the claim if            against it if
    above      d - m             x > 0 is shown              x < 0 is shown
    not-below  d + m             x < 0 is not shown          x < 0 is shown
    near       d + m             x > 0 is shown              x < 0 is shown
    close      m - |d|           x > 0 is shown              x < 0 is shown
    same-rate  as close, of the steps after time t: d = (T d_T - t d_t) / (T - t), and for w the
               sum of both, (T w_T + t w_t) / (T - t)
    number     |mean - limit|    not shown to differ, or by less than `tolerance` (0.02); else not
    flat       R(T) - R(T/from) < limit R(T) (from = 2), else against
    slower     log(R(T) / R(T/from)) / log(from) <= limit (from = 10), else against
    linear     log(from d_T / d_{T/from}) / log(from) >= limit, d = b - a (from = 4), else against
    exact      computed, no runs: a > b, or the value of a `below` or `above` a number, else against
    test       what the unit test `test` of `file` wrote to theory/*.jsonl

Shown means: Holm's adjusted p value is at most 0.05, over all tests of the claim's column. They
are t tests, two-sided; for near, close and same-rate, which are about a margin, one-sided (close
is the two one-sided tests of equivalence). flat, slower and number take a `measure`. All that is
neither for nor against is open. Runs below 30 instances show their numbers and count as too few.

A claim holds if all that is decided counts for it. It does not hold if more than half of that, or
a unit test, counts against it. Else it holds in part. Nothing decided, something not measured or
with too few runs: it is not judged.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lgkt import stats
from lgkt._errors import Error, error
from lgkt._text import read_bytes, short, shown

if TYPE_CHECKING:
    from lgkt.report.results import Panel, Results

LEVEL = 0.05
LEAST = 30  # instances
COLUMNS = {"published": "published setup", "printed": "printed constants",
           "strongest": "strongest baselines", "only": ""}
VERDICTS = ("holds", "holds in part", "does not hold", "not judged")

# fields of each kind of check beside kind, experiment, panels: needed, allowed
_PAIR = ("times", "limit", "best", "best-b")
_KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "above": (("a", "b"), _PAIR),
    "not-below": (("a", "b"), _PAIR),
    "near": (("a", "b", "limit"), _PAIR),
    "close": (("a", "b", "limit"), _PAIR),
    "same-rate": (("a", "b", "limit", "times"), _PAIR),
    "number": (("a", "limit"), ("tolerance", "measure", "times")),
    "flat": (("a", "limit"), ("from", "measure")),
    "slower": (("a", "limit"), ("from", "measure")),
    "linear": (("a", "b", "limit"), ("from",)),
    "exact": (("a",), ("b", "below", "above", "measure")),
    "test": (("file", "test"), ()),
}

# what an object of a definition may hold; "!" marks what must be there, a list its items
_NUMBER = "number"
_SHAPES: dict[str, dict[str, Any]] = {
    "definition": {"title!": str, "intro": str, "outro": str, "experiments": [str],
                   "sections": ["section"], "figures": dict, "claims": ["claim"],
                   "drivers": ["driver"], "map": ["row"], "notes": [str]},
    "section": {"id!": str, "title!": str, "text": str, "figures": [str], "experiments": [str]},
    "claim": {"id!": str, "section!": str, "place!": str, "words!": str, "ours": bool,
              "remark": str, "checks!": (list, dict)},
    "driver": {"title!": str, "text!": str, "numbers": dict},
    "reference": {"experiment!": str, "panel": str, "a!": str, "b": str, "measure": str, "t": int,
                  "form": str, "digits": int},
    "row": {"paper!": str, "what!": str, "command": str, "file": str, "ours": (str, list)},
    "check": {"kind!": str, "experiment": str, "panels": [str], "a": (str, list, dict),
              "b": (str, list, dict), "times": (str, list), "limit": _NUMBER, "best": bool,
              "best-b": bool, "tolerance": _NUMBER, "from": _NUMBER, "measure": str,
              "below": _NUMBER, "above": _NUMBER, "file": str, "test": str},
    "choice": {"group": str, "groups": [str], "section": str, "sections": [str], "labels": [str]},
}


# ---- a definition ----


def nearest(word: str, words: Iterable[str]) -> str:
    """What to say after an unknown word: the nearest known one, or nothing.

    >>> nearest("abvoe", ["above", "near"])
    '; did you mean "above"?'
    """
    close = difflib.get_close_matches(word, list(words), n=1, cutoff=0.5)
    return f'; did you mean "{close[0]}"?' if close else ""


def _is(value: Any, kind: Any) -> bool:
    if kind == _NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


class Definition:
    """A report definition, read and checked for form: `data` is the JSON object.

    What it says about results (panels, labels) is checked where it is used, by `judge`.
    """

    def __init__(self, data: Any, name: str) -> None:
        self.name = name
        self.data: dict[str, Any] = self._object(data, "definition", "the file")
        seen: set[str] = set()
        sections = {section["id"] for section in self.data.get("sections", [])}
        for i, claim in enumerate(self.data.get("claims", [])):
            place = f"claims[{i}]"
            if claim["id"] in seen:
                raise self.bad(f"{place}.id", f'"{shown(claim["id"])}" stands there twice')
            seen.add(claim["id"])
            if claim["section"] not in sections:
                raise self.unknown(f"{place}.section", "section", claim["section"], sections)
            for column, checks in columns(claim).items():
                where = f"{place}.checks" + ("" if column == "only" else f".{column}")
                if column not in COLUMNS:
                    raise self.unknown(f"{place}.checks", "column", column, list(COLUMNS)[:3])
                if not _is(checks, list) or not checks:
                    raise self.bad(where, "must be a list of one check or more")
                for c, check in enumerate(checks):
                    self._check(check, f"{where}[{c}]")
        for i, driver in enumerate(self.data.get("drivers", [])):
            for key, number in driver.get("numbers", {}).items():
                self._object(number, "reference", f"drivers[{i}].numbers.{key}")

    def bad(self, place: str, what: str) -> Error:
        return error("FORMAT", f"{self.name}: {place}: {what}")

    def unknown(self, place: str, what: str, word: str, words: Iterable[str]) -> Error:
        known = sorted(words)
        return self.bad(place, f'unknown {what} "{shown(word)}"{nearest(word, known)}')

    def _object(self, data: Any, shape: str, place: str) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise self.bad(place, f"must be an object, not {shown(json.dumps(data))}")
        fields = {key.rstrip("!"): kind for key, kind in _SHAPES[shape].items()}
        inner = "" if place == "the file" else f"{place}."
        for key, value in data.items():
            if key not in fields:
                raise self.unknown(place, "field", key, fields)
            kind = fields[key]
            item = kind[0] if isinstance(kind, list) else None
            if not _is(value, list if item else kind):
                names = kind if isinstance(kind, tuple) else (list if item else kind,)
                words = {str: "a text", list: "a list", dict: "an object", bool: "true or false",
                         int: "a whole number", _NUMBER: "a number"}
                wanted = " or ".join(words[n] for n in names)
                raise self.bad(inner + key, f"must be {wanted}, not {shown(json.dumps(value))}")
            for i, part in enumerate(value) if item else ():
                if item is str and not isinstance(part, str):
                    raise self.bad(f"{inner}{key}[{i}]", "must be a text")
                if item is not str:
                    self._object(part, str(item), f"{inner}{key}[{i}]")
        for key in _SHAPES[shape]:
            if key.endswith("!") and key[:-1] not in data:
                raise self.bad(place, f'needs the field "{key[:-1]}"')
        return data

    def _check(self, check: Any, place: str) -> None:
        self._object(check, "check", place)
        kind = check["kind"]
        if kind not in _KINDS:
            raise self.unknown(f"{place}.kind", "kind", kind, _KINDS)
        needed, allowed = _KINDS[kind]
        common = () if kind == "test" else ("experiment",)
        for key in (*common, *needed):
            if key not in check:
                raise self.bad(place, f'"{kind}" needs the field "{key}"')
        extra = () if kind == "test" else ("experiment", "panels")
        for key in check:
            if key not in ("kind", *needed, *allowed, *extra):
                raise self.bad(place, f'"{kind}" has no field "{key}"')
        for key in ("a", "b"):
            if isinstance(check.get(key), dict):
                self._object(check[key], "choice", f"{place}.{key}")
        for t in check["times"] if isinstance(check.get("times"), list) else ():
            if t != "end" and not (_is(t, int) and t > 0):
                raise self.bad(f"{place}.times", f'{shown(json.dumps(t))} is no step and not "end"')
        if isinstance(check.get("times"), str) and check["times"] not in ("along", "end"):
            raise self.unknown(f"{place}.times", "word", check["times"], ("along", "end"))
        if check.get("from", 2) <= 1:
            raise self.bad(f"{place}.from", f"is {check['from']}; it must be > 1")
        if kind == "exact" and len({"b", "below", "above"} & set(check)) != 1:
            raise self.bad(place, '"exact" needs one of the fields "b", "below" and "above"')


def columns(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The checks of a claim by column; a claim with a list has the column "only"."""
    checks = claim["checks"]
    return dict(checks) if isinstance(checks, dict) else {"only": checks}


def read_definition(path: str | os.PathLike[str]) -> Definition:
    """A definition from its file, checked for form."""
    try:
        data = json.loads(read_bytes(path).decode())
    except (UnicodeDecodeError, json.JSONDecodeError) as why:
        raise error("FORMAT", f"{short(path)}: no JSON: {why}") from None
    return Definition(data, short(path))


# ---- what unit tests wrote ----


def read_theory(folders: Iterable[str | os.PathLike[str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The lines of FOLDER/theory/*.jsonl by file and test."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(p for f in folders for p in Path(f, "theory").glob("*.jsonl")):
        for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
            try:
                row = json.loads(line)
                key = (str(row["file"]), str(row["test"]))
                if not isinstance(row["holds"], bool):
                    raise ValueError("holds")
            except (ValueError, KeyError, TypeError):
                raise error("FORMAT", f"{short(path)}: line {number}: needs file, test and holds, "
                                      f"not {shown(line)}") from None
            found[key] = row
    return found


# ---- comparisons ----


@dataclass
class Comparison:
    """One comparison with the numbers it rests on; NaN or None where there is none."""

    check: Mapping[str, Any]
    experiment: str = ""
    panel: str = ""
    a: str = ""
    b: str = ""
    t: int = 0
    value: float = math.nan  # a difference, a number, a growth or an exponent
    ci95: float = math.nan
    n: int = 0
    margin: float = 0.0  # in the unit of value
    x: float = math.nan  # signed distance to the border, above 0 on the claim's side
    p: float | None = None
    adjusted: float | None = None
    effect: float | None = None
    unit: str = ""  # of the effect: pt (of the score) or %
    side: str = "not measured"
    why: str = ""  # what there is instead of a number

    @property
    def kind(self) -> str:
        return str(self.check["kind"])

    @property
    def distance(self) -> float:
        """How far from the border, in half widths; infinite where there is no width."""
        return abs(self.x) / self.ci95 if self.ci95 > 0.0 else math.inf

    @property
    def text(self) -> str:
        """The comparison in words."""
        kind, limit = self.kind, self.check.get("limit", 0)
        width = "" if math.isnan(self.ci95) else f" ± {self.ci95:.2g}"
        if self.why:
            return self.why
        head = self.panel if self.panel == self.experiment else f"{self.experiment}/{self.panel}"
        if kind == "number":
            return f"{head}, {self.a}: {self.value:.4g}{width}, printed {limit:g}"
        if kind == "flat":
            return (f"{head}, {self.a}: grows by {100 * self.value:.3g}% from "
                    f"T/{self.check.get('from', 2):g} to T (limit {100 * limit:g}%)")
        if kind in ("slower", "linear"):
            return f"{head}, {self.a}: exponent {self.value:.3f} (limit {limit:g})"
        if kind == "exact" and not self.b:
            word = "below" if "below" in self.check else "above"
            return f"{head}, {self.a}: {self.value:.6g}, to be {word} {self.check[word]:g}"
        after = " after" if kind == "same-rate" else " at"
        margin = f" (margin {self.margin:.2g})" if self.margin else ""
        return f"{head}, {self.a} - {self.b}{after} {self.t}: {self.value:+.4g}{width}{margin}"


def _border(one: Comparison, level: float) -> None:
    """x and the p value of a difference with its width, against a margin of `limit` of b."""
    kind, d = one.kind, one.value
    one.margin = m = float(one.check.get("limit", 0.0)) * abs(level)
    one.x = d - m if kind == "above" else m - abs(d) if kind in ("close", "same-rate") else d + m
    one.p = p_value(one.x, one.ci95, one.n, 2 if kind in ("above", "not-below") else 1)


def p_value(x: float, w: float, n: int, sides: int) -> float:
    """The p value of x = 0, for the 95% half width w of a mean of n instances.

    >>> round(p_value(1.0, 1.0, 100, 2), 12), p_value(0.0, 0.0, 100, 2)
    (0.05, 1.0)
    """
    if w == 0.0:
        return 1.0 if x == 0.0 else 0.0
    scale = stats._student(0.95, n - 1)
    return stats._student_tail(abs(x) / w * scale, n - 1) * sides / 2.0 if x != 0.0 else sides / 2.0


def _compare(one: Comparison, panel: Panel) -> None:
    """Fills in the numbers; what is missing stays NaN."""
    check, kind, end = one.check, one.kind, panel.horizon
    limit = float(check.get("limit", 0.0))
    measure = check.get("measure")
    if kind in ("number", "exact"):
        found = panel.value(one.a, measure, one.t)
        one.value, one.ci95, one.n = found.mean, found.ci95, found.n
        if kind == "number":
            one.x = max(one.ci95, check.get("tolerance", 0.02)) - abs(one.value - limit)
            one.p = p_value(one.value - limit, one.ci95, one.n, 2) if one.n > 1 else math.nan
        else:
            one.ci95 = math.nan
            if one.b:
                one.value -= panel.value(one.b, measure, one.t).mean
            border = check.get("below", check.get("above", 0.0))
            # what is equal but for rounding is not above
            room = 1e-9 * max(1.0, abs(border))
            one.x = (border - one.value if "below" in check else one.value - border) - room
    elif kind in ("flat", "slower"):
        times = float(check.get("from", 2 if kind == "flat" else 10))
        first = panel.value(one.a, measure, max(1, round(end / times)))
        last = panel.value(one.a, measure, end)
        one.n = last.n
        if kind == "flat" and last.mean != 0.0:
            one.value = (last.mean - first.mean) / last.mean
        elif kind == "slower" and first.mean > 0.0 and last.mean > 0.0:
            one.value = math.log(last.mean / first.mean) / math.log(times)
        one.x = limit - one.value
    elif kind == "linear":
        times = float(check.get("from", 4))
        first, last = panel.pair(one.b, one.a, round(end / times)), panel.pair(one.b, one.a, end)
        one.n = last.n
        if first.mean > 0.0 and last.mean > 0.0:
            one.value = math.log(times * last.mean / first.mean) / math.log(times)
        one.x = one.value - limit
    else:
        last = panel.pair(one.a, one.b, end if kind == "same-rate" else one.t)
        level = panel.value(one.b, None, end if kind == "same-rate" else one.t).mean
        one.value, one.ci95, one.n = last.mean, last.ci95, last.n
        if kind == "same-rate" and one.t < end:
            first, rest = panel.pair(one.a, one.b, one.t), end - one.t
            one.value = (end * last.mean - one.t * first.mean) / rest
            one.ci95 = (end * last.ci95 + one.t * first.ci95) / rest
            level = (end * level - one.t * panel.value(one.b, None, one.t).mean) / rest
        spread = (panel.optimum or math.nan) - (panel.random or math.nan)
        if panel.measure == "average" and spread > 0.0:
            one.effect, one.unit = 100.0 * one.value / spread, "pt"
        elif level:
            one.effect, one.unit = 100.0 * one.value / abs(level), "%"
        if one.n > 1 and not math.isnan(one.ci95):
            _border(one, level)
        else:
            one.x = math.nan


def _side(one: Comparison) -> str:
    """For, against or open, once p values are adjusted."""
    if one.kind == "test":
        return one.side
    if math.isnan(one.x) or math.isnan(one.value):
        return "not measured"
    if one.n < LEAST and one.kind != "exact":
        return "too few runs"
    if one.adjusted is None:
        return "for" if one.x > 0.0 or (one.x == 0.0 and one.kind != "flat") else "against"
    shown_by_test = one.adjusted <= LEVEL
    if one.kind == "number":
        off = abs(one.value - float(one.check["limit"]))
        return "against" if shown_by_test and off >= one.check.get("tolerance", 0.02) else "for"
    if one.kind == "not-below":
        return "against" if shown_by_test and one.x < 0.0 else "for"
    return "open" if not shown_by_test else "for" if one.x > 0.0 else "against"


# ---- from checks to comparisons ----


def _labels(choice: Any, panel: Panel) -> list[str]:
    """The labels of a panel that a or b means."""
    if isinstance(choice, str | list):
        wanted = [choice] if isinstance(choice, str) else choice
        have = {entry.label for entry in panel.entries}
        return [label for label in wanted if label in have]
    words = {key: choice.get(f"{key}s") or ([choice[key]] if key in choice else None)
             for key in ("group", "section")}
    found = panel.select(groups=words["group"], labels=choice.get("labels"),
                         sections=words["section"])
    return [entry.label for entry in found]


def _refuse_unknown(definition: Definition, place: str, choice: Any, panels: list[Panel]) -> None:
    """A word of a or b that no panel of the check knows is a mistake."""
    if isinstance(choice, str | list):
        asked = {"label": [choice] if isinstance(choice, str) else choice}
    else:
        asked = {"label": choice.get("labels", [])}
        for key in ("group", "section"):
            asked[key] = choice.get(f"{key}s", []) + ([choice[key]] if key in choice else [])
    for what, words in asked.items():
        known = {getattr(entry, what) for panel in panels for entry in panel.entries}
        for word in words:
            if word not in known:
                raise definition.unknown(place, what, word, known)


def _best(panel: Panel, labels: list[str], t: int) -> list[str]:
    sign = -1.0 if panel.better == "lower" else 1.0
    means = {label: sign * panel.value(label, None, t).mean for label in labels}
    known = [label for label in labels if not math.isnan(means[label])]
    return [max(known, key=lambda label: means[label])] if known else labels[:1]


def _open(check: Mapping[str, Any], definition: Definition, place: str, results: Results,
          theory: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[Comparison]:
    if check["kind"] == "test":
        row = theory.get((check["file"], check["test"]))
        name = f"`{check['file']}`, `{check['test']}`"
        if row is None:
            return [Comparison(check, why=f"no result of the test {name}")]
        said = f": {row['shown']}" if row.get("shown") else ""
        return [Comparison(check, side="for" if row["holds"] else "against",
                           why=f"by the unit test {name}{said}")]
    name = check["experiment"]
    known = {*results, *definition.data.get("experiments", [])}
    if name not in known:
        raise definition.unknown(f"{place}.experiment", "experiment", name, known)
    if name not in results:
        return [Comparison(check, name, why=f"experiment {name} was not read")]
    experiment = results[name]
    there = {panel.name: panel for panel in experiment.panels}
    wanted = check.get("panels", list(there))
    # with --quick some panels are left out
    whole = all(p.get("instances") == p.get("full_instances")
                for p in experiment.manifest.get("panels", []))
    found = []
    for panel_name in wanted:
        if panel_name not in there and whole:
            raise definition.unknown(f"{place}.panels", f"panel of {name}", panel_name, there)
        if panel_name not in there:
            found.append(Comparison(check, name, panel_name,
                                    why=f"{name}: panel {panel_name} was not run"))
    panels = [there[panel_name] for panel_name in wanted if panel_name in there]
    for key in ("a", "b"):
        if key in check and panels:
            _refuse_unknown(definition, f"{place}.{key}", check[key], panels)
    for panel in panels:
        times = check.get("times", "end")
        if times == "along":
            times = [t for t in panel.compare if t < panel.horizon] + ["end"]
        for time in [times] if isinstance(times, str) else times:
            t = panel.horizon if time == "end" else int(time)
            a = _labels(check["a"], panel)
            b = _labels(check["b"], panel) if "b" in check else [""]
            a = _best(panel, a, t) if check.get("best") else a
            b = _best(panel, b, t) if check.get("best-b") else b
            for first, second in ((x, y) for x in a for y in b if x != y):
                one = Comparison(check, name, panel.name, first, second, t)
                _compare(one, panel)
                if math.isnan(one.value) or math.isnan(one.x):
                    both = first + (f" and {second}" if second else "")
                    one.why = f"{panel.name}: no numbers for {both} at {t}"
                found.append(one)
    if not found:
        raise definition.bad(place, "chooses nothing to compare")
    return found


# ---- verdicts ----


@dataclass
class Column:
    """The comparisons of one setup, and what they say together."""

    name: str
    comparisons: list[Comparison]
    verdict: str = ""
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def closest(self) -> Comparison | None:
        """Of those for the claim (if there is none: against it) the one nearest to the border."""
        for side in ("for", "against", "open"):
            these = [c for c in self.comparisons if c.side == side]
            if these:
                return min(these, key=lambda c: c.distance)
        return None

    @property
    def effect(self) -> str:
        """The median effect with its range; the numbers themselves where there is one of them."""
        texts = []
        for unit in ("pt", "%"):
            all_of = [c.effect for c in self.comparisons if c.unit == unit and c.effect is not None]
            if all_of:
                low, high = min(all_of), max(all_of)
                span = f" ({low:+.3g} to {high:+.3g})" if len(all_of) > 1 else ""
                texts.append(f"{statistics.median(all_of):+.3g}{span} {unit}")
        for c in self.comparisons:
            if c.unit or c.why or math.isnan(c.value):
                continue
            texts.append(f"{100 * c.value:.2g}%" if c.kind == "flat" else f"{c.value:.3g}")
        return "; ".join(texts[:4]) + ("; ..." if len(texts) > 4 else "")


@dataclass
class Judgement:
    """A claim with its columns by name."""

    claim: Mapping[str, Any]
    columns: dict[str, Column]

    @property
    def ours(self) -> bool:
        return bool(self.claim.get("ours"))

    @property
    def tests(self) -> list[str]:
        """The unit tests that back it."""
        return [f"{c.check['file']}: {c.check['test']}" for column in self.columns.values()
                for c in column.comparisons if c.kind == "test"]

    @property
    def rule(self) -> str:
        """How it is judged, in words."""
        texts = [describe(check) for checks in columns(self.claim).values() for check in checks]
        return "; ".join(dict.fromkeys(texts))


def decide(comparisons: Sequence[Comparison]) -> str:
    """The verdict over comparisons whose sides are known."""
    counts = Counter(one.side for one in comparisons)
    refuted = any(one.kind == "test" and one.side == "against" for one in comparisons)
    if refuted:
        return "does not hold"
    if counts["not measured"] or counts["too few runs"] or not counts["for"] + counts["against"]:
        return "not judged"
    if not counts["against"]:
        return "holds"
    return "does not hold" if counts["against"] > counts["for"] else "holds in part"


def judge(definition: Definition, results: Results,
          theory: Mapping[tuple[str, str], Mapping[str, Any]] | None = None) -> list[Judgement]:
    """All claims of a definition, in its order."""
    found = []
    for i, claim in enumerate(definition.data.get("claims", [])):
        judged = {}
        for name, checks in columns(claim).items():
            place = f"claims[{i}].checks" + ("" if name == "only" else f".{name}")
            column = Column(name, [one for c, check in enumerate(checks) for one in
                                   _open(check, definition, f"{place}[{c}]", results,
                                         theory or {})])
            family = [one for one in column.comparisons
                      if one.p is not None and not math.isnan(one.p) and one.n >= LEAST]
            if family:
                adjusted = stats.holm([one.p for one in family if one.p is not None])
                for one, value in zip(family, adjusted, strict=True):
                    one.adjusted = float(value)
            for one in column.comparisons:
                one.side = _side(one)
            column.counts = Counter(one.side for one in column.comparisons)
            column.verdict = decide(column.comparisons)
            judged[name] = column
        found.append(Judgement(claim, judged))
    return found


# ---- words ----


def describe(check: Mapping[str, Any]) -> str:
    """A check as a rule that one can read.

    >>> describe({"kind": "near", "a": "LG1T", "b": "1-step greedy", "limit": 0.05})
    'LG1T at most 5% below 1-step greedy, at the end'
    """
    def who(key: str) -> str:
        choice = check[key]
        if isinstance(choice, dict):
            words = [w for name in ("groups", "sections", "labels") for w in choice.get(name, [])]
            words += [choice[name] for name in ("group", "section") if name in choice]
        else:
            words = [choice] if isinstance(choice, str) else choice
        best = check.get("best" if key == "a" else "best-b")
        return ("best of " if best else "") + ", ".join(words)

    kind = check["kind"]
    if kind == "test":
        return f"unit test `{check['test']}`"
    times = check.get("times", "end")
    named = ["the end" if t == "end" else str(t) for t in ([times] if times == "end" else times)]
    when = "along the run" if times == "along" else "at " + ", ".join(named)
    limit = f"{100 * check.get('limit', 0):g}%"
    number = check.get("limit", 0)
    since = f"from T/{check.get('from', {'flat': 2, 'linear': 4}.get(kind, 10)):g} to T"
    if kind in ("above", "not-below"):
        by = f" by {limit}" if check.get("limit") else ""
        return f"{who('a')} {kind.replace('-', ' ')} {who('b')}{by}, {when}"
    if kind in ("near", "close"):
        within = "at most {} below {}" if kind == "near" else "within {} of {}"
        return f"{who('a')} {within.format(limit, who('b'))}, {when}"
    if kind == "same-rate":
        return f"{who('a')} within {limit} of {who('b')} in the steps after {times[0]}"
    if kind == "number":
        return f"{who('a')} is {number:g}, to {check.get('tolerance', 0.02):g} or its interval"
    if kind == "exact":
        word = "below" if "below" in check else "above"
        return f"{who('a')} {word} {who('b') if 'b' in check else check[word]}, exactly"
    if kind == "flat":
        return f"{who('a')} grows by less than {limit} {since}"
    least = "at most" if kind == "slower" else "at least"
    return f"exponent of {who('a')} {least} {number:g} {since}"


def tally(judgements: Iterable[Judgement]) -> dict[str, int]:
    """How many claims there are of each verdict, for {column.word} in a text.

    Words are holds, part, not, open and all; the column "all" is over claims that are the paper's,
    each by its first column.
    """
    words = dict(zip(VERDICTS, ("holds", "part", "not", "open"), strict=True))
    counts = {f"{column}.{word}": 0 for column in (*COLUMNS, "all", "ours")
              for word in (*words.values(), "all")}
    for judgement in judgements:
        mine = list(judgement.columns.values())
        places = [("ours", mine[0])] if judgement.ours else [("all", mine[0])]
        places += [(column.name, column) for column in mine if not judgement.ours]
        for place, column in places:
            counts[f"{place}.{words[column.verdict]}"] += 1
            counts[f"{place}.all"] += 1
    return counts


def fill(text: str, values: Mapping[str, Any], definition: Definition, place: str) -> str:
    """A text with {name} filled in."""
    def one(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise definition.unknown(place, "number", match[1], values)
        return str(values[match[1]])
    return re.sub(r"\{([A-Za-z][\w.-]*)\}", one, text)


def reference(definition: Definition, place: str, number: Mapping[str, Any],
              results: Results) -> str:
    """A number of the results in words: of a, or of a - b; `form` is value, percent or points."""
    name = number["experiment"]
    known = {*results, *definition.data.get("experiments", [])}
    if name not in known:
        raise definition.unknown(f"{place}.experiment", "experiment", name, known)
    if name not in results:
        return "(not measured)"
    panels = {panel.name: panel for panel in results[name].panels}
    which = number.get("panel", name if name in panels else next(iter(panels)))
    if which not in panels:
        raise definition.unknown(f"{place}.panel", f"panel of {name}", which, panels)
    panel = panels[which]
    for key in ("a", "b"):
        if key in number:
            _refuse_unknown(definition, f"{place}.{key}", number[key], [panel])
    t = number.get("t", panel.horizon)
    found = panel.pair(number["a"], number["b"], t) if "b" in number else panel.value(
        number["a"], number.get("measure"), t)
    if math.isnan(found.mean):
        return "(not measured)"
    form, digits, scale, unit = number.get("form", "value"), number.get("digits", 3), 1.0, ""
    if form not in ("value", "percent", "points"):
        raise definition.unknown(f"{place}.form", "form", form, ("value", "percent", "points"))
    if form == "percent":
        below = panel.value(number["b"], None, t).mean if "b" in number else 1.0
        scale, unit = 100.0 / abs(below), "%"
    if form == "points" and panel.optimum is not None and panel.random is not None:
        scale, unit = 100.0 / (panel.optimum - panel.random), " points"
    width = "" if math.isnan(found.ci95) else f" ± {found.ci95 * scale:.1g}"
    sign = "+" if "b" in number else ""
    return f"{found.mean * scale:{sign}.{digits}g}{width}{unit}"
