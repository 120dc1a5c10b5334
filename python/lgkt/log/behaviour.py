# SPDX-License-Identifier: MIT
"""With which probabilities the log's actions were played, and another policy would play them.

Where the log has no probabilities they are estimated, and answers say so:

- In a table b(a|s) = N(s,a) / N(s), the share of the action among the rows of the state with the
  same allowed actions. Nothing is added to the counts: an action that stands in the log was counted
  at least once, so that no probability of a logged action is 0.
- For records a multinomial logistic regression on the features (numbers standardised, categories
  as ones and zeros), with a ridge of 1 on every coefficient, so that no probability is 0. It is
  fitted on at most 200,000 rows, evenly spread over the log.

Where some rows of a log with probabilities lack theirs, these rows get the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lgkt import _core
from lgkt._errors import error
from lgkt.log.coding import Coded, finder
from lgkt.log.features import Features, numbered, vectors
from lgkt.log.warm import WarmLearner, WarmUnits
from lgkt.records import RecordLearner

Floats = NDArray[np.float64]

_FITTED_ROWS = 200_000
_BLOCK = 1 << 16  # records that a function gets at a time
_SLACK = 1e-6     # by which probabilities may miss the sum of 1


class Behaviour(NamedTuple):
    """The law of the log: the probability of each logged action (n). `given` says that the log has
    them all; `note` says in words where they come from."""

    logged: Floats
    given: bool
    note: str


class Played(NamedTuple):
    """What a policy does in the log's states.

    `table` (S, A) holds its law in each state, `rows` (n, A) for records the law at each row, and
    `following` at each row's next record (NaN where there is none). `logged` (n) is the probability
    of the logged action. `rows` is None where only `logged` is known.
    """

    name: str
    logged: Floats
    table: Floats | None = None
    rows: Floats | None = None
    following: Floats | None = None


# ---- what the log did ----

def behaviour(coded: Coded, features: Features | None = None) -> Behaviour:
    """The probability of each logged action, given or estimated."""
    given = coded.probability
    if given is None:
        where = ("the share of the action among the rows of its state" if coded.kind == "table"
                 else "a logistic regression with a ridge")
        return Behaviour(_estimated(coded, features), False,
                         f"the log has no probabilities; they are estimated ({where})")
    lacking = np.isnan(given)
    count = int(lacking.sum())
    if not count:
        return Behaviour(given, True, "probabilities as the log has them")
    return Behaviour(np.where(lacking, _estimated(coded, features), given), False,
                     f"{count} rows have no probability; theirs are estimated")


def _estimated(coded: Coded, features: Features | None) -> Floats:
    if coded.kind == "table":
        pair = _situation(coded) * coded.A + coded.action
        situations = int(pair.max()) // coded.A + 1
        tried = np.bincount(pair, minlength=situations * coded.A)
        law = tried / np.maximum(tried.reshape(-1, coded.A).sum(1), 1).repeat(coded.A)
        return np.asarray(law[pair])
    if features is None:
        features = Features.of(coded)
    return _logistic(features.design(vectors(coded)[0]), coded.action, coded.A, coded.allowed)


def _situation(coded: Coded) -> NDArray[np.int64]:
    """Number of the state and of what is allowed in it, row by row."""
    state = numbered(coded)[0].astype(np.int64)
    if coded.allowed is None:
        return state
    packed = np.packbits(coded.allowed, axis=1)
    _, mask = np.unique(packed, axis=0, return_inverse=True)
    masks = int(mask.max()) + 1
    return state if masks == 1 else state * masks + mask.ravel()


def _logistic(x: Floats, action: NDArray[np.int32], actions: int,
              allowed: NDArray[np.bool_] | None) -> Floats:
    """Probability of each logged action by a multinomial logistic regression on x (n, d)."""
    from scipy.optimize import minimize

    step = max(1, len(x) // _FITTED_ROWS)
    some, wanted = x[::step], np.eye(actions)[action[::step]]
    mask = None if allowed is None else allowed[::step]
    penalty = np.ones((x.shape[1], 1))
    penalty[0] = 0.0  # the constant

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(x.shape[1], actions)
        law = _softmax(some @ weights, mask)
        told = np.log(np.maximum((law * wanted).sum(1), 1e-300)).sum()
        slope = some.T @ (law - wanted) + penalty * weights
        return 0.5 * float((penalty * weights**2).sum()) - float(told), slope.ravel()

    found = minimize(loss, np.zeros(x.shape[1] * actions), jac=True, method="L-BFGS-B",
                     options={"maxiter": 500})
    law = _softmax(x @ found.x.reshape(-1, actions), allowed)
    return np.asarray(law[np.arange(len(x)), action])


def _softmax(values: Floats, allowed: NDArray[np.bool_] | None) -> Floats:
    values = values - values.max(1, keepdims=True)
    law: Floats = np.exp(values)
    if allowed is not None:
        law *= allowed
    law /= law.sum(1, keepdims=True)
    return law


# ---- what a policy would do ----

def played(coded: Coded, policy: Any, column: ArrayLike | None = None) -> Played:
    """The law of a policy in the states of the log.

    `policy` is an array of probabilities (S, A), a dict of dicts by the labels of states and
    actions, a pandas frame or the path of a CSV file with columns of the state, `action` and
    `probability`, a learner, which is taken as it is now, or a function of a state, or for records
    of an array (n, d), that answers with probabilities. `column` holds the policy's probability
    of each logged action instead, in the order of the file.
    """
    if column is not None:
        return Played("policy", _checked_column(coded, column))
    spec = getattr(policy, "spec", None)
    name = spec if isinstance(spec, str) else "policy"
    if coded.kind == "record":
        return _on_records(coded, _law_of_records(coded, policy), name)
    table = _checked(coded, _table(coded, policy))
    state, _ = numbered(coded)
    if coded.allowed is None:
        return Played(name, table[state, coded.action], table)
    # among the allowed actions of each row; the table is the mean over the rows of a state
    total = np.zeros((coded.S, coded.A))
    logged = np.empty(len(coded.action))
    for begin in range(0, len(coded.action), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        law = _among(coded, table[state[part]], part)
        np.add.at(total, state[part], law)
        logged[part] = law[np.arange(len(law)), coded.action[part]]
    seen = total.sum(1, keepdims=True)
    return Played(name, logged, np.where(seen > 0, total / np.maximum(seen, 1e-300), table))


def _checked_column(coded: Coded, column: ArrayLike) -> Floats:
    values = np.asarray(column, np.float64)
    if values.ndim != 1 or len(values) <= coded.row.max():
        raise error("SHAPE", f"the policy's probabilities have shape {values.shape}; the log has "
                             f"{coded.row.max() + 1} rows")
    values = values[coded.row]
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1 + _SLACK)))
    if len(wrong):
        raise error("ARGUMENT", f"row {coded.row[wrong[0]]}: the policy's probability is "
                                f"{values[wrong[0]]:g}; it must be from 0 to 1")
    return values


def _among(coded: Coded, law: Floats, part: slice) -> Floats:
    """A law (n, A) among the actions that the rows `part` allow."""
    if coded.allowed is None:
        return law
    law = law * coded.allowed[part]
    total = law.sum(1, keepdims=True)
    none = np.flatnonzero(~(total[:, 0] > 0))
    if len(none):
        raise error("ARGUMENT", f"row {coded.row[part][none[0]]}: the policy plays none of the "
                                "allowed actions")
    return np.asarray(law / total)


def _label(coded: Coded, state: int) -> str:
    label = coded.states[state]
    return ", ".join(f"{name}={part}" for name, part in zip(coded.state_names, label, strict=True))


def _checked(coded: Coded, table: Floats) -> Floats:
    if table.shape != (coded.S, coded.A):
        raise error("SHAPE", f"the policy has shape {table.shape}; the log has {coded.S} states "
                             f"and {coded.A} actions: {(coded.S, coded.A)}")
    wrong = np.argwhere(~((table >= 0) & (table <= 1 + _SLACK)))
    if len(wrong):
        s, a = wrong[0]
        raise error("ARGUMENT", f"the policy plays {coded.actions[a]} in {_label(coded, s)} with "
                                f"probability {table[s, a]:g}; it must be from 0 to 1")
    off = np.flatnonzero(~(abs(table.sum(1) - 1) <= _SLACK))
    if len(off):
        raise error("ARGUMENT", f"the policy's probabilities in {_label(coded, off[0])} sum to "
                                f"{table[off[0]].sum():.9g}; they must sum to 1 within 1e-6")
    return np.asarray(table / table.sum(1, keepdims=True))


def _table(coded: Coded, policy: Any) -> Floats:
    """The law in each state (S, A), not yet checked."""
    if isinstance(policy, RecordLearner):
        raise error("UNSUPPORTED", f"{policy.spec} takes records, but this log's states are a table"
                                   "; read it with as_=\"record\"")
    if isinstance(policy, _core.AnyLearner):
        return _table_of_learner(coded, policy)
    if isinstance(policy, WarmLearner | WarmUnits):
        return policy.policy()
    if isinstance(policy, Mapping):
        return _table_of_labels(coded, ((state, action, p) for state, law in policy.items()
                                        for action, p in law.items()))
    if isinstance(policy, str) or hasattr(policy, "__fspath__"):
        import pandas

        policy = pandas.read_csv(policy, dtype=dict.fromkeys([*coded.state_names, "action"], "str"),
                                 keep_default_na=False)
    if hasattr(policy, "columns"):
        return _table_of_frame(coded, policy)
    if callable(policy):
        return np.array([np.asarray(policy(_plain(state)), np.float64) for state in coded.states])
    return np.asarray(policy, np.float64)


def _plain(label: tuple[Any, ...]) -> Any:
    """A state of one column is that column's value."""
    return label[0] if len(label) == 1 else label


def _table_of_learner(coded: Coded, learner: _core.AnyLearner) -> Floats:
    if learner.actions != coded.A:
        raise error("SHAPE", f"{learner.spec} has {learner.actions} actions, the log {coded.A}")
    policy = learner.policy()
    find: Callable[[Any], int | None] | None = getattr(learner, "find", None)
    if find is None:
        return policy
    found = [find(_plain(state)) for state in coded.states]
    lacking = [i for i, place in enumerate(found) if place is None]
    if lacking:
        raise error("ARGUMENT", f"{learner.spec} has never met the state "
                                f"{_label(coded, lacking[0])}")
    return np.array([policy[place] for place in found])


def _table_of_frame(coded: Coded, frame: Any) -> Floats:
    wanted = [*coded.state_names, "action", "probability"]
    lacking = [name for name in wanted if name not in frame.columns]
    if lacking:
        raise error("ARGUMENT", f"the policy has no column {lacking[0]!r}; it needs "
                                + ", ".join(wanted))
    columns = [frame[name].tolist() for name in wanted]
    return _table_of_labels(coded, ((row[:-2], row[-2], row[-1]) for row in zip(*columns)))


def _table_of_labels(coded: Coded, entries: Any) -> Floats:
    """From (state, action, probability): labels are compared as texts. What is not of the log is
    left out where it is a state, and refused where it is an action."""
    states = {_text(label): i for i, label in enumerate(coded.states)}
    find = finder(coded.actions)
    table = np.full((coded.S, coded.A), np.nan)
    for state, action, p in entries:
        at = states.get(_text(state if isinstance(state, tuple | list) else (state,)))
        if at is None:
            continue
        column = find(action)
        if column is None:
            if float(p) == 0:
                continue
            known = ", ".join(map(str, coded.actions[:10]))
            raise error("ARGUMENT", f"the policy plays {action!r}, which the log never tried; its "
                                    f"actions are {known}")
        table[at, column] = np.nan_to_num(table[at, column]) + float(p)
    lacking = np.flatnonzero(np.isnan(table).all(1))
    if len(lacking):
        raise error("ARGUMENT", f"the policy says nothing of the state {_label(coded, lacking[0])}"
                                f" ({len(lacking)} of {coded.S} states of the log are missing)")
    return np.asarray(np.nan_to_num(table))


def _text(label: Any) -> tuple[str, ...]:
    """A state's parts as texts; 1, 1.0 and "1" are the same, and so is all that means missing."""
    def one(part: Any) -> str:
        if part is None or part != part:
            return ""
        return str(int(part) if isinstance(part, float) and part.is_integer() else part)

    return tuple(map(one, label))


def _law_of_records(coded: Coded, policy: Any) -> Callable[[Floats], Any]:
    if isinstance(policy, RecordLearner | WarmLearner | WarmUnits):
        return policy.policy
    if isinstance(policy, _core.AnyLearner) or not callable(policy):
        raise error("UNSUPPORTED", "this log's states are records: a policy for them is a learner "
                                   "on records, a function of an array (n, d), or a column of the "
                                   "log")
    law: Callable[[Floats], Any] = policy
    return law


def _on_records(coded: Coded, law: Callable[[Floats], Any], name: str) -> Played:
    n = len(coded.action)
    record, after = vectors(coded)
    rows, following = np.empty((n, coded.A)), np.full((n, coded.A), np.nan)
    for begin in range(0, n, _BLOCK):
        part = slice(begin, begin + _BLOCK)
        rows[part] = _among(coded, _answer(law, record[part], coded.A), part)
    # the next record is mostly the next row's; the policy is asked only for the others
    same = coded.next_known.copy()
    same[-1] = False
    same[:-1] &= ((after[:-1] == record[1:])
                  | (np.isnan(after[:-1]) & np.isnan(record[1:]))).all(1)
    places = np.flatnonzero(same)
    following[places] = rows[places + 1]
    others = np.flatnonzero(coded.next_known & ~same)
    if len(others):
        following[others] = _answer(law, after[others], coded.A)
    return Played(name, rows[np.arange(n), coded.action], None, rows, following)


def _answer(law: Callable[[Floats], Any], records: Floats, actions: int) -> Floats:
    answer = np.asarray(law(records), np.float64)
    if answer.shape != (len(records), actions):
        raise error("SHAPE", f"the policy answers {len(records)} records with an array of shape "
                             f"{answer.shape}; it must be {(len(records), actions)}")
    good = (answer >= 0).all(1) & (abs(answer.sum(1) - 1) <= _SLACK)
    if not good.all():
        at = np.flatnonzero(~good)[0]
        raise error("ARGUMENT", f"the policy answers a record with {answer[at]}; probabilities "
                                "must be at least 0 and sum to 1 within 1e-6")
    return answer
