# SPDX-License-Identifier: MIT
"""A server of its own for tests: lgkt serve on a free port of loopback, with its folder and tokens.

LGKT_COMMAND is the command to test; LGKT_ROUNDS (1) says how long the long tests are.
"""

import atexit
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import postgres as pg
import pytest

COMMAND = os.environ.get("LGKT_COMMAND", "build/lgkt")
ROUNDS = int(os.environ.get("LGKT_ROUNDS", "1"))

CONFIG = {
    "name": "berg",
    "learner": "auto",
    "actions": ["nothing", "message", "plan", "call"],
    "state": [{"name": "mood", "values": 3}, {"name": "time", "values": ["am", "pm"]}],
    "horizon": 1000000,
    "unit_limit": 2000,
    "patience": 8000,
    "seed": 42,
    "floor": 0.02,
    "fallback": [0.7, 0.3, 0, 0],
}
OCCASION = {"unit": "p17", "state": {"mood": 1, "time": "am"}, "allowed": ["nothing", "message"]}


class Answer:
    """Status, headers and bytes of an answer."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Server:
    def __init__(self, folder, *options, store=None):
        self.folder = pathlib.Path(folder)
        self.options = options
        self.store = store
        self.process = None
        self.start()

    def start(self):
        command = [
            COMMAND,
            "serve",
            "--data",
            str(self.folder),
            "--listen",
            "127.0.0.1:0",
            "--reserve",
            "0",
            *self.options,
            *(("--store", self.store) if self.store else ()),
        ]
        self.log = open(f"{self.folder}.log", "a+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        # also where a test ends before its time
        atexit.register(self.process.kill)
        for line in self.process.stdout:
            found = re.search(r"serving .* on http://[^ ]*:(\d+)/", line)
            if found:
                self.port = int(found[1])
                break
        else:
            self.log.seek(0)
            raise AssertionError(f"it did not start: {self.log.read()}")
        self.token = self.token_file().read_text().strip()
        self.wait_ready()

    def token_file(self):
        return self.folder / "token"

    def wait_ready(self):
        end = time.monotonic() + 60
        while self.ask("GET", "/readyz", token=None).status != 200:
            assert time.monotonic() < end, "it is not ready after a minute"
            time.sleep(0.01)

    def stop(self, number=signal.SIGTERM):
        if self.process is None:
            return None
        self.process.send_signal(number)
        return self.ends()

    def ends(self):
        """Waits until it has ended by itself; the code."""
        code = self.process.wait(60)
        self.stop_reading()
        return code

    def stop_reading(self):
        self.process.stdout.close()
        self.log.close()
        self.process = None

    def said(self):
        return pathlib.Path(f"{self.folder}.log").read_text()

    def place(self, name="berg"):
        """What verify, export and backup take."""
        return f"{self.store}#{name}" if self.store else str(self.folder / f"{name}.db")

    def connect(self, timeout=30.0):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def socket(self, timeout=30.0):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def ask(self, method, path, body=None, *, key=None, token="", headers=(), connection=None):
        """One request. token: "" the admin's, None without."""
        own = connection or self.connect()
        lines = dict(headers)
        if token is not None:
            lines.setdefault("Authorization", f"Bearer {token or self.token}")
        if key is not None:
            lines.setdefault("Idempotency-Key", key)
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            lines.setdefault("Content-Type", "application/json")
        own.request(method, path, body=body, headers=lines)
        answer = own.getresponse()
        result = Answer(answer.status, answer.headers, answer.read())
        if connection is None:
            own.close()
        return result

    def raw(self, data, timeout=30.0):
        """All that comes back for these bytes until the server closes."""
        with self.socket(timeout) as own:
            own.sendall(data)
            own.shutdown(socket.SHUT_WR)
            return read_all(own)

    def add_token(self, name, role, *options):
        made = command(
            "serve",
            "token",
            "add",
            "--data",
            str(self.folder),
            "--name",
            name,
            "--role",
            role,
            *options,
        )
        time.sleep(0.6)  # the server looks twice a second
        return made.stdout.strip()

    def make(self, **changes):
        config = {**CONFIG, **changes}
        answer = self.ask("POST", "/v1/programmes", config, key=f"make {config['name']}")
        assert answer.status == 201, answer
        return answer

    def decide(self, key, unit="p17", programme="berg", **more):
        return self.ask(
            "POST",
            f"/v1/programmes/{programme}/decisions",
            {**OCCASION, "unit": unit},
            key=key,
            **more,
        )


def read_all(own):
    parts = []
    while True:
        try:
            part = own.recv(65536)
        except ConnectionResetError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def command(*arguments, code=0):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


@pytest.fixture
def start(tmp_path):
    """Makes servers; those that still run are stopped in the end, and must end well."""
    made = []

    def begin(*options, name="data", store=None):
        made.append(Server(tmp_path / name, *options, store=store))
        return made[-1]

    yield begin
    for server in made:
        if server.process is not None:
            assert server.stop() == 0, server.said()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for a whole file, with the programme berg."""
    one = Server(tmp_path_factory.mktemp("serve") / "data")
    one.make()
    yield one
    assert one.stop() == 0, one.said()


# ---- stores ----


@pytest.fixture(scope="session")
def primary():
    """A PostgreSQL server of one's own, for all tests of a process."""
    if pg.programs() is None:
        pytest.skip("PostgreSQL is not installed: its tests are left out")
    done = subprocess.run(
        [COMMAND, "serve", "verify", "postgresql:///none#none"], capture_output=True, text=True
    )
    if "without PostgreSQL" in done.stderr:
        pytest.skip("the command was built without PostgreSQL: its tests are left out")
    server = pg.Postgres()
    atexit.register(server.remove)
    yield server
    server.remove()


@pytest.fixture
def uri(primary):
    """A database that nothing is in yet."""
    return primary.clear()


class Files:
    """Programmes in files, and a server that is killed."""

    uri, rounds = None, 5 * ROUNDS

    def crash(self, server):
        server.stop(signal.SIGKILL)


class Database(Files):
    """The same in a database."""

    rounds = 4 + ROUNDS

    def __init__(self, uri):
        self.uri = uri


class DyingDatabase(Database):
    """What is killed is the database; the server then ends by itself."""

    rounds = 1 + ROUNDS // 5

    def __init__(self, primary, uri):
        super().__init__(uri)
        self.primary = primary

    def crash(self, server):
        self.primary.kill()
        assert server.ends() == 1
        self.primary.start()


class CutDatabase(Database):
    """What is cut is the connection between them."""

    def __init__(self, wire, uri):
        super().__init__(uri)
        self.wire = wire

    def crash(self, server):
        self.wire.cut()
        assert server.ends() == 1


class FallingDatabase(Database):
    """A primary that is killed, and does not come back; its synchronous standby is promoted."""

    rounds = 1

    def __init__(self, first, second):
        super().__init__(first.uri(second))
        self.first, self.second = first, second

    def crash(self, server):
        self.first.kill()
        assert server.ends() == 1
        self.second.sql("SELECT pg_promote()")


@pytest.fixture(params=["files", "database", "database killed", "connection cut", "failover"])
def store(request):
    if request.param == "files":
        yield Files()
        return
    primary = request.getfixturevalue("primary")
    if request.param == "failover":
        first = pg.Postgres()
        second = first.follow()
        yield FallingDatabase(first, second)
        second.remove()
        first.remove()
        return
    uri = primary.clear()
    if request.param == "connection cut":
        wire = pg.Wire(primary)
        yield CutDatabase(wire, wire.uri())
        wire.remove()
    elif request.param == "database":
        yield Database(uri)
    else:
        yield DyingDatabase(primary, uri)
