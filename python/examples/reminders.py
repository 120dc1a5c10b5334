# SPDX-License-Identifier: MIT
"""The log of docs/logs.md: a programme of exercises reminds its patients, and its log is not kind.

    python reminders.py [FILE]        writes FILE (reminders.csv), and prints what is true of it

Twice a day the programme sends a patient a message, calls, or leaves the patient alone. A message
helps who is in a good mood and wears the mood down; leaving somebody alone lets it recover. So it
is a question of timing, and today's rule (a message in the morning, nothing in the evening, a call
when the mood is at its lowest) leaves something behind.

What is wrong with the file is what goes wrong with such files: some days were exported twice; from
the 16th day on a new version of the app writes "msg" for "message"; how long somebody exercised is
only known if the app was opened, which messages make people do.
"""

from __future__ import annotations

import csv
import random
import sys

import numpy as np

import lgkt

ACTIONS = ("nothing", "message", "call")
MOODS, SLOTS = 4, ("morning", "evening")
PATIENTS, DAYS = 240, 25
CHANCE = 0.3  # of a decision to be drawn from all actions, so that the log can tell
LOST = (0.25, 0.05, 0.02)  # chance that the reward of an action is not known


def reward(mood: int, action: int) -> float:
    """The mean share of the exercises that are done; moods are 1 to 4."""
    return (0.15 + 0.05 * mood, 0.08 + 0.15 * mood, 0.30 + 0.08 * mood)[action]


def moves(mood: int, action: int) -> dict[int, float]:
    """Chances of the next mood."""
    down, up = ((0.05, 0.55), (0.50, 0.10), (0.80, 0.00))[action]
    chances = {mood: 1.0 - down - up}
    for to, chance in ((max(mood - 1, 1), down), (min(mood + 1, MOODS), up)):
        chances[to] = chances.get(to, 0.0) + chance
    return chances


def todays(mood: int, slot: int) -> list[float]:
    """The law of today's rule."""
    chosen = 2 if mood == 1 else (1, 0)[slot]
    return [CHANCE / 3 + (1.0 - CHANCE) * (a == chosen) for a in range(3)]


def world() -> lgkt.Model:
    """The truth: state 2 (mood - 1) + slot."""
    states = MOODS * len(SLOTS)
    chances = np.zeros((states, 3, states))
    rewards = np.zeros((states, 3))
    for mood in range(1, MOODS + 1):
        for slot in range(2):
            for action in range(3):
                s = 2 * (mood - 1) + slot
                rewards[s, action] = reward(mood, action)
                for to, chance in moves(mood, action).items():
                    chances[s, action, 2 * (to - 1) + 1 - slot] += chance
    return lgkt.Model(chances, rewards)


def rows(seed: int = 7) -> list[list[str]]:
    """The file, row by row."""
    draw = random.Random(seed)
    made = []
    for patient in range(PATIENTS):
        mood = draw.randint(2, 4)
        for step in range(2 * DAYS):
            day, slot = divmod(step, 2)
            law = todays(mood, slot)
            action = draw.choices(range(3), law)[0]
            done = min(max(draw.gauss(reward(mood, action), 0.15), 0.0), 1.0)
            known = draw.random() >= LOST[action]
            name = "msg" if action == 1 and day >= 15 else ACTIONS[action]
            made.append([f"P{patient + 1:03}", f"2026-03-{day + 1:02}T{(8, 19)[slot]:02}:00:00",
                         str(mood), SLOTS[slot], name, f"{law[action]:.4g}",
                         f"{done:.2f}" if known else ""])
            after = moves(mood, action)
            mood = draw.choices(list(after), list(after.values()))[0]
    made.sort(key=lambda row: row[1])
    # two days were exported twice
    return made + [row for row in made if "2026-03-11" < row[1] < "2026-03-13"]


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "reminders.csv"
    found = rows()
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["patient", "time", "mood", "slot", "action", "p", "exercise"])
        writer.writerows(found)
    print(f"{len(found)} rows, {PATIENTS} patients, {DAYS} days")
    model = world()
    best = lgkt.plan.optimal(model, 2 * DAYS)
    start = [2 * (mood - 1) for mood in (2, 3, 4)]
    print(f"at best {np.mean([best.value()[s] for s in start]) / (2 * DAYS):.3f} per decision")


if __name__ == "__main__":
    main()
