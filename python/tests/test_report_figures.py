# SPDX-License-Identifier: MIT
"""Figures: where labels stand, what is drawn, the same bytes each time, and the arena."""

from __future__ import annotations

import re
import statistics
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import learner, panel, write

import lgkt

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

from lgkt import report  # noqa: E402
from lgkt._figure import STEP, spread  # noqa: E402
from lgkt.report import arena, figures  # noqa: E402

STYLE = {"color": "#123456", "dash": "dashdot", "width": 2.0}


@pytest.fixture
def results(tmp_path: Path) -> report.Results:
    both = [learner(f"L{i}", 1.0 + 1e-3 * i, section=f"K = {1 + i % 2}", group=f"g{i % 3}")
            for i in range(6)]
    write(tmp_path / "curves", [
        panel("plain", [learner("A <&> $x$", 1.0, style=STYLE), learner("B", 1.0001)]),
        panel("parts", [*both, learner("Optimal", 2.0, oracle=True)]),
        panel("counts", [learner("A"), learner("B", 0.0)], measures=["counter:runs", "average"])])
    write(tmp_path / "regret", [panel("k1", [learner("A"), learner("B", 3.0)],
                                      measures=["regret"], horizon=100000,
                                      checkpoints=[1, 100, 1000, 100000])])
    write(tmp_path / "ratio", [panel("r", [learner("K=1", 0.8), learner("K=2", 0.9)],
                                     measures=["ratio"], instances=40)])
    return report.read(tmp_path)


def shown(figure: Any) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.texts]


# ---- labels ----


def test_spread_is_the_nearest() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 17):
        places, gap = rng.choice([rng.random(n), np.full(n, 0.5)]), 0.03
        got = spread(places, gap, -5.0, 5.0)
        order = np.argsort(places, kind="stable")
        z = optimize.isotonic_regression(places[order] - gap * np.arange(n)).x
        np.testing.assert_allclose(got[order], z + gap * np.arange(n), atol=1e-12)
        inside = spread(places, gap, 0.0, 0.6)
        assert np.all(np.diff(inside[order]) >= gap - 1e-12)
        assert inside.min() >= 0.0 and inside.max() <= 0.6 + 1e-12


def test_labels_do_not_touch(results: report.Results) -> None:
    view = figures.views(results["curves"])[1]
    assert [entry.label for entry in view.entries] == ["L0", "L2", "L4", "Optimal"]
    assert view.title == "Panel parts, K = 1 (8 instances)"
    ax = figures.draw(view).axes[0]
    heights = sorted(text.get_position()[1] for text in ax.texts)
    assert len(heights) == 4 and np.diff(heights).min() >= STEP / figures.HEIGHT - 1e-9
    # and with more of them than fit, the axes grow
    many = figures.View(view.panel, [*view.panel.entries] * 6, "", "average")
    assert figures.draw(many).get_figheight() > 1.5 * figures.draw(view).get_figheight()


# ---- what is drawn ----


def test_lines_are_the_curves(results: report.Results) -> None:
    view = figures.views(results["curves"])[0]
    ax = figures.draw(view).axes[0]
    first, second = (line for line in ax.lines if len(line.get_xdata()) > 2)
    t, mean, _ = view.panel.curve("B")
    np.testing.assert_array_equal(second.get_xdata(), t[t >= 10])
    np.testing.assert_array_equal(second.get_ydata(), mean[t >= 10])
    assert first.get_color() == "#123456" and first.get_linewidth() == 1.5
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    # an own experiment has levels: no learner knows the model
    assert set(shown(ax.figure)) == {"A <&> $x$", "B", "optimum", "uniform"}
    low, high = ax.get_ylim()
    assert low < min(0.5, mean[t >= 10].min()) and high > 2.0


def test_kinds_of_axes(results: report.Results) -> None:
    regret = figures.figure("regret", results, {}).axes[0]
    assert (regret.get_xscale(), regret.get_yscale()) == ("log", "log")
    assert regret.get_xlim() == (100.0, 100000.0) and regret.get_ylabel() == "regret so far"
    counts = next(v for v in figures.views(results["curves"]) if v.measure == "counter:runs")
    ax = figures.draw(counts).axes[0]
    assert ax.get_ylabel() == "runs so far" and ax.get_yscale() == "log"
    dots = figures.figure("ratio", results, {"ratio": {"views": [
        {"experiment": "ratio", "marks": {"K=1": 0.75}}]}})
    assert {"0.79", "0.80", "0.81"} & {text[:4] for text in shown(dots)}
    assert "paper 0.75" in shown(dots)
    cloud = figures.figure("x", results, {"x": {"views": [
        {"experiment": "ratio", "against": "distance"}]}}).axes[0]
    outline = cloud.patches[0].get_path()
    assert cloud.patches[0].get_snap() is False  # else strokes shorter than a pixel vanish
    runs = results["ratio"].panel().runs("K=1")
    assert runs is not None and abs(outline.vertices[:, 1].min() - runs.min()) < 0.01


def test_figures_by_name(results: report.Results) -> None:
    defined: dict[str, Any] = {
        "figure-5": {"views": [
            {"experiment": "curves", "panel": "parts", "groups": ["g0"], "labels": ["Optimal"]},
            {"experiment": "curves", "panel": "parts", "sections": ["K = 2"], "hide": ["L1"]}]},
        "figure-6": {"views": [{"experiment": "nowhere"}]},
        "all": {"experiment": "curves", "hide": ["L0", "A <&> $x$"]},
        "figure-4": {"drawing": "frozenlake-map"}}
    assert figures.names(results, defined) == ["figure-5", "all", "figure-4", "curves", "ratio",
                                               "regret"]
    whole = figures.parts("all", results, defined)
    assert len(whole) == 5 and not {"L0", "A <&> $x$"} & {text for f in whole for text in shown(f)}
    # panels that a quick run left out
    defined["figure-5"]["views"].insert(0, {"experiment": "curves", "panel": "long"})
    defined["figure-7"] = {"views": [{"experiment": "curves", "panel": "long"}]}
    assert "figure-7" not in figures.names(results, defined)
    five = figures.figure("figure-5", results, defined)
    assert [shown(part) for part in figures.parts("figure-5", results, defined)] == [
        [text.get_text() for text in ax.texts] for ax in five.axes]
    assert [sorted(text.get_text() for text in ax.texts) for ax in five.axes] == [
        ["L0", "L3", "Optimal"], ["L3", "L5"]]


def test_map_is_that_of_gymnasium() -> None:
    toy = pytest.importorskip("gymnasium.envs.toy_text.frozen_lake")

    def lake(environment: str) -> Any:
        said = {"drawing": "frozenlake-map", "environment": environment}
        return figures.figure("lake", report.Results(), {"lake": said})

    for size in ("4x4", "8x8"):
        drawn = lake(f"frozenlake:map={size}")
        assert "".join(shown(drawn)[:-1]) == "".join(toy.MAPS[size])
    other = lake("frozenlake:map=SFF/FHG")
    assert "".join(shown(other)[:-1]) == "SFFFHG"


@pytest.mark.parametrize(("figure", "words"), [
    ({"views": [{"experiment": "curves", "panel": "plane"}]},
     'curves: there is no panel "plane"; did you mean "plain"?'),
    ({"views": [{"experiment": "curves", "labels": ["C"]}]}, 'of curves has no "C"; '),
    ({"views": [{"experiment": "curves", "measure": "avrage"}]}, 'did you mean "average"?'),
    ({"views": [{"experiment": "curve"}]},
     'no results of experiment "curve"; did you mean "curves"?'),
    ({"drawing": "frozen-map"}, 'there is no drawing "frozen-map"'),
    ({}, "x: has neither views, nor an experiment, nor a drawing"),
])
def test_bad_figures(results: report.Results, figure: dict[str, Any], words: str) -> None:
    with pytest.raises(lgkt.Error, match=re.escape(words)):
        figures.figure("x", results, {"x": figure})
    with pytest.raises(lgkt.Error, match='no figure "curvs"; did you mean "curves"'):
        figures.figure("curvs", results, {})


# ---- files ----


def test_same_bytes(results: report.Results, tmp_path: Path) -> None:
    files = []
    for i, settings in enumerate(({}, {"xtick.direction": "in", "font.size": 30.0,
                                       "svg.fonttype": "path"})):
        with matplotlib.rc_context(settings):
            for kind in ("svg", "png"):
                figures.save(figures.figure("regret", results, {}), tmp_path / f"{i}.{kind}")
        files.append([(tmp_path / f"{i}.{kind}").read_bytes() for kind in ("svg", "png")])
    assert files[0] == files[1]
    svg, png = files[0]
    ET.fromstring(svg)
    assert svg.count(b"<text") == svg.count(b",sans-serif") > 5
    assert b"<dc:date>" not in svg and b"Matplotlib" not in svg and b"Software" not in png
    with pytest.raises(lgkt.Error, match="ends in .svg, .png or .pdf"):
        figures.save(figures.canvas(9.0, 9.0), tmp_path / "x.gif")


def test_inline(results: report.Results) -> None:
    figure = figures.draw(figures.views(results["curves"])[0])
    text = figures.inline(figure, "one", 'A "title" <&>')
    root = ET.fromstring(text.replace("xlink:", ""))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) and all(name.startswith("one-") for name in ids if name)
    assert root.get("aria-label") == 'A "title" <&>' and root.get("width") is None
    # dark colours have light ones in their place, and no ground covers the page
    assert "var(--ink-123456,#123456)" in text and "--ink-123456:#" in text
    assert figures.PAPER not in text.split("</style>")[1].split("<text")[0]
    for found in set(re.findall(r"(?<=,)#[0-9a-f]{6}(?=\))", text)):
        seen = figures._on_dark(found, True)
        if found not in (figures.LINES, figures.FRAME):
            assert sum(int(seen[i:i + 2], 16) for i in (1, 3, 5)) > 300


# ---- the arena ----


def test_arena(tmp_path: Path) -> None:
    levels = {"easy-1": {"Auto": 1.9, "B": 1.89996, "C": 0.2}, "easy-2": {"Auto": 1.0, "B": 1.5},
              "hard-1": {"Auto": 0.51, "B": 0.5, "C": 0.505}}
    write(tmp_path / "arena-1", [
        *(panel(name, [learner(*item) for item in who.items()]) for name, who in levels.items()),
        panel("trade", [learner("Auto", 7.0), learner("C", 9.0)], optimum=None, random=None,
              measures=["cumulative"])], collection="arena")
    experiment = report.read(tmp_path)["arena-1"]
    # what the file cannot have: no model, no score
    numbers, lines = experiment._read("summary.csv")
    for label in ("Auto", "C"):
        numbers[lines["trade", label, "", "score"], 3] = np.nan
    scores = arena.Scores(experiment)
    points = {env: {label: 100 * (v - 0.5) / 1.5 for label, v in who.items()}
              for env, who in levels.items()}
    assert scores.environments == list(levels) and list(scores.earned) == ["trade"]
    for l, label in enumerate(scores.learners):
        mine = [who[label] for who in points.values() if label in who]
        assert scores.mean[l] == pytest.approx(statistics.mean(mine))
    assert [scores.learners[l] for l in scores.order] == ["B", "Auto", "C"]
    # B is as good as Auto on easy-1, and nobody wins hard-1
    assert scores.won.tolist() == [1, 2, 0]
    assert scores.behind.sum(axis=0).tolist() == [1, 0, 1]
    panels = {p.name: p for p in experiment.panels}
    p = panels["easy-1"]
    runs = p.runs("B")
    assert runs is not None
    assert scores.worst[0, 1] == pytest.approx(100 * (min(runs) - 0.5) / 1.5)
    text = arena.markdown(scores)
    assert "| B | 53.3 | 53.3 |" in text and "| C | -9.8 | 0.2 |" in text
    assert "Not run: C on easy-2." in text and "| easy-2 | 33.3 | 66.7 | B |" in text
    both = statistics.mean([points["easy-1"]["C"], points["hard-1"]["C"]]) - statistics.mean(
        [points["easy-1"]["Auto"], points["hard-1"]["Auto"]])
    assert f"| 2 | {both:.1f} |" in text
    assert re.search(r"trade, observed reward in all: C \d+, Auto \d+\.", text)
    drawn = shown(figures.figure("arena-1", report.read(tmp_path), {}))
    assert drawn.count("not run") == 1 + 1 and "easy-2" in drawn
