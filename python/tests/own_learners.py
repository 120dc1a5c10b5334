# SPDX-License-Identifier: MIT
"""Learners that experiment files of the tests name by import path."""

from __future__ import annotations

from typing import Any

import numpy as np

import lgkt


class First:
    """Plays one action, and counts what it is asked."""

    def __init__(self, problem: lgkt.Problem, action: int = 0) -> None:
        self.action = action
        self.counters = {"acts": 0, "seen": 0}

    def act(self, state: Any) -> int:
        self.counters["acts"] += 1
        return self.action

    def observe(self, reward: float, state: Any, ended: bool) -> None:
        self.counters["seen"] += 1


class Wrapped:
    """A learner of the library."""

    def __init__(self, problem: lgkt.Problem, spec: str = "lg2t") -> None:
        inner = lgkt.Learner(spec, **problem._asdict())
        self.observe = inner.observe
        self.act = inner.act
        if problem.masked:
            self.act = lambda state, allowed=None: inner.act(state, allowed)  # type: ignore


class Records:
    """Looks at the numbers of a record."""

    def __init__(self, problem: lgkt.Problem) -> None:
        assert problem.states == 0
        self.actions = problem.actions

    def act(self, state: Any) -> int:
        assert isinstance(state, np.ndarray)
        return int(abs(state[0]) * 1000) % self.actions

    def observe(self, *step: Any) -> None:
        pass


class Fails(First):
    """Fails at step 7 of instance 2 and later ones."""

    def __init__(self, problem: lgkt.Problem) -> None:
        super().__init__(problem)
        self.instance = problem.instance

    def act(self, state: Any) -> int:
        if self.instance >= 2 and self.counters["acts"] == 7:
            raise ValueError("seven\nor so")
        return super().act(state)


class Nested:
    """Has a learner within."""

    Learner = First


HALF = 3
