# SPDX-License-Identifier: MIT
"""The table on top: words, numbers by hand, pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from folders import learner, panel, write

pytest.importorskip("pandas")

from lgkt.report import answers, claims, read  # noqa: E402
from lgkt.report.definition import Definition  # noqa: E402


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Scores are 100 (level - 0.5) / 1.5; `free` has no model, and of `falls` fewer are better."""
    root = tmp_path_factory.mktemp("answers")
    many = {"instances": 40, "full_instances": 40}

    def four(a1: float, a2: float, b1: float, b2: float) -> list[dict[str, Any]]:
        return [learner("a1", a1), learner("a2", a2), learner("b1", b1, group="base"),
                learner("b2", b2, group="base")]

    write(root / "fair", [
        panel("wide", four(1.7, 1.1, 0.8, 1.4), **many),
        panel("narrow", four(1.1, 1.2, 1.05, 0.6), **many),
        panel("free", four(3.0, 1.0, 2.0, 0.5), measures=["cumulative"], optimum=None, random=None,
              **many),
        panel("falls", four(400.0, 200.0, 100.0, 300.0), measures=["event:falls"], **many)])
    return read(root)


def line(results: Any, said: dict[str, Any], *checks: dict[str, Any], column: str = "fair") -> Any:
    definition = Definition({
        "title": "t", "sections": [{"id": "s", "title": "S"}], "baselines": ["base"],
        "claims": [{"id": "C", "section": "s", "place": "", "words": "", "checks": {
            column: [{"kind": "above", "a": ["a1", "a2"], "b": {"group": "base"}, **check}
                     for check in checks]}}],
        "answers": [{"paper": "figure 1 & 2", "shows": "a < b", "claim": "C", **said}]}, "f")
    return answers.lines(definition, claims.judge(definition, results, {}), results)[0]


@pytest.mark.parametrize("panels, check, word, number", [
    (["wide"], {}, "partly", "+20 pt"),  # 1.7 - 1.4 of 1.5
    (["wide"], {"a": "a1"}, "yes", "+20 pt"),
    (["wide"], {"a": "b1", "b": ["a1", "a2"]}, "no", "-60 pt"),
    (["narrow"], {}, "yes", "+10 pt"),  # 1.2 - 1.05
    (["wide", "narrow"], {"a": ["a1", "a2"], "best": True}, "yes", "+10 pt"),  # where it is least
    (["wide"], {"kind": "close", "a": "a1", "limit": 0.05}, "no", "+60 pt"),  # the largest
    (["free"], {}, "partly", "+33 %"),  # 1 of 3
    (["falls"], {"a": {"group": "base"}, "b": ["a1", "a2"]}, "no", "-50 %"),  # 100 - 200 of 200
])
def test_words_and_numbers(results: Any, panels: list[str], check: dict[str, Any], word: str,
                           number: str) -> None:
    found = line(results, {}, {"panels": panels, **check}).cells["fair"]
    assert (found.word, found.number) == (word, number)


def test_a_line_may_be_about_some_panels(results: Any) -> None:
    both = {"panels": ["wide", "narrow"]}
    assert line(results, {"panels": ["wide"]}, both).cells["fair"].word == "partly"
    assert line(results, {"panels": ["narrow"]}, both).cells["fair"].word == "yes"


def test_pictures_are_curves_of_the_number(results: Any) -> None:
    found = line(results, {}, {"panels": ["wide"]})
    cell = found.cells["fair"]
    assert list(cell.times) == [100.0, 300.0, 1000.0]
    wide = results["fair"].panel("wide")
    for t, value in zip(cell.times, cell.values, strict=True):
        means = {label: wide.value(label, t=t).mean for label in ("a1", "a2", "b1", "b2")}
        margin = max(means["a1"], means["a2"]) - max(means["b1"], means["b2"])
        assert value == pytest.approx(100.0 * margin / 1.5)
    text = found.picture
    assert text.startswith("<svg") and "figure 1 &amp; 2: a &lt; b: fair partly +20 pt" in text
    places = [tuple(map(float, place.split(","))) for place in
              re.findall(r'points="([^"]+)"', text)[0].split()]
    assert all(0.0 <= x <= 160.0 and 0.0 <= y <= 36.0 for x, y in places)
    ys = [y for _, y in places]
    assert ys == sorted(ys, reverse=True)  # it rises, and y is counted from the top
    zero = float(re.findall(r'y1="([^"]+)"', text)[0])
    assert all(y < zero for y in ys)


def test_what_was_not_read_has_a_word_and_no_picture(results: Any, tmp_path: Path) -> None:
    definition = Definition({
        "title": "t", "sections": [{"id": "s", "title": "S"}], "experiments": ["later"],
        "claims": [{"id": "C", "section": "s", "place": "", "words": "", "checks": [
            {"kind": "above", "experiment": "later", "a": "a", "b": "b"}]}],
        "answers": [{"paper": "figure 1", "shows": "", "claim": "C", "panels": ["x"]}]}, "f")
    found = answers.lines(definition, claims.judge(definition, results, {}), results)[0]
    assert found.cells["only"].word == "open" and found.picture == ""
