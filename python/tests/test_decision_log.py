# SPDX-License-Identifier: MIT
"""Decision logs that lgkt-io writes are read back as they were by csv and json."""

from __future__ import annotations

import csv
import ctypes
import io
import json
import math
import pathlib
import random
from typing import Any

import pytest
from command import ROOT

LIBRARY = pathlib.Path(ROOT, "build", "liblgkt-io.so")
COLUMNS = ["seq", "time", "unit", "decision", "state", "allowed", "action", "probability",
           "probabilities", "source", "reward", "reward_time", "next_state", "cut"]
CSV, JSON_LINES = 0, 1

pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="lgkt-io has not been built")


class Value(ctypes.Structure):
    """An lgkt_io_value."""

    _fields_ = [("text", ctypes.c_char_p), ("number", ctypes.c_double)]  # noqa: RUF012


class Decision(ctypes.Structure):
    """An lgkt_io_decision."""

    _fields_ = [  # noqa: RUF012
        ("size", ctypes.c_size_t), ("seq", ctypes.c_int64), ("time", ctypes.c_double),
        ("unit", Value), ("decision", ctypes.c_int64), ("parts", ctypes.c_int32),
        ("names", ctypes.POINTER(ctypes.c_char_p)), ("state", ctypes.POINTER(Value)),
        ("next_state", ctypes.POINTER(Value)), ("allowed", ctypes.POINTER(Value)),
        ("allowed_count", ctypes.c_int32), ("action", Value), ("probability", ctypes.c_double),
        ("probabilities", ctypes.POINTER(ctypes.c_double)), ("probability_count", ctypes.c_int32),
        ("source", ctypes.c_char_p), ("reward", ctypes.c_double),
        ("reward_time", ctypes.c_double), ("cut", ctypes.c_int32)]


def value(x: str | float | None) -> Value:
    return Value(x.encode(), 0) if isinstance(x, str) else Value(None, math.nan if x is None else x)


def values(items: list[Any]) -> Any:
    return (Value * max(len(items), 1))(*map(value, items))


def call(name: str, form: int, *arguments: Any) -> str:
    """The text that a function writes, asked for its length first."""
    function = getattr(ctypes.CDLL(str(LIBRARY)), name)
    length = ctypes.c_size_t()
    function(form, *arguments, None, ctypes.c_size_t(0), ctypes.byref(length), None)
    text = ctypes.create_string_buffer(length.value + 1)
    assert function(form, *arguments, text, ctypes.c_size_t(length.value + 1),
                    ctypes.byref(length), None) == 0
    return text.raw[:length.value].decode()


def line(form: int, row: dict[str, Any]) -> str:
    d = Decision()
    ctypes.CDLL(str(LIBRARY)).lgkt_io_decision_init(ctypes.byref(d),
                                                    ctypes.c_size_t(ctypes.sizeof(d)))
    assert d.size == ctypes.sizeof(d)
    for name in ("seq", "decision", "cut"):
        setattr(d, name, -1 if row[name] is None else int(row[name]))
    for name in ("time", "probability", "reward", "reward_time"):
        setattr(d, name, math.nan if row[name] is None else row[name])
    d.unit, d.action = value(row["unit"]), value(row["action"])
    d.source = None if row["source"] is None else row["source"].encode()
    kept = []
    for name in ("state", "next_state"):
        state = row[name]
        if isinstance(state, dict):
            d.parts = len(state)
            d.names = (ctypes.c_char_p * len(state))(*(key.encode() for key in state))
        if state is not None:
            kept.append(values(list(state.values()) if isinstance(state, dict) else [state]))
            setattr(d, name, kept[-1])
    if row["allowed"] is not None:
        kept.append(values(row["allowed"]))
        d.allowed, d.allowed_count = kept[-1], len(row["allowed"])
    if row["probabilities"] is not None:
        law = row["probabilities"]
        kept.append((ctypes.c_double * max(len(law), 1))(
            *(math.nan if p is None else p for p in law)))
        d.probabilities, d.probability_count = kept[-1], len(law)
    return call("lgkt_io_decision_print", form, ctypes.byref(d))


# ---- any rows ----


def some_text(rng: random.Random) -> str:
    letters = 'abc,;"\'\\\n\r\t {}[]:äß€🙂\x01 0'
    return "".join(rng.choice(letters) for _ in range(rng.randrange(1, 9)))


def some_number(rng: random.Random) -> float:
    return rng.choice([0.0, -1.5, 3.0, 1e300, 5e-324, 1 / 3, 2**53 + 2.0, rng.gauss(0, 1),
                       rng.random() * 10.0**rng.randrange(-300, 300)])


def some_value(rng: random.Random) -> str | float:
    return some_text(rng) if rng.random() < 0.5 else some_number(rng)


def some_row(rng: random.Random) -> dict[str, Any]:
    def maybe(x: Any) -> Any:
        return x if rng.random() < 0.8 else None

    names = list(dict.fromkeys(some_text(rng) for _ in range(3)))
    parts = rng.random() < 0.5

    def state() -> Any:
        return {name: maybe(some_value(rng)) for name in names} if parts else some_value(rng)

    return {
        "seq": maybe(rng.randrange(2**63)), "time": maybe(some_number(rng)),
        "unit": maybe(some_value(rng)), "decision": maybe(rng.randrange(2**63)),
        "state": maybe(state()), "action": maybe(some_value(rng)),
        "allowed": maybe([some_value(rng) for _ in range(rng.randrange(4))]),
        "probability": maybe(rng.random()),
        "probabilities": maybe([maybe(rng.random()) for _ in range(rng.randrange(4))]),
        "source": maybe(some_text(rng)), "reward": maybe(some_number(rng)),
        "reward_time": maybe(some_number(rng)), "next_state": maybe(state()),
        "cut": maybe(rng.random() < 0.5)}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    rng = random.Random(3)
    return [some_row(rng) for _ in range(500)]


def test_json_lines(rows: list[dict[str, Any]]) -> None:
    text = call("lgkt_io_decision_header", JSON_LINES) + "".join(line(JSON_LINES, r) for r in rows)
    read = [json.loads(one) for one in text.split("\n")[:-1]]
    assert read == rows
    assert all(list(one) == COLUMNS for one in read)


def test_csv(rows: list[dict[str, Any]]) -> None:
    text = call("lgkt_io_decision_header", CSV) + "".join(line(CSV, r) for r in rows)
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(read) == len(rows)
    for one, row in zip(read, rows, strict=True):
        assert list(one) == COLUMNS
        for name, field in one.items():
            wanted = row[name]
            if wanted is None:
                assert field == ""
            elif isinstance(wanted, str):
                assert field == wanted
            elif isinstance(wanted, float):
                assert float(field) == wanted
            else:
                assert json.loads(field) == wanted
