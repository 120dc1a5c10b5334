# SPDX-License-Identifier: MIT
"""The wheel in an environment that has nothing but NumPy beside it: its command, what is missing,
and the first lines of the README."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest
from command import COMMAND, ROOT, needs_command
from test_docs import blocks, same

import lgkt
from lgkt.__main__ import COMPILED, OURS

WHEEL = os.environ.get("LGKT_WHEEL")
pytestmark = pytest.mark.skipif(WHEEL is None, reason="LGKT_WHEEL does not name the wheel")


class Place:
    """A virtual environment."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.python = self.bin / "python"
        self.site = folder / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("PYTHON", "LGKT", "VIRTUAL_ENV"))}
        self.environment["PATH"] = f"{self.bin}:{os.environ['PATH']}"

    def start(self, *words: object) -> subprocess.Popen[str]:
        return subprocess.Popen(list(map(str, words)), env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *words: object) -> tuple[int, str, str]:
        process = self.start(*words)
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err

    def lgkt(self, *words: object) -> tuple[int, str, str]:
        return self.run(self.bin / "lgkt", *words)


def install(folder: Path) -> Place:
    place = Place(folder)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    # NumPy is what is installed already, so that no network is needed
    found = Path(np.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (found / name).exists():
            (place.site / name).symlink_to(found / name)
    pip = f"-m pip --python {place.python} --disable-pip-version-check install --quiet --no-deps"
    subprocess.run([sys.executable, *pip.split(), "--no-index", str(WHEEL)], check=True)
    return place


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return install(tmp_path_factory.mktemp("empty"))


@pytest.fixture
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- the README ----


def test_readme_prints_what_it_says(place: Place, aside: Path) -> None:
    """Its first program in Python, as a stranger would run it."""
    first = next(block for block in blocks(ROOT / "README.md") if block.language == "python")
    assert first.shown is not None
    Path("first.py").write_text(first.code, encoding="utf-8")
    code, out, err = place.run(place.python, "first.py")
    assert (code, err) == (0, "")
    assert same(out, first.shown), out


# ---- the command ----


def test_the_command_is_there(place: Place, aside: Path) -> None:
    assert place.lgkt("--version") == (0, f"lgkt {lgkt.__version__}\n", "")
    code, out, err = place.lgkt("reproduce", "riverswim-5", "--replicates", 2, "-q")
    assert code == 0, err
    assert Path("results/riverswim-5/summary.csv").exists()
    code, out, _ = place.lgkt("help")
    assert code == 0 and "\n  run " in out and "\n  log " in out


@needs_command
def test_it_is_that_of_the_build(place: Place, aside: Path) -> None:
    """Beside the README's build/lgkt: the same numbers, from the same experiments."""
    for words in ("run --env riverswim:states=5 --learner auto -t 500 -n 3 --curve here",
                  "reproduce riverswim-5 -n 3 -q --out here", "list --json",
                  "plan --env riverswim:states=5 --horizon 100"):
        told = []
        for program in (place.bin / "lgkt", COMMAND):
            shutil.rmtree("here", ignore_errors=True)
            Path("here").unlink(missing_ok=True)
            code, out, err = place.run(program, *words.split())
            assert code == 0, err
            files = [path for path in sorted(Path(".").rglob("*"))
                     if path.is_file() and path.suffix == ".csv" or path.name == "here"]
            told.append((re.sub(r"[\d.]+( M)?\n", "\n", out),
                         [path.read_bytes() for path in files if path.is_file()]))
        assert told[0] == told[1], words


def test_the_module_is_the_command(place: Place, aside: Path) -> None:
    module = [place.python, "-m", "lgkt"]
    assert place.run(*module, "--version")[1] == f"lgkt {lgkt.__version__}\n"
    for part in (1, 2):
        code, _, err = place.run(*module, "reproduce", "frozenlake", "-n", 2, "--shard",
                                 f"{part}/2", "-q")
        assert code == 0, err
    assert place.run(*module, "merge", "results/frozenlake")[0] == 0
    assert Path("results/frozenlake/summary.csv").exists()
    for words, code, said in ((["rnu"], 2, 'did you mean "run"'), (["lgo"], 2, '"log"'),
                              ([], 2, "usage: lgkt"),
                              (["run", "--env", "riverswm", "--learner", "auto"], 2, "riverswim"),
                              (["serve", "--data", "d"], 1, "built without what serving needs")):
        found, _, err = place.run(*module, *words)
        assert found == code and said in err, err


def test_interrupt(place: Place, aside: Path) -> None:
    for start in ([place.bin / "lgkt"], [place.python, "-m", "lgkt"]):
        shutil.rmtree("results", ignore_errors=True)
        process = place.start(*start, "reproduce", "synthetic-100", "-j", 1)
        until = time.monotonic() + 60
        while not list(Path(".").rglob("journal.bin")) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130 and "interrupted" in err


# ---- what is not there ----


def test_what_is_missing_is_named(place: Place, aside: Path) -> None:
    logs = 'lgkt.Log needs pandas, pyarrow and SciPy: pip install "lgkt[logs]"\n'
    assert place.lgkt("log", "check", "x.csv") == (1, "", f"lgkt log: {logs}")
    Path("empty").mkdir()
    code, _, err = place.lgkt("report", "empty")
    assert (code, err) == (
        1, 'lgkt.report needs Jinja2, matplotlib and pandas: pip install "lgkt[report]"\n')
    program = """
import lgkt, pydoc, warnings
from lgkt import *
result = lgkt.run("chain", "auto", 100, 2)
model = lgkt.Env("chain").model
found = lgkt.compare("chain", ["auto", "random"], 100, 2)
for attempt in (lambda: lgkt.gym, lambda: lgkt.Log, result.plot, result.to_pandas, model.sparse,
                found.plot, found.table, found.to_pandas,
                lambda: lgkt.run("chain", "auto", 100, 2, progress=True),
                lambda: lgkt.reproduce("frozenlake", client=1)):
    try:
        attempt()
    except ModuleNotFoundError as why:
        print(why)
print([name for name in dir(lgkt) if name in ("Log", "gym", "log", "report", "serve")])
print(len(pydoc.render_doc(lgkt)) > 1000, lgkt.report.read.__name__, lgkt.serve.Client.__name__)
"""
    code, out, err = place.run(place.python, "-c", program)
    assert err == "" and out.splitlines() == [
        'lgkt.gym needs Gymnasium: pip install "lgkt[gym]"',
        logs.strip(),
        'Result.plot needs matplotlib: pip install "lgkt[plot]"',
        'Result.to_pandas needs pandas: pip install "lgkt[pandas]"',
        'Model.sparse needs SciPy: pip install "lgkt[sparse]"',
        'Comparison.plot needs matplotlib: pip install "lgkt[plot]"',
        'Comparison.table needs pandas: pip install "lgkt[pandas]"',
        'Comparison.to_pandas needs pandas: pip install "lgkt[pandas]"',
        'progress=True needs tqdm: pip install "lgkt[progress]"',
        'client needs dask.distributed: pip install "lgkt[dask]"',
        "['report', 'serve']",
        "True read Client",
    ]


def test_without_the_compiled_command(place: Place, aside: Path, tmp_path: Path) -> None:
    """As where jansson was missing when the wheel was built."""
    compiled = place.site / "lgkt/bin/lgkt"
    listed = re.findall(r"^  ([a-z]+) ", place.lgkt("help")[1], re.M)
    assert sorted(listed) == sorted([*COMPILED, *OURS])
    hidden = compiled.with_name("hidden")
    compiled.rename(hidden)
    try:
        assert place.lgkt("--version")[:2] == (0, f"lgkt {lgkt.__version__}\n")
        code, _, err = place.lgkt("run", "--env", "chain")
        assert code == 1 and err.count("\n") == 1
        assert err.startswith("lgkt run needs the compiled command") and "lgkt.run" in err
        assert place.lgkt("rnu")[0] == 2 and "jansson" in place.lgkt("help")[1]
        assert place.lgkt("log", "--help")[0] == 1 and place.lgkt()[0] == 2
    finally:
        hidden.rename(compiled)
    compiled.chmod(0o644)
    try:
        code, _, err = place.lgkt("list")
        assert code == 1 and err == f"lgkt: {compiled}: Permission denied\n"
    finally:
        compiled.chmod(0o755)
