# SPDX-License-Identifier: MIT
"""Whole experiments into result folders, as `lgkt reproduce` does, here or on a Dask cluster.

What is finished is in a journal, which the command and this package share: either goes on where
the other ended, and the result files are the same, byte for byte, whoever played what.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from lgkt import _core, _own, files
from lgkt._arrays import whole
from lgkt._errors import Error, error
from lgkt._text import short, write_text
from lgkt.experiment import Experiment, parse, read
from lgkt.run import Progress, _threads, _watching

_ROOM = ("IO", "NO_MEMORY")
LEARNERS = "learners.json"  # in a folder: what own learners were, as hashes of their modules


@dataclass(frozen=True)
class Asked:
    """How much of an experiment, and with what; it can be sent elsewhere, files included."""

    experiment: Experiment
    seed: int
    replicates: int | None
    quick: bool
    prices: str | None
    #: what files hold, by folder and spec
    found: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)
    #: hashes of the modules of own learners, by spec
    learners: dict[str, str] = field(default_factory=dict)

    def make(self, source: tuple[str, bytes] | None = None,
             check: bool = True) -> _core.Reproduction:
        """The tasks of the experiment. `source` is the name of its file and what it holds."""
        for spec, known in self.learners.items():
            if _own.fingerprint(spec) != known:
                raise error("CONFIG", f"{short(spec)}: its module is another one here")
        folder = os.path.dirname(self.experiment.file)
        return _core.Reproduction(self.experiment, folder and os.path.join(folder, ""), source,
                                  self.find, _own.player, self.seed, self.replicates, self.quick,
                                  self.prices, check)

    def find(self, folder: str, spec: str) -> tuple[Any, Any]:
        """What the files hold that a spec names, read once."""
        if (folder, spec) not in self.found:
            try:
                self.found[folder, spec] = files.resolve_both(spec, folder)
            except OSError as why:
                # as the command says it
                lost = (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError)
                raise error("NO_FILE" if isinstance(why, lost) else "IO",
                            f"{short(why.filename or spec)}: {why.strerror}") from None
        return self.found[folder, spec]


def reproduce(
    experiment: str | os.PathLike[str] | Experiment,
    out: str | os.PathLike[str] = "results",
    *,
    client: Any = None,
    shard: str | None = None,
    replicates: int | None = None,
    quick: bool = False,
    seed: int | None = None,
    jobs: int | None = None,
    prices: str | os.PathLike[str] | None = None,
    keep_runs: bool = False,
    progress: bool | Callable[[Progress], object] | None = None,
) -> Path:
    """Run an experiment into a folder of its name within `out`, which is returned.

    >>> import lgkt, tempfile
    >>> with tempfile.TemporaryDirectory() as out:
    ...     folder = lgkt.reproduce("frozenlake", out, replicates=2, jobs=1)
    ...     print(folder.name, sorted(file.name for file in folder.glob("*.csv")))
    frozenlake ['curves.csv', 'pairs.csv', 'summary.csv']

    `experiment` is the name of one that comes with the package, a file, or what
    `lgkt.experiment.read` returns. Finished instances go to a journal in the folder as they come;
    after an interruption, a full disk or the end of a cluster the same call goes on where it ended,
    and so does `lgkt reproduce`. The files are those of the command, byte for byte.

    `client` is a `dask.distributed.Client`: instances are then played by its workers, which must
    have the same version of lgkt. Without one they are played here, on `jobs` threads, by default
    one for each processor that this process may use.

    `shard` is a part of it, as ``"3/16"``, the third of 16: it has a journal of its own in the
    folder and no tables, which `lgkt merge` makes of all parts.

    Learners of the file that are written in Python, as ``"python:mine.learners:Careful"``, are
    imported and played here (or on the workers, which must have the same module): play files of
    people you trust only. Threads share one interpreter, so that such learners are not faster on
    several `jobs`; shards and clusters are.

    `replicates` is the number of instances of each panel, by default as the experiment says;
    `quick` takes its small numbers. `prices` is a CSV file for panels that trade, in place of a
    random walk; `keep_runs` also writes runs.csv, with a row for each run; `progress` is as for
    `lgkt.run`.
    """
    asked, source = _asked(experiment, replicates, quick, seed, prices)
    if client is not None and jobs is not None:
        raise error("ARGUMENT", "jobs are threads here; the workers of a client have theirs")
    if client is not None and shard is not None:
        raise error("ARGUMENT", "shard: a cluster plays the whole; a part is played here")
    ready = asked.make(source)
    folder = Path(out) / asked.experiment.name
    begin = time.perf_counter()
    with _alone(folder, shard):
        try:
            ready.open(folder, shard)
            _check_learners(folder, asked.learners)
            missing = ready.missing()
            panels = asked.experiment.panels
            steps = np.array([len(panel.entries) * panel.horizon for panel in panels], float)
            of = np.searchsorted(ready.first, missing, "right") - 1
            with _watching(progress, float(steps[of].sum())) as tell:
                if client is None:
                    threads = _threads() if jobs is None else jobs
                    ready.run(threads, tell)
                else:
                    from lgkt._dask import play

                    threads = play(client, asked, ready, missing, steps, tell)
            if shard is None:
                ready.tabulate(folder, keep_runs, threads, time.perf_counter() - begin,
                               len(missing))
        except Error as why:
            if why.status in _ROOM:
                raise error(why.status, f"{why} (what is finished is kept; the same call goes on "
                                        f"from there)") from None
            raise
        finally:
            ready.close()
    return folder


def _asked(given: str | os.PathLike[str] | Experiment, replicates: int | None, quick: bool,
           seed: int | None,
           prices: str | os.PathLike[str] | None) -> tuple[Asked, tuple[str, bytes] | None]:
    """What is asked for, and the file that says so, unless it was changed since it was read."""
    experiment = given if isinstance(given, Experiment) else read(given)
    file = os.fspath(experiment.file)
    name = experiment.name
    if not name or name.startswith(".") or "/" in name:
        raise error("ARGUMENT", f'"{short(name)}" is no name of an experiment')
    source = None
    if experiment.source and (experiment is not given
                              or parse(file, experiment.source) == experiment):
        source = os.path.basename(file), experiment.source
    panels = tuple(panel for panel in experiment.panels if panel.quick > 0 or not quick)
    if not panels:
        raise error("ARGUMENT", f"{name} has no part in a quick run")
    specs = dict.fromkeys(entry.spec for panel in panels for entry in panel.entries
                          if _own.own(entry.spec))
    return Asked(replace(experiment, panels=panels, source=b""),
                 experiment.seed if seed is None else whole(seed, "seed"),
                 None if replicates is None else whole(replicates, "replicates"), bool(quick),
                 None if prices is None else os.fspath(prices),
                 learners={spec: _own.fingerprint(spec) for spec in specs}), source


def _check_learners(folder: Path, learners: dict[str, str]) -> None:
    """That what is in the folder was played by the same code, as far as a journal cannot know: the
    modules of own learners."""
    path = folder / LEARNERS
    if not learners:
        return
    try:
        known = json.loads(path.read_bytes())
        changed = [spec for spec, hashed in learners.items() if known.get(spec, hashed) != hashed]
    except FileNotFoundError:
        known, changed = {}, []
    except (ValueError, AttributeError):
        raise error("FORMAT", f"{short(path)}: not what lgkt.reproduce writes") from None
    if changed:
        raise error("CONFIG", f"{short(folder)}: made with another module of {short(changed[0])}; "
                              f"remove the folder, or take another one")
    if not learners.items() <= known.items():
        write_text(path, json.dumps(known | learners, indent=1) + "\n")


_open: set[tuple[str, str | None]] = set()
_opening = threading.Lock()


@contextlib.contextmanager
def _alone(folder: Path, shard: str | None) -> Iterator[None]:
    """Keeps a second thread out of a folder, or of a shard in it; the lock of a journal keeps out
    other processes."""
    path = os.path.realpath(folder), shard
    with _opening:
        if path in _open:
            raise error("SYSTEM", f"{short(folder)}: in use by another thread")
        _open.add(path)
    try:
        yield
    finally:
        _open.discard(path)
