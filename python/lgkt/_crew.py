# SPDX-License-Identifier: MIT
"""Pieces of work of Python, one after the other here, each in a process of its own, or on the
workers of a Dask cluster. What one of them loses, be it its process, the others keep.

A process is forked where the system does that, so that functions and classes of a notebook need not
be sent; elsewhere what is to be done is pickled. Processes ignore Ctrl-C, which ends all of them
from here.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import sys
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from lgkt._errors import error

Tell = Callable[[float], object]


class Piece(Protocol):
    """Something to be done, which says how many steps of it are done."""

    def play(self, tell: Tell) -> Any:
        """What comes of it; it raises nothing but what ends all of the work."""
        ...


class Lost(Exception):
    """A piece of which nothing came, and why."""


def here(
    pieces: Sequence[Piece], tell: Callable[[int, float], object]
) -> Iterator[tuple[int, Any]]:
    """One after the other, in this process."""
    for i, piece in enumerate(pieces):
        yield i, piece.play(partial(tell, i))


# ---- processes ----


def _run(piece: Piece, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    made = piece.play(lambda steps: pipe.send(steps))
    pipe.send((made,))
    pipe.close()


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"


def processes(
    pieces: Sequence[Piece], jobs: int, tell: Callable[[int, float], object]
) -> Iterator[tuple[int, Any]]:
    """As many at a time as there are jobs; what comes of a piece, or that it is `Lost`."""
    forks = sys.platform == "linux"
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")
    left = deque(range(len(pieces)))
    running: dict[Connection, tuple[int, Any]] = {}
    try:
        while left or running:
            while left and len(running) < jobs:
                i = left.popleft()
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_run, args=(pieces[i], theirs), daemon=True)
                try:
                    process.start()
                except (pickle.PicklingError, AttributeError, TypeError) as why:
                    yield i, Lost(f"cannot be sent to a process ({why}); jobs=1 plays it here")
                    continue
                finally:
                    theirs.close()
                running[ours] = i, process
            for pipe in wait(list(running), 0.2):
                assert isinstance(pipe, Connection)
                i, process = running[pipe]
                try:
                    said = pipe.recv()
                except EOFError:
                    process.join()
                    said = (Lost(_ending(process.exitcode)),)
                if not isinstance(said, tuple):
                    tell(i, said)
                    continue
                del running[pipe]
                pipe.close()
                process.join()
                yield i, said[0]
    finally:
        for pipe, (_, process) in running.items():
            process.terminate()
            process.join()
            pipe.close()


# ---- a cluster ----


def _nothing(steps: float) -> None:
    """Workers do not say how far they are."""


def work(piece: Piece) -> Any:
    """What a worker does."""
    return piece.play(_nothing)


def cluster(pieces: Sequence[Piece], client: Any) -> Iterator[tuple[int, Any]]:
    """On the workers of a Dask client; what comes of a piece, or that it is `Lost`."""
    from lgkt._dask import _Cluster, _line

    there = _Cluster(client)
    done = there.distributed.as_completed(loop=client.loop)
    flying: dict[str, tuple[int, Any]] = {}
    try:
        for i, piece in enumerate(pieces):
            future = client.submit(work, piece, key=f"lgkt-{uuid.uuid4().hex}", pure=False)
            flying[future.key] = i, future
            done.add(future)
        while flying:
            for future, made in there.results(there.ended(done)):
                i, _ = flying.pop(future.key)
                if isinstance(made, MemoryError):
                    raise error("NO_MEMORY", f"a worker ran out of memory: {_line(made)}")
                yield i, Lost(_line(made)) if isinstance(made, BaseException) else made
    finally:
        done.clear()
        with contextlib.suppress(Exception):
            client.cancel([future for _, future in flying.values()])
