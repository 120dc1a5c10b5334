# SPDX-License-Identifier: MIT
"""Environments: worlds to play in, and what a learner is told about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from lgkt import _core, files
from lgkt._core import KeyedLearner, Learner
from lgkt.records import RecordLearner

if TYPE_CHECKING:
    from lgkt.model import Model


class Problem(NamedTuple):
    """A decision problem as a learner is told it. None is not known. `masked` says that some
    actions are not allowed at times. `states` is 0 where states are records.

    >>> Env("riverswim:states=5").problem(1000)[:6]
    (5, 2, 1000, 0.0, 1.0, 0.5)
    """

    states: int
    actions: int
    horizon: int
    reward_min: float | None
    reward_max: float | None
    reward_sd: float | None
    model: Model | None
    seed: int
    instance: int
    masked: bool = False


class Env(_core.Env):
    """One drawn world, which never changes.

    >>> env = Env("riverswim:states=5", seed=1)
    >>> env.states, env.actions
    (5, 2)
    >>> run = env.trajectory(horizon=1000)
    >>> states, actions, rewards = run.play(env.learner("auto", horizon=1000))
    >>> len(rewards)
    1000

    `instance` selects one of the worlds that a random spec can be. `data` is the `Model` or the
    array of prices that it is made from; a file that the spec names is read. Two of them are equal
    if spec, seed, instance and data are.
    """

    def __new__(
        cls,
        spec: str,
        *,
        seed: SupportsIndex = 0,
        instance: SupportsIndex = 0,
        data: Model | ArrayLike | None = None,
    ) -> Self:
        if data is None and isinstance(spec, str):
            data = files.resolve(spec)
        return super().__new__(cls, spec, seed=seed, instance=instance, data=data)

    def problem(self, horizon: int) -> Problem:
        """What a learner is told about a run of `horizon` steps.

        >>> import lgkt
        >>> told = lgkt.Env("riverswim", seed=3).problem(1000)
        >>> lgkt.Learner("auto", **told._asdict()).horizon
        1000
        """
        return Problem(
            self.states,
            self.actions,
            horizon,
            self.reward_min,
            self.reward_max,
            self.reward_sd,
            self.model,
            self.seed,
            self.instance,
            self.masked,
        )

    @property
    def features(self) -> list[Any] | None:
        """What a record is, as `Learner` takes it; None where states are numbered.

        >>> Env("contextual:features=2,categories=3").features
        [None, None, (None, 3)]
        """
        kinds = self.kinds
        return None if kinds is None else [(None, count) if count else None for count in kinds]

    def learner(
        self, spec: str, horizon: int, *, untold: bool = False,
        like: Learner | KeyedLearner | None = None,
    ) -> Learner | KeyedLearner:
        """A learner for this world, as the command makes it: told what the world tells, and with
        the same seed and instance. `untold` keeps the range and noise of the rewards from it, and
        `like` is another learner, whose constant tables it can share.

        Where states are shown as bytes (trading) it is a `KeyedLearner` on `observation`, where
        they are records a `RecordLearner` on these. Where several observations are one state
        (cartpole, stock) it is a `Learner` on these.

        >>> Env("riverswim", seed=3).learner("ucrl2", 1000).states
        5
        """
        known: dict[str, Any] = {"seed": self.seed, "instance": self.instance,
                                 "masked": self.masked}
        if not untold:
            told = ("reward_min", "reward_max", "reward_sd")
            known |= {name: getattr(self, name) for name in told}
        if self.features is not None:
            return RecordLearner(spec, self.features, self.actions, horizon, **known)
        shown = self.trajectory(horizon).observation
        if shown is None or self.coarse:
            known |= {"model": self.model, "like": like}
            return Learner(spec, self.states, self.actions, horizon, **known)
        # the key is a little longer than the bytes
        return KeyedLearner(spec, self.actions, horizon, state_limit=self.states,
                            key_limit=len(shown) + 16, **known)

    def __repr__(self) -> str:
        given = "" if self.data is None else ", data=..."
        return f"lgkt.Env({self.spec!r}, seed={self.seed}, instance={self.instance}{given})"

    def _key(self) -> tuple[object, ...]:
        data = self.data
        given = data.tobytes() if isinstance(data, np.ndarray) else data
        return self.spec, self.seed, self.instance, given

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Env) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())
