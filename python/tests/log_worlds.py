# SPDX-License-Identifier: MIT
"""Worlds whose truth is known, and logs drawn from them: what `scripts/log_truth` and the tests of
the evaluation judge by. In a table the truth is exact, by planning; for records by long runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lgkt
from lgkt.log.coding import Coded

Floats = NDArray[np.float64]
Ints = NDArray[Any]

# rows, units and the lengths that units have in turn
SIZES = {500: (100, (4, 5, 6)), 5000: (250, (15, 20, 25)), 50000: (1000, (40, 50, 60))}


def lengths_of(rows: int) -> Ints:
    """The lengths of the units' episodes; about `rows` in all."""
    units, lengths = SIZES[rows]
    return np.resize(np.array(lengths), units)


def greedy(model: lgkt.Model, sign: float = 1.0) -> Floats:
    """The policy that is best (sign 1) or worst (-1) in the long run, as probabilities (S, A)."""
    best = lgkt.Model(model.P, sign * model.R, allowed=model.allowed).plan().policy
    law = np.zeros(model.R.shape)
    law[np.arange(len(best)), best] = 1.0
    return law


def even(allowed: NDArray[np.bool_]) -> Floats:
    return allowed / allowed.sum(1, keepdims=True)


@dataclass
class World:
    """A table with a model. `seen` says which state is shown, `after` is the model that the world
    drifts to while `drift` steps go by. `log` is the law that the log was made by, and `policies`
    are those to be judged, all over the shown states."""

    name: str
    model: lgkt.Model
    log: Floats
    policies: dict[str, Floats]
    seen: Ints | None = None
    after: lgkt.Model | None = None
    drift: int = 0
    told: bool = True  # whether the log has its probabilities
    extra: dict[str, Any] = field(default_factory=dict)

    kind = "table"

    @cached_property
    def shown(self) -> Ints:
        return np.arange(self.model.states) if self.seen is None else self.seen

    @cached_property
    def start(self) -> Floats:
        start = self.model.start
        if isinstance(start, np.ndarray):
            return start
        law = np.zeros(self.model.states)
        law[start] = 1.0
        return law

    def _begins(self, units: int) -> Ints:
        """When each unit begins: at once, or where the world drifts spread over that time."""
        return (np.arange(units) * self.drift) // units if self.drift else np.zeros(units, int)

    def _share(self, time: Ints) -> Floats:
        return np.minimum(1.0, time / self.drift) if self.drift else np.zeros(len(time))

    def value(self, law: Floats, lengths: Ints) -> float:
        """The true mean reward per decision of a law over the shown states."""
        wide = law[self.shown]
        models = [self.model] if self.after is None else [self.model, self.after]
        step = [np.einsum("sa,say->sy", wide, one.P) for one in models]
        paid = [(wide * one.R).sum(1) for one in models]
        begins = self._begins(len(lengths))
        total = 0.0
        for begin, length in sorted(set(zip(begins.tolist(), lengths.tolist()))):
            count = int(((begins == begin) & (lengths == length)).sum())
            value = np.zeros(self.model.states)
            for t in range(begin + length - 1, begin - 1, -1):
                share = float(self._share(np.array([t]))[0])
                mix = [1 - share, share][:len(models)]
                value = sum(w * (r + p @ value) for w, r, p in zip(mix, paid, step))
            total += count * float(self.start @ value)
        return total / float(lengths.sum())

    def draw(self, lengths: Ints, seed: int) -> Coded:
        """A log under the law of the log."""
        rng = np.random.default_rng(seed)
        models = [self.model] if self.after is None else [self.model, self.after]
        chances = [one.P.cumsum(-1) for one in models]
        pays = [one.move_rewards for one in models]
        kind, scale = self.model.pair_noise
        choice = self.log.cumsum(-1)
        units, longest = len(lengths), int(lengths.max())
        begins = self._begins(units)
        hidden = np.zeros((longest + 1, units), int)
        hidden[0] = _pick(np.broadcast_to(self.start.cumsum(), (units, self.model.states)), rng)
        action = np.zeros((longest, units), int)
        reward = np.zeros((longest, units))
        for t in range(longest):
            now = hidden[t]
            action[t] = _pick(choice[self.shown[now]], rng)
            which = (rng.random(units) < self._share(begins + t)).astype(int)
            following = np.empty(units, int)
            for i in range(len(models)):
                mine = which == i
                s, a = now[mine], action[t][mine]
                following[mine] = _pick(chances[i][s, a], rng)
                reward[t, mine] = pays[i][s, a, following[mine]]
            noise = kind[now, action[t]]
            normal = rng.standard_normal(units)
            coin = rng.random(units)
            reward[t] = np.where(noise == "bernoulli", coin < reward[t], reward[t]
                                 + np.where(noise == "normal", scale[now, action[t]], 0) * normal)
            hidden[t + 1] = following
        # unit by unit
        unit = np.repeat(np.arange(units), lengths)
        time = np.concatenate([np.arange(n) for n in lengths])
        state = self.shown[hidden[time, unit]]
        taken = action[time, unit]
        return coded(unit, begins[unit] + time, taken, reward[time, unit], lengths,
                     actions=self.log.shape[1], state=state, states=self.log.shape[0],
                     probability=self.log[state, taken] if self.told else None)


def _pick(cumulated: Floats, rng: np.random.Generator) -> Ints:
    """One place by each row of cumulated probabilities."""
    u = rng.random(len(cumulated))[:, None] * cumulated[:, -1:]
    return (u >= cumulated).sum(1)


def coded(unit: Ints, time: Ints, action: Ints, reward: Floats, lengths: Ints, *, actions: int,
          state: Ints | None = None, states: int = 0, record: Floats | None = None,
          features: list[Any] | None = None, probability: Floats | None = None) -> Coded:
    """Rows, unit by unit, as a log. The last row of each episode is cut."""
    n = len(unit)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    last = np.zeros(n, bool)
    last[start[1:] - 1] = True
    following = None
    if state is not None:
        following = np.append(state[1:], -1).astype(np.int32)
        following[last] = -1
    later = None
    if record is not None:
        later = np.vstack([record[1:], record[:1]])
        later[last] = np.nan
    names = ("s",) if record is None else tuple(f"x{i}" for i in range(record.shape[1]))
    return Coded(
        row=np.arange(n), unit=unit.astype(np.int32), units=list(range(len(lengths))), start=start,
        episode_unit=np.arange(len(lengths), dtype=np.int32),
        kind="table" if record is None else "record",
        state=None if state is None else state.astype(np.int32),
        states=[(s,) for s in range(states)], state_names=names, record=record,
        features=features or [], next_state=following, next_record=later, next_known=~last,
        ended=np.zeros(n, bool), action=action.astype(np.int32), actions=list(range(actions)),
        reward=reward, time=time.astype(np.float64), probability=probability, probabilities=None,
        allowed=None, source=None, sources=[], edges={})


@dataclass
class Records:
    """An environment whose states are records. Laws are functions of an array (n, d)."""

    name: str
    env: lgkt.Env
    log: Callable[[Floats], Floats]
    policies: dict[str, Callable[[Floats], Floats]]
    kind = "record"

    def _play(self, law: Callable[[Floats], Floats], lengths: Ints,
              seed: int) -> tuple[Floats, Ints, Floats]:
        """Records (U, T, d), actions and rewards (U, T)."""
        rng = np.random.default_rng([seed, 1])
        longest = int(lengths.max())
        runs = [self.env.trajectory(longest, seed=seed, instance=i) for i in range(len(lengths))]
        now = np.array([run.state for run in runs])
        records = np.empty((len(runs), longest, now.shape[1]))
        actions = np.empty((len(runs), longest), int)
        rewards = np.zeros((len(runs), longest))
        for t in range(longest):
            records[:, t] = now
            actions[:, t] = _pick(law(now).cumsum(1), rng)
            for i in np.flatnonzero(lengths > t):
                rewards[i, t], now[i], _ = runs[i].step(int(actions[i, t]))
        return records, actions, rewards

    def value(self, law: Callable[[Floats], Floats], lengths: Ints, times: int = 20) -> float:
        """By `times` as many units as the log has; the same noise for every law."""
        many = np.resize(lengths, times * len(lengths))
        total = 0.0
        for k, part in enumerate(np.array_split(many, max(1, len(many) // 2000))):
            _, _, rewards = self._play(law, part, 10**6 + k)
            total += float(rewards.sum())
        return total / float(many.sum())

    def draw(self, lengths: Ints, seed: int) -> Coded:
        records, actions, rewards = self._play(self.log, lengths, seed)
        there = np.arange(records.shape[1]) < lengths[:, None]
        record, action = records[there], actions[there]
        unit = np.repeat(np.arange(len(lengths)), lengths)
        time = np.concatenate([np.arange(n) for n in lengths])
        return coded(unit, time, action, rewards[there], lengths, actions=self.env.actions,
                     record=record, features=self.env.features,
                     probability=self.log(record)[np.arange(len(action)), action])


# ---- the nine ----

def _mixed(*parts: tuple[float, Floats]) -> Floats:
    return np.asarray(sum(share * law for share, law in parts))


def _table(name: str, spec: str, rule: Callable[[lgkt.Model], Floats] | None = None,
           explore: float = 0.4) -> World:
    """The log explores with `explore` and follows `rule` else. Judged are steps from the log's law
    towards the best and the worst policy, and the best one itself."""
    model = lgkt.Env(spec).model
    assert model is not None
    every = even(model.allowed)
    log = _mixed((explore, every), (1 - explore, every if rule is None else rule(model)))
    best, worst = greedy(model), greedy(model, -1.0)
    return World(name, model, log, {
        "a step to the best": _mixed((0.8, log), (0.2, best)),
        "half-way to the worst": _mixed((0.5, log), (0.5, worst)),
        "the best": best})


def _constant(action: int, other: int = 0) -> Callable[[lgkt.Model], Floats]:
    def rule(model: lgkt.Model) -> Floats:
        law = np.zeros(model.R.shape)
        law[:, action] = 1.0
        forbidden = ~model.allowed[:, action]
        law[forbidden] = 0.0
        law[forbidden, other] = 1.0
        return law

    return rule


def _bandit() -> World:
    model = lgkt.Model(np.ones((1, 4, 1)), [[0.3, 0.4, 0.5, 0.6]], noise="bernoulli")
    log = np.array([[0.4, 0.3, 0.2, 0.1]])
    return World("bandit", model, log, {
        "a step to the best": np.array([[0.35, 0.25, 0.2, 0.2]]),
        "half-way to the worst": np.array([[0.7, 0.15, 0.1, 0.05]]),
        "the best": np.array([[0.0, 0.0, 0.0, 1.0]])})


def _hidden() -> World:
    """States that look alike two by two."""
    model = lgkt.Env("garnet:states=8,actions=3,branches=2,seed=3").model
    assert model is not None
    seen = np.arange(8) % 4
    best = greedy(model)[:4]
    log = np.full((4, 3), 1 / 3)
    return World("hidden", model, log, {
        "a step to the best": _mixed((0.8, log), (0.2, best)),
        "half-way to the worst": _mixed((0.5, log), (0.5, greedy(model, -1.0)[:4])),
        "the best": best}, seen=seen)


def _drifting() -> World:
    first, then = (lgkt.Env(f"garnet:states=6,actions=3,branches=3,seed={k}").model for k in (4, 5))
    assert first is not None and then is not None
    log = np.full((6, 3), 1 / 3)
    return World("drift", first, log, {
        "a step to the best": _mixed((0.8, log), (0.2, greedy(then))),
        "half-way to the worst": _mixed((0.5, log), (0.5, greedy(then, -1.0))),
        "the best": greedy(then)}, after=then, drift=300)


def _never() -> World:
    made = _table("never tried", "garnet:states=6,actions=4,branches=3,seed=6")
    log = made.log.copy()
    log[:, 3] = 0.0
    log /= log.sum(1, keepdims=True)
    fourth = _constant(3)(made.model)
    made.log = log
    made.policies = {"a step to the untried": _mixed((0.8, log), (0.2, fourth)),
                     "the untried": fourth}
    return made


def glucose_law(scale: float, sharp: float) -> Callable[[Floats], Floats]:
    """Insulin by glucose, carbohydrates and what is on board: the larger `sharp` the surer."""
    doses = np.array([0.0, 1.0, 2.0, 4.0])

    def law(records: Floats) -> Floats:
        glucose, _, on_board, carbohydrates = (np.nan_to_num(records[:, i]) for i in range(4))
        wanted = scale * (np.maximum(0, glucose - 120) / 50 + carbohydrates / 12) - on_board
        score = -sharp * abs(wanted[:, None] - doses)
        made = np.exp(score - score.max(1, keepdims=True))
        return np.asarray(0.05 + 0.8 * made / made.sum(1, keepdims=True))

    return law


def _glucose() -> Records:
    log = glucose_law(0.6, 1.0)
    return Records("glucose", lgkt.Env("glucose"), log, {
        "a little surer": lambda x: 0.9 * log(x) + 0.1 * glucose_law(1.0, 3.0)(x),
        "more often four units": lambda x: 0.95 * log(x) + 0.05 * np.eye(4)[[3] * len(x)],
        "mostly four units": lambda x: 0.4 * log(x) + 0.6 * np.eye(4)[[3] * len(x)]})


def worlds() -> dict[str, World | Records]:
    """The nine worlds by name."""
    made: list[World | Records] = [
        _table("programme", "programme:spread=0", _constant(1)),
        _table("inventory", "inventory:capacity=6", None),
        _table("river", "riverswim:states=5", _constant(1)),
        _table("garnet", "garnet:seed=1", None),
        _bandit(), _glucose(), _hidden(), _drifting(), _never()]
    return {world.name: world for world in made}
