# SPDX-License-Identifier: MIT
"""made_up.py SCHEMATHESIS: requests that schemathesis makes up from the OpenAPI file, good and bad.

First with names of programmes that are made up, too, then about one that is there, and last changes
of that one. No answer may be a 5xx, of another kind than the file says, or of a status that it does
not have there. LGKT_ROUNDS says how many.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from conftest import ROUNDS, Server

# a body that is right by its schema may name an action that is not there, and is then refused; what
# lacks If-Match is told 428
LEFT_OUT = "positive_data_acceptance,missing_required_header"
CHANGES, REPORTS = "changeProgramme", "report"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(f"{folder}/data")
        server.make()
        for i in range(5):
            server.decide(f"k{i}")
        table = server.ask("GET", "/openapi.json", token=None).json
        any_name = pathlib.Path(folder) / "any.json"
        any_name.write_text(json.dumps(table))
        schemas = table["components"]["schemas"]
        schemas["Name"]["enum"] = ["berg"]
        schemas["UnitName"]["enum"] = ["p17", "p18"]
        schemas["Number"]["maximum"] = 5
        there = pathlib.Path(folder) / "there.json"
        there.write_text(json.dumps(table))
        failed = 0
        for file, left_out, chosen in [
            (any_name, LEFT_OUT, []),
            (there, LEFT_OUT, [f"--exclude-operation-id={name}" for name in (CHANGES, REPORTS)]),
            # reports are refused one by one, in an answer that is 200
            (there, LEFT_OUT + ",negative_data_rejection", ["--include-operation-id", REPORTS]),
            (there, LEFT_OUT, ["--include-operation-id", CHANGES]),
        ]:
            command = [
                *(sys.argv[1], "run", str(file), "--url", f"http://127.0.0.1:{server.port}"),
                *("--header", f"Authorization: Bearer {server.token}", "--checks", "all"),
                *("--exclude-checks", left_out, "--max-examples", str(20 * ROUNDS), "--seed", "1"),
                *("--generation-database", "none", "--suppress-health-check", "all", "--no-color"),
                *chosen,
            ]
            done = subprocess.run(command, cwd=folder, env={**os.environ, "HOME": folder})
            failed += done.returncode != 0
        alive = server.process.poll() is None
        code = server.stop() if alive else 1
        print(server.said()[-2000:])
        raise SystemExit(1 if failed or code else 0)


if __name__ == "__main__":
    main()
