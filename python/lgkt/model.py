# SPDX-License-Identifier: MIT
"""Known models: Markov decision processes from arrays, from Gymnasium and from files."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _arrays, _core, _digits, _gym_table, _html, _json, _text
from lgkt._errors import error
from lgkt._extras import needed

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from lgkt.log import Log
    from lgkt.plan import Solution

_Floats = NDArray[np.float64]
_NOISES = ("none", "normal", "bernoulli", "drifting")
_LARGEST = 2**32  # bytes of a dense array, 4 GiB
_SHOWN_PAIRS, _SHOWN_MOVES = 24, 6  # of a table


class Rows(NamedTuple):
    """The moves that can happen, pair by pair (pair = state * actions + action), as in SciPy's CSR.

    Those of pair z are at ``indptr[z]`` to ``indptr[z + 1] - 1``; next states increase.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: _Floats
    rewards: _Floats


class _Csr(NamedTuple):
    """What a file of compressed sparse rows holds."""

    shape: tuple[int, ...]
    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]


class _Moves(NamedTuple):
    """Loose entries of a matrix (S*A, S)."""

    pair: NDArray[np.int64]
    next: NDArray[np.int64]
    value: _Floats


def _is_sparse(values: object) -> bool:
    return hasattr(values, "tocoo")


def _is_sparse_list(values: object) -> bool:
    return (isinstance(values, Sequence) and not isinstance(values, str | bytes)
            and len(values) > 0 and all(_is_sparse(matrix) for matrix in values))


def _sparse_moves(name: str, values: Any, states: int, actions: int) -> _Moves:
    """One sparse matrix (S*A, S), or a list of one (S, S) for each action."""
    matrices = [values] if _is_sparse(values) else list(values)
    shape = (states * actions if _is_sparse(values) else states, states)
    parts = []
    for action, matrix in enumerate(matrices):
        if matrix.shape != shape:
            which = name if _is_sparse(values) else f"{name}[{action}]"
            raise error("SHAPE", f"{which} has shape {matrix.shape}; it must be {shape}")
        coo = matrix.tocoo()
        row = coo.row.astype(np.int64)
        parts.append(_Moves(row if _is_sparse(values) else row * actions + action,
                            coo.col.astype(np.int64), coo.data.astype(np.float64)))
    return _Moves(*(np.concatenate(column) for column in zip(*parts)))


def _read_chances(P: Any) -> tuple[int, int, _Moves]:
    """States, actions and moves of transition probabilities in any of their forms."""
    if _is_sparse_list(P):
        states, actions = P[0].shape[0], len(P)
        return states, actions, _sparse_moves("P", P, states, actions)
    if _is_sparse(P):
        states = P.shape[1]
        if states == 0 or P.shape[0] % states != 0:
            raise error("SHAPE", f"P has shape {P.shape}; a sparse one must be (S*A, S), or a list "
                                 "of A matrices (S, S)")
        actions = P.shape[0] // states
        return states, actions, _sparse_moves("P", P, states, actions)
    dense = _arrays.read(P, "P", "f8", 3)
    states, actions, last = dense.shape
    if states != last:
        hint = "; for one of shape (A, S, S) give numpy.moveaxis(P, 0, 1)" * (actions == last)
        raise error("SHAPE", f"P has shape {dense.shape}; it must be (S, A, S){hint}")
    flat = dense.reshape(states * actions, states)
    pair, following = np.nonzero(flat)
    return states, actions, _Moves(pair, following, flat[pair, following])


def _read_rewards(R: Any, states: int, actions: int,
                  moves: _Moves) -> tuple[_Floats, _Floats | None]:
    """Means (S, A), and where rewards depend on the move one for each of `moves`."""
    wide = (states * actions, states)
    if _is_sparse(R) and R.shape == (states, actions) != wide:
        R = R.toarray()
    if _is_sparse_list(R) or _is_sparse(R):
        given = _sparse_moves("R", R, states, actions)
        # what is not stored is 0, and what is stored twice adds up: both as in SciPy
        key, place = np.unique(given.pair * states + given.next, return_inverse=True)
        total = np.append(np.bincount(place, given.value, len(key)), 0.0)
        wanted = moves.pair * states + moves.next
        at = np.searchsorted(key, wanted)
        found = (at < len(key)) & (np.append(key, -1)[at] == wanted)
        return np.zeros((states, actions)), total[np.where(found, at, len(key))]
    dimensions = np.ndim(R)
    if dimensions not in (2, 3):
        raise error("SHAPE", f"R must have shape (S, A) or (S, A, S), not {np.shape(R)}")
    dense = _arrays.read(R, "R", "f8", dimensions)
    wanted_shape = (states, actions, states)[:dimensions]
    if dense.shape != wanted_shape:
        raise error("SHAPE", f"R has shape {dense.shape}; it must be {wanted_shape}")
    if dimensions == 2:
        return dense, None
    return np.zeros((states, actions)), dense.reshape(wide)[moves.pair, moves.next]


def _read_noise(noise: object, sd: ArrayLike | None, states: int,
                actions: int) -> tuple[NDArray[np.uint8], _Floats]:
    """Kinds and scales, one for all or one for each pair."""
    try:
        kinds = np.asarray(noise, dtype=np.str_)
    except ValueError:
        kinds = np.asarray("")
    unknown = [str(kind) for kind in np.unique(kinds) if kind not in _NOISES]
    if unknown:
        raise error("ARGUMENT", f'noise is "{unknown[0][:40]}"; it must be "none", "normal" or '
                                '"bernoulli"')
    codes = np.select([kinds == kind for kind in _NOISES], range(4)).astype(np.uint8)
    normal = bool(np.any(codes == 1))
    if normal != (sd is not None):
        raise error("ARGUMENT", "normal noise needs sd" if normal
                    else "sd is given, but the noise is not normal")
    given = 0.0 if sd is None else sd
    scales = _arrays.read(given, "sd", "f8", np.ndim(given)).reshape(np.shape(given))
    shape = (states, actions)
    for name, array in ("noise", codes), ("sd", scales):
        if array.shape not in ((), shape):
            raise error("SHAPE", f"{name} must be one for all, or have shape {shape}, "
                                 f"not {array.shape}")
    if codes.ndim == scales.ndim == 0:
        return codes.reshape(1), scales.reshape(1)
    return (np.ascontiguousarray(np.broadcast_to(codes, shape)).ravel(),
            np.ascontiguousarray(np.broadcast_to(scales, shape)).ravel())


class Model(_core.Model):
    """A Markov decision process that is known: it is never changed once it is made.

    `P` holds the probabilities P[s, a, y] of the next state y: an array (S, A, S), a list of A
    SciPy sparse matrices (S, S), or one sparse matrix (S*A, S) with row s*A + a. Each row sums to 1
    within 1e-6 and is then divided by its sum. `R` holds the mean rewards (S, A), or the rewards of
    moves R[s, a, y]: (S, A, S), or sparse as P. Rewards of moves that cannot happen are not read.

    `start` is a state or a law (S). `noise` is how an observed reward scatters: ``"none"``,
    ``"normal"`` with standard deviation `sd`, or ``"bernoulli"`` (1 with the reward as probability,
    else 0); it and `sd` are one for all, or (S, A). `allowed` (S, A) says which actions may be
    played; of the others nothing is read.

    >>> import lgkt
    >>> model = lgkt.Model([[[1, 0], [0, 1]], [[1, 0], [0.5, 0.5]]], [[1, 0], [0, 2]])
    >>> model
    <lgkt.Model 2 states, 2 actions, 5 moves, start 0, no noise>
    >>> model.P[1, 1]
    array([0.5, 0.5])
    >>> model == lgkt.Model.from_json(model.to_json())
    True
    """

    name: str | None = None
    comment: str | None = None
    counts: NDArray[np.int64] | None = None  # of a log: known rewards of each pair, (S, A)
    errors: _Floats | None = None  # of a log: standard errors of the mean rewards, (S, A)

    def __new__(
        cls,
        P: ArrayLike | Any,
        R: ArrayLike | Any,
        *,
        start: int | ArrayLike = 0,
        noise: str | ArrayLike = "none",
        sd: ArrayLike | None = None,
        allowed: ArrayLike | None = None,
        name: str | None = None,
        comment: str | None = None,
    ) -> Self:
        states, actions, moves = _read_chances(P)
        forbidden = None
        if allowed is not None:
            mask = _arrays.read(allowed, "allowed", "u1", 2) != 0
            if mask.shape != (states, actions):
                raise error("SHAPE", f"allowed has shape {mask.shape}; it must be "
                                     f"{(states, actions)}")
            forbidden = ~mask.ravel()
            kept = ~forbidden[moves.pair]
            moves = _Moves(*(column[kept] for column in moves))
        means, rewards = _read_rewards(R, states, actions, moves)
        if forbidden is not None:
            means = np.where(forbidden.reshape(means.shape), 0.0, means)
        kinds, scales = _read_noise(noise, sd, states, actions)
        own = rewards is not None
        made = super().__new__(
            cls, states, actions, moves.pair, moves.next, moves.value, means.ravel(),
            move_pair=moves.pair if own else None, move_next=moves.next if own else None,
            move_reward=rewards, noise=kinds, noise_sd=scales, forbidden=forbidden, start=start)
        made.name = name
        made.comment = comment
        return made

    # ---- from elsewhere, and to files ----

    @classmethod
    def from_gym(
        cls,
        source: Mapping[Any, Any] | Any,
        *,
        end: str = "restart",
        start: int | ArrayLike | None = None,
    ) -> Self:
        """The model of a toy-text environment of Gymnasium, made one run without end.

        `source` is the environment, or its table ``env.unwrapped.P``: for each state and action a
        list of (probability p, next state y, reward r, ended). `start` is a state or a law mu (S);
        without it, the environment's own law where it has one, else state 0. What an episode's end
        becomes is `end`:

        - ``"restart"``: the move leads to the start at once. An ending move adds p mu(x) to
          P(x|s,a) for each x, with its reward r. The state y that it led to is then not entered by
          it. So a caller plays who resets between two steps.
        - ``"restart-step"``: the move leads to y. Every state that an ending move leads to gets
          P(x|y,a) = mu(x) and reward 0 for all actions a: the reset takes a step.
        - ``"absorb"``: the move leads to y. Every such state gets P(y|y,a) = 1 and reward 0 for all
          a: what follows earns nothing.

        ``"restart"`` makes of FrozenLake, Taxi and CliffWalking the worlds that ``lgkt.Env`` has as
        ``frozenlake:reward-frozen=0``, ``taxi`` and ``cliffwalking:reward-goal=-1`` (with states
        that are never entered besides), ``"restart-step"`` of FrozenLake that with
        ``return-step=1``.

        Of moves of one pair to the same state the probabilities add up, and the reward is their
        mean: r(s,a,x) = sum of p r / sum of p. So the mean of each pair is that of the table.

        >>> import lgkt
        >>> table = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]},
        ...          1: {0: [(1.0, 1, 0.0, True)]}}
        >>> lgkt.Model.from_gym(table).P[0, 0]
        array([1., 0.])
        >>> lgkt.Model.from_gym(table, end="restart-step").P[:, 0].tolist()
        [[0.5, 0.5], [1.0, 0.0]]
        """
        return _restore(cls, _gym_table.arrays(source, end, start))

    @classmethod
    def from_rows(cls, P: Any, R: ArrayLike, *, start: int | ArrayLike = 0) -> Self:
        """A large model from a SciPy sparse matrix (S*A, S), row s*A + a, or from anything else
        with its ``indptr``, ``indices``, ``data`` and ``shape``, and mean rewards (S, A).

        The arrays are copied once, into the model. Next states of a row must increase
        (``P.sort_indices()``), and probabilities be above 0 (``P.eliminate_zeros()``).
        """
        pairs, states = P.shape
        rewards = _arrays.read(R, "R", "f8", 2)
        actions = rewards.shape[1]
        if rewards.shape[0] != states or states * actions != pairs:
            raise error("SHAPE", f"P has shape {P.shape} and R {rewards.shape}; they must be "
                                 "(S*A, S) and (S, A)")
        law: ArrayLike | None = None
        if np.ndim(start) > 0:
            law = start
        elif start != 0:
            first: Any = start
            at_start = np.zeros(states)
            at_start[_arrays.whole(first, "start", range(states))] = 1.0
            law = at_start
        return _core.model_of_rows(cls, states, actions, P.indptr, P.indices, P.data,
                                   rewards.ravel(), law)

    @classmethod
    def from_npz(cls, P: _text.Path, R: _text.Path | ArrayLike, *,
                 start: int | ArrayLike = 0) -> Self:
        """A large model from a file as ``scipy.sparse.save_npz`` writes it of the probabilities
        (S*A, S) in compressed sparse rows, and rewards (S, A), an array or a file of numpy.save.

        SciPy is not needed. See `from_rows` for what the rows must be.

        >>> import lgkt, numpy as np
        >>> np.savez("P.npz", format="csr", shape=[2, 2], indptr=[0, 1, 3], indices=[1, 0, 1],
        ...          data=[1, 0.5, 0.5])
        >>> lgkt.Model.from_npz("P.npz", [[0.0], [1.0]])
        <lgkt.Model 2 states, 1 actions, 3 moves, start 0, no noise>
        """
        with np.load(os.fspath(P)) as file:
            kind = file["format"].item() if "format" in file.files else ""
            if kind not in ("csr", b"csr") or not set(_Csr._fields) <= set(file.files):
                raise error("FORMAT", f"{_text.short(P)}: no compressed sparse rows, as "
                                      "scipy.sparse.save_npz writes them")
            rows = _Csr(tuple(int(n) for n in file["shape"]), file["indptr"], file["indices"],
                        file["data"])
        rewards = np.load(os.fspath(R)) if isinstance(R, (str, os.PathLike)) else R
        return cls.from_rows(rows, rewards, start=start)

    @classmethod
    def from_log(cls, log: Log, *, end: str = "refuse") -> Self:
        """The averages of a log of a table: states and actions by their places in ``log.states``
        and ``log.actions``. What was never tried, or never with a known reward, is not allowed.

        `counts` (S, A) says how many rewards each pair is the mean of, and `errors` its standard
        error, NaN below two. The standard error of a probability p is about sqrt(p (1 - p)/n). The
        start is drawn as episodes of the log begin; the noise is that around the means of pairs
        (``"bernoulli"`` where all rewards are 0 or 1).

        Where a log ends, a state may have no move that is known: with `end` ``"refuse"`` the first
        one is named, ``"restart"`` lets it begin again, ``"absorb"`` stays there and earns nothing.

        The model is no more than the averages: what was tried rarely is what it is surest about,
        by luck. `log.learner(..).policy(tried=True)` plans with what was tried often enough.

        >>> import lgkt
        >>> log = lgkt.Log.read({"mood": ["low", "high"] * 20, "act": ["call", "none"] * 20,
        ...                      "gain": [1.0, 0.5] * 20},
        ...                     state="mood", action="act", reward="gain")
        >>> model = lgkt.Model.from_log(log)
        >>> model.counts.tolist(), model.allowed.tolist()
        ([[0, 20], [20, 0]], [[False, True], [True, False]])
        """
        from lgkt.log.tried import arrays_of_model

        P, settings, counts, errors = arrays_of_model(log.coded, end)
        made = cls(P, **settings)
        made.counts, made.errors = _frozen(counts), _frozen(errors)
        return made

    @classmethod
    def from_json(cls, text: str | bytes, source: str = "text") -> Self:
        """A model from the text of a model file; messages call it `source`."""
        made, name, comment = _core.read_model(cls, _json.parse(text, source),
                                               _text.encoded(source))
        made.name, made.comment = name, comment
        return made

    @classmethod
    def read(cls, path: _text.Path) -> Self:
        """A model from a model file (JSON). What is wrong in it is reported with its place.

        >>> import lgkt
        >>> lgkt.Model([[[1.0]]], [[0.5]], name="one state").write("one.json")
        >>> lgkt.Model.read("one.json")
        <lgkt.Model 'one state' 1 states, 1 actions, 1 moves, start 0, no noise>
        """
        return cls.from_json(_text.read_bytes(path), os.fspath(path))

    def to_json(self) -> str:
        """The text of a model file. It reads back as the same model, to the last bit."""
        return _core.print_model(self, self.name, self.comment)

    def write(self, path: _text.Path) -> None:
        """Write a model file, which appears when it is complete."""
        _text.write_text(path, self.to_json())

    # ---- reading ----

    @cached_property
    def rows(self) -> Rows:
        """All moves with their probabilities and rewards, as flat read-only arrays."""
        indptr, following, data, rewards = self._rows
        return Rows(_frozen(indptr), _frozen(following), _frozen(data), _frozen(rewards))

    @cached_property
    def R(self) -> _Floats:
        """The mean rewards (S, A); 0 where an action is forbidden. Read-only."""
        return _frozen(self._pairs[0])

    @cached_property
    def P(self) -> _Floats:
        """The probabilities of the next states (S, A, S); 0 where forbidden. Read-only."""
        return self._dense("P", self.rows.data)

    @cached_property
    def move_rewards(self) -> _Floats:
        """The rewards of moves (S, A, S); 0 for those that cannot happen. Read-only."""
        return self._dense("move_rewards", self.rows.rewards)

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which actions may be played in which states (S, A). Read-only."""
        return _frozen(self._pairs[3].astype(np.bool_))

    @cached_property
    def pair_noise(self) -> tuple[NDArray[np.str_], _Floats]:
        """The kind of noise of each pair (S, A) and its sub-Gaussian scale (S, A). Read-only."""
        _, kinds, scales, _, _ = self._pairs
        return _frozen(np.array(_NOISES)[kinds]), _frozen(scales)

    @property
    def start(self) -> int | _Floats:
        """The start state, or its law (S) where it is drawn."""
        state = self.start_state
        return state if state is not None else self.start_law

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of states and actions."""
        return self.states, self.actions

    def plan(
        self,
        *,
        horizon: SupportsIndex | None = None,
        discount: float | None = None,
        tolerance: float = 1e-12,
        memory: int = 2**31,
        progress: Callable[[int, int, float], object] | None = None,
    ) -> Solution:
        """The best policy: by its long-run average per step, or by its discounted value, or by its
        total over a horizon.

        The interval is at most `tolerance` times the scale wide (the largest reward in size, over
        1 - `discount`), or as rounding allows. Eliminations may take `memory` bytes; beyond it
        there are sweeps only. `progress` is called with the sweeps and policies so far and the
        width of the interval, 20 times a second at the most; it ends the plan by answering True.

        >>> import lgkt
        >>> model = lgkt.Model([[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], [[0.1, 0], [0, 1]])
        >>> best = model.plan()
        >>> round(best.gain, 9), best.policy.tolist()
        (0.714285714, [1, 1])
        >>> model.plan(discount=0.9).values.round(6).tolist()
        [6.164384, 7.534247]
        >>> print(model.plan(horizon=20))
        horizon: 20 sweeps, 0 policies, known to 2.6e-13
           state  action  value
               0       1  13.2938776
               1       1  14.7224490
        """
        from lgkt.plan import solve

        return solve(self, horizon=horizon, discount=discount, tolerance=tolerance, memory=memory,
                     progress=progress)

    def evaluate(
        self,
        law: ArrayLike,
        *,
        horizon: SupportsIndex | None = None,
        discount: float | None = None,
    ) -> _Floats:
        """What a policy earns from each state: its long-run average per step, or its discounted
        value, or its total over a horizon: (S).

        `law` has the probability of each action in each state, (S, A), or one action for each
        state, (S), such as the `policy` of `plan`. `lgkt.plan.law` makes of it a policy that can be
        asked for more.

        >>> import lgkt
        >>> model = lgkt.Model([[[1, 0], [0.5, 0.5]], [[1, 0], [0.2, 0.8]]], [[0.1, 0], [0, 1]])
        >>> model.evaluate([[0.5, 0.5], [0.1, 0.9]]).round(6).tolist()
        [0.450943, 0.450943]
        >>> model.evaluate(model.plan().policy, discount=0.9).round(6).tolist()
        [6.164384, 7.534247]
        """
        from lgkt.plan import evaluate

        return evaluate(self, law, horizon=horizon, discount=discount)

    def sparse(self) -> csr_array:
        """The probabilities as a SciPy sparse array (S*A, S), row s*A + a, which `Model` takes.

        >>> import lgkt
        >>> model = lgkt.Env("taxi").model
        >>> model.sparse().shape, lgkt.Model(model.sparse(), model.R).shape
        ((2400, 400), (400, 6))
        """
        with needed("Model.sparse", "sparse"):
            from scipy.sparse import csr_array

        rows = self.rows
        return csr_array((rows.data.copy(), rows.indices.copy(), rows.indptr.copy()),
                         shape=(self.states * self.actions, self.states))

    def _dense(self, what: str, values: _Floats) -> _Floats:
        pairs = self.states * self.actions
        size = 8 * pairs * self.states
        if size > _LARGEST:
            raise error("SHAPE", f"{what} as a dense array would take {size / 2**30:.1f} GiB; "
                                 "use rows or sparse()")
        dense = np.zeros((pairs, self.states))
        dense[np.repeat(np.arange(pairs), np.diff(self.rows.indptr)), self.rows.indices] = values
        return _frozen(dense.reshape(self.states, self.actions, self.states))

    # ---- as a Python object ----

    def __eq__(self, other: object) -> bool:
        return self.hash == other.hash if isinstance(other, _core.Model) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        name = f"{self.name!r} " if self.name else ""
        start = self.start_state if self.start_state is not None else "drawn"
        words = {"none": "no", "normal": f"normal (sd {self.noise_sd:g})"}
        noise = words.get(self.noise, self.noise)
        return (f"<lgkt.Model {name}{self.states} states, {self.actions} actions, "
                f"{len(self.rows.data)} moves, start {start}, {noise} noise>")

    def _repr_html_(self) -> str:
        titles = ("state", "action", "reward", "next state: probability")
        rows, rewards, allowed, cells = self.rows, self.R, self.allowed, []
        show = _digits.rewards(rewards[allowed])
        pairs = min(self.states * self.actions, _SHOWN_PAIRS)
        for z in range(pairs):
            moves = range(rows.indptr[z], rows.indptr[z + 1])
            text = ", ".join(f"{rows.indices[i]}: {rows.data[i]:.6g}" for i in moves[:_SHOWN_MOVES])
            if len(moves) > _SHOWN_MOVES:
                text += f", and {len(moves) - _SHOWN_MOVES} more"
            s, a = divmod(z, self.actions)
            if allowed[s, a]:
                cells.append((str(s), str(a), show(rewards[s, a]), text))
        more = self.states * self.actions - pairs
        foot = f"<p>and {more} more pairs of state and action</p>" if more > 0 else ""
        return f"<p>{html.escape(repr(self)[1:-1])}</p>{_html.table(titles, cells)}{foot}"

    def __reduce__(self) -> tuple[Any, ...]:
        means, kinds, scales, allowed, own = self._pairs
        indptr, following, data, rewards = self._rows
        pair = np.repeat(np.arange(means.size), np.diff(indptr))
        moves = own.ravel()[pair] != 0
        mixed = self.noise == "mixed"
        arrays = {
            "states": self.states, "actions": self.actions,
            "pair": pair, "next": following, "probability": data, "rewards": means.ravel(),
            "move_pair": pair[moves], "move_next": following[moves], "move_reward": rewards[moves],
            "noise": kinds.ravel() if mixed else np.array([_NOISES.index(self.noise)]),
            "noise_sd": scales.ravel() if mixed else np.array([self.noise_sd]),
            "forbidden": 1 - allowed.ravel() if self.restricted else None,
            "start": self.start,
        }
        state = {key: value for key, value in self.__dict__.items() if key not in _CACHED}
        return _restore, (type(self), arrays), state


_Made = TypeVar("_Made", bound=Model)
_CACHED = {name for name, value in vars(Model).items() if isinstance(value, cached_property)}


def _restore(cls: type[_Made], arrays: dict[str, Any]) -> _Made:
    return _core.Model.__new__(cls, **arrays)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
