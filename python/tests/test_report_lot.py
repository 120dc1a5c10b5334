# SPDX-License-Identifier: MIT
"""Five verdicts chosen by lot, made again from the files in docs/results by plain means.

Nothing of `lgkt.report` is used: `csv` reads the tables, the p value of a t test is an integral of
its density, Holm's method and the rules of docs/REPRODUCTION.md are written out below. Another lot
is drawn with `LOT=7 pytest python/tests/test_report_lot.py`.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import os
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
SEED = int(os.environ.get("LOT", "24"))
KINDS = {"above", "not-below", "near", "close", "exact"}  # that are made again here
SETUPS = ("printed", "released", "fair")

pytestmark = pytest.mark.skipif(not (RESULTS / "theory").is_dir(), reason="not in a clone")


# ---- files ----


def rows(path: Path) -> list[dict[str, str]]:
    packed = path.with_name(path.name + ".gz")
    if packed.is_file():
        with gzip.open(packed, "rt", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def table(experiment: str, file: str) -> dict[tuple[str, ...], tuple[float, float, int]]:
    """Mean, half width and n by panel, learner, other, measure and t."""
    return {(row["panel"], row["learner"], row["other"], row["measure"], row["t"]):
            (float(row["mean"]), float(row["ci95"] or "nan"), int(row["n"]))
            for row in rows(RESULTS / experiment / file)}


@cache
def panels(experiment: str) -> dict[str, Any]:
    manifest = json.loads((RESULTS / experiment / "manifest.json").read_text(encoding="utf-8"))
    for panel in manifest["panels"]:
        panel["lower"] = manifest["measures"][panel["measures"][0]]["better"] == "lower"
    return {panel["name"]: panel for panel in manifest["panels"]}


@cache
def paper() -> dict[str, Any]:
    path = ROOT / "python" / "lgkt" / "report" / "paper.json"
    return {claim["id"]: claim for claim in json.loads(path.read_text())["claims"]}


def checks(claim: str, column: str) -> list[dict[str, Any]]:
    found = paper()[claim]["checks"]
    if column == "only":
        return list(found)
    return [{"experiment": column, **check} for check in found.get(column) or found["each"]]


# ---- statistics ----


def beyond(t: float, freedom: int) -> float:
    """The chance that Student's t with so many degrees of freedom is above t >= 0, by Simpson."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
                     ) / math.sqrt(freedom * math.pi)

    def density(x: float) -> float:
        return scale * (1.0 + x * x / freedom) ** (-(freedom + 1) / 2)

    n, end = 4000, min(t, 60.0)  # beyond 60 there is next to nothing with 29 degrees or more
    step = end / n
    inner = sum((4 if i % 2 else 2) * density(i * step) for i in range(1, n))
    return max(0.0, 0.5 - (density(0.0) + inner + density(end)) * step / 3.0)


@cache
def quantile(freedom: int) -> float:
    """The t that is exceeded with a chance of 2.5%."""
    low, high = 1.0, 13.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if beyond(middle, freedom) > 0.025 else (low, middle)
    return low


def p_value(x: float, width: float, n: int, sides: int) -> float:
    if width == 0.0:
        return 0.0 if x else 1.0
    return sides * beyond(abs(x) / (width / quantile(n - 1)), n - 1)


def holm(p: list[float]) -> list[float]:
    adjusted, worst = [0.0] * len(p), 0.0
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        worst = max(worst, min(1.0, (len(p) - step) * p[i]))
        adjusted[i] = worst
    return adjusted


def test_the_statistics_are_those_of_tables() -> None:
    assert quantile(29) == pytest.approx(2.04523, abs=1e-5)
    assert quantile(999) == pytest.approx(1.96234, abs=1e-5)
    assert 2.0 * beyond(3.0, 39) == pytest.approx(0.0046827, rel=1e-3)
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


# ---- a verdict ----


def who(choice: Any, panel: dict[str, Any]) -> list[str]:
    """The labels that a or b means in a panel, in the order in which they are named or stand."""
    if not isinstance(choice, dict):
        have = [learner["label"] for learner in panel["learners"]]
        return [label for label in ([choice] if isinstance(choice, str) else choice)
                if label in have]
    asked = {key: choice.get(key + "s", []) + ([choice[key]] if key in choice else [])
             for key in ("label", "group", "section")}
    return [one["label"] for one in panel["learners"]
            if (one["label"] in asked["label"] or one["group"] in asked["group"]
                or not asked["label"] + asked["group"])
            and (not asked["section"] or one["section"] in asked["section"])]


def mean(experiment: str, panel: dict[str, Any], label: str, t: int, measure: str = "") -> float:
    file = "summary.csv" if t == panel["horizon"] else "curves.csv"
    return table(experiment, file)[panel["name"], label, "", measure or panel["measures"][0],
                                   str(t)][0]


def pair(experiment: str, panel: dict[str, Any], a: str, b: str, t: int
         ) -> tuple[float, float, int]:
    found = table(experiment, "pairs.csv")
    key = (panel["measures"][0], str(t))
    if (panel["name"], a, b, *key) in found:
        return found[panel["name"], a, b, *key]
    d, width, n = found[panel["name"], b, a, *key]
    return -d, width, n


def compared(check: dict[str, Any], name: str, panel: dict[str, Any], a: str, b: str,
             t: int) -> tuple[float, float | None, int]:
    """How far on the claim's side, the p value, and of how many instances."""
    kind = check["kind"]
    if kind == "exact":
        value = mean(name, panel, a, t)
        x = (value - mean(name, panel, b, t) if b else check["below"] - value
             if "below" in check else value - check["above"])
        return x - 1e-9 * max(1.0, abs(check.get("below", check.get("above", 0.0)))), None, 30
    (d, width, n), level = pair(name, panel, a, b, t), mean(name, panel, b, t)
    if "after" in check:
        first, rest = check["after"], t - check["after"]
        earlier, other, _ = pair(name, panel, a, b, first)
        d, width = (t * d - first * earlier) / rest, (t * width + first * other) / rest
        level = (t * level - first * mean(name, panel, b, first)) / rest
    margin = check.get("limit", 0.0) * abs(level)
    x = d - margin if kind == "above" else margin - abs(d) if kind == "close" else d + margin
    return x, p_value(x, width, n, 1 if kind in ("near", "close") else 2), n


def again(claim: str, column: str) -> tuple[str, list[tuple[str, float | None]]]:
    """The verdict, and the side and adjusted p value of each comparison."""
    kinds, found = [], []
    for check in checks(claim, column):
        name = check["experiment"]
        for panel in (panels(name)[p] for p in check.get("panels", panels(name))):
            times = check.get("times", ["end"])
            if isinstance(times, str):
                times = [*(panel["compare"] if times == "along" else []), "end"]
            for t in dict.fromkeys(panel["horizon"] if t == "end" else t for t in times):
                sides, chosen_from = [], []
                for key, best in (("a", "best"), ("b", "best-b")):
                    labels = who(check[key], panel) if key in check else [""]
                    chosen_from.append(len(labels) if check.get(best) else 1)
                    if check.get(best):
                        sign = -1.0 if panel["lower"] else 1.0
                        labels = [max(labels, key=lambda l: sign * mean(name, panel, l, t))]
                    sides.append(labels)
                for a, b in ((a, b) for a in sides[0] for b in sides[1] if a != b):
                    x, p, n = compared(check, name, panel, a, b, t)
                    assert n >= 30
                    if p is not None:
                        p = min(1.0, p * chosen_from[0 if x > 0.0 else 1])
                    kinds.append(check["kind"])
                    found.append((x, p))
    adjusted = iter(holm([p for _, p in found if p is not None]))
    made: list[tuple[str, float | None]] = []
    for kind, (x, p) in zip(kinds, found, strict=True):
        shown = None if p is None else next(adjusted)
        if shown is not None and shown > 0.05:
            made.append(("for" if kind == "not-below" else "open", shown))
        else:
            made.append(("for" if x >= 0.0 else "against", shown))
    good, bad = (sum(side == word for side, _ in made) for word in ("for", "against"))
    if good + bad == 0 or not bad and 2 * good < len(made):
        return "not judged", made
    return ("holds" if not bad else "does not hold" if bad > good else "holds in part"), made


# ---- the lot ----


def drawn() -> Iterator[tuple[str, str]]:
    said = rows(RESULTS / "claims.csv")
    kinds: dict[tuple[str, str], set[str]] = {}
    measured = set()
    for row in said:
        kinds.setdefault((row["claim"], row["column"]), set()).add(row["kind"])
        if row["side"] in ("not measured", "too few runs"):
            measured.add((row["claim"], row["column"]))
    can = sorted(key for key, found in kinds.items() if found <= KINDS and key not in measured)
    yield from random.Random(SEED).sample(can, 5)


@pytest.mark.parametrize("number", range(5))
def test_a_verdict_by_lot(number: int) -> None:
    claim, column = list(drawn())[number]
    said = [row for row in rows(RESULTS / "claims.csv")
            if (row["claim"], row["column"]) == (claim, column)]
    verdict, made = again(claim, column)
    assert {row["verdict"] for row in said} == {verdict}, (claim, column)
    assert [row["side"] for row in said] == [side for side, _ in made]
    for row, (_, adjusted) in zip(said, made, strict=True):
        if adjusted is not None:
            assert float(row["adjusted"]) == pytest.approx(adjusted, rel=1e-5, abs=1e-9)
    # and the page says the same
    page = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith(f"| {claim} (")]
    cells = re.split(r"(?<!\\)\|", lines[0])
    split = len(cells) > 7  # a cell for each setup
    cell = cells[3 + SETUPS.index(column)] if split else cells[3]
    assert f"**{verdict}** ({sum(side == 'for' for side, _ in made)} of {len(made)} for" in cell
