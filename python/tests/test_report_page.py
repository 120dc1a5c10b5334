# SPDX-License-Identifier: MIT
"""Pages: what is in them, that they are well-formed and load nothing; the command line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import folders
import pytest
from command import COMMAND, needs_command

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

import lgkt  # noqa: E402
from lgkt.report import page, read  # noqa: E402
from lgkt.report.__main__ import main  # noqa: E402
from lgkt.report.definition import Definition  # noqa: E402

NASTY = "A<b>&\"'|`x`"


class Tree(HTMLParser):
    """Fails where tags do not close in order; gathers what the tests ask for."""

    VOID = {"meta", "link", "br", "img", "hr", "input"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def count(self, name: str) -> int:
        return sum(name in (found.get("class") or "").split() for _, found in self.tags)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two experiments: one of a definition, one of a user with names that need care."""
    root = tmp_path_factory.mktemp("page") / "results"
    learners = [folders.learner("Alpha", 1.5), folders.learner("Beta", 1.0),
                folders.learner("Best", 2.0, oracle=True)]
    folders.write(root / "first", [folders.panel("one", learners, instances=40, full_instances=40)],
                  section="part", title="The first")
    folders.write(root / "second", [folders.panel("two", [folders.learner(NASTY, 1.0),
                                                         folders.learner("Gamma", 1.2)])],
                  title=f"Second {NASTY}", question="Is <i>this</i> so?")
    return root


def check(**more: Any) -> dict[str, Any]:
    return {"kind": "above", "experiment": "first", "a": "Alpha", "b": "Beta"} | more


def said() -> dict[str, Any]:
    """A definition that uses everything."""
    return {
        "title": "Does it hold?",
        "intro": "**{printed.holds}** of {printed.all} hold, {C1.fair}; see [S](#part) and "
                 "[a file](theory.md).\n\n"
                 "- an item\n- `code*`",
        "experiments": ["later"],
        "sections": [{"id": "part", "title": "A part", "text": "Words & more.",
                      "figures": ["figure-1", "figure-2"]}],
        "figures": {"figure-1": {"caption": "Both < one", "views": [{"experiment": "first"}]},
                    "figure-2": {"caption": "never", "views": [{"experiment": "later"}]}},
        "claims": [
            {"id": "C1", "section": "part", "place": "5.1", "words": "Alpha | Beta",
             "checks": {"printed": [check()], "fair": [check(a="Beta", b="Alpha")]}},
            {"id": "C2", "section": "part", "place": "5.2", "words": "w", "remark": "r",
             "checks": [check(experiment="later"),
                        {"kind": "test", "file": "tests/unit/test_x.c", "test": "it_is_so"}]},
            {"id": "C3", "section": "part", "place": "5.3", "words": "w", "ours": True,
             "checks": [check()]},
            {"id": "C4", "section": "part", "place": "5.4", "words": "w", "certain": True,
             "checks": {"printed": [check()]}}],
        "answers": [{"paper": "figure 1", "shows": "Alpha | best", "claim": "C1",
                     "panels": ["one"]},
                    {"paper": "figure 2", "shows": "later", "claim": "C2"}],
        "drivers": [{"title": "One", "text": "It is {d}, {n}."}],
        "numbers": {"d": {"experiment": "first", "a": "Alpha", "b": "Beta"},
                    "n": {"experiment": "later", "a": "Alpha"}},
        "map": [{"paper": "figure 1", "what": "a|b", "command": "lgkt reproduce first",
                 "file": "figures/figure-1.svg", "ours": "C1, C2"}],
        "notes": ["A note."], "rerun": ["make", "lgkt reproduce all"]}


@pytest.fixture(scope="module")
def report(results: Path) -> page.Report:
    return page.Report(read(results), Definition(said(), "f"), {})


@pytest.fixture(scope="module")
def text(report: page.Report) -> str:
    return page.html(report)


@pytest.fixture
def claims_file(tmp_path: Path) -> Path:
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(said()), encoding="utf-8")
    return path


# ---- what is in a page ----


def test_a_page_is_whole_and_loads_nothing(text: str) -> None:
    tree = Tree(text)
    assert len(tree.ids) == len(set(tree.ids))
    assert {link[1:] for link in tree.links if link.startswith("#")} <= set(tree.ids)
    assert {tag for tag, _ in tree.tags} & {"script", "img", "iframe", "object"} == set()
    assert [found["href"] for tag, found in tree.tags if tag == "link"] == ["data:,"]
    assert not re.search(r"url\((?!#)|@import|\bsrc=", text)
    assert all(link.startswith(("#", "data:")) for link in tree.links)
    assert tree.count("claim") == 4
    # what was not read has no figure; two setups have a key, a line has a picture
    assert sum(tag == "svg" for tag, _ in tree.tags) == 2 + 2 + 1
    body = next(found for tag, found in tree.tags if tag == "body")
    assert body["data-claims"] == "4"


def test_a_page_says_what_the_results_say(text: str) -> None:
    shown = re.sub(r"\s+", " ", Tree(text).text)
    for words in ("1 of 1 hold, does not hold; see", "Alpha | Beta", "Alpha | best", "yes +33 pt",
                  "no -33 pt", "Checked, could not fail", "1 of 1 hold; 0 in part, 0 not",
                  "holds", "does not hold", "not judged",
                  "It is +0.500 ± 0.050, (not measured).", "experiment later was not read",
                  "Claims that are ours", "first, one, Alpha - Beta at 1000: +0.500 ± 0.050",
                  "33.3 pt", "lgkt reproduce all", "Words & more.", "Is <i>this</i> so?",
                  f"Second {NASTY}"):
        assert words in shown, words


def test_markdown_has_tables_and_links(report: page.Report) -> None:
    lines = page.markdown(report).splitlines()
    assert lines[0] == "# Does it hold?" and "\n\n\n" not in "\n".join(lines)
    widths: list[set[int]] = []
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|"):
            if not before.startswith("|"):
                widths.append(set())
            widths[-1].add(len(re.findall(r"(?<!\\)\|", line)))
    # lines, counts, verdicts with and without setups, certain, ours, map: equal rows
    assert [len(w) for w in widths] == [1] * 7
    text = "\n".join(lines)
    assert "**holds** (1 of 1 for; +33.3 pt) | **does not hold** (0 of 1 for, 1 against;" in text
    assert "![Both &lt; one](figures/figure-1.svg)" in text and "[first](results/first.md)" in text
    assert "| r Unit test `it_is_so`. |" in text
    assert "| figure 1 (C1) | Alpha \\| best | **yes** +33 pt | **no** -33 pt |" in text
    assert "| compared with baselines |  |  |  |" in text  # the definition names none
    assert "## Second" not in text  # what the definition does not speak of is on the page alone


def test_verdicts_can_be_made_again_from_the_tables(results: Path, report: page.Report,
                                                    tmp_path: Path) -> None:
    made = dict(page.tables(report))
    for name, data in made.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    again = page.Report(read(tmp_path), Definition(said(), "f"), {})
    assert list(again.results) == ["first"]  # on the second no verdict rests
    assert dict(page.tables(again))["claims.csv"] == made["claims.csv"]
    assert [line.cells["fair"].number for line in again.answers[:1]] == ["-33 pt"]
    assert dict(page.tables(again)) == {name: data for name, data in made.items()
                                        if not name.startswith("second")}
    assert len(made["first/curves.csv.gz"]) < len(made["first/pairs.csv.gz"]) < 250


def test_results_of_ones_own_have_figures_and_tables(results: Path) -> None:
    report = page.Report(read(results / "second"), None, {})
    tree = Tree(page.html(report))
    assert report.title == f"Second {NASTY}" and tree.count("claim") == 0
    assert sum(tag == "svg" for tag, _ in tree.tags) == 1 and "Verdicts" not in tree.text
    assert "lgkt reproduce second.json --seed 1" in tree.text
    assert "Is <i>this</i> so?" in page.markdown(report)


def test_tables_have_the_numbers_of_the_files(results: Path) -> None:
    panel = read(results)["first"].panel("one")
    titles, rows = page.table(panel)
    assert list(titles) == ["learner", "average", "score", "worst_tenth", "spec"]
    assert [row["learner"] for row in rows] == ["Alpha", "Beta", "Best"]
    assert [row.get("best", False) for row in rows] == [True, False, False]  # no oracle
    for row in rows:
        number = panel.value(row["learner"])
        mean, width = row["average"].split(" ± ")
        assert float(mean) == pytest.approx(number.mean, rel=1e-3)
        assert float(width) == pytest.approx(number.ci95, rel=0.05)


def test_marks_of_text() -> None:
    assert page.rich("a **b** *c*\n\n- x\n- y") == (
        "<p>a <strong>b</strong> <em>c</em></p>\n<ul><li>x</li><li>y</li></ul>")
    assert page.inline("`<*>` [u](#v) [w](x.md) [y](https://z.org/)") == (
        '<code>&lt;*&gt;</code> <a href="#v">u</a> w <a href="https://z.org/">y</a>')
    assert page.inline('[x](javascript:alert(1)) <script>"') == (
        "x) &lt;script&gt;&#34;")
    assert page.cell("a|b\n<c>") == "a\\|b &lt;c>"


# ---- the command line ----


def test_all_files_are_written_and_linked(results: Path, claims_file: Path, tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "docs"
    assert main([str(results), "--claims", str(claims_file), "--out", str(out / "r.html"),
                 "--markdown", str(out / "R.md"), "--figures", str(out / "pictures"),
                 "--tables", str(out / "numbers")]) == 0
    printed = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert set(printed) == {p for p in out.rglob("*") if p.is_file()}
    text = (out / "R.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text.split("## Where each")[0]
                           + text.split("## A part")[1]):
        assert link == "theory.md" or (out / link).is_file(), link
    rows = (out / "numbers/claims.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 7
    assert rows[1].startswith("C1,printed,holds,above,first,one,Alpha,Beta,1000,0.5,0.05,40,")
    for file in ("first/summary.csv", "second/summary.csv"):
        assert (out / "numbers" / file).read_bytes() == (results / file).read_bytes()


def test_docs_have_what_they_link_to(results: Path, claims_file: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    assert main([str(results), "--claims", str(claims_file), "--docs", str(docs)]) == 0
    text = (docs / "REPRODUCTION.md").read_text(encoding="utf-8")
    linked = {docs / link for link in re.findall(r"\]\((figures/[^)]+)\)", text)}
    assert linked == set((docs / "figures").iterdir()) and len(linked) == 2
    assert (docs / "results" / "claims.csv").is_file()


def test_one_figure_by_its_name(results: Path, claims_file: Path, tmp_path: Path,
                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = [str(results), "--claims", str(claims_file), "--figure"]
    assert main([*arguments, "figure-1"]) == 0
    assert sorted(p.name for p in tmp_path.glob("*.[sp][vn]g")) == ["figure-1.png", "figure-1.svg"]
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("change, message", [
    ({"claims": [{"id": "C", "section": "part", "place": "", "words": "",
                  "checks": [check(a="Alhpa")]}], "answers": []},
     'claims[0].checks[0].a: unknown label "Alhpa"; did you mean "Alpha"?'),
    ({"intro": "{fair.hold}"}, 'intro: unknown number "fair.hold"; did you mean "fair.holds"?'),
    ({"sections": [{"id": "part", "title": "", "figures": ["figure-9"]}]},
     'sections[0].figures: unknown figure "figure-9"; did you mean "figure-1"?'),
    ({"drivers": [{"title": "", "text": "{m}"}]}, 'drivers[0].text: unknown number "m"'),
    ({"numbers": {"d": {"experiment": "first", "a": "Alpha", "times": ["x"]}}},
     '"x" is no step and no "end"'),
    ({"answers": [{"paper": "", "shows": "", "claim": "C1", "panels": ["two"]}]},
     'answers[0].panels: unknown panel of the claim "two"'),
    ({"figures": {"figure-1": {"views": 3}}}, "figures.figure-1.views: must be a list, not 3"),
    ({"figures": {"figure-1": {"views": [{"experiment": "first", "grups": []}]}, "figure-2": {}}},
     'figures.figure-1.views[0]: unknown field "grups"; did you mean "groups"?'),
])
def test_bad_input_is_one_line_and_overwrites_nothing(
        change: dict[str, Any], message: str, results: Path, claims_file: Path, tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    claims_file.write_text(json.dumps(json.loads(claims_file.read_text()) | change))
    page_file = tmp_path / "r.html"
    page_file.write_text("before")
    code = main([str(results), "--claims", str(claims_file), "--out", str(page_file),
                 "--markdown", str(tmp_path / "r.md"), "--tables", str(tmp_path / "tables")])
    error = capsys.readouterr().err
    assert code == 2 and error.startswith("lgkt.report: ") and error.count("\n") == 1
    assert message in error
    assert page_file.read_text() == "before" and not (tmp_path / "tables").exists()


def test_what_fails_is_one_line(results: Path, tmp_path: Path,
                                capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, code, said in (
            (["none"], 2, "none: there is no such folder"),
            ([str(results), "--claims", str(tmp_path / "no.json")], 2, "no.json: No such file"),
            ([str(results), "--figure", "figure-1"], 2, 'there is no figure "figure-1"'),
            ([str(results / "second"), "--out", str(tmp_path)], 2, "Is a directory")):
        assert main(arguments) == code
        error = capsys.readouterr().err
        assert error.startswith("lgkt.report: ") and error.count("\n") == 1 and said in error


@pytest.mark.parametrize("said", ["", "{", "3", '{"panels": 3}', '{"panels": [{"learners": [3]}]}'])
def test_damaged_timings_are_one_line(said: str, results: Path, tmp_path: Path,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(results / "second", tmp_path / "second"))
    (folder / "timings.json").write_text(said)
    assert main([str(folder), "--markdown", str(tmp_path / "r.md")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "timings.json: not what the command writes" in error


def test_odd_names_in_markdown_and_commands(results: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(results / "second", tmp_path / "second"), "manifest.json")
    manifest = json.loads(path.read_text())
    manifest.update(experiment="a b", source={"file": "a b.json", "hash": ""})
    path.write_text(json.dumps(manifest))
    text = page.markdown(page.Report(read(tmp_path), None, {}))
    assert "(figures/a%20b.svg)" in text and "[a b](results/a%20b.md)" in text
    assert "# Second A&lt;b>" in text and "lgkt reproduce 'a b.json' --seed 1" in text


def test_what_is_missing_is_named(results: Path, monkeypatch: pytest.MonkeyPatch,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "lgkt.report.page")
    monkeypatch.delattr(lgkt.report, "page")
    monkeypatch.setitem(sys.modules, "jinja2", None)  # type: ignore[arg-type]
    assert main([str(results)]) == 1
    assert capsys.readouterr().err == (
        'lgkt.report needs Jinja2: pip install "lgkt[report]"\n')


@needs_command
def test_a_run_of_the_command_gives_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run([COMMAND, "run", "--env", "riverswim:states=4", "--learner", "lg1t", "--learner",
                    "ucrl2", "--horizon", "500", "--replicates", "3", "--out", "own", "--quiet"],
                   check=True, capture_output=True)
    assert main(["own"]) == 0 and capsys.readouterr().out == "report.html\n"
    tree = Tree((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "ucrl2" in tree.text and sum(tag == "svg" for tag, _ in tree.tags) == 1
