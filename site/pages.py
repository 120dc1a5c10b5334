#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py [FOLDER [COMMAND]]: the pages of the site as Sphinx is to read them, into a folder.

What is written for the tree, README.md and docs, is copied as it is but for its links: those to
pages lead to pages, those to headers into the reference of C, and those to other files and folders
to pages that show them. The order of the site is that of docs/index.md: its headings, and below
each the links in the first column. Pages of the reference are made here: of C for each header, of
Python for each name of the package, and the help of the command.

Without a folder it only checks that every page has a row in docs/index.md.
"""

from __future__ import annotations

import inspect
import os
import pathlib
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEX = "docs/index.md"
RESULTS = "docs/results"
HEADERS = "include/lgkt"
# pages outside of docs; README.md is where the site begins
OTHERS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "bench/README.md")
# parts of the package that are imported when they are wanted, and what can be imported from others
MODULES = ("lgkt.gym", "lgkt.log", "lgkt.records", "lgkt.report", "lgkt.serve")
# files that are longer are shown to this number of letters
SHOWN = 60000
# in no list of pages, and not among what a search finds
FILE_HEAD = "---\norphan: true\nno-search: true\n---\n# `{}`\n\n"
LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".cpp": "cpp",
    ".py": "python",
    ".pyi": "python",
    ".json": "json",
    ".ipynb": "json",
    ".cmake": "cmake",
    ".toml": "toml",
    ".conf": "nginx",
    ".sh": "bash",
    ".service": "ini",
    ".ts": "typescript",
}
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")


def fail(message: str) -> None:
    sys.exit(f"site: {message}")


# ---- what there is, and its order ----


def tree_pages() -> list[str]:
    found = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")]
    return sorted(found) + [page for page in OTHERS if (ROOT / page).exists()]


def sections(text: str = "") -> dict[str, list[str]]:
    """The pages below each heading of docs/index.md, in its order."""
    found: dict[str, list[str]] = {}
    for line in (text or (ROOT / INDEX).read_text(encoding="utf-8")).splitlines():
        if line.startswith("## "):
            found[line[3:].strip()] = []
        row = re.match(r"\| *\[[^\]]*\]\(([^)]+)\) *\|", line)
        if row and found:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(INDEX), row.group(1)))
            found[list(found)[-1]].append(target)
    return found


def faults(order: dict[str, list[str]], pages: list[str]) -> list[str]:
    """What is wrong with the order of pages and headers, in words."""
    named = [page for pages in order.values() for page in pages]
    found = [
        f"{page} has no row in {INDEX}, whose tables sort the pages"
        for page in pages
        if page not in named and page != INDEX and not page.startswith(RESULTS + "/")
    ]
    found += [f"{page} has several rows in {INDEX}" for page in named if named.count(page) > 1]
    return found + [f"{page} is not there" for page in named if page not in pages]


def check_order() -> None:
    made_up = sections("# a\n## b\n| [x](x.md) | x |\n| [x](x.md) | x |\n| [n](n.md) | n |\n")
    words = " ".join(faults(made_up, ["docs/x.md", "docs/y.md", INDEX, RESULTS + "/r.md"]))
    for wanted in ("docs/y.md has no row", "docs/x.md has several", "docs/n.md is not there"):
        if wanted not in words or "r.md" in words:
            fail(f"self-test: {wanted!r} is not in {words!r}")
    headers = {path.relative_to(ROOT).as_posix() for path in (ROOT / HEADERS).glob("*.h")}
    found = faults(sections(), tree_pages() + sorted(headers - {f"{HEADERS}/lgkt.h"}))
    if found:
        fail("\nsite: ".join(found))


def place(page: str) -> str:
    """Where the source of a page of the tree is."""
    return "index.md" if page == "README.md" else page


# ---- links ----


class Site:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.written: set[pathlib.Path] = set()
        self.pages = set(tree_pages())
        self.shown: dict[str, str] = {}  # files and folders of the tree that have a page, and which

    def write(self, source: str, content: str | bytes) -> None:
        """Sphinx reads again what is newer, so a file with the same content is left alone."""
        data = content.encode() if isinstance(content, str) else content
        path = self.folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
        self.written.add(path)

    def clean(self) -> None:
        """Removes what was written before and is no longer wanted."""
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()

    def target(self, path: str) -> str:
        """The source that a link to a file or folder of the tree leads to."""
        if path in self.pages:
            return place(path)
        if path in (RESULTS, HEADERS):
            return f"{RESULTS}/index.md" if path == RESULTS else "c/index.md"
        if posixpath.dirname(path) == HEADERS and path != f"{HEADERS}/lgkt.h":
            return f"c/{posixpath.basename(path)[:-2]}.md"
        return self.show(path)

    def resolve(self, page: str, link: str) -> str:
        """A link of a page of the tree as it is to be in the site."""
        path, mark, anchor = link.partition("#")
        if "://" in link or not path or link.startswith("mailto:"):
            return link
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if whole.startswith("../") or not (ROOT / whole).exists():
            fail(f"{page} links to {link}, which does not exist")
        if pathlib.Path(whole).suffix in (".svg", ".png"):
            self.write(whole, (ROOT / whole).read_bytes())
            to = whole
        else:
            to = self.target(whole)
            # a line of a file
            anchor, mark = (anchor, mark) if whole in self.pages else ("", "")
        return posixpath.relpath(to, posixpath.dirname(place(page)) or ".") + mark + anchor

    def linked(self, page: str, text: str) -> str:
        """The text of a page with its links, but for those in code."""
        parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        parts[::2] = [
            LINK.sub(lambda found: self.resolve(page, found.group(1)), part) for part in parts[::2]
        ]
        return "".join(parts)

    # ---- files and folders that pages link to ----

    def show(self, path: str) -> str:
        """The page that shows a file or a folder."""
        if path not in self.shown:
            folder = (ROOT / path).is_dir()
            self.shown[path] = f"files/{path}/index.md" if folder else f"files/{path}.md"
            if not folder:
                self.write(self.shown[path], self.file_page(path))
        return self.shown[path]

    def write_folders(self) -> None:
        """The pages of folders: what is in them, with links to what pages of the tree speak of."""
        for path, source in self.shown.items():
            if not source.endswith("/index.md"):
                continue
            rows = []
            for item in sorted((ROOT / path).iterdir()):
                if item.name.startswith((".", "__")) or item.suffix in (".so", ".pyc"):
                    continue
                whole, name = f"{path}/{item.name}", item.name + ("/" if item.is_dir() else "")
                to = self.target(whole) if whole in self.shown or whole in self.pages else ""
                rows.append(
                    f"- [`{name}`]({posixpath.relpath(to, posixpath.dirname(source))})"
                    if to
                    else f"- `{name}`"
                )
            self.write(source, FILE_HEAD.format(path + "/") + "\n".join(rows) + "\n")

    def file_page(self, path: str) -> str:
        text = (ROOT / path).read_text(encoding="utf-8")
        # a program's language is in its first line
        language = LANGUAGES.get(pathlib.Path(path).suffix) or (
            "python" if "python" in text[:40] else "bash" if text.startswith("#!") else "text"
        )
        head = FILE_HEAD.format(path)
        if len(text) > SHOWN:
            text = text[: text.rindex("\n", 0, SHOWN) + 1]
            lines = text.count("\n")
            head += f"The first {lines} lines; the whole file comes with the sources of lgkt.\n\n"
            language = "text"
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", text))])
        return f"{head}{fence}{language}\n{text.rstrip()}\n{fence}\n"


# ---- pages that are made ----

RESULTS_PAGE = """# Results, experiment by experiment

All comparisons with their numbers; [the paper, reproduced](../REPRODUCTION.md) says what follows
from them.

"""
C_PAGE = """# C reference

The public headers, in the order to read them. `lgkt/lgkt.h` includes all but `lgkt/io.h`.
{ref}`genindex` has all names.

| header | what it declares |
| --- | --- |
"""
HEADER_PAGE = """# NAME.h

```c
#include <lgkt/NAME.h>
```

```{doxygenfile} NAME.h
:project: lgkt
```
"""
PYTHON_PAGE = """# Python reference

[The tutorial](../docs/python.md) is the place to begin. {ref}`genindex` has all names.
"""
TYPES = """
## Types in signatures

| name | what it is | |
| --- | --- | --- |
"""
COMMAND_PAGE = """# All options of the command

[The command](../docs/command.md) has what these share.

```text
OVERVIEW```
"""
# what docs/index.md says of the reference in a tree, and in the site
IN_TREE = "that of Python is `help(lgkt)`."
IN_SITE = (
    "that of Python has [pages of its own](../python/index.md), and so has "
    "[what the command says of itself](../command/index.md)."
)
# what classes inherit from these is not of the package
FOREIGN = "object, tuple, Protocol, Generic, Sequence"


def toctree(entries: list[str], caption: str = "", hidden: bool = True) -> str:
    options = [f":caption: {caption}"] * bool(caption) + [":hidden:"] * hidden + [":maxdepth: 1"]
    names = ["/" + entry.removesuffix(".md") for entry in entries]
    return "\n".join(["```{toctree}", *options, "", *names, "```"]) + "\n"


def write_tree(site: Site) -> None:
    """The pages of the tree, the first of which leads to all others, in their order."""
    trees = []
    for section, pages in sections().items():
        entries = [
            site.target(page)
            for page in pages
            if page != "README.md" and not page.startswith(HEADERS + "/")
        ]
        if not trees:
            entries.insert(0, INDEX)
        if "docs/REPRODUCTION.md" in pages:
            entries.append(f"{RESULTS}/index.md")
        if section == "Reference":
            entries += ["c/index.md", "python/index.md", "command/index.md"]
        trees.append(toctree(entries, section))
    for page in sorted(site.pages):
        text = site.linked(page, (ROOT / page).read_text(encoding="utf-8"))
        if page == "README.md":
            text += "\n" + "\n".join(trees)
        if page == INDEX:
            # the names of pages become their titles
            text = re.sub(r"\[[^]]+\.md\](?=\([^)]+\.md\) \|)", "[]", text)
            text = text.replace(IN_TREE, IN_SITE)
        site.write(place(page), text)


def write_results(site: Site) -> None:
    names = [page for page in sorted(site.pages) if page.startswith(RESULTS + "/")]
    site.write(f"{RESULTS}/index.md", RESULTS_PAGE + toctree(names, hidden=False))


def write_c(site: Site) -> None:
    """A page for each header, in the order of docs/index.md."""
    text = (ROOT / INDEX).read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\.h\]\([^)]+\) \| (.*) \|$", text, re.M)
    table = "".join(f"| [{name}.h]({name}.md) | {what} |\n" for name, what in rows)
    site.write("c/index.md", C_PAGE + table + "\n" + toctree([f"c/{name}" for name, _ in rows]))
    for name, _ in rows:
        site.write(f"c/{name}.md", HEADER_PAGE.replace("NAME", name))


def python_names() -> Iterator[tuple[str, str, str]]:
    """(what it is, its whole name, the first sentence on it) of all that the package offers."""
    import lgkt

    for name in lgkt.__all__:
        thing = getattr(lgkt, name)
        if not name.startswith("_") and not inspect.ismodule(thing):
            kind = "class" if inspect.isclass(thing) else "function"
            if inspect.isclass(thing) and issubclass(thing, Exception):
                kind = "exception"
            yield kind, f"lgkt.{name}", sentence(inspect.getdoc(thing) or "")
    modules = {f"lgkt.{name}" for name in lgkt.__all__ if inspect.ismodule(getattr(lgkt, name))}
    for name in sorted(modules | set(MODULES)):
        path = ROOT / "python" / name.replace(".", "/")
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not source.exists():
            fail(f"{name} is no module of the package")
        said = re.search(r'^"""(.*?)"""', source.read_text(encoding="utf-8"), re.M | re.S)
        yield "module", name, sentence(said.group(1) if said else "")


def sentence(text: str) -> str:
    first = re.split(r"\n\s*\n|(?<=[.])\s", text.strip())[0]
    return re.sub(r"\s+", " ", first).rstrip(":").replace("|", "\\|")


def directive(name: str, thing: str, *options: str) -> str:
    lines = [f".. auto{name}:: {thing}", *(f"   :{option}" for option in options)]
    return "\n".join(["```{eval-rst}", *lines, "```"]) + "\n"


def write_python(site: Site) -> None:
    """A page for each class and module, one for all functions and one for all exceptions."""
    found = list(python_names())
    parts, types = [PYTHON_PAGE], TYPES
    pages = []
    for kind, title in (
        ("function", "Functions"),
        ("class", "Classes"),
        ("module", "Modules"),
        ("exception", "Exceptions"),
    ):
        parts.append(f"\n## {title}\n\n| name | what it is |\n| --- | --- |\n")
        together = f"# {title}\n"
        for _, name, said in (row for row in found if row[0] == kind):
            if kind in ("function", "exception"):
                page = f"{kind}s.md#{name.replace('.', '').lower()}"
                together += f"\n## {name}\n\n{directive(kind, name)}"
            else:
                page = f"{name}.md"
                options = ["members:"]
                if kind == "class":
                    options.append(f"inherited-members: {FOREIGN}")
                pages.append(f"python/{page}")
                site.write(pages[-1], f"# {name}\n\n{directive(kind, name, *options)}")
            parts.append(f"| [`{name}`]({page}) | {said} |\n")
        if kind in ("function", "exception"):
            pages.append(f"python/{kind}s.md")
            site.write(pages[-1], together)
    stub = (ROOT / "python/lgkt/_core.pyi").read_text(encoding="utf-8")
    # those before the first class are what its methods take
    aliases = re.findall(r"^(_\w+) = ([^#\n]+?)(?:  # (.*))?$", stub.split("\nclass ")[0], re.M)
    for name, what, note in aliases:
        what = what.replace("|", "\\|")
        types += f"| `{name}` | `{what}` | {note} |\n"
    site.write("python/index.md", "".join(parts) + types + "\n" + toctree(pages))


def write_command(site: Site, command: str) -> None:
    """What the command says of itself."""

    def said(*words: str) -> str:
        done = subprocess.run([command, *words], check=True, capture_output=True, text=True)
        return done.stdout

    overview = said("--help")
    names = re.findall(r"^  ([a-z]+) ", overview.split("commands:")[1].split("\n\n")[0], re.M)
    parts = [f"\n## lgkt {name}\n\n```text\n{said('help', name)}```\n" for name in names]
    site.write("command/index.md", COMMAND_PAGE.replace("OVERVIEW", overview) + "".join(parts))


def main() -> None:
    check_order()
    if len(sys.argv) < 3:
        return
    folder = pathlib.Path(sys.argv[1])
    site = Site(folder)
    write_tree(site)
    write_results(site)
    write_c(site)
    write_python(site)
    write_command(site, os.path.abspath(sys.argv[2]))
    site.write_folders()
    site.clean()


if __name__ == "__main__":
    main()
