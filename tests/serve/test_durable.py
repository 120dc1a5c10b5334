# SPDX-License-Identifier: MIT
"""What was answered is found again: killed at random in the middle of load, started, verified.

In files and in PostgreSQL, where the database is killed, too, the connection is cut, and a standby
takes over. LGKT_ROUNDS says how often.
"""

import contextlib
import json
import random
import signal
import sqlite3
import threading
import time

import pytest
from conftest import OCCASION, command

P = "/v1/programmes/berg"


class Load(threading.Thread):
    """Decides and reports on one connection until the server is gone; keeps what was answered."""

    def __init__(self, server, number, begin):
        super().__init__()
        self.server, self.number, self.at = server, number, begin
        self.answered, self.reported, self.asked = {}, {}, None

    def run(self):
        own = self.server.connect(timeout=20)
        try:
            while True:
                key = f"{self.number}/{self.at}"
                self.asked = key
                answer = self.server.decide(key, unit=f"u{self.number}", connection=own)
                if answer.status == 503:
                    continue
                assert answer.status == 201, answer
                self.answered[key] = answer.body
                self.at += 1
                decision = answer.json["decision"]
                if self.at % 3 == 0:
                    reward = {"decision": decision, "reward": self.at % 7 / 8}
                    self.server.ask("POST", f"{P}/reports", [reward], connection=own)
                    self.reported[decision] = reward["reward"]
        except OSError:
            pass
        except Exception as error:  # http.client has many of its own for a server that is gone
            if "http.client" not in type(error).__module__:
                raise
        finally:
            own.close()


def test_killed_in_the_middle_of_load(start, store, tmp_path):
    random.seed(1)
    server = start(store=store.uri)
    server.make()
    answered, reported, begin = {}, {}, 0
    for _ in range(store.rounds):
        loads = [Load(server, i, begin) for i in range(8)]
        for load in loads:
            load.start()
        time.sleep(random.uniform(0.02, 0.4))
        store.crash(server)
        for load in loads:
            load.join()
            answered.update(load.answered)
            reported.update(load.reported)
        begin = max(load.at for load in loads) + 1
        server.start()
        # a retry of what was answered, and of what was not
        for key in random.sample(sorted(answered), min(50, len(answered))):
            number = key.split("/")[0]
            assert server.decide(key, unit=f"u{number}").body == answered[key]
        for load in loads:
            again = server.decide(load.asked, unit=f"u{load.number}")
            assert again.status == 201
            answered[load.asked] = again.body
    rows = [
        json.loads(line) for line in server.ask("GET", f"{P}/export?format=jsonl").body.splitlines()
    ]
    assert [row["decision"] for row in rows] == list(range(len(rows))), "no gap"
    by_number = {row["decision"]: row for row in rows}
    for body in answered.values():
        told = json.loads(body)
        row = by_number[told["decision"]]
        assert (row["action"], row["probability"]) == (told["action"], told["probability"])
    for decision, reward in reported.items():
        assert by_number[decision]["reward"] == reward
    receipts = tmp_path / "receipts.jsonl"
    receipts.write_bytes(b"".join(body.strip() + b"\n" for body in answered.values()))
    assert server.stop() == 0
    verdict = json.loads(
        command("serve", "verify", server.place(), "--receipts", str(receipts), "--json").stdout
    )
    assert verdict["receipts"] == len(answered)
    assert verdict["replayed"] == verdict["records"]


def test_a_change_of_the_file_is_found(start, tmp_path):
    server = start()
    server.make()
    answers = [server.decide(f"k{i}", unit=f"u{i % 5}").body for i in range(200)]
    receipts = tmp_path / "receipts"
    receipts.write_bytes(b"\n".join(one.strip() for one in answers) + b"\n")
    file = server.folder / "berg.db"
    copy = tmp_path / "copy.db"
    command("serve", "backup", str(file), "--out", str(copy))
    assert server.stop() == 0
    command("serve", "verify", str(copy), "--receipts", str(receipts))
    # what is lost at the end shows against receipts only
    other = receipts.read_text().replace(json.loads(answers[50])["receipt"], "0" * 32)
    (tmp_path / "wrong").write_text(other)
    done = command("serve", "verify", str(copy), "--receipts", str(tmp_path / "wrong"), code=2)
    assert "52" in done.stderr or "51" in done.stderr, done.stderr
    whole = bytearray(copy.read_bytes())
    at = whole.find(b"u3")
    assert at > 0
    whole[at + 1] ^= 1
    copy.write_bytes(whole)
    assert command("serve", "verify", str(copy), code=2).stderr


def test_keys_are_found_wherever_they_are(start):
    """New ones are in memory and in the log, older ones in the index, to which they are
    brought part by part; a file from before there were parts has all in the index."""
    server = start()
    server.make()
    answers = {}

    def decide(count, end):
        for i in range(count):
            key = f"{len(answers)}"
            answers[key] = server.decide(key, unit=f"u{i % 7}").body
        server.stop(end)

    def check():
        server.start()
        for key, body in answers.items():
            assert server.decide(key, unit=f"u{at[key]}").body == body, key

    at = {}
    for end in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
        at.update({f"{len(answers) + i}": i % 7 for i in range(450)})
        decide(450, end)
        check()
    assert server.stop() == 0
    file = server.folder / "berg.db"
    with contextlib.closing(sqlite3.connect(file)) as own:
        records = own.execute("SELECT seq, rec FROM log").fetchall()
        marks = own.execute("SELECT count(*) FROM idem WHERE length(key) = 1").fetchone()[0]
        assert marks == 256
        own.execute("DELETE FROM idem")
        # kind, marks, time and made are before the key
        keys = [(rec[18:34], seq) for seq, rec in records if rec[1] & 1]
        own.executemany("INSERT INTO idem(key, seq) VALUES(?, ?)", keys)
        own.commit()
    check()
    at.update({f"{len(answers) + i}": i % 7 for i in range(50)})
    decide(50, signal.SIGKILL)
    check()
    assert server.stop() == 0
    told = json.loads(command("serve", "verify", str(file), "--json").stdout)
    assert told["keys"] == len(answers) + 1


def test_two_servers_on_one_folder(start):
    server = start()
    server.make()
    done = command("serve", "--data", str(server.folder), "--listen", "127.0.0.1:0", code=1)
    assert "another process" in done.stderr
    assert server.decide("first").status == 201


@pytest.mark.parametrize("store", ["files", "database"], indirect=True)
def test_the_command_exports_what_the_server_does(start, store, tmp_path):
    server = start(store=store.uri)
    server.make()
    for i in range(50):
        server.decide(f"k{i}", unit=f"u{i % 5}")
    told = server.ask("GET", f"{P}/export").body
    place = server.place()
    assert command("serve", "export", place).stdout.encode() == told
    command("serve", "export", place, "--out", str(tmp_path / "log.csv"))
    assert (tmp_path / "log.csv").read_bytes() == told
    assert OCCASION["unit"] not in told.decode()
