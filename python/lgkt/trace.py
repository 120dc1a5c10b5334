# SPDX-License-Identifier: MIT
"""A learner on a model with every random number taken from a tape, as `lgkt trace` plays it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _core, files
from lgkt._arrays import REASON, reasons
from lgkt._core import Learner
from lgkt._errors import error
from lgkt.env import Env
from lgkt.model import Model

_ROW: list[Any] = [("t", "i8"), ("state", "i4"), ("action", "i4"), ("reward", "f8"),
                   ("next_state", "i4")]


def trace(
    model: Model | str | os.PathLike[str],
    tape: ArrayLike | str | os.PathLike[str],
    learner: str | Learner,
    horizon: int | None = None,
    seed: int = 0,
    untold: bool = False,
    explain: bool = False,
) -> NDArray[Any]:
    """Play the rows of a tape: an array with the fields t, state, action, reward, next_state.

    >>> import lgkt
    >>> model = lgkt.Env("riverswim:states=5").model
    >>> rows = lgkt.trace(model, [[0.5, 0.0, 0.5, 0.5]] * 100, "lg1t", horizon=1000)
    >>> rows.dtype.names
    ('t', 'state', 'action', 'reward', 'next_state')
    >>> len(rows)
    100

    A tape is an array (n, 4) or a CSV file with the columns u_next, z_reward, u_reward, u_coin: the
    next state is the smallest j with P(0) + .. + P(j) > u_next; the reward is R + sd z_reward, for
    Bernoulli noise [u_reward < R]; u_coin is for a learner that flips a coin. A model may be a
    file, too.

    `learner` is a spec, whose learner is told what the environment ``model`` tells (with `untold`
    nothing about rewards) and has a horizon of at least the rows, by default just these; or a
    `Learner`, which is played on from the row where it stands and keeps its own horizon, seed and
    coin.

    With `explain` there is one more field, `reasons`: what `Learner.explain` said before each step.
    Its field probability is what off-policy evaluation needs.

    >>> rows = lgkt.trace(model, [[0.5, 0.0, 0.5, 0.5]] * 100, "random", explain=True)
    >>> rows["reasons"]["probability"].shape
    (100, 2)
    """
    known = model if isinstance(model, Model) else Model.read(model)
    rows = files.read_tape(tape) if isinstance(tape, str | os.PathLike) else np.asarray(tape)
    if isinstance(learner, str):
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise error("SHAPE", f"tape must have four columns, not the shape {rows.shape}")
        steps = len(rows) if horizon is None else int(horizon)
        if steps < len(rows):
            raise error("ARGUMENT", f"horizon is {steps}; it must be at least the {len(rows)} rows "
                                    "of the tape")
        told = Env("model", seed=seed, data=known).problem(steps)
        if untold:
            told = told._replace(reward_min=None, reward_max=None, reward_sd=None)
        # asked for the rows alone, however long the horizon is
        learner = Learner(learner, **told._asdict(), coin=rows[:, 3].item)
    elif horizon is not None or seed or untold:
        raise TypeError("a learner that is there has its horizon, its seed and what it was told")
    columns = list(_core.trace(known, rows, learner, explain))
    fields = list(_ROW)
    if explain:
        columns[-1] = reasons(columns[-1])
        fields.append(("reasons", REASON, (learner.actions,)))
    played = np.empty(len(columns[0]), fields)
    for field, column in zip(fields, columns, strict=True):
        played[field[0]] = column
    return played
