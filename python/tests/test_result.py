# SPDX-License-Identifier: MIT
"""lgkt.Result: summaries against naive ones, tables, frames, figures, files."""

from __future__ import annotations

import dataclasses
import math
import pathlib
import pickle
import re
import subprocess
from typing import Any

import numpy as np
import pytest
from command import COMMAND, needs_command

import lgkt


@pytest.fixture(scope="module")
def full() -> lgkt.Result:
    return lgkt.run("synthetic:states=4", {"a": "auto", "b": "lg2t", "c": "random"}, 900, 13, 5,
                    checkpoints=True, regret=(2, 0.5), untold=True)


@pytest.fixture(scope="module")
def plain() -> lgkt.Result:
    return lgkt.run("riverswim", ["auto", "random"], 400, 12)


# ---- numbers ----


def test_summary(full: lgkt.Result) -> None:
    stats = pytest.importorskip("scipy.stats")
    for l, label in enumerate(full.labels):
        x, one = full.reward[l], full[label]
        assert one.mean == pytest.approx(np.mean(x), rel=1e-14)
        assert one.median == np.median(x)
        assert one.worst_tenth == pytest.approx(np.mean(np.sort(x)[:2]), rel=1e-14)
        low, high = stats.t.interval(0.95, 12, np.mean(x), stats.sem(x))
        assert one.ci95 == pytest.approx((high - low) / 2, rel=1e-12)
        span = np.mean(full.optimum) - np.mean(full.random)
        assert one.score == pytest.approx(100 * (np.mean(x) - np.mean(full.random)) / span)
        assert one.share == pytest.approx(np.mean(x) / np.mean(full.optimum))
        lost = 900 * (full.optimum - x)
        assert one.summary["optimum_regret"] == pytest.approx(np.mean(lost), rel=1e-12)
        assert one.summary["optimum_regret_ci95"] == pytest.approx(
            stats.t.ppf(0.975, 12) * stats.sem(lost), rel=1e-10)
        assert one.steps_per_second == pytest.approx(13 * 900 / full.seconds[l].sum())
        mean, half = full.curve_summary()
        assert mean[l] == pytest.approx(full.curve[l].mean(axis=1), rel=1e-12)
        assert half[l] == pytest.approx(stats.t.ppf(0.975, 12) * stats.sem(full.curve[l], axis=1),
                                        rel=1e-9)


def test_paired(full: lgkt.Result) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = full.paired("a", "c")
    wanted = stats.ttest_rel(full["a"].reward, full["c"].reward).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-10)
    assert full.paired(0, 2) == found == full.paired("a", -1)
    assert full.paired("a", "c", 0.5).low > found.low


def test_views(full: lgkt.Result) -> None:
    assert len(full) == 3 and [one.label for one in full] == ["a", "b", "c"]
    assert full["b"].spec == "lg2t" and full["b"].reward.shape == (13,)
    assert full["b"].curve.shape == (full.checkpoints.size, 13)
    assert full[-1].label == "c" and "mean reward" in repr(full["b"])
    with pytest.raises(KeyError, match="no learner 'd'; there are a, b, c"):
        full["d"]
    with pytest.raises(IndexError):
        full[3]


def test_one_instance() -> None:
    alone = lgkt.run("riverswim", "auto", 300, 1)
    assert math.isnan(alone["auto"].ci95) and alone["auto"].median == alone["auto"].mean
    assert re.search(r"auto +0\.\d{4} +- +0\.\d{4}", repr(alone))


# ---- tables ----


@needs_command
@pytest.mark.parametrize("options", [["--regret", "2,0.5"], ["--untold"], []])
def test_table_looks_like_the_command(options: list[str]) -> None:
    done = subprocess.run([COMMAND, "run", "-q", "-e", "synthetic", "-t", "500", "-n", "100", "-l",
                           "lg2t", "-l", "random", *options], capture_output=True, text=True,
                          check=True)
    result = lgkt.run("synthetic", ["lg2t", "random"], 500, 100,
                      regret=(2, 0.5) if "--regret" in options else None,
                      untold="--untold" in options)

    def same_in_both(text: str) -> str:
        # intervals are wider here, and time passes
        text = re.sub(r"[\d.]+( M)?$", "time", text, flags=re.MULTILINE) if not options else text
        return re.sub(r"\d+\.\d+", "x", re.sub(r" +", " ", text))

    ours, theirs = same_in_both(repr(result)), same_in_both(done.stdout.rstrip("\n"))
    strip = re.compile(r" \d+(\.\d+)?( M)?$| x M$", re.MULTILINE)
    assert strip.sub("", ours) == strip.sub("", theirs)
    # cell by cell, but for the two
    lines = [line.split() for line in repr(result).splitlines() if line.startswith("lg2t ")]
    wanted = [line.split() for line in done.stdout.splitlines() if line.startswith("lg2t ")]
    place = 1 if "--untold" in options else 0
    for i in (1, 3, 4, 5, 6):
        assert lines[place][i] == wanted[place][i]


def test_far_rewards_and_no_model() -> None:
    far = lgkt.run("scaled:of=riverswim,by=1e-6", ["auto"], 200, 3)
    assert re.search(r"auto +\S+e-0\d", repr(far))
    trade = lgkt.run("trading:frame-hi=40", ["auto"], 200, 3)
    text = repr(trade)
    assert text.endswith("optimum: not known, there is no model")
    assert re.search(r" -  +-  ", text)


def test_html(full: lgkt.Result, plain: lgkt.Result) -> None:
    import xml.etree.ElementTree as tree

    for result, tables in ((full, 3), (plain, 1)):
        text = result._repr_html_()
        root = tree.fromstring(f"<div>{text.replace('<br>', '<br/>')}</div>")
        assert len(root.findall("table")) == tables
        assert len(root.findall("table")[0].findall("tbody/tr")) == len(result)
    odd = lgkt.run("riverswim", {"<b>&": "random"}, 50, 2)
    assert "&lt;b&gt;&amp;" in odd._repr_html_()


# ---- frames ----


def test_frames(full: lgkt.Result, plain: lgkt.Result) -> None:
    pytest.importorskip("pandas")
    frame = full.to_pandas()
    assert list(frame.columns) == ["learner", "instance", "reward", "observed", "optimum", "random",
                                   "seconds", "regret"]
    assert len(frame) == 39
    row = frame[(frame.learner == "b") & (frame.instance == 4)].iloc[0]
    assert full.regret is not None
    assert (row.reward, row.optimum, row.regret) == (full.reward[1, 4], full.optimum[4],
                                                     full.regret[1, 4])
    means = frame.groupby("learner").reward.mean()
    assert means.to_numpy() == pytest.approx(full.summary["mean"], rel=1e-12)
    curve = full.curve_to_pandas()
    times = full.checkpoints
    assert len(curve) == 39 * times.size
    row = curve[(curve.learner == "c") & (curve.t == times[7]) & (curve.instance == 2)].iloc[0]
    assert row.reward == full.curve[2, 7, 2]
    assert "regret" not in plain.to_pandas() and len(plain.curve_to_pandas()) == 0


# ---- figures ----


def test_figures(full: lgkt.Result, plain: lgkt.Result, tmp_path: pathlib.Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = full.plot()
    assert [text.get_text() for text in ax.texts if text.get_text() in "abc"] and len(ax.texts) == 5
    # three curves, optimum and uniform
    assert len(ax.lines) == 5 and ax.get_xscale() == "log"
    assert np.array_equal(ax.lines[0].get_ydata(), full.curve_summary()[0][0])
    plt.savefig(tmp_path / "curves.png")
    heights = sorted(text.get_window_extent().y0 for text in ax.texts)
    assert min(np.diff(heights)) > 8.0
    figure, axes = plt.subplots(1, 2)
    assert full.plot(axes[0], regret=True, log=False, colors=["red"]) is axes[0]
    assert axes[0].get_xscale() == "linear" and len(axes[0].lines) == 3
    plain.plot(axes[1])
    assert [label.get_text() for label in axes[1].get_yticklabels()] == ["auto", "random"]
    figure.savefig(tmp_path / "both.png")
    with pytest.raises(lgkt.InputError, match="no checkpoints"):
        plain.plot(regret=True)
    with pytest.raises(lgkt.InputError, match="regret was not asked for"):
        lgkt.run("riverswim", "random", 50, 2, checkpoints=True).plot(regret=True)
    plt.close("all")


def test_wide_intervals_do_not_press_the_lines_flat() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # two runs: Student's factor is 12.7
    result = lgkt.run("synthetic", ["auto", "random"], 500, 2, checkpoints=True)
    mean, half = result.curve_summary()
    lines = [*mean.ravel(), result.optimum_mean, result.random_mean]
    low, high = result.plot().get_ylim()
    plt.close("all")
    assert np.max(mean + half) - np.min(mean - half) > 3 * np.ptp(lines)
    assert low <= min(lines) and max(lines) <= high and high - low < 1.61 * np.ptp(lines)


# ---- files ----


def equal(a: Any, b: Any) -> None:
    assert repr(a) == repr(b)
    for name in (field.name for field in dataclasses.fields(a)):
        value = getattr(a, name)
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(b, name), equal_nan=True), name
            assert value.dtype == getattr(b, name).dtype
        else:
            assert value == getattr(b, name), name


def test_save_and_pickle(full: lgkt.Result, plain: lgkt.Result, tmp_path: pathlib.Path) -> None:
    trade = lgkt.run("trading:frame-hi=40", ["auto"], 200, 3)
    for result in (full, plain, trade):
        result.save(tmp_path / "result")
        equal(result, lgkt.Result.load(tmp_path / "result"))
        equal(result, pickle.loads(pickle.dumps(result)))
    with pytest.raises(FileNotFoundError):
        lgkt.Result.load(tmp_path / "nothing")


# ---- masks ----

P, R = np.full((2, 2, 2), 0.5), np.array([[0.0, 1.0], [0.5, 0.2]])
WHERE = np.array([[True, False], [True, True]])


class Gate:
    """A world that forbids its second action in state 0."""

    states, actions, state = 2, 2, 0

    def __init__(self, seed: int, instance: int) -> None:
        pass

    @property
    def allowed(self) -> list[bool]:
        return WHERE[self.state].tolist()

    def step(self, action: int) -> tuple[float, int, bool]:
        assert WHERE[self.state][action]
        self.state = 1 - self.state
        return float(action), self.state, False


class Careful:
    def __init__(self, problem: lgkt.Problem) -> None:
        pass

    def act(self, state: int, allowed: Any = None) -> int:
        return 0 if allowed is None else int(np.flatnonzero(allowed)[-1])

    def observe(self, reward: float, next_state: int, ended: bool) -> None:
        pass


class Blind(Careful):
    def act(self, state: int) -> int:  # type: ignore[override]
        return 0


def test_masks_are_named(plain: lgkt.Result, tmp_path: pathlib.Path) -> None:
    told = "masks: learners choose among the actions that are allowed"
    model = lgkt.Model(P, R, allowed=WHERE)
    result = lgkt.run(model, ["auto", Careful], 100, 2)
    assert result.masks == (True, True)
    assert repr(result).splitlines()[1:3] == [
        "first instance: model of 2 states and 2 actions, 3 of 4 pairs allowed", told]
    result = lgkt.run(Gate, ["auto", Blind, Careful], 100, 2)
    assert result.masks == (True, False, True)
    assert repr(result).splitlines()[1] == (
        f"{told}, but not Blind, whose act takes no `allowed`")
    assert told in result._repr_html_()
    result.save(tmp_path / "masks")
    assert lgkt.Result.load(tmp_path / "masks").masks == result.masks
    assert plain.masks is None and "masks" not in repr(plain)
    # everything is allowed
    assert lgkt.run(lgkt.Model(P, R), "auto", 100, 2).masks is None


@needs_command
def test_the_command_names_masks(tmp_path: pathlib.Path) -> None:
    lgkt.Model(P, R, allowed=WHERE).write(tmp_path / "gate.json")
    said = subprocess.run([COMMAND, "run", "--env", "model:file=gate.json", "--learner", "auto",
                           "-t", "100", "-n", "2"], cwd=tmp_path, check=True, text=True,
                          capture_output=True).stdout
    assert "\nfirst instance: model of 2 states and 2 actions, 3 of 4 pairs allowed from" in said


# ---- digits ----


@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e7])
def test_digits_are_even_and_those_of_the_command(scale: float) -> None:
    """Rewards of a table have the same number of decimals, or of digits that count."""
    spec = f"scaled:by={scale:.0f},of=(chain)" if scale > 1 else f"scaled:by={scale},of=(chain)"
    result = lgkt.run(spec, ["auto", "lg2t", "random"], 500, 3)
    rows = [line.split() for line in repr(result).splitlines()[4:7]]
    if scale == 1.0:
        assert all(re.fullmatch(r"-?\d+\.\d{4}", cell) for row in rows for cell in row[1:5])
    else:
        for cell in (cell for row in rows for cell in row[1:5]):
            assert len(re.sub(r"e.*|\D", "", cell).lstrip("0")) in (0, 5), cell
    assert all(re.fullmatch(r"-|-?\d+\.\d", row[5]) for row in rows)
    if not COMMAND:
        pytest.skip("the command is not built")
    words = [word for spec in result.labels for word in ("--learner", spec)]
    said = subprocess.run([COMMAND, "run", "--env", spec, *words, "-t", "500", "-n", "3"],
                          check=True, text=True, capture_output=True).stdout
    assert [line.split()[:6] for line in said.splitlines()[4:7]] == [row[:6] for row in rows]
