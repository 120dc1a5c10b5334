# SPDX-License-Identifier: MIT
"""The class of logs: decisions that were made, with what they earned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from numpy.typing import ArrayLike

from lgkt.log.coding import Coded, code, without
from lgkt.log.columns import Columns, named
from lgkt.log.reading import opened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lgkt.log.check import Check, Finding
    from lgkt.log.evaluate import Evaluation
    from lgkt.log.replay import Replay
    from lgkt.log.simulate import Simulation
    from lgkt.log.warm import WarmLearner, WarmUnits


class Log:
    """Decisions of the past, from a file or a table: in which state which action was played, and
    what it earned.

    >>> import lgkt
    >>> log = lgkt.Log.read({"who": ["a", "a", "b"], "mood": ["low", "high", "low"],
    ...                      "act": ["call", "none", "none"], "gain": [1.0, 0.5, 0.0]},
    ...                     unit="who", state=["mood"], action="act", reward="gain")
    >>> log
    <lgkt.Log 3 rows, 2 units, a table of 2 states, 2 actions>
    >>> log.states, log.actions
    ([('high',), ('low',)], ['call', 'none'])
    """

    coded: Coded
    columns: Columns
    name: str

    def __init__(self, coded: Coded, columns: Columns, name: str = "log") -> None:
        self.coded, self.columns, self.name = coded, columns, name
        self._checked: Check | None = None

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        unit: str | None = None,
        time: str | None = None,
        state: str | Sequence[str] | None = None,
        action: str | None = None,
        reward: str | None = None,
        probability: str | None = None,
        probabilities: str | None = None,
        episode: str | None = None,
        allowed: str | None = None,
        next_state: str | Sequence[str] | None = None,
        cut: str | None = None,
        source_column: str | None = None,
        actions: Sequence[Any] | None = None,
        as_: str | None = None,
        bins: Mapping[str, ArrayLike | int] | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Read a log: a file (CSV, JSON lines, Parquet), a frame of pandas or Polars, anything with
        `__arrow_c_stream__`, or a dict of columns. The words name its columns; without any, they
        are those of a decision log.

        - `unit` says of whom or what the row is, `time` when it was (seconds, or ISO 8601; equal
          times keep the order of the rows), `episode` which of the unit's trajectories it belongs
          to. Rows may come in any order. Without `time` they are in the order of the file, without
          `unit` all of one unit.
        - `state` is what was known before the decision, one column or several. The log is a *table*
          if each holds texts or at most 20 values and at most 1000 combinations occur; else it is
          one of *records*. `as_` says otherwise, and `bins` makes parts of the range of a number: a
          list of edges, or how many parts with about as many rows each.
        - `action` and `reward` are what was done and what it earned; an empty reward is missing.
          `actions` lists all actions where some were never played.
        - `probability` is that with which the action was chosen, `probabilities` a list for all
          actions; `allowed` lists the actions that were allowed (JSON, or parted by |).
        - `next_state` has the columns of the state after the decision; without it, it is the state
          of the unit's next row. `cut` says that a clock ended the trajectory there; the last row
          of an episode is cut where nothing says otherwise. `source_column` says who decided.

        `progress` is told on stderr where reading takes more than two seconds; False is silence.
        """
        found = opened(source)
        given = {"unit": unit, "time": time, "state": state, "action": action, "reward": reward,
                 "probability": probability, "probabilities": probabilities, "episode": episode,
                 "allowed": allowed, "next_state": next_state, "cut": cut,
                 "source": source_column}
        columns = named(found.names, found.where, given)
        coded = code(found, columns, actions=actions, as_=as_, bins=bins, progress=progress)
        return cls(coded, columns, found.where)

    def __len__(self) -> int:
        return self.coded.n

    @property
    def states(self) -> list[tuple[Any, ...]]:
        """The states of a table: what stands in each column of the state."""
        return self.coded.states

    @property
    def actions(self) -> list[Any]:
        """The actions, as the log has them."""
        return self.coded.actions

    @property
    def kind(self) -> str:
        """``"table"`` or ``"record"``."""
        return self.coded.kind

    def __repr__(self) -> str:
        c = self.coded
        states = (f"a table of {c.S} states" if c.kind == "table"
                  else f"records of {len(c.features)} features")
        return (f"<lgkt.Log {c.n} rows, {len(c.units)} unit{'s' * (len(c.units) != 1)}, {states}, "
                f"{c.A} actions>")

    def without_copies(self) -> Self:
        """The log without rows that are there twice: unit, time, state, action and reward are the
        same."""
        from lgkt.log.check import copies

        return type(self)(without(self.coded, copies(self.coded)), self.columns, self.name)

    # ---- is it sound ----

    def check(self, progress: bool | None = None) -> Check:
        """What is wrong with the log, or weak: it prints as one page, with what to do; `findings`
        and `json()` are for programs, `plot()` is for the eyes.

        >>> import lgkt
        >>> log = lgkt.Log.read({"mood": ["low", "high"] * 20, "act": ["call", "none"] * 20,
        ...                      "gain": [1.0, 0.5] * 20},
        ...                     state="mood", action="act", reward="gain")
        >>> [finding.code for finding in log.check().findings if finding.level == "problem"]
        ['one-unit']
        """
        from lgkt.log.check import check

        if self._checked is None:  # the log never changes
            self._checked = check(self, progress)
        return self._checked

    # ---- warm start ----

    def learner(self, spec: str, horizon: SupportsIndex, *, progress: bool | None = None,
                **settings: Any) -> WarmLearner:
        """A learner that was fed with the log and goes on with one run: it takes states as tuples
        or dicts, and answers with the actions of the log. On records it is a `RecordLearner`. The
        settings are those of `lgkt.Learner`; learners that cannot be fed are refused. Trajectories
        are fed one after another, in the order in which they began; rows without a reward are left
        out, rows whose next state is not known are cut.

        >>> import lgkt
        >>> log = lgkt.Log.read({"mood": ["low", "high"] * 20, "act": ["call", "none"] * 20,
        ...                      "gain": [1.0, 0.5] * 20},
        ...                     state="mood", action="act", reward="gain")
        >>> learner = log.learner("auto", horizon=1000)
        >>> learner
        <WarmLearner of auto:..., fed with 40 rows>
        >>> learner.act("low") in ("call", "none")
        True
        """
        from lgkt.log import warm

        return warm.learner(self, spec, horizon, False, progress, settings)

    def keyed(self, spec: str, horizon: SupportsIndex, *, progress: bool | None = None,
              **settings: Any) -> WarmLearner:
        """As `learner`, where states may come up that the log does not have: see `KeyedLearner`."""
        from lgkt.log import warm

        return warm.learner(self, spec, horizon, True, progress, settings)

    def units(self, spec: str, horizon: SupportsIndex, unit_limit: SupportsIndex | None = None, *,
              new_states: bool = False, progress: bool | None = None,
              **settings: Any) -> WarmUnits:
        """One learner for many units, fed with the log as it happened; those of the log may go
        on, and new ones join, as far as `unit_limit` lets them (those of the log count; default:
        1024 more). With `new_states` there may be states that the log does not have. The settings
        are those of `lgkt.Units`."""
        from lgkt.log import warm

        return warm.units(self, spec, horizon, unit_limit, new_states, progress, settings)

    # ---- judged ----

    @property
    def _findings(self) -> tuple[Finding, ...]:
        return self.check().findings

    def evaluate(self, policy: Any = "logged", *, probabilities: ArrayLike | None = None,
                 name: str | None = None, progress: bool | None = None) -> Evaluation:
        """What another policy would have earned per decision, had it made all decisions of the
        log's units, from the states they began in, over the lengths they had: with a verdict,
        "better" or "worse" than what the log did, or "cannot be told", and why.

        `policy` is ``"logged"``, an array of probabilities (S, A) in the order of `states` and
        `actions`, a dict of dicts by their labels, a pandas frame or a CSV file with columns of the
        state, `action` and `probability`, a learner, taken as it is now, or a function that answers
        a state with probabilities; for records a learner on records or a function of an array
        (n, d). `probabilities` are the policy's of what was played instead, in the order of the
        file. `name` is what the answer calls the policy.

        >>> import lgkt, numpy as np
        >>> rng = np.random.default_rng(1)
        >>> act = rng.integers(2, size=3000)
        >>> log = lgkt.Log.read({"who": np.repeat(np.arange(300), 10), "mood": ["ok"] * 3000,
        ...                      "act": act, "p": np.full(3000, 0.5),
        ...                      "gain": 0.3 * act + rng.normal(size=3000)},
        ...                     unit="who", state="mood", action="act", reward="gain",
        ...                     probability="p")
        >>> log.evaluate([[0.0, 1.0]]).verdict
        'better'
        """
        from lgkt.log.evaluate import evaluate

        return evaluate(self, policy, probabilities=probabilities, name=name, progress=progress)

    def replay(self, learner: str, horizon: int, **settings: Any) -> Replay:
        """What a learner, given by its spec, would have earned, by feeding it the outcomes of the
        log; the answer says how long it lasted. `method` is ``"queues"`` or ``"rejection"``: see
        `lgkt.log.replay`, which has the settings."""
        from lgkt.log.replay import replay

        return replay(self, learner, horizon=horizon, **settings)

    def simulate(self, learners: str | Sequence[str], horizon: int, units: int,
                 **settings: Any) -> Simulation:
        """Learners ranked by what they earn in worlds that the log leaves possible, `units` units
        of `horizon` decisions each: see `lgkt.log.simulate`, which has the settings."""
        from lgkt.log.simulate import simulate

        return simulate(self, learners, horizon, units, **settings)

    def compare(self, learners: str | Sequence[str], horizon: int, units: int,
                **settings: Any) -> Figure:
        """One figure of `simulate`, with what the log earned beside it."""
        from lgkt.log.simulate import compare

        return compare(self, learners, horizon, units, **settings)
