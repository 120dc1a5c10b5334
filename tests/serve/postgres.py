# SPDX-License-Identifier: MIT
"""PostgreSQL servers of their own for tests: made in a folder, reached by a socket in it.

    python3 tests/serve/postgres.py [--standby] COMMAND..

runs a command beside such a server, or a pair of them, which it finds in LGKT_TEST_STORE: tests of
the store, or bench/serve. PostgreSQL refuses to run as root; then it runs as the user postgres, or
nobody.
"""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SOCKET = ".s.PGSQL.5432"


def programs():
    """The folder with initdb and the others; None where PostgreSQL is not installed."""
    found = shutil.which("initdb")
    if found:
        return pathlib.Path(found).resolve().parent
    others = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return others[-1].parent if others else None


def unprivileged():
    """Options of subprocess to run as a user that is not root."""
    if os.geteuid() != 0:
        return {}
    names = {user.pw_name for user in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Postgres:
    """A server, or a standby of `primary`, whose name is then that of a synchronous standby."""

    def __init__(self, primary=None, name="standby"):
        self.bin, self.user = programs(), unprivileged()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lgkt-pg-"))
        self.data, self.process = self.folder / "data", None
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        if primary is None:
            self.run(
                "initdb", "-D", self.data, "-U", "lgkt", "-A", "trust", "-N", "--no-instructions",
                "-E", "UTF8", "--locale=C", "--wal-segsize=1",
            )  # fmt: skip
        else:
            source = f"{primary.uri()}&application_name={name}"
            self.run("pg_basebackup", "-d", source, "-D", self.data, "-R", "-c", "fast", "-N")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write(
                f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n"
                "shared_buffers = 16MB\nmax_wal_size = 32MB\n"
            )
        self.start()

    def run(self, program, *arguments, text=""):
        command = [str(self.bin / program), *map(str, arguments)]
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            cwd=self.folder,
            timeout=300,
            **self.user,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def uri(self, *others):
        """For several servers: connects to the one that can be written to."""
        folders = ",".join(str(one.folder) for one in (self, *others))
        return f"postgresql://lgkt@/postgres?host={folders}"

    def start(self):
        log = open(self.folder / "log", "a", encoding="utf-8")
        command = [str(self.bin / "postgres"), "-D", str(self.data)]
        self.process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=self.folder, **self.user
        )
        log.close()
        end = time.monotonic() + 60
        while subprocess.run([str(self.bin / "pg_isready"), "-q", "-d", self.uri()]).returncode:
            assert time.monotonic() < end and self.process.poll() is None, self.said()
            time.sleep(0.02)

    def said(self):
        return (self.folder / "log").read_text()

    def processes(self):
        """The server and its children; these have groups of their own."""
        found = [self.process.pid]
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(status.read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if parent == self.process.pid:
                found.append(int(status.parent.name))
        return found

    def send(self, number):
        """A signal to the server and its children: SIGKILL, SIGSTOP, SIGCONT."""
        for pid in self.processes():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait(60)
        self.process = None
        # the memory that they shared is free when the last of them is gone
        time.sleep(0.1)

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(60)
            self.process = None

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def clear(self):
        """Nothing is left of what was tested before; how it is reached."""
        self.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'lgkt serve';"
            "DROP SCHEMA IF EXISTS lgkt CASCADE"
        )
        return self.uri()

    def sql(self, text):
        """What psql prints, columns with | between them; each statement is committed by itself."""
        options = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]
        return self.run("psql", *options, "-d", self.uri(), text=text).strip()

    def wait(self, query, value, seconds=30):
        end = time.monotonic() + seconds
        while self.sql(query) != value:
            assert time.monotonic() < end, (query, self.sql(query))
            time.sleep(0.02)

    def follow(self, name="standby"):
        """A standby that every commit waits for."""
        standby = Postgres(self, name)
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        self.sql("SELECT pg_reload_conf()")
        self.wait("SELECT sync_state FROM pg_stat_replication", "sync")
        return standby


class Wire:
    """Stands between clients and a server, counts round trips and can be cut."""

    def __init__(self, server):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lgkt-pg-wire-"))
        self.to, self.ends = str(server.folder / SOCKET), []
        self.turns, self.is_asked = 0, False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / SOCKET))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def uri(self):
        return f"postgresql://lgkt@/postgres?host={self.folder}"

    def accept(self):
        while True:
            try:
                one = self.listener.accept()[0]
            except OSError:
                return
            other = socket.socket(socket.AF_UNIX)
            other.connect(self.to)
            self.ends += [one, other]
            for a, b in ((one, other), (other, one)):
                threading.Thread(target=self.pass_on, args=(a, b, a is one), daemon=True).start()

    def pass_on(self, a, b, asks):
        try:
            while data := a.recv(65536):
                self.turns += asks and not self.is_asked
                self.is_asked = asks
                b.sendall(data)
        except OSError:
            pass
        for end in (a, b):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        """Both ends of all connections, wherever they are."""
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
        self.ends.clear()

    def remove(self):
        self.listener.close()
        self.cut()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    command, servers = sys.argv[1:], []
    if command[:1] == ["--standby"]:
        del command[0]
    if not command:
        raise SystemExit("usage: postgres.py [--standby] COMMAND..")
    try:
        servers.append(Postgres())
        if len(command) < len(sys.argv) - 1:
            servers.append(servers[0].follow())
        store = {"LGKT_TEST_STORE": servers[0].uri(*servers[1:])}
        raise SystemExit(subprocess.run(command, env=os.environ | store).returncode)
    finally:
        for server in servers:
            server.remove()


if __name__ == "__main__":
    main()
