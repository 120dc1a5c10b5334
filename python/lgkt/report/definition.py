# SPDX-License-Identifier: MIT
"""Report definitions: JSON files that say what a report tells and what it judges.

`paper.json` is the one of the paper. `title` is needed, all else may be left out:

    intro        the answer in one paragraph, Markdown
    experiments  names of experiments that it speaks of; those not read are "not measured"
    baselines    groups of learners that are baselines: a claim that compares others with them is
                 counted apart from those that do not
    sections     [{"id", "title", "text", "figures": [names], "experiments": [names], "early"}];
                 an early one stands before the verdicts
    figures      {name: figure}, as lgkt.report.figures draws them
    claims       [{"id", "section", "place", "words", "remark", "ours", "certain", "checks"}], with
                 a list of checks (see lgkt.report.claims), or one for each of the setups in
                 COLUMNS; "each" stands for all of these, and a check of a setup that names no
                 experiment means the one with the name of the setup. What is `certain` could not
                 fail, by definition or construction, and is not counted
    answers      [{"paper", "shows", "claim", "panels": [names]}]: the table on top; a line has the
                 comparisons of a claim, in these panels if any are named (lgkt.report.answers)
    drivers      [{"title", "text"}]: what makes the difference
    numbers      {name: reference}, for {name} in a text; a reference is {"experiment", "panels",
                 "a"} of one value, with "b" of a difference; "show": "effect" gives it as an effect
                 size. {printed.holds} and so on (claims.tally) and the verdict {P1.printed} are
                 there without a reference
    map          [{"paper", "what", "command", "file", "ours"}]: where each part of the paper is
    notes        [Markdown], and rerun, [commands]: what stands at the end
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

COLUMNS = {"printed": "as printed", "released": "as released", "fair": "fair"}
EACH = "each"  # checks of all of them
ONLY = "only"  # the column of a claim that has no setup

Theory = Mapping[tuple[str, str], Mapping[str, Any]]

# what an object may hold: a type, some of them, or a list of texts or of objects of a shape; "!"
# marks what must be there
_NUMBER, _WHO, _WHEN = (int, float), (str, list, dict), (str, list)
_CHECK = {"kind!": str, "experiment!": str, "panels": [str], "a!": _WHO}
_PAIR = {**_CHECK, "b!": _WHO, "times": _WHEN, "after": _NUMBER, "best": bool, "best-b": bool,
         "limit": _NUMBER}
_MARGIN = {**_PAIR, "limit!": _NUMBER}
_GROWTH = {**_CHECK, "limit!": _NUMBER, "from": _NUMBER}
KINDS: dict[str, dict[str, Any]] = {
    "above": _PAIR, "not-below": _PAIR, "near": _MARGIN, "close": _MARGIN,
    "number": {**_CHECK, "limit!": _NUMBER, "tolerance": _NUMBER, "measure": str, "times": _WHEN},
    "flat": {**_GROWTH, "measure": str}, "slower": {**_GROWTH, "measure": str},
    "linear": {**_GROWTH, "b!": _WHO},
    "exact": {**_CHECK, "b": _WHO, "below": _NUMBER, "above": _NUMBER, "measure": str},
    "test": {"kind!": str, "file!": str, "test!": str},
}
_SHAPES: dict[str, dict[str, Any]] = {
    "definition": {"title!": str, "intro": str, "experiments": [str], "sections": ["section"],
                   "figures": dict, "claims": ["claim"], "answers": ["answer"], "baselines": [str],
                   "drivers": ["driver"], "numbers": dict, "map": ["row"], "notes": [str],
                   "rerun": [str]},
    "section": {"id!": str, "title!": str, "text": str, "figures": [str], "experiments": [str],
                "early": bool},
    "claim": {"id!": str, "section!": str, "place!": str, "words!": str, "ours": bool,
              "certain": bool, "remark": str, "checks!": (list, dict)},
    "answer": {"paper!": str, "shows!": str, "claim!": str, "panels": [str]},
    "driver": {"title!": str, "text!": str},
    "reference": {"experiment!": str, "panels": [str], "a!": _WHO, "b": _WHO, "times": list,
                  "after": _NUMBER, "best": bool, "best-b": bool, "measure": str, "show": str},
    "row": {"paper!": str, "what!": str, "command": str, "file": str, "ours": str},
    "figure": {"caption": str, "views": ["view"], "columns": _NUMBER, "drawing": str,
               "environment": str, "experiment": str, "hide": [str]},
    "view": {"experiment!": str, "panel": str, "groups": [str], "labels": [str], "hide": [str],
             "sections": [str], "measure": str, "title": str, "against": str, "marks": dict,
             "levels": bool},
    "choice": {"group": str, "groups": [str], "section": str, "sections": [str], "labels": [str]},
    **KINDS,
}
_CALL = {str: "a text", list: "a list", dict: "an object", bool: "true or false", float: "a number"}


class Definition:
    """A report definition, read and checked for form: `data` is the JSON object.

    What it says about results (panels, labels) is checked where it is used. Mistakes are one line:
    file, place, the nearest word.
    """

    def __init__(self, data: Any, name: str) -> None:
        self.name = name
        self.data: dict[str, Any] = self._object(data, "definition", "")
        seen: set[str] = set()
        sections = [section["id"] for section in self.data.get("sections", [])]
        for i, claim in enumerate(self.data.get("claims", [])):
            if claim["id"] in seen:
                raise self.bad(f"claims[{i}].id", f'"{shown(claim["id"])}" stands there twice')
            seen.add(claim["id"])
            if claim["section"] not in sections:
                raise self.unknown(f"claims[{i}].section", "section", claim["section"], sections)
            there = set()
            for column, place, checks in columns(claim, i) or [(ONLY, f"claims[{i}].checks", [])]:
                if column not in (*COLUMNS, ONLY):
                    raise self.unknown(f"claims[{i}].checks", "setup", column, [*COLUMNS, EACH])
                if column in there:
                    raise self.bad(place, f'the setup "{column}" stands there twice')
                there.add(column)
                if not isinstance(checks, list) or not checks:
                    raise self.bad(place, "must be a list of one check or more")
                for c, check in enumerate(checks):
                    self._check(check, f"{place}[{c}]")
        for i, row in enumerate(self.data.get("answers", [])):
            if row["claim"] not in seen:
                raise self.unknown(f"answers[{i}].claim", "claim", row["claim"], seen)
        for key, number in self.data.get("numbers", {}).items():
            self._object(number, "reference", place := f"numbers.{key}")
            self._who(number, place)
            self._times(number.get("times", []), place)
        for name, figure in self.data.get("figures", {}).items():
            self._object(figure, "figure", f"figures.{name}")

    def bad(self, place: str, what: str) -> Error:
        """The exception for something wrong at a place."""
        return error("FORMAT", ": ".join(part for part in (self.name, place, what) if part))

    def unknown(self, place: str, what: str, word: str, words: Iterable[str]) -> Error:
        """The same for a word that is not known, with the nearest one."""
        hint = _core.suggest(shown(word), tuple(sorted(words)))
        return self.bad(place, f'unknown {what} "{shown(word)}"; {hint}')

    def _object(self, data: Any, shape: str, place: str) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise self.bad(place, f"must be an object, not {shown(json.dumps(data))}")
        fields = {key.rstrip("!"): kind for key, kind in _SHAPES[shape].items()}
        for key in _SHAPES[shape]:
            if key.endswith("!") and key[:-1] not in data:
                raise self.bad(place, f'needs the field "{key[:-1]}"')
        for key, value in data.items():
            if key not in fields:
                raise self.unknown(place, "field", key, fields)
            kind, where = fields[key], f"{place}.{key}" if place else key
            kinds = kind if isinstance(kind, tuple) else (list if isinstance(kind, list) else kind,)
            if not isinstance(value, kinds) or isinstance(value, bool) and bool not in kinds:
                wanted = " or ".join(_CALL[k] for k in kinds if k in _CALL)
                raise self.bad(where, f"must be {wanted}, not {shown(json.dumps(value))}")
            for i, item in enumerate(value) if isinstance(kind, list) else ():
                if kind[0] is not str:
                    self._object(item, kind[0], f"{where}[{i}]")
                elif not isinstance(item, str):
                    raise self.bad(f"{where}[{i}]", "must be a text")
        return data

    def _check(self, check: Any, place: str) -> None:
        kind = check.get("kind") if isinstance(check, dict) else None
        if isinstance(kind, str) and kind not in KINDS:
            raise self.unknown(f"{place}.kind", "kind", kind, KINDS)
        self._object(check, kind if isinstance(kind, str) else "test", place)
        self._who(check, place)
        self._times(check.get("times", []), place)
        if "after" in check and "times" in check:
            raise self.bad(place, '"after" is about the end and takes no "times"')
        if check.get("from", 2) <= 1:
            raise self.bad(f"{place}.from", f"is {check['from']}; it must be above 1")
        if kind == "exact" and len({"b", "below", "above"} & set(check)) != 1:
            raise self.bad(place, 'needs one of the fields "b", "below" and "above"')

    def _who(self, check: Mapping[str, Any], place: str) -> None:
        for key in ("a", "b"):
            if not isinstance(who := check.get(key, ""), str):
                self._object({"labels": who} if isinstance(who, list) else who, "choice",
                             f"{place}.{key}")

    def _times(self, times: Any, place: str) -> None:
        if isinstance(times, str) and times not in ("along", "end"):
            raise self.unknown(f"{place}.times", "word", times, ("along", "end"))
        for t in times if isinstance(times, list) else ():
            if t != "end" and (type(t) is not int or t < 1):
                raise self.bad(f"{place}.times", f'{shown(json.dumps(t))} is no step and no "end"')

    def fill(self, text: str, values: Mapping[str, Any], place: str) -> str:
        """A text with {name} filled in."""
        for name in re.findall(r"\{([A-Za-z][\w.-]*)\}", text):
            if name not in values:
                raise self.unknown(place, "number", name, values)
            text = text.replace(f"{{{name}}}", str(values[name]))
        return text


def columns(claim: Mapping[str, Any], i: int = 0) -> list[tuple[str, str, Any]]:
    """The columns of a claim: name, place in the file, checks with their experiments."""
    place, checks = f"claims[{i}].checks", claim["checks"]
    if isinstance(checks, list):
        return [(ONLY, place, checks)]
    given = [(setup, f"{place}.{name}", part) for name, part in checks.items()
             for setup in (COLUMNS if name == EACH else [name])]
    return [(setup, at, [_of(check, setup) for check in part] if isinstance(part, list) else part)
            for setup, at, part in given]


def _of(check: Any, setup: str) -> Any:
    """A check of a setup with its experiment, which has the name of the setup."""
    whole = isinstance(check, dict) and check.get("kind") != "test"
    return {"experiment": setup, **check} if whole else check


def read_definition(path: str | os.PathLike[str]) -> Definition:
    """A definition from its file, checked for form."""
    try:
        data = json.loads(read_bytes(path).decode(), parse_constant=int)
    except (ValueError, RecursionError) as why:
        raise error("FORMAT", f"{short(path)}: no JSON: {why}") from None
    return Definition(data, short(path))


def read_theory(folders: Iterable[str | os.PathLike[str]]) -> Theory:
    """What unit tests wrote to FOLDER/theory/*.jsonl, by file and test."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for path in sorted(p for f in folders for p in Path(f, "theory").glob("*.jsonl")):
        for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
            try:
                row = json.loads(line)
                found[row["file"], row["test"]] = row
                if not row["comparisons"] or type(row["could_fail"]) is not bool or any(
                        one["holds"] not in (True, False, None) for one in row["comparisons"]):
                    raise ValueError
            except (ValueError, KeyError, TypeError):
                raise error("FORMAT", f"{short(path)}: line {number}: needs file, test, could_fail "
                                      f"and comparisons, not {shown(line)}") from None
    return found
