# SPDX-License-Identifier: MIT
"""`lgkt.serve.Client`: tries again, draws itself where the server is away, and tells it later."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from command import COMMAND

from lgkt import InputError, Log, serve

LAW = {"nothing": 0.5, "message": 0.5}


class Scripted(BaseHTTPRequestHandler):
    """Answers as the test says, and keeps what it was asked."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, str, str | None, bytes]]
    answer: Callable[[str, str], tuple[int, Any] | None]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.asked.append((self.command, self.path, self.headers.get("Idempotency-Key"), body))
        made = type(self).answer(self.path, body.decode())
        if made is None:  # nothing is said, as if the server had died
            self.close_connection = True
            return
        data = json.dumps(made[1]).encode()
        self.send_response(made[0])
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PATCH = do_DELETE = do_POST

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def scripted() -> Iterator[tuple[str, type[Scripted]]]:
    class Handler(Scripted):
        asked = []

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", Handler
    server.shutdown()
    server.server_close()


def decided(number: int, **more: Any) -> tuple[int, Any]:
    return 201, {"decision": number, "action": "message", "probability": 0.5, "source": "learner",
                 "seq": 1, "receipt": "0" * 32, "propensities": LAW, **more}


def test_tries_again_with_the_same_key_and_bytes(scripted: tuple[str, type[Scripted]]) -> None:
    url, handler = scripted
    answers = [None, (503, {"detail": "the queue is full"}), (429, {"detail": "slow"}), decided(3)]
    handler.answer = staticmethod(lambda path, body: answers.pop(0))
    client = serve.Client(url, "t", "berg")
    assert client.decide("p1", {"mood": 1}, key="p1/am").number == 3
    assert len(set(handler.asked)) == 1 and len(handler.asked) == 4
    assert handler.asked[0][1:3] == ("/v1/programmes/berg/decisions", '"p1/am"')


def test_a_refusal_is_said_at_once(scripted: tuple[str, type[Scripted]]) -> None:
    url, handler = scripted
    handler.answer = staticmethod(lambda path, body: (422, {"detail": 'no state "mod"'}))
    client = serve.Client(url, "t", "berg")
    with pytest.raises(serve.Refused, match="no state") as why:
        client.decide("p1", {"mod": 1})
    assert why.value.http == 422 and len(handler.asked) == 1


def test_without_fallback_an_absent_server_is_an_error(tmp_path: Path) -> None:
    client = serve.Client("http://127.0.0.1:9", "t", "berg", patience=0.2)
    with pytest.raises(serve.Unreachable, match="does not answer"):
        client.decide("p1")


@pytest.mark.robust
def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no address"):
        serve.Client("localhost:8077", "t", "berg")
    with pytest.raises(InputError, match="spool"):
        serve.Client("http://h", "t", "berg", fallback=LAW)
    with pytest.raises(InputError, match="sum to 0.9"):
        serve.Client("http://h", "t", "berg", fallback={"a": 0.9}, spool=tmp_path / "s")
    with pytest.raises(InputError, match="from 0 to 1"):
        serve.Client("http://h", "t", "berg", fallback={"a": -1.0}, spool=tmp_path / "s")
    one = serve.Client("http://h", "t", "berg", fallback=LAW, spool=tmp_path / "s")
    with pytest.raises(InputError, match="another client"):
        serve.Client("http://h", "t", "berg", fallback=LAW, spool=tmp_path / "s")
    one.close()
    (tmp_path / "s").write_text("{}x\n")
    with pytest.raises(InputError, match="s:1"):
        serve.Client("http://h", "t", "berg", fallback=LAW, spool=tmp_path / "s")


def test_what_was_drawn_is_told_later_in_order(scripted: tuple[str, type[Scripted]],
                                               tmp_path: Path) -> None:
    url, handler = scripted
    spool = tmp_path / "spool"
    handler.answer = staticmethod(lambda path, body: None)
    client = serve.Client(url, "t", "berg", patience=0.1, fallback=LAW, spool=spool)
    drawn = client.decide("p1", {"mood": 1}, allowed=["message"], key="p1/am")
    assert drawn.action == "message" and drawn.probability == 1.0
    assert (drawn.source, drawn.number) == ("client", None)
    assert json.loads(spool.read_bytes())["key"] == "p1/am"
    client.reward(drawn, 0.5)
    # asked again, it is the same one, also by the next process
    assert client.decide("p1", {"mood": 1}, key="p1/am") == drawn
    client.close()
    client = serve.Client(url, "t", "berg", patience=0.1, fallback=LAW, spool=spool)
    assert client.decide("p1", {"mood": 1}, key="p1/am") == drawn and client.waiting == 2

    handler.asked.clear()
    handler.answer = staticmethod(
        lambda path, body: decided(7, replaced=6) if "taken" in path else decided(8)
        if path.endswith("decisions") else (200, [{"decision": 7, "status": 200}]))
    assert client.decide("p2", {"mood": 2}, key="p2/am").number == 8
    assert [path.rsplit("/", 1)[1] for _, path, _, _ in handler.asked] == [
        "decisions:taken", "reports", "decisions"]
    assert handler.asked[0][2] == '"p1/am"'
    assert json.loads(handler.asked[0][3])["propensities"] == {"message": 1.0}
    assert json.loads(handler.asked[1][3]) == [{"decision": 7, "reward": 0.5}]
    assert client.waiting == 0 and spool.read_bytes() == b""
    client.report(drawn, executed=True)
    assert drawn.number == 7


def test_what_the_server_refuses_is_kept_aside(scripted: tuple[str, type[Scripted]],
                                               tmp_path: Path) -> None:
    url, handler = scripted
    handler.answer = staticmethod(lambda path, body: None)
    client = serve.Client(url, "t", "berg", patience=0.0, fallback=LAW, spool=tmp_path / "spool")
    drawn = client.decide("p1", key="k")
    client.reward(drawn, 1.0)
    handler.answer = staticmethod(lambda path, body: (409, {"detail": "it is paused"}))
    assert client.send() == 0 and client.waiting == 0
    kept = [json.loads(line) for line in (tmp_path / "spool.refused").read_text().splitlines()]
    assert [line["kind"] for line in kept] == ["taken", "report"]
    assert kept[0]["why"] == "it is paused"


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    whole = {"kind": "taken", "key": "k", "unit": "u", "action": "a", "probability": 1.0,
             "propensities": {"a": 1.0}}
    spool.write_text(json.dumps(whole) + '\n{"kind": "tak')
    client = serve.Client("http://127.0.0.1:9", "t", "berg", patience=0.0, fallback={"a": 1.0},
                          spool=spool)
    assert client.waiting == 1 and client.decide("u", key="k").action == "a"
    assert spool.read_text() == json.dumps(whole) + "\n"


# ---- with the server itself ----


CONFIG = {"learner": "auto", "actions": ["nothing", "message"], "horizon": 1000, "unit_limit": 10,
          "state": [{"name": "mood", "values": 3}], "floor": 0.1, "fallback": [0.5, 0.5]}


class Server:
    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "serve", "--data", str(self.folder), "--listen", f"127.0.0.1:{self.port}",
             "--reserve", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(r"serving .* on http://[^ ]*:(\d+)/", line)
            if found:
                self.port = int(found[1])
                return
        raise AssertionError("it did not start")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    if not COMMAND:
        pytest.skip("the command is not built")
    said = subprocess.run([COMMAND, "serve", "--data", "/dev/null/x"], capture_output=True,
                          text=True).stderr
    if "built without" in said or "no command" in said:
        pytest.skip("the command was built without serve")
    made = Server(tmp_path / "data")
    yield made
    made.stop()


def test_a_server_that_dies(server: Server, tmp_path: Path) -> None:
    token = (server.folder / "token").read_text().strip()
    with serve.Client(f"http://127.0.0.1:{server.port}", token, "berg", patience=2.0,
                      fallback=LAW, spool=tmp_path / "spool") as client:
        client.create(**CONFIG)
        first = client.decide("p1", {"mood": 0}, key="p1/1")
        client.reward(first, 0.5)
        assert first.source in ("learner", "floor") and first.number == 0
        server.stop()
        client.patience = 0.1
        away = client.decide("p1", {"mood": 1}, key="p1/2")
        client.reward(away, 0.25)
        assert away.source == "client" and client.waiting == 2
        # the server had decided this one, but its answer was lost: it counts as not executed
        server.start()
        other = serve.Client(client.url, token, "berg")
        lost = other.decide("p1", {"mood": 1}, key="p1/2")
        assert client.send() == 2
        told = client.decision(away.number if away.number is not None
                               else client._number(away) or -1)
        assert told["action"] == away.action and told["reports"][0]["reward"] == 0.25
        assert lost.number is not None and told["replaced"] == lost.number
        assert client.show()["decisions"] == 3
        assert len(client.policy()) == 3 and client.explain({"mood": 1})
        client.export(tmp_path / "log.csv")
        assert len((tmp_path / "log.csv").read_text().splitlines()) == 4
        pytest.importorskip("pyarrow")
        import pyarrow.parquet as parquet

        client.export(tmp_path / "log.parquet")
        assert parquet.read_table(tmp_path / "log.parquet").num_rows == 3
        with pytest.raises(serve.Refused) as why:
            client.decide("p1", {"mod": 1})
        assert why.value.http == 422
        other.close()


def test_the_log_of_somebody_who_was_erased(server: Server, tmp_path: Path) -> None:
    """Rows of erased-N say nothing but that there was a decision; `Log` reads past them."""
    token = (server.folder / "token").read_text().strip()
    with serve.Client(f"http://127.0.0.1:{server.port}", token, "berg") as client:
        client.create(**CONFIG)
        for i in range(30):
            made = client.decide(f"p{i % 3}", {"mood": i % 2}, key=f"{i}")
            client.reward(made, i % 2)
        client.erase("p1")
        for form in ("csv", "jsonl"):
            path = tmp_path / f"log.{form}"
            client.export(path)
            assert path.read_text().count("erased-1") == 10
            log = Log.read(path)
            assert len(log) == 20 and set(log.coded.units) == {"p0", "p2"}
