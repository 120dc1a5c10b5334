# SPDX-License-Identifier: MIT
"""Who may do what; and that nobody without a token learns what there is."""

import itertools
import os
import re
import sqlite3
import stat
import time

from conftest import CONFIG, OCCASION, command

P = "/v1/programmes/berg"


def test_the_first_start_makes_a_token(start):
    server = start()
    file = server.token_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((server.folder / "tokens.db").stat().st_mode) == 0o600
    assert re.fullmatch(r"lgkt_[A-Za-z0-9_-]{43}", server.token)
    server.make()
    for made in (server.folder, *server.folder.iterdir()):
        assert stat.S_IMODE(made.stat().st_mode) & 0o077 == 0, made
    held = (server.folder / "tokens.db").read_bytes()
    assert server.token.encode() not in held and server.token[5:].encode() not in held
    assert server.stop() == 0
    server.start()
    assert server.ask("GET", "/v1/programmes").status == 200, "a second start makes no other"
    with sqlite3.connect(server.folder / "tokens.db") as file:
        assert file.execute("SELECT count(*) FROM token").fetchone() == (1,)


def routes(server):
    for path, operations in server.ask("GET", "/openapi.json", token=None).json["paths"].items():
        for method, operation in operations.items():
            yield method.upper(), path, operation


def test_without_a_token_nothing_is_told(server):
    """The answer is byte for byte the same for what is there and what is not."""
    for (method, path, operation), token in itertools.product(
        routes(server), [None, "lgkt_" + "x" * 43, server.token[:-1], server.token + "x"]
    ):
        if operation.get("security") == []:
            assert server.ask(method, path, token=token).status == 200
            continue
        seen = set()
        for name in ("berg", "other", "%00", "x" * 100):
            real = path.replace("{p}", name).replace("{n}", "0").replace("{u}", "p17")
            for body in (None, OCCASION):
                answer = server.ask(method, real, body, token=token, key="a")
                assert answer.status == 401 and answer.headers["WWW-Authenticate"].startswith(
                    "Bearer"
                )
                seen.add(answer.body)
        assert len(seen) == 1
    for path in ("/v1", "/v1/", "/v1/else", "/v1/programmes/berg/else"):
        assert server.ask("GET", path, token=None).status == 401
    for scheme in ("Basic", "Token", ""):
        assert (
            server.ask(
                "GET", P, token=None, headers={"Authorization": f"{scheme} {server.token}"}
            ).status
            == 401
        )


def test_roles(server):
    may = {
        "decide": {
            "listProgrammes",
            "showProgramme",
            "decide",
            "decideBatch",
            "takeDecision",
            "report",
            "explain",
            "showDecision",
        },
        "read": {
            "listProgrammes",
            "showProgramme",
            "explain",
            "policy",
            "policyOf",
            "showDecision",
            "showUnit",
            "monitor",
            "export",
            "metrics",
        },
    }
    for role, names in may.items():
        token = server.add_token(f"role-{role}", role)
        for method, path, operation in routes(server):
            if operation.get("security") == []:
                continue
            real = path.replace("{p}", "berg").replace("{n}", "0").replace("{u}", "nobody")
            answer = server.ask(
                method,
                real,
                {} if "requestBody" in operation else None,
                token=token,
                headers={"If-Match": "*"},
                key=f"{role} {operation['operationId']}",
            )
            allowed = operation["operationId"] in names
            assert (answer.status != 403) == allowed, (role, operation["operationId"], answer)


def test_a_token_for_one_programme_sees_no_other(start):
    server = start()
    server.make()
    server.make(name="other")
    token = server.add_token("one", "admin", "--programme", "berg")
    assert server.ask("GET", P, token=token).status == 200
    answers = {
        server.ask("GET", f"/v1/programmes/{name}", token=token).body for name in ("other", "none")
    }
    assert len(answers) == 1 and b"403" in answers.pop()
    listed = server.ask("GET", "/v1/programmes", token=token).json["programmes"]
    assert [one["name"] for one in listed] == ["berg"]
    metrics = server.ask("GET", "/metrics", token=token).body
    assert b'"berg"' in metrics and b'"other"' not in metrics
    for name in ("other", "third"):
        assert (
            server.ask(
                "POST", "/v1/programmes", {**CONFIG, "name": name}, key=name, token=token
            ).status
            == 403
        )


def test_revoked_and_listed(start):
    server = start()
    server.make()
    token = server.add_token("shop", "decide", "--programme", "berg", "--rate", "1000")
    assert server.decide("a", token=token).status == 201
    listed = command("serve", "token", "list", "--data", str(server.folder)).stdout
    assert re.search(r"shop +decide +berg +1000 ", listed) and token not in listed
    command("serve", "token", "revoke", "--data", str(server.folder), "--name", "shop")
    time.sleep(0.7)
    assert server.decide("b", token=token).status == 401


def test_the_rate_of_a_token(start):
    server = start()
    token = server.add_token("slow", "read", "--rate", "5")
    answers = [server.ask("GET", "/v1/programmes", token=token) for _ in range(20)]
    refused = [one for one in answers if one.status == 429]
    assert 10 <= len(refused) <= 15 and int(refused[0].headers["Retry-After"]) >= 1
    assert server.ask("GET", "/v1/programmes").status == 200, "others are not held up"
    time.sleep(1.1)
    assert server.ask("GET", "/v1/programmes", token=token).status == 200


def test_words_of_the_command(start, tmp_path):
    server = start()
    data = ["--data", str(server.folder)]
    new = ["--data", str(tmp_path / "new")]
    for words, code, said in [
        (["token"], 2, "add, list, revoke"),
        (["token", "make"], 2, "add, list, revoke"),
        (["token", "add"], 2, "--data"),
        (["token", "add", *data], 2, "--name"),
        (["token", "add", *data, "--name", "a"], 2, "--role"),
        (["token", "add", *data, "--name", "a", "--role", "root"], 2, "root"),
        (["token", "add", *data, "--name", "a b", "--role", "read"], 2, "a b"),
        (["token", "add", *data, "--name", "admin", "--role", "read"], 2, "already"),
        (
            ["token", "add", *data, "--name", "a", "--role", "read", "--programme", "../x"],
            2,
            "../x",
        ),
        (["token", "revoke", *data, "--name", "none"], 2, "none"),
        (["token", "list", "--data", str(tmp_path / "none")], 2, "none"),
        (["tokne"], 2, "token"),
        ([], 2, "--data"),
        (["verify"], 2, "file"),
        (["verify", "a", "b"], 2, "file"),
        (["verify", str(tmp_path / "none.db")], 2, "none.db"),
        (["export", str(tmp_path / "none.db"), "--format", "xml"], 2, "xml"),
        (["backup", str(tmp_path / "none.db")], 2, "--out"),
        ([*new, "--listen", "here"], 2, "here"),
        ([*new, "--listen", "127.0.0.1:70000"], 2, "70000"),
        ([*new, "--reserve", "much"], 2, "much"),
        ([*new, "--reserve", "9999T"], 2, "9999T"),
        ([*new, "--listen", f"127.0.0.1:{server.port}"], 1, "in use"),
    ]:
        done = command("serve", *words, code=code)
        assert said in done.stderr and done.stderr.count("\n") == 1, (words, done)
    assert os.path.exists(server.token_file())
