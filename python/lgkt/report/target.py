# SPDX-License-Identifier: MIT
"""What the learners of K-step thresholding come to play: two figures and a table.

The target of a learner is the K-step thresholding policy of section 3 of the paper: it draws among
all actions whose K-step value on the true model reaches the threshold, and plays the best one where
there is none. Rewards and regrets are read from results of the experiment `target`; what was played
in the last tenth of a run is not in them, so some of its runs are played once more.

    python3 -m lgkt.report.target results    prints the table of docs/what-lgkt-does.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.patches import Patch
from numpy.typing import NDArray

import lgkt
from lgkt import _core
from lgkt._figure import SIZE, open_frame
from lgkt.report.figures import axes, canvas, style
from lgkt.report.results import read

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lgkt.report.results import Panel, Results

EXPERIMENT = "target"
LEARNERS = {1: "LG1T", 2: "LG2T"}
TARGET, GREEDY, RANDOM = "Target K={}", "{}-step greedy", "Random"
INSTANCES = 30  # that are played once more
EXPLAINED = 10  # of them, whose learner is asked before each step
BLUE, ORANGE, GREY, YELLOW, PALE = "#0072b2", "#d55e00", "#888888", "#e69f00", "#bbbbbb"
ACROSS, ROW, LINE, LEFT, TOP, BOTTOM = 256.0, 34.0, 14.0, 124.0, 28.0, 38.0


class Played(NamedTuple):
    """Shares of a panel: of states and pairs of the model, and of the steps of the last tenth."""

    good_states: float  #: that have an action which reaches the threshold
    good_pairs: float  #: that reach it
    allowed: float  #: steps in which the learner plays what its target may play
    by_chance: float  #: the same of random play in the states of the learner
    greedy: float  #: steps in which the learner plays a K-step greedy action
    of_target: float  #: the same of the target in the states of the learner


class Held(NamedTuple):
    """Shares of the steps of the last tenth in which the learner plays the action that has ..."""

    lower: float  #: its highest lower bound
    value: float  #: its highest estimate
    candidates: float  #: steps in which some lower bound reaches the threshold


def _case(panel: Panel, k: int) -> tuple[str, float]:
    """The spec of the learner, and the threshold of its target."""
    threshold = _core.spec_value(panel.entry(TARGET.format(k)).spec, "threshold")
    return panel.entry(LEARNERS[k]).spec, float(threshold or "nan")


def played(panel: Panel, k: int, instances: int = INSTANCES) -> Played:
    """What the learner of depth k plays in the first instances of a panel; of ties all count."""
    spec, threshold = _case(panel, k)
    end = panel.horizon - k + 1  # the last steps look less far
    shares = []
    for i in range(min(instances, panel.instances)):
        env = lgkt.Env(panel.environment, seed=panel.experiment.seed, instance=i)
        assert env.model is not None
        q = lgkt.plan.lookahead(env.model, k)
        slack = 1e-12 * np.maximum(1.0, np.abs(q))
        best, good = q >= q.max(axis=1, keepdims=True) - slack, q >= threshold - slack
        some: NDArray[np.bool_] = np.any(good, axis=1)
        may = np.where(some[:, None], good, best)
        states, actions, _ = env.trajectory(panel.horizon).play(env.learner(spec, panel.horizon))
        s, a = (column[panel.horizon * 9 // 10:end] for column in (states, actions))
        of_target = (best & may).sum(axis=1) / may.sum(axis=1)
        shares.append([some.mean(), good.mean(), may[s, a].mean(), may.mean(axis=1)[s].mean(),
                       best[s, a].mean(), of_target[s].mean()])
    return Played(*np.mean(shares, axis=0).tolist())


def exact(panel: Panel, k: int) -> tuple[float, float]:
    """Reward per step of the target and of K-step greedy, exactly; of ties any is played."""
    _, threshold = _case(panel, k)
    sums: NDArray[np.float64] = np.zeros(2)
    for i in range(panel.instances):
        env = lgkt.Env(panel.environment, seed=panel.experiment.seed, instance=i)
        assert env.model is not None
        start = env.trajectory(panel.horizon).state
        best = lgkt.plan.lookahead(env.model, k).max(axis=1)
        # as high as the best of a state at the most, so that all that tie with it are played
        sums += [lgkt.plan.thresholding(env.model, k, panel.horizon, gamma).value()[start]
                 for gamma in (np.minimum(best, threshold), best)]
    target, greedy = (sums / (panel.horizon * panel.instances)).tolist()
    return target, greedy


def held(panel: Panel, k: int, instances: int = EXPLAINED) -> Held:
    """What the learner of depth k itself says of the actions that it plays."""
    spec, _ = _case(panel, k)
    counts: NDArray[np.float64] = np.zeros(3)
    steps = 0
    for i in range(min(instances, panel.instances)):
        env = lgkt.Env(panel.environment, seed=panel.experiment.seed, instance=i)
        run, learner = env.trajectory(panel.horizon), env.learner(spec, panel.horizon)
        run.play(learner, panel.horizon * 9 // 10)
        for _ in range(panel.horizon * 9 // 10, panel.horizon):
            said = learner.explain(run.state)
            a = learner.act(run.state)
            # what was never tried has no numbers
            lower, value = (np.nan_to_num(said[key], nan=-np.inf) for key in ("lower", "value"))
            counts += [lower[a] == lower.max(), value[a] == value.max(), said["good"].any()]
            learner.observe(*run.step(a))
            steps += 1
    return Held(*(counts / steps).tolist())


# ---- figures ----


def _environments(results: Results, regret: bool = False) -> list[Panel]:
    """The panels with all learners; or those of them whose regret is there, too."""
    names = {panel.name for panel in results[EXPERIMENT].panels}
    return [panel for panel in results[EXPERIMENT].panels if panel.measure == "average"
            and (not regret or f"{panel.name}-k1" in names)]


def _short(panel: Panel) -> str:
    """The title up to the number of states."""
    return panel.title.partition(", A")[0].replace(" MDPs", "").replace(" 4x4 without end", "")


_Bars = Sequence[tuple[float, str, str]]  # length, what is written at the end, colour


def _draw(panels: Sequence[Panel], bars: Callable[[Panel, int], _Bars], words: str,
          colors: Mapping[str, str], apart: bool) -> list[Figure]:
    """A column of bars for each K, with a row for each panel, 0 to 100 across; side by side, or
    each as a figure."""
    height, made = len(panels) * ROW, []
    with style():
        for depths in [[k] for k in LEARNERS] if apart else [list(LEARNERS)]:
            across = 3 if len(colors) < 4 else len(depths)  # entries of the legend in a line
            top = TOP + LINE * -(-len(colors) // across)
            figure = canvas(LEFT + len(depths) * ACROSS, top + height + BOTTOM)
            for i, k in enumerate(depths):
                ax = axes(figure, LEFT + i * ACROSS, top, ACROSS - 44.0, height)
                ax.set(xlim=(0.0, 100.0), ylim=(len(panels) - 0.5, -0.5), xlabel=words,
                       title=f"K = {k}: {LEARNERS[k]}")
                ax.grid(visible=False, axis="y")
                ax.grid(visible=True, axis="x")
                ax.set_yticks(range(len(panels)), [] if i else list(map(_short, panels)))
                ax.tick_params(axis="y", length=0.0)
                open_frame(ax)
                ax.spines["left"].set_visible(False)
                for row, panel in enumerate(panels):
                    _bars(ax, row, bars(panel, k))
            figure.legend(handles=[Patch(color=colors[label], label=label) for label in colors],
                          loc="upper left", ncols=across,
                          frameon=False, fontsize=SIZE, handlelength=1.0, borderpad=0.2)
            made.append(figure)
    return made


def _bars(ax: Axes, row: int, bars: _Bars) -> None:
    """Bars of a row from the top, each with what is written at its end."""
    high = 0.8 / len(bars)
    for i, (length, text, color) in enumerate(bars):
        y = row - 0.4 + (i + 0.5) * high
        ax.barh(y, max(length, 0.0), 0.86 * high, color=color, linewidth=0.0)
        ax.annotate(text, (max(length, 0.0), y), (3.0, 0.0), textcoords="offset points",
                    va="center_baseline", fontsize=SIZE - 2.0, annotation_clip=False)


def rewards(_: Mapping[str, Any], results: Results, apart: bool) -> list[Figure]:
    """Reward per step of target, learner and K-step greedy, between random play and the optimum."""
    def bars(panel: Panel, k: int) -> _Bars:
        target, greedy = exact(panel, k)
        means = ((target, BLUE), (panel.value(LEARNERS[k]).mean, ORANGE), (greedy, GREY))
        return [(100.0 * (mean - panel.random) / (panel.optimum - panel.random), f"{mean:.3f}",
                 color) for mean, color in means]

    return _draw(_environments(results), bars, "score: 0 random play, 100 optimum",
                 {"target": BLUE, "learner": ORANGE, "K-step greedy": GREY}, apart)


def actions(_: Mapping[str, Any], results: Results, apart: bool) -> list[Figure]:
    """How often learner and target play the K-step greedy action in the last tenth of a run, and
    how often the learner and random play do what the target may do."""
    def bars(panel: Panel, k: int) -> _Bars:
        found = played(panel, k)
        shares = ((found.by_chance, PALE), (found.allowed, YELLOW), (found.of_target, BLUE),
                  (found.greedy, ORANGE))
        return [(100.0 * x, percent(x), color) for x, color in shares]

    return _draw(_environments(results, regret=True), bars, "% of the last tenth of the steps",
                 {"random play does what the target may": PALE,
                  "learner does what the target may": YELLOW,
                  "target plays the K-step greedy action": BLUE,
                  "learner plays the K-step greedy action": ORANGE}, apart)


# ---- the table ----


def percent(share: float) -> str:
    """A share in percent; more digits where it is nearly 0 or 100.

    >>> percent(0.4321), percent(0.9978), percent(1.0), percent(0.99999)
    ('43', '99.8', '100', '>99.9')
    """
    if share in (0.0, 1.0) or 0.01 <= share < 0.99:
        return f"{100.0 * share:.0f}"
    return ">99.9" if share >= 0.9995 else "<0.1" if share < 0.0005 else f"{100.0 * share:.1f}"


def _rows(results: Results) -> Iterator[Sequence[str]]:
    """The head of the table, and a row for each panel and depth."""
    yield ("panel", "K", "random", "target", "learner", "K-step greedy", "optimum",
           "states with a good action", "good pairs", "regret of the learner",
           "regret of random play", "learner plays what the target may", "random play does",
           "learner plays a greedy action", "target does", "highest lower bound",
           "highest estimate", "a bound reaches the threshold")
    yield ("---",) * 18
    panels = {panel.name: panel for panel in results[EXPERIMENT].panels}
    for panel in _environments(results):
        for k, learner in LEARNERS.items():
            regret = panels.get(f"{panel.name}-k{k}")
            lost = [f"{regret.value(who).mean:.1f}" if regret else "-"
                    for who in (learner, RANDOM)]
            target, greedy = exact(panel, k)
            seen = list(map(percent, (*played(panel, k), *held(panel, k))))
            means = panel.random, target, panel.value(learner).mean, greedy, panel.optimum
            yield (panel.name, str(k), *(f"{x:.4f}" for x in means), *seen[:2], *lost, *seen[2:])


def table(results: Results) -> str:
    """All numbers of the figures and the shares of `held`, as Markdown; shares in percent."""
    return "".join(f"| {' | '.join(row)} |\n" for row in _rows(results))


if __name__ == "__main__":
    sys.stdout.write(table(read(*sys.argv[1:] or ["results"])))
