# SPDX-License-Identifier: MIT
"""The report definition of the paper names only what exists, and covers the paper."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import lgkt.report

ROOT = Path(__file__).parents[2]
PAPER = ROOT / "python" / "lgkt" / "report" / "paper.json"
RESULTS = ROOT / "docs" / "results"
COMPARE = [100, 1000, 5000, 10000, 100000]  # times of pairs where a file gives none

SETUPS = ("printed", "released", "fair")

Entries = list[dict[str, str]]

pytestmark = pytest.mark.skipif(not (ROOT / "experiments").is_dir(), reason="not in a clone")


@cache
def paper() -> Any:
    return json.loads(PAPER.read_text(encoding="utf-8"))


@cache
def experiment(name: str) -> dict[str, tuple[dict[str, Any], Entries]]:
    """The panels of a shipped experiment by name, each with its learners."""
    path = ROOT / "experiments" / f"{name}.json"
    if not path.is_file():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    panels = {}
    for panel in data["panels"]:
        entries = [
            {"label": entry["label"], "group": entry.get("group", key),
             "section": entry.get("section", "")}
            for key in panel["learners"] for entry in data["learners"][key]
        ]
        panels[panel["name"]] = ({**data, **panel}, entries)
    return panels


def chosen(choice: Any, entries: Entries) -> list[str]:
    """The labels that a choice means; a label or a word that is not there is left out."""
    if isinstance(choice, str | list):
        wanted = [choice] if isinstance(choice, str) else choice
        return [entry["label"] for entry in entries if entry["label"] in wanted]
    words = {key: set(choice.get(f"{key}s", [])) | ({choice[key]} if key in choice else set())
             for key in ("group", "section", "label")}
    every = not words["group"] | words["label"]
    return [entry["label"] for entry in entries
            if (every or entry["group"] in words["group"] or entry["label"] in words["label"])
            and (not words["section"] or entry["section"] in words["section"])]


def words_of(choice: Any) -> Iterator[tuple[str, str]]:
    if isinstance(choice, str | list):
        yield from (("label", word) for word in ([choice] if isinstance(choice, str) else choice))
        return
    for key in ("group", "section", "label"):
        yield from ((key, word) for word in choice.get(f"{key}s", []))
        if key in choice:
            yield key, choice[key]


def wrong_choice(name: str, panels: list[str], choice: Any) -> Iterator[str]:
    """What a choice of learners names that no panel has, and panels where it means nobody."""
    there = experiment(name)
    for key, word in words_of(choice):
        if not any(entry[key] == word for p in panels if p in there for entry in there[p][1]):
            yield f"{name}: no {key} {word!r}"
    for panel in panels:
        if panel in there and not chosen(choice, there[panel][1]):
            yield f"{name}/{panel}: {choice} is nobody"


def opened(claim: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The checks of a claim with their setups."""
    checks = claim["checks"]
    for name, part in (checks.items() if isinstance(checks, dict) else [("only", checks)]):
        for setup in SETUPS if name == "each" else [name]:
            yield from ((setup, {"experiment": setup, **check}) for check in part)


def wrong_check(check: dict[str, Any]) -> Iterator[str]:
    if check["kind"] == "test":
        source = ROOT / check["file"]
        text = source.read_text(encoding="utf-8") if source.is_file() else ""
        body = re.search(rf"^static void {check['test']}\(.*?^}}", text, re.DOTALL | re.MULTILINE)
        if body is None:
            yield f"no test {check['test']} in {check['file']}"
        elif "verdict_" not in body[0]:
            yield f"{check['file']}: {check['test']} writes no verdict"
        return
    there = experiment(check["experiment"])
    if not there:
        yield f"no experiment {check['experiment']}"
    panels = check.get("panels", list(there))
    yield from (f"{check['experiment']}: no panel {p}" for p in panels if p not in there)
    for key in ("a", "b"):
        if key in check:
            yield from wrong_choice(check["experiment"], panels, check[key])
    times = check.get("times", [])
    for panel in panels:
        if panel in there and isinstance(times, list):
            known = [*there[panel][0].get("compare", COMPARE), there[panel][0]["horizon"], "end"]
            yield from (f"{panel}: no pairs at {t}" for t in times if t not in known)
    measures = [m for p in panels if p in there for m in [there[p][0].get("measure", "average")]]
    if "measure" in check and not all(check["measure"] in m for m in measures):
        yield f"{check['experiment']}: no measure {check['measure']}"


def wrong_claims(definition: Any) -> Iterator[str]:
    ids = [claim["id"] for claim in definition["claims"]]
    yield from (f"claim {i} is there twice" for i in set(ids) if ids.count(i) > 1)
    sections = {section["id"] for section in definition["sections"]}
    for claim in definition["claims"]:
        if not claim["words"].strip().endswith(".") or not claim["place"].strip():
            yield f"{claim['id']}: no sentence or no place"
        if claim["section"] not in sections:
            yield f"{claim['id']}: no section {claim['section']}"
        if not claim["checks"]:
            yield f"{claim['id']}: no checks"
        for setup, check in opened(claim):
            yield from (f"{claim['id']}, {setup}: {why}" for why in wrong_check(check))


def wrong_figures(definition: Any) -> Iterator[str]:
    for name, figure in definition["figures"].items():
        # a drawing, which may be of an experiment, views, or an experiment as a whole
        if len({"drawing", "views"} & set(figure)) != ("experiment" not in figure
                                                       or "drawing" in figure):
            yield f"{name}: needs a drawing, views or an experiment"
        whole = [figure] if "experiment" in figure else []
        for view in whole or figure.get("views", []):
            there = experiment(view["experiment"])
            panels = list(there) if whole else [view.get("panel", view["experiment"])]
            if not there or not set(panels) <= set(there):
                yield f"{name}: no panel {view['experiment']}/{panels}"
            choice = {key: view[key] for key in ("groups", "labels", "sections") if key in view}
            for why in wrong_choice(view["experiment"], panels, choice):
                yield f"{name}: {why}"
            labels = {entry["label"] for p in panels if p in there for entry in there[p][1]}
            known = labels | set(there)
            for word in (*view.get("hide", []), *view.get("marks", {})):
                if word not in known:
                    yield f"{name}: nothing is called {word!r}"
    shown = [f for section in definition["sections"] for f in section.get("figures", [])]
    yield from (f"no figure {f}" for f in shown if f not in definition["figures"])
    yield from (f"figure {name} is in no section" for name, figure in definition["figures"].items()
                if name not in shown and "experiment" not in figure)
    yield from (f"no figure-{n}" for n in range(1, 19)
                if not {f"figure-{n}", *(f"figure-{n}-{s}" for s in SETUPS)} & set(shown))


def wrong_map(definition: Any) -> Iterator[str]:
    ids = {claim["id"] for claim in definition["claims"]}
    mapped: set[str] = set()
    for row in definition["map"]:
        mapped.update(filter(None, row.get("ours", "").split(", ")))
        figure = Path(row.get("file", "")).stem
        if figure and figure not in definition["figures"]:
            yield f"{row['paper']}: no figure {figure}"
        command = row.get("command", "").split()
        if command[:2] == ["lgkt", "reproduce"]:
            yield from (f"{row['paper']}: no experiment {n}" for n in command[2:]
                        if not experiment(n))
    yield from (f"the map names a claim {i} that is not there" for i in sorted(mapped - ids))
    yield from (f"claim {i} is not in the map" for i in sorted(ids - mapped))
    for number in definition["numbers"].values():
        yield from wrong_check({"kind": "above", **number})
    said = json.dumps([definition[key] for key in definition if key != "figures"])
    yield from (f"no text has the number {n}" for n in definition["numbers"]
                if f"{{{n}}}" not in said)


def problems(definition: Any) -> list[str]:
    return [*wrong_claims(definition), *wrong_figures(definition), *wrong_map(definition)]


def test_all_that_is_named_exists() -> None:
    assert problems(paper()) == []


def test_the_form_is_that_of_a_definition() -> None:
    definition = pytest.importorskip("lgkt.report.definition")
    assert definition.read_definition(PAPER).data == paper()


def test_the_answers_go_through_all_figures() -> None:
    """About 20 lines, and each figure with results has one."""
    lines = paper()["answers"]
    assert 18 <= len(lines) <= 25
    shown = {int(n) for row in lines if row["paper"].startswith("figure")
             for n in re.findall(r"\d+", row["paper"].split(", S")[0])}
    assert shown == set(range(1, 19)) - {4}  # which is the map


def test_strong_words_are_for_the_fair_setup_alone() -> None:
    """Nothing is called the strongest, and old names of setups are gone."""
    texts = json.dumps({key: value for key, value in paper().items() if key != "notes"})
    assert not re.search(r"strongest|published", texts)


def test_the_whole_paper_is_mapped() -> None:
    """Every numbered figure and statement of the paper is in the map or in a claim."""
    places = "; ".join(row["paper"] for row in paper()["map"])
    numbers = {int(n) for n in re.findall(r"figure (\d+)", places)}
    assert numbers == set(range(1, 19))
    for statement in ("assumption 2.1", "remark 2.2", "theorem 3.3", "theorem 3.4", "theorem 3.5",
                      "assumption 4.1", "theorem 4.2", "assumption 4.3", "theorem 4.4",
                      "corollary 4.5", "remark 4.6", "remark 4.7", "lemma D.1", "lemma D.2",
                      "theorem F.1"):
        assert statement in places


# ---- what docs/ shows ----

needs_docs = pytest.mark.skipif(not (RESULTS / "theory").is_dir(), reason="docs/ has no results")


@needs_docs
def test_docs_can_be_judged_again() -> None:
    """From what docs/results keeps the same verdicts follow, comparison by comparison."""
    page = pytest.importorskip("lgkt.report.page")
    definition = pytest.importorskip("lgkt.report.definition")
    report = page.Report(lgkt.report.read(RESULTS), definition.read_definition(PAPER),
                         definition.read_theory([RESULTS]))
    made = dict(page.tables(report))
    assert made["claims.csv"] == (RESULTS / "claims.csv").read_bytes()
    for name, data in made.items():  # nor does anything else change
        assert data == (RESULTS / name).read_bytes(), name
    # the page says the same: answer, counts, what makes the difference, verdicts
    text = (ROOT / "docs" / "REPRODUCTION.md").read_text(encoding="utf-8")
    told = re.compile(r"\| [A-Z]\d+\w* \(|\| (compared|others|together)|- \*\*|Of the claims")
    lines = [line for line in page.markdown(report).splitlines() if told.match(line)]
    assert len(lines) > 90
    assert [line for line in lines if line not in text.splitlines()] == []


@needs_docs
def test_the_results_in_docs_are_small() -> None:
    assert sum(file.stat().st_size for file in RESULTS.rglob("*") if file.is_file()) < 7e6


@pytest.mark.skipif(not (RESULTS / "tuning").is_dir(), reason="docs/ has no results of tuning")
def test_the_settings_of_fair_are_those_of_tuning() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "choose_settings", RESULTS,
                           "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


BREAKS: dict[str, Callable[[Any], Any]] = {
    "label": lambda d: d["claims"][0]["checks"]["printed"][0].update(a="LG9T"),
    "group": lambda d: d["claims"][0]["checks"]["printed"][0].update(b={"group": "nobody"}),
    "panel": lambda d: d["claims"][0]["checks"]["printed"][0].update(panels=["here"]),
    "experiment": lambda d: d["claims"][0]["checks"]["printed"][0].update(experiment="none"),
    "time": lambda d: d["claims"][0]["checks"]["printed"][0].update(times=[7]),
    "id": lambda d: d["claims"][1].update(id=d["claims"][0]["id"]),
    "words": lambda d: d["claims"][0].update(words=""),
    "test": lambda d: d["claims"][0].update(
        checks=[{"kind": "test", "file": "tests/unit/test_theorems.c", "test": "nothing"}]),
    "figure": lambda d: d["sections"][2]["figures"].append("figure-19"),
    "view": lambda d: d["figures"]["figure-1-fair"]["views"][0].update(labels=["LG9T"]),
    "hidden": lambda d: d["figures"]["figure-1-fair"]["views"][0].update(hide=["LG9T"]),
    "orphan": lambda d: d["sections"][2]["figures"].remove("figure-1-fair"),
    "map": lambda d: d["map"][0].update(ours="S1, S999"),
    "number": lambda d: d["numbers"].update(nothing=d["numbers"]["clip"]),
    "reference": lambda d: d["numbers"]["clip"].update(b="LG9T"),
}


@pytest.mark.parametrize("what", BREAKS)
def test_what_is_wrong_is_found(what: str) -> None:
    definition = copy.deepcopy(paper())
    BREAKS[what](definition)
    assert problems(definition)
