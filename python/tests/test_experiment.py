# SPDX-License-Identifier: MIT
"""Experiment files read from Python: the numbers of the command, and its words for mistakes."""

from __future__ import annotations

import copy
import json
import os
import subprocess
from dataclasses import replace
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


def learner(grid: Any, spec: Any = "lgkt:k={k}", **fields: Any) -> Any:
    return changed("learners.ours.0", {"label": "L", "spec": spec, "grid": grid, **fields})


def panel(grid: Any, environment: Any = "synthetic:states={s}", **fields: Any) -> Any:
    return changed("panels.0", {"name": "p", "environment": environment, "learners": ["ours"],
                                "grid": grid, **fields})


SPAN = {"from": 1, "to": 2, "count": 3}
BAD_GRIDS: list[Any] = [
    learner([]), learner({}), learner(3), learner("k"), learner({f"k{i}": [1] for i in range(17)}),
    learner({"k": []}), learner({"k": 3}), learner({"k": "1"}), learner({"k": None}),
    learner({"k": list(range(1001))}), learner({"k": [1, 2, 1]}), learner({"k": [1, 1.0]}),
    learner({"k": [1, "1"]}), learner({"k": ["a", "a"]}), learner({"k": [0.0, -0.0]}),
    learner({"k": [""]}), learner({"k": ["a\nb"]}), learner({"k": ["x" * 65]}),
    learner({"k": [True]}), learner({"k": [None]}), learner({"k": [[1]]}), learner({"k": [{}]}),
    learner({"k": [1e301]}), learner({"k": [2**53]}), learner({"k": [-2**63]}),
    learner({"k": [1], "": [1]}), learner({"k": [1], "a b": [1]}), learner({"\u00e9": [1]}),
    learner({"k": [1], "a" * 17: [1]}), learner({"k": [1], "{k}": [1]}),
    learner({"k": {}}), learner({"k": {**SPAN, "form": 1}}), learner({"k": {"from": 1, "to": 2}}),
    learner({"k": {"from": 1, "count": 2}}), learner({"k": {"to": 1, "count": 2}}),
    learner({"k": {**SPAN, "count": 1}}), learner({"k": {**SPAN, "count": 1001}}),
    learner({"k": {**SPAN, "count": 2.5}}), learner({"k": {**SPAN, "from": "1"}}),
    learner({"k": {**SPAN, "to": True}}), learner({"k": {**SPAN, "to": 2e300}}),
    learner({"k": {**SPAN, "to": 1}}), learner({"k": {**SPAN, "to": 1 + 1e-14}}),
    learner({"k": {**SPAN, "scale": "lgo"}}), learner({"k": {**SPAN, "scale": 3}}),
    learner({"k": {**SPAN, "scale": "log", "from": 0}}),
    learner({"k": {**SPAN, "scale": "log", "from": -1}}),
    learner({"k": {**SPAN, "scale": "log", "to": 1e151}}),
    learner({"kk": [1]}), learner({"kay": [1]}), learner({"depth": [1]}, "lgkt:k={dpeth}"),
    learner({"k": [1], "g": [1]}), learner({"k": [1], "g": [1]}, label="{g}", group="{g}"),
    learner({"k": [1]}, "lgkt:k={k"), learner({"k": [1]}, "lgkt:k={k}{"), learner({"k": [1]}, "{}"),
    learner({"k": [1]}, label="{j}"), learner({"k": [1]}, group="{j}"),
    learner({"k": [1]}, section="K = {K}"), learner({"k": [1]}, label="{" + "\u00e9" * 30 + "}"),
    learner({"k": [1]}, 3), learner({"k": [1]}, label=3), learner({"k": [1]}, oracle="{k}"),
    learner({"k": [1]}, gird={}), learner({"k": [1, 2]}, label="x" * 61),
    learner({"k": ["x" * 60]}, label="{k} {k}"), learner({"k": ["x" * 64]}, "{k}" * 65),
    learner({"k": [1]}, label="A" * 5000), learner({"k": [1, 2]}, label="A" * 5000),
    learner({"k": [1, 11], "g": [11, 1]}, "x:{k}{g}", label="{k}{g}"),
    learner({"k": ["B", "D"]}, label="{k}"), learner({"k": ["1=B", "C"]}, label="{k}"),
    learner({"k": list(range(1000)), "g": [1, 2]}, "{k}{g}"),
    learner({f"k{i}": list(range(1000)) for i in range(16)}, "x"),
    learner({"k": list(range(999))}), learner({"k": list(range(1000))}),
    changed("learners", {f"s{i}": [{"label": "L", "spec": "{k}", "grid": {"k": list(range(1000))}}]
                         for i in range(21)}),
    changed("learners.ours.0.grid", {"k": [1]}),
    *(changed("learners.ours", [{"label": "L", "spec": "x:" + "".join(f"{{{n}}}" for n in grid),
                                 "grid": grid} for grid in ({"k": [1, 2]}, other)])
      for other in ({"j": [1, 2]}, {"k": [2]}, {"k": [3], "j": [1, 2]})),
    changed("panels", [{"name": "p", "environment": "gap:{s}{t}", "learners": ["ours"],
                        "grid": {"s": s, "t": [1]}} for s in ([1, 2], [2])]),
    panel({}), panel({"s": [3, 4], "t": [1]}), panel({"s": [3, 4]}, name="one {t}"),
    panel({"s": [3, 4]}, name=None), panel({"s": [3, 4]}, title="{S}"),
    panel({"s": [3, 4]}, name="x" * 61), panel({"s": [3, 4]}, title="x" * 1995),
    panel({"s": ["two", "own"]}, name="{s}"), panel({"s": list(range(1000))}),
    panel({"T": [10, 20.5]}, "gap", horizon="{T}"), panel({"T": ["10"]}, "gap", horizon="{T}"),
    panel({"T": [10]}, "gap", horizon="{T}0"), panel({"T": [10]}, "gap", horizon="{T}{T}"),
    panel({"T": [10]}, "gap", horizon="T"), panel({"T": [10]}, "gap", horizon="{U}"),
    panel({"T": [0]}, "gap", horizon="{T}"), panel({"T": [1e12, 2e12]}, "gap", instances="{T}"),
    panel({"T": [1e18]}, "gap", horizon="{T}"), panel({"T": [1]}, "gap", quick="{T}"),
    panel({"T": [1], "q": [-1]}, "gap", horizon="{T}", quick="{q}", instances="{T}"),
    panel({"s": [3]}, horizon=""), panel({"s": [3]}, horizon={"a": "{s}"}),
    panel({"s": [3]}, events={"e": "gap:{t}"}), panel({"s": [3]}, events={"e": 3}),
    panel({"s": [3]}, events={f"e{i}": "{s}" for i in range(9)}),
    panel({"s": [3]}, measure="event:{s}"), panel({"s": [3]}, events={"{s}": "gap"}, measure="x"),
    panel({"s": [3]}, untold="{s}"), panel({"s": [3]}, learners=["{s}"]),
    panel({"s": [3]}, environment=7), changed("horizon", "{T}"),
]


@needs_command
@pytest.mark.robust
def test_words_of_the_command(tmp_path: Path) -> None:
    for i, bad in enumerate(BAD + BAD_GRIDS):
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


GRIDS: dict[str, Any] = {
    "horizon": 40, "instances": 2, "quick": 1, "measure": ["average", "event:e"],
    "learners": {"s": [
        {"label": "LG{k}T {g}", "spec": "lgkt:k={k},threshold={g}", "section": "K = {k}",
         "grid": {"k": [1, 2], "g": {"from": 0.1, "to": 0.9, "count": 9}}},
        {"label": "R", "spec": "random"},
        {"label": "soft", "spec": "q-learning:c={e}", "group": "q {e}",
         "grid": {"e": {"from": 0.001, "to": 0.1, "count": 3, "scale": "log"}}}]},
    "panels": [
        {"name": "syn", "title": "S", "environment": "synthetic:states={s},actions=2",
         "events": {"e": "synthetic:states={s},actions=2,seed=3"}, "horizon": "{T}",
         "learners": ["s"], "grid": {"s": [3, 4], "T": [20, 30]}},
        {"name": "lake", "environment": "{w}", "events": {"e": "{w}"}, "learners": ["s"],
         "grid": {"w": ["frozenlake"]}}]}


def by_hand() -> Any:
    """GRIDS written out."""
    data = copy.deepcopy(GRIDS)
    learners = [{"label": f"LG{k}T {g}", "spec": f"lgkt:k={k},threshold={g}", "section": f"K = {k}"}
                for k in (1, 2) for g in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)]
    learners += [{"label": "R", "spec": "random"}]
    learners += [{"label": f"soft e={e}", "spec": f"q-learning:c={e}", "group": f"q {e}"}
                 for e in (0.001, 0.01, 0.1)]
    data["learners"]["s"] = learners
    data["panels"] = [
        {"name": f"syn s={s} T={t}", "title": f"S, s = {s}, T = {t}", "horizon": t,
         "environment": f"synthetic:states={s},actions=2", "learners": ["s"],
         "events": {"e": f"synthetic:states={s},actions=2,seed=3"}}
        for s in (3, 4) for t in (20, 30)]
    data["panels"] += [{"name": "lake", "environment": "frozenlake", "learners": ["s"],
                        "events": {"e": "frozenlake"}}]
    return data


def test_grids_are_what_is_written_out(tmp_path: Path) -> None:
    read = experiment.read(write(tmp_path, GRIDS))
    plain = experiment.read(write(tmp_path, by_hand()))
    assert read.panels[0].entries[10].cell == {"k": 2.0, "g": 0.2}
    assert read.panels[0].entries[10].grid == "LG{k}T {g}"
    assert read.panels[0].entries[18].grid is None and read.panels[0].entries[18].cell == {}
    assert read.panels[0].entries[19].grid == "soft"
    assert (read.panels[1].grid, read.panels[1].cell) == ("syn", {"s": 3.0, "T": 30.0})
    assert (read.panels[4].grid, read.panels[4].cell) == ("lake", {"w": "frozenlake"})

    def bare(panel: experiment.Panel) -> experiment.Panel:
        entries = tuple(replace(entry, grid=None, cell={}) for entry in panel.entries)
        return replace(panel, grid=None, cell={}, place=0, entries=entries)

    assert [bare(panel) for panel in read.panels] == [bare(panel) for panel in plain.panels]


@pytest.mark.parametrize(("span", "wanted"), [
    ({"from": 0.1, "to": 0.9, "count": 9}, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
    ({"from": -0.7, "to": 0.3, "count": 11},
     [-0.7, -0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]),
    ({"from": 3, "to": 1, "count": 3}, [3, 2, 1]),
    ({"from": 0, "to": 1, "count": 4}, [0, 0.333333333333, 0.666666666667, 1]),
    ({"from": 1e-7, "to": 1e7, "count": 15, "scale": "log"}, [10.0**i for i in range(-7, 8)]),
    ({"from": 1024, "to": 1, "count": 11, "scale": "log"}, [2**i for i in range(10, -1, -1)]),
    ({"from": 1, "to": 2, "count": 3, "scale": "log"}, [1, 1.41421356237, 2]),
    ({"from": 1 / 3, "to": 2 / 3, "count": 2, "scale": "linear"}, [1 / 3, 2 / 3]),
])
def test_spans(tmp_path: Path, span: Any, wanted: list[float]) -> None:
    read = experiment.read(write(tmp_path, learner({"k": span})))
    made = [entry.cell["k"] for entry in read.panels[0].entries if entry.grid == "L"]
    assert made == wanted
    assert all(float(entry.spec.removeprefix("lgkt:k=")) == entry.cell["k"]
               for entry in read.panels[0].entries if entry.grid == "L")


def test_only_files_are_experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    monkeypatch.setenv("LGKT_EXPERIMENTS", str(tmp_path))
    assert experiment.names() == ["mine"] and experiment.read("mine").panel("two").horizon == 3000
    with pytest.raises(lgkt.Error, match='unknown experiment "pipe"'):
        experiment.read("pipe")


@needs_command
def test_both_readers_fill_in_the_same(tmp_path: Path) -> None:
    # numbers of all sizes, whose digits would show any difference in arithmetic
    rng = np.random.default_rng(1)
    span = [{"from": float(a), "to": float(b), "count": int(count), "scale": scale}
            for scale in ("linear", "log")
            for a, b, count in zip(10.0**rng.uniform(-9, 9, 12), 10.0**rng.uniform(-9, 9, 12),
                                   rng.integers(2, 40, 12), strict=True)]
    span += [{"from": 1e-150, "to": 1e15, "count": 60, "scale": "log"},
             {"from": -1e15, "to": 1e15, "count": 60}]
    sets = [{"label": f"{i} {{g}}", "spec": "lgkt:threshold={g}", "grid": {"g": one}}
            for i, one in enumerate(span)]
    sets.append({"label": "list", "spec": "lgkt:threshold={g}",
                 "grid": {"g": [*map(float, rng.normal(0, 1, 20)), 1e15, 10**15 - 1, -5e-324]}})
    file = write(tmp_path, {
        "horizon": 2, "instances": 1, "learners": {"s": sets}, "checkpoints": [1], "compare": [],
        "panels": [{"name": "p", "environment": "gap", "learners": ["s"]}]})
    subprocess.run([COMMAND, "reproduce", file, "--out", tmp_path, "--quiet"], check=True)
    there = json.loads((tmp_path / "mine/manifest.json").read_text())["panels"][0]["learners"]
    entries = experiment.read(file).panels[0].entries
    assert len(there) == len(entries) > 400
    for entry, said in zip(entries, there, strict=True):
        assert (entry.label, entry.spec, entry.grid, entry.cell) == (
            said["label"], said["spec"], said["grid"], said["cell"])


@pytest.mark.robust
def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        experiment.read(tmp_path / "none.json")
    with pytest.raises(lgkt.Error, match='duplicate object key "title"'):
        experiment.read(write(tmp_path, '{"title": "a", "title": "b"}'))
    for digits, place in (2**63, "order: "), (-2**63 - 1, "order: "), ("9" * 5000, ""):
        with pytest.raises(lgkt.Error, match=f"mine.json: {place}too big integer$"):
            experiment.read(write(tmp_path, f'{{"order": {digits}}}'))
    for word in "NaN", "Infinity", "-Infinity":
        with pytest.raises(lgkt.Error, match=f"mine.json: {word} is no JSON"):
            experiment.read(write(tmp_path, f'{{"order": {word}}}'))
    with pytest.raises(lgkt.Error, match="maximum parsing depth reached"):
        experiment.read(write(tmp_path, "[" * 10**5))
    for text, flaw in ("a\\u0000", "has a zero character"), ("\\ud800", "is not UTF-8"):
        with pytest.raises(lgkt.Error, match=f"mine.json: title: it {flaw}"):
            experiment.read(write(tmp_path, f'{{"title": "{text}"}}'))
        with pytest.raises(lgkt.Error, match=r'mine.json: unknown field "a?\?"; known: title'):
            experiment.read(write(tmp_path, f'{{"{text}": 1}}'))
    with pytest.raises(lgkt.Error, match="mine.json: larger than 4194304 bytes"):
        experiment.read(write(tmp_path, " " * (2**22 + 1)))
    (tmp_path / "latin.json").write_bytes(b'{"title": "\xe9"}')
    with pytest.raises(lgkt.Error, match="latin.json:1:12: unable to decode byte 0xe9"):
        experiment.read(tmp_path / "latin.json")
    read = experiment.read(write(tmp_path, changed("measure", "ratio")))
    with pytest.raises(lgkt.UnsupportedError, match="panel one: a ratio is exact"):
        read.panel("one").run()
