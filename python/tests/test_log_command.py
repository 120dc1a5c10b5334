# SPDX-License-Identifier: MIT
"""`python3 -m lgkt log ...`: what it prints and how it ends, and the page."""

from __future__ import annotations

import csv
import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import lgkt.__main__ as package  # noqa: E402

COLUMNS = ("--unit id --time t --state mood,hour --action act --reward r --probability p").split()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """80 units of 12 decisions, in which "go" earns .3 more than "stay"."""
    draw = random.Random(4)
    path = tmp_path_factory.mktemp("log") / "log.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "t", "mood", "hour", "act", "r", "p", "other"])
        for unit in range(80):
            for t in range(12):
                act = draw.choice(("go", "stay"))
                reward = draw.gauss(0.3 * (act == "go"), 0.2)
                writer.writerow([f"u{unit}", t, draw.choice(("good", "bad")), t % 2, act,
                                 f"{reward:.3f}", 0.5, 0.9 if act == "go" else 0.1])
    return path


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = package.main(["log", *words])
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_check(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ask(capsys, "check", str(log), *COLUMNS, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["rows"] == 960 and found["units"] == 80
    assert all(set(one) == {"code", "level", "count", "text", "todo"} for one in found["findings"])


def test_evaluate_a_policy_of_a_file(log: Path, tmp_path: Path,
                                     capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / "policy.csv"
    states = [(mood, hour) for mood in ("good", "bad") for hour in (0, 1)]
    policy.write_text("mood,hour,action,probability\n" + "".join(
        f"{mood},{hour},go,1\n" for mood, hour in states))
    code, out, _ = ask(capsys, "evaluate", str(log), *COLUMNS, "--policy", str(policy), "--json")
    found = json.loads(out)
    assert code == 0
    assert {"verdict", "logged", "policy", "difference", "estimator", "effective",
            "reasons"} <= set(found)
    assert found["verdict"] == "better"
    assert found["difference"]["low"] < 0.15 < found["difference"]["high"]
    # a state less
    policy.write_text("mood,hour,action,probability\ngood,0,go,1\n")
    code, _, err = ask(capsys, "evaluate", str(log), *COLUMNS, "--policy", str(policy))
    assert code == 2 and "bad" in err and err.count("\n") == 1


def test_evaluate_a_column_and_a_learner(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ask(capsys, "evaluate", str(log), *COLUMNS, "--policy-probability", "other",
                       "--json")
    assert code == 0 and json.loads(out)["policy"]["mean"] > json.loads(out)["logged"]["mean"]
    code, out, _ = ask(capsys, "evaluate", str(log), *COLUMNS, "--learner", "auto", "--json")
    assert code == 0 and json.loads(out)["units"] == 40
    code, _, err = ask(capsys, "evaluate", str(log), *COLUMNS, "--policy-probability", "othr")
    assert code == 2 and '"other"' in err
    code, out, _ = ask(capsys, "evaluate", str(log), *COLUMNS)
    assert code == 0 and "the log earned" in out


def test_simulate(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ask(capsys, "simulate", str(log), *COLUMNS, "--learner", "auto", "--learner",
                       "random", "--horizon", "10", "--units", "20", "--json")
    learners = json.loads(out)["learners"]
    assert code == 0 and [one["spec"] for one in learners][-1] == "random"
    assert all({"spec", "mean", "low", "high", "best"} <= set(one) for one in learners)


@pytest.mark.parametrize("words, said", [
    (["evaluate", "LOG", *COLUMNS, "--learner", "aut"], "auto"),
    (["check", "LOG", "--unit", "ide", *COLUMNS[2:]], '"id"'),
    (["check", "missing.csv", *COLUMNS], "missing.csv"),
    (["check", "LOG", *COLUMNS, "--bins", "mood"], "NAME=PARTS"),
    (["simulate", "LOG", *COLUMNS, "--horizon", "0"], "from 1 on"),
    (["simulate", "LOG", *COLUMNS, "--as", "record"], "record"),
    (["report", "LOG", *COLUMNS, "--out", "no/such/folder/page.html"], "no/such/folder"),
])
@pytest.mark.robust
def test_bad_usage_is_one_line(words: list[str], said: str, log: Path,
                               capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ask(capsys, *(str(log) if word == "LOG" else word for word in words))
    assert code == 2 and said in err and "Traceback" not in err and out == ""


def test_help_and_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                           monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = ask(capsys, "evaluate", "--help")
    assert code == 0 and "examples:" in out and "--policy-probability" in out
    # the compiled command would take the place of this process
    monkeypatch.setattr(package, "COMMAND", tmp_path / "nowhere")
    assert package.main(["lgo"]) == 2
    assert '"log"' in capsys.readouterr().err
    assert package.main([]) == 2 and package.main(["--help"]) == 0
    with pytest.raises(SystemExit, match="0"):
        package.main(["help", "log"])


class _Page(HTMLParser):
    """What of a page stands open, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "br", "use", "path", "image", "rect", "line"):
            self.open.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href")
                       and value and not value.startswith(("#", "data:"))]

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass


def test_report(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    out = tmp_path / "page.html"
    code, said, _ = ask(capsys, "report", str(log), *COLUMNS, "--learner", "auto", "--learner",
                        "random", "--out", str(out))
    assert code == 0 and said.strip() == str(out)
    text = out.read_text()
    page = _Page()
    page.feed(text)
    assert page.loads == [] and page.open == []
    answers = re.findall(r'<tr><td>([^<]+\?)</td><td><span class="badge (\w+)">([^<]+)<', text)
    assert [one[0] for one in answers] == [
        "Is the log sound?", "What does today&#39;s policy earn?", "Would another rule earn more?",
        "Which learner?", "What to log from now on?"]
    assert answers[2][2] in ("better", "cannot be told") and answers[3][2] == "auto"
    assert "python3 -m lgkt log check log.csv --unit id" in text


def test_report_on_records(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2")
    out = tmp_path / "page.html"
    code, _, _ = ask(capsys, "report", str(log), *COLUMNS, "--as", "record", "--out", str(out))
    assert code == 0 and "This was not asked" in out.read_text()
