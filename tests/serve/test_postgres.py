# SPDX-License-Identifier: MIT
"""What PostgreSQL alone can do to a server: standbys, locks, settings of a database, its errors.

That answers are found again is asked of both stores in test_durable.py and, here, by the tests of
the store in C.
"""

import json
import os
import pathlib
import re
import signal
import subprocess

import postgres as pg
import pytest
from conftest import COMMAND, OCCASION, command

DOCS = pathlib.Path(__file__).parents[2] / "docs/serve.md"
DECISIONS = "/v1/programmes/berg/decisions"


@pytest.fixture(scope="module")
def pair(primary):
    """A primary with a synchronous standby; left out where `primary` is."""
    first = pg.Postgres()
    second = first.follow()
    yield first, second
    second.remove()
    first.remove()


def unanswered(server, key, seconds=1.5):
    """The connection on which nothing came within this time."""
    own = server.connect(timeout=seconds)
    with pytest.raises(TimeoutError):
        server.decide(key, connection=own)
    return own


def run_beside(folder, store):
    """A server that is not waited for."""
    options = ["--data", str(folder), "--store", store, "--listen", "127.0.0.1:0"]
    return subprocess.Popen(
        [COMMAND, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("program", ["test_serve_actor", "test_serve_file"])
def test_what_is_asked_of_a_store(uri, program):
    path = pathlib.Path(COMMAND).parent / "tests" / program
    if not path.exists():
        pytest.skip(f"{path} was not built")
    done = subprocess.run(
        [path], env={**os.environ, "LGKT_TEST_STORE": uri}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILED" not in done.stdout


@pytest.mark.parametrize(
    "store, said, code",
    [
        ("data.db", "--store must be postgresql://", 2),
        ("postgresql://host/db#berg", "without a programme", 2),
        ("postgresql://me:secret@/db?what=1", "it cannot be read", 2),
        ("postgresql:///db?what=1", 'invalid URI query parameter: "what"', 2),
        ("postgresql://me:secret@127.0.0.1:1/db", "//127.0.0.1:1/db cannot be reached", 1),
        ("postgresql://me:secret@/db?host=/nowhere", "postgresql:///db cannot be reached", 1),
    ],
)
def test_wrong_connection_strings(primary, tmp_path, store, said, code):
    done = command("serve", "--data", str(tmp_path / "d"), "--store", store, code=code)
    assert said in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert "secret" not in done.stderr


def test_wrong_databases(primary, uri, tmp_path, start):
    data = str(tmp_path / "d")
    none = uri.replace("postgres?", "none?")
    done = command("serve", "--data", data, "--store", none, code=1)
    assert 'database "none" does not exist' in done.stderr
    assert "NAME" in command("serve", "verify", uri, code=2).stderr
    assert "lgkt.programme" in command("serve", "verify", f"{uri}#berg", code=2).stderr
    server = start(store=uri)
    assert "there is no" in command("serve", "export", f"{uri}#other", code=2).stderr
    server.make()
    assert "pg_dump" in command("serve", "backup", server.place(), "--out", data, code=2).stderr
    assert server.stop() == 0
    # programmes in files are not forgotten about
    (server.folder / "old.db").write_bytes(b"")
    done = command("serve", "--data", str(server.folder), "--store", uri, code=2)
    assert "old.db" in done.stderr
    # who may not make tables is told so
    primary.sql("CREATE ROLE guest LOGIN")
    guest = uri.replace("lgkt@", "guest@")
    done = command("serve", "--data", data, "--store", guest, code=1)
    assert "permission denied" in done.stderr
    primary.clear()
    primary.sql("CREATE SCHEMA lgkt AUTHORIZATION guest")
    server = start(store=guest, name="guest")
    server.make()
    assert server.decide("k").status == 201 and server.stop() == 0
    primary.clear()
    primary.sql("DROP ROLE guest")


def test_settings_of_the_database_change_nothing(primary, uri, start):
    for setting in (
        "synchronous_commit = off",
        "statement_timeout = 300",
        "idle_in_transaction_session_timeout = 300",
        "default_transaction_isolation = 'serializable'",
        "search_path = 'none'",
    ):
        primary.sql(f"ALTER DATABASE postgres SET {setting}")
    server = start(store=uri)
    server.make()
    primary.sql(
        "CREATE FUNCTION lgkt.wait() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN PERFORM pg_sleep(0.6); RETURN NULL; END$$;"
        "CREATE TRIGGER wait AFTER INSERT ON lgkt.log EXECUTE FUNCTION lgkt.wait()",
    )
    assert server.decide("slow").status == 201
    assert command("serve", "export", server.place()).stdout.count("\n") == 2
    primary.sql("ALTER DATABASE postgres RESET ALL")


def test_a_database_that_does_not_sync(primary, uri, tmp_path):
    primary.sql("ALTER SYSTEM SET fsync = off")
    primary.sql("SELECT pg_reload_conf()")
    primary.wait("SHOW fsync", "off")
    done = command("serve", "--data", str(tmp_path / "d"), "--store", uri, code=2)
    assert "fsync = off" in done.stderr
    primary.sql("ALTER SYSTEM RESET fsync")
    primary.sql("SELECT pg_reload_conf()")
    primary.wait("SHOW fsync", "on")


def test_two_servers_on_one_database(uri, start, tmp_path):
    server = start(store=uri)
    server.make()
    first = server.decide("first").body
    other = run_beside(tmp_path / "other", uri)
    told = other.communicate(timeout=60)
    assert other.returncode == 1 and "held by another server" in told[1], told
    assert server.decide("second").status == 201
    # it takes over when the first is gone, with tokens of its own
    server.stop(signal.SIGKILL)
    after = start(store=uri, name="other")
    assert after.decide("first").body == first


def test_the_epoch_of_another_server(primary, uri, start):
    """A lock that was lost, as by a pooler: the epoch alone tells."""
    server = start(store=uri)
    server.make()
    first = server.decide("first").body
    primary.sql("UPDATE lgkt.programme SET epoch = epoch + 1")
    with pytest.raises(OSError):
        server.decide("second")
    assert server.ends() == 1
    assert "another server has taken it over" in server.said()
    server.start()
    assert server.decide("first").body == first
    assert server.decide("second").json["decision"] == 1


def test_a_connection_that_is_ended(primary, uri, start):
    server = start(store=uri)
    server.make()
    first = server.decide("first").body
    primary.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'lgkt serve'"
    )
    with pytest.raises(OSError):
        server.decide("second")
    assert server.ends() == 1
    assert "connection was lost" in server.said()
    server.start()
    assert server.decide("first").body == first


def test_no_room_and_a_lock(primary, uri, start):
    """Errors that PostgreSQL reports, and takes back what was begun."""
    server = start(store=uri)
    server.make()
    first = server.decide("first").body
    for state, problem in (("53100", "no-room"), ("58030", "store")):
        primary.sql(
            "CREATE FUNCTION lgkt.fail() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END$$;"
            "CREATE TRIGGER fail BEFORE INSERT ON lgkt.log EXECUTE FUNCTION lgkt.fail()",
        )
        answer = server.decide("second")
        assert answer.status == 503 and answer.json["type"].endswith(problem), answer
        assert server.decide("first").body == first
        primary.sql("DROP FUNCTION lgkt.fail CASCADE")
    second = server.decide("second")
    assert second.status == 201 and second.json["decision"] == 1
    assert server.ask("GET", "/metrics").body.count(b'lgkt_rebuilds_total{programme="berg"} 2') == 1


def test_the_log_is_not_changed_by_others(primary, uri, start):
    server = start(store=uri)
    server.make()
    answers = [server.decide(f"k{i}", unit=f"u{i % 3}") for i in range(10)]
    for change in ("DELETE FROM lgkt.log", "UPDATE lgkt.log SET rec = ''", "TRUNCATE lgkt.log"):
        with pytest.raises(AssertionError, match="never changed"):
            primary.sql(change)
    assert json.loads(command("serve", "verify", server.place(), "--json").stdout)["records"] == 11
    # whoever changes it all the same is found out
    seq = answers[4].json["seq"]
    for change, said in (
        (
            "UPDATE lgkt.log SET rec = set_byte(rec, 60, 255 - get_byte(rec, 60)) WHERE seq = %d",
            "%d",
        ),
        ("DELETE FROM lgkt.log WHERE seq = %d", "record %d is missing"),
    ):
        primary.sql(
            "CREATE TABLE IF NOT EXISTS lgkt.kept AS SELECT * FROM lgkt.log;"
            f"SET lgkt.erasing = on; {change % seq}"
        )
        assert said % seq in command("serve", "verify", server.place(), code=2).stderr
        primary.sql(
            "SET lgkt.erasing = on; DELETE FROM lgkt.log;"
            "INSERT INTO lgkt.log SELECT * FROM lgkt.kept"
        )
    primary.sql("INSERT INTO lgkt.idem SELECT programme, '\\x00', 3 FROM lgkt.idem LIMIT 1")
    assert "of no record" in command("serve", "verify", server.place(), code=2).stderr
    primary.sql(f"DELETE FROM lgkt.idem WHERE seq = {seq}")
    assert "idempotency key" in command("serve", "verify", server.place(), code=2).stderr


def test_what_is_left_of_an_erased_unit(primary, uri, start):
    """Nothing, in the files of the database, after what docs/serve.md says; nor of a programme."""
    server = start(store=uri)
    server.make()
    name = "somebody-who-is-erased"
    for i in range(50):
        assert server.decide(f"k{i}", unit=name if i % 2 else "other").status == 201
    assert server.stop() == 0  # a snapshot has the name, too
    oid = primary.sql("SELECT oid FROM pg_database WHERE datname = 'postgres'")
    folder = primary.data / "base" / oid

    def has_name():
        primary.sql("CHECKPOINT")
        return any(name.encode() in file.read_bytes() for file in folder.iterdir())

    assert has_name()
    server.start()
    assert server.ask("DELETE", f"/v1/programmes/berg/units/{name}").status == 200
    assert server.decide("k1", unit=name).status == 410
    assert primary.sql(f"SELECT count(*) FROM lgkt.log WHERE rec LIKE '%{name}%'") == "0"
    vacuum, remove = re.findall(r"^```sql\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    primary.sql(vacuum)
    assert not has_name()
    assert server.decide("k0", unit="other").status == 201
    command("serve", "verify", server.place())
    server.make(name="stays")
    assert server.stop() == 0
    primary.sql(remove)
    tables = ("log", "idem", "snapshot", "programme")
    counts = [f"(SELECT count(*) FROM lgkt.{table})" for table in tables]
    assert primary.sql(f"SELECT {', '.join(counts)}") == "1|1|1|1"
    server.start()
    names = [one["name"] for one in server.ask("GET", "/v1/programmes").json["programmes"]]
    assert names == ["stays"]


def test_a_standby_that_is_away(pair, start):
    first, second = pair
    first.clear()
    server = start(store=first.uri(second))
    server.make()
    kept = server.decide("kept").body
    second.stop()
    unanswered(server, "waits").close()
    # PostgreSQL ends the wait, and the commit stays where it is: on one disk
    first.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    assert server.ends() == 1
    assert "two disks" in server.said()
    # what one disk has is not told of before it is on both
    after = run_beside(server.folder, server.store)
    line = after.stdout.readline()
    assert "serving" in line, after.communicate()
    server.port = int(line.strip().rstrip("/").rsplit(":", 1)[1])
    own = unanswered(server, "waits")
    assert server.ask("GET", "/readyz", token=None).status == 503
    second.start()
    server.wait_ready()
    assert server.decide("kept").body == kept
    again = server.decide("waits")
    assert again.status == 201 and again.json["decision"] == 1
    own.close()
    after.terminate()
    after.communicate(timeout=60)
    assert after.returncode == 0


def test_a_standby_can_be_read(pair, start):
    first, second = pair
    first.clear()
    server = start(store=first.uri(second))
    server.make()
    for i in range(20):
        server.decide(f"k{i}")
    uri = second.uri()
    verdict = command("serve", "verify", f"{uri}#berg", "--json").stdout
    assert json.loads(verdict)["records"] == 21
    export = command("serve", "export", f"{uri}#berg").stdout
    assert export == command("serve", "export", server.place()).stdout
    done = command("serve", "--data", f"{server.folder}2", "--store", uri, code=1)
    assert "read-only" in done.stderr


def test_the_server_of_a_primary_that_was_left(pair, start):
    """The standby is promoted while the old primary still runs, with a server on it."""
    first, second = pair  # and this is the last that they are good for
    server = start(store=first.clear())
    server.make()
    told = {f"k{i}": server.decide(f"k{i}", unit=f"u{i % 3}").body for i in range(30)}
    second.sql("SELECT pg_promote()")
    own = unanswered(server, "late")
    after = start(store=second.uri(), name="after")
    for i, (key, body) in enumerate(told.items()):
        assert after.decide(key, unit=f"u{i % 3}").body == body
    assert after.decide("late").status == 201
    # the old one still waits, and whoever ends that gets no answer from it either
    first.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    assert server.ends() == 1
    own.close()
    assert after.ask("POST", DECISIONS, OCCASION, key="late").status == 201


def test_groups_are_two_round_trips(primary, uri, start):
    wire = pg.Wire(primary)
    server = start(store=wire.uri())
    server.make()
    connections = [server.connect() for _ in range(30)]
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}

    def groups():
        metrics = server.ask("GET", "/metrics").body.decode()
        return int(re.search(r'lgkt_commits_total\{programme="berg"\} (\d+)', metrics)[1])

    server.decide("first")
    turns, before = wire.turns, groups()
    for turn in range(5):
        for i, one in enumerate(connections):
            key = {"Idempotency-Key": f"{turn}/{i}"}
            one.request("POST", DECISIONS, json.dumps(OCCASION), {**headers, **key})
        for one in connections:
            answer = one.getresponse()
            assert answer.status == 201, answer.read()
            answer.read()
    for one in connections:
        one.close()
    assert wire.turns - turns == 2 * (groups() - before)
    assert server.stop() == 0
    wire.remove()
