# SPDX-License-Identifier: MIT
"""What learners come to play: shares against counts step by step, exact values against runs."""

from __future__ import annotations

import numpy as np
import pytest

import lgkt

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

from lgkt import report  # noqa: E402
from lgkt.report import figures, target  # noqa: E402


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> report.Results:
    return report.read(lgkt.reproduce("target", tmp_path_factory.mktemp("out"), replicates=2))


@pytest.mark.parametrize(("name", "k"), [("synthetic-10", 1), ("riverswim-5", 2)])
def test_shares_are_counts(results: report.Results, name: str, k: int) -> None:
    panel = results["target"].panel(name)
    threshold, end = {1: 0.3, 2: 0.9}[k], panel.horizon - k + 1
    shares = []
    for i in range(2):
        env = lgkt.Env(panel.environment, seed=1, instance=i)
        assert env.model is not None
        value = lgkt.plan.lookahead(env.model, k).tolist()
        run, learner = env.trajectory(panel.horizon), env.learner(f"lg{k}t", panel.horizon)
        counts = [0.0] * 4
        for t in range(end):
            q = value[run.state]
            best = [a for a, x in enumerate(q) if x > max(q) - 1e-9]
            may = [a for a, x in enumerate(q) if x > threshold - 1e-9] or best
            a = learner.act(run.state)
            if t >= panel.horizon * 9 // 10:
                counts[0] += a in may
                counts[1] += len(may) / len(q)
                counts[2] += a in best
                counts[3] += len(set(may) & set(best)) / len(may)
            learner.observe(*run.step(a))
        good = np.array(value) > threshold - 1e-9
        shares.append([good.any(axis=1).mean(), good.mean(),
                       *(count / (end - panel.horizon * 9 // 10) for count in counts)])
    assert target.played(panel, k) == pytest.approx(np.mean(shares, axis=0), abs=1e-12)
    held = target.held(panel, k, instances=1)
    assert 0.9 < held.lower <= 1.0 and 0.8 < held.value <= 1.0 and 0.0 <= held.candidates <= 1.0


def test_values_are_those_of_runs(results: report.Results) -> None:
    for name in ("synthetic-10", "riverswim-5", "frozenlake"):
        panel = results["target"].panel(name)
        for k in target.LEARNERS:
            played = [panel.value(label.format(k)).mean
                      for label in (target.TARGET, target.GREEDY)]
            assert target.exact(panel, k) == pytest.approx(played, rel=0.03)
    # every action of the chain is good enough: the target is random play
    chain = results["target"].panel("chain")
    assert target.exact(chain, 1)[0] == pytest.approx(chain.random, rel=1e-9)


def test_figures_show_the_numbers(results: report.Results) -> None:
    panel = results["target"].panel("riverswim-8")
    defined = {name: {"drawing": name, "experiment": "target"}
               for name in ("target-rewards", "target-actions")}
    texts = [[text.get_text() for ax in figures.figure(name, results, defined).axes
              for text in ax.texts] for name in defined]
    assert len(texts[0]) == 10 * 2 * 3 and len(texts[1]) == 6 * 2 * 4
    assert f"{panel.value('LG1T').mean:.3f}" in texts[0]
    assert target.percent(target.played(panel, 1).by_chance) in texts[1]


def test_table_has_a_row_for_each(results: report.Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "held", lambda panel, k: target.Held(0.5, 0.25, 1.0))
    rows = [line.strip("| \n").split(" | ") for line in target.table(results).splitlines()]
    assert len(rows) == 2 + 10 * 2 and {len(row) for row in rows} == {18}
    assert rows[2][:2] == ["synthetic-10", "1"] and rows[2][-3:] == ["50", "25", "100"]
    lost = results["target"].panel("synthetic-10-k2").value("Random").mean
    assert rows[3][10] == f"{lost:.1f}" and rows[-1][10] == "-"
