# SPDX-License-Identifier: MIT
"""JSON text to Python's own objects, as strictly as the C library reads it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from lgkt._errors import Error, error
from lgkt._text import Path, short, shown


def parse(text: str | bytes, source: Path) -> Any:
    """What a text stands for; messages call it `source`. Numbers that C does not have are refused
    where they are read."""
    name = short(source)

    def fail(why: str) -> NoReturn:
        raise error("FORMAT", f"{name}: {why}")

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) < len(items):
            twice = Counter(key for key, _ in items).most_common(1)[0][0]
            fail(f'duplicate object key "{shown(twice)}"')
        return made

    def constant(word: str) -> NoReturn:
        fail(f"{word} is no JSON")

    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        return json.loads(decoded, object_pairs_hook=unique, parse_constant=constant)
    except UnicodeDecodeError as why:
        line = why.object.count(b"\n", 0, why.start) + 1
        column = why.start - why.object.rfind(b"\n", 0, why.start)
        raise error("FORMAT", f"{name}:{line}:{column}: unable to decode byte "
                              f"{why.object[why.start]:#x}") from None
    except json.JSONDecodeError as why:
        raise error("FORMAT", f"{name}:{why.lineno}:{why.colno}: {why.msg}") from None
    except Error:
        raise
    except ValueError:  # from int(): more digits than Python reads
        fail("too big integer")
    except RecursionError:
        fail("maximum parsing depth reached")
