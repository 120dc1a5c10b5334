# SPDX-License-Identifier: MIT
"""Result folders: what `lgkt reproduce` and `lgkt run --out` wrote, checked and read.

A folder is read only if its files are those that its manifest speaks of: the same number of rows
and the same checksum. What is wrong is one line that names the file. A file may be compressed, with
.gz at the end of its name.

Verdicts rest on few of the rows; `kept` makes a folder of these, which can be judged again.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from lgkt import _core
from lgkt._errors import Error, error
from lgkt._extras import needed
from lgkt._text import short, shown
from lgkt.experiment import panel_of

if TYPE_CHECKING:
    import pandas

FORMAT = 2
_TEXTS = ("panel", "learner", "other", "measure")
COLUMNS = (*_TEXTS, "t", "instance", "n", "mean", "ci95")
_TABLES = ("curves.csv", "pairs.csv", "summary.csv")  # runs.csv where runs are kept
_COLLECTIONS = ("paper", "beyond", "arena", "practice")
# what the fields of a manifest are, wherever they stand
_KINDS: dict[str, Any] = {key: kind for kind, keys in (
    (str, "experiment title question place section collection version name environment note label "
          "spec group grid file color dash"),
    (int, "order seed horizon instances full_instances"),
    (dict, "files source style counters cell"), ((int, float), "width"),
    (list, "panels learners compare")) for key in keys.split()}
_WORDS = {"experiment": "[^/]+", "color": "#[0-9a-fA-F]{6}",
          "dash": "solid|dashed|dotted|dashdot|short"}

_Floats = NDArray[np.float64]
_Lines = dict[tuple[str, ...], NDArray[np.intp]]


class Number(NamedTuple):
    """A mean with half the width of its 95% interval over n instances; NaN and 0: not there."""

    mean: float
    ci95: float
    n: int


MISSING = Number(math.nan, math.nan, 0)


@dataclass(frozen=True)
class Entry:
    """A learner of a panel, as the experiment names and groups it."""

    label: str
    spec: str
    resolved: str = ""  #: with all parameters
    group: str = ""
    section: str = ""  #: the part of the panel that it belongs to
    style: Mapping[str, Any] = field(default_factory=dict)  #: color, dash, width
    oracle: bool = False
    counters: Mapping[str, float] = field(default_factory=dict)  #: means over the runs
    grid: str = ""  #: the label of its grid, names not filled in; empty: it is of none
    cell: Mapping[str, float | str] = field(default_factory=dict)  #: its values in that grid


class Panel:
    """Learners side by side on the same instances of an environment."""

    def __init__(self, experiment: Experiment, manifest: Mapping[str, Any]) -> None:
        self.experiment, self.manifest = experiment, manifest
        self.name: str = manifest["name"]
        self.title: str = manifest.get("title") or self.name
        self.environment: str = manifest["environment"]
        self.grid: str = manifest.get("grid", "")  # as an Entry has them
        self.cell: Mapping[str, float | str] = manifest.get("cell", {})
        self.note: str = manifest.get("note", "")
        self.horizon: int = manifest["horizon"]
        self.instances: int = manifest["instances"]
        self.full_instances: int = manifest["full_instances"]
        self.compare: list[int] = manifest["compare"]  # times of pairs.csv, the end last
        self.measures: list[str] = manifest["measures"]
        self.measure = self.measures[0]
        self.better: str = experiment.manifest["measures"][self.measure]["better"]
        self.optimum, self.random = (math.nan if manifest.get(key) is None else float(manifest[key])
                                     for key in ("optimum", "random"))
        names = Entry.__dataclass_fields__
        self.entries = [Entry(**{key: value for key, value in learner.items() if key in names})
                        for learner in manifest["learners"]]

    def entry(self, label: str) -> Entry:
        """The entry of that label."""
        for entry in self.entries:
            if entry.label == label:
                return entry
        hint = _core.suggest(label, tuple(entry.label for entry in self.entries))
        raise error("ARGUMENT", f'{self.experiment.name}: panel {self.name} has no learner '
                                f'"{label}"; {hint}')

    def select(self, groups: Iterable[str] | None = None, labels: Iterable[str] | None = None,
               sections: Iterable[str] | None = None) -> list[Entry]:
        """The entries of any of the groups or labels, and of the sections, in their order."""
        groups, labels = set(groups or ()), set(labels or ())
        sections = None if sections is None else set(sections)
        every = not groups and not labels
        return [entry for entry in self.entries
                if (every or entry.group in groups or entry.label in labels)
                and (sections is None or entry.section in sections)]

    def curve(self, label: str, measure: str | None = None) -> tuple[_Floats, _Floats, _Floats]:
        """Times, means and half widths at the checkpoints; empty where there is no curve."""
        rows = self._rows("curves.csv", self.name, label, "", measure or self.measure)
        return rows[:, 0], rows[:, 3], rows[:, 4]

    def value(self, label: str, measure: str | None = None, t: float | None = None) -> Number:
        """A measure of a learner after t steps (all of them); an empty label: of the panel.

        Between two checkpoints it lies on the straight line in log t, as figures show it.
        """
        at = self.horizon if t is None else t
        file = "summary.csv" if at == self.horizon else "curves.csv"
        key = (self.name, label, "", measure or self.measure)
        rows = self._rows(file, *key)
        if not len(rows) or not rows[0, 0] <= at <= rows[-1, 0]:
            return MISSING
        if file != "summary.csv":  # the rows on both sides
            first, last = (int(np.searchsorted(rows[:, 0], at, side)) for side in ("right", "left"))
            self.experiment.use(file, key, {max(first - 1, 0), min(last, len(rows) - 1)})
        mean, ci95 = (float(np.interp(math.log(at), np.log(rows[:, 0]), rows[:, i]))
                      for i in (3, 4))
        return Number(mean, ci95, int(rows[0, 2]))

    def pair(self, a: str, b: str, t: float | None = None) -> Number:
        """How much higher a is than b by the main measure, paired; only at the times compared."""
        at = self.horizon if t is None else t
        for learner, other, sign in ((a, b, 1.0), (b, a, -1.0)):
            key = (self.name, learner, other, self.measure)
            for i, row in enumerate(self._rows("pairs.csv", *key)):
                if row[0] == at:
                    self.experiment.use("pairs.csv", key, {i})
                    return Number(sign * float(row[3]), float(row[4]), int(row[2]))
        return MISSING

    def runs(self, label: str, measure: str | None = None) -> _Floats | None:
        """The values of the instances at the end; None where they were not kept."""
        rows = self._rows("runs.csv", self.name, label, "", measure or self.measure)
        return rows[np.argsort(rows[:, 1]), 3] if len(rows) else None

    def _rows(self, file: str, *key: str) -> _Floats:
        """The numbers of the rows with these texts: t, instance, n, mean, ci95."""
        numbers, lines = self.experiment._read(file)
        return numbers[lines[key]] if key in lines else numbers[:0]


class Experiment:
    """One result folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, path = folder, folder / "manifest.json"
        self.manifest: dict[str, Any] = _read_manifest(path)
        try:
            _check_kinds(self.manifest)
            self.name: str = self.manifest["experiment"]
            self.title: str = self.manifest["title"] or self.name
            self.question: str = self.manifest["question"]
            self.place: str = self.manifest["place"]
            self.section: str = self.manifest["section"] or self.name
            self.collection: str = self.manifest["collection"] or ""
            self.version: str = self.manifest["version"]
            self.seed: int = self.manifest["seed"]
            self.panels = [Panel(self, panel) for panel in self.manifest["panels"]]
            files = [*_TABLES, *(file for file in self.manifest["files"] if file not in _TABLES)]
            for file in files:
                self._bytes(file)
        except Error:
            raise
        except KeyError as why:
            raise error("FORMAT", f"{short(path)}: has no {why.args[0]!r}") from None
        except (TypeError, ValueError, IndexError, AttributeError) as why:
            raise error("FORMAT", f"{short(path)}: not what the command writes "
                                  f"({str(why).splitlines()[0]})") from None
        self._tables: dict[str, tuple[_Floats, _Lines]] = {}
        self._used: dict[str, set[int]] = {"curves.csv": set(), "pairs.csv": set()}

    def use(self, file: str, key: tuple[str, ...], rows: Iterable[int]) -> None:
        """Notes that some of the rows with these texts were asked for."""
        lines = self._read(file)[1][key]
        self._used[file].update(int(lines[i]) for i in rows)

    def kept(self) -> dict[str, bytes]:
        """A folder with the summary and what was asked for of other files: names and contents."""
        files = {"summary.csv": self._bytes("summary.csv")}
        for file, rows in self._used.items():
            # a label may hold a line feed, within quotes
            lines = re.findall(rb'(?:[^"\n]|"[^"]*")*\n', self._bytes(file))
            files[file] = b"".join([lines[0], *(lines[1 + i] for i in sorted(rows))])
        said = {file: {"rows": _rows_of(data), "hash": f"fnv1a64:{_core.hash_bytes(data):016x}"}
                for file, data in files.items()}
        manifest = json.dumps(self.manifest | {"files": said}, indent=1, ensure_ascii=False)
        return {"manifest.json": manifest.encode() + b"\n", "summary.csv": files.pop("summary.csv"),
                **{f"{file}.gz": _packed(data) for file, data in files.items()}}

    def panel(self, name: str | None = None) -> Panel:
        """The panel of that name; without one the first."""
        return panel_of(self.name, self.panels, name)

    def table(self, file: str) -> pandas.DataFrame:
        """A file of the folder, e.g. ``"summary.csv"``, as it is; empty if it is not there."""
        with needed("a table of results", "report"):
            import pandas

        data = self._bytes(file) if file in self.manifest["files"] else ",".join(COLUMNS).encode()
        kinds = {name: str if name in _TEXTS else float for name in COLUMNS}
        return pandas.read_csv(io.BytesIO(data), dtype=kinds, keep_default_na=False,
                               na_values={name: [""] for name in COLUMNS if name not in _TEXTS})

    def _bytes(self, file: str) -> bytes:
        """All of a file, if it is the one that the manifest speaks of."""
        path, said = self.folder / file, self.manifest["files"][file]
        rows, digest = int(said["rows"]), str(said["hash"])
        packed = path.with_name(file + ".gz")
        try:
            data = (gzip.decompress(packed.read_bytes()) if packed.is_file() and not path.exists()
                    else path.read_bytes())
        except (EOFError, zlib.error, gzip.BadGzipFile) as why:
            raise error("FORMAT", f"{short(packed)}: no gzip: half-written or edited ({why})"
                        ) from None
        except OSError as why:
            raise error("FORMAT", f"{short(path)}: {(why.strerror or str(why)).lower()}, but the "
                                  f"manifest speaks of it") from None
        head = data.partition(b"\n")[0].decode("utf-8", "replace")
        if head != ",".join(COLUMNS):
            raise error("FORMAT", f'{short(path)}: the first line is not "{",".join(COLUMNS)}"')
        if (found := _rows_of(data)) != rows:
            raise error("FORMAT", f"{short(path)}: has {found} rows instead of {rows}: "
                                  f"half-written or edited")
        if digest != f"fnv1a64:{_core.hash_bytes(data):016x}":
            raise error("FORMAT", f"{short(path)}: is not what the command wrote (its checksum is "
                                  f"not {digest}): edited or damaged")
        return data

    def _read(self, file: str) -> tuple[_Floats, _Lines]:
        """The numbers of a file, and the rows by panel, learner, other and measure."""
        if file not in self._tables:
            frame = self.table(file)
            lines = frame.groupby(list(_TEXTS), sort=False, observed=True).indices
            numbers = frame[list(COLUMNS[len(_TEXTS):])].to_numpy(np.float64)
            self._tables[file] = numbers, cast(_Lines, lines)
        return self._tables[file]


class Results(dict[str, Experiment]):
    """Experiments by name, in the order of a report."""

    unfinished: tuple[str, ...] = ()  #: runs beside them that have not ended


def read(*paths: str | os.PathLike[str]) -> Results:
    """All experiments of some folders; each is a result folder itself or holds such folders.

    A folder beside others that has no manifest yet belongs to a run that goes on or was stopped: it
    is left out, and `Results.unfinished` names it.
    """
    folders: dict[Path, Path] = {}  # by what links lead to, so that none is read twice
    unfinished = []
    for given in map(Path, paths):
        if not given.is_dir():
            raise error("ARGUMENT", f"{short(given)}: there is no such folder")
        inside = [given] if (given / "manifest.json").exists() else sorted(
            folder for folder in given.iterdir() if (folder / "manifest.json").exists())
        if not inside:
            half = (given / "journal.bin").exists() or (given / "curves.csv").exists()
            raise error("FORMAT", f"{short(given)}: " + (
                "has no manifest.json: the run has not ended" if half else "holds no results"))
        folders |= {folder.resolve(): folder for folder in inside}
        if inside != [given]:
            unfinished += [folder.name for folder in given.iterdir() if folder not in inside
                           and (folder / "journal.bin").exists()]
    results = Results()
    for experiment in sorted(map(Experiment, folders.values()), key=_order):
        twice = results.setdefault(experiment.name, experiment)
        if twice is not experiment:
            raise error("ARGUMENT", f"{short(experiment.folder)}: the experiment {experiment.name} "
                                    f"is also in {short(twice.folder)}")
    results.unfinished = tuple(sorted(unfinished))
    return results


# ---- pieces ----


def _rows_of(data: bytes) -> int:
    """The rows of a table; a label may hold a line feed, so they are counted outside of quotes."""
    return (data if b'"' not in data else re.sub(rb'"[^"]*"', b"", data)).count(b"\n") - 1


def _packed(data: bytes) -> bytes:
    """Compressed, the same bytes at any time and on any system."""
    packed = gzip.compress(data, 9, mtime=0)
    return packed[:9] + b"\xff" + packed[10:]


def _order(experiment: Experiment) -> tuple[Any, ...]:
    """As `lgkt reproduce list` has them; numbers in names count as numbers."""
    known = experiment.collection in _COLLECTIONS
    place = _COLLECTIONS.index(experiment.collection) if known else len(_COLLECTIONS)
    words = re.split(r"(\d+)", experiment.name)
    name = tuple((int(word), "") if i % 2 else (0, word) for i, word in enumerate(words))
    return place, experiment.manifest.get("order", 1000), name


def _check_kinds(fields: Mapping[str, Any]) -> None:
    """That all fields are of their kinds: what is made of them does not ask again."""
    for key, value in fields.items():
        kind, inside = _KINDS.get(key, object), key in ("panels", "learners")
        if not isinstance(value, kind) or (kind is int and value < (key == "horizon")) or (
                key in _WORDS and not re.fullmatch(_WORDS[key], value)) or (inside and not value):
            raise ValueError(f"{key} is {shown(json.dumps(value))}")
        for part in value if inside else [value] if key in ("source", "style") else ():
            _check_kinds(part)
        if inside:
            _check_grids(value)


def _check_grids(parts: Iterable[Mapping[str, Any]]) -> None:
    """That learners or panels of one grid have the same names, and no two the same values."""
    names: dict[str, list[str]] = {}
    seen = set()
    for part in parts:
        grid, cell = part.get("grid"), part.get("cell")
        if grid is None and cell is None:
            continue
        said = shown(json.dumps(cell if grid is None else grid))
        if grid is None or cell is None:
            raise ValueError(f"cell {said} without grid" if grid is None else
                             f"grid {said} without cell")
        if not cell or not all(isinstance(value, str) or type(value) in (int, float)
                               and math.isfinite(value) for value in cell.values()):
            raise ValueError(f"cell is {shown(json.dumps(cell))}")
        if list(cell) != names.setdefault(grid, list(cell)):
            raise ValueError(f"cells of grid {said} have {', '.join(names[grid])} and "
                             f"{', '.join(cell)}")
        if (key := (grid, *cell.values())) in seen:
            raise ValueError(f"grid {said} has the cell {shown(json.dumps(cell))} twice")
        seen.add(key)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_bytes().decode())
    except OSError as why:
        raise error("FORMAT", f"{short(path)}: {(why.strerror or str(why)).lower()}") from None
    except (ValueError, RecursionError) as why:
        raise error("FORMAT", f"{short(path)}: no JSON: half-written or edited ({why})") from None
    number = manifest.get("format", 1) if isinstance(manifest, dict) else None
    if number != FORMAT or isinstance(number, bool):
        raise error("FORMAT", f"{short(path)}: results of format {json.dumps(number)}, and this "
                              f"version reads format {FORMAT}: run the experiment again")
    return manifest  # type: ignore[no-any-return]
