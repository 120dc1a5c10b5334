# SPDX-License-Identifier: MIT
"""Learners that begin with what a log knows: fed with its rows, they go on in the user's labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from lgkt import _core
from lgkt._arrays import whole
from lgkt._errors import error
from lgkt.log.coding import Coded
from lgkt.log.reading import Told
from lgkt.log.tried import best_tried, fitted
from lgkt.log.words import Words
from lgkt.records import RecordLearner, RecordUnits

if TYPE_CHECKING:
    from lgkt.log.log import Log

AT_ONCE = 2**17  # rows that a learner is fed at a time
AT_LEAST = 10  # tries of an action in a state, from which on its average is taken for something


class _Warm:
    """A learner that was fed with a log, and the words of the log.

    `fed` rows were learned, `skipped` ones have no reward. What is not here is asked of `learner`,
    which knows states and actions by their numbers: their places in `states` and `actions`.
    """

    learner: Any
    words: Words
    fed: int
    skipped: int

    def __init__(self, learner: Any, log: Log, by_key: bool) -> None:
        self.learner, self.words = learner, Words(log.coded)
        self._averages = None if log.coded.state is None else fitted(log.coded)
        self._by_key = by_key

    def _state(self, state: Any) -> tuple[Any, int | None]:
        """For the learner, and its number in the table if it has one."""
        if state is None:  # of a unit: where it was reported to be
            return None, None
        if self.counts is None:
            return self.words.record(state), None
        if not self._by_key:
            number = self.words.state(state)
            return number, number
        key = self.words.key(state)
        return key, self.words.number(key)

    @property
    def counts(self) -> NDArray[np.int64] | None:
        """How often the log has tried each action in each state with a known reward, (S, A); None
        for records."""
        return None if self._averages is None else self._averages.counts

    @property
    def states(self) -> list[tuple[Any, ...]]:
        """The states of the log, by their numbers."""
        return self.words.states

    @property
    def actions(self) -> list[Any]:
        """The actions of the log, by their numbers."""
        return self.words.actions

    def policy(self, records: Any = None, *, tried: bool = False,
               at_least: SupportsIndex = AT_LEAST) -> NDArray[np.float64]:
        """What it would play if it stopped learning: probabilities (S, A), in the order of
        `states` and `actions`; for a log of records those of some `records`, (n, A).

        Frozen, a learner that was fed is a trap. It goes for what may be good, and what was hardly
        ever tried may be anything: while it learns a few tries tell, but a policy that never learns
        goes on for ever. `tried` plays only what the log has tried `at_least` times in the state,
        and of that what earns most in the long run by the averages of the log, each lowered by its
        standard error (for records: what the learner expects most of). Where nothing was tried as
        often, it is what was tried most. What the log never allowed in a state is not played.
        """
        least = whole(at_least, "at_least", range(1, 2**31))
        if self._averages is None:
            if records is None:
                raise error("ARGUMENT", "policy: say of which records, as in policy(records=..)")
            return self._of_records(records, tried, least)
        if not tried:
            return self._frozen()
        return best_tried(self._averages, least)

    def _frozen(self) -> NDArray[np.float64]:
        law: NDArray[np.float64] = self.learner.policy()
        if self._by_key:  # in the order in which it met them
            places = self._places()
            met = [place is not None for place in places]
            ordered = np.full((len(places), len(self.actions)), 1.0 / len(self.actions))
            ordered[met] = law[[place for place in places if place is not None]]
            law = ordered
        if self.words.offered is None:
            return law
        law = law * self.words.offered
        none = ~law.any(1)  # it was fed, and never told what is not allowed
        law[none] = self.words.offered[none]
        law /= law.sum(1, keepdims=True)
        return law

    def _places(self) -> list[int | None]:
        """The numbers that a learner on keys gave the states of the log."""
        if isinstance(self.learner, _core.KeyedLearner):
            return [self.learner.find(state) for state in self.states]
        raise error("UNSUPPORTED", "units that take new states do not say which numbers these "
                                   "have: their policy is policy(tried=True), or that of "
                                   "log.keyed(..)")

    def _of_records(self, records: Any, tried: bool, least: int) -> NDArray[np.float64]:
        if not tried:
            law: NDArray[np.float64] = self.learner.policy(records)
            return law
        reasons = self.learner.explain(records)
        if reasons.ndim == 1:
            reasons = reasons[np.newaxis]
        often = reasons["visits"] >= least
        often |= ~often.any(1, keepdims=True) & (
            reasons["visits"] == reasons["visits"].max(1, keepdims=True))
        value = np.where(often, reasons["value"], -np.inf)
        best = value == value.max(1, keepdims=True)
        law = best / best.sum(1, keepdims=True)
        return law

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.learner.spec}, fed with {self.fed} rows>"


class WarmLearner(_Warm):
    """A learner that goes on with one run, in the words of the log; see `Log.learner`."""

    def act(self, state: Any, allowed: Any = None) -> Any:
        """Choose the action for the state at hand. `allowed` lists actions, or has a bool for each;
        None is what the log allowed there, if it says."""
        own, number = self._state(state)
        return self.actions[self.learner.act(own, self.words.mask(allowed, number))]

    def observe(self, reward: SupportsFloat, next_state: Any, ended: bool = False) -> None:
        """Tell what the action earned and where it led, as `Learner.observe`."""
        self.learner.observe(reward, self._state(next_state)[0], ended)

    def step(self, reward: SupportsFloat, next_state: Any, ended: bool = False,
             allowed: Any = None) -> Any:
        """Observe and act in one call."""
        self.observe(reward, next_state, ended)
        return self.act(next_state, allowed)

    def explain(self, state: Any, allowed: Any = None) -> NDArray[np.void]:
        """What it holds of each action, in the order of `actions`: see `Learner.explain`."""
        own, number = self._state(state)
        reasons: NDArray[np.void] = self.learner.explain(own, self.words.mask(allowed, number))
        return reasons


class WarmUnits(_Warm):
    """One learner for many units that go on where the log ends, in its words; see `Log.units`."""

    def __init__(self, learner: _core.Units, log: Log, by_key: bool) -> None:
        super().__init__(learner, log, by_key)
        self._numbers = {label: i for i, label in enumerate(log.coded.units)}

    def unit(self, unit: Any) -> int:
        """The number of a unit; a new one gets the next."""
        label = unit.item() if isinstance(unit, np.generic) else unit
        return self._numbers.setdefault(label, len(self._numbers))

    def act(self, unit: Any, state: Any = None, allowed: Any = None) -> tuple[int, Any]:
        """Choose an action for a unit: the number of the decision, by which to report, and the
        action. See `Units.act`; `allowed` as for `WarmLearner.act`."""
        own, number = self._state(state)
        if own is None and allowed is None and self.words.offered is not None:
            raise error("ARGUMENT", "act: say state=, so that the log can tell what is allowed "
                                    "there, or allowed=")
        made, action = self.learner.act(self.unit(unit), own, self.words.mask(allowed, number))
        return made, self.actions[action]

    def take(self, unit: Any, action: Any, state: Any = None, allowed: Any = None) -> int:
        """A decision that somebody else has made: returns its number."""
        own, number = self._state(state)
        decision: int = self.learner.take(self.unit(unit), self.words.action(action), own,
                                          self.words.mask(allowed, number))
        return decision

    def reward(self, decision: SupportsIndex, reward: SupportsFloat) -> None:
        """Report what a decision earned."""
        self.learner.reward(decision, reward)

    def next(self, decision: SupportsIndex, next_state: Any, ended: bool = False) -> None:
        """Report where a decision led."""
        self.learner.next(decision, self._state(next_state)[0], ended)

    def leave(self, unit: Any) -> None:
        """A unit is gone; it may come again as a new one."""
        self.learner.leave(self.unit(unit))

    def explain(self, unit: Any, state: Any = None, allowed: Any = None) -> NDArray[np.void]:
        """What it holds of each action for the unit, in the order of `actions`."""
        own, number = self._state(state)
        reasons: NDArray[np.void] = self.learner.explain(
            self.unit(unit), own, self.words.mask(allowed, number))
        return reasons


# ---- feeding ----


def _rows(coded: Coded, by_time: bool) -> NDArray[np.int64]:
    """The rows that a learner can be fed, in order: as they happened over all units, or one
    trajectory after another, in the order in which these began."""
    usable = ~np.isnan(coded.reward)
    if by_time:
        order = (np.argsort(coded.time, kind="stable") if coded.time is not None
                 else np.argsort(coded.row, kind="stable"))
        return order[usable[order]]
    begin = (coded.time if coded.time is not None else coded.row)[coded.start[:-1]]
    later = np.argsort(begin, kind="stable")
    lengths = np.diff(coded.start)[later]
    first = np.repeat(coded.start[:-1][later] - np.concatenate([[0], np.cumsum(lengths)[:-1]]),
                      lengths)
    order = first + np.arange(coded.n)
    return order[usable[order]]


def _columns(coded: Coded, rows: NDArray[np.int64]) -> tuple[Any, ...]:
    """State, action, reward, next state and ended. Where the next state is not known the row is
    cut, and the next state, which a learner then does not count, is the state itself."""
    assert coded.state is not None and coded.next_state is not None
    state, following = coded.state[rows], coded.next_state[rows]
    lost = following < 0
    return (state, coded.action[rows], coded.reward[rows], np.where(lost, state, following),
            lost.astype(np.uint8))


def _fed(warm: Any, coded: Coded, rows: NDArray[np.int64], progress: bool | None,
         feed: Callable[[NDArray[np.int64]], None]) -> Any:
    """The learner after `feed` was called with all rows, some at a time."""
    if not len(rows):
        raise error("ARGUMENT", "no row of the log has a reward: a learner cannot be fed")
    warm.fed, warm.skipped = len(rows), coded.n - len(rows)
    told = Told("feeding a learner", progress)
    for begin in range(0, len(rows), AT_ONCE):
        feed(rows[begin:begin + AT_ONCE])
        told(f"{min(begin + AT_ONCE, len(rows))} of {len(rows)} rows")
    return warm


def _masked(coded: Coded, settings: dict[str, Any]) -> dict[str, Any]:
    return {"masked": coded.allowed is not None, **settings}


def learner(log: Log, spec: str, horizon: SupportsIndex, by_key: bool, progress: bool | None,
            settings: dict[str, Any]) -> WarmLearner:
    """On numbered states, on keys, or on records."""
    coded = log.coded
    given = _masked(coded, settings)
    made: Any
    if coded.kind == "record":
        made = RecordLearner(spec, coded.features, coded.A, horizon, **given)
    elif by_key:
        made = _core.KeyedLearner(spec, coded.A, horizon, **given)
    else:
        made = _core.Learner(spec, coded.S, coded.A, horizon, **given)

    def feed(rows: NDArray[np.int64]) -> None:
        if coded.kind == "record":
            before, after, lost = _records(coded, rows)
            made.feed(before, coded.action[rows], coded.reward[rows], after, lost)
        elif by_key:
            made._feed_many(coded.states, *_columns(coded, rows))
        else:
            made.feed(*_columns(coded, rows))

    by_key = by_key or coded.kind == "record"
    warm: WarmLearner = _fed(WarmLearner(made, log, by_key), coded, _rows(coded, by_time=False),
                             progress, feed)
    return warm


def _records(coded: Coded, rows: NDArray[np.int64]) -> tuple[Any, ...]:
    """Records, next records and ended, as `_columns` has them for a table."""
    assert coded.record is not None and coded.next_record is not None
    before, lost = coded.record[rows], ~coded.next_known[rows]
    return before, np.where(lost[:, np.newaxis], before, coded.next_record[rows]), lost


def units(log: Log, spec: str, horizon: SupportsIndex, unit_limit: SupportsIndex | None,
          new_states: bool, progress: bool | None, settings: dict[str, Any]) -> WarmUnits:
    coded = log.coded
    here = len(coded.units)
    limit = here + 1024 if unit_limit is None else whole(unit_limit, "unit_limit",
                                                         range(here, 2**24 + 1))
    given = _masked(coded, settings)
    made: Any
    if coded.kind == "record":
        made = RecordUnits(spec, coded.features, coded.A, horizon, limit, **given)
    else:
        made = _core.Units(spec, None if new_states else coded.S, coded.A, horizon, limit, **given)

    def feed(rows: NDArray[np.int64]) -> None:
        if coded.kind == "record":
            before, after, lost = _records(coded, rows)
            made.feed(coded.unit[rows], before, coded.action[rows], coded.reward[rows], after,
                      lost)
            return
        state, action, reward, following, ended = _columns(coded, rows)
        if new_states:
            state, following = ([coded.states[i] for i in some] for some in (state, following))
        made.feed(coded.unit[rows], state, action, reward, following, ended)

    by_key = new_states or coded.kind == "record"
    warm: WarmUnits = _fed(WarmUnits(made, log, by_key), coded, _rows(coded, by_time=True),
                           progress, feed)
    return warm
