# SPDX-License-Identifier: MIT
"""Tasks of an experiment on the workers of a Dask cluster.

A batch is a list of tasks and a time limit: a worker plays them one after the other, begins none
behind the limit, and returns records and seconds. What is not in the journal then goes to another
batch. Batches are sized from measured seconds to last between one and a few seconds, so that what a
batch costs the scheduler does not show; panels that take long come first, so that the end is short.

Tasks are numbers, and the journal takes each of them once: a batch that was lost with its worker is
sent again, and it does not matter whether the first one still ends somewhere.

Batches are calls of `eval`, so that the scheduler, which looks into them, needs no lgkt, and that a
worker without it can say so. No worker needs a file: what files hold is sent with the experiment,
once to each process.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import math
import pickle
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lgkt import _core
from lgkt._errors import Error, error
from lgkt._extras import needed
from lgkt.reproduce import Asked

_Tasks = NDArray[np.int64]

_SHORTEST, _LONGEST = 1.2, 4.0  # seconds of a batch
_LARGE = 16384  # bytes of an experiment that are not sent with every batch
_PATIENCE = 30  # batches in a row that brought nothing
_VERSION = "__import__('lgkt').__version__"
_BATCH = "__import__('lgkt._dask', None, None, ['work']).work(key, tasks, limit, data)"


# ---- on a worker ----

_made: dict[str, _core.Reproduction] = {}
_making = threading.Lock()


def work(key: str, tasks: bytes, limit: float, data: bytes | None) -> tuple[bytes, bytes] | str:
    """Play tasks: returns records and seconds, or the address of a worker that needs `data`."""
    with _making:
        if key not in _made:
            if data is None:
                return _address()
            asked, identity = pickle.loads(data)
            ready = asked.make(check=False)
            if ready.identity != identity:
                theirs, ours = _difference(ready.identity, identity)
                raise error("CONFIG", f'{_address()}: its lgkt is another one than here: '
                                      f'"{theirs}", not "{ours}"')
            while len(_made) > 3:
                del _made[next(iter(_made))]
            _made[key] = ready
        ready = _made[key]
    records, seconds = ready.play(np.frombuffer(tasks, np.int64), 1, limit)
    return records, seconds.tobytes()


def _difference(a: str, b: str) -> tuple[str, str]:
    """The first lines in which two identities differ, such as those with the numbers of a build."""
    pairs = zip_longest(a.splitlines(), b.splitlines(), fillvalue="")
    return next(pair for pair in pairs if pair[0] != pair[1])


def _address() -> str:
    return str(importlib.import_module("distributed").get_worker().address)


# ---- what is left ----


class _Left:
    """The tasks that nobody has been asked for, and how long they take."""

    def __init__(self, tasks: _Tasks, of: NDArray[np.intp], steps: NDArray[np.float64]) -> None:
        self.steps = steps  # of a task, by panel
        self.count = np.bincount(of, minlength=len(steps))
        self.pieces: list[deque[_Tasks]] = [deque() for _ in steps]
        for p in np.flatnonzero(self.count):
            self.pieces[p].append(tasks[of == p])
        self.played = np.zeros(len(steps))
        self.seconds = np.zeros(len(steps))

    def measure(self, panels: NDArray[np.intp], seconds: NDArray[np.float64]) -> None:
        np.add.at(self.played, panels, 1.0)
        np.add.at(self.seconds, panels, seconds)

    def give_back(self, tasks: _Tasks, panels: NDArray[np.intp]) -> None:
        for p in np.unique(panels):
            self.pieces[p].appendleft(tasks[panels == p])
            self.count[p] += len(self.pieces[p][0])

    def take(self, threads: int) -> tuple[_Tasks, float]:
        """The tasks of the next batch, and after how many seconds it is to end at the latest; none
        if nothing is left."""
        left = np.flatnonzero(self.count)
        # a panel that was not played yet takes as long for a step as the others; before there are
        # others each thread gets its share of the panels
        known = self.played.sum() > 0
        rate = self.seconds.sum() / (self.played @ self.steps) if known else math.nan
        guess = self.steps * rate if known else np.full(
            len(self.steps), _SHORTEST / max(1, len(left) // (2 * threads)))
        cost = np.divide(self.seconds, self.played, out=guess, where=self.played > 0)
        cost = np.maximum(cost, 1e-6)
        whole = float(self.count[left] @ cost[left])
        # on large clusters longer ones: the scheduler gets about a hundred a second
        lasts = min(max(whole / (4 * threads), _SHORTEST), max(_LONGEST, threads / 100))
        goal = lasts
        taken: list[_Tasks] = []
        # those that are not known first, one of each, then the long ones
        for p in left[np.lexsort((-cost[left], self.played[left] > 0))]:
            if goal <= 0.0:
                break
            wanted = math.ceil(goal / cost[p]) if self.played[p] > 0 else 1
            goal -= min(wanted, int(self.count[p])) * cost[p]
            while wanted > 0 and self.pieces[p]:
                piece = self.pieces[p].popleft()
                taken.append(piece[:wanted])
                if len(piece) > wanted:
                    self.pieces[p].appendleft(piece[wanted:])
                self.count[p] -= len(taken[-1])
                wanted -= len(taken[-1])
        tasks = np.concatenate(taken) if taken else np.zeros(0, np.int64)
        return tasks, 2.0 * lasts


# ---- the cluster ----


class _Cluster:
    """The client of a cluster, whose workers have lgkt."""

    def __init__(self, client: Any) -> None:
        with needed("client", "dask"):
            self.distributed = importlib.import_module("distributed")
        if not isinstance(client, self.distributed.Client) or client.asynchronous:
            raise TypeError("client must be a dask.distributed.Client that is not asynchronous")
        self.client = client
        self.looked = -math.inf
        self.threads = 1
        self.ask()

    def ask(self) -> None:
        """Whether all workers have this version."""
        try:
            answers = self.client.run(eval, _VERSION, on_error="return")
        except Exception as why:  # also those of a client that was closed, which are any
            raise error("SYSTEM", f"the cluster does not answer: {_line(why)}") from None
        for address, answer in answers.items():
            if isinstance(answer, ImportError):
                raise error("UNSUPPORTED", f"worker {address} has no lgkt: {_line(answer)}")
            # one that has just died is none of the cluster any more
            if isinstance(answer, str) and answer != _core.__version__:
                raise error("UNSUPPORTED", f"worker {address} has lgkt {answer}, not "
                                           f"{_core.__version__}")

    def count(self) -> int:
        """The threads of all workers, looked up now and then."""
        if time.monotonic() - self.looked > 2.0:
            with contextlib.suppress(OSError, TimeoutError):
                self.threads = max(1, sum(self.client.nthreads().values()))
            self.looked = time.monotonic()
        return self.threads

    def check(self) -> None:
        """Whether there is a scheduler, or a chance that it comes back."""
        if self.client.status not in ("running", "connecting"):
            raise error("SYSTEM", "the cluster is gone; what is finished is kept, and the same "
                                  "call goes on from there")

    def ended(self, done: Any) -> list[Any]:
        """Some batches that have ended; those of a cluster that is gone never do."""
        batch: list[Any] = done.next_batch(block=False)
        while not batch:
            self.check()
            time.sleep(0.02)
            batch = done.next_batch(block=False)
        return batch

    def results(self, batch: list[Any]) -> Iterator[tuple[Any, Any]]:
        """What became of batches that ended: each with its result, or the exception."""
        good = [future for future in batch if future.status == "finished"]
        try:
            found = dict(zip((future.key for future in good), self.client.gather(good)))
        except Exception:
            found = {}  # one of them was lost in the meantime: one by one
        for future in batch:
            try:
                yield future, found.get(future.key) or future.result()
            except (Exception, self.distributed.CancelledError) as why:
                yield future, why


def _answer(result: object, tasks: _Tasks) -> tuple[bytes, NDArray[np.float64]]:
    """Records and seconds that a worker sent, if it is that."""
    good = (isinstance(result, tuple) and len(result) == 2
            and all(isinstance(part, bytes) for part in result)
            and len(result[1]) == 8 * len(tasks))
    if not good:
        raise error("FORMAT", f"a worker answered with no records: "
                              f"{_line(repr(result))}, for {len(tasks)} tasks")
    records, seconds = cast(tuple[bytes, bytes], result)
    return records, np.frombuffer(seconds)


def play(
    client: Any,
    asked: Asked,
    ready: _core.Reproduction,
    missing: _Tasks,
    steps: NDArray[np.float64],
    tell: Callable[[float], object] | None,
) -> int:
    """Play tasks on the workers of a client, into the journal; returns the number of threads.

    `steps` are those of a task of each panel.
    """
    def panels_of(tasks: _Tasks) -> NDArray[np.intp]:
        return np.searchsorted(ready.first, tasks, "right") - 1

    cluster = _Cluster(client)
    left = _Left(missing, panels_of(missing), steps)
    data = pickle.dumps((asked, ready.identity))
    key = hashlib.sha256(data).hexdigest()
    always = data if len(data) <= _LARGE else None
    flying: dict[str, tuple[Any, _Tasks]] = {}
    done = cluster.distributed.as_completed(loop=client.loop)

    def send(tasks: _Tasks, limit: float, worker: str | None = None) -> None:
        given = {"key": key, "tasks": tasks.tobytes(), "limit": limit,
                 "data": data if worker else always}
        # a worker without the experiment gets it; should it be gone by then, another one does
        where = {"workers": [worker], "allow_other_workers": True} if worker else {}
        future = client.submit(eval, _BATCH, {}, given, key=f"lgkt-{uuid.uuid4().hex}", pure=False,
                               **where)
        flying[future.key] = future, tasks
        done.add(future)

    finished, failures, asks = 0.0, 0, 0
    try:
        while flying or left.count.any():
            threads = cluster.count()
            while len(flying) < 3 * threads:
                tasks, limit = left.take(threads)
                if not len(tasks):
                    break
                send(tasks, limit)
            for future, result in cluster.results(cluster.ended(done)):
                tasks = flying.pop(future.key)[1]
                if isinstance(result, str):
                    # at first all that are under way may come back like this
                    asks += 1
                    _judge(cluster, error("SYSTEM", "workers ask for the experiment again and "
                                                    "again"), asks - 3 * threads)
                    send(tasks, _LONGEST, result)
                    continue
                failures += 1
                if isinstance(result, BaseException):
                    _judge(cluster, result, failures)
                    left.give_back(tasks, panels_of(tasks))
                    continue
                records, seconds = _answer(result, tasks)
                new = ready.append(records)
                there = ~np.isin(tasks, ready.missing(tasks))
                panels = panels_of(tasks)
                played = there & ~np.isnan(seconds)
                left.measure(panels[played], seconds[played])
                left.give_back(tasks[~there], panels[~there])
                if not there.any():
                    _judge(cluster, error("SYSTEM", "workers answer without a record"), failures)
                    continue
                failures = asks = 0
                if new > 0:
                    finished += float(steps[panels[played]].sum())
                ready.sync(0.5)
                if tell is not None:
                    tell(finished)
    finally:
        done.clear()
        if flying:
            with contextlib.suppress(Exception):
                client.cancel([future for future, _ in flying.values()])
        ready.sync()
    return cluster.count()


def _judge(cluster: _Cluster, why: BaseException, failures: int) -> None:
    """Raises what no repetition mends; a worker that was lost is no such thing."""
    ours = isinstance(why, Error) and why.status == "SYSTEM"
    if isinstance(why, Error | MemoryError) and not ours:
        raise why.with_traceback(None)
    if isinstance(why, ImportError | AttributeError | TypeError):
        cluster.ask()
    cluster.check()
    if failures >= _PATIENCE:
        raise error("SYSTEM", f"{failures} batches in a row were lost on the cluster: "
                              f"{_line(why)}") from None


def _line(why: object) -> str:
    """An exception, or another thing as a text, in one short line."""
    text = (str(why).strip().splitlines() or ["?"])[0][:200]
    return f"{type(why).__name__}: {text}" if isinstance(why, BaseException) else text
