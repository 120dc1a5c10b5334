# SPDX-License-Identifier: MIT
"""Verdicts on claims, computed from results by fixed rules.

The claims of a report definition are lists of checks, and a check opens into single comparisons:
one for each panel (all of them if none is named), time ("end", which is the default, or "along" for
all times of pairs.csv) and pair of learners.

    {"kind": "above", "experiment": "riverswim-5", "panels": ["riverswim-5"],
     "a": ["LG1T", "LG2T"], "b": {"group": "model-based"}, "times": [1000, "end"]}

a and b are a label, a list of labels, or {"group" or "groups", "section" or "sections", "labels"}.
`best` and `best-b` take only the one that does best at that time; where a test favours who was
chosen, its p value is multiplied by the number of those chosen from. `after` a time t means what is
earned in the steps from t to T: d = (T d_T - t d_t) / (T - t), and for w the sum of both widths,
(T w_T + t w_t) / (T - t).

d is the paired difference a - b with Student's 95% half width w, m = `limit` times |mean of b|;
x is how far a number lies on the claim's side of the border:

    kind       x                 for the claim if            against it if
    above      d - m             x > 0 is shown              x < 0 is shown
    not-below  d + m             x < 0 is not shown          x < 0 is shown
    near       d + m             x > 0 is shown              x < 0 is shown
    close      m - |d|           x > 0 is shown              x < 0 is shown
    number     a is `limit`      not shown to differ, or by less than `tolerance` (0.02); else not
    flat       R(T) - R(T/from) < limit R(T) (from = 2), else against
    slower     log(R(T) / R(T/from)) / log(from) <= limit (from = 10), else against
    linear     log(from d_T / d_{T/from}) / log(from) >= limit, d = b - a (from = 4), else against
    exact      computed, no runs: a > b, or the value of a `below` or `above` a number, else against
    test       each comparison that the unit test `test` of `file` wrote to theory/*.jsonl: what it
               measured against its bound

Shown means: Holm's adjusted p value is at most 0.05, over all tests of the claim's column. They
are t tests, two-sided; one-sided for near and close, which are about a margin (close is the two
one-sided tests of equivalence). number, flat, slower and exact take a `measure`. All that
is neither for nor against is open. What follows for a claim is in `decide`.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lgkt import stats
from lgkt._digits import measured, points
from lgkt.report.definition import COLUMNS, ONLY, Definition, Theory, columns

if TYPE_CHECKING:
    from lgkt.report.results import Panel, Results

LEVEL = 0.05
LEAST = 30  # instances
TOLERANCE = 0.02  # of numbers, which the paper prints with two digits
# and the words for their number in a text
VERDICTS = {"holds": "holds", "holds in part": "part", "does not hold": "not", "not judged": "open"}
_FROM = {"flat": 2.0, "slower": 10.0, "linear": 4.0}


# ---- comparisons ----


def digits(x: float, count: int, sign: str = "") -> str:
    """A number with so many digits that count: no power of ten, no -0.

    >>> digits(16291.7, 4), digits(0.0123456, 2), digits(-0.0, 3, "+")
    ('16292', '0.012', '+0')
    """
    return f"{x + 0.0:{sign}.{count}g}" if abs(x) < 10.0 ** count else f"{x:{sign}.0f}"


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
    adjusted: float | None = None  # for their number, by Holm
    effect: float | None = None  # of a difference, in points of the score or in % of b
    unit: str = ""
    side: str = "not measured"
    why: str = ""  # all there is to say, where there is no panel
    baseline: bool = False  # one of a and b is a baseline, and the other is not
    certain: bool = False  # could not fail, as its unit test says

    @property
    def kind(self) -> str:
        """Of its check."""
        return str(self.check["kind"])

    @property
    def distance(self) -> float:
        """How far from the border, in half widths; infinite where there is no width."""
        return abs(self.x) / self.ci95 if self.ci95 > 0.0 else math.inf

    @property
    def shown(self) -> str:
        """The value with its half width."""
        sign = "+" if self.b and self.kind != "linear" else ""
        if self.kind == "exact":  # may be below the border by next to nothing
            return digits(self.value, 8, sign)
        return measured(self.value, self.ci95, sign)

    @property
    def text(self) -> str:
        """The comparison in words."""
        check, limit = self.check, self.check.get("limit", 0)
        if self.why:
            return self.why
        head = f"{self.experiment}, " * (self.panel != self.experiment) + f"{self.panel}, {self.a}"
        if self.kind == "number":
            return f"{head}: {self.shown}, printed {limit:g}"
        if self.kind == "flat":
            return f"{head}: grows by {100 * self.value:.3g}% (limit {100 * limit:g}%)"
        if self.kind in _FROM:
            return f"{head}: exponent {self.value:.3f} (limit {limit:g})"
        if not self.b:
            word = "below" if "below" in check else "above"
            return f"{head}: {self.shown} ({word} {check[word]:g}?)"
        when = f"after {check['after']}" if "after" in check else f"at {self.t}"
        margin = f" (margin {digits(self.margin, 2)})" if self.margin else ""
        return f"{head} - {self.b} {when}: {self.shown}{margin}"


def p_value(x: float, w: float, n: int, sides: int) -> float:
    """The p value of x = 0, for the 95% half width w of a mean of n instances."""
    return stats.p_value(stats.Interval(x, x - w, x + w), n) * sides / 2.0


def _compare(one: Comparison, panel: Panel) -> None:
    """Fills in the numbers; what is missing stays NaN."""
    check, kind, end = one.check, one.kind, panel.horizon
    limit, times = float(check.get("limit", 0.0)), float(check.get("from", _FROM.get(kind, 0.0)))
    measure = check.get("measure")
    if kind in _FROM:
        lost = kind == "linear"
        first, last = (panel.pair(one.b, one.a, t) if lost else panel.value(one.a, measure, t)
                       for t in (max(1, round(end / times)), end))
        one.n = last.n
        if kind == "flat" and last.mean != 0.0:
            one.value = 1.0 - first.mean / last.mean
        elif kind != "flat" and first.mean > 0.0 and last.mean > 0.0:
            # a mean per step that stays the same is a sum with the exponent 1
            one.value = math.log(last.mean / first.mean) / math.log(times) + lost
        one.x = one.value - limit if lost else limit - one.value
    elif kind == "exact" or not one.b:
        one.value, one.ci95, one.n = panel.value(one.a, measure, one.t)
        if kind == "number":
            off = abs(one.value - limit)
            one.x = max(one.ci95, check.get("tolerance", TOLERANCE)) - off
            one.p = p_value(off, one.ci95, one.n, 2) if one.n > 1 else None
        elif kind == "exact":
            one.value -= panel.value(one.b, measure, one.t).mean if one.b else 0.0
            border, one.ci95 = check.get("below", check.get("above", 0.0)), math.nan
            # what is equal but for rounding is not above
            one.x = border - one.value if "below" in check else one.value - border
            one.x -= 1e-9 * max(1.0, abs(border))
    else:
        one.value, one.ci95, one.n = panel.pair(one.a, one.b, one.t)
        level = panel.value(one.b, None, one.t).mean
        if "after" in check:
            t, rest = check["after"], end - check["after"]
            first = panel.pair(one.a, one.b, t)
            one.value = (end * one.value - t * first.mean) / rest
            one.ci95 = (end * one.ci95 + t * first.ci95) / rest
            level = (end * level - t * panel.value(one.b, None, t).mean) / rest
        if panel.measure == "average" and panel.optimum > panel.random:
            one.effect, one.unit = 100.0 * one.value / (panel.optimum - panel.random), "pt"
        elif level:
            one.effect, one.unit = 100.0 * one.value / abs(level), "%"
        d, m = one.value, limit * abs(level)
        one.margin, one.x = m, {"above": d - m, "close": m - abs(d)}.get(kind, d + m)
        if one.n > 1:
            one.p = p_value(one.x, one.ci95, one.n, 1 if kind in ("close", "near") else 2)


def _side(one: Comparison) -> str:
    """For, against or open, once p values are adjusted."""
    if one.kind == "test":
        return one.side
    if math.isnan(one.value) or math.isnan(one.x):
        return "not measured"
    if one.n < LEAST and one.kind != "exact":
        return "too few runs"
    if one.adjusted is None:
        return "for" if one.x > 0.0 or (one.x == 0.0 and one.kind != "flat") else "against"
    if one.kind in ("number", "not-below"):
        return "against" if one.adjusted <= LEVEL and one.x < 0.0 else "for"
    return "open" if one.adjusted > LEVEL else "for" if one.x > 0.0 else "against"


# ---- from checks to comparisons ----


def _asked(choice: Any) -> dict[str, list[str]]:
    """The labels, groups and sections that a or b names."""
    if not isinstance(choice, dict):
        return {"label": [choice] if isinstance(choice, str) else choice}
    return {key: choice.get(f"{key}s", []) + ([choice[key]] if key in choice else [])
            for key in ("label", "group", "section")}


def _labels(check: Mapping[str, Any], key: str, panel: Panel, t: int) -> tuple[list[str], int]:
    """Who is a or b in a panel at time t, and how many it was chosen from."""
    if key not in check:
        return [""], 1
    asked = _asked(check[key])
    if isinstance(check[key], dict):
        found = panel.select(asked["group"], asked["label"], asked["section"] or None)
        labels = [entry.label for entry in found]
    else:
        have = {entry.label for entry in panel.entries}
        labels = [label for label in asked["label"] if label in have]
    if not check.get("best" if key == "a" else "best-b") or len(labels) < 2:
        return labels, 1
    sign = -1.0 if panel.better == "lower" else 1.0
    means = {label: sign * panel.value(label, None, t).mean for label in labels}
    return [max(labels, key=lambda l: (not math.isnan(means[l]), means[l]))], len(labels)


def _times(check: Mapping[str, Any], panel: Panel) -> list[int]:
    times = check.get("times", "end")
    if isinstance(times, str):
        times = [*(panel.compare if times == "along" else []), "end"]
    return list(dict.fromkeys(panel.horizon if t == "end" else int(t) for t in times))


def _panels(check: Mapping[str, Any], definition: Definition, place: str,
            results: Results) -> tuple[list[Panel], list[str]]:
    """The panels of a check, and what to say of those that are not there."""
    name = check["experiment"]
    known = {*results, *definition.data.get("experiments", [])}
    if name not in known:
        raise definition.unknown(f"{place}.experiment", "experiment", name, known)
    if name not in results:
        return [], [f"experiment {name} was not read"]
    there = {panel.name: panel for panel in results[name].panels}
    wanted = check.get("panels", list(there))
    missing = [panel for panel in wanted if panel not in there]
    # --quick leaves panels out; else a panel that is not there is a mistake
    if missing and all(panel.instances == panel.full_instances for panel in there.values()):
        raise definition.unknown(f"{place}.panels", f"panel of {name}", missing[0], there)
    panels = [there[panel] for panel in wanted if panel in there]
    for key in ("a", "b"):
        for what, words in _asked(check[key]).items() if key in check and panels else ():
            have = {getattr(entry, what) for panel in panels for entry in panel.entries}
            for word in words:
                if word not in have:
                    raise definition.unknown(f"{place}.{key}", what, word, have)
    return panels, [f"{name}: panel {panel} was not run" for panel in missing]


def _open(check: Mapping[str, Any], definition: Definition, place: str, results: Results,
          theory: Theory) -> list[Comparison]:
    if check["kind"] == "test":
        name = f"unit test `{check['test']}` of `{check['file']}`"
        row = theory.get((check["file"], check["test"]))
        if row is None:
            return [Comparison(check, why=f"{name}: has no result")]
        return [_tested(check, name, row, one) for one in row["comparisons"]]
    panels, missing = _panels(check, definition, place, results)
    found = [Comparison(check, check["experiment"], why=why) for why in missing]
    for panel in panels:
        for time in _times(check, panel):
            (a, of_a), (b, of_b) = (_labels(check, key, panel, time) for key in ("a", "b"))
            for first, second in ((x, y) for x in a for y in b if x != y):
                one = Comparison(check, check["experiment"], panel.name, first, second, time)
                one.baseline = _with_baseline(one, panel, definition.data.get("baselines", []))
                if check.get("after", 0) < panel.horizon:
                    _compare(one, panel)
                if one.p is not None:
                    one.p = min(1.0, one.p * (of_a if one.x > 0.0 else of_b))
                if math.isnan(one.value):
                    both = first + f" and {second}" * bool(second)
                    one.why = f"{panel.name}: no numbers for {both} at {time}"
                found.append(one)
    if not found:
        raise definition.bad(place, "chooses nothing to compare")
    return found


def _with_baseline(one: Comparison, panel: Panel, groups: Sequence[str]) -> bool:
    """Whether one side is a baseline and the other a learner that is none."""
    kinds = {entry.label: "oracle" if entry.oracle else entry.group in groups
             for entry in panel.entries}
    return {kinds.get(one.a), kinds.get(one.b)} == {True, False}


def _tested(check: Mapping[str, Any], name: str, row: Mapping[str, Any],
            said: Mapping[str, Any]) -> Comparison:
    """A comparison that a unit test wrote down."""
    value, bound = (math.nan if said[key] is None else float(said[key])
                    for key in ("measured", "bound"))
    error = float(said.get("error") or math.nan)
    found = f"{measured(value, error)} (standard error)" if error > 0.0 else digits(value, 4)
    shown = f" ({row['shown']})" if row.get("shown") else ""
    why = (f"{name}: {said['what']}: {found}, to be {said['relation']} "
           f"{digits(bound, 4)}{shown}")
    side = {True: "for", False: "against", None: "open"}[said["holds"]]
    return Comparison(check, value=value, side=side, why=why, certain=not row["could_fail"])


# ---- verdicts ----


@dataclass
class Column:
    """The comparisons of one setup, and what they say together."""

    name: str
    comparisons: Sequence[Comparison]
    verdict: str

    @property
    def baselines(self) -> bool:
        """Whether anything is compared with a baseline."""
        return any(one.baseline for one in self.comparisons)

    @property
    def counts(self) -> Counter[str]:
        """How many comparisons are on each side."""
        return Counter(one.side for one in self.comparisons)

    @property
    def closest(self) -> Comparison | None:
        """Of those for the claim (if there are none: against, open) the nearest to the border."""
        for side in ("for", "against", "open", "too few runs"):
            these = [c for c in self.comparisons if c.side == side]
            if these:
                return min(these, key=lambda c: c.distance)
        return None

    @property
    def effect(self) -> str:
        """The median effect with its range; of what is no difference the numbers."""
        texts = []
        for unit in ("pt", "%"):
            these = [c.effect for c in self.comparisons if c.unit == unit and c.effect is not None]
            if these:
                low, middle, high = (points(x, "+") for x in (min(these), statistics.median(these),
                                                              max(these)))
                texts.append(f"{middle}{f' ({low} to {high})' * (len(these) > 1)} {unit}")
        texts += [f"{100 * c.value:.2g}%" if c.kind == "flat" else f"{c.value:.3g}"
                  for c in self.comparisons if not (c.unit or c.why)]
        return "; ".join(texts[:4]) + "; ..." * (len(texts) > 4)

    @property
    def summary(self) -> str:
        """How many comparisons are on each side, and the effect."""
        counts, all_of = self.counts, len(self.comparisons)
        if counts["not measured"] == all_of:
            return "not measured"
        others = ("against", "open", "too few runs", "not measured")
        sides = [f"{counts['for']} of {all_of} for"] + [f"{counts[side]} {side}" for side in others
                                                       if counts[side]]
        return "; ".join(filter(None, (", ".join(sides), self.effect)))


@dataclass
class Judgement:
    """A claim with its columns by name."""

    claim: Mapping[str, Any]
    columns: dict[str, Column]

    @property
    def ours(self) -> bool:
        """Whether the claim is not one of the paper."""
        return bool(self.claim.get("ours"))

    @property
    def certain(self) -> bool:
        """Whether it could not fail: so it says itself, or all its unit tests say so."""
        ones = [one for column in self.columns.values() for one in column.comparisons]
        return bool(self.claim.get("certain")) or all(one.certain for one in ones)

    @property
    def counted(self) -> bool:
        """Whether it is one of the paper's that could fail."""
        return not (self.ours or self.certain)

    @property
    def tests(self) -> list[Mapping[str, Any]]:
        """Its checks that are unit tests."""
        return [check for _, _, checks in columns(self.claim) for check in checks
                if check["kind"] == "test"]

    def rule(self, named: bool = True) -> str:
        """How it is judged, in words."""
        return "; ".join(dict.fromkeys(describe(check, named) for _, _, checks in
                                       columns(self.claim) for check in checks))


def decide(comparisons: Sequence[Comparison]) -> str:
    """The verdict over comparisons whose sides are known: about what is decided, open is no side.

    To hold, half of all or more must count for it. A counterexample of a unit test is enough
    against. With something not measured, or from too few runs, there is none.
    """
    sides = Counter(one.side for one in comparisons)
    if any(one.kind == "test" and one.side == "against" for one in comparisons):
        return "does not hold"
    if sides["not measured"] or sides["too few runs"] or not sides["for"] + sides["against"]:
        return "not judged"
    if not sides["against"]:
        return "holds" if 2 * sides["for"] >= len(comparisons) else "not judged"
    return "does not hold" if sides["against"] > sides["for"] else "holds in part"


def judge(definition: Definition, results: Results, theory: Theory) -> list[Judgement]:
    """All claims of a definition, in its order."""
    judged = []
    for i, claim in enumerate(definition.data.get("claims", [])):
        found = {}
        for name, place, checks in columns(claim, i):
            these = [one for c, check in enumerate(checks)
                     for one in _open(check, definition, f"{place}[{c}]", results, theory)]
            tests = [(one, one.p) for one in these if one.p is not None and one.n >= LEAST]
            adjusted = stats.holm([p for _, p in tests]).tolist() if tests else []
            for (one, _), value in zip(tests, adjusted, strict=True):
                one.adjusted = value
            for one in these:
                one.side = _side(one)
            found[name] = Column(name, these, decide(these))
        judged.append(Judgement(claim, found))
    return judged


# ---- words ----


def describe(check: Mapping[str, Any], named: bool = True) -> str:
    """A check as a rule that one can read; without names it does not say who.

    >>> check = {"kind": "near", "a": "LG1T", "b": "1-step greedy", "limit": 0.05}
    >>> describe(check), describe(check, named=False)
    ('LG1T at most 5% below 1-step greedy at the end', 'at most 5% below at the end')
    """
    kind, limit, times = check["kind"], check.get("limit", 0), check.get("times", ["end"])
    if kind == "test":
        return f"unit test `{check['test']}`"
    a, b = (("best of " if check.get(best) else "")
            + ", ".join(word for words in _asked(check[key]).values() for word in words)
            if key in check and named else "" for key, best in (("a", "best"), ("b", "best-b")))
    steps = ["the end" if t == "end" else str(t) for t in ([times] if times == "end" else times)]
    when = ("along the run" if times == "along" else f"in the steps after {check['after']}"
            if "after" in check else "at " + ", ".join(steps))
    since = f"from T/{check.get('from', _FROM.get(kind, 0)):g} to T"
    word = "below" if "below" in check else "above"
    share = f"{100 * limit:g}%"
    of, lost = ("of", f"of {b} - {a}") if named else ("", "of the difference")
    return " ".join({
        "above": f"{a} above {b}{f' by {share}' if limit else ''} {when}",
        "not-below": f"{a} not below {b}{f' by {share}' if limit else ''} {when}",
        "near": f"{a} at most {share} below {b} {when}",
        "close": f"{a} within {share} {of} {b} {when}",
        "number": f"{a} is {limit:g}",
        "exact": f"{a} {word} {format(check[word], 'g') if word in check else b}, exactly",
        "flat": f"{a} grows by less than {share} {since}",
        "slower": f"exponent {of} {a} at most {limit:g} {since}",
        "linear": f"exponent {lost} at least {limit:g} {since}",
    }[kind].split())


def tally(judgements: Iterable[Judgement]) -> dict[str, int]:
    """How many claims have which verdict in which setup, for {setup.word} in a text.

    Words are holds, part, not, open and all. A claim of the paper counts once in each setup that
    has checks of it. {setup.baselines.word} are the claims that compare with a baseline there,
    {setup.others.word} those that do not, {certain.all} and {ours.all} those that are not counted.
    """
    counts = {f"{column}{part}.{word}": 0 for column in (*COLUMNS, ONLY)
              for part in ("", ".baselines", ".others") for word in (*VERDICTS.values(), "all")}
    judgements = list(judgements)
    for name, column in (item for j in judgements if j.counted for item in j.columns.items()):
        for part in ("", ".baselines" if column.baselines else ".others"):
            counts[f"{name}{part}.{VERDICTS[column.verdict]}"] += 1
            counts[f"{name}{part}.all"] += 1
    counts["ours.all"] = sum(j.ours for j in judgements)
    counts["certain.all"] = sum(j.certain and not j.ours for j in judgements)
    return counts


def texts(judgements: Iterable[Judgement], definition: Definition,
          results: Results) -> dict[str, Any]:
    """All that {name} in a text may stand for: counts, verdicts, numbers of the definition."""
    judgements = list(judgements)
    verdicts = {f"{j.claim['id']}.{name}": column.verdict for j in judgements
                for name, column in j.columns.items()}
    numbers = {key: reference(number, definition, f"numbers.{key}", results)
               for key, number in definition.data.get("numbers", {}).items()}
    return {**tally(judgements), **verdicts, **numbers}


def reference(number: Mapping[str, Any], definition: Definition, place: str,
              results: Results) -> str:
    """A number of the results in words, for a text."""
    check = {**number, "kind": "above" if "b" in number else "value"}
    one = _open(check, definition, place, results, {})[0]
    if one.why:
        return "(not measured)"
    return f"{one.effect:+.3g} {one.unit}" if "show" in number and one.effect else one.shown
