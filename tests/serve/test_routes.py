# SPDX-License-Identifier: MIT
"""Every route, every status that the OpenAPI file has for it, and what retries get."""

import concurrent.futures
import csv
import io
import json
import random
import re
import time
import urllib.parse

import pytest
from conftest import CONFIG, OCCASION

P = "/v1/programmes/berg"


def problem(answer, status, word=""):
    assert answer.status == status, answer
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json
    assert body["status"] == status and body["type"].startswith("/problems/")
    assert word in body["detail"], body
    return body


# ---- decisions ----


def test_a_decision(server):
    answer = server.decide("routes/1")
    assert answer.status == 201, answer
    body = answer.json
    assert body["action"] in OCCASION["allowed"]
    assert abs(sum(body["propensities"].values()) - 1) < 1e-12
    assert body["propensities"][body["action"]] == body["probability"] >= 0.02 - 1e-15
    assert len(body["receipt"]) == 32 and body["seq"] >= 2


def test_a_retry_gets_the_same_bytes(server):
    first = server.decide("routes/2")
    assert [server.decide("routes/2").body for _ in range(3)] == [first.body] * 3
    assert server.decide('"routes/2"').body == first.body, "quotes are not part of the key"
    problem(server.decide("routes/2", unit="p18"), 422)


def test_a_key_is_needed(server):
    problem(server.ask("POST", f"{P}/decisions", OCCASION), 400, "Idempotency-Key")
    for key in ("", '""', "k" * 256, 'a"b', "a\\b", "\xe4"):
        problem(server.ask("POST", f"{P}/decisions", OCCASION, key=key), 400)
    problem(
        server.ask("POST", f"{P}/decisions", OCCASION, key="a", headers={"idempotency-KEY": "b"}),
        400,
    )


@pytest.mark.parametrize(
    "body, status, word",
    [
        ("", 400, "JSON"),
        ("{", 400, "JSON"),
        ("[]", 422, ""),
        ("nonsense", 400, "JSON"),
        ('{"unit":"a","unit":"b"}', 400, "unit"),
        (b"\xff\xfe", 400, ""),
        ('{"unit":"\\u0000"}', 400, ""),
        ("[" * 5000, 400, ""),
        ('{"unit":1e999}', 400, ""),
        ({**OCCASION, "colour": 3}, 422, "colour"),
        ({**OCCASION, "unit": ""}, 422, ""),
        ({**OCCASION, "unit": "u" * 129}, 422, ""),
        ({**OCCASION, "unit": 3}, 422, "unit"),
        ({**OCCASION, "state": {"mood": 7, "time": "am"}}, 422, "mood"),
        ({**OCCASION, "state": {"mood": 1, "tim": "am"}}, 422, "tim"),
        ({**OCCASION, "state": {"mood": 1, "time": "noon"}}, 422, "noon"),
        ({**OCCASION, "allowed": []}, 422, ""),
        ({**OCCASION, "allowed": ["mesage"]}, 422, "mesage"),
    ],
)
def test_bad_bodies(server, body, status, word):
    answer = server.ask("POST", f"{P}/decisions", body, key=f"bad {hash(str(body))}")
    problem(answer, status, word)


def test_media_types(server):
    body = json.dumps(OCCASION)
    for i, kind in enumerate(
        ["application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded"]
    ):
        assert (
            server.ask(
                "POST", f"{P}/decisions", body, key=f"type{i}", headers={"Content-Type": kind}
            ).status
            == 201
        )
    problem(
        server.ask(
            "POST", f"{P}/decisions", body, key="type", headers={"Content-Type": "text/xml"}
        ),
        415,
    )


def test_a_batch_is_taken_whole_or_not_at_all(server):
    many = [{**OCCASION, "unit": f"b{i}"} for i in range(100)]
    answer = server.ask("POST", f"{P}/decisions:batch", {"decisions": many}, key="batch/1")
    assert answer.status == 201, answer
    assert len(answer.json["decisions"]) == 100
    assert (
        server.ask("POST", f"{P}/decisions:batch", {"decisions": many}, key="batch/1").body
        == answer.body
    )
    before = server.ask("GET", P).json["decisions"]
    many[70] = {**OCCASION, "unit": "b70", "allowed": ["fly"]}
    refused = server.ask("POST", f"{P}/decisions:batch", {"decisions": many}, key="batch/2")
    assert problem(refused, 422, "fly")["index"] == 70
    assert server.ask("GET", P).json["decisions"] == before
    problem(server.ask("POST", f"{P}/decisions:batch", {"decisions": []}, key="batch/3"), 422)
    problem(
        server.ask(
            "POST",
            f"{P}/decisions:batch",
            {"decisions": [{**OCCASION, "unit": f"c{i}"} for i in range(1001)]},
            key="batch/4",
        ),
        422,
    )


def test_a_decision_taken_elsewhere(server):
    body = {**OCCASION, "unit": "t1", "action": "message", "probability": 0.5}
    answer = server.ask("POST", f"{P}/decisions:taken", body, key="taken/1")
    assert answer.status == 201 and answer.json["source"] == "taken", answer
    assert server.ask("POST", f"{P}/decisions:taken", body, key="taken/1").body == answer.body
    decided = server.decide("taken/2", unit="t2").json["decision"]
    replaced = server.ask("POST", f"{P}/decisions:taken", {**body, "unit": "t2"}, key="taken/2")
    assert replaced.status == 201 and replaced.json["replaced"] == decided, replaced
    # the one that was made first says that it was not executed
    shown = server.ask("GET", f"{P}/decisions/{decided}").json
    assert shown["executed"] is False and shown["replaced_by"] == replaced.json["decision"], shown
    rows = csv.DictReader(io.StringIO(server.ask("GET", f"{P}/export").body.decode()))
    by_number = {int(row["decision"]): row for row in rows}
    left = by_number[decided]
    assert (left["source"], left["reward"], left["cut"]) == ("not-executed", "", "true"), left
    assert by_number[replaced.json["decision"]]["source"] == "taken"
    problem(
        server.ask("POST", f"{P}/decisions:taken", {**body, "action": "call"}, key="taken/3"), 422
    )


# ---- reports ----


def test_reports_are_taken_one_by_one(server):
    number = server.decide("report/1", unit="r1").json["decision"]
    answer = server.ask(
        "POST",
        f"{P}/reports",
        [
            {"decision": number, "reward": 0.65},
            {"decision": 10**9, "reward": 1},
            {"decision": number, "reward": 0.65},
            {"decision": number, "reward": 2},
        ],
    )
    assert answer.status == 200, answer
    assert [one["status"] for one in answer.json] == [200, 404, 200, 409]
    assert "0.65" in answer.json[3]["detail"]
    for body in ({"decision": number}, [{"decision": number, "reward": "high"}], [{"reward": 1}]):
        answer = server.ask("POST", f"{P}/reports", body)
        assert answer.status == 422 or answer.json[0]["status"] == 422, answer


# ---- looking ----


def test_answers_have_one_form(server):
    """Names in order, nothing between them: a retry is answered from the records, by another start
    of the server, too."""

    def check(answer):
        wanted = json.dumps(answer.json, sort_keys=True, separators=(",", ":"))
        # numbers are printed in full
        plain = re.sub(rb"-?\d+\.\d+(e-?\d+)?", lambda m: repr(float(m[0])).encode(), answer.body)
        assert plain.decode() == wanted
        return answer.json

    item = {"unit": "f1", "state": OCCASION["state"]}
    one = check(server.decide("form/1", unit="f1"))
    batch = {"decisions": [item, {**item, "unit": "f2", "allowed": ["call", "plan"]}]}
    check(server.ask("POST", f"{P}/decisions:batch", batch, key="form/2"))
    server.decide("form/3", unit="f3")
    taken = {**item, "unit": "f3", "action": "call"}
    check(server.ask("POST", f"{P}/decisions:taken", taken, key="form/3"))
    reports = [{"decision": one["decision"], "reward": 0.5}, {"decision": "x"}, {"decision": 1.5}]
    told = check(server.ask("POST", f"{P}/reports", [*reports, {"decision": 10**9, "ended": True}]))
    assert [row["status"] for row in told] == [200, 422, 422, 404]
    assert [row["decision"] for row in told][1:3] == ["x", 1.5]


def test_looking_changes_nothing(server):
    before = server.ask("GET", P).json["seq"]
    reasons = server.ask("POST", f"{P}/explain", {"state": OCCASION["state"]})
    assert reasons.status == 200 and len(reasons.json["actions"]) == 4
    policy = server.ask("GET", f"{P}/policy")
    assert policy.status == 200 and len(policy.json["policy"]) == 6
    assert server.ask("GET", f"{P}/monitor").status == 200
    assert server.ask("GET", f"{P}/decisions/0").json["decision"] == 0
    problem(server.ask("GET", f"{P}/decisions/1000000000"), 404)
    problem(server.ask("GET", f"{P}/decisions/x"), 404)
    assert server.ask("GET", f"{P}/units/p17").json["unit"] == "p17"
    problem(server.ask("GET", f"{P}/units/nobody"), 404)
    assert server.ask("GET", P).json["seq"] == before
    listed = server.ask("GET", "/v1/programmes").json["programmes"]
    assert [(one["name"], one["state"], one["seq"]) for one in listed] == [
        ("berg", "ready", before)
    ]


def test_names_in_paths_are_decoded(server):
    name = "a/b %?#ü"
    path = f"{P}/units/{urllib.parse.quote(name, safe='')}"
    assert server.decide("unit/odd", unit=name).status == 201
    assert server.ask("GET", path).json["unit"] == name
    erased = server.ask("DELETE", path)
    assert erased.status == 200 and erased.json["unit"].startswith("erased-"), erased
    problem(server.ask("GET", path), 404)
    problem(server.decide("unit/odd", unit=name), 410)
    for bad in ("%zz", "%4", "%00", "a/b"):
        problem(server.ask("GET", f"{P}/units/{bad}"), 404)


def test_export(server):
    server.decide("export/1")
    count = server.ask("GET", P).json["decisions"]
    answer = server.ask("GET", f"{P}/export")
    assert answer.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert len(rows) == count
    assert list(rows[0]) == (
        "seq,time,unit,decision,state,allowed,action,probability,probabilities,"
        "source,reward,reward_time,next_state,cut"
    ).split(",")
    lines = server.ask("GET", f"{P}/export?format=jsonl").body.decode().splitlines()
    assert len(lines) == count and json.loads(lines[-1])["decision"] == count - 1
    assert server.ask("HEAD", f"{P}/export").headers["Content-Length"] == str(len(answer.body))
    problem(server.ask("GET", f"{P}/export?format=xml"), 400)
    problem(server.ask("GET", f"{P}?verbose=1"), 400)


# ---- programmes ----


def test_making_programmes(server):
    config = {**CONFIG, "name": "second"}
    answer = server.ask("POST", "/v1/programmes", config, key="second")
    assert answer.status == 201 and answer.headers["Location"] == "/v1/programmes/second", answer
    assert server.ask("POST", "/v1/programmes", config, key="second").body == answer.body
    problem(server.ask("POST", "/v1/programmes", config, key="another"), 409)
    problem(server.ask("POST", "/v1/programmes", {**config, "seed": 1}, key="second"), 422)
    names = [one["name"] for one in server.ask("GET", "/v1/programmes").json["programmes"]]
    assert sorted(names) == ["berg", "second"]


@pytest.mark.parametrize(
    "change, word",
    [
        ({"name": "Berg"}, "name"),
        ({"name": "tokens"}, "tokens"),
        ({"name": "-a"}, "name"),
        ({"name": "../x"}, "name"),
        ({"name": "a" * 64}, "name"),
        ({"name": 3}, "name"),
        ({"learner": "explore:of=(auto)"}, "floor"),
        ({"learner": "otto"}, "auto"),
        ({"patience": 10}, "patience"),
        ({"floor": 0.3}, "floor"),
        ({"floor": -1}, "floor"),
        ({"actions": []}, "actions"),
        ({"actions": ["a", "a", "b", "c"]}, "a"),
        ({"fallback": [1]}, "fallback"),
        ({"horizon": 0}, "horizon"),
        ({"colour": 1}, "colour"),
        ({"limits": [{"action": "fly", "max": 1, "window": "P1D"}]}, "fly"),
        ({"limits": [{"action": "call", "max": 1, "window": "a week"}]}, "window"),
    ],
)
def test_bad_programmes_leave_nothing(server, change, word):
    config = {**CONFIG, "name": "third", **change}
    problem(server.ask("POST", "/v1/programmes", config, key=f"bad {hash(str(change))}"), 422, word)
    assert not list(server.folder.glob("third*"))
    problem(server.ask("GET", "/v1/programmes/third"), 404)


def test_changes_need_the_version(start):
    server = start()
    etag = server.make().headers["ETag"]
    change = {"mode": "fallback", "reason": "drill"}
    problem(server.ask("PATCH", P, change, key="c1"), 428, "If-Match")
    problem(server.ask("PATCH", P, change, headers={"If-Match": etag}), 400, "Idempotency-Key")
    problem(server.ask("PATCH", P, change, key="c1", headers={"If-Match": "soon"}), 400)
    answer = server.ask("PATCH", P, change, key="c1", headers={"If-Match": etag})
    assert answer.status == 200 and answer.json["mode"] == "fallback", answer
    assert answer.headers["ETag"] != etag
    assert server.ask("GET", P).headers["ETag"] == answer.headers["ETag"]
    problem(server.ask("PATCH", P, change, key="c2", headers={"If-Match": etag}), 412)
    assert server.decide("d").json["source"] == "fallback"
    problem(server.ask("PATCH", P, {"mode": "off"}, key="c3", headers={"If-Match": "*"}), 422)
    problem(server.ask("PATCH", P, {"colour": 3}, key="c4", headers={"If-Match": "*"}), 422)
    problem(server.ask("PATCH", P, {"horizon": 0}, key="c5", headers={"If-Match": "*"}), 422)


@pytest.mark.parametrize("mode", ["paused", "ended", "apprentice"])
def test_modes_without_decisions(start, mode):
    server = start()
    server.make(**({"mode": "apprentice"} if mode == "apprentice" else {}))
    if mode != "apprentice":
        assert (
            server.ask("PATCH", P, {"mode": mode}, key="m", headers={"If-Match": "*"}).status == 200
        )
    problem(server.decide("d"), 409, mode)
    if mode == "apprentice":
        taken = {**OCCASION, "action": "message"}
        assert server.ask("POST", f"{P}/decisions:taken", taken, key="t").status == 201


# ---- the rest ----


def test_every_method_of_every_path(server):
    table = server.ask("GET", "/openapi.json", token=None).json["paths"]
    for path, operations in table.items():
        real = path.replace("{p}", "berg").replace("{n}", "0").replace("{u}", "p17")
        allowed = {name.upper() for name in operations}
        answer = server.ask("OPTIONS", real)
        assert answer.status == 204
        said = set(answer.headers["Allow"].split(", "))
        assert said == allowed | {"OPTIONS"} | ({"HEAD"} if "GET" in allowed else set())
        for method in {"GET", "POST", "PATCH", "DELETE", "PUT", "TRACE"} - allowed:
            answer = server.ask(method, real)
            problem(answer, 405)
            assert set(answer.headers["Allow"].split(", ")) == said
        if "GET" in allowed:
            head, get = server.ask("HEAD", real), server.ask("GET", real)
            assert head.status == get.status == 200 and head.body == b""
            assert real == "/metrics" or head.headers["Content-Length"] == str(len(get.body))


def test_metrics(server):
    server.decide("metrics")
    text = server.ask("GET", "/metrics").body.decode()
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert values['lgkt_up{programme="berg"}'] == "1"
    assert (
        float(values['lgkt_decisions{programme="berg"}']) == server.ask("GET", P).json["decisions"]
    )
    assert float(values["lgkt_http_requests_total"]) > 0
    for name in {key.split("{")[0] for key in values}:
        assert f"# TYPE {name} " in text and f"# HELP {name} " in text


def test_checks_are_metrics(server):
    """A second after the last decision at the latest, they are those of the monitor."""
    server.decide("checks")
    checks = server.ask("GET", f"{P}/monitor").json["checks"]
    lights = ("green", "yellow", "red")
    wanted = {}
    for one in checks:
        if one["check"] not in ("commit", "clock"):
            name = (one["check"], str(one.get("window", 0)))
            of_others = wanted.get(name, (0.0, 0))
            if abs(one["value"]) >= abs(of_others[0]):
                wanted[name] = (one["value"], lights.index(one["light"]))
    assert ("frequency", "1000") in wanted and ("drift", "0") in wanted
    label = r'{programme="berg",check="([a-z-]+)",window="(\d+)"} (.*)'
    until = time.monotonic() + 10
    while True:
        text = server.ask("GET", "/metrics").body.decode()
        told = {
            what: {
                (check, window): float(value)
                for check, window, value in re.findall(f"^lgkt_check_{what}{label}$", text, re.M)
            }
            for what in ("value", "light")
        }
        found = {name: (told["value"][name], told["light"].get(name)) for name in told["value"]}
        if found == wanted:
            return
        assert time.monotonic() < until, (found, wanted)
        time.sleep(0.1)


def test_page(server):
    answer = server.ask("GET", "/", token=None)
    policy = answer.headers["Content-Security-Policy"]
    assert answer.status == 200 and "default-src 'none'" in policy and "unsafe" not in policy
    assert b"http://" not in answer.body.replace(b"http://www.w3.org", b""), (
        "nothing from elsewhere"
    )


def test_ten_of_a_hundred_requests_come_twice(server):
    """Also at the same time: all get the answer of the first, and each key is one decision."""
    random.seed(7)
    before = server.ask("GET", P).json["decisions"]
    keys = [f"twice/{i}" for i in range(500)]
    sent = keys + [key for key in keys if random.random() < 0.1]
    random.shuffle(sent)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(
            pool.map(lambda key: (key, server.decide(key, unit=f"u{hash(key) % 97}")), sent)
        )
    by_key = {}
    for key, answer in answers:
        assert answer.status == 201, answer
        assert by_key.setdefault(key, answer.body) == answer.body
    assert server.ask("GET", P).json["decisions"] == before + 500
