# SPDX-License-Identifier: MIT
"""Verdicts: statistics against SciPy and their definitions, rules case by case, mistakes."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lgkt
from lgkt.report import claims
from lgkt.report.definition import KINDS, Definition, columns, read_definition, read_theory
from lgkt.report.results import MISSING, Number

stats = pytest.importorskip("scipy.stats")

HORIZON = 20000


class World:
    """Runs of a few learners at a few times, with what the reader of results would say of them."""

    name, measure, better = "world", "average", "higher"
    optimum, random, horizon = 3.0, 1.0, HORIZON

    def __init__(self, runs: dict[str, dict[int, Any]], full: int | None = None) -> None:
        self.data = {label: {t: np.asarray(x, float) for t, x in times.items()}
                     for label, times in runs.items()}
        self.instances = len(next(iter(next(iter(self.data.values())).values())))
        self.full_instances = full or self.instances
        self.compare = [100, 1000]
        self.entries = [SimpleNamespace(label=label, group=label[0], section="", oracle=False)
                        for label in runs]

    @staticmethod
    def number(x: Any) -> Number:
        n = len(x)
        w = math.nan if n < 2 else stats.t.ppf(0.975, n - 1) * np.std(x, ddof=1) / math.sqrt(n)
        return Number(float(np.mean(x)), float(w), n)

    def value(self, label: str, measure: str | None = None, t: int | None = None) -> Number:
        found = self.data[label].get(t or HORIZON)
        return MISSING if found is None else self.number(found)

    def pair(self, a: str, b: str, t: int | None = None) -> Number:
        at = t or HORIZON
        if at not in self.data[a] or at not in self.data[b]:
            return MISSING
        return self.number(self.data[a][at] - self.data[b][at])

    def select(self, groups: Any, labels: Any, sections: Any) -> list[Any]:
        return [e for e in self.entries if e.group in groups or e.label in labels]


def judge(world: World, checks: Any, theory: Any = None, **extra: Any) -> claims.Judgement:
    definition = Definition({
        "title": "t", "sections": [{"id": "s", "title": "S"}], **extra,
        "claims": [{"id": "C", "section": "s", "place": "1", "words": "w", "checks": checks}],
    }, "file.json")
    results: Any = {"e": SimpleNamespace(panels=[world])}
    return claims.judge(definition, results, theory or {})[0]


def only(world: World, **check: Any) -> claims.Comparison:
    column = judge(world, [{"experiment": "e", **check}]).columns["only"]
    return column.comparisons[0]


def sample(n: int, mean: float, spread: float, seed: int = 1) -> np.ndarray:
    """n numbers with exactly that mean and standard deviation."""
    x = np.random.default_rng(seed).standard_normal(n)
    return mean + spread * (x - x.mean()) / x.std(ddof=1)


# ---- statistics ----


@pytest.mark.parametrize("n", [2, 30, 40, 1000])
@pytest.mark.parametrize("mean", [-0.5, -0.1, 0.02, 0.3])
def test_p_values_are_those_of_t_tests(n: int, mean: float) -> None:
    x = sample(n, mean, 1.0)
    w = World.number(x).ci95
    wanted = stats.ttest_1samp(x, 0.0).pvalue
    assert claims.p_value(mean, w, n, 2) == pytest.approx(wanted, rel=1e-9)
    for m in (0.05, 0.4):
        # the two one-sided tests of |mean| < m: the larger p value
        low = stats.ttest_1samp(x, -m, alternative="greater").pvalue
        high = stats.ttest_1samp(x, m, alternative="less").pvalue
        if abs(mean) < m:
            assert claims.p_value(m - abs(mean), w, n, 1) == pytest.approx(max(low, high), rel=1e-9)


def holm_by_definition(p: list[float]) -> list[bool]:
    """Which are rejected at 5%: in order of size, until one is above 0.05 / (what is left)."""
    rejected = [False] * len(p)
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[i] > 0.05 / (len(p) - step):
            break
        rejected[i] = True
    return rejected


def test_decisions_are_those_of_holms_procedure() -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for case in range(24):
        n = 30 + case
        worlds = {f"b{i}": {HORIZON: sample(n, rng.normal(0.0, 0.6), 1.0, 100 * case + i)}
                  for i in range(7)}
        world = World({"a": {HORIZON: np.zeros(n)}, **worlds})
        kind, limit = [("above", {}), ("near", {"limit": 0.3}), ("close", {"limit": 0.9})][case % 3]
        found = judge(world, [{"kind": kind, "experiment": "e", "a": "a", "b": {"group": "b"},
                               **limit}]).columns["only"].comparisons
        p, inside = [], []
        for one in found:
            d, m = world.data["a"][HORIZON] - world.data[one.b][HORIZON], 0.0
            if kind != "above":
                m = limit["limit"] * abs(world.data[one.b][HORIZON].mean())
            mean = d.mean()
            if kind == "above":
                p.append(stats.ttest_1samp(d, 0.0).pvalue)
                inside.append(mean > 0.0)
            elif kind == "near":
                inside.append(mean > -m)
                word = "greater" if inside[-1] else "less"
                p.append(stats.ttest_1samp(d, -m, alternative=word).pvalue)
            else:
                inside.append(abs(mean) < m)
                tests = [stats.ttest_1samp(d, -m, alternative="greater").pvalue,
                         stats.ttest_1samp(d, m, alternative="less").pvalue]
                p.append(max(tests) if inside[-1] else 1.0 - max(tests))
        for one, shown, good in zip(found, holm_by_definition(p), inside, strict=True):
            assert one.side == ("open" if not shown else "for" if good else "against")
            seen.add((kind, one.side))
    assert len(seen) >= 7  # all kinds with nearly all sides


def test_what_a_single_test_would_show_is_open_among_many() -> None:
    x = sample(100, 0.25, 1.0)  # t = 2.5, p = 0.014
    world = World({"a": {HORIZON: x}, "b0": {HORIZON: np.zeros(100)},
                   **{f"b{i}": {HORIZON: x - sample(100, 0.0, 1.0, 9 + i)} for i in range(1, 6)}})
    alone = only(world, kind="above", a="a", b="b0")
    among = judge(world, [{"kind": "above", "experiment": "e", "a": "a", "b": {"group": "b"}}])
    assert alone.side == "for"
    assert among.columns["only"].comparisons[0].side == "open"
    assert among.columns["only"].verdict == "not judged"
    # columns are families of their own
    two = judge(world, {"printed": [{"kind": "above", "experiment": "e", "a": "a", "b": "b0"}],
                        "fair": [{"kind": "above", "experiment": "e", "a": "a",
                                  "b": {"group": "b"}}]})
    assert [c.verdict for c in two.columns.values()] == ["holds", "not judged"]


# ---- rules ----


def test_growth_kinds_by_hand() -> None:
    t = {2000: 100.0, 10000: 150.0, 20000: 200.0}
    regret = World({"r": {k: np.full(40, v) for k, v in t.items()},
                    "o": {5000: np.full(40, 1.0), 20000: np.full(40, 1.0)},
                    "l": {5000: np.full(40, 0.5), 20000: np.full(40, 0.25)}})
    flat = only(regret, kind="flat", a="r", limit=0.2)
    assert flat.value == pytest.approx(0.25) and flat.side == "against"
    assert only(regret, kind="flat", a="r", limit=0.26).side == "for"
    slower = only(regret, kind="slower", a="r", limit=0.302)
    assert slower.value == pytest.approx(math.log10(2.0)) and slower.side == "for"
    assert only(regret, kind="slower", a="r", limit=0.3).side == "against"
    # 5000 * 0.5 and 20000 * 0.75: a factor of 6 in a factor of 4
    linear = only(regret, kind="linear", a="l", b="o", limit=0.8)
    assert linear.value == pytest.approx(math.log(6.0) / math.log(4.0)) and linear.side == "for"


def test_the_rate_after_a_time_is_that_of_the_steps_after_it() -> None:
    late = {10000: np.full(40, 0.2), 20000: np.full(40, 0.55)}  # 0.9 in the second half
    rival = {10000: np.full(40, 0.4), 20000: np.full(40, 0.65)}  # and 0.9
    one = only(World({"a": late, "b": rival}), kind="close", a="a", b="b", limit=0.05, after=10000)
    assert one.value == pytest.approx(0.0) and one.margin == pytest.approx(0.045)
    assert one.side == "for"
    world = World({"a": {t: sample(40, 0.5, 0.1, t) for t in late}, "b": rival})
    one = only(world, kind="close", a="a", b="b", limit=0.05, after=10000)
    widths = [world.pair("a", "b", t).ci95 for t in (10000, 20000)]
    assert one.ci95 == pytest.approx(widths[0] + 2.0 * widths[1])  # the whole of both


def test_a_number_is_right_within_its_interval_or_two_hundredths() -> None:
    sides = {limit: only(World({"a": {HORIZON: sample(100, 0.76, spread)}}), kind="number", a="a",
                         limit=limit).side
             for limit, spread in ((0.75, 0.001), (0.70, 0.001), (0.71, 0.5))}
    assert sides == {0.75: "for", 0.70: "against", 0.71: "for"}


def test_exact_values_need_no_runs() -> None:
    world = World({"a": {HORIZON: [0.9]}, "b": {HORIZON: [0.9]}, "c": {HORIZON: [1.0]}})
    assert only(world, kind="exact", a="a", below=1).side == "for"
    assert only(world, kind="exact", a="c", below=1).side == "against"
    assert only(world, kind="exact", a="a", b="b").side == "against"
    assert only(world, kind="exact", a="c", b="b").side == "for"


def test_few_runs_are_shown_and_not_judged() -> None:
    world = World({"a": {HORIZON: sample(29, 5.0, 0.1)}, "b": {HORIZON: np.zeros(29)}})
    column = judge(world, [ABOVE]).columns["only"]
    assert column.comparisons[0].side == "too few runs" and column.verdict == "not judged"
    assert "+5.000 ± 0.038" in column.comparisons[0].text
    one = World({"a": {HORIZON: [1.0]}, "b": {HORIZON: [0.0]}})
    assert only(one, kind="above", a="a", b="b").side == "too few runs"


def test_verdicts_are_about_what_is_decided() -> None:
    def verdict(sides: str, *tests: str) -> str:
        words = {"f": "for", "o": "open", "a": "against", "m": "not measured", "t": "too few runs"}
        made = [claims.Comparison({"kind": "above"}, side=words[s]) for s in sides]
        return claims.decide(made + [claims.Comparison({"kind": "test"}, side=s) for s in tests])

    for n in range(1, 6):
        for sides in itertools.product("foam", repeat=n):
            f, a = sides.count("f"), sides.count("a")
            wanted = ("not judged" if "m" in sides or f + a == 0 else
                      ("holds" if f >= n / 2 else "not judged") if a == 0 else
                      "does not hold" if a > (f + a) / 2 else "holds in part")
            assert verdict("".join(sides)) == wanted
    assert verdict("fft") == "not judged"
    assert verdict("ff", "against") == "does not hold"  # a counterexample is enough
    assert verdict("", "for") == "holds"


def test_margins_enter_the_closest_evidence() -> None:
    world = World({"a": {HORIZON: np.full(50, 10.0)},
                   "b1": {HORIZON: sample(50, 10.1, 0.01)},  # far within the margin of 0.5
                   "b2": {HORIZON: sample(50, 10.4, 0.3)}})  # a larger difference, but near to it
    column = judge(world, [{"kind": "close", "experiment": "e", "a": "a", "b": {"group": "b"},
                            "limit": 0.05}]).columns["only"]
    assert column.verdict == "holds" and column.closest is not None
    assert column.closest.b == "b2"
    width = World.number(world.data["b2"][HORIZON]).ci95
    assert column.closest.distance == pytest.approx((0.05 * 10.4 - 0.4) / width)


def test_effects_are_points_of_the_score_or_shares() -> None:
    runs = {"a": {HORIZON: np.full(30, 1.2)}, "b": {HORIZON: np.full(30, 1.0)}}
    one = only(World(runs), kind="above", a="a", b="b")
    assert (one.effect, one.unit) == (pytest.approx(10.0), "pt")
    world = World(runs)
    world.measure = "cumulative"
    one = only(world, kind="above", a="a", b="b")
    assert (one.effect, one.unit) == (pytest.approx(20.0), "%")


def test_who_is_chosen_from_many_has_to_be_better() -> None:
    x = sample(100, 0.25, 1.0)  # p = 0.014, above 0.05 if multiplied by 4
    world = World({"a1": {HORIZON: x}, **{f"a{i}": {HORIZON: x - 9.0} for i in (2, 3, 4)},
                   "b": {HORIZON: np.zeros(100)}})
    alone = only(world, kind="above", a="a1", b="b")
    chosen = only(world, kind="above", a={"group": "a"}, b="b", best=True)
    rival = only(world, kind="above", a="b", b={"group": "a"}, **{"best-b": True})
    assert (alone.side, chosen.side, rival.side) == ("for", "open", "open")
    assert chosen.p == rival.p == pytest.approx(4.0 * stats.ttest_1samp(x, 0.0).pvalue)


def test_choices_times_and_the_best() -> None:
    up = {100: np.full(30, 0.1), 1000: np.full(30, 0.5), HORIZON: np.full(30, 1.0)}
    down = {100: np.full(30, 0.3), 1000: np.full(30, 0.3), HORIZON: np.full(30, 0.3)}
    world = World({"a1": up, "a2": down, "b": {t: np.full(30, 0.2) for t in up}})
    column = judge(world, [{"kind": "above", "experiment": "e", "a": {"group": "a"}, "b": "b",
                            "times": "along", "best": True}]).columns["only"]
    assert [(c.a, c.t) for c in column.comparisons] == [("a2", 100), ("a1", 1000), ("a1", HORIZON)]
    world.better = "lower"
    column = judge(world, [{"kind": "above", "experiment": "e", "a": ["a1", "a2"], "b": "b",
                            "times": [1000], "best": True}]).columns["only"]
    assert [c.a for c in column.comparisons] == ["a2"]
    column = judge(world, [{"kind": "above", "experiment": "e", "a": ["a1", "b"], "b": "b",
                            "times": [5]}]).columns["only"]
    assert [c.side for c in column.comparisons] == ["not measured"]  # and none with itself


def test_unit_tests_are_named_and_missing_ones_are_not_judged(tmp_path: Path) -> None:
    check = {"kind": "test", "file": "tests/unit/test_x.c", "test": "it_holds"}
    world = World({"a": {HORIZON: [0.0]}})
    column = judge(world, [check]).columns["only"]
    assert column.verdict == "not judged" and "has no result" in column.comparisons[0].text
    (tmp_path / "theory").mkdir()
    path = tmp_path / "theory" / "x.jsonl"

    def wrote(*holds: bool | None, could_fail: bool = True) -> claims.Judgement:
        made = [{"what": "gap", "measured": 2.5, "error": 0, "relation": "<=", "bound": 2,
                 "holds": side} for side in holds]
        path.write_text(json.dumps({"file": check["file"], "test": check["test"], "shown": "S = 1",
                                    "comparisons": made, "could_fail": could_fail}) + "\n")
        return judge(world, [check], read_theory([tmp_path]))

    column = wrote(True, False, None).columns["only"]
    assert [one.side for one in column.comparisons] == ["for", "against", "open"]
    assert column.verdict == "does not hold"
    assert column.comparisons[0].text == (
        "unit test `it_holds` of `tests/unit/test_x.c`: gap: 2.5, to be <= 2 (S = 1)")
    assert wrote(True, None).columns["only"].verdict == "holds"
    assert not wrote(True).certain and wrote(True, could_fail=False).certain
    path.write_text('{"file": "x", "test": "y", "holds": 1}\n')
    with pytest.raises(lgkt.InputError, match=r"x\.jsonl: line 1: needs file, test, could_"):
        read_theory([tmp_path])


# ---- mistakes ----


WORLD = World({"a": {HORIZON: np.ones(30)}, "b": {HORIZON: np.zeros(30)}})
ABOVE = {"kind": "above", "experiment": "e", "a": "a", "b": "b"}


@pytest.mark.parametrize("change, said", [
    ({"kind": "abvoe"}, 'claims[0].checks[0].kind: unknown kind "abvoe"; did you mean "above"?'),
    ({"experiment": "f"}, 'claims[0].checks[0].experiment: unknown experiment "f"; '),
    ({"panels": ["wrld"]}, 'claims[0].checks[0].panels: unknown panel of e "wrld"; did you mean '
                           '"world"?'),
    ({"a": "c"}, 'claims[0].checks[0].a: unknown label "c"; '),
    ({"b": {"group": "bb"}}, 'claims[0].checks[0].b: unknown group "bb"; '),
    ({"b": {"grup": "b"}}, 'claims[0].checks[0].b: unknown field "grup"; did you mean "group"?'),
    ({"tiems": ["end"]}, 'claims[0].checks[0]: unknown field "tiems"; did you mean "times"?'),
    ({"times": ["ende"]}, 'claims[0].checks[0].times: "ende" is no step and no "end"'),
    ({"times": [0]}, "claims[0].checks[0].times: 0 is no step"),
    ({"times": "alon"}, 'claims[0].checks[0].times: unknown word "alon"; did you mean "along"?'),
    ({"limit": "5%"}, 'claims[0].checks[0].limit: must be a number, not "5%"'),
    ({"limit": True}, "claims[0].checks[0].limit: must be a number, not true"),
    ({"best": 1}, "claims[0].checks[0].best: must be true or false, not 1"),
    ({"b": "a"}, "claims[0].checks[0]: chooses nothing to compare"),
    ({"kind": "close"}, 'claims[0].checks[0]: needs the field "limit"'),
    ({"kind": "exact", "below": 1}, 'claims[0].checks[0]: needs one of the fields "b", "below"'),
    ({"after": 5, "times": "end"}, 'claims[0].checks[0]: "after" is about the end'),
    ({"kind": "linear", "limit": 1, "from": 1}, "claims[0].checks[0].from: is 1; it must be above"),
])
def test_mistakes_in_a_check_are_one_line(change: dict[str, Any], said: str) -> None:
    with pytest.raises(lgkt.InputError) as caught:
        judge(WORLD, [{**ABOVE, **change}])
    assert str(caught.value).startswith("file.json: " + said)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change, said", [
    ({"tittle": "x"}, 'file.json: unknown field "tittle"; did you mean "title"?'),
    ({"title": 3}, "file.json: title: must be a text, not 3"),
    ({"sections": {}}, "file.json: sections: must be a list, not {}"),
    ({"sections": ["s"]}, 'file.json: sections[0]: must be an object, not "s"'),
    ({"sections": [{"id": "r", "title": "R"}]}, 'file.json: claims[0].section: unknown section'),
    ({"numbers": {"n": {"a": "x"}}}, 'file.json: numbers.n: needs the field "experiment"'),
    ({"answers": [{"paper": "", "shows": "", "claim": "D"}]},
     'file.json: answers[0].claim: unknown claim "D"'),
])
def test_mistakes_around_checks_are_one_line(change: dict[str, Any], said: str) -> None:
    with pytest.raises(lgkt.InputError) as caught:
        judge(WORLD, [ABOVE], **change)
    assert str(caught.value).startswith(said)


def test_columns_and_doubles_are_checked() -> None:
    with pytest.raises(lgkt.InputError, match='setup "pritned"; did you mean "printed"'):
        judge(WORLD, {"pritned": [ABOVE]})
    with pytest.raises(lgkt.InputError, match='the setup "fair" stands there twice'):
        judge(WORLD, {"each": [ABOVE], "fair": [ABOVE]})
    with pytest.raises(lgkt.InputError, match=r"claims\[0\].checks: must be a list of one check"):
        judge(WORLD, [])
    claim = {"id": "C", "section": "s", "place": "", "words": "", "checks": [ABOVE]}
    with pytest.raises(lgkt.InputError, match=r'claims\[1\].id: "C" stands there twice'):
        Definition({"title": "", "sections": [{"id": "s", "title": ""}], "claims": [claim, claim]},
                   "f")


def test_what_was_not_read_is_no_mistake_if_the_file_knows_it() -> None:
    column = judge(WORLD, [{**ABOVE, "experiment": "later"}], experiments=["later"]).columns["only"]
    assert column.verdict == "not judged"
    assert column.comparisons[0].text == "experiment later was not read"
    quick = World({"a": {HORIZON: np.ones(30)}, "b": {HORIZON: np.zeros(30)}}, full=1000)
    column = judge(quick, [{**ABOVE, "panels": ["world", "slow"]}]).columns["only"]
    assert [c.side for c in column.comparisons] == ["not measured", "for"]


def test_a_file_that_is_no_json_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text('{"title": }')
    with pytest.raises(lgkt.InputError, match=r"c\.json: no JSON: .*line 1"):
        read_definition(path)


def test_a_claim_counts_once_in_each_setup() -> None:
    against, apart = {**ABOVE, "a": "b", "b": "a"}, {"group": "b"}
    mixed = judge(WORLD, {"printed": [ABOVE], "fair": [against]}, baselines=["b"])
    alone = judge(WORLD, [ABOVE])
    assert mixed.columns["fair"].baselines and not alone.columns["only"].baselines
    counts = claims.tally([mixed, mixed, alone])
    assert [counts[f"printed{part}.holds"] for part in ("", ".baselines", ".others")] == [2, 2, 0]
    assert [counts[f"fair.{word}"] for word in ("holds", "not", "all")] == [0, 2, 2]
    assert counts["released.all"] == 0 and counts["only.others.all"] == counts["only.holds"] == 1
    # what is ours or could not fail is not counted
    for word in ("ours", "certain"):
        mixed.claim = {**mixed.claim, "ours": False, "certain": False, word: True}
        counts = claims.tally([mixed])
        assert counts["printed.all"] == 0 and counts[f"{word}.all"] == 1
    assert not judge(WORLD, [{**ABOVE, "b": apart}]).columns["only"].baselines  # b is no baseline


def test_each_means_the_experiments_of_the_setups() -> None:
    claim = {"checks": {"each": [{"kind": "above", "a": "a", "b": "b"}]}}
    assert [(name, checks[0]["experiment"]) for name, _, checks in columns(claim)] == [
        (name, name) for name in ("printed", "released", "fair")]


def test_texts_with_numbers() -> None:
    definition = Definition({"title": "t", "experiments": ["later"], "numbers": {
        "n": {"experiment": "e", "a": "a", "b": ["b"]}}}, "f")
    results: Any = {"e": SimpleNamespace(panels=[WORLD])}
    found = [judge(WORLD, [ABOVE]), judge(WORLD, {"printed": [ABOVE], "fair": [
        {**ABOVE, "a": "b", "b": "a"}]})]
    values = claims.texts(found, definition, results)
    assert definition.fill("{only.holds} of {only.all}, {fair.not}, {C.fair}, {n}", values,
                           "intro") == "1 of 1, 1, does not hold, +1.0000 ± 0"
    with pytest.raises(lgkt.InputError, match='intro: unknown number "only.hold"; did you mean'):
        definition.fill("{only.hold}", values, "intro")

    def say(**number: Any) -> str:
        return claims.reference({"experiment": "e", **number}, definition, "numbers.n", results)

    assert say(a="a") == "1.0000 ± 0" and say(a="a", b="b") == "+1.0000 ± 0"
    assert say(a="a", b="b", show="effect") == "+50 pt"
    assert claims.reference({"experiment": "later", "a": "a"}, definition, "", results) == (
        "(not measured)")


def test_every_kind_can_be_read_as_a_rule() -> None:
    fields = {"experiment": "e", "a": ["x", "y"], "b": {"group": "g"}, "times": [5], "limit": 0.1,
              "below": 1, "file": "f", "test": "t"}
    said = {kind: claims.describe({"kind": kind, **fields}) for kind in KINDS}
    assert said["close"] == "x, y within 10% of g at 5"
    assert said["slower"] == "exponent of x, y at most 0.1 from T/10 to T"
    assert all(said.values())
