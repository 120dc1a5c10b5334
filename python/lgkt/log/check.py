# SPDX-License-Identifier: MIT
"""Is a log sound? Findings, each with what to do about it.

What is found by a test (missing rewards, probabilities, hidden state, drift, changed coding) is
wrong with probability `ERROR` at most in a log where nothing of the kind is the matter, all tests
together; what is too small to matter is not told. Where there are more rows than `telling.ROWS`,
hidden state and drift are looked for in so many, drawn by a fixed seed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from lgkt.log.coding import Coded, without
from lgkt.log.reading import Told as Progress
from lgkt.log.telling import tellings
from lgkt.log.tried import tries

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lgkt.log.log import Log

ERROR = 0.01  # chance that a sound log gets any finding that comes from a test
RARE = 10  # tries of a pair below which its average tells little
SWAP = 0.02  # share of the rows between the last of an old coding and the first of a new one
FLOOR = 0.01  # share of the spread of rewards or next states that is worth telling
ROUGH = 0.05  # the same for records, of which a regression leaves something in any case
LEVELS = ("problem", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """Something about a log: `level` is "problem" where answers may be wrong for it, "warning"
    where they may be weak, "note" where it is good to know. `count` is that of rows, pairs, levels
    or units concerned, as the text says."""

    code: str
    level: str
    count: int
    text: str
    todo: str


@dataclass(frozen=True)
class Check:
    """What was found, worst first. It prints as one page."""

    name: str
    rows: int
    units: int
    words: str  # what the log is
    findings: tuple[Finding, ...]
    pictures: dict[str, Any] = field(repr=False)

    def __getitem__(self, code: str) -> Finding | None:
        """The finding with that code, if there is one."""
        return next((one for one in self.findings if one.code == code), None)

    @property
    def sound(self) -> bool:
        """Whether there is no problem."""
        return all(one.level != "problem" for one in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """For machines: rows, units, and the findings with all their fields."""
        return {"rows": self.rows, "units": self.units,
                "findings": [asdict(one) for one in self.findings]}

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.words}"]
        for level in LEVELS:
            some = [one for one in self.findings if one.level == level]
            for one in some:
                lines += [f"{level}: {one.text}", f"    -> {one.todo}"]
        if not self.findings:
            lines.append("nothing was found that is wrong with it")
        lines.append(f"Of a sound log, {ERROR:.0%} at most get a finding that comes from a test.")
        return "\n".join(lines)

    def to_json(self) -> str:
        return json.dumps(self.to_dict())

    def plot(self) -> Figure:
        """Four pictures: rows and rewards over time, tries of each action, missing rewards by
        action, and what the last action, the last reward and the time still tell."""
        from lgkt.log.check_pictures import draw

        return draw(self)


def _some(items: list[Any], limit: int = 3) -> str:
    texts = ['"' + str(one if not isinstance(one, tuple) or len(one) > 1 else one[0]) + '"'
             for one in items[:limit]]
    return ", ".join(texts) + f" and {len(items) - limit} more" * (len(items) > limit)


def _share(part: float) -> str:
    return f"{100 * part:.2g}%"


def _alike(c: Coded, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = c.action[i] == c.action[j]
    a, b = c.reward[i], c.reward[j]
    same &= (a == b) | (np.isnan(a) & np.isnan(b))
    if c.state is not None:
        same &= c.state[i] == c.state[j]
    elif c.record is not None:
        x, y = c.record[i], c.record[j]
        same &= ((x == y) | (np.isnan(x) & np.isnan(y))).all(1)
    return same


def copies(c: Coded) -> NDArray[np.bool_]:
    """Rows whose unit, time, state, action and reward are those of a row before in the episode."""
    twice = np.zeros(c.n, np.bool_)
    if c.time is None:
        return twice
    equal = np.zeros(c.n, np.bool_)
    equal[1:] = c.time[1:] == c.time[:-1]
    equal[c.start[:-1]] = False
    # where a file was joined with itself, copies may be further apart than one row
    reach = equal
    for lag in range(1, 9):
        at = np.flatnonzero(reach)
        if not at.size:
            break
        twice[at[_alike(c, at, at - lag)]] = True
        following = np.zeros(c.n, np.bool_)
        following[lag + 1:] = reach[lag:-1] & equal[lag + 1:]
        reach = following
    return twice


class _Search:
    def __init__(self, coded: Coded) -> None:
        self.c = coded
        self.copies = copies(coded)
        self.found: list[Finding] = []
        self.pictures: dict[str, Any] = {"actions": [str(one) for one in coded.actions]}

    def say(self, code: str, level: str, count: int, text: str, todo: str) -> None:
        self.found.append(Finding(code, level, int(count), text, todo))

    # ---- rows ----

    def rows(self) -> None:
        c = self.c
        same_unit = np.zeros(c.n, np.bool_)
        same_unit[1:] = c.unit[1:] == c.unit[:-1]
        if c.time is None:
            self.say("no-time", "note", c.n, "no column says when: rows are taken in the order of "
                     "the file", "name the time (time=), so that order, gaps and drift can be seen")
        else:
            self._times(same_unit)
        late = same_unit[1:] & (c.row[1:] < c.row[:-1])
        if c.time is not None and late.any():
            self.say("order", "note", late.sum(), f"{late.sum()} rows stand in the file before one "
                     "that is earlier: they were sorted by time", "nothing, if the times are right")
        units = len(c.units)
        if units == 1:
            self.say("one-unit", "problem", 1, "all rows are of one unit: nothing says how much "
                     "units differ, so no interval can be given",
                     "name the unit (unit=), or log more units")
        elif units < 20:
            self.say("few-units", "warning", units, f"there are {units} units only: intervals "
                     "resample units and will be rough", "log more units")

    def _times(self, same_unit: NDArray[np.bool_]) -> None:
        c = self.c
        assert c.time is not None
        equal = np.zeros(c.n, np.bool_)
        equal[1:] = same_unit[1:] & (c.time[1:] == c.time[:-1])
        twice = self.copies
        if twice.any():
            rows = np.sort(c.row[twice])
            self.say("duplicates", "problem", twice.sum(), f"{twice.sum()} rows are there twice "
                     f"(unit, time, state, action and reward are the same; the first is row "
                     f"{rows[0]})", "drop the copies, as log.without_copies() does: each counts as "
                     "a decision of its own")
        others = equal & ~twice
        if others.any():
            self.say("same-time", "note", others.sum(), f"{others.sum()} rows have the time of the "
                     "unit's row before: they keep the order of the file",
                     "log finer times if that order is not theirs")
        self._gaps(same_unit & ~equal)

    def _gaps(self, linked: NDArray[np.bool_]) -> None:
        c = self.c
        assert c.time is not None
        inside = linked.copy()
        inside[c.start[:-1]] = False
        at = np.flatnonzero(inside)
        if len(at) < 20:
            return
        step = c.time[at] - c.time[at - 1]
        usual = float(np.median(step))
        regular = np.mean(np.abs(step - usual) <= 0.01 * usual) > 0.8
        limit = 1.5 * usual if regular else 20 * float(np.quantile(step, 0.9))
        gap = step > limit
        if gap.any():
            rows = np.sort(c.row[at[gap]])
            self.say("gaps", "warning" if regular else "note", gap.sum(),
                     f"{gap.sum()} rows come more than {limit:.6g} after the unit's row before, "
                     f"where {usual:.6g} is usual (the first is row {rows[0]}): what happened "
                     "between is not in the log, and they are taken for what the row before led to",
                     "log what is missing, or say where trajectories end (episode= or cut=)")

    # ---- columns ----

    def columns(self) -> None:
        c = self.c
        used = np.bincount(c.action, minlength=c.A)
        if (used > 0).sum() == 1:
            self.say("one-action", "problem", c.n, f"only {_some([c.actions[used.argmax()]])} was "
                     "ever played: nothing can be said of other actions",
                     "try others now and then, with known probabilities")
        for name, distinct in self._distinct():
            if distinct <= 1:
                self.say("constant", "warning", 1, f'the state column "{name}" never changes',
                         "leave it out")
        known = c.reward[~np.isnan(c.reward)]
        if not known.size:
            self.say("no-rewards", "problem", c.n, "no row has a reward", "name the reward column")
        elif known.min() == known.max():
            self.say("constant-reward", "problem", c.n, f"all rewards are {known[0]:g}",
                     "name the reward column")
        else:
            self._odd(known)
        self._missing_states()
        self._spelling()
        cut = c.n - int(c.next_known.sum())
        if cut > c.m:
            self.say("cut", "note", cut, f"of {cut} rows the next state is not known",
                     "nothing, if trajectories were cut there")

    def _distinct(self) -> list[tuple[str, int]]:
        c = self.c
        if c.state is not None:
            there = [c.states[i] for i in np.flatnonzero(np.bincount(c.state, minlength=c.S))]
            return [(name, len({one[i] for one in there})) for i, name in enumerate(c.state_names)]
        assert c.record is not None
        made = []
        for i, name in enumerate(c.state_names):
            x = c.record[:, i]
            known = x[~np.isnan(x)]
            made.append((name, 2 if known.size and known.min() < known.max() else 1))
        return made

    def _odd(self, known: NDArray[np.float64]) -> None:
        """A value such as -999 or 9999 that stands for something else: far out, and often the
        same."""
        low, high = np.quantile(known, [0.02, 0.98], method="nearest")
        if low == high:  # nearly all are the same: the others are looked at
            known = known[known != low]
            low, high = np.quantile(known, [0.02, 0.98], method="nearest")
        width = high - low
        if not width > 0:
            return
        far = known[(known < low - 10 * width) | (known > high + 10 * width)]
        if far.size == 0:
            return
        values, counts = np.unique(far, return_counts=True)
        often = values[counts.argmax()]
        if counts.max() >= 3:
            self.say("impossible", "problem", far.size, f"{far.size} rewards are far from all "
                     f"others, {counts.max()} of them {often:g}, where 96% lie between {low:g} and "
                     f"{high:g}: is that a code for missing?", "leave empty what is missing")
        else:
            self.say("outliers", "warning", far.size, f"{far.size} rewards are far from all others "
                     f"(as {often:g}, where 96% lie between {low:g} and {high:g})",
                     "see whether they are right: single ones decide the averages")

    def _missing_states(self) -> None:
        c = self.c
        if c.state is not None:
            bad = [i for i, one in enumerate(c.states) if None in one]
            count = int(np.isin(c.state, bad).sum()) if bad else 0
        else:
            assert c.record is not None
            count = int(np.isnan(c.record).any(1).sum())
        if count:
            self.say("missing-state", "note", count, f"in {count} rows a part of the state is "
                     "missing; that is taken for a value of its own",
                     "see whether it is missing for a reason that the state should hold")

    def _spelling(self) -> None:
        c = self.c
        lists = [("action", c.actions)]
        lists += [(name, list(dict.fromkeys(one[i] for one in c.states)))
                  for i, name in enumerate(c.state_names)] if c.states else [
            (one[0], one[1]) for one in c.features if isinstance(one, tuple)]
        for name, levels in lists:
            plain: dict[str, list[Any]] = {}
            for one in levels:
                if one is not None:
                    plain.setdefault("".join(str(one).lower().split()), []).append(one)
            for some in plain.values():
                if len(some) > 1:
                    self.say("spelling", "warning", len(some), f'column "{name}": {_some(some)} '
                             "differ in letters or spaces only", "spell them alike if they are the "
                             "same")

    # ---- tries ----

    def tried(self) -> None:
        c = self.c
        if c.state is None:
            used = np.bincount(c.action, minlength=c.A)
            self.pictures["tries"] = used
            some = [c.actions[a] for a in np.flatnonzero(used < max(RARE, c.n // 200))]
            if some and (used > 0).sum() > 1:
                self.say("rarely-tried", "warning", len(some), f"{_some(some)} had less than "
                         f"{max(RARE, c.n // 200)} tries of {c.n}",
                         "try them more often, with known probabilities")
            return
        counts = tries(c)
        self.pictures["tries"] = counts.sum(0)
        visits = counts.sum(1)
        possible = np.ones((c.S, c.A), np.bool_)
        if c.allowed is not None:
            for a in range(c.A):
                possible[:, a] = np.bincount(c.state, c.allowed[:, a], c.S) > 0
        possible &= visits[:, np.newaxis] > 0
        never, rare = possible & (counts == 0), possible & (counts > 0) & (counts < RARE)
        total = possible.sum()
        for code, which, words in (("never-tried", never, "never tried"),
                                   ("rarely-tried", rare, f"tried less than {RARE} times")):
            if not which.any():
                continue
            at = np.argwhere(which)
            worst = at[visits[at[:, 0]].argmax()]
            share = visits[which.any(1)].sum() / c.n
            self.say(code, "warning", which.sum(), f"{which.sum()} of {total} pairs of a state and "
                     f"an action were {words}; {_share(share)} of the rows are in their states, "
                     f"most in {_some([c.states[worst[0]]])} (action "
                     f"{_some([c.actions[worst[1]]])})",
                     "policies that play them cannot be judged; try them now and then"
                     + ("" if c.allowed is not None else
                        ", or say which actions are allowed (allowed=)"))

    # ---- tests ----

    def missing(self) -> list[tuple[float, Finding]]:
        c = self.c
        lacking = np.isnan(c.reward)
        by_action = np.bincount(c.action[lacking], minlength=c.A)
        used = np.bincount(c.action, minlength=c.A)
        with np.errstate(invalid="ignore"):
            share = by_action / used
        self.pictures["missing"] = np.nan_to_num(share)
        count = int(lacking.sum())
        if not count or count == c.n:
            return []
        tried_ = used > 0
        table = np.array([by_action, used - by_action])[:, tried_]
        text = f"{count} rewards ({_share(count / c.n)}) are missing"
        if table.shape[1] > 1 and table.sum(1).min() > 0:
            low, high = np.nanargmin(share), np.nanargmax(share)
            chance = _independent(table)
            uneven = (f"{text}, and not evenly: {_share(share[high])} after "
                      f"{_some([c.actions[high]])}, {_share(share[low])} after "
                      f"{_some([c.actions[low]])}")
            finding = Finding("missing-rewards-uneven", "problem", count, uneven,
                              "find out why: if bad results are reported less often after one "
                              "action, that action looks better than it is")
            self.say("missing-rewards", "note", count, text, "log them: what is left out may not "
                     "be like the rest")
            return [(chance, finding)]
        self.say("missing-rewards", "note", count, text,
                 "log them: what is left out may not be like the rest")
        return []

    def probabilities(self) -> list[tuple[float, Finding]]:
        c = self.c
        if c.probability is None:
            self.say("no-probabilities", "warning", c.n, "no column says with which probability "
                     "the action was chosen: it must be estimated from the log",
                     "log it from now on, with the decision")
            return []
        lacking = int(np.isnan(c.probability).sum())
        if lacking:
            self.say("missing-probabilities", "note", lacking, f"{lacking} rows have no "
                     "probability", "log it with each decision")
        sure = float(np.mean(c.probability[~np.isnan(c.probability)] > 0.999))
        if sure > 0.9:
            self.say("deterministic", "warning", round(sure * c.n), f"{_share(sure)} of the "
                     "actions were certain (probability above 0.999): the log says little of what "
                     "others would have earned",
                     'let chance decide now and then, as explore:of=(..),floor=0.02 does')
        from lgkt.log.calibration import disagreement

        found = disagreement(c)
        if found is None:
            return []
        chance, count, words = found
        return [(chance, Finding("probabilities-wrong", "problem", count,
                                 f"the probabilities do not agree with what was played: {words}",
                                 "see what the column holds: it must be the probability of the "
                                 "action that was played, when it was drawn"))]

    def telling(self) -> list[tuple[float, Finding]]:
        # a copy would be explained by the row before
        t = tellings(without(self.c, self.copies) if self.copies.any() else self.c)
        self.pictures["telling"] = t
        made = []
        floor = FLOOR if self.c.state is not None else ROUGH
        for code, some, words, todo in (
            ("hidden-state", t.last_action, "the unit's last action",
             "add to the state what remembers it, as the last action"),
            ("hidden-state", t.last_reward, "the unit's last reward",
             "add to the state what remembers it, as the last reward or what kind of unit it is"),
            ("drift", t.time, "the time",
             "use the later part alone, or add to the state what has changed"),
        ):
            for what, one in zip(("the reward", *["the next state"] * 3), some):
                if one.known and one.share >= floor:
                    made.append((one.chance, Finding(
                        code, "problem", one.rows, f"beyond state and action, {words} still "
                        f"explains {_share(one.share)} of the spread of {what}: "
                        + ("the state does not tell all" if code == "hidden-state"
                           else "what actions do has changed over time"), todo)))
        if t.law.known and t.law.share >= FLOOR:
            level = "note" if self.c.probability is not None else "warning"
            made.append((t.law.chance, Finding(
                "policy-changed", level, t.law.rows, "how actions are chosen in a state has "
                f"changed over time (that explains {_share(t.law.share)} of the choices)",
                "nothing, if the probabilities are logged" if level == "note" else
                "log the probabilities; estimated ones are averages over the time")))
        return made

    def coding(self) -> list[tuple[float, Finding]]:
        """Values that come up late or are gone early. If a value were as likely at all times, then
        of its u units all would have it later than a share f of the time with probability
        (1 - f)^u."""
        c = self.c
        clock = c.time if c.time is not None else c.row.astype(np.float64)
        order = np.argsort(clock, kind="stable")
        place = np.empty(c.n, np.float64)
        place[order] = np.arange(c.n) / max(c.n - 1, 1)
        made = []
        for name, codes, levels in self._coded_columns():
            count = len(levels)
            if count < 2 or count > 1000:
                continue
            first, last = np.full(count, 2.0), np.full(count, -1.0)
            there = codes >= 0
            np.minimum.at(first, codes[there], place[there])
            np.maximum.at(last, codes[there], place[there])
            units = _units_of(c.unit, codes, count, len(c.units))
            late = np.where((first > 0.1) & (first < 0.95), (1 - first) ** units, 1.0)
            gone = np.where((last < 0.9) & (last > 0.05), last ** units, 1.0)
            chance = float(min(late.min(), gone.min())) * 2 * count
            limit = ERROR / 10 / (2 * count)
            new, old = np.flatnonzero(late < limit), np.flatnonzero(gone < limit)
            # a column that counts the time has values that come and go, each in its turn
            if not len(new) + len(old) or len(set(new) & set(old)) > max(1, count // 2):
                continue
            swapped = any(abs(first[i] - last[j]) <= SWAP for i in new for j in old if i != j)
            said = []
            if len(new):
                said.append(f"{_some([levels[i] for i in new])} occur{'s' * (len(new) == 1)} only "
                            f"after {_share(first[new].min())} of the rows")
            if len(old):
                said.append(f"{_some([levels[i] for i in old])} only before "
                            f"{_share(last[old].max())}")
            words = " and ".join(said)
            if swapped:
                finding = Finding(
                    "coding-changed", "problem", len(new) + len(old), f'column "{name}": {words}: '
                    "has the coding changed?", "give the same thing the same name throughout")
            elif name == "action":
                finding = Finding("late-values", "warning", len(new) + len(old),
                                  f"actions: {words}", "see whether it could have been played at "
                                  "other times")
            else:  # states are often reached only after a while
                continue
            made.append((min(chance, 1.0), finding))
        return made

    def _coded_columns(self) -> list[tuple[str, NDArray[Any], list[Any]]]:
        c = self.c
        made: list[tuple[str, NDArray[Any], list[Any]]] = [("action", c.action, c.actions)]
        if c.state is not None:
            for i, name in enumerate(c.state_names):
                levels = list(dict.fromkeys(one[i] for one in c.states))
                number = {one: j for j, one in enumerate(levels)}
                table = np.array([number[one[i]] for one in c.states], np.int32)
                made.append((name, table[c.state], levels))
        elif c.record is not None:
            for i, feature in enumerate(c.features):
                if isinstance(feature, tuple):
                    x = c.record[:, i]
                    made.append((feature[0], np.where(np.isnan(x), -1, x).astype(np.int32),
                                 feature[1]))
        return made

    # ---- pictures ----

    def over_time(self) -> None:
        c = self.c
        clock = c.time if c.time is not None else c.row.astype(np.float64)
        low, high = float(clock.min()), float(clock.max())
        bins = 40
        at = np.minimum(((clock - low) / (high - low or 1.0) * bins).astype(np.int32), bins - 1)
        known = ~np.isnan(c.reward)
        with np.errstate(invalid="ignore"):
            mean = np.bincount(at[known], c.reward[known], bins) / np.bincount(
                at[known], minlength=bins)
        self.pictures["time"] = low, high, np.bincount(at, minlength=bins), mean


def _independent(table: NDArray[Any]) -> float:
    """The chance of a table (2, k) as uneven as this, if rows and columns have nothing to do with
    each other."""
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    if expected.min() >= 5:
        return float(stats.chi2_contingency(table, correction=False).pvalue)
    # each column against the rest: exact, and as many as there are columns
    total = table.sum(1)
    chances = [stats.fisher_exact(np.array([column, total - column])).pvalue for column in table.T]
    return min(1.0, float(min(chances)) * len(chances))


def _units_of(unit: NDArray[np.int32], codes: NDArray[Any], count: int,
              units: int) -> NDArray[np.int64]:
    """In how many units each value occurs."""
    if count * units > 2**27:
        unit, units = unit % (2**27 // count), 2**27 // count  # a lower bound
    seen = np.zeros(count * units, np.bool_)
    there = codes >= 0
    seen[codes[there].astype(np.int64) * units + unit[there]] = True
    made: NDArray[np.int64] = seen.reshape(count, units).sum(1)
    return made


def check(log: Log, progress: bool | None = None) -> Check:
    """Looks at a log from all sides."""
    c = log.coded
    search = _Search(c)
    told = Progress(f"checking {log.name}", progress)
    tests: list[tuple[float, Finding]] = []
    for words, step in (("rows", search.rows), ("columns", search.columns),
                        ("tries", search.tried), ("time", search.over_time)):
        told(words)
        step()
    for words, test in (("missing rewards", search.missing),
                        ("probabilities", search.probabilities),
                        ("hidden state and drift", search.telling), ("coding", search.coding)):
        told(words)
        tests += test()
    # as many tests as there may be, so that it does not depend on what was found
    among = 20
    worst: dict[str, tuple[float, Finding]] = {}
    for chance, finding in tests:
        columns = finding.code in ("coding-changed", "late-values")
        key = finding.code + finding.text if columns else finding.code
        if chance * among <= ERROR and (key not in worst or chance < worst[key][0]):
            worst[key] = chance, finding
    search.found += [finding for _, finding in worst.values()]
    if "missing-rewards-uneven" in worst:
        search.found = [one for one in search.found if one.code != "missing-rewards"]
    ordered = sorted(search.found, key=lambda one: LEVELS.index(one.level))
    state = (f"a table of {c.S} states" if c.kind == "table"
             else f"records of {len(c.features)} features")
    words = (f"{c.n} rows, {len(c.units)} units, {c.m} episodes, {state}, {c.A} actions")
    return Check(log.name, c.n, len(c.units), words, tuple(ordered), search.pictures)
