# SPDX-License-Identifier: MIT
"""Any method of any object with any arguments: a result or a plain exception, never a crash.

Functions that are called back, and values that are asked for their number, use the objects again.
"""

from __future__ import annotations

import copy
import gc
import pickle
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lgkt
from lgkt import _core, plan

pytestmark = pytest.mark.robust

PLAIN = (TypeError, ValueError, RuntimeError, LookupError, AttributeError, ArithmeticError,
         MemoryError, BufferError)
LEARNERS = ["auto", "lg2t", "psrl", "ucrl2", "q-learning", "imed-rl", "random"]
WORLDS = ["riverswim", "chain", "trading", "merged:of=(riverswim)", "scaled:of=(chain)"]
FUNCTIONS: list[Callable[..., Any]] = [
    lgkt.Learner, lgkt.KeyedLearner, lgkt.Units, lgkt.Model, lgkt.Trajectory,
    plan.optimal, plan.fixed, plan.thresholding, plan.regret, plan.cost, _core.trace,
    _core.step_all, _core.summarize, _core.running_sums, _core.rate, _core.spec_value,
    _core.suggest,
]
SKIPPED = {"read", "write", "__subclasshook__", "__init_subclass__", "__setattr__", "__delattr__",
           "__class__", "__init__", "__dir__"}


class Fuzz:
    """A pool of objects, and calls among them; within a call at most two more."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.depth = threading.local()
        self.objects: list[Any] = [
            lgkt.Env("riverswim"), lgkt.Env("riverswim").model,
            lgkt.Learner("lg2t", 5, 2, 100, threshold=self.answer, coin=self.answer),
            lgkt.KeyedLearner("ucrl2", 2, 100), lgkt.Env("riverswim").trajectory(50),
        ]
        self.objects.append(plan.thresholding(self.objects[1], 2, 9, self.answer))

    def answer(self, *_: Any) -> Any:
        """What a threshold or a coin of Python's returns."""
        self.call(0.1)
        if self.draw.random() < 0.02:
            raise KeyError("an answer")
        return self.draw.choice([0.1, 0.5, 0.9]) if self.draw.random() < 0.98 else "x"

    def value(self) -> Any:
        fuzz, draw = self, self.draw

        class Asks:
            def __index__(self) -> int:
                fuzz.call(0.5)
                return draw.randrange(4)

            __float__ = __index__

            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                fuzz.call(0.5)
                return np.arange(draw.randrange(4))

        size = draw.choice([0, 1, 2, 5, 5, 70])
        kind = draw.choice(["i4", "i8", "f8", "f8", "u1", "?", ">f8", "f4", "U2", "O"])
        array = np.zeros(draw.choice([(size,), (size,), (size, 2), (size, 4), (2, size), ()]), kind)
        return draw.choice([
            draw.randrange(6), draw.randrange(6), draw.random(), Asks(), array, array[..., ::2],
            draw.choice(self.objects), draw.choice(self.objects), self.answer,
            draw.choice([-1, 2**31, 2**63, 2**64, 10**400, 1e308, float("nan"), float("inf")]),
            draw.choice([None, (), [], {}, b"", b"LGKTSAVE", 1j, ..., "\ud800", "a\0", "é" * 99]),
            draw.choice([("a", 3), (1, (2, b"x")), np.int64(3), np.float32(0.5), np.bool_(True)]),
            draw.choice([*LEARNERS, *WORLDS, "low", "none"]), memoryview(bytearray(9))[1:],
        ])

    def one_of(self, *ways: Callable[[], Any]) -> Any:
        return self.draw.choice(ways)()

    def make(self) -> Any:
        draw = self.draw
        env = lgkt.Env(draw.choice(WORLDS), seed=draw.randrange(3))
        threshold: Any = draw.choice([0.2, 0.5, self.answer])
        spec = draw.choice(LEARNERS)
        return self.one_of(
            lambda: env, lambda: env.model, lambda: env.trajectory(20),
            lambda: env.learner(spec, 50),
            lambda: lgkt.Learner(spec, 5, 2, 50, threshold=threshold, coin=self.answer),
            lambda: lgkt.KeyedLearner(spec, 2, 50, threshold=threshold, state_limit=5),
            lambda: lgkt.Units(spec, draw.choice([5, None]), 2, 50, 3, patience=4, masked=True,
                               threshold=threshold),
            lambda: plan.thresholding(self.objects[1], 2, 9, threshold),
            lambda: pickle.loads(pickle.dumps(draw.choice(self.objects))),
            lambda: copy.deepcopy(draw.choice(self.objects)),
        )

    def use(self) -> Any:
        """As it should be used, for the most part."""
        draw, thing = self.draw, draw_of(self.draw, self.objects)
        if isinstance(thing, lgkt.Learner | lgkt.KeyedLearner):
            key = draw.randrange(5)
            return self.one_of(lambda: thing.act(key), lambda: thing.step(draw.random(), key),
                               lambda: thing.explain(key), thing.policy,
                               lambda: thing.observe(draw.random(), key))
        if isinstance(thing, lgkt.Units):
            number, state = draw.randrange(thing.decisions + 1), draw.randrange(5)
            return self.one_of(lambda: thing.act(draw.randrange(4), draw.choice([None, state])),
                               lambda: thing.reward(number, draw.random()),
                               lambda: thing.next(number, state, draw.random() < 0.1),
                               lambda: thing.leave(draw.randrange(4)),
                               lambda: thing.explain(draw.randrange(4), state, [True, False]))
        if isinstance(thing, lgkt.Trajectory):
            return self.one_of(lambda: thing.step(draw.randrange(2)),
                               lambda: thing.play(draw.choice(self.objects), 3))
        if isinstance(thing, plan.Policy):
            return self.one_of(thing.value, thing.ratio, thing.gain, thing.laws, thing.table,
                               lambda: thing.costs(2, self.answer),
                               lambda: thing.cost(2, self.answer))
        return None

    def any_method(self) -> Any:
        thing = draw_of(self.draw, self.objects)
        method = getattr(thing, self.draw.choice(sorted(set(dir(thing)) - SKIPPED)))
        return method(*[self.value() for _ in range(self.draw.randrange(6))]) if callable(
            method) else method

    def any_function(self) -> Any:
        given = [self.value() for _ in range(self.draw.randrange(1, 7))]
        return self.draw.choice(FUNCTIONS)(*given)

    def call(self, chance: float = 1.0) -> None:
        depth = getattr(self.depth, "now", 0)
        if depth > 2 or self.draw.random() > chance:
            return
        self.depth.now = depth + 1
        try:
            made = self.one_of(self.make, self.use, self.use, self.any_method, self.any_method,
                               self.any_function)
            if isinstance(made, (lgkt.Units, *map(type, self.objects[:6]))):
                self.objects[6:] = [*self.objects[6:], made][-30:]
        except PLAIN:
            pass
        finally:
            self.depth.now = depth


def draw_of(draw: random.Random, objects: list[Any]) -> Any:
    return draw.choice(objects[6:] or objects) if draw.random() < 0.7 else draw.choice(objects)


@pytest.mark.parametrize("seed", range(3))
def test_any_calls(seed: int) -> None:
    fuzz = Fuzz(seed)
    for i in range(5000):
        fuzz.call()
        if i % 1000 == 0:
            gc.collect()
