# SPDX-License-Identifier: MIT
"""What another policy would have earned: `log.evaluate(policy)`.

The quantity is the mean reward per decision if the policy had made all decisions of the log's
units, from the states they began in, over the lengths they had. One estimator is chosen by a rule
that looks at sizes and overlap, never at rewards:

- In a table the *weighted doubly robust* one where the log has its probabilities, its weights leave
  50 effective units and 100 decisions, and the mean of (weight - 1)^2, by which the difference to
  the log's own policy scatters, is at most 1.8 times that of the fitted model's weights: it needs
  no Markov property, and costs little there. Else the *fitted model*.
- For records the *weighted doubly robust* one; where only the policy's probabilities of the logged
  actions are known, *weighted importance sampling*.

The verdict is that of the chosen one's 95% interval of the difference to the log's own policy, and
"cannot be told" where the interval holds 0, where there are fewer than 50 effective units or 100
decisions, where the policy plays too often what the log never tried, and where `check` found hidden
state or drift and the estimator does not allow for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lgkt import _digits
from lgkt._errors import error
from lgkt.log import estimators
from lgkt.log.behaviour import Behaviour, Floats, Played, behaviour, played
from lgkt.log.coding import Coded
from lgkt.log.estimators import Estimate, Rows
from lgkt.log.features import Features
from lgkt.log.fitted import Plan, Table, filled_records, ridge_values
from lgkt.log.intervals import RESAMPLES, SEED, Interval, intervals
from lgkt.log.reading import Told
from lgkt.log.warm import WarmLearner, WarmUnits

UNITS, DECISIONS = 50, 100  # effective ones that a verdict needs
UNTRIED = 0.02              # share of the policy's decisions that the log may know nothing of
_PRICE = 1.8                # what squared distances may cost where no Markov property is needed

_HIDDEN = {"hidden-state", "drift"}


class Reason(NamedTuple):
    """Why nothing can be told, or what to mind; `todo` says what would help."""

    code: str
    text: str
    todo: str


class Shown(NamedTuple):
    """One estimator's answer: the policy's mean and its difference to the log's, with the effective
    numbers and the largest weight."""

    name: str
    policy: Interval
    difference: Interval
    units: float
    decisions: float
    largest: float
    chosen: bool


@dataclass(frozen=True)
class Evaluation:
    """What a policy would have earned, by the estimator that was chosen, with the others beside it.

    `verdict` is "better", "worse" or "cannot be told", `reasons` why. `units` and `decisions`
    are the effective numbers, `overlap` is the share of decisions that the policy has in common
    with the log, `largest` the largest weight of a decision (their mean is 1), `untried` the
    share of the policy's decisions of which the log knows nothing (NaN for records).
    """

    verdict: str
    policy: Interval
    logged: Interval
    difference: Interval
    estimator: str
    units: float
    decisions: float
    overlap: float
    largest: float
    untried: float
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...]
    shown: tuple[Shown, ...]
    name: str
    kind: str
    rows: int
    all_units: int

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints; an end that is not finite is None."""
        return {
            "verdict": self.verdict, "logged": _ends(self.logged), "policy": _ends(self.policy),
            "difference": _ends(self.difference), "estimator": self.estimator,
            "effective": {"units": _finite(self.units), "decisions": _finite(self.decisions)},
            "reasons": [one._asdict() for one in self.reasons],
            "overlap": _finite(self.overlap), "largest_weight": _finite(self.largest),
            "untried": _finite(self.untried), "states": self.kind, "rows": self.rows,
            "units": self.all_units,
            "notes": list(self.notes),
            "shown": [{"estimator": one.name, "policy": _ends(one.policy),
                       "difference": _ends(one.difference),
                       "effective": {"units": _finite(one.units),
                                     "decisions": _finite(one.decisions)},
                       "largest_weight": _finite(one.largest)} for one in self.shown],
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def digits(self) -> Callable[[float], str]:
        """What prints its rewards."""
        return _digits.rewards(self.logged, self.policy, *(one.difference for one in self.shown))

    def __str__(self) -> str:
        show = self.digits()
        states = "states are a table" if self.kind == "table" else "states are records"
        if not self.shown:
            return (f"the log earned {_words(self.logged, show)} per decision; {states}, "
                    f"{self.all_units} units, {self.rows} decisions")
        heads = {"better": f"{self.name} is better than what the log did",
                 "worse": f"{self.name} is worse than what the log did",
                 "cannot be told": f"whether {self.name} is better cannot be told from this log"}
        lines = [
            heads[self.verdict],
            f"  logged      {_words(self.logged, show)} per decision",
            f"  {self.name[:11]:11} {_words(self.policy, show)}",
            f"  difference  {_words(self.difference, show)}",
            f"estimator: {self.estimator}; {states}; worth {self.units:.0f} of {self.all_units} "
            f"units and {self.decisions:.0f} of {self.rows} decisions, overlap "
            f"{self.overlap:.0%}, largest weight {self.largest:.3g}",
        ]
        lines += [f"- {one.text}" + (f" {one.todo}" if one.todo else "") for one in self.reasons]
        lines += [f"- {note}" for note in self.notes]
        lines += ["", f"{'all estimators':34} {'difference':>10}  {'95% interval':24} "
                      f"{'units':>7} {'decisions':>10}"]
        for one in self.shown:
            known = not math.isnan(one.difference.mean)
            mean = show(one.difference.mean) if known else "not known"
            ends = f"{show(one.difference.low)} to {show(one.difference.high)}" if known else ""
            lines.append(f"{one.name + ' *' * one.chosen:34} {mean:>10}  {ends:24} "
                         f"{one.units:7.0f} {one.decisions:10.0f}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _ends(interval: Interval) -> dict[str, float | None]:
    return {name: _finite(value) for name, value in interval._asdict().items()}


def _words(interval: Interval, show: Callable[[float], str]) -> str:
    if math.isnan(interval.mean):
        return "not known: the log never does all that the policy does"
    return interval.words(show)


# ---- the estimators of a log ----

@dataclass(frozen=True)
class _Answers:
    """All estimates of a policy, with what is needed to choose and to explain."""

    rows: Rows
    logged: Estimate
    estimates: list[Estimate]
    untried: float
    pairs: list[tuple[int, int, float]]
    notes: list[str]


def _rows(coded: Coded, reward: Floats) -> Rows:
    """The rows in a form for estimators; the units' first rows are where the unit changes."""
    changes = np.flatnonzero(np.diff(coded.unit)) + 1
    first = np.concatenate([[0], changes, [len(coded.unit)]]).astype(np.int64)
    return Rows(reward, np.asarray(coded.start, np.int64), first)


def _weighted(rows: Rows, ratio: Floats) -> tuple[Floats, Floats]:
    w = estimators.cumulated(ratio, rows)
    return w, estimators.normalised(w, rows)


def _in_table(coded: Coded, logged: Behaviour, law: Played) -> _Answers:
    table = Table(coded)
    rows = _rows(coded, table.reward)
    notes = [logged.note] + _missing(table.missing)
    ratio = law.logged / logged.logged
    w, scaled = _weighted(rows, ratio)
    estimates = []
    untried, pairs = math.nan, list[tuple[int, int, float]]()
    if law.table is not None:
        plan = Plan(table, law.table, rows)
        estimates.append(plan.estimate())
        untried, pairs = plan.untried()
        q, v = plan.on_rows()
        estimates += [estimators.weighted_doubly_robust(rows, w, scaled, q, v),
                      estimators.doubly_robust(rows, w, q, v)]
    estimates += [estimators.marginalised(rows, ratio, table.state, coded.S),
                  estimators.weighted_importance(rows, scaled), estimators.importance(rows, w)]
    return _Answers(rows, estimators.logged(rows), estimates, untried, pairs, notes)


def _in_records(coded: Coded, features: Features, logged: Behaviour, law: Played) -> _Answers:
    reward, missing = filled_records(coded, features)
    rows = _rows(coded, reward)
    ratio = law.logged / logged.logged
    w, scaled = _weighted(rows, ratio)
    estimates = []
    if law.rows is not None and law.following is not None:
        q, v = ridge_values(coded, features, rows, law.rows, law.following)
        trust = estimators.trust(rows, w, scaled, q, v)
        estimates += [estimators.weighted_doubly_robust(rows, w, scaled, trust * q, trust * v),
                      estimators.doubly_robust(rows, w, q, v)]
    estimates += [estimators.weighted_importance(rows, scaled), estimators.importance(rows, w)]
    return _Answers(rows, estimators.logged(rows), estimates, math.nan, [],
                    [logged.note] + _missing(missing))


def _missing(count: int) -> list[str]:
    return [f"{count} rewards are missing; each counts as the mean of its action in its state "
            "(for records by a regression), as if chance alone had removed it"] if count else []


def choose(estimates: list[Estimate], given: bool) -> Estimate:
    """The estimator that the verdict is by. Looks at effective numbers only."""
    by_name = {one.name: one for one in estimates}
    robust = by_name.get("weighted doubly robust")
    fitted = by_name.get("fitted model")
    if fitted is None:
        return robust or by_name["weighted importance sampling"]
    if (robust is not None and given and robust.units >= UNITS and robust.decisions >= DECISIONS
            and robust.distance <= _PRICE * fitted.distance):
        return robust
    return fitted


# ---- the verdict ----

def _too_few(chosen: Estimate, all_units: int) -> list[Reason]:
    reasons = []
    for what, have, need in (("units", chosen.units, UNITS),
                             ("decisions", chosen.decisions, DECISIONS)):
        if have < need:
            times = need / have if have > 0 else math.inf
            more = (f"Log about {times:.1f} times as many units" if times < 1000
                    else "More of the same log would hardly help")
            if have < 0.5 * all_units:
                more += ", or let the log's policy play more often what this policy plays"
            reasons.append(Reason(f"few-{what}", f"for this policy the log is worth {have:.1f} "
                                  f"{what}; a verdict needs {need}.", more + "."))
    return reasons


def _untried(coded: Coded, answers: _Answers) -> list[Reason]:
    if not answers.untried > UNTRIED:
        return []
    pairs = [f"{coded.actions[a]} in "
             + ", ".join(f"{name}={part}" for name, part in
                         zip(coded.state_names, coded.states[s], strict=True))
             + f" ({share:.1%})" for s, a, share in answers.pairs[:3]]
    return [Reason("untried", f"{answers.untried:.1%} of the policy's decisions are of a kind that "
                   "the log never tried: " + "; ".join(pairs) + ".",
                   "Log with a small probability for every allowed action (a floor).")]


def _found(findings: Sequence[Any], chosen: Estimate, given: bool) -> list[Reason]:
    """What `check` found, where the estimator does not allow for it."""
    if chosen.robust and given:
        return []
    texts = {
        "hidden-state": ("what follows depends on more than the state (hidden state), which the "
                         f"{chosen.name} does not allow for.",
                         "Log what is missing as a column of the state, or the last action."),
        "drift": (f"the world changes over time (drift), which the {chosen.name} does not allow "
                  "for.", "Judge by the later part of the log alone."),
    }
    codes = {str(getattr(one, "code", one)) for one in findings}
    return [Reason(code, *texts[code]) for code in sorted(codes & _HIDDEN)]


def _open(difference: Interval, scale: float) -> list[Reason]:
    """The interval holds 0, as far as rounding of numbers of size `scale` lets one see."""
    slack = 1e-12 * scale
    if difference.low > slack or difference.high < -slack:
        return []
    half = (difference.high - difference.low) / 2
    if not math.isfinite(half) or difference.mean == 0:
        todo = ""
    else:
        times = (half / abs(difference.mean))**2
        todo = (f"If the difference is {difference.mean:.3g}, as it seems, it takes about "
                f"{max(times, 1.1):.1f} times as many units." if times < 100 else
                "It would take more than 100 times as many units.")
    return [Reason("interval", "the interval of the difference holds 0.", todo)]


def verdict(coded: Coded, answers: _Answers, chosen: Estimate, difference: Interval,
            findings: Sequence[Any], given: bool) -> tuple[str, list[Reason]]:
    """better, worse or cannot be told, and why."""
    reasons = (_too_few(chosen, len(answers.rows.first) - 1) + _untried(coded, answers)
               + _found(findings, chosen, given)
               + _open(difference, float(np.abs(answers.rows.reward).max())))
    if reasons:
        return "cannot be told", reasons
    word = "better" if difference.mean > 0 else "worse"
    return word, [Reason("interval", "the interval of the difference does not hold 0.", "")]


def evaluate(
    log: Any,
    policy: Any = "logged",
    *,
    probabilities: ArrayLike | None = None,
    name: str | None = None,
    findings: Sequence[Any] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: bool | None = None,
) -> Evaluation:
    """What `policy` would have earned per decision, had it made all decisions of the log.

    `policy` is "logged", or what `behaviour.played` takes; `probabilities` are in the order of the
    file. `findings` are those of the log's check, which is asked where they are not given.
    """
    coded: Coded = log if isinstance(log, Coded) else log.coded
    if coded.unit[0] == coded.unit[-1]:
        raise error("ARGUMENT", "the log has one unit only; intervals need at least 2, and a "
                                f"verdict at least {UNITS}. If it began anew at times, name a "
                                "column for the unit that says so")
    if np.isnan(coded.reward).all():
        raise error("ARGUMENT", "all rewards of the log are missing")
    told = Told("evaluating", progress)
    as_logged = isinstance(policy, str) and policy == "logged" and probabilities is None
    features = Features.of(coded) if coded.kind == "record" else None
    past = behaviour(coded, features)
    law = Played("logged", past.logged) if as_logged else played(coded, policy, probabilities)
    told("estimators")
    answers = (_in_table(coded, past, law) if features is None
               else _in_records(coded, features, past, law))
    if isinstance(policy, WarmLearner | WarmUnits):
        answers.notes.append("the learner was fed with a log: if it was this one, its policy was "
                             "chosen by the same rewards, and the estimate is likely too good")
    told("resampling units")
    if as_logged:
        return _as_logged(coded, answers, resamples, seed)
    if findings is None:
        findings = [] if isinstance(log, Coded) else log._findings
    chosen = choose(answers.estimates, past.given)
    base, shown = _shown(answers, chosen, resamples, seed)
    mine = next(one for one in shown if one.chosen)
    word, reasons = verdict(coded, answers, chosen, mine.difference, findings, past.given)
    return Evaluation(
        verdict=word, policy=mine.policy, logged=base, difference=mine.difference,
        estimator=chosen.name, units=chosen.units, decisions=chosen.decisions,
        overlap=chosen.overlap, largest=chosen.largest, untried=answers.untried,
        reasons=tuple(reasons), notes=tuple(answers.notes), shown=tuple(shown),
        name=name or law.name, kind=coded.kind, rows=coded.n, all_units=len(answers.logged.parts))


def _shown(answers: _Answers, chosen: Estimate, resamples: int,
           seed: int) -> tuple[Interval, list[Shown]]:
    """The log's own interval, and that of each estimator with its difference, from the same
    resamples."""
    base, every = answers.logged, answers.estimates
    parts = np.column_stack([base.parts] + [one.parts for one in every]
                            + [one.parts - base.parts for one in every])
    means = ([base.mean] + [one.mean for one in every]
             + [one.mean - base.mean for one in every])
    made = intervals(means, parts, len(answers.rows.reward), resamples=resamples, seed=seed)
    policies, differences = made[1:1 + len(every)], made[1 + len(every):]
    return made[0], [
        Shown(one.name, policy, difference, one.units, one.decisions, one.largest, one is chosen)
        for one, policy, difference in zip(every, policies, differences, strict=True)]


def _as_logged(coded: Coded, answers: _Answers, resamples: int, seed: int) -> Evaluation:
    """The log's own policy: the mean of its rewards."""
    base = answers.logged
    only = intervals([base.mean], base.parts[:, None], coded.n, resamples=resamples, seed=seed)[0]
    same = Reason("same", "this is the policy of the log itself.", "")
    return Evaluation(
        verdict="cannot be told", policy=only, logged=only, difference=Interval(0.0, 0.0, 0.0),
        estimator="mean of the log", units=base.units, decisions=base.decisions, overlap=1.0,
        largest=1.0, untried=0.0, reasons=(same,), notes=tuple(answers.notes[1:]), shown=(),
        name="logged", kind=coded.kind, rows=coded.n, all_units=len(base.parts))
