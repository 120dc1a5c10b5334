# SPDX-License-Identifier: MIT
"""Learners on records: states are vectors of numbers and categories, hardly ever the same twice.

>>> import lgkt
>>> learner = lgkt.Learner("auto", features=["charge", "price", ("tariff", 3), ("city", str)],
...                        actions=2, horizon=5000)
>>> learner.spec
'forest:k=0,memory=32768'
>>> a = learner.act({"charge": 0.4, "price": 31, "tariff": 2, "city": "Jena"})
>>> learner.observe(1.5, next_state=[0.5, None, 0, "Ulm"])
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from lgkt._arrays import whole
from lgkt._core import KeyedLearner, Units
from lgkt._errors import error
from lgkt._extras import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lgkt._core import AnyLearner as _Base
else:
    _Base = object

NUMBER, CATEGORY, GROWING = range(3)
# texts of a category that are let in where no number is said
TEXTS = 1024

# what a learner on records holds of an action: lgkt_reason
REASON = np.dtype([(name, "f8") for name in (
    "visits", "mean_reward", "value", "lower", "upper", "good", "probability", "linear_part",
    "state_part", "action_part", "doubt", "price")])


class Feature(NamedTuple):
    """A number (kind 0), a category 0 .. size - 1 (kind 1), or texts that become known as they are
    met, at most `size` (kind 2)."""

    name: str
    kind: int
    size: int
    texts: tuple[str, ...] = ()


def _feature(given: Any, i: int) -> Feature:
    if isinstance(given, Feature):
        return given
    name, what = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    if name is None:
        name = ""
    if not isinstance(name, str):
        raise TypeError(f"features[{i}] must be a name or a pair of a name and a kind, "
                        f"not {given!r}")
    if what is None or what is float:
        return Feature(name, NUMBER, 0)
    if what is str:
        return Feature(name, GROWING, TEXTS)
    if isinstance(what, Sequence) and not isinstance(what, str):
        return Feature(name, CATEGORY, len(what), tuple(map(str, what)))
    return Feature(name, CATEGORY, whole(what, f"features[{i}]"))


def features_of(given: SupportsIndex | Sequence[Any]) -> tuple[Feature, ...]:
    """What `features` says: a number of numbers, or for each feature a name, a pair of a name and a
    number of categories, a list of their texts, or `str` for texts to come.

    >>> features_of(2)
    (Feature(name='', kind=0, size=0, texts=()), Feature(name='', kind=0, size=0, texts=()))
    >>> features_of([("tariff", 3)])
    (Feature(name='tariff', kind=1, size=3, texts=()),)
    """
    if not isinstance(given, Sequence):
        return (Feature("", NUMBER, 0),) * whole(given, "features", range(1, 257))
    return tuple(_feature(one, i) for i, one in enumerate(given))


def _kinds_of(known: tuple[Feature, ...]) -> NDArray[np.int32]:
    return np.array([(one.kind, one.size) for one in known], np.int32).reshape(-1, 2)


class _OnRecords(_Base):
    """Learners on records: records as they come in, and what is held of them."""

    _known: tuple[Feature, ...]
    _texts: list[dict[str, int]]

    def __repr__(self) -> str:
        return (f"<lgkt.{type(self).__name__} {self.spec} features={len(self._kinds())} "
                f"actions={self.actions} time={self.time} of {self.horizon}>")

    # ---- records ----

    @property
    def features(self) -> tuple[Feature, ...]:
        """What the features are, with the texts that are known so far."""
        return tuple(Feature(name, kind, size, tuple(texts))
                     for name, kind, size, texts in self._kinds())

    def _tell(self, known: tuple[Feature, ...]) -> None:
        for i, one in enumerate(known):
            if one.name:
                self._name_feature(i, one.name)
            for text in one.texts:
                self._category(i, text)

    def _learn_names(self) -> None:
        self._known = self.features
        self._texts = [{text: i for i, text in enumerate(one.texts)} for one in self._known]

    def _category_of(self, i: int, value: Any, new: bool) -> float:
        if not isinstance(value, str):
            return float(value)
        known = self._texts[i].get(value)
        if known is None and new:
            known = self._texts[i][value] = self._category(i, value)
        return math.nan if known is None else float(known)

    def _number_of(self, i: int, value: Any, new: bool) -> float:
        if value is None:
            return math.nan
        if self._known[i].kind == NUMBER:
            return float(value)
        return self._category_of(i, value, new)

    def _vector(self, record: Any, new: bool = True) -> NDArray[np.float64]:
        """A record as numbers; a text that was never met becomes known, or is missing."""
        if type(record) is np.ndarray and record.dtype == np.float64:
            return record
        if not hasattr(self, "_known"):
            self._learn_names()
        names = [one.name for one in self._known]
        by_name = isinstance(record, Mapping) or hasattr(record, "index") and hasattr(record, "loc")
        if by_name and all(names):
            lacking = [name for name in names if name not in record]
            if lacking:
                raise error("ARGUMENT", f"the record has no {lacking[0]!r}")
            record = [record[name] for name in names]
        elif isinstance(record, Mapping):
            raise TypeError("a record by names needs features with names")
        values = list(record)
        if len(values) != len(names):
            raise error("SHAPE", f"a record of {len(values)} values, but there are {len(names)} "
                                 "features")
        return np.array([self._number_of(i, value, new) for i, value in enumerate(values)])

    def _rows(self, records: Any, new: bool = False) -> NDArray[np.float64]:
        """Many records as numbers; `new` texts become known, or are missing."""
        if type(records) is np.ndarray and records.dtype == np.float64:
            return records
        if hasattr(records, "to_dict") and hasattr(records, "columns"):
            records = records.to_dict("records")
        rows = [self._vector(record, new) for record in records]
        return np.array(rows).reshape(len(rows), -1)

    def _is_one(self, record: Any) -> bool:
        if isinstance(record, Mapping):
            return True
        if hasattr(record, "columns"):
            return False
        if isinstance(record, np.ndarray):
            return record.ndim == 1
        first = next(iter(record), None)
        return isinstance(first, str) or not isinstance(first, (Sequence, Mapping, np.ndarray))

    @staticmethod
    def _list(records: Any) -> Sequence[Any]:
        if hasattr(records, "to_dict") and hasattr(records, "columns"):
            records = records.to_dict("records")
        return list(records)

    @property
    def states(self) -> int:
        """Records are no states that could be counted."""
        raise error("UNSUPPORTED", "records are no states that could be counted")

    # ---- reasons ----

    def policy(self, records: Any) -> NDArray[np.float64]:  # type: ignore[override]
        """What it would play if it stopped learning, as probabilities (n, A) for n records."""
        return self._policy(self._rows(records))

    def _explained(self, rows: NDArray[np.float64]) -> NDArray[np.void]:
        return self._reasons(rows).view(REASON)[..., 0]

    def describe(self, state: Any) -> dict[str, Any]:
        """Why it would play what it would play in a record, for people and for JSON: its `actions`
        with their parts, the `box` around the record in which all records are alike, what each
        feature `matters`, and all of it in `words`."""
        x = self._vector(state, new=False)
        reasons = self._explained(x[np.newaxis])[0]
        sides = self._sides(x)
        names = self._names()
        actions = [{name: None if math.isnan(row[name]) else float(row[name])
                    for name in REASON.names or ()} for row in reasons]
        box = [text for i in range(len(names)) if (text := self._side(i, names[i], sides[i]))]
        matters = {name: float(share) for name, share in zip(names, sides[:, 4], strict=True)}
        return {"actions": actions, "box": box, "matters": matters,
                "words": _words(actions, box, matters)}

    def _names(self) -> list[str]:
        return [one.name or f"feature {i}" for i, one in enumerate(self.features)]

    def _side(self, i: int, name: str, side: NDArray[np.float64]) -> str:
        low, high, category, missing, _ = side.tolist()
        if missing == 1:
            return f"{name} missing"
        if not math.isnan(category):
            texts = self.features[i].texts
            value = texts[int(category)] if int(category) < len(texts) else f"{category:g}"
            return f"{name} is {value}"
        above, most = math.isfinite(low), math.isfinite(high)
        if above and most:
            return f"{name} above {low:.4g}, at most {high:.4g}"
        return f"{name} above {low:.4g}" if above else f"{name} at most {high:.4g}" if most else ""

    # ---- figures ----

    def matters(self) -> dict[str, float]:
        """Which share of what is known of the rewards comes from each feature."""
        shares = self._sides(np.full(len(self.features), math.nan))[:, 4]
        return dict(zip(self._names(), shares.tolist(), strict=True))

    def plot_features(self, ax: Axes | None = None) -> Axes:
        """Bars: how much the features matter, the most at the top."""
        with needed("plot_features", "plot"):
            from matplotlib import pyplot
            from matplotlib.ticker import PercentFormatter

        from lgkt._figure import PALETTE

        ax = pyplot.gca() if ax is None else ax
        shares = sorted(self.matters().items(), key=lambda item: item[1])
        bars = ax.barh([name for name, _ in shares], [share for _, share in shares],
                       color=PALETTE[0])
        ax.bar_label(bars, [f"{share:.0%}" for _, share in shares], padding=3)
        ax.margins(x=0.1)
        ax.xaxis.set_major_formatter(PercentFormatter(1))
        ax.set_xlabel("share of what is known of the rewards")
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def plot_map(
        self, first: str | int, second: str | int, at: Any, *,
        ranges: tuple[tuple[float, float], tuple[float, float]], points: int = 60,
        ax: Axes | None = None,
    ) -> Axes:
        """A map of two features: what it would play, the others being those of the record `at`."""
        with needed("plot_map", "plot"):
            from matplotlib import pyplot
            from matplotlib.colors import ListedColormap

        from lgkt._figure import PALETTE

        ax = pyplot.gca() if ax is None else ax
        names = self._names()
        places = [names.index(one) if isinstance(one, str) else one for one in (first, second)]
        lines = [np.linspace(*ends, points) for ends in ranges]
        grid = np.tile(self._vector(at, new=False), (points * points, 1))
        grid[:, places[0]] = np.tile(lines[0], points)
        grid[:, places[1]] = np.repeat(lines[1], points)
        best = self.policy(grid).argmax(1).reshape(points, points)
        colours = ListedColormap([PALETTE[a % len(PALETTE)] for a in range(self.actions)])
        ax.pcolormesh(lines[0], lines[1], best, cmap=colours, vmin=-0.5, vmax=self.actions - 0.5,
                      alpha=0.75, rasterized=True)
        ax.set_xlabel(names[places[0]])
        ax.set_ylabel(names[places[1]])
        for a in np.unique(best):
            ax.plot([], [], "s", color=PALETTE[a % len(PALETTE)], alpha=0.75, label=f"action {a}")
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
        return ax


class RecordLearner(_OnRecords, KeyedLearner):
    """A learner whose states are records: arrays, lists, dicts by name, or rows of a pandas frame.

    `features` is their number, or a list with the name of each number, and with a pair for each
    category: its name and the number of values 0, 1, .., a list of their texts, or `str` where
    texts become known as they are met. What is missing is None or NaN. The learner is `forest`, by
    the name `auto` too; `random` and `fixed` serve for comparison. The rest is as for `Learner`.

    >>> import lgkt, random
    >>> learner = lgkt.Learner("auto", features=["x", "y"], actions=2, horizon=1000)
    >>> x = [0.0, 0.0]
    >>> for _ in range(1000):
    ...     a = learner.act(x)
    ...     reward, x = (a == (x[0] > 0)), [random.gauss(), random.gauss()]
    ...     learner.observe(reward, next_state=x)
    >>> learner.policy([[-1.0, 0.0], [1.0, 0.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __new__(
        cls,
        spec: str,
        features: SupportsIndex | Sequence[Any],
        actions: SupportsIndex,
        horizon: SupportsIndex,
        *,
        masked: bool = False,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
    ) -> Self:
        known = features_of(features)
        self = super().__new__(  # type: ignore[call-arg]
            cls, spec, actions, horizon, masked=masked, seed=seed, instance=instance,
            reward_min=reward_min, reward_max=reward_max, reward_sd=reward_sd,
            _features=_kinds_of(known))
        self._tell(known)
        return self

    # ---- steps ----

    def act(self, state: Any, allowed: Any = None) -> int:
        """Choose the action for the record at hand."""
        return super().act(self._vector(state), allowed)

    def observe(
        self, reward: SupportsFloat, next_state: Any, ended: bool = False,
    ) -> None:
        """Tell what the action earned and where it led. `ended` says that a clock has cut the run:
        `next_state` is then no consequence of the action. An end that the world makes is no cut:
        `next_state` is where it starts again."""
        super().observe(reward, self._vector(next_state), ended)

    def step(
        self, reward: SupportsFloat, next_state: Any, ended: bool = False,
        allowed: Any = None,
    ) -> int:
        """Observe and act in one call."""
        return super().step(reward, self._vector(next_state), ended, allowed)

    def feed(
        self, state: Any, action: Any, reward: Any, next_state: Any, ended: Any = False,
    ) -> None:
        """Let the learner watch steps that another one chose: one, or lists of one length."""
        if self._is_one(state):
            super().feed(self._vector(state), action, reward, self._vector(next_state), ended)
            return
        before, after = self._rows(state, new=True), self._rows(next_state, new=True)
        count = len(before)
        ends = np.broadcast_to(np.asarray(ended, np.uint8), count)
        place = np.arange(count, dtype=np.int32)
        if len(after) != count:
            raise error("SHAPE", f"{count} records and {len(after)} next ones")
        self._feed_many(np.concatenate([before, after]), place, action, reward, place + count,
                        np.ascontiguousarray(ends))

    def find(self, key: Any, /) -> int | None:
        """Records have no numbers."""
        raise error("UNSUPPORTED", "records are no states that could be found")

    def explain(
        self, state: Any, allowed: Any = None,
    ) -> NDArray[np.void]:
        """What the learner holds of each action in a record, an array (A), or in many, (n, A): as
        `Learner.explain`, with the parts of the value (`linear_part`, `state_part`, `action_part`),
        the doubt and its price: `upper` is `value` and `doubt` times `price`."""
        if allowed is not None:
            raise error("UNSUPPORTED", "explain: records are explained with all actions allowed")
        one = self._is_one(state)
        rows = self._vector(state, new=False)[np.newaxis] if one else self._rows(state)
        table = self._explained(rows)
        return table[0] if one else table


class RecordUnits(_OnRecords, Units):
    """One learner for many units whose states are records: what `Units` is to `Learner`, this is to
    `RecordLearner`. Decisions that are open to reports must be remembered: `patience` is at most
    `memory` of `forest`, both 32768 if nothing is said. The rest is as for `Units`.

    >>> import lgkt
    >>> shops = lgkt.Units("auto", features=["stock", ("day", 7)], actions=3, horizon=3000,
    ...                    unit_limit=200)
    >>> monday, order = shops.act(17, {"stock": 2.5, "day": 0})
    >>> shops.next(monday, [1.25, 1])
    >>> tuesday, order = shops.act(17)       # in the record that was reported
    >>> shops.reward(monday, 0.75)
    >>> shops.explain(18, [0.5, 1]).shape, shops.policy([[0, 2], [5, 2]]).shape
    ((3,), (2, 3))
    """

    def __new__(
        cls,
        spec: str,
        features: SupportsIndex | Sequence[Any],
        actions: SupportsIndex,
        horizon: SupportsIndex,
        unit_limit: SupportsIndex,
        *,
        patience: SupportsIndex = 32768,
        missing: SupportsFloat | None = None,
        unit_horizon: SupportsIndex | None = None,
        masked: bool = False,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        reward_min: SupportsFloat | None = None,
        reward_max: SupportsFloat | None = None,
        reward_sd: SupportsFloat | None = None,
    ) -> Self:
        known = features_of(features)
        self: Self = super().__new__(  # type: ignore[call-overload, misc]
            cls, spec, None, actions, horizon, unit_limit, patience=patience, missing=missing,
            unit_horizon=unit_horizon, masked=masked, seed=seed, instance=instance,
            reward_min=reward_min, reward_max=reward_max, reward_sd=reward_sd,
            _features=_kinds_of(known))
        self._tell(known)
        return self

    def _place(self, state: Any) -> NDArray[np.float64] | None:
        """No record is the one that was reported."""
        return None if state is None else self._vector(state)

    def act(self, unit: SupportsIndex, state: Any = None, allowed: Any = None) -> tuple[int, int]:
        """Choose an action for a unit: returns (decision, action); see `Units.act`."""
        return super().act(unit, self._place(state), allowed)

    def settle(self, unit: SupportsIndex, state: Any = None) -> None:
        """Let the learner learn what the unit's next act would let it learn first."""
        super().settle(unit, self._place(state))

    def take(
        self, unit: SupportsIndex, action: SupportsIndex, state: Any = None, allowed: Any = None,
    ) -> int:
        """A decision that somebody else has made for a unit: returns its number."""
        return super().take(unit, action, self._place(state), allowed)

    def next(self, decision: SupportsIndex, next_state: Any, ended: bool = False) -> None:
        """Report where a decision led."""
        super().next(decision, self._vector(next_state), ended)

    def feed(
        self, unit: Any, state: Any, action: Any, reward: Any, next_state: Any, ended: Any = None,
    ) -> None:
        """Let the learner watch steps of units that another one chose: one, or lists of one length,
        of which all rows are fed or none."""
        if self._is_one(state):
            super().feed(unit, self._vector(state), action, reward, self._vector(next_state),
                         False if ended is None else ended)
            return
        befores, afters = ([self._vector(one) for one in self._list(rows)]
                           for rows in (state, next_state))
        super().feed(unit, befores, action, reward, afters, ended)  # type: ignore[arg-type]

    def explain(
        self, unit: SupportsIndex, state: Any = None, allowed: Any = None,
    ) -> NDArray[np.void]:
        """What the learner holds of each action in a record, an array (A), as
        `RecordLearner.explain`, and what it would choose there for the unit now."""
        vector = None if state is None else self._vector(state, new=False)
        return self._reasons_of(unit, vector, allowed).view(REASON)[..., 0]


def _words(actions: list[dict[str, Any]], box: list[str], matters: dict[str, float]) -> str:
    """A few sentences on a record."""
    def part(row: dict[str, Any]) -> str:
        if row["linear_part"] is None or row["doubt"] is None:
            return ""
        return (f", of it {row['linear_part']:.3g} linear, {row['state_part']:.3g} of the state, "
                f"{row['action_part']:.3g} of the action; doubt {row['doubt']:.3g} at a price of "
                f"{row['price']:.3g}")

    lines = [f"action {a}: played with probability {row['probability'] or 0:.3g}"
             + (f", worth {row['value']:.4g}" if row["value"] is not None else "") + part(row)
             for a, row in enumerate(actions)]
    if box:
        lines.append("the same in all records with " + ", ".join(box))
    most = sorted(matters.items(), key=lambda item: -item[1])[:3]
    told = [f"{name} ({share:.0%})" for name, share in most if share > 0]
    if told:
        lines.append("what matters most: " + ", ".join(told))
    return "\n".join(lines)
