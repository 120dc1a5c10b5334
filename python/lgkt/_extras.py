# SPDX-License-Identifier: MIT
"""Packages that only some of lgkt needs: an import that fails names the extra that brings them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib.util import find_spec

# the extras of pyproject.toml: modules, and what people call them
EXTRAS = {
    "dask": {"distributed": "dask.distributed"},
    "gym": {"gymnasium": "Gymnasium"},
    "logs": {"pandas": "pandas", "pyarrow": "pyarrow", "scipy": "SciPy"},
    "pandas": {"pandas": "pandas"},
    "plot": {"matplotlib": "matplotlib"},
    "progress": {"tqdm": "tqdm"},
    "report": {"jinja2": "Jinja2", "matplotlib": "matplotlib", "pandas": "pandas"},
    "sparse": {"scipy": "SciPy"},
}


def found(*extras: str) -> bool:
    """Whether all that the extras bring is installed."""
    return all(find_spec(name) for extra in extras for name in EXTRAS[extra])


@contextlib.contextmanager
def needed(what: str, *extras: str) -> Iterator[None]:
    """Imports within it are those that `what` needs, and that the extras bring.

    >>> with needed("a table", "pandas"):
    ...     raise ModuleNotFoundError("No module named 'pandas'", name="pandas")
    Traceback (most recent call last):
    ModuleNotFoundError: a table needs pandas: pip install "lgkt[pandas]"
    """
    try:
        yield
    except ModuleNotFoundError as why:
        brought = {name: text for extra in extras for name, text in EXTRAS[extra].items()}
        lost = (why.name or "").partition(".")[0]
        if lost not in brought:
            raise
        # all that is missing, in one line
        missing = [text for name, text in brought.items() if name == lost or not find_spec(name)]
        names = " and ".join(filter(None, [", ".join(missing[:-1]), missing[-1]]))
        raise ModuleNotFoundError(
            f'{what} needs {names}: pip install "lgkt[{",".join(extras)}]"', name=lost) from None
