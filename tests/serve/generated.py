# SPDX-License-Identifier: MIT
"""generated.py ENVIRONMENT: a client that openapi-python-client generates from the OpenAPI file
works: makes a programme, decides, asks again, reports, looks, changes and erases, by
its types alone.

The tool and what its clients need are in a virtual environment of their own; there this file runs
again, with `--use ADDRESS TOKEN`.
"""

import os
import pathlib
import subprocess
import sys
import tempfile


def use(address: str, token: str) -> None:
    # generated a moment ago
    from made_client import AuthenticatedClient, models
    from made_client.api.default import (
        change_programme,
        create_programme,
        decide,
        erase_unit,
        explain,
        export,
        list_programmes,
        monitor,
        policy,
        report,
        show_unit,
    )

    client = AuthenticatedClient(base_url=address, token=token, raise_on_unexpected_status=True)
    config = models.NewProgramme.from_dict(
        {
            "name": "berg",
            "learner": "auto",
            "actions": ["nothing", "message"],
            "horizon": 1000,
            "unit_limit": 10,
            "seed": 42,
            "state": [{"name": "mood", "values": 3}],
        }
    )
    made = create_programme.sync(client=client, body=config, idempotency_key="make")
    assert isinstance(made, models.Programme) and made.mode == models.Mode.LIVE, made

    occasion = models.Occasion.from_dict({"unit": "p17", "state": {"mood": 1}})
    first = decide.sync("berg", client=client, body=occasion, idempotency_key="p17/am")
    assert isinstance(first, models.Decision) and first.action in ("nothing", "message"), first
    assert decide.sync("berg", client=client, body=occasion, idempotency_key="p17/am") == first
    # a refusal is a value of its own type, with the server's line
    wrong = models.Occasion.from_dict({"unit": "p17", "state": {"mood": 7}})
    problem = decide.sync("berg", client=client, body=wrong, idempotency_key="p17/pm")
    assert (
        isinstance(problem, models.Problem) and problem.status == 422 and "mood" in problem.detail
    )

    told = [
        models.ReportsItem(decision=first.decision, reward=0.5),
        models.ReportsItem(decision=99),
    ]
    statuses = [one.status for one in report.sync("berg", client=client, body=told)]
    assert statuses[0] == 200 and statuses[1] >= 400, statuses
    question = models.Question.from_dict({"state": {"mood": 1}})
    reasons = explain.sync("berg", client=client, body=question)
    assert abs(sum(one.probability for one in reasons.actions) - 1) < 1e-9, reasons
    assert len(policy.sync("berg", client=client).policy) == 3
    assert len(show_unit.sync("berg", "p17", client=client).records) == 2
    assert monitor.sync("berg", client=client).additional_properties["light"] == "green"
    log = export.sync_detailed("berg", client=client)
    assert log.status_code == 200 and log.content.count(b"\n") == 2, log
    changed = change_programme.sync(
        "berg",
        client=client,
        body=models.Change(mode=models.Mode.PAUSED),
        idempotency_key="pause",
        if_match="*",
    )
    assert changed.mode == models.Mode.PAUSED, changed
    assert erase_unit.sync("berg", "p17", client=client).unit.startswith("erased-")
    assert [one.name for one in list_programmes.sync(client=client).programmes] == ["berg"]
    print("the generated client: 12 calls")


def main() -> None:
    from conftest import Server

    environment = pathlib.Path(sys.argv[1]).resolve() / "bin"
    with tempfile.TemporaryDirectory() as folder:
        server = Server(f"{folder}/data")
        try:
            table = pathlib.Path(folder) / "openapi.json"
            table.write_bytes(server.ask("GET", "/openapi.json", token=None).body)
            # in the path is the tool that lays out what was generated
            tools = {
                **os.environ,
                "PATH": f"{environment}:{os.environ['PATH']}",
                "PYTHONPATH": folder,
            }
            made = subprocess.run(
                [
                    environment / "openapi-python-client",
                    "generate",
                    "--path",
                    table,
                    "--meta",
                    "none",
                    "--output-path",
                    f"{folder}/made_client",
                    "--fail-on-warning",
                ],
                env=tools,
                check=False,
            )
            assert made.returncode == 0, "something of the OpenAPI file was not generated"
            subprocess.run(
                [
                    environment / "python",
                    __file__,
                    "--use",
                    f"http://127.0.0.1:{server.port}",
                    server.token,
                ],
                env=tools,
                check=True,
                timeout=120,
            )
        finally:
            assert server.stop() == 0, server.said()


if __name__ == "__main__":
    if sys.argv[1] == "--use":
        use(*sys.argv[2:])
    else:
        main()
