# SPDX-License-Identifier: MIT
"""Grids in reports: numbers against plain ones from the tables, maps, pages, bad manifests."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import COMMAND, needs_command
from folders import fnv, learner, panel, write

import lgkt

pytest.importorskip("matplotlib")
pandas = pytest.importorskip("pandas")
pytest.importorskip("jinja2")

from lgkt import report  # noqa: E402
from lgkt.report import figures, grid, heat, page  # noqa: E402
from lgkt.report.__main__ import main  # noqa: E402

K, G, S = [1, 2, 3], [0.1, 0.3, 0.9], [5, 10, 20]


def cells(axes: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def learners(rng: np.random.Generator, axes: Mapping[str, list[Any]], name: str = "L",
             **more: Any) -> list[dict[str, Any]]:
    return [learner(f"{name} {' '.join(map(str, cell.values()))}", 1.0 + 0.1 * rng.random(),
                    grid=name, cell=cell, **more) for cell in cells(axes)]


def panels(rng: np.random.Generator, axes: Mapping[str, list[Any]], of: Mapping[str, list[Any]],
           **more: Any) -> list[dict[str, Any]]:
    others = [learner("Auto", 1.2), learner("Optimal", 2.0, oracle=True)]
    return [panel(f"p {' '.join(map(str, cell.values()))}", [*learners(rng, of), *others],
                  grid="p", cell=cell, **more) for cell in cells(axes)]


def found(tmp_path: Path, parts: list[dict[str, Any]], name: str = "x") -> list[grid.Grid]:
    write(tmp_path / name, parts)
    return grid.grids(report.read(tmp_path / name)[name])


def naive(folder: Path, name: str, scored: bool, sign: float = 1.0) -> Any:
    """Means, what is lost to the best and its interval, by pandas from the files alone."""
    summary, pairs = (pandas.read_csv(folder / f"{file}.csv") for file in ("summary", "pairs"))
    manifest = json.loads((folder / "manifest.json").read_text())
    one = next(p for p in manifest["panels"] if p["name"] == name)
    measure = one["measures"][0]
    rows = pandas.DataFrame([{"label": x["label"], **x["cell"]} for x in one["learners"]
                             if "cell" in x]).set_index("label")
    here = summary[(summary.panel == name) & (summary.measure == measure)].set_index("learner")
    factor = 100.0 / (one["optimum"] - one["random"]) if scored else 1.0
    rows["mean"] = factor * (here["mean"] - (one["random"] if scored else 0.0))
    best = (sign * rows["mean"]).idxmax()
    rows["loss"] = sign * (rows["mean"][best] - rows["mean"])
    last = pairs[(pairs.panel == name) & (pairs.t == one["horizon"])]
    halves = {}
    for _, row in last.iterrows():
        for a, b in ((row.learner, row.other), (row.other, row.learner)):
            if a == best:
                halves[b] = factor * row.ci95
    rows["half"] = pandas.Series(halves)
    rows.loc[best, "half"] = 0.0
    rows["best"] = rows.index == best
    return rows


# ---- numbers ----


@pytest.mark.parametrize("measure", ["average", "regret"])
def test_numbers_are_those_of_the_tables(tmp_path: Path, measure: str) -> None:
    scored, sign = measure == "average", 1.0 if measure == "average" else -1.0
    parts = panels(np.random.default_rng(1), {"s": S}, {"k": K, "g": G}, measures=[measure])
    (got,) = found(tmp_path, parts)
    assert [axis.values for axis in got.axes] == [K, G] and got.references == ["Auto", "Optimal"]
    plain = [naive(tmp_path / "x", part["name"], scored, sign) for part in parts]
    scale = [1.0 if scored else 100.0 / rows["mean"][rows["best"]].iloc[0] for rows in plain]
    for p, (rows, by) in enumerate(zip(plain, scale, strict=True)):
        for c, cell in enumerate(got.cells):
            row = rows[(rows.k == cell["k"]) & (rows.g == cell["g"])].iloc[0]
            assert got.mean[p, c] == pytest.approx(row["mean"])
            assert got.loss[p, c] == pytest.approx(by * row.loss)
            assert got.loss_ci95[p, c] == pytest.approx(by * row.half)
            assert (got.best[p] == c) == row.best
            assert got.worse[p, c] == (row.loss > row.half)
            assert (c in got.close(p)) == (not row.best and not row.loss > row.half)
    # the one choice: the least mean loss, and what it loses in each panel
    mean = sum(by * rows.loss for rows, by in zip(plain, scale, strict=True)) / len(S)
    entry = got.entries[0][got.choice]
    assert entry is not None and entry.label == mean.idxmin()
    lost = [by * rows.loss[mean.idxmin()] for rows, by in zip(plain, scale, strict=True)]
    np.testing.assert_allclose(got.loss[:, got.choice], lost)
    np.testing.assert_allclose(got.mean_loss, mean - mean.min(), atol=1e-12)
    halves = [by * 0.05 * (100.0 / 1.5 if scored else 1.0) for by in scale]
    other = (got.choice + 1) % len(got.cells)
    assert got.mean_loss_ci95[other] == pytest.approx(math.hypot(*halves) / len(S))
    assert got.percent == (not scored) and got.unit == (" points" if scored else "%")


def test_sensitivity(tmp_path: Path) -> None:
    (got,) = found(tmp_path, [panel("p", learners(np.random.default_rng(4), {
        "k": K, "g": G, "kind": ["z", "a"]}))])
    rows = naive(tmp_path / "x", "p", True)
    best = rows[rows.best].iloc[0]
    by_name = {one.axis.name: one for one in got.sensitivity()}
    assert list(by_name) == ["k", "g", "kind"]
    assert by_name["kind"].axis.values == ["z", "a"]
    for name, one in by_name.items():
        others = [other for other in by_name if other != name]
        line = rows[(rows[others] == best[others]).all(axis=1)].set_index(name)["loss"]
        assert one.at == best[name] and line[best[name]] == 0.0
        place, values = one.axis.values.index(one.at), one.axis.values
        near = [values[i] for i in (place - 1, place + 1) if 0 <= i < len(values)]
        assert {step.value: pytest.approx(step.loss) for step in one.steps} == dict(line[near])
        assert (one.worst.value, one.worst.loss) == (line.idxmax(), pytest.approx(line.max()))
        anew = rows.groupby(name)["loss"].min().drop(best[name])
        assert (one.anew.value, one.anew.loss) == (anew.idxmax(), pytest.approx(anew.max()))


def test_score_is_that_of_the_command(tmp_path: Path) -> None:
    """And its interval is left out where instances differ in what there is to earn."""
    (got,) = found(tmp_path, [panel("p", learners(np.random.default_rng(2), {"k": K}))])
    one = got.panels[0]
    for c, entry in enumerate(got.entries[0]):
        assert entry is not None
        factor = 100.0 / (one.optimum - one.random)
        assert got.ci95[0, c] == pytest.approx(factor * one.value(entry.label).ci95)
    assert "±" in got.told(0, 0) and "(" not in got.told(0, 0)
    table = tmp_path / "x" / "summary.csv"
    manifest = json.loads((tmp_path / "x" / "manifest.json").read_text())
    data = table.read_bytes().replace(b",2.0,\n", b",2.0,0.5\n")
    table.write_bytes(data)
    manifest["files"]["summary.csv"]["hash"] = fnv(data)
    (tmp_path / "x" / "manifest.json").write_text(json.dumps(manifest))
    (got,) = grid.grids(report.read(tmp_path / "x")["x"])
    assert np.isnan(got.ci95).all() and "(average 1." in got.told(0, 0)


def test_words(tmp_path: Path) -> None:
    """Half widths of differences are 0.05 of 1.5 in all."""
    for name, levels, words in (
            ("one", [1.0], "It is the only one."),
            ("none", [1.0, 1.01, 1.0], "None of the 2 others is clearly worse."),
            ("all", [1.0, 1.5, 1.0], "All 2 others are clearly worse."),
            ("some", [1.5, 1.7, 1.7], "Of the 2 others 1 is not clearly worse: k = ")):
        who = [learner(f"L{k}", level, grid="L{k}", cell={"k": k})
               for k, level in enumerate(levels)]
        (got,) = found(tmp_path, [panel("p", who)], name)
        assert words in got.said() and got.said().startswith("**k = ") and "± " in got.said()


def test_csv(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    made = found(tmp_path, [*panels(rng, {"n": S}, {"k": K, "g": G}),
                            panel("alone", learners(rng, {"mean": ["b", "a"]}, "M"))])
    rows = list(csv.DictReader(io.StringIO(grid.csv_table(made).decode())))
    assert len(rows) == 3 * 9 + 2
    tables = {f"p {s}": naive(tmp_path / "x", f"p {s}", True) for s in S}
    for row in rows[:27]:
        plain = tables[row["panel"]]
        here = plain[(plain.k == int(row["learner.k"])) & (plain.g == float(row["learner.g"]))]
        one = here.iloc[0]
        assert row["panel"] == f"p {row['panel.n']}" and row["learner.mean"] == ""
        assert row["learner"] == here.index[0]
        assert float(row["score"]) == pytest.approx(one["mean"])
        assert float(row["loss"]) == pytest.approx(one.loss)
        assert row["clearly_worse"] == str(int(one.loss > one.half))
        assert row["best"] == str(int(one.best))
    assert [row["learner.mean"] for row in rows[27:]] == ["b", "a"]
    assert sum(int(row["choice"]) for row in rows) == 4


@needs_command
def test_a_grid_of_the_command(tmp_path: Path) -> None:
    """From the file to what is lost, against the single runs."""
    quantile = 2.4469118511449697  # 0.975 of Student's t with 6 degrees of freedom
    (tmp_path / "own.json").write_text(json.dumps({
        "horizon": 300, "instances": 7, "learners": {"all": [
            {"label": "LG{k}T {g}", "spec": "lgkt:k={k},threshold={g}",
             "grid": {"k": [2, 1], "g": {"from": 0.1, "to": 0.9, "count": 3}}},
            {"label": "Auto", "spec": "auto"}]},
        "panels": [{"name": "s{s}", "environment": "synthetic:states={s}", "learners": ["all"],
                    "grid": {"s": [6, 4]}}]}))
    subprocess.run([COMMAND, "reproduce", "own.json", "--out", "r", "--keep-runs", "--quiet"],
                   cwd=tmp_path, check=True, capture_output=True)
    (got,) = grid.grids(report.read(tmp_path / "r")["own"])
    assert [axis.values for axis in got.axes] == [[1, 2], [0.1, 0.5, 0.9]]
    assert [one.cell for one in got.panels] == [{"s": 4}, {"s": 6}] and got.references == ["Auto"]
    for p, one in enumerate(got.panels):
        scores = [one.value(entry.label, "score").mean for entry in got.entries[p] if entry]
        np.testing.assert_allclose(got.mean[p], scores, rtol=1e-12)
        runs = np.array([one.runs(entry.label) for entry in got.entries[p] if entry])
        assert got.best[p] == runs.mean(axis=1).argmax()
        lost = 100.0 / (one.optimum - one.random) * (runs[got.best[p]] - runs)
        half = quantile * lost.std(axis=1, ddof=1) / math.sqrt(7)
        np.testing.assert_allclose(got.loss[p], lost.mean(axis=1), atol=1e-9)
        np.testing.assert_allclose(got.loss_ci95[p], half, atol=1e-9)
        np.testing.assert_array_equal(got.worse[p], lost.mean(axis=1) > half)


# ---- shapes ----


def texts(figure: Any) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.texts]


@pytest.mark.parametrize(("axes", "of", "maps", "shape"), [
    ({}, {"k": K, "g": [0.1, 0.2, 0.3, 0.4]}, 1, ("k", "g")),
    ({}, {"g": [0.1, 0.2, 0.3, 0.4], "k": K}, 1, ("k", "g")),
    ({}, {"k": K, "g": G}, 1, ("k", "g")),
    ({}, {"k": K, "g": G, "c": ["x", "y"]}, 2, ("k", "g")),
    ({}, {"k": [2]}, 1, ("", "k")),
    ({"s": S}, {"g": G}, 1, ("s", "g")),
    ({"s": S, "T": [1, 2]}, {"g": G}, 3, ("s", "g")),  # one for the means
    ({"s": S, "T": [1, 2]}, {"k": K, "g": G}, 7, ("k", "g")),
    ({"s": S}, {"k": [2]}, 1, ("s", "k")),
])
def test_maps(tmp_path: Path, axes: dict[str, Any], of: dict[str, Any], maps: int,
              shape: tuple[str, str]) -> None:
    rng = np.random.default_rng(5)
    parts = panels(rng, axes, of) if axes else [panel("p", [*learners(rng, of), learner("Auto")])]
    (got,) = found(tmp_path, parts)
    made = heat.maps(got)
    assert len(made) == maps and (made[-1].rows.name, made[-1].columns.name) == shape
    # every number is in one cell, at its place, and one cell of each panel has the frame
    inside = [cell for shown in made for at, cell in shown.cells.items()
              if at[1] < len(shown.columns.values) and not shown.title.startswith("mean")
              and shown.rows.values[at[0]] != heat.MEAN]
    assert sorted(cell.value for cell in inside) == pytest.approx(sorted(got.mean.ravel()))
    assert sum(cell.best for cell in inside) == len(parts)
    assert sum(cell.close for cell in inside) == sum(map(len, map(got.close, range(len(parts)))))
    for p, c in itertools.product(range(len(parts)), range(len(got.cells))):
        where = {**got.panels[p].cell, **got.cells[c]}
        assert any(
            cell.value == got.mean[p, c] for shown in made for (r, col), cell in shown.cells.items()
            if col < len(shown.columns.values)
            and shown.columns.values[col] == where[shown.columns.name]
            and shown.rows.values[r] == where.get(shown.rows.name, ""))
    words = texts(heat.draw([got]))
    for value in got.mean.ravel():
        assert got.number(float(value)) in words
    assert "Auto" in words


def test_one_axis_is_a_curve(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    for name, values in (("n", [0.01, 0.3, 10]), ("t", ["b", "c", "a"])):
        (got,) = found(tmp_path, [panel("p", [*learners(rng, {"g": values}), learner("Auto", 9.0),
                                              learner("B", 1.05)])], name)
        ((figure,),) = heat.parts(got)
        ax = figure.axes[1]
        assert ax.get_xscale() == ("log" if name == "n" else "linear")
        assert [tick.get_text() for tick in ax.get_xticklabels()] == [str(v) for v in values]
        labels = [text.get_text() for text in ax.texts]
        assert any(re.fullmatch(r"Auto \d+\.\d ↑", text) for text in labels)
        assert f"B {got.number(got.value(0, 'B').mean)}" in labels
        means = [line.get_ydata()[0] for line in ax.lines if line.get_marker() == "o"]
        np.testing.assert_array_equal(means, got.mean[0])


def test_plain_learners_on_a_panel_grid(tmp_path: Path) -> None:
    others = [learner("A", 1.0), learner("B", 1.2), learner("Optimal", 2.0, oracle=True)]
    (got,) = found(tmp_path, [panel(f"p{s}", others, grid="p{s}", cell={"s": s}) for s in S])
    assert [cell["learner"] for cell in got.cells] == ["A", "B"] and got.references == ["Optimal"]
    assert got.said().startswith("**B** is the best choice for all 3 panels")
    assert heat.maps(got)[0].rows.name == "s"


def test_large_maps_have_no_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert heat.WRITTEN == 150
    (got,) = found(tmp_path, [panel("p", learners(np.random.default_rng(7), {"k": K, "g": G}))])
    for most, there in ((8, False), (9, True)):
        monkeypatch.setattr(heat, "WRITTEN", most)
        words = texts(heat.draw([got]))
        assert (got.number(float(got.mean[0, 0])) in words) == there and "k" in words


def test_long_titles_are_not_cut(tmp_path: Path) -> None:
    names = ["synthetic:states=5,actions=2", "MDP,WITH;CAPITALS=1000,more=200"]
    (got,) = found(tmp_path, panels(np.random.default_rng(7), {"environment": names, "T": [1, 200]},
                                    {"k": [1, 2], "g": [1, 2]}))
    figure = heat.draw([got])
    figure.draw_without_rendering()
    for text in figure.axes[0].texts:
        assert text.get_window_extent().x1 <= figure.bbox.x1, text.get_text()


def test_gaps_and_single_instances(tmp_path: Path) -> None:
    """Two grids of one name that are no product, on panels of which one lacks a cell."""
    rng = np.random.default_rng(8)
    who = [*learners(rng, {"k": [1, 2], "g": [1, 2]}), *learners(rng, {"k": [3], "g": [3]})]
    (got,) = found(tmp_path, [panel("p1", who, grid="p", cell={"s": 1}),
                              panel("p2", who[1:], grid="p", cell={"s": 2})])
    assert len(got.cells) == 5 and np.isnan(got.mean[1, 0]) and got.choice != 0
    assert got.where(0) not in [got.where(c) for c in got.close()]
    assert all(sum(cell is not None for cell in shown.cells.values()) in (4, 5)
               for shown in heat.maps(got))
    heat.draw([got])
    got.panel_table()
    # without intervals nothing is clearly worse
    rows = write(tmp_path / "y", [panel("p", learners(rng, {"k": K}), instances=1)])
    assert rows
    lone = grid.grids(report.read(tmp_path / "y")["y"])[0]
    lone.loss_ci95[:] = math.nan
    assert len(lone.close(0)) == 2


# ---- pages ----


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(9)
    write(tmp_path / "r" / "x", [
        *panels(rng, {"s": S}, {"k": K, "g": G}), panel("beside", [learner("A"), learner("B")])])
    out = tmp_path / "out"
    assert main([str(tmp_path / "r"), "--out", str(out / "r.html"), "--markdown",
                 str(out / "r.md"), "--figures", str(out / "f"), "--tables", str(out / "t")]) == 0
    assert sorted(p.name for p in (out / "f").iterdir()) == [
        "x-curves.png", "x-curves.svg", "x.png", "x.svg"]
    (got,) = grid.grids(report.read(tmp_path / "r")["x"])
    assert (out / "t" / "x" / "grid.csv").read_bytes() == grid.csv_table([got])
    said = got.said()
    assert said in (out / "t" / "x.md").read_text() and said in (out / "r.md").read_text()
    text = (out / "r.html").read_text()
    assert str(page.rich(said)) in text and "<code>l 1 0.1</code>" in text
    # the key, the means, three panels with their curves, and the curves of what is beside
    assert text.count("<svg") == 9 and "Panel beside (8 instances)" in text
    for row in (*got.panel_table(), *got.sensitivity_table(), *got.sensitivity_table(True)):
        assert all(f">{text_}<" in text for text_ in row)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    capsys.readouterr()
    assert main([str(tmp_path / "r"), "--figure", "x", "--figures", str(out / "g")]) == 0
    assert (out / "g" / "x.svg").read_bytes() == (out / "f" / "x.svg").read_bytes()
    assert main([str(tmp_path / "r"), "--figure", "x-curve", "--figures", str(out / "g")]) == 2
    assert 'did you mean "x-curves"?' in capsys.readouterr().err
    ET.fromstring((out / "g" / "x.svg").read_bytes())


def test_texts_are_escaped(tmp_path: Path) -> None:
    write(tmp_path / "x", [panel("p", learners(np.random.default_rng(1), {
        "<b>": ["<i>", "$a$", "|"], "k": K}, name="<u>{k}"))])
    made = page.Report(report.read(tmp_path / "x"), None, {})
    text = page.html(made)
    assert "<i>" not in text and "<u>" not in text and "$a$" in text
    assert "<i>" not in page.markdown(made)
    assert figures.inline(heat.draw(made.grids["x"]), "n", "t")


def test_many_numbers_are_not_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "x", [panel("p", learners(np.random.default_rng(1), {"k": K, "g": G}))])
    monkeypatch.setattr(page, "MOST", 8)
    text = page.html(page.Report(report.read(tmp_path / "x"), None, {}))
    assert "too many for a page" in text and "<code>l 1 0.1</code>" not in text


# ---- bad manifests ----


@pytest.mark.robust
@pytest.mark.parametrize(("first", "second", "words"), [
    ({"cell": {"k": 1}}, {}, '(cell {"k": 1} without grid)'),
    ({"grid": "L"}, {}, '(grid "L" without cell)'),
    ({"grid": 3, "cell": {"k": 1}}, {}, "(grid is 3)"),
    ({"grid": "L", "cell": 3}, {}, "(cell is 3)"),
    ({"grid": "L", "cell": {}}, {}, "(cell is {})"),
    *(({"grid": "L", "cell": {"k": value}}, {}, f'(cell is {{"k": {json.dumps(value)}}})')
      for value in (None, True, [1], math.inf, math.nan)),
    ({"grid": "L", "cell": {"k": 1}}, {"grid": "L", "cell": {"g": 1}},
     '(cells of grid "L" have k and g)'),
    ({"grid": "L", "cell": {"k": 1}}, {"grid": "L", "cell": {"k": 1, "g": 1}},
     '(cells of grid "L" have k and k, g)'),
    ({"grid": "L", "cell": {"k": 1}}, {"grid": "L", "cell": {"k": 1.0}},
     '(grid "L" has the cell {"k": 1.0} twice)'),
])
def test_bad_manifests(tmp_path: Path, first: dict[str, Any], second: dict[str, Any],
                       words: str) -> None:
    write(tmp_path / "l", [panel("p", [learner("A", **first), learner("B", **second)])])
    write(tmp_path / "p", [panel("p", [learner("A")], **first),
                           panel("q", [learner("A")], **second)])
    for folder in ("l", "p"):
        with pytest.raises(lgkt.Error, match=re.escape(words)) as why:
            report.read(tmp_path / folder)
        assert "\n" not in str(why.value) and "manifest.json: not what" in str(why.value)
