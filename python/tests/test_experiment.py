# SPDX-License-Identifier: MIT
"""Experiment files read from Python: the numbers of the command, and its words for mistakes."""

from __future__ import annotations

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import COMMAND, ROOT, needs_command

import lgkt
from lgkt import experiment

GOOD: dict[str, Any] = {
    "horizon": 3000, "instances": 6,
    "learners": {
        "ours": [{"label": "A", "spec": "lg1t:threshold=0.5", "style": {"color": "#E69f00"}},
                 {"label": "B", "spec": "lg2t", "group": "two", "section": "K = 2"},
                 {"label": "C", "spec": "ucrl2"}],
        "oracles": [{"label": "Optimal", "spec": "optimal", "oracle": True}]},
    "panels": [
        {"name": "one", "environment": "synthetic:states=5,actions=2", "untold": True,
         "learners": ["ours", "oracles"], "compare": [10, 77, 5000]},
        {"name": "two", "environment": "gap", "measure": "regret", "learners": ["ours"],
         "regret": {"k": 2, "threshold": 1.2}, "instances": 4, "quick": 50},
        {"name": "own", "environment": "model:file=(parts/own.json)", "checkpoints": [5, 50, 9999],
         "learners": ["oracles"]}]}


def write(folder: Path, data: Any, name: str = "mine.json") -> Path:
    (folder / name).write_text(data if isinstance(data, str) else json.dumps(data))
    return folder / name


def test_defaults_are_filled_in(tmp_path: Path) -> None:
    read = experiment.read(write(tmp_path, GOOD))
    assert (read.name, read.title, read.section, read.seed, read.order) == (
        "mine", "mine", "mine", 1, 1000)
    one, two, own = read.panels
    assert [entry.group for entry in one.entries] == ["ours", "two", "ours", "oracles"]
    assert one.entries[1].section == "K = 2" and one.entries[3].oracle and one.untold
    assert (one.measures, one.quick, one.checkpoints) == (("average",), 6, "mixed")
    assert (two.measures, two.quick, two.checkpoints) == (("regret",), 4, "log")
    assert two.regret == (2, 1.2) and two.compare == (100, 1000, 5000, 10000, 100000)
    assert own.times.tolist() == [5, 50, 100, 1000, 3000]
    assert read.panel("two") is two and read.panel() is one
    with pytest.raises(lgkt.Error, match='no panel "tow"; did you mean "two"'):
        read.panel("tow")


def test_shipped_files() -> None:
    assert experiment._folder() == ROOT / "experiments" or experiment.names()
    environments = set()
    for name in experiment.names():
        read = experiment.read(name)
        assert read.name == name and read.collection in ("paper", "beyond", "arena", "practice")
        environments |= {panel.environment for panel in read.panels}
    for spec in environments:
        lgkt._core.check_env(spec)
    with pytest.raises(lgkt.Error, match='unknown experiment "synthetic-1O"; did you mean'):
        experiment.read("synthetic-1O")


@needs_command
def test_numbers_of_the_command(tmp_path: Path) -> None:
    report = pytest.importorskip("lgkt.report")
    pytest.importorskip("pandas")
    (tmp_path / "parts").mkdir()
    model = lgkt.Model(P=[[[0.1, 0.9], [0.6, 0.4]], [[0.5, 0.5], [0.0, 1.0]]],
                       R=[[0.0, 1.0], [0.3, 0.2]])
    model.write(tmp_path / "parts/own.json")
    file = write(tmp_path, GOOD)
    subprocess.run([COMMAND, "reproduce", file, "--out", tmp_path / "out", "--quiet"], check=True)
    written = report.read(tmp_path / "out")["mine"]
    for panel in experiment.read(file).panels:
        result, there = panel.run(jobs=1), written.panel(panel.name)
        regret = panel.measures[0] == "regret"
        means, halves = result.curve_summary(regret=regret)
        for l, label in enumerate(result.labels):
            t, mean, half = there.curve(label)
            np.testing.assert_array_equal(t, panel.times)
            np.testing.assert_array_equal(mean, means[l])
            np.testing.assert_allclose(half, halves[l], rtol=1e-12)
            assert there.value(label, "reward").mean == result[label].mean
            assert there.entry(label).spec == panel.entries[l].spec


def changed(path: str, value: Any) -> Any:
    """GOOD with one thing changed; a path like "panels.0.name", a value None removes."""
    data = copy.deepcopy(GOOD)
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    place: Any = data
    for part in parents:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return data


BAD: list[Any] = [
    changed("tilte", "x"), changed("title", 7), changed("title", "a\nb"), changed("order", 0.5),
    changed("order", -1), changed("seed", "1"), changed("seed", 2**53), changed("comment", 3),
    changed("panels", None), changed("panels", []), changed("panels", {}), changed("panels.1", 3),
    changed("panels.1.name", "one"), changed("panels.1.name", ""), changed("panels.1.name", None),
    changed("panels.1.name", "x" * 65), changed("panels.0.environment", None),
    changed("horizon", None), changed("horizon", 0), changed("panels.0.horizon", 1.5),
    changed("panels.0.horizon", 10**12 + 1), changed("panels.0.instances", True),
    changed("panels.0.quick", -1), changed("panels.0.untold", 1), changed("panels.0.learnrs", []),
    changed("panels.0.learners", ["our"]), changed("panels.0.learners", "ours"),
    changed("panels.0.learners", [3]), changed("panels.0.learners", ["ours", "ours"]),
    changed("learners", []), changed("learners.ours", []), changed("learners.ours.0.label", None),
    changed("learners.ours.0.spce", "x"), changed("learners.ours.0.oracle", "yes"),
    changed("learners.ours.0.style.color", "red"), changed("learners.ours.0.style.dash", "dahsed"),
    changed("learners.ours.0.style.width", 20.00001), changed("learners.ours.0.style.widht", 1),
    changed("measure", "avrage"), changed("measure", "regret"), changed("measure", "event:falls"),
    changed("measure", ["ratio", "average"]), changed("measure", ["average", "average"]),
    changed("measure", "counter:"), changed("measure", []),
    changed("panels.1.regret", {"k": 0, "threshold": 1}), changed("panels.1.regret", {"k": 1}),
    changed("panels.1.regret", {"k": 1, "threshold": "x"}), changed("events", []),
    changed("events", {"falls": 3}), changed("checkpoints", "lin"), changed("checkpoints", [0]),
    changed("checkpoints", [5, 5]), changed("compare", [1.5]), changed("compare", list(range(16))),
    [], "",
]


@needs_command
@pytest.mark.robust
def test_words_of_the_command(tmp_path: Path) -> None:
    for i, bad in enumerate(BAD):
        file = write(tmp_path, bad, f"bad-{i}.json")
        done = subprocess.run([COMMAND, "reproduce", file, "--out", tmp_path / "out"], text=True,
                              capture_output=True)
        assert done.returncode == 2 and not (tmp_path / "out").exists(), (bad, done.stderr)
        with pytest.raises(lgkt.Error) as why:
            experiment.read(file)
        said = done.stderr.removeprefix("lgkt: reproduce: ").splitlines()[0]
        if bad != "":  # where the JSON is none, parsers have their own words
            assert str(why.value) == said
        assert f"bad-{i}.json" in str(why.value) and "\n" not in str(why.value)


@pytest.mark.robust
def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        experiment.read(tmp_path / "none.json")
    with pytest.raises(lgkt.Error, match='duplicate object key "title"'):
        experiment.read(write(tmp_path, '{"title": "a", "title": "b"}'))
    (tmp_path / "latin.json").write_bytes(b'{"title": "\xe9"}')
    with pytest.raises(lgkt.Error, match="latin.json: it is not UTF-8"):
        experiment.read(tmp_path / "latin.json")
    read = experiment.read(write(tmp_path, changed("measure", "ratio")))
    with pytest.raises(lgkt.UnsupportedError, match="panel one: a ratio is exact"):
        read.panel("one").run()
