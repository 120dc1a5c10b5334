# SPDX-License-Identifier: MIT
"""The lines of docs/serve.md, as they stand there, and the client in C."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from conftest import COMMAND, CONFIG

ROOT = pathlib.Path(__file__).parents[2]


def shell_blocks():
    text = (ROOT / "docs/serve.md").read_text()
    return re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_lines_of_the_docs(start, tmp_path):
    server = start()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/lgkt").symlink_to(pathlib.Path(COMMAND).resolve())
    lines = "".join(shell_blocks())
    assert lines.count("lgkt serve --data data &\n") == 1 and lines.count("curl -s") > 15
    # the server is there already, at another port; an answer of 400 or more fails
    script = 'set -e\ncurl() { command curl --fail-with-body "$@"; }\n' + lines.replace(
        "lgkt serve --data data &\n", ""
    ).replace("8077", str(server.port))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
    )
    assert done.returncode == 0, (done.stdout[-1500:], done.stderr[-1500:])
    assert '"decision":0,"probability":0.5' in done.stdout, "the docs show another decision"
    assert (tmp_path / "log.csv").stat().st_size > 0
    assert (tmp_path / "log.jsonl").stat().st_size > 0


def test_the_client_in_c(start, tmp_path):
    server = start()
    server.make()
    program = tmp_path / "client"
    flags = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]
    compiler = shutil.which("cc") or "gcc"
    subprocess.run([compiler, *flags, "-o", program, ROOT / "examples/serve/client.c"], check=True)

    def run(*arguments, port=server.port, token=server.token):
        return subprocess.run(
            [program, str(port), *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "LGKT_TOKEN": token},
        )

    state = json.dumps({"mood": 1, "time": "am"})
    first = run("berg", "p17", "p17/am", state, "0.7")
    assert first.returncode == 0, first
    assert first.stdout.startswith("decision 0: ") and "reward 0.7 reported" in first.stdout
    # the same occasion again is the same decision, and nothing is new
    assert run("berg", "p17", "p17/am", state, "0.7").stdout == first.stdout
    decision = server.ask("GET", "/v1/programmes/berg/decisions/0").json
    assert decision["action"] in CONFIG["actions"] and decision["action"] in first.stdout
    assert [one["reward"] for one in decision["reports"]] == [0.7]
    # what is wrong is said in the server's words
    wrong = run("berg", "p17", "p17/pm", '{"mood": 7, "time": "am"}')
    assert wrong.returncode == 1 and "mood" in wrong.stderr
    other = run("berg", "p17", "p17/am", state, "0.8")
    assert other.returncode == 1 and "0.7 already" in other.stderr
    assert run("berg", "p17", "k", state, token="lgkt_wrong").returncode == 1
