# SPDX-License-Identifier: MIT
"""Answers in words, panels side by side, titles of grids, curves of grids."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from folders import learner, panel, write

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
pytest.importorskip("jinja2")

from lgkt import report  # noqa: E402
from lgkt.report import arena, figures, grid, heat, page, summary  # noqa: E402


def experiment(folder: Path, panels: list[dict[str, Any]], **more: Any) -> report.Experiment:
    write(folder / "x", panels, **more)
    return report.read(folder / "x")["x"]


def learners(**levels: float) -> list[dict[str, Any]]:
    return [*(learner(label, level) for label, level in levels.items()),
            learner("Optimal", 2.0, oracle=True)]


# ---- words ----


def test_one_panel(tmp_path: Path) -> None:
    # pairs have an interval of 0.05
    said = summary.answer(experiment(tmp_path / "a", [panel("p", learners(A=1.2, B=1.5, C=1.48))]))
    assert re.fullmatch(
        r"\*\*B\*\* has the highest reward per step, 1\.\d+ ± 0\.\d+ \(score 66\.7\)\. "
        r"C is next, 0\.0\d+ ± 0\.050 below\. Not clearly worse: C\.", said), said
    said = summary.answer(experiment(tmp_path / "b", [panel("p", learners(A=1.2, B=1.5))]))
    assert said.endswith("below. That is clearly worse.")
    said = summary.answer(experiment(tmp_path / "c", [panel("p", learners(A=1.5, B=1.5))]))
    assert said.endswith("below. That is not clearly worse.")
    said = summary.answer(experiment(tmp_path / "d", [
        panel("p", learners(A=1.2, B=1.5, C=1.0), measures=["regret"])]))
    assert said.startswith("**C** has the lowest regret") and "A is next" in said
    assert said.endswith("above. All others are clearly worse.")


def test_nobody_to_compare(tmp_path: Path) -> None:
    for i, (entries, more) in enumerate([
            (learners(A=1.0), {}), (learners(A=1.0, B=2.0), {"measures": ["event:falls"]})]):
        found = experiment(tmp_path / str(i), [panel("p", entries, **more)])
        assert summary.answer(found) == "" and summary.over_panels(found) == []


def test_several_panels(tmp_path: Path) -> None:
    found = experiment(tmp_path, [
        panel("p", learners(A=1.2, B=1.5, C=1.48)), panel("q", learners(A=1.9, B=1.0, C=1.1)),
        panel("r", learners(A=1.0, B=1.4, C=1.2))])
    assert summary.answer(found) == (
        "**B** is best in 2 of 3 panels, A in 1. All others are clearly worse in 2 of them. "
        "Mean score over the panels: A 57.8; B 53.3; C 50.7.")
    rows = summary.over_panels(found)
    assert rows[0] == ["panel", "best", "reward per step", "score", "next", "behind by",
                       "clearly worse"]
    assert [row[:2] + row[3:5] + row[6:] for row in rows[1:]] == [
        ["Panel p", "B", "66.7", "C", "1 of 2"], ["Panel q", "A", "93.3", "C", "2 of 2"],
        ["Panel r", "B", "60.0", "C", "2 of 2"]]
    for row, ahead in zip(rows[1:], (0.02, 0.8, 0.2)):
        mean, half = map(float, row[5].split(" ± "))
        assert mean == pytest.approx(ahead, abs=0.03) and half == 0.05


def test_a_page_has_the_answer(tmp_path: Path) -> None:
    write(tmp_path / "x", [panel("p", learners(A=1.2, B=1.5)), panel("q", learners(A=1.2, B=1.0))],
          question="Who is better?")
    made = page.Report(report.read(tmp_path / "x"), None, {})
    said = summary.answer(made.results["x"])
    text, plain = page.html(made), page.markdown(made)
    assert text.index("Who is better?") < text.index(str(page.rich(said))) < text.index("<figure")
    assert said in plain and "Panel by panel" in text
    for row in summary.over_panels(made.results["x"]):
        assert all(f">{cell}<" in text for cell in row)


def test_of_an_arena(tmp_path: Path) -> None:
    found = experiment(tmp_path, [
        panel(f"e-{i}", learners(Auto=1.0 + 0.1 * i, Other=1.3)) for i in range(5)],
        collection="arena")
    s = arena.Scores(found)
    said = summary.answer(found)
    assert summary.over_panels(found) == []
    best = s.learners[s.order[0]]
    assert said.startswith(f"**{best}** has the highest mean score over 5 environments, ")
    key = [text for text in arena.draw(s).axes[0].texts
           if text.get_text() in ("below 0", "25", "100: optimum", "best of its row")]
    # all of it is where a phone shows it at once
    assert len(key) == 4
    assert all(x + 5.2 * len(text.get_text()) < arena.KEY + 15.0 for text in key
               for x in [text.get_position()[0]])


# ---- grids ----


@pytest.mark.parametrize("first, last, want", [
    ("S = 5, A = 2", "S = 20, A = 2", "S = 5 to 20, A = 2"),
    ("S = 5, T = 100", "S = 20, T = 1e4", "S = 5 to 20, T = 100 to 1e4"),
    ("S 5, T 100", "S 20, T 9000", "S 5, T 100 to S 20, T 9000"),
    ("S = 5, T = 100", "S = 20, T = 9000", "S = 5 to 20, T = 100 to 9000"),
    ("LG2T 0.1", "LG2T 0.9", "LG2T 0.1 to 0.9"), ("LG1T 0.1", "LG2T 0.9", "LG1T 0.1 to LG2T 0.9"),
    ("a", "a", "a"), ("a b", "a", "a b to a"),
])
def test_titles_of_two_ends(first: str, last: str, want: str) -> None:
    assert grid.between(first, last) == want


def gridded(folder: Path, depths: list[int]) -> grid.Grid:
    parts = []
    for s in (4, 8):
        entries = [learner(f"L {k} {g}", 1.0 + 0.1 * k - 0.1 * abs(g - 0.5 * k), grid="L {k} {g}",
                           cell={"k": k, "g": g}) for k in depths for g in (0.5, 1.0, 1.5)]
        parts.append(panel(f"s{s}", [*entries, learner("Auto", 1.9)], title=f"River, S = {s}",
                           grid="s{s}", cell={"s": s}))
    write(folder / "x", parts)
    return grid.grids(report.read(folder / "x")["x"])[0]


def test_grids_have_titles_without_braces_and_curves(tmp_path: Path) -> None:
    found = gridded(tmp_path, [1, 2, 3])
    assert found.title == "L 1 0.5 to L 3 1.5 on River, S = 4 to 8"
    views = figures.along(found)
    assert [view.title for view in views] == ["River, S = 4 (8 instances)",
                                              "River, S = 8 (8 instances)"]
    # the best cell of each depth, and who is in no grid; all in different colours
    assert [entry.label for entry in views[0].entries] == ["L 1 0.5", "L 2 1.0", "L 3 1.5", "Auto"]
    assert len({figures._look(views[0], entry)["color"] for entry in views[0].entries}) == 4
    made = page.Report(report.read(tmp_path / "x"), None, {})
    for text in (page.html(made), page.markdown(made), dict(page.tables(made))["x.md"].decode()):
        assert not re.search(r"\{[kgs]\}", re.sub(r"<svg.*?</svg>", "", text, flags=re.S))
    assert "Along the run, of the best cells" in page.html(made)


def test_many_depths_have_the_best_alone(tmp_path: Path) -> None:
    found = gridded(tmp_path, [1, 2, 3])
    found.axes = [axis._replace(values=[*axis.values, *range(10, 20)]) for axis in found.axes]
    assert [entry.label for entry in found.leaders(0)] == ["L 3 1.5", "Auto"]


def test_many_panels_have_no_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = gridded(tmp_path, [1, 2])
    monkeypatch.setattr(figures, "MOST_CURVES", 1)
    assert figures.along(found) == []


def test_the_key_of_a_map_fits_a_phone(tmp_path: Path) -> None:
    key = heat.parts(gridded(tmp_path, [1, 2]))[0][0]
    # 390 pixels without the margins of the page, 4 for 3 points
    assert 96.0 * key.get_figwidth() <= 390.0 - 2.0 * 16.0
