# SPDX-License-Identifier: MIT
"""Report definitions: JSON files that say what a report tells and what it judges.

`paper.json` is the one of the paper. `title` is needed, all else may be left out:

    intro        the answer in one paragraph, Markdown; {published.holds} and so on are filled in
    experiments  names of experiments that it speaks of; those not read are "not measured"
    sections     [{"id", "title", "text", "figures": [names], "experiments": [names]}]
    figures      {name: figure}, as lgkt.report.figures draws them
    claims       [{"id", "section", "place", "words", "remark", "ours", "checks"}], where checks is
                 a list, or {"published": [...], "printed": [...], "strongest": [...]}
    drivers      [{"title", "text", "numbers": {name: reference}}]: what makes the difference, with
                 {name} filled in; a reference is {"experiment", "panels", "a"} of one value, with
                 "b" of a difference; "show": "effect" gives it as an effect size
    map          [{"paper", "what", "command", "file", "ours"}]: where each part of the paper is
    notes        [Markdown]: what stands at the end, before how to run it again
    rerun        [command]: how to run it again

A check is described in `lgkt.report.claims`. Mistakes are one line: file, place, the nearest word.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lgkt import _core
from lgkt._errors import Error, error
from lgkt._text import read_bytes, short, shown

COLUMNS = {"published": "published setup", "printed": "printed constants",
           "strongest": "strongest baselines"}
ONLY = "only"  # the column of a claim that has but one

Theory = Mapping[tuple[str, str], Mapping[str, Any]]

# what an object may hold: a type, some of them, or a list of texts or of objects of a shape; "!"
# marks what must be there
_NUMBER = (int, float)
_WHO = (str, list, dict)
_CHECK = {"kind!": str, "experiment!": str, "panels": [str]}
_PAIR = {**_CHECK, "a!": _WHO, "b!": _WHO, "times": (str, list), "best": bool, "best-b": bool}
_GROWTH = {**_CHECK, "a!": _WHO, "limit!": _NUMBER, "from": _NUMBER, "measure": str}
_SHAPES: dict[str, dict[str, Any]] = {
    "definition": {"title!": str, "intro": str, "experiments": [str], "sections": ["section"],
                   "figures": dict, "claims": ["claim"], "drivers": ["driver"], "map": ["row"],
                   "notes": [str], "rerun": [str]},
    "section": {"id!": str, "title!": str, "text": str, "figures": [str], "experiments": [str]},
    "claim": {"id!": str, "section!": str, "place!": str, "words!": str, "ours": bool,
              "remark": str, "checks!": (list, dict)},
    "driver": {"title!": str, "text!": str, "numbers": dict},
    "reference": {"experiment!": str, "panels": [str], "a!": str, "b": str, "times": list,
                  "measure": str, "show": str},
    "row": {"paper!": str, "what!": str, "command": str, "file": str, "ours": str},
    "choice": {"group": str, "groups": [str], "section": str, "sections": [str], "labels": [str]},
}
KINDS: dict[str, dict[str, Any]] = {
    "above": {**_PAIR, "limit": _NUMBER},
    "not-below": {**_PAIR, "limit": _NUMBER},
    "near": {**_PAIR, "limit!": _NUMBER},
    "close": {**_PAIR, "limit!": _NUMBER},
    "same-rate": {**_PAIR, "limit!": _NUMBER, "times!": list},
    "number": {**_CHECK, "a!": _WHO, "limit!": _NUMBER, "tolerance": _NUMBER, "measure": str,
               "times": (str, list)},
    "flat": _GROWTH,
    "slower": _GROWTH,
    "linear": {**_CHECK, "a!": _WHO, "b!": _WHO, "limit!": _NUMBER, "from": _NUMBER},
    "exact": {**_CHECK, "a!": _WHO, "b": _WHO, "below": _NUMBER, "above": _NUMBER, "measure": str},
    "test": {"kind!": str, "file!": str, "test!": str},
}


class Definition:
    """A report definition, read and checked for form: `data` is the JSON object.

    What it says about results (panels, labels) is checked where it is used.
    """

    def __init__(self, data: Any, name: str) -> None:
        self.name = name
        self.data: dict[str, Any] = self._object(data, "definition", "")
        seen: set[str] = set()
        sections = {section["id"] for section in self.data.get("sections", [])}
        for i, claim in enumerate(self.data.get("claims", [])):
            if claim["id"] in seen:
                raise self.bad(f"claims[{i}].id", f'"{shown(claim["id"])}" stands there twice')
            seen.add(claim["id"])
            if claim["section"] not in sections:
                raise self.unknown(f"claims[{i}].section", "section", claim["section"], sections)
            for column, place, checks in columns(claim, i):
                if column not in (*COLUMNS, ONLY):
                    raise self.unknown(f"claims[{i}].checks", "column", column, COLUMNS)
                if not isinstance(checks, list) or not checks:
                    raise self.bad(place, "must be a list of one check or more")
                for c, check in enumerate(checks):
                    self._check(check, f"{place}[{c}]")
        for i, driver in enumerate(self.data.get("drivers", [])):
            for key, number in driver.get("numbers", {}).items():
                self._object(number, "reference", f"drivers[{i}].numbers.{key}")

    def bad(self, place: str, what: str) -> Error:
        return error("FORMAT", ": ".join(part for part in (self.name, place, what) if part))

    def unknown(self, place: str, what: str, word: str, words: Iterable[str]) -> Error:
        """The exception for a word that is not known, with the nearest one."""
        hint = _core.suggest(shown(word), tuple(sorted(words)))
        return self.bad(place, f'unknown {what} "{shown(word)}"; {hint}')

    def _object(self, data: Any, shape: str, place: str) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise self.bad(place, f"must be an object, not {shown(json.dumps(data))}")
        marked = _SHAPES.get(shape) or KINDS[shape]
        fields = {key.rstrip("!"): kind for key, kind in marked.items()}
        for key in marked:
            if key.endswith("!") and key[:-1] not in data:
                raise self.bad(place, f'needs the field "{key[:-1]}"')
        for key, value in data.items():
            if key not in fields:
                raise self.unknown(place, "field", key, fields)
            kind, where = fields[key], f"{place}.{key}" if place else key
            kinds = (list,) if isinstance(kind, list) else kind
            kinds = kinds if isinstance(kinds, tuple) else (kinds,)
            if not isinstance(value, kinds) or isinstance(value, bool) and bool not in kinds:
                words = {str: "a text", list: "a list", dict: "an object", bool: "true or false",
                         int: "a whole number", float: "a number"}
                wanted = " or ".join(words[k] for k in kinds if k is not int or float not in kinds)
                raise self.bad(where, f"must be {wanted}, not {shown(json.dumps(value))}")
            for i, item in enumerate(value) if isinstance(kind, list) else ():
                if kind[0] is not str:
                    self._object(item, kind[0], f"{where}[{i}]")
                elif not isinstance(item, str):
                    raise self.bad(f"{where}[{i}]", "must be a text")
        return data

    def _check(self, check: Any, place: str) -> None:
        kind = check.get("kind") if isinstance(check, dict) else None
        if kind not in KINDS and isinstance(kind, str):
            raise self.unknown(f"{place}.kind", "kind", kind, KINDS)
        self._object(check, kind if isinstance(kind, str) else "test", place)
        for key in ("a", "b"):
            if isinstance(check.get(key), dict):
                self._object(check[key], "choice", f"{place}.{key}")
        times = check.get("times", [])
        if isinstance(times, str) and times not in ("along", "end"):
            raise self.unknown(f"{place}.times", "word", times, ("along", "end"))
        for t in times if isinstance(times, list) else ():
            if t != "end" and (type(t) is not int or t < 1):
                raise self.bad(f"{place}.times", f'{shown(json.dumps(t))} is no step and no "end"')
        if check.get("from", 2) <= 1:
            raise self.bad(f"{place}.from", f"is {check['from']}; it must be above 1")
        if kind == "exact" and len({"b", "below", "above"} & set(check)) != 1:
            raise self.bad(place, 'needs one of the fields "b", "below" and "above"')

    def fill(self, text: str, values: Mapping[str, Any], place: str) -> str:
        """A text with {name} filled in."""
        def one(match: re.Match[str]) -> str:
            if match[1] not in values:
                raise self.unknown(place, "number", match[1], values)
            return str(values[match[1]])
        return re.sub(r"\{([A-Za-z][\w.-]*)\}", one, text)


def columns(claim: Mapping[str, Any], i: int = 0) -> list[tuple[str, str, Any]]:
    """The columns of a claim: name, place in the file, checks."""
    place, checks = f"claims[{i}].checks", claim["checks"]
    if isinstance(checks, list):
        return [(ONLY, place, checks)]
    return [(name, f"{place}.{name}", part) for name, part in checks.items()]


def read_definition(path: str | os.PathLike[str]) -> Definition:
    """A definition from its file, checked for form."""
    try:
        data = json.loads(read_bytes(path).decode())
    except ValueError as why:
        raise error("FORMAT", f"{short(path)}: no JSON: {why}") from None
    return Definition(data, short(path))


def read_theory(folders: Iterable[str | os.PathLike[str]]) -> Theory:
    """What unit tests wrote to FOLDER/theory/*.jsonl, by file and test."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for path in sorted(p for f in folders for p in Path(f, "theory").glob("*.jsonl")):
        for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
            try:
                row = json.loads(line)
                found[str(row["file"]), str(row["test"])] = row
                good = isinstance(row["holds"], bool)
            except (ValueError, KeyError, TypeError):
                good = False
            if not good:
                raise error("FORMAT", f"{short(path)}: line {number}: needs file, test and holds, "
                                      f"not {shown(line)}")
    return found
