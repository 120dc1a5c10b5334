# SPDX-License-Identifier: MIT
"""Logs as they lie about, block by block: CSV, JSON lines, Parquet, and tables in memory.

pyarrow reads all of them. What it says of files that it cannot read becomes one line that says what
to do.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from lgkt._errors import error
from lgkt._text import short, shown

BLOCK = 2**24  # bytes of a text at a time
ROWS = 2**18  # rows of a table at a time
QUIET = 2.0  # seconds without a word
# what pyarrow raises of bytes that it cannot read; compressed ones are an OSError
UNREADABLE = (pa.ArrowException, ValueError, OSError)
_DELIMITERS = (",", ";", "\t")
_SUFFIXES = {"csv": "csv", "tsv": "csv", "txt": "csv", "jsonl": "json", "ndjson": "json",
             "json": "json", "parquet": "parquet", "pq": "parquet"}


class Told:
    """Says on stderr how far something is, once it takes longer than two seconds."""

    def __init__(self, what: str, wanted: bool | None) -> None:
        self.what, self.begin, self.last = what, time.monotonic(), 0.0
        self.wanted = sys.stderr is not None if wanted is None else wanted

    def __call__(self, state: str) -> None:
        now = time.monotonic()
        if self.wanted and now - self.begin > QUIET and now - self.last > QUIET:
            self.last = now
            print(f"lgkt: {self.what}: {state}", file=sys.stderr, flush=True)


def _one_line(why: BaseException) -> str:
    return shown(" ".join(str(why).split()), 160)


class Source:
    """A log that can be read once: the names of its columns, and its rows in blocks."""

    where: str
    names: list[str]

    def blocks(self, used: Sequence[str], labels: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Batches with the columns `used`; those of `labels` may come coded."""
        raise NotImplementedError


class _Table(Source):
    """Anything in memory that pyarrow takes: its own tables, frames of pandas and Polars, what has
    `__arrow_c_stream__`, mappings from names to columns."""

    def __init__(self, given: Any) -> None:
        self.where = "the log"
        self.given = given
        if isinstance(given, Mapping):
            self.names = [str(one) for one in given]
        elif hasattr(given, "columns") and hasattr(given, "__getitem__"):
            columns = given.column_names if isinstance(given, pa.Table) else given.columns
            odd = [one for one in columns if not isinstance(one, str)]
            if odd:
                raise error("FORMAT", f"the log: a column is called {odd[0]!r}, which is no text")
            self.names = list(columns)
        else:
            self.given = pa.RecordBatchReader.from_stream(given)
            self.names = list(self.given.schema.names)

    def _reader(self, used: Sequence[str]) -> Any:
        given = self.given
        if isinstance(given, pa.RecordBatchReader):
            return given
        if isinstance(given, Mapping):
            return pa.table({name: _plain(given[name]) for name in used})
        if isinstance(given, pa.Table):
            return given.select(list(used))
        chosen = given[list(used)]
        if hasattr(chosen, "iloc"):
            return pa.Table.from_pandas(chosen, preserve_index=False)
        return pa.table(chosen)

    def blocks(self, used: Sequence[str], labels: Sequence[str]) -> Iterator[pa.RecordBatch]:
        try:
            reader = self._reader(used)
            batches = reader if isinstance(reader, pa.RecordBatchReader) else reader.to_batches(
                max_chunksize=ROWS)
            for batch in batches:
                yield batch.select(list(used))
        except (pa.ArrowException, TypeError, ValueError) as why:
            raise error("FORMAT", f"the log: a column cannot be read, perhaps since it mixes types "
                                  f"(texts and numbers): {_one_line(why)}") from None


def _plain(column: Any) -> Any:
    if hasattr(column, "__arrow_array__") or isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    if isinstance(column, np.ndarray) and column.ndim != 1:
        raise error("SHAPE", f"a column of the log has {column.ndim} dimensions, not 1")
    return column if isinstance(column, np.ndarray) else list(column)


class _File(Source):
    def __init__(self, path: str) -> None:
        self.path = path
        self.where = short(path)

    def fail(self, what: str, why: BaseException) -> Any:
        text = _one_line(why)
        if "UTF8" in text.upper().replace("-", ""):
            what, text = "is not text in UTF-8", "save it as CSV in UTF-8"
        return error("FORMAT", f"{self.where} {what}: {text}")


class _Csv(_File):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.bad: Any = None
        try:
            with self.opened() as file:
                head = file.read(2**16)
        except OSError as why:  # of what is compressed, but not as its name says
            raise self.fail("cannot be opened", why) from None
        if not head.strip():
            raise error("FORMAT", f"{self.where} is empty: the first line must name the columns")
        if b"\0" in head:
            raise error("FORMAT", f"{self.where} is no text: a log is CSV, JSON lines or Parquet "
                                  "(.csv, .jsonl, .parquet)")
        first = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n")[0]
        counts = [first.count(one.encode()) for one in _DELIMITERS]
        self.delimiter = _DELIMITERS[int(np.argmax(counts))]
        try:
            self.names = list(self._open(None, ()).schema.names)
        except UnicodeDecodeError as why:  # the names of columns are not looked at before
            raise self.fail("cannot be read as CSV", why) from None

    def opened(self) -> Any:
        try:
            return pa.input_stream(self.path, compression="detect")
        except pa.ArrowException as why:
            raise self.fail("cannot be opened", why) from None

    def _note(self, row: Any) -> str:
        self.bad = row
        return "error"

    def _open(self, used: Sequence[str] | None, labels: Sequence[str]) -> Any:
        coded = pa.dictionary(pa.int32(), pa.string())
        types = {name: coded if name in labels else pa.string() for name in used or ()}
        try:
            return pa.csv.open_csv(
                self.opened(),
                read_options=pa.csv.ReadOptions(block_size=BLOCK if used else 2**16),
                parse_options=pa.csv.ParseOptions(
                    delimiter=self.delimiter, invalid_row_handler=self._note,
                    newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=list(used or ()), column_types=types,
                    # a header alone must not be refused for what stands below it
                    check_utf8=used is not None))
        except UNREADABLE as why:
            raise self._failed(why) from None

    def _failed(self, why: BaseException) -> Any:
        if self.bad is not None:
            row = self.bad
            return error("FORMAT", f'{self.where}: a row has {row.actual_columns} values and the '
                                   f'first line {row.expected_columns}: "{shown(row.text, 80)}"')
        return self.fail("cannot be read as CSV", why)

    def blocks(self, used: Sequence[str], labels: Sequence[str]) -> Iterator[pa.RecordBatch]:
        reader = self._open(used, labels)
        try:
            yield from reader
        except UNREADABLE as why:
            raise self._failed(why) from None


class _Json(_File):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        if os.path.getsize(path) == 0:
            raise error("FORMAT", f"{self.where} is empty")
        try:
            table = pa.json.read_json(pa.input_stream(path, compression="detect"),
                                      pa.json.ReadOptions(block_size=BLOCK))
        except UNREADABLE as why:
            raise self.fail("cannot be read as JSON lines, one object in each line", why) from None
        self.table = _flat(table)
        self.names = list(self.table.column_names)

    def blocks(self, used: Sequence[str], labels: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from self.table.select(list(used)).to_batches(max_chunksize=ROWS)


def _flat(table: pa.Table) -> pa.Table:
    """Objects within objects as columns with a dot."""
    while any(pa.types.is_struct(one.type) for one in table.schema):
        table = table.flatten()
    return table


class _Parquet(_File):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        try:
            self.file = pa.parquet.ParquetFile(path)
            self.names = list(_flat(self.file.schema_arrow.empty_table()).column_names)
        except UNREADABLE as why:
            raise self.fail("cannot be read as Parquet", why) from None

    def blocks(self, used: Sequence[str], labels: Sequence[str]) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self.file.iter_batches(ROWS, columns=list(used)):
                table = _flat(pa.Table.from_batches([batch]))
                yield from table.select(list(used)).to_batches()
        except UNREADABLE as why:
            raise self.fail("cannot be read as Parquet", why) from None


def _kind(path: str) -> str:
    """By the name, or by the first bytes where the name says nothing."""
    words = os.path.basename(path).lower().split(".")[1:]
    for word in reversed(words):
        if word in _SUFFIXES:
            return _SUFFIXES[word]
    with open(path, "rb") as file:
        head = file.read(256)
    if head.startswith(b"PAR1"):
        return "parquet"
    return "json" if head.lstrip().startswith(b"{") else "csv"


def opened(given: Any) -> Source:
    """The log behind a path or an object."""
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if os.path.isdir(path):
            raise error("FORMAT", f"{short(path)} is a folder: name the file of the log")
        with open(path, "rb"):  # what the system says where there is none
            pass
        return {"csv": _Csv, "json": _Json, "parquet": _Parquet}[_kind(path)](path)
    if hasattr(given, "collect"):
        raise TypeError(f"a log must be there: give {type(given).__name__}.collect()")
    frame = isinstance(given, Mapping) or hasattr(given, "columns")
    if not frame and not hasattr(given, "__arrow_c_stream__"):
        raise TypeError("a log is a path (CSV, JSON lines, Parquet), a frame of pandas or Polars, "
                        "an Arrow table or a dict of columns, not "
                        f"{type(given).__name__}")
    return _Table(given)
