# SPDX-License-Identifier: MIT
"""Reading result folders: the numbers that were written, and one line for each thing wrong."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import fnv, learner, panel, write

import lgkt
from lgkt import _core, report


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    learners = [learner("A", 1.0, group="ours", section="K = 1"), learner('B, "x"\n', 1.2),
                learner("Optimal", 1.9, group="oracles", oracle=True)]
    write(tmp_path / "one", [panel("p", learners, measures=["average", "counter:runs"]),
                             panel("nan", [learner("NA")], optimum=None, random=None)])
    return tmp_path / "one"


def test_hash() -> None:
    for data in (b"", b"foobar", bytes(range(256))):
        assert f"fnv1a64:{_core.hash_bytes(data):016x}" == fnv(data)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    rows = write(tmp_path / "x", [panel("p", [learner("A"), learner('B, "x"\n', 1.2)])])
    p = report.read(tmp_path)["x"].panel("p")
    for name, label, _, measure, t, _, n, mean, half in rows["curves.csv"]:
        if t < p.horizon:
            assert p.value(label, measure, t) == (pytest.approx(mean, abs=1e-15), half, n)
    for name, label, _, measure, _, _, n, mean, half in rows["summary.csv"]:
        got = p.value(label, measure)
        assert got[::2] == (mean, n) and (half == "" and math.isnan(got.ci95) or got.ci95 == half)
    for name, a, b, _, t, _, n, mean, half in rows["pairs.csv"]:
        assert p.pair(a, b, t) == (mean, half, n) and p.pair(b, a, t) == (-mean, half, n)
    for label in ("A", 'B, "x"\n'):
        runs = [row[7] for row in rows["runs.csv"] if row[1] == label]
        np.testing.assert_array_equal(p.runs(label), runs)


def test_panels_and_entries(folder: Path) -> None:
    results = report.read(folder)
    one = results["one"]
    assert list(results) == ["one"] and "two" not in results and one.section == "one"
    p = one.panel("p")
    assert (p.measure, p.better, p.instances, p.optimum) == ("average", "higher", 8, 2.0)
    assert [e.label for e in p.select(groups=["ours", "oracles"])] == ["A", "Optimal"]
    assert [e.label for e in p.select(sections=["K = 1"])] == ["A"]
    assert [e.label for e in p.select(groups=["ours"], labels=["Optimal"])] == ["A", "Optimal"]
    assert p.entry("Optimal").oracle and p.value("", "optimum").mean == 2.0
    # NA is a label, and there is no optimum
    other = one.panel("nan")
    assert other.value("NA").n == 8 and math.isnan(other.optimum)
    with pytest.raises(lgkt.Error, match='no learner "Optmal"; did you mean "Optimal"'):
        p.entry("Optmal")
    with pytest.raises(lgkt.Error, match='no panel "q"'):
        one.panel("q")


def test_values_that_are_not_there(folder: Path) -> None:
    p = report.read(folder)["one"].panel("p")
    for number in (p.value("A", "nothing"), p.value("A", t=2000), p.value("A", t=0.5),
                   p.value("C"), p.pair("A", "A"), p.pair("A", "Optimal", 200)):
        assert math.isnan(number.mean) and math.isnan(number.ci95) and number.n == 0
    assert p.runs("A", "nothing") is None and p.curve("A", "nothing")[0].size == 0


def test_straight_line_in_log_t(folder: Path) -> None:
    p = report.read(folder)["one"].panel("p")
    low, high = p.value("A", t=10).mean, p.value("A", t=100).mean
    assert p.value("A", t=10 * math.sqrt(10)).mean == pytest.approx((low + high) / 2)


def test_order_and_unfinished(tmp_path: Path) -> None:
    for name, more in (("z", {}), ("arena-1000", {"collection": "arena"}),
                       ("arena-20000", {"collection": "arena"}), ("b", {"collection": "paper"}),
                       ("arena-5000", {"collection": "arena"}),
                       ("a", {"collection": "paper", "order": 2000})):
        write(tmp_path / name, [panel("p", [learner("A")])], **more)
    (tmp_path / "going").mkdir()
    (tmp_path / "going" / "journal.bin").write_bytes(b"")
    results = report.read(tmp_path, tmp_path / "z")
    assert list(results) == ["b", "a", "arena-1000", "arena-5000", "arena-20000", "z"]
    assert results.unfinished == ("going",)


def test_compressed_files_are_read_and_checked(folder: Path) -> None:
    before = report.read(folder)["one"].panel("p").pair("A", "Optimal")
    data = (folder / "pairs.csv").read_bytes()
    (folder / "pairs.csv").unlink()
    packed = folder / "pairs.csv.gz"
    packed.write_bytes(gzip.compress(data))
    assert report.read(folder)["one"].panel("p").pair("A", "Optimal") == before
    packed.write_bytes(gzip.compress(data.replace(b"1", b"2", 1)))
    with pytest.raises(lgkt.Error, match=r"pairs\.csv: is not what the command wrote"):
        report.read(folder)
    for damaged in (gzip.compress(data)[:-9], b"no gzip at all"):
        packed.write_bytes(damaged)
        with pytest.raises(lgkt.Error, match=r"pairs\.csv\.gz: no gzip: half-written or edited"):
            report.read(folder)


def test_what_is_kept_is_what_was_asked_for(folder: Path, tmp_path: Path) -> None:
    one = report.read(folder)["one"]
    p = one.panel("p")
    asked = [p.pair('B, "x"\n', "A", 100), p.value("A", t=10 * math.sqrt(10)), p.value("Optimal")]
    p.curve("Optimal")  # whole curves are for figures
    files = one.kept()
    assert files == one.kept()
    assert [gzip.decompress(files[f"{name}.csv.gz"]).count(b"\n") for name in ("pairs", "curves")
            ] == [1 + 2, 1 + 2]  # a label has a line feed; a value lies between two rows
    (tmp_path / "kept").mkdir()
    for name, data in files.items():
        (tmp_path / "kept" / name).write_bytes(data)
    q = report.read(tmp_path / "kept")["one"].panel("p")
    assert asked == [q.pair('B, "x"\n', "A", 100), q.value("A", t=10 * math.sqrt(10)),
                     q.value("Optimal")]
    assert math.isnan(q.pair("A", "Optimal").mean)


def change(file: str, old: str, new: str) -> Callable[[Path], Any]:
    def act(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return act


def cut(file: str, size: int) -> Callable[[Path], Any]:
    return lambda folder: (folder / file).write_bytes((folder / file).read_bytes()[:size])


@pytest.mark.robust
@pytest.mark.parametrize(("damage", "words"), [
    (change("manifest.json", '"format": 2', '"format": 3'),
     "manifest.json: results of format 3, and this version reads format 2: run the experiment"),
    (change("manifest.json", '"format": 2, ', ""), "manifest.json: results of format 1"),
    (change("manifest.json", '"format": 2', '"format": true'), "results of format true"),
    (lambda folder: (folder / "manifest.json").write_text("[]"), "results of format null"),
    (cut("manifest.json", 300), "manifest.json: no JSON: half-written or edited"),
    (change("manifest.json", '"panels"', '"pannels"'), "manifest.json: has no 'panels'"),
    (change("manifest.json", '"label": "A"', '"lable": "A"'), "manifest.json: not what the comm"),
    (change("manifest.json", '"experiment": "one"', '"experiment": 1'), "(experiment is 1)"),
    (change("manifest.json", '"experiment": "one"', '"experiment": "../a"'), "(experiment is "),
    (change("manifest.json", '"label": "A"', '"label": null'), "(label is null)"),
    (lambda folder: (folder / "manifest.json").write_text("[" * 100000), "manifest.json: no JSON"),
    (change("manifest.json", '"pairs.csv"', '"paris.csv"'), "manifest.json: has no 'pairs.csv'"),
    (lambda folder: (folder / "manifest.json").unlink(), "has no manifest.json: the run has not"),
    (lambda folder: (folder / "pairs.csv").unlink(), "pairs.csv: no such file or directory"),
    (cut("curves.csv", 400), "curves.csv: has 5 rows instead of 35: half-written or edited"),
    (cut("curves.csv", 0), "curves.csv: the first line is not"),
    (change("summary.csv", "1.2,", "1.3,"), "summary.csv: is not what the command wrote"),
    (change("runs.csv", "mean,ci95", "ci95,mean"), "runs.csv: the first line is not"),
])
def test_damage(folder: Path, damage: Callable[[Path], Any], words: str) -> None:
    damage(folder)
    with pytest.raises(lgkt.Error, match=re.escape(words)) as why:
        report.read(folder)
    assert "\n" not in str(why.value) and str(folder)[-20:] in str(why.value)


@pytest.mark.robust
def test_folders_that_are_none(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(lgkt.Error, match="nowhere: there is no such folder"):
        report.read(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(lgkt.Error, match="empty: holds no results"):
        report.read(tmp_path / "empty")
    (tmp_path / "copy").mkdir()
    for file in folder.iterdir():
        (tmp_path / "copy" / file.name).write_bytes(file.read_bytes())
    with pytest.raises(lgkt.Error, match="the experiment one is also in "):
        report.read(tmp_path)
    assert json.loads((folder / "manifest.json").read_text())["experiment"] == "one"
