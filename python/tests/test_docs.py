# SPDX-License-Identifier: MIT
"""The pages of the docs about Python, the examples and the notebook say what is so.

A block ``python``, ``c`` or ``sh`` of a page is run; a block ``text`` right after it is what it
prints. Python blocks of a page are one program. Run as a program, this file writes all that is
shown anew:

    python python/tests/test_docs.py
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from command import COMMAND, ROOT

import lgkt

PAGE, BESIDE = ROOT / "docs/python.md", ROOT / "docs/side-by-side.md"
LOGS, README = ROOT / "docs/logs.md", ROOT / "README.md"
WHY, EPISODES = ROOT / "docs/explain.md", ROOT / "docs/episodes.md"
EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))
NOTEBOOK = ROOT / "python/examples/tour.ipynb"
PACKAGE = str(Path(lgkt.__file__).resolve().parents[1])  # other processes import the same one
BUILT = Path(COMMAND).parent
LIBRARY = BUILT / "liblgkt.a"
PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <lgkt/lgkt.h>
#ifdef LGKT_IO
#include <lgkt/io.h>
#endif
int main(void)
{
%s
}
"""


class Block(NamedTuple):
    """Code of a page, and what it shows after it; None: nothing is shown."""

    line: int
    language: str
    code: str
    shown: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    form = r"^```(\w+)\n(.*?)^```$(?:\n\n?(?:It prints\n\n)?```text\n(.*?)^```$)?"
    return [Block(text.count("\n", 0, found.start()) + 2, *found.groups())
            for found in re.finditer(form, text, re.M | re.S)]


def same(printed: str, shown: str) -> bool:
    """Speeds, in the last column behind a share, differ from run to run; so may what is left
    out, shown as three points."""
    printed, shown = (re.sub(r"(?<=[%-]) +[\d.]+( M)?$", "", text, flags=re.M)
                      for text in (printed, shown))
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


# ---- running a block ----


def run_python(block: Block, names: dict[str, Any], page: Path) -> str:
    # errors name the line of the page
    code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def run_shell(block: Block) -> str:
    found = f"{BUILT}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-ec", block.code], check=True, stdout=subprocess.PIPE,
                          text=True, env={**os.environ, "PATH": found}).stdout


def run_c(block: Block) -> str:
    Path("block.c").write_text(PROGRAM % block.code, encoding="utf-8")
    uses_io = "lgkt_io_" in block.code
    libraries = [str(BUILT / f"lib{name}.a") for name in ["lgkt-io"] * uses_io + ["lgkt"]]
    flags = ["-std=c17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    flags += ["-DLGKT_IO"] * uses_io
    subprocess.run(["cc", *flags, "block.c", "-o", "block", *libraries,
                    *["-ljansson"] * uses_io, "-lm"], check=True)
    return subprocess.run(["./block"], check=True, stdout=subprocess.PIPE, text=True).stdout


def printed_blocks(page: Path) -> Iterator[tuple[Block, str]]:
    """All blocks of a page that can be run here, with what they print, in the folder at hand."""
    names: dict[str, Any] = {"__name__": "__main__"}
    if page == LOGS:
        run_example(ROOT / "python/examples/reminders.py")
    for block in blocks(page):
        # what the command wrote before is read
        if block.language == "python" and (COMMAND or "lgkt.report.read(" not in block.code):
            yield block, run_python(block, names, page)
        elif page == BESIDE and block.language == "sh" and COMMAND:
            yield block, run_shell(block)
        elif page == BESIDE and block.language == "c" and LIBRARY.exists() and shutil.which("cc"):
            yield block, run_c(block)


# ---- pages ----


@pytest.fixture
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and figures that need no screen."""
    for name in ("gymnasium", "matplotlib", "pandas", "pyarrow", "scipy"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    return tmp_path


@pytest.mark.parametrize(
    "page", [PAGE, BESIDE, WHY, LOGS, EPISODES, README], ids=lambda page: page.stem
)
def test_page(page: Path, aside: Path) -> None:
    done = list(printed_blocks(page))
    assert done
    shown: str | None = None
    for block, printed in reversed(done):
        # what several blocks print is shown once, after the last of them
        shown = block.shown if block.shown is not None else shown
        where = f"{page.name}:{block.line}"
        silent = block.shown is None and printed == ""
        assert silent or same(printed, shown or ""), f"{where} prints\n{printed}and shows\n{shown}"
    if page == BESIDE and {block.language for block, _ in done} != {"python", "c", "sh"}:
        pytest.skip("Python passed; the command and the library in C are not built")


def test_episodes_shows_what_its_program_prints() -> None:
    printed = (ROOT / "examples/episodes.out").read_text(encoding="utf-8")
    shown = "".join(f"    {line}\n" for line in printed.splitlines())
    assert shown in EPISODES.read_text(encoding="utf-8")


def test_figures_of_the_readme_are_those_of_the_results(aside: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "scripts/front_figures"), str(aside)], check=True,
                   env={**os.environ, "PYTHONPATH": PACKAGE})
    drawn = sorted(aside.glob("*.svg"))
    assert len(drawn) == 2
    for figure in drawn:
        assert figure.read_bytes() == (ROOT / "docs/figures" / figure.name).read_bytes()
        assert f"docs/figures/{figure.name}" in README.read_text(encoding="utf-8")


# ---- examples and the notebook ----


def run_example(path: Path) -> str:
    return subprocess.run([sys.executable, str(path)], check=True, stdout=subprocess.PIPE,
                          text=True, env={**os.environ, "PYTHONPATH": PACKAGE}).stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_prints_what_it_did(path: Path, aside: Path) -> None:
    assert same(run_example(path), path.with_suffix(".out").read_text(encoding="utf-8"))


def test_notebook(aside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", PACKAGE)
    monkeypatch.delenv("MPLBACKEND")  # the kernel draws into the notebook
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    # warnings would be here
    assert not [output for output in outputs if output.get("name") == "stderr"]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert kinds.count("text/html") >= 3 and kinds.count("image/png") >= 2


def write_anew() -> None:
    """Put what is printed now into pages and files of output."""
    os.environ["MPLBACKEND"] = "agg"
    for page in (PAGE, BESIDE, WHY, LOGS, EPISODES, README):
        lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block, printed in reversed(list(printed_blocks(page))):
                if block.shown is not None and not same(printed, block.shown):
                    begin = block.line - 1 + block.code.count("\n")
                    begin = next(i for i in range(begin, len(lines)) if lines[i] == "```text\n") + 1
                    lines[begin : begin + block.shown.count("\n")] = [printed]
        page.write_text("".join(lines), encoding="utf-8")
    for path in EXAMPLES:
        out = path.with_suffix(".out")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            printed = run_example(path)
        if not out.exists() or not same(printed, out.read_text(encoding="utf-8")):
            out.write_text(printed, encoding="utf-8")


if __name__ == "__main__":
    write_anew()
