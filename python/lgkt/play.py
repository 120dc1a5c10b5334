# SPDX-License-Identifier: MIT
"""Learners of lgkt on any Gymnasium environment: `play` and `world` of `lgkt.gym`."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable
from typing import Any, TypedDict, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import ArrayLike

from lgkt._errors import error
from lgkt._spaces import Bins, Rounding, encoder, has_numbers, record_features, recorder
from lgkt.result import Result
from lgkt.run import run

Source = str | EnvSpec | gymnasium.Env[Any, Any] | Callable[[], gymnasium.Env[Any, Any]]


class World:
    """One run without end in a Gymnasium environment: after an episode the next one begins."""

    allowed: Any  # where the environment has masks

    def __init__(self, env: gymnasium.Env[Any, Any], seed: int, encode: Callable[[Any], Any],
                 **told: Any) -> None:
        self._env = env
        self._encode = encode
        self._restarts: bool = told["restarts"]
        self._first = int(env.action_space.start)  # type: ignore[attr-defined]
        self.actions = int(env.action_space.n)  # type: ignore[attr-defined]
        self.states: int | None = told["states"]
        self.state_limit: int = told["state_limit"]
        self.features: list[Any] | None = told["features"]
        self.reward_min: float | None = told["reward_min"]
        self.reward_max: float | None = told["reward_max"]
        self.reward_sd: float | None = told["reward_sd"]
        seen, info = env.reset(seed=seed)
        self.state = encode(seen)
        self._masks = told["masks"] and "action_mask" in info
        if self._masks:
            self.allowed = info["action_mask"]

    def step(self, action: int) -> tuple[float, Any, bool]:
        """A step, and a reset where it ended an episode."""
        number = operator.index(action)
        if not 0 <= number < self.actions:
            raise error("ARGUMENT", f"action {number}, must be in 0..{self.actions - 1}")
        seen, reward, terminated, truncated, info = self._env.step(number + self._first)
        if terminated or truncated:
            seen, info = self._env.reset()
        self.state = self._encode(seen)
        if self._masks:
            self.allowed = info.get("action_mask")
        # what the world ends is a move to the next start, also where its time is over
        ended = bool((terminated or truncated) and not (terminated and self._restarts))
        return float(reward), self.state, ended


def world(env: Source, *, rounding: Rounding = None, bins: Bins = None,
          key: Callable[[Any], Any] | None = None, state_limit: int = 2**20, end: str = "restart",
          masks: bool = True, reward_min: float | None = None, reward_max: float | None = None,
          reward_sd: float | None = None) -> Callable[[int, int], World]:
    """A Gymnasium environment as a world for `lgkt.run`.

    >>> import lgkt, lgkt.gym
    >>> lake = lgkt.gym.world("FrozenLake-v1", reward_min=0, reward_max=1)
    >>> result = lgkt.run(lake, ["auto", "random"], horizon=500, replicates=2)
    >>> result.labels
    ('auto', 'random')
    >>> pole = lgkt.gym.play("CartPole-v1", "auto", steps=300)  # four numbers, taken as they are

    `env` is an id, an environment, or a function that makes one. An environment itself is used for
    one run after the other; of an id or function every run gets its own. Run i is seeded from the
    seed of the whole and from i.

    Actions must be Discrete. Discrete observations are states by number. Where there are real
    numbers in them, a Box or one in a Dict or Tuple, they are records (`lgkt.RecordLearner`), which
    learners such as "auto" (there it means "forest") take as they are: numbers of a Box row by row,
    categories of Discrete, MultiDiscrete and MultiBinary, and of Text as they come up, a Dict in
    the order of its space. All others, and Discrete ones of more than `state_limit`, are keys,
    numbered as they come up (`lgkt.KeyedLearner`): MultiDiscrete and MultiBinary are tuples of
    ints, Text is a str, a Box of whole numbers is a tuple of them, Tuple and Dict are tuples of
    what is in them.

    Learners that need states get them of real numbers, too: rounded to `rounding` decimals, or as
    the numbers of the bins that they fall into, where `bins` are the rising edges between bins, one
    list for all numbers or a list for each. For a Dict or Tuple both may be dicts from key or place
    to what holds there. `key` is a function of your own from observation to key, for any space. A
    key beyond `state_limit` of them is an error.

    After the end of an episode, `terminated` or `truncated`, the environment is reset and the run
    goes on in the state that this gives. `end` says what the learner is told of a terminated one:
    ``"restart"`` that the action led to the next state, as any other move, so that what comes after
    the end counts too; ``"cut"`` that the process `ended` there and the next state is no
    consequence of the action. One that is truncated only, by a limit of time, is a cut. What is
    known of the rewards may be told.

    Where the environment has ``info["action_mask"]``, from its first reset on, learners choose
    among the actions of the mask only; `masks` = False lets them choose among all.
    """

    def make() -> gymnasium.Env[Any, Any]:
        if isinstance(env, gymnasium.Env):
            return env
        if isinstance(env, str | EnvSpec):
            return gymnasium.make(env, disable_env_checker=True)
        if not callable(env):
            raise TypeError("env must be an id, a Gymnasium environment or a function that makes "
                            f"one, not {type(env).__name__}")
        return env()

    first = make()
    seen = first.observation_space
    if not isinstance(first.action_space, spaces.Discrete):
        raise error("UNSUPPORTED", f"the actions must be Discrete, not {first.action_space}")
    if end not in ("cut", "restart"):
        raise error("ARGUMENT", f'end must be "cut" or "restart", not {end!r}')
    recorded = key is None and rounding is None and bins is None and has_numbers(seen)
    features = record_features(seen) if recorded else None
    encode = (recorder(seen) if recorded else
              key if key is not None else encoder(seen, rounding, bins))
    numbered = key is None and isinstance(seen, spaces.Discrete) and seen.n <= state_limit
    told = {"states": int(seen.n) if numbered else None,  # type: ignore[attr-defined]
            "reward_min": reward_min, "reward_max": reward_max, "reward_sd": reward_sd,
            "state_limit": state_limit, "restarts": end == "restart", "masks": masks,
            "features": features}

    def begin(seed: int, instance: int) -> World:
        mixed = int(np.random.SeedSequence((seed, instance)).generate_state(1)[0])
        made = make()
        begun = World(made, mixed, encode, **told)
        if made is not env:
            weakref.finalize(begun, made.close)
        return begun

    begin.__name__ = first.spec.id if first.spec is not None else type(first.unwrapped).__name__
    if first is not env:
        first.close()
    return begin


class How(TypedDict, total=False):
    """The arguments of `world`, by name."""

    rounding: Rounding
    bins: Bins
    key: Callable[[Any], Any] | None
    state_limit: int
    end: str
    masks: bool
    reward_min: float | None
    reward_max: float | None
    reward_sd: float | None


def play(env: Source, learner: Any = "auto", steps: int = 20000, *, replicates: int = 1,
         seed: int = 0, checkpoints: bool | int | ArrayLike | None = True,
         progress: Any = None, **how: Unpack[How]) -> Result:
    """Play a Gymnasium environment with a learner, or with several one after the other.

    >>> import lgkt.gym
    >>> result = lgkt.gym.play("CliffWalking-v1", "auto", steps=2000, reward_min=-100, reward_max=0)
    >>> result["auto"].mean > -10
    True

    All of it is one run of `steps` steps: an episode that ends is followed by the next one, and the
    learner goes on with what it knows. `learner` is what `lgkt.run` takes: a spec, an object of
    your own with `act` and `observe`, or a list or dict of these. `replicates` runs are played with
    different seeds. `how` are the arguments of `world`, which says how observations become states.
    The result is that of `lgkt.run`, with learning curves; there is no optimum to compare with.
    """
    return run(world(env, **how), learner, steps, replicates, seed, checkpoints=checkpoints,
               progress=progress)
