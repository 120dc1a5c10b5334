# SPDX-License-Identifier: MIT
"""Model files, prices, tapes, and files that specs name: as the C reader takes and refuses them."""

from __future__ import annotations

import os
import re
import shlex
import stat
import tarfile
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lgkt
from lgkt import files

ROOT = Path(__file__).parents[2]
if not (ROOT / "tests/cli/common.sh").exists():
    pytest.skip("needs the tests of the C library", allow_module_level=True)

# lgkt_mdp_hash of what the C reader makes of these files
HASHES = {
    "tests/golden/random-10x5/mdp.json": 5849449226016597059,
    "tests/golden/random-6x4/mdp.json": 17893094230261315789,
    "tests/golden/riverswim-5/mdp.json": 4204019953937893045,
}
CORPUS = {
    "5008792f577b6b8d6bc62a5db62ea72a6fc3e929": 4656183608325515259,
    "54758c891d41d5698939841a253e07235dc568cc": 5837530822996942799,
    "5c4396ab1a08d7eb1699f56db6ae8dceaa0a1135": 17368910186090633161,
    "be5828a9249b95eab9bb11d0c551382381c17d94": 6485512790409707414,
    "d7637011317209183a43d622709a69be80f679ae": 6210936768503390832,
    "dense.json": 10844566275070021469,
    "e11b340264cec8c3bb675015f313b36a68ab8ed1": 287264966826602574,
    "ea334b9767785fced361293bc5db69e16e8a8250": 7386044186397199077,
    "edges.json": 14422455696285013310,
    "one.json": 911834410530186311,
}


def answers(name: str) -> list[str]:
    """The messages that a test of the command records, without the command."""
    lines = (ROOT / f"tests/cli/{name}.stdout").read_text().splitlines()
    head = re.compile(r"^exit 2: lgkt: \w+: ")
    return [head.sub("", line) for line in lines if head.match(line)]


# ---- model files ----


@pytest.mark.parametrize("name", HASHES)
def test_golden_models(name: str, tmp_path: Path) -> None:
    model = lgkt.Model.read(ROOT / name)
    assert model.hash == HASHES[name]
    model.write(tmp_path / "m.json")
    assert lgkt.Model.read(tmp_path / "m.json").hash == HASHES[name]


def test_corpus(tmp_path: Path) -> None:
    """Files made to be awkward: the same ones are read, as the same models."""
    folder = tmp_path / "model"
    folder.mkdir()
    with tarfile.open(ROOT / "tests/fuzz/corpus/model.tar") as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            (folder / member.name).write_bytes(file.read())
    assert set(CORPUS) <= {path.name for path in folder.iterdir()}
    for path in folder.iterdir():
        if path.name in CORPUS:
            model = lgkt.Model.read(path)
            assert model.hash == CORPUS[path.name], path
            assert lgkt.Model.from_json(model.to_json()) == model
        else:
            with pytest.raises(lgkt.InputError, match=re.escape(path.name)):
                lgkt.Model.read(path)


def pages() -> list[str]:
    return re.findall(r"```json\n(.*?)```", (ROOT / "docs/model-files.md").read_text(), re.S)


def test_examples_of_the_page() -> None:
    small, chain, taxi, dense_taxi = map(lgkt.Model.from_json, pages())
    np.testing.assert_array_equal(small.P, [[[1, 0], [0, 1]], [[1, 0], [0.5, 0.5]]])
    assert (chain.noise, chain.noise_sd, chain.start_state) == ("normal", 0.25, None)
    assert taxi == dense_taxi and (taxi.name, dense_taxi.comment) == ("taxi", None)
    assert taxi.comment == "0 town, 1 airport; fares in units of a short ride"
    np.testing.assert_array_equal(taxi.allowed, [[1, 1], [1, 0]])
    np.testing.assert_allclose(taxi.R, [[1.3, -0.5], [3.2, 0]])
    assert taxi.pair_noise[0].tolist() == [["normal", "none"], ["normal", "none"]]


# what lgkt_io_model_print makes of the last example
WRITTEN = """{
  "name": "taxi",
  "states": 2,
  "actions": 2,
  "allowed": [
    [0, 1],
    [0]
  ],
  "start": 0,
  "noise": [
    [{"kind": "normal", "sd": 0.5}, {"kind": "none"}],
    [{"kind": "normal", "sd": 0.2}, null]
  ],
  "rewards": [
    [[1, 4], -0.5],
    [[4, 0], null]
  ],
  "transitions": [
    [
      [0.9, 0.1],
      [0, 1]
    ],
    [
      [0.8, 0.2],
      null
    ]
  ]
}
"""


def test_written_as_the_library_writes() -> None:
    taxi = lgkt.Model.from_json(pages()[3])
    assert taxi.to_json() == WRITTEN
    ring = lgkt.Model(np.roll(np.eye(5), 1, axis=1)[:, None], np.arange(5)[:, None] / 3,
                      start=np.full(5, 0.2))
    assert ring.to_json().endswith('"edges": [\n    [0, 0, 1, 1],\n    [1, 0, 2, 1],\n    '
                                   "[2, 0, 3, 1],\n    [3, 0, 4, 1],\n    [4, 0, 0, 1]\n  ]\n}\n")
    assert '"start": [0.2, 0.2, 0.2, 0.2, 0.2]' in ring.to_json()
    assert "[0.333333333333333" in ring.to_json() and "[0.6666666666666666]" in ring.to_json()


@pytest.mark.parametrize("seed", range(20))
def test_written_and_read_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    states, actions = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    P = rng.dirichlet(np.full(states, 0.2 if seed % 2 else 2.0), size=(states, actions))
    shape = (states, actions, states)[:2 + seed % 3 // 2]
    kinds = rng.choice(["none", "normal", "bernoulli"], size=(states, actions))
    allowed = rng.random((states, actions)) < 0.7
    allowed[:, 0] = True
    model = lgkt.Model(P, rng.random(shape), noise=kinds if (kinds == "normal").any() else "none",
                       sd=rng.random((states, actions)) if (kinds == "normal").any() else None,
                       start=rng.dirichlet(np.ones(states)), allowed=allowed,
                       name='a "b" \\ é', comment="one\n\ttwo\x01")
    again = lgkt.Model.from_json(model.to_json())
    assert again.hash == model.hash
    assert (again.name, again.comment) == (model.name, model.comment)
    assert again.to_json() == model.to_json()


def test_what_cannot_be_written() -> None:
    P, R = [[[1.0]]], [[0.0]]
    with pytest.raises(lgkt.UnsupportedError, match="cannot say drifting noise"):
        lgkt.Model(P, R, noise="drifting").to_json()
    for name, comment, text in [("a\nb", None, "name has a control"), ("\ud800", None, "not UTF-8"),
                                (None, "\0", "comment has a zero")]:
        with pytest.raises(lgkt.InputError, match=text):
            lgkt.Model(P, R, name=name, comment=comment).to_json()


def cases() -> list[tuple[str, str]]:
    """The files of tests/cli/models/refused.sh and what the command says about them."""
    texts = []
    for line in (ROOT / "tests/cli/models/refused.sh").read_text().splitlines():
        if line.startswith("try "):
            _, key, value = shlex.split(line)
            parts = {"states": '"states": 2, "actions": 1', "start": '"start": 0',
                     "noise": '"noise": {"kind": "none"}', "rewards": '"rewards": [[0], [1]]',
                     "rows": '"transitions": [[[1, 0]], [[0, 1]]]'}
            assert key in parts
            texts.append("{" + ",\n ".join((parts | {key: value}).values()) + "}\n")
    return list(zip(texts, answers("models/refused"), strict=True))


@pytest.mark.parametrize(("text", "answer"), cases())
def test_refused_with_the_words_of_the_library(text: str, answer: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(lgkt.InputError) as caught:
        lgkt.Model.read(tmp_path / "m.json")
    message = str(caught.value)
    assert f"{tmp_path}/m.json"[-100:] in message
    # what is no JSON is said in the words of Python's parser, and so are numbers beyond all range
    if not re.match(r"m.json:\d", answer):
        assert message.endswith(answer.removeprefix("m.json")) and caught.value.status


GOOD = pages()[0]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("", r"text:1:1: "),
        ("{", r"text:1:2: "),
        (GOOD + "x", r"text:\d+:\d+: Extra data"),
        (GOOD.replace("[1, 0]", "[NaN, 0]", 1), "NaN is no JSON"),
        (GOOD.replace("[1, 0]", "[-Infinity, 0]", 1), "-Infinity is no JSON"),
        (GOOD.replace("[1, 0]", "[1e999, 0]", 1), r"rewards\[0\]\[0\]: real number overflow"),
        (GOOD.replace("[1, 0]", f"[{2**63}, 0]", 1), r"rewards\[0\]\[0\]: too big integer"),
        (GOOD.replace("[1, 0]", f"[{'9' * 5000}, 0]", 1), "too big integer"),
        (GOOD.replace("[1, 0]", "[true, 0]", 1), r"rewards\[0\]\[0\]: it must be a number"),
        (GOOD.replace('"states": 2', '"states": true'), "states: it must be a whole number"),
        (GOOD.replace('"states": 2', '"states": 2.0'), "states: it must be a whole number"),
        (GOOD.replace('"none"}', '"none", "kind": "none"}'), 'duplicate object key "kind"'),
        (GOOD.replace('"states"', '"\\u0000\\ud800"', 1), r'unknown field "\?\?"; known: states'),
        (GOOD[:-2] + ', "name": "\\ud800"}', "name is not UTF-8"),
        (GOOD[:-2] + ', "comment": "\\u0000"}', "comment has a zero character"),
        (GOOD[:-2] + ', "name": "a\nb"}', r"text:\d+:\d+: Invalid control character"),
        ("[" * 100_000, "maximum parsing depth|recursion"),
        ('{"a":' * 100_000, "maximum parsing depth|recursion"),
        ("[]", r"it must be an object \{...\}"),
        ("7", r"it must be an object \{...\}"),
        ("\ufeff" + GOOD, r"text:1:1: "),
        (b"\xff", "text:1:1: unable to decode byte 0xff"),
        (b"{\n \xc3", "text:2:2: unable to decode byte 0xc3"),
        (GOOD.encode("utf-16"), "text:1:1: unable to decode"),
    ],
)
def test_refused_texts(data: Any, text: str) -> None:
    with pytest.raises(lgkt.InputError, match=text) as caught:
        lgkt.Model.from_json(data)
    assert str(caught.value).startswith("text:") and caught.value.status == "FORMAT"


def test_claims_take_no_memory() -> None:
    import tracemalloc

    claim = GOOD.replace('"states": 2', '"states": 16000000').replace("s\": 2", 's": 16')
    tracemalloc.start()
    with pytest.raises(lgkt.InputError, match="rewards: it has 2 entries; it must have 16000000"):
        lgkt.Model.from_json(claim)
    edges = ('{"states": 16000000, "actions": 16, "start": 0, "noise": {"kind": "none"}, '
             '"edges": []}')
    with pytest.raises(lgkt.InputError, match='field "rewards" is missing'):
        lgkt.Model.from_json(edges)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


# ---- reading and writing files ----


def test_file_system(tmp_path: Path) -> None:
    model = lgkt.Model.from_json(GOOD)
    target, link = tmp_path / "m.json", tmp_path / "link.json"
    link.symlink_to(target)
    target.write_text("old")
    model.write(str(link))
    assert link.is_symlink() and lgkt.Model.read(link) == model
    assert sorted(os.listdir(tmp_path)) == ["link.json", "m.json"]
    # marks of editors are no part of a file
    (tmp_path / "mark.json").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert lgkt.Model.read(tmp_path / "mark.json") == model
    with pytest.raises(FileNotFoundError, match="nothing.json"):
        lgkt.Model.read(tmp_path / "nothing.json")
    with pytest.raises(IsADirectoryError):
        lgkt.Model.read(tmp_path)
    with pytest.raises(FileNotFoundError):
        model.write(tmp_path / "no" / "m.json")
    with pytest.raises(IsADirectoryError):
        model.write(tmp_path)
    with pytest.raises(lgkt.InputError, match="/dev/zero: is neither a file nor a pipe"):
        lgkt.Model.read("/dev/zero")
    for wrong in 7.5, None:
        with pytest.raises(TypeError):
            lgkt.Model.read(wrong)  # type: ignore[arg-type]
    assert stat.S_IMODE(target.stat().st_mode) & 0o600 == 0o600


def test_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    model = lgkt.Model.from_json(GOOD)
    writer = threading.Thread(target=model.write, args=(tmp_path / "pipe",))
    writer.start()
    assert lgkt.Model.read(tmp_path / "pipe") == model
    writer.join()


def test_a_file_that_cannot_be_finished_leaves_nothing(tmp_path: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "m.json").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        lgkt.Model.from_json(GOOD).write(tmp_path / "m.json")
    assert os.listdir(tmp_path) == ["m.json"] and (tmp_path / "m.json").read_text() == "old"


# ---- prices and tapes ----


def test_tapes() -> None:
    for folder in (ROOT / "tests/golden").iterdir():
        if (folder / "tape.csv").exists():
            tape = files.read_tape(folder / "tape.csv")
            plain = np.loadtxt(folder / "tape.csv", delimiter=",", skiprows=1, ndmin=2)
            np.testing.assert_array_equal(tape, plain)


def test_refused_tapes(tmp_path: Path) -> None:
    texts = re.findall(r"^try '(.*)'$", (ROOT / "tests/cli/tapes/refused.sh").read_text(), re.M)
    header = "u_next,z_reward,u_reward,u_coin\n"
    made = [header + text.replace("\\n", "\n") for text in texts]
    made += [text + "\n0,0,0,0\n" for text in ("", "u_next", header.upper(), "0,0,0,0", "a,b,c,d")]
    for text, answer in zip(made, answers("tapes/refused"), strict=True):
        (tmp_path / "tape.csv").write_text(text)
        with pytest.raises(lgkt.InputError) as caught:
            files.read_tape(tmp_path / "tape.csv")
        assert str(caught.value).endswith("/" + answer)


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ("Close\n1\n2.5\n", [1, 2.5]),
        ("1\n2.5", [1, 2.5]),
        ("price\n1\n2\n", [1, 2]),
        ('Date,"cLoSe",x\r\n"a, b",3/2,7\r\n"c",1e1,\r\n', [1.5, 10]),
        ("\ufeffClose\n1\n", [1]),
        ('a,Close\n"x,2\n', "2: has 1 columns; it must have 2"),
        ("a,b\n1,2\n", "1: no column is called Close"),
        ("Close\n1\n\n", '3: the price is ""; it must be a number'),
        ("Close\nab\x07c\n", '2: the price is "ab?c"; it must be a number'),
        ("Close\n" + "1" * 64 + "\n", f'2: the price is "{"1" * 24}"; it must be a number'),
        ("Close\n0\n", "2: the price is 0; it must be positive"),
        ("Close\n", "2: the file has no prices"),
        ("", "1: the file has no prices"),
    ],
)
def test_prices(text: str, prices: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(text.encode())
    if not isinstance(prices, str):
        assert files.read_series(path).tolist() == prices
        return
    with pytest.raises(lgkt.InputError) as caught:
        files.read_series(path)
    assert str(caught.value) == f"{path}"[-100:] + ":" + prices


# ---- specs that name files ----


def test_resolve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    two = lgkt.Model.from_json(GOOD)
    two.write("two.json")
    two.write("a,b (1).json")
    prices = 1 + np.arange(400) % 7
    Path("p.csv").write_text("Close\n" + "\n".join(map(str, prices)))
    for spec in "riverswim", "riverswim:states=5", "trading", "scaled:of=riverswim", "modle", "":
        assert files.resolve(spec) is None
    for file in "two.json", "(a,b (1).json)", f"{tmp_path}/two.json":
        for spec in "@", "scaled:of=(@)", "merged:of=(scaled:of=(@))":
            assert files.resolve(spec.replace("@", f"model:file={file}")) == two
    found: Any = files.resolve("trading:file=p.csv,window=5")
    np.testing.assert_array_equal(found, prices)
    with pytest.raises(FileNotFoundError, match="nothing.json"):
        files.resolve("model:file=nothing.json")
    # what else is wrong with the spec comes first
    with pytest.raises(lgkt.InputError, match="wndow"):
        files.resolve("trading:file=nothing.csv,wndow=5")
    with pytest.raises(TypeError):
        files.resolve(7)  # type: ignore[arg-type]


def test_a_spec_that_is_only_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lgkt.Model.from_json(GOOD).write("two.json")
    Path("plain").write_text(GOOD)
    Path("folder").mkdir()
    script = (ROOT / "tests/cli/models/paths.sh").read_text()
    listed = re.search(r"for spec in (.*?); do", script, re.S)
    assert listed is not None
    specs = shlex.split(listed[1].replace("\\\n", " "))
    for spec, answer in zip(specs, answers("models/paths")):
        if "did you mean" in answer and "names no environment" in answer:
            with pytest.raises(lgkt.InputError) as caught:
                files.resolve(spec)
            assert str(caught.value) == answer
        else:
            assert files.resolve(spec) is None


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("1\n2\n3\n")
    tracemalloc.start()
    files.read_series(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def test_a_number_is_no_path() -> None:
    number: Any = os.open(os.devnull, os.O_RDONLY)
    for read in (lgkt.Model.read, files.read_series, files.read_tape):
        with pytest.raises(TypeError, match="os.PathLike"):
            read(number)
    os.close(number)
