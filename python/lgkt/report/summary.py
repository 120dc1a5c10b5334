# SPDX-License-Identifier: MIT
"""What an experiment says, in words and over all its panels: who is best, by how much, how surely.

For experiments without claims and without grids, which have answers of their own. In a panel the
learners that know no model are ordered by the main measure. How far the best one is ahead of
another is the mean difference on the same instances with its interval; the other is clearly worse
if that interval lies on one side of 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lgkt._digits import measured, points
from lgkt.report import arena
from lgkt.report.results import Experiment, Number, Panel

WORDS = {"average": "reward per step", "cumulative": "observed reward", "regret": "regret",
         "ratio": "share of the optimal value"}
_LISTED = 4  # learners or panels that a sentence names


@dataclass
class Standing:
    """Who is best in a panel."""

    panel: Panel
    order: list[str]  # labels, the best first
    lead: list[Number]  # of each: how far the best is ahead, at least 0; MISSING where unknown

    @property
    def close(self) -> list[str]:
        """The others that are not clearly worse, as far as intervals say."""
        return [label for label, lead in zip(self.order[1:], self.lead[1:])
                if not math.isnan(lead.ci95) and not lead.mean - lead.ci95 > 0.0]

    @property
    def certain(self) -> bool:
        """Whether all others are clearly worse."""
        return not self.close and not any(math.isnan(lead.ci95) for lead in self.lead[1:])

    def score(self, label: str) -> float:
        """The score of a learner, where the panel is about rewards."""
        return self.panel.value(label, "score").mean if self.panel.measure == "average" else (
            math.nan)


def standing(panel: Panel) -> Standing | None:
    """The order of a panel; None where nothing is better, or there is nobody to compare."""
    if panel.better not in ("higher", "lower"):
        return None
    sign = 1.0 if panel.better == "higher" else -1.0
    means = {entry.label: sign * panel.value(entry.label).mean for entry in panel.entries
             if not entry.oracle}
    order = sorted((label for label, mean in means.items() if not math.isnan(mean)),
                   key=lambda label: -means[label])
    if len(order) < 2:
        return None
    lead = []
    for label in order:
        ci95 = 0.0 if label == order[0] else panel.pair(order[0], label).ci95
        lead.append(Number(means[order[0]] - means[label], ci95, panel.instances))
    return Standing(panel, order, lead)


def standings(experiment: Experiment) -> list[Standing]:
    """Those of all panels that have one."""
    return [found for panel in experiment.panels if (found := standing(panel)) is not None]


# ---- words ----


def _names(names: list[str]) -> str:
    shown = names[:_LISTED]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return (", ".join(shown) + more if more or len(shown) < 2 else
            ", ".join(shown[:-1]) + " and " + shown[-1])


def _amount(number: Number) -> str:
    return measured(number.mean, number.ci95)


def _of_panel(one: Standing) -> str:
    panel, best, second = one.panel, one.order[0], one.order[1]
    what = WORDS.get(panel.measure, panel.measure.replace(":", " "))
    score = one.score(best)
    told = f" (score {points(score)})" if not math.isnan(score) else ""
    value = panel.value(best)
    text = (f"**{best}** has the {'highest' if panel.better == 'higher' else 'lowest'} {what}, "
            f"{_amount(value)}{told}. {second} is next, {_amount(one.lead[1])} "
            f"{'below' if panel.better == 'higher' else 'above'}.")
    others = len(one.order) - 1
    if one.certain:
        return text + (" All others are clearly worse." if others > 1 else
                       " That is clearly worse.")
    if not one.close:
        return text
    if others == 1:
        return text + " That is not clearly worse."
    return text + f" Not clearly worse: {_names(one.close)}."


def _of_arena(experiment: Experiment) -> str:
    s = arena.Scores(experiment)
    best, second = (s.order[i] for i in (0, 1))
    return (f"**{s.learners[best]}** has the highest mean score over {len(s.environments)} "
            f"environments, {points(float(s.mean[best]))}; {s.learners[second]} is next with "
            f"{points(float(s.mean[second]))}. It is the best, or as good, in {s.won[best]}, and "
            f"more than {arena.BEHIND:.0f} points behind the best in {s.behind[:, best].sum()}.")


def answer(experiment: Experiment) -> str:
    """The answer, Markdown; empty where there is nothing to say."""
    if experiment.collection == "arena":
        return _of_arena(experiment) if len(arena.Scores(experiment).learners) > 1 else ""
    found = standings(experiment)
    if not found:
        return ""
    if len(found) == 1:
        return _of_panel(found[0])
    wins: dict[str, list[Standing]] = {}
    for one in found:
        wins.setdefault(one.order[0], []).append(one)
    best = sorted(wins, key=lambda label: -len(wins[label]))
    if len(best) == 1:
        text = f"**{best[0]}** is best in each of the {len(found)} panels"
    else:
        text = f"**{best[0]}** is best in {len(wins[best[0]])} of {len(found)} panels, " + _names(
            [f"{label} in {len(wins[label])}" for label in best[1:]])
    sure = sum(one.certain for one in found)
    where = "each" if sure == len(found) else f"{sure or 'none'}"
    text += f". All others are clearly worse in {where} of them."
    means = mean_scores(found)
    if means:
        more = f"; and {len(means) - _LISTED} more" if len(means) > _LISTED else ""
        text += " Mean score over the panels: " + "; ".join(
            f"{label} {points(mean)}" for label, mean in list(means.items())[:_LISTED]) + f"{more}."
    return text


# ---- over panels ----


def mean_scores(found: list[Standing]) -> dict[str, float]:
    """Of the learners that have a score in all panels the mean of these, the highest first; empty
    where there are none."""
    labels = dict.fromkeys(label for one in found for label in one.order)
    means = {label: float(np.mean([one.score(label) if label in one.order else math.nan
                                   for one in found])) for label in labels}
    return {label: mean for label, mean in sorted(means.items(), key=lambda item: -item[1])
            if not math.isnan(mean)}


def over_panels(experiment: Experiment) -> list[list[str]]:
    """For each panel who is best, and by how much; titles first. Empty for fewer than two."""
    found = standings(experiment)
    if len(found) < 2 or experiment.collection == "arena":
        return []
    several = len({one.panel.measure for one in found}) > 1
    scored = any(not math.isnan(one.score(one.order[0])) for one in found)
    what = "" if several else WORDS.get(found[0].panel.measure, found[0].panel.measure)
    rows = [["panel", "best", what or "value", *(["score"] if scored else []), "next",
             "behind by", "clearly worse"]]
    for one in found:
        others = len(one.order) - 1
        known = sum(not math.isnan(lead.ci95) for lead in one.lead[1:])
        measure = one.panel.measure.replace(":", " ")
        rows.append([one.panel.title, one.order[0],
                     _amount(one.panel.value(one.order[0])) + (
                         f" ({measure})" if several else ""),
                     *([points(one.score(one.order[0]))] if scored else []), one.order[1],
                     _amount(one.lead[1]),
                     f"{known - len(one.close)} of {others}" if known else "-"])
    return rows
