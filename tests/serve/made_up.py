# SPDX-License-Identifier: MIT
"""made_up.py SCHEMATHESIS: requests that schemathesis makes from the OpenAPI file, good and bad ones,
against a server of its own. No answer may be a 5xx, of another kind than the file says, or of a
status that it does not have. LGKT_ROUNDS says how many."""

import os
import subprocess
import sys
import tempfile

from conftest import ROUNDS, Server

# these of its checks do not hold here: a body that is against the schema may well be a state that
# is not (422 is told then), and what is made up has no token where one is checked
LEFT_OUT = "positive_data_acceptance"


def main():
    with tempfile.TemporaryDirectory() as folder:
        server = Server(f"{folder}/data")
        server.make()
        for i in range(5):
            server.decide(f"k{i}")
        command = [
            sys.argv[1],
            "run",
            f"http://127.0.0.1:{server.port}/openapi.json",
            "--header",
            f"Authorization: Bearer {server.token}",
            "--checks",
            "all",
            "--exclude-checks",
            LEFT_OUT,
            "--max-examples",
            str(20 * ROUNDS),
            "--seed",
            "1",
            "--generation-database",
            "none",
            "--suppress-health-check",
            "all",
            "--no-color",
        ]
        done = subprocess.run(command, env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": folder})
        alive = server.process.poll() is None
        code = server.stop() if alive else None
        print(server.said()[-2000:])
        raise SystemExit(done.returncode or not alive or code)


if __name__ == "__main__":
    main()
