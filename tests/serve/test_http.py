# SPDX-License-Identifier: MIT
"""The server as a server: what is no request, too large, too slow or too much."""

import json
import os
import select
import signal
import socket
import threading
import time

import pytest
from conftest import OCCASION, ROUNDS, read_all

HOST = b"Host: localhost\r\n"


def status(data):
    return int(data.split(b" ", 2)[1]) if data else None


@pytest.mark.parametrize(
    "request_bytes, wanted",
    [
        (b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
        (b"\r\nGET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n", 200),
        (b"GET http://localhost/healthz HTTP/1.1\r\n" + HOST + b"\r\n", 200),
        (b"GET http://evil.example/healthz HTTP/1.1\r\n" + HOST + b"\r\n", 421),
        (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200),
        (b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n", 505),
        (b"GET /healthz\r\n" + HOST + b"\r\n", 400),
        (b"GET healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /a b HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /\x80 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"G(T /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"BREW /healthz HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", 400),  # TLS
        (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 204),
        (b"GET /healthz HTTP/1.1\n" + b"Host: localhost\n\n", 400),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"A : b\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"A: b\r\n c\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"A: b\0c\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"no colon\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b": empty\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"Expect: coffee\r\n\r\n", 417),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"a: b\r\n" * 70 + b"\r\n", 431),
        (b"GET /healthz HTTP/1.1\r\n" + HOST + b"a: " + b"b" * 33000 + b"\r\n\r\n", 431),
        (b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 431),
        (
            b"POST /healthz HTTP/1.1\r\n"
            + HOST
            + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
            400,
        ),
        (b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 2, 2\r\n\r\n{}", 400),
        (b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: -2\r\n\r\n{}", 400),
        (b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: +2\r\n\r\n{}", 400),
        (b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 0x2\r\n\r\n{}", 400),
        (b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length:\r\n\r\n{}", 400),
        (
            b"POST /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999999999999999\r\n\r\n",
            413,
        ),
        (
            b"POST /healthz HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            411,
        ),
        (
            b"POST /healthz HTTP/1.1\r\n"
            + HOST
            + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\n\r\n",
            411,
        ),
    ],
)
def test_strict_heads(server, request_bytes, wanted):
    answer = server.raw(request_bytes)
    assert status(answer) == wanted, answer[:300]
    assert answer.count(b"\r\nDate: ") == 1, "nothing of a refused request is taken for another"


def test_old_clients_are_kept_if_they_say_so(server):
    ask = b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    with server.socket() as own:
        for _ in range(3):
            own.sendall(ask)
            assert b"Connection: keep-alive\r\n" in own.recv(4096)


def test_every_problem_is_json_and_closes_what_cannot_go_on(server):
    head, body = server.raw(b"nonsense\r\n\r\n").split(b"\r\n\r\n", 1)
    assert b"application/problem+json" in head and b"Connection: close" in head
    assert json.loads(body)["status"] == 400


def post(server, path, body, *lines):
    head = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {server.token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *lines,
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def test_a_get_with_a_body_is_no_way_in(server):
    """What one reader takes for a body another may take for a request."""
    inner = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = server.raw(
        b"GET /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(inner) + inner
    )
    assert answer.count(b"HTTP/1.1 ") == 1 and status(answer) == 400


def test_pipelined_requests_are_answered_in_order(server):
    one = json.dumps(OCCASION).encode()
    parts = [
        post(server, "/v1/programmes/berg/decisions", one, f"Idempotency-Key: pipe{i}")
        + b"GET /healthz HTTP/1.1\r\n"
        + HOST
        + b"\r\n"
        for i in range(200)
    ]
    with server.socket() as own:
        sender = threading.Thread(target=own.sendall, args=(b"".join(parts),))
        sender.start()
        got = b""
        while got.count(b"HTTP/1.1 ") < 400 or not got.endswith(b"}"):
            part = own.recv(65536)
            assert part, got[-300:]
            got += part
        sender.join()
    statuses = [int(line.split(b" ")[1]) for line in got.split(b"\r\n") if b"HTTP/1.1 " in line]
    assert len(statuses) == 400 and all(s in (200, 201) for s in statuses)


def test_byte_by_byte(server):
    data = post(
        server,
        "/v1/programmes/berg/decisions",
        json.dumps(OCCASION).encode(),
        "Idempotency-Key: bytes",
        "Connection: close",
    )
    with server.socket() as own:
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(len(data)):
            own.sendall(data[i : i + 1])
        assert status(read_all(own)) == 201


def test_continue(server):
    body = json.dumps(OCCASION).encode()
    data = post(
        server,
        "/v1/programmes/berg/decisions",
        body,
        "Idempotency-Key: wait",
        "Expect: 100-continue",
        "Connection: close",
    )
    with server.socket() as own:
        own.sendall(data[: -len(body)])
        assert own.recv(100).startswith(b"HTTP/1.1 100 ")
        own.sendall(body)
        assert status(read_all(own)) == 201
    # who may not is told so at once
    with server.socket() as own:
        own.sendall(data[: -len(body)].replace(b"Bearer ", b"Bearer x"))
        assert status(read_all(own)) == 401


@pytest.mark.parametrize(
    "path, limit", [("decisions", 65536), ("decisions:batch", 1 << 20), ("reports", 1 << 20)]
)
def test_bodies_above_the_limit(server, path, limit):
    body = b" " * (limit + 1)
    answer = server.raw(post(server, f"/v1/programmes/berg/{path}", body, "Idempotency-Key: big"))
    assert status(answer) == 413 and b"above the limit" in answer
    answer = server.raw(
        post(server, f"/v1/programmes/berg/{path}", body[1:], "Idempotency-Key: big")
    )
    assert status(answer) == 400, "at the limit it is read, and no JSON"


def test_unknown_senders_cannot_send_bodies(server):
    """Nothing of a body is taken before the token is known: it may be as large as it says."""
    with server.socket() as own:
        own.sendall(
            b"POST /v1/programmes/berg/decisions HTTP/1.1\r\n"
            + HOST
            + b"Content-Length: 60000\r\n\r\n"
        )
        assert status(own.recv(4096)) == 401
        # a short body is skipped, and the connection goes on
        own.sendall(b"x" * 60000 + b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
        assert status(own.recv(4096)) == 200


@pytest.mark.parametrize("count", [1, 2, 64, 127, 128, 129, 255, 256, 257, 384, 512, 1000])
def test_connections_at_once(server, count):
    """All ready in the same moment: some servers wait for ever where that is a multiple of 128."""
    body = json.dumps(OCCASION).encode()
    sockets = [server.socket() for _ in range(count)]
    try:
        for i, own in enumerate(sockets):
            own.sendall(
                post(
                    server, "/v1/programmes/berg/decisions", body, f"Idempotency-Key: c{count}-{i}"
                )
            )
        waiting = {own.fileno(): own for own in sockets}
        poll = select.poll()
        for number in waiting:
            poll.register(number, select.POLLIN)
        end = time.monotonic() + 60
        while waiting:
            assert time.monotonic() < end, f"{len(waiting)} of {count} got no answer"
            for number, _ in poll.poll(1000):
                assert status(waiting.pop(number).recv(65536)) == 201
                poll.unregister(number)
    finally:
        for own in sockets:
            own.close()


def test_slow_senders_are_ended_and_harm_nobody(start):
    server = start("--timeout", "2")
    server.make()
    slow = [server.socket() for _ in range(200)]
    for i, own in enumerate(slow):
        own.sendall(
            [
                b"POST /v1/programmes/berg/decisions HTTP/1.1\r\nHost: lo",
                b"",
                b"GET /healthz HTTP/1.1\r\n",
            ][i % 3]
        )
    begin = time.monotonic()
    while time.monotonic() - begin < 4:
        tick = time.monotonic()
        assert server.decide(f"fast {tick}").status == 201
        assert time.monotonic() - tick < 2
        for own in slow[::3]:
            try:
                own.sendall(b"c")
            except OSError:
                pass
        time.sleep(0.2)
    ended = [read_all(own) for own in slow]
    assert all(status(data) == 408 for data in ended[0::3] + ended[2::3])
    assert all(data == b"" for data in ended[1::3]), "who said nothing is told nothing"
    for own in slow:
        own.close()


def test_slow_readers_harm_nobody(server):
    """They ask without end and never read: what is not taken waits with them."""
    ask = (b"GET /openapi.json HTTP/1.1\r\n" + HOST + b"\r\n") * 50
    greedy = []
    for _ in range(20):
        own = server.socket()
        own.setblocking(False)
        try:
            for _ in range(1000):
                own.send(ask)
        except BlockingIOError:
            pass
        greedy.append(own)
    tick = time.monotonic()
    assert server.decide("beside greedy ones").status == 201
    assert time.monotonic() - tick < 2
    for own in greedy:
        own.close()


def test_connections_above_the_limit(start):
    server = start("--connections", "20")
    held = [server.socket() for _ in range(20)]
    time.sleep(0.2)
    with server.socket() as own:
        assert status(read_all(own)) == 503
    for own in held:
        own.close()
    time.sleep(0.7)
    assert server.ask("GET", "/healthz").status == 200


@pytest.mark.skipif("LGKT_EXPECT_SANITIZERS" in os.environ, reason="sanitizers keep what was freed")
def test_memory_stays_flat(start):
    server = start()
    server.make()

    def memory():
        with open(f"/proc/{server.process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096

    def work(rounds):
        for i in range(rounds):
            with server.socket() as own:
                own.sendall(
                    post(
                        server,
                        "/v1/programmes/berg/decisions:batch",
                        b" " * (1 << 20),
                        "Idempotency-Key: a",
                        "Connection: close",
                    )
                )
                read_all(own)
            with server.socket() as own:
                own.sendall(b"GET / HT")

    work(50)
    before = memory()
    work(100 * ROUNDS)
    assert memory() < before + (4 << 20)


def test_stops_when_all_is_answered(start):
    server = start()
    server.make()
    body = json.dumps(OCCASION).encode()
    sockets = [server.socket() for _ in range(100)]
    for i, own in enumerate(sockets):
        own.sendall(post(server, "/v1/programmes/berg/decisions", body, f"Idempotency-Key: s{i}"))
    begin = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - begin < 10
    answers = [read_all(own) for own in sockets]
    assert all(status(data) == 201 for data in answers if data)


def test_interrupt(start):
    server = start()
    assert server.stop(signal.SIGINT) == 130
