# SPDX-License-Identifier: MIT
"""Clusters made by hand on this machine, and taken down again whatever happens: Slurm, Dask, hosts.

All of them are used as `with Slurm(folder) as slurm:`. What they start are children of this process
in the foreground, so that nothing is left behind.
"""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time


class Failure(Exception):
    """One line that says what went wrong."""


def wait_for(what, condition, seconds=60.0):
    """What the condition returns as soon as that is true."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds:g} s")
        time.sleep(0.1)
    return result


def free_port():
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


class Processes:
    """Children that are ended in the reverse order of their start."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        # as mktemp makes it nobody else may look in, and munge insists that all can reach its socket
        self.folder.chmod(0o755)
        self.running = []

    def start(self, name, command, env=None):
        path = self.folder / f"{name}.log"
        with open(path, "wb") as log:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, env={**os.environ, **(env or {})})
        process.log = path
        self.running.append(process)
        return process

    def kill(self, process):
        process.kill()
        process.wait()
        self.running.remove(process)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


SLURM_CONF = """\
ClusterName=lgkt
SlurmctldHost=localhost
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
# a task that is queued again waits for as long as credentials are good for: 120 s by default
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobRequeue=1
ReturnToService=2
MpiDefault=none
KillWait=5
NodeName=localhost CPUs={cpus} State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


class Slurm(Processes):
    """munged, slurmctld and slurmd of their own: one node, which is this machine."""

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        self.conf = self.folder / "slurm.conf"
        self.conf.write_text(SLURM_CONF.format(folder=self.folder, controller=free_port(),
                                               node=free_port(), cpus=os.cpu_count()))
        self.env = {"SLURM_CONF": str(self.conf)}
        self.start("munged", ["munged", "--foreground", f"--key-file={key}",
                              *(f"--{what}={self.folder}/munge.{end}" for what, end in (
                                  ("socket", "socket"), ("log-file", "log"), ("pid-file", "pid"),
                                  ("seed-file", "seed")))])
        wait_for("munged", (self.folder / "munge.socket").exists)
        self.start("slurmctld", ["slurmctld", "-D", "-c"], self.env)
        self.start("slurmd", ["slurmd", "-D"], self.env)
        wait_for("slurmd", lambda: "idle" in self.run("sinfo", "-h", "-o", "%T", check=False))

    def run(self, *command, check=True, cwd=None):
        """Runs a command of Slurm and returns what it prints."""
        done = subprocess.run([str(word) for word in command], env={**os.environ, **self.env},
                              cwd=cwd, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise Failure(f"{command[0]}: {done.stderr.strip()}")
        return done.stdout.strip()

    def job(self, number):
        """What is known of a job or of one task of an array (12_3), by name."""
        text = self.run("scontrol", "show", "job", number, "-o", check=False).splitlines()
        return dict(pair.partition("=")[::2] for pair in text[0].split()) if text else {}

    def requeue(self, number):
        self.run("scontrol", "requeue", number)

    def notify(self, number):
        """The notice before a time limit: USR1 to the shell of a job. (scancel may send it twice.)"""
        rows = [row.split() for row in self.run(
            "scontrol", "listpids", self.job(number)["JobId"]).splitlines()]
        os.kill(next(int(row[0]) for row in rows if row[3] == "0"), signal.SIGUSR1)

    def __exit__(self, *failure):
        # what runs in jobs belongs to slurmd's helpers, which outlive it
        with contextlib.suppress(Failure):
            self.run("scancel", "--user=root", check=False)
            wait_for("jobs", lambda: not self.run("squeue", "-h", check=False), 20)
        super().__exit__(*failure)


class Dask(Processes):
    """A scheduler and workers of one thread each, which can be killed."""

    def __init__(self, folder, python, host="127.0.0.1", settings=()):
        """`settings` are those of Dask, as in ("distributed.scheduler.worker-ttl", "5s")."""
        super().__init__(folder)
        self.python = python
        self.env = {"DASK_" + name.upper().replace(".", "__").replace("-", "_"): str(value)
                    for name, value in settings}
        file = self.folder / "scheduler.json"
        # a scheduler that was killed leaves it there
        file.unlink(missing_ok=True)
        self.start("scheduler", [python, "-m", "dask", "scheduler", "--host", host, "--port", "0",
                                 "--no-dashboard", "--scheduler-file", file], self.env)
        try:
            wait_for("the scheduler of Dask", file.exists)
            self.address = wait_for("its address", lambda: self.read(file))
        except BaseException:
            self.__exit__()
            raise
        self.workers = []
        self.count = 0

    @staticmethod
    def read(file):
        with contextlib.suppress(json.JSONDecodeError):
            return json.loads(file.read_text())["address"]

    def add(self, prefix=(), python=None, options=()):
        self.count += 1
        worker = self.start(f"worker-{self.count}", [
            *prefix, python or self.python, "-m", "dask", "worker", self.address,
            "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0",
            "--local-directory", self.folder, *options], self.env)
        self.workers.append(worker)
        return worker

    def ready(self):
        """Whether all workers have come to the scheduler."""
        return all("Registered to" in worker.log.read_text() for worker in self.workers)

    def kill_worker(self, worker):
        self.workers.remove(worker)
        self.kill(worker)


class Hosts:
    """Hosts with one address each, as network namespaces on a bridge; this machine is on it, too."""

    def __init__(self, count):
        # names and addresses of this process alone
        self.number = os.getpid() % 250 + 1
        self.bridge = f"lgkt{self.number}"
        self.names = [f"{self.bridge}-{i}" for i in range(count)]

    def address(self, host=-1):
        """That of a host, or of this machine."""
        return f"198.18.{self.number}.{host + 2}"

    def inside(self, host):
        """What stands before a command that is to run on a host."""
        return ["ip", "netns", "exec", self.names[host]]

    def link(self, host, state):
        """Cuts a host off ("down") or joins it again ("up")."""
        ip("link", "set", self.names[host], state)

    def __enter__(self):
        try:
            ip("link", "add", self.bridge, "type", "bridge")
            ip("address", "add", f"{self.address()}/24", "dev", self.bridge)
            ip("link", "set", self.bridge, "up")
            for host, name in enumerate(self.names):
                ip("netns", "add", name)
                ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
                ip("link", "set", name, "master", self.bridge, "up")
                ip("-n", name, "address", "add", f"{self.address(host)}/24", "dev", "eth0")
                ip("-n", name, "link", "set", "eth0", "up")
                ip("-n", name, "link", "set", "lo", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure):
        # a namespace takes its end of the cable with it
        for name in self.names:
            with contextlib.suppress(Failure):
                ip("netns", "delete", name)
        with contextlib.suppress(Failure):
            ip("link", "delete", self.bridge)


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"ip {' '.join(words)}: {done.stderr.strip()}")
