# SPDX-License-Identifier: MIT
"""Logs from files and tables: the same rows whatever they come from, and one line for what is
wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lgkt

NAMES: dict[str, Any] = {"unit": "id", "time": "t", "state": ["mood", "hour"], "action": "act",
                         "reward": "r", "probability": "p"}
HEAD = "id,t,mood,hour,act,r,p\n"
LINE = "1,2,low,7,call,1,0.5\n"


def frame(rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    made = pd.DataFrame({
        "id": [f"p{i}" for i in rng.integers(0, 9, rows)],
        "t": pd.date_range("2026-01-01", periods=rows, freq="h"),
        "mood": rng.choice(["low", "ok", "high"], rows), "hour": rng.choice([7, 12, 19], rows),
        "g": rng.normal(size=rows), "act": rng.choice(["none", "call"], rows),
        "r": rng.integers(0, 9, rows) / 4, "p": 0.5})
    made.loc[::7, "r"] = np.nan
    return made


def plain(log: lgkt.Log) -> list[tuple[Any, ...]]:
    """All rows in the words of the log, units in the order of their names."""
    c = log.coded
    assert c.state is not None and c.time is not None and c.next_state is not None
    following = [c.states[i] if i >= 0 else None for i in c.next_state]
    rows = [(c.units[c.unit[i]], c.time[i], c.states[c.state[i]], c.actions[c.action[i]],
             str(c.reward[i]), following[i]) for i in range(c.n)]
    return sorted(rows, key=lambda row: row[:2])


class Stream:
    """What a library offers that pyarrow does not know."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(schema)


@pytest.mark.parametrize("kind", ["csv", "shuffled.csv", "semicolons.csv", "csv.gz", "jsonl",
                                  "parquet", "pandas", "arrow", "stream", "dict"])
def test_the_same_log_from_everywhere(tmp_path: Path, kind: str) -> None:
    table = frame()
    path = tmp_path / f"log.{kind}"
    source: Any = path
    if kind.endswith(("csv", "csv.gz")):
        some = table.sample(frac=1, random_state=1) if kind == "shuffled.csv" else table
        some.to_csv(path, index=False, sep=";" if kind == "semicolons.csv" else ",")
    elif kind == "jsonl":
        table.to_json(path, orient="records", lines=True, date_format="iso")
    elif kind == "parquet":
        table.to_parquet(path)
    else:
        source = {"pandas": table, "arrow": pa.table(table), "stream": Stream(pa.table(table)),
                  "dict": {name: table[name].to_list() for name in table}}[kind]
    log = lgkt.Log.read(source, **NAMES)
    assert repr(log) == "<lgkt.Log 300 rows, 9 units, a table of 9 states, 2 actions>"
    wanted = sorted(
        ((row.id, row.t.timestamp(), (row.mood, row.hour), row.act, str(row.r))
         for row in table.itertuples()), key=lambda row: row[:2])
    rows = plain(log)
    assert [row[:5] for row in rows] == wanted
    # the next state is that of the unit's next row
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        assert row[5] == (after[2] if after is not None and after[0] == row[0] else None)
    assert log.states == sorted(log.states) and log.actions == ["call", "none"]


def test_table_or_record() -> None:
    names = {**NAMES, "state": ["mood", "hour", "g"]}
    log = lgkt.Log.read(frame(), **names)
    assert log.kind == "record"
    assert log.coded.features == [("mood", ["high", "low", "ok"]), "hour", "g"]
    assert log.coded.record is not None and log.coded.record.shape == (300, 3)
    cut = lgkt.Log.read(frame(), **names, bins={"g": [0.0]})
    assert cut.kind == "table" and cut.states[0] == ("high", 7, "below 0")
    c = lgkt.Log.read(frame(), **names, bins={"g": [0.0]}, as_="record").coded
    g = frame()["g"].to_numpy()[c.row]
    assert c.features[2] == ("g", ["below 0", "0 or more"]) and c.record is not None
    assert np.array_equal(c.record[:, 2], g >= 0)
    halves = lgkt.Log.read(frame(), **names, bins={"g": 2}, as_="record").coded.record
    assert halves is not None and halves[:, 2].sum() == 150
    assert lgkt.Log.read(frame(), **NAMES, as_="record").kind == "record"
    wide = lgkt.Log.read(frame(), **names, as_="table")
    assert wide.kind == "table" and len(wide.states) == 300
    # 21 numbers are a record, 20 a table; 1001 combinations of texts a record
    for count, kind in (20, "table"), (21, "record"):
        some = {"s": list(range(count)), "a": ["x"] * count, "r": [0.0] * count}
        assert lgkt.Log.read(some, state="s", action="a", reward="r").kind == kind
    for count, kind in (1000, "table"), (1001, "record"):
        some = {"s": [f"s{i % 40}" for i in range(count)], "z": [f"z{i // 40}" for i in
                range(count)], "a": ["x"] * count, "r": [0.0] * count}
        assert lgkt.Log.read(some, state=["s", "z"], action="a", reward="r").kind == kind


def test_many_numbers_and_missing_ones() -> None:
    """Above 65536 values a column is no longer coded; what is missing stays missing."""
    x = np.random.default_rng(2).normal(size=80000)
    x[::1000] = np.nan
    table = pd.DataFrame({"x": x, "k": ["a", ""] * 40000, "a": 1, "r": 0.5})
    for source in (table, {"x": [str(one) if one == one else "NA" for one in x], "k": table["k"],
                           "a": table["a"], "r": table["r"]}):
        c = lgkt.Log.read(source, state=["x", "k"], action="a", reward="r").coded
        assert c.record is not None and np.array_equal(c.record[:, 0], x, equal_nan=True)
        assert np.isnan(c.record[1, 1]) and c.record[0, 1] == 0


def test_order_episodes_and_cuts() -> None:
    rows = {"u": list("babbab"), "e": [2, 1, 2, 1, 1, 1], "t": [5, 1, 6, 1, 2, 2],
            "s": list("abcdef"), "a": [0] * 6, "r": [1.0] * 6}
    c = lgkt.Log.read(rows, unit="u", time="t", episode="e", state="s", action="a",
                      reward="r").coded
    assert c.units == ["b", "a"] and c.row.tolist() == [3, 5, 0, 2, 1, 4]
    assert c.start.tolist() == [0, 2, 4, 6] and c.episode_unit.tolist() == [0, 0, 1]
    assert c.next_state is not None
    assert c.next_state.tolist() == [5, -1, 2, -1, 4, -1]
    # a cut ends an episode; a next state that is given is taken, but not behind a cut
    rows = {"s": list("abca"), "n": ["b", "c", "", "b"], "k": ["no", "yes", "", "false"],
            "a": [0] * 4, "r": [1.0] * 4}
    c = lgkt.Log.read(rows, state="s", next_state="n", cut="k", action="a", reward="r").coded
    assert c.next_state is not None and c.next_state.tolist() == [1, -1, 0, 1]
    assert c.start.tolist() == [0, 2, 4] and c.ended.tolist() == [False, False, False, True]


def test_times() -> None:
    def times(values: list[Any]) -> list[float]:
        c = lgkt.Log.read({"t": values, "s": ["x"] * len(values), "a": [0] * len(values),
                           "r": [0] * len(values)}, time="t", state="s", action="a",
                          reward="r").coded
        assert c.time is not None
        return c.time.tolist()

    assert times(["1970-01-01", "1970-01-02"]) == [0.0, 86400.0]
    assert times(["1970-01-01T00:00:01.5", "1970-01-01 00:01:00"]) == [1.5, 60.0]
    assert times(["1970-01-01T01:00:00+01:00", "1970-01-01T00:00:02Z"]) == [0.0, 2.0]
    assert times(["3", "10"]) == [3.0, 10.0] and times([1.5, 2]) == [1.5, 2.0]


def test_decision_log(tmp_path: Path) -> None:
    columns = ("seq,time,unit,decision,state,allowed,action,probability,probabilities,source,"
               "reward,reward_time,next_state,cut\n")
    path = tmp_path / "log.csv"
    path.write_text(columns + (
        '1,2,p1,1,"{""mood"": 2, ""hour"": ""am""}",,1,0.75,"[0.25,0.75,0]",learner,,,,false\n'
        '0,2,p1,0,"{""mood"": 1, ""hour"": ""am""}","[true,true,false]",0,0.25,"[0.25,0.75,0]",'
        'person,1.5,2,"{""mood"": 2, ""hour"": ""am""}",false\n'
        '2,3,p2,2,"{""mood"": 1, ""hour"": ""pm""}",,1,,,learner,,,,true\n'))
    c = lgkt.Log.read(path).coded
    assert c.state_names == ("mood", "hour") and c.actions == [0, 1, 2]
    assert c.states == [(1, "am"), (1, "pm"), (2, "am")] and c.row.tolist() == [1, 0, 2]
    assert c.allowed is not None and c.allowed.tolist()[0] == [True, True, False]
    assert c.probability is not None and c.probability[:2].tolist() == [0.25, 0.75]
    assert c.sources == ["learner", "person"] and c.next_state is not None
    assert c.next_state.tolist() == [2, -1, -1]
    # JSON lines with objects, and columns state.NAME
    rows = [{"unit": 7, "state": {"mood": m}, "action": a, "reward": 0.5, "allowed": ["x", "y"]}
            for m, a in ((1, "x"), (2, "y"))]
    lines = tmp_path / "log.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)))
    log = lgkt.Log.read(lines)
    assert log.coded.state_names == ("mood",) and log.states == [(1,), (2,)]
    # lists for all actions say their order by the probability of what was played
    path.write_text("unit,state,action,reward,probability,probabilities\n"
                    '1,x,call,0,0.5,"[0.2,0.3,0.5]"\n1,x,none,0,0.3,"[0.2,0.3,0.5]"\n')
    assert lgkt.Log.read(path).actions == ["action 0, never played", "none", "call"]
    path.write_text("unit,state,action,reward,probability,probabilities\n"
                    '1,x,call,0,0.5,"[0,0.5,0.5]"\n')
    with pytest.raises(lgkt.InputError, match="Say actions="):
        lgkt.Log.read(path)
    # states that are lists of numbers
    path.write_text("unit,state,action,reward\n" + "".join(
        f'1,"[{i}.5, {i * i}]",0,1\n' for i in range(30)))
    c = lgkt.Log.read(path).coded
    assert c.kind == "record" and c.features == ["0", "1"]
    assert c.record is not None and c.record[3].tolist() == [3.5, 9.0]


@pytest.mark.robust
@pytest.mark.parametrize(("text", "named"), [
    ("", "is empty"), ("\n\n", "is empty"), (HEAD, "has no rows"),
    ("id,t\n1,2\n", 'no column "mood" (state=)'),
    (HEAD.replace("act", "atc") + LINE, 'no column "act" (action=): did you mean "atc"?'),
    (HEAD.replace("hour", "mood") + LINE, 'two columns "mood"'),
    (HEAD + "1,2,low,7,call,1\n", "a row has 6 values and the first line 7"),
    (HEAD + LINE + "1,2,low,7,call,abc,0.5\n", 'row 1: "abc" is no number'),
    (HEAD + "1,2,low,7,,1,0.5\n", "the log must say what was done"),
    (HEAD + ",2,low,7,call,1,0.5\n", "the log must say which unit"),
    (HEAD + "1,,low,7,call,1,0.5\n", "the log must say when it was"),
    (HEAD + "1,noon,low,7,call,1,0.5\n", '"noon" is no time'),
    (HEAD + "1,2,low,7,call,inf,0.5\n", "infinite"),
    (HEAD + "1,2,low,7,call,1,1.5\n", "has probability 1.5; allowed are numbers above 0, up to 1"),
    (HEAD + "1,2,low,7,call,1,0\n", "has probability 0"),
    (HEAD + "1,2,low,7,call,1,-1\n", "has probability -1"),
    (HEAD + "".join(f"1,{i},s{i},7,call,1,0.5\n" for i in range(1001)), "has 1001 different texts"),
    (HEAD + "".join(f"1,{i},{'?' if i == 9 else i * 0.5},7,call,1,0.5\n" for i in range(99)),
     'row 9: "?" is no number, but most of the others are'),
    (HEAD + "".join(f"1,{i},{'?' if i == 69000 else i},7,call,1,0.5\n" for i in range(70000)),
     'row 69000: "?" is no number'),
    (HEAD + "".join(f"1,{i},low,7,a{i},1,0.5\n" for i in range(2000)), "at most 1024 actions"),
    (b"\xff\xfe\x00\x01" * 99, "is no text"), (b"id,t\n\xff\xff,\xfe\n", "UTF-8"),
])
def test_bad_files(tmp_path: Path, text: str | bytes, named: str) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    names = NAMES if not isinstance(text, bytes) else {"unit": "id", "state": "t", "action": "id",
                                                       "reward": "id2"}
    if "UTF-8" in named:
        names = {"state": "t", "action": "id", "reward": "t2"}
        path.write_bytes(b"id,t,t2\n\xff\xff,\xfe,1\n")
    with pytest.raises(lgkt.InputError) as why:
        lgkt.Log.read(path, **names)
    assert named in str(why.value) and "\n" not in str(why.value)


@pytest.mark.robust
@pytest.mark.parametrize(("change", "named"), [
    ({"state": "mod"}, 'no column "mod"'), ({"reward": None}, "which column holds the reward?"),
    ({"state": ["mood", "mood"]}, "twice"), ({"state": ["mood", "act"]}, "as action="),
    ({"reward": "act"}, "as reward="), ({"next_state": "mood"}, "the same columns, one step later"),
    ({"as_": "tabel"}, 'as_ is "tabel"'), ({"bins": {"mod": 2}}, '"mod" is no column of the state'),
    ({"bins": {"mood": 2}}, "holds texts"), ({"bins": {"hour": [2, 1]}}, "must be finite numbers"),
    ({"bins": {"hour": 1}}, "a number from 2 on"), ({"actions": ["call"]}, '"none" is none of'),
    ({"actions": ["call", "call"]}, "an action twice"),
    ({"reward": "mood"}, "as reward="), ({"probability": "t"}, "numbers are needed"),
])
def test_bad_words(change: dict[str, Any], named: str) -> None:
    with pytest.raises(lgkt.InputError, match=None) as why:
        lgkt.Log.read(frame(), **{**NAMES, **change})
    assert named.replace('"tabel"', "'tabel'") in str(why.value) and "\n" not in str(why.value)


@pytest.mark.robust
def test_bad_tables(tmp_path: Path) -> None:
    mixed = frame().assign(mood=[1 if i % 2 else "x" for i in range(300)])
    with pytest.raises(lgkt.InputError, match="mixes types"):
        lgkt.Log.read(mixed, **NAMES)
    with pytest.raises(lgkt.InputError, match="is a folder"):
        lgkt.Log.read(tmp_path, **NAMES)
    with pytest.raises(TypeError, match="a log is a path"):
        lgkt.Log.read(3, **NAMES)
    with pytest.raises(OSError):
        lgkt.Log.read(tmp_path / "none.csv", **NAMES)
    with pytest.raises(lgkt.InputError, match='no column "unit": name its columns'):
        lgkt.Log.read(frame())
    latin = tmp_path / "latin.csv"
    latin.write_bytes("größe,act,reward\n1,a,0\n".encode("latin-1"))
    with pytest.raises(lgkt.InputError, match="is not text in UTF-8: save it as CSV in UTF-8"):
        lgkt.Log.read(latin, state="größe", action="act", reward="reward")
    random = np.random.default_rng(1)
    for name in ["log.parquet", "log.jsonl", "log.csv", "log.csv.gz"] * 40:
        path = tmp_path / name
        for size in 0, 1, 500:
            path.write_bytes(random.bytes(size))
            with pytest.raises(lgkt.InputError) as why:
                lgkt.Log.read(path, **NAMES)
            assert "\n" not in str(why.value)
    two = {"s": ["x"] * 2, "a": [0, 1], "r": [1.0] * 2, "l": ["[0.5,0.5]", "[0.5,0.6]"],
           "ok": ["0|1", "0"]}
    with pytest.raises(lgkt.InputError, match="row 1: the probabilities sum to 1.1"):
        lgkt.Log.read(two, state="s", action="a", reward="r", probabilities="l")
    with pytest.raises(lgkt.InputError, match='row 1: the action "1" was played, but is not'):
        lgkt.Log.read(two, state="s", action="a", reward="r", allowed="ok")
    two["ok"] = ["0|1", "9"]
    with pytest.raises(lgkt.InputError, match='row 1: "9" is none of the actions'):
        lgkt.Log.read(two, state="s", action="a", reward="r", allowed="ok", actions=[0, 1])
    two["l"] = ["[0.5,0.5]", "[1]"]
    with pytest.raises(lgkt.InputError, match="row 1: a list of 1 numbers; the first has 2"):
        lgkt.Log.read(two, state="s", action="a", reward="r", probabilities="l")


COLUMNS: dict[str, list[list[Any]]] = {
    "u": [["a", "b"], [1], ["x", ""], [3, 4, 5]], "t": [[1, 2, 3], ["2026-01-01", "2026-01-02"]],
    "s": [["lo", "hi"], [1, 2], [0.5, 1.5, None], ["", "z"], ["1", "NA"]], "z": [["q"], [True, 0]],
    "a": [["go", "no"], [0, 1], ["go"]], "r": [[0, 1], [None], [1.5, 2.5, None], ["", "3"], [5]],
    "p": [[0.5], [1], [None, 0.3], [1e-9]], "n": [["lo", "hi", ""], [1, 2, None]],
    "k": [["true", "false"], [0, 1], [""]], "e": [[1, 2], ["x"]],
    "w": [["go|no", "", "go"], ["[true,false]"]], "l": [["[0.5,0.5]", ""], ["[1]"]]}
WORDS = {"unit": "u", "time": "t", "probability": "p", "cut": "k", "episode": "e", "allowed": "w",
         "probabilities": "l", "source_column": "z"}


@pytest.mark.robust
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(120))
def test_tiny_logs(seed: int) -> None:
    """Logs of a few rows of anything: one line, or all that can be done with a log."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 9))
    table = {name: list(rng.choice(np.array(some[rng.integers(len(some))], object), count))
             for name, some in COLUMNS.items()}
    names: dict[str, Any] = {"state": ["s"], "action": "a", "reward": "r"}
    names |= {word: name for word, name in WORDS.items() if rng.random() < 0.35}
    if rng.random() < 0.3:
        names["next_state"] = "n"
    if rng.random() < 0.2:
        names["as_"] = "record"
    try:
        log = lgkt.Log.read(table, **names)
    except lgkt.InputError as why:
        assert "\n" not in str(why)
        return
    assert str(log.check(progress=False)) and len(log.without_copies()) <= count
    for use in (lambda: log.learner("auto", horizon=10).policy(tried=True),
                lambda: log.keyed("auto", horizon=10).policy(),
                lambda: log.units("auto", horizon=10), lambda: lgkt.Model.from_log(log),
                lambda: lgkt.Model.from_log(log, end="restart")):
        try:
            use()
        except (lgkt.InputError, lgkt.UnsupportedError) as why:
            assert "\n" not in str(why)


def test_bits_of_words() -> None:
    """A state in the user's words, in any of their forms."""
    from lgkt.log.words import Words

    words = Words(lgkt.Log.read(frame(), **NAMES).coded)
    number = words.states.index(("low", 12))
    assert words.state(("low", 12)) == words.state(["low", "12"]) == number
    assert words.state({"hour": np.int64(12), "mood": "low", "more": 1}) == number
    assert words.action("none") == 1
    with pytest.raises(lgkt.InputError, match='"mood" is \'lo\', .*did you mean "low"'):
        words.state(("lo", 12))
    with pytest.raises(lgkt.InputError, match="a state has 2 parts"):
        words.state(("low",))
    with pytest.raises(lgkt.InputError, match='no action of the log: did you mean "none"'):
        words.action("nome")
    mask = words.mask(["call"], None)
    assert mask is not None and mask.tolist() == [True, False]


def test_what_is_missing_is_named() -> None:
    """Without pyarrow the package is whole but for logs, which say what to install."""
    program = ("import sys; sys.modules['pyarrow'] = None\n"
               "import lgkt\n"
               "from lgkt import *\n"
               "try:\n    lgkt.Log\n"
               "except ModuleNotFoundError as why:\n    print(why)\n")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True)
    assert said.stdout == 'lgkt.Log needs pyarrow: pip install "lgkt[logs]"\n'
