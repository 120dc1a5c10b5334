#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py [FOLDER [COMMAND]]: the pages of the site as Sphinx is to read them, into a folder.

What is written for the tree, README.md and docs, is copied as it is but for its links: those to
pages lead to pages, those to headers into the reference of C, and those to other files and folders to
pages that show them. The order of the site is that of docs/index.md: its headings, and below each the
links in the first column. Pages of the reference are made here: of C for each header, of Python for
each name of the package, and the help of the command.

Without a folder it only checks that every page has a row in docs/index.md.
"""
from __future__ import annotations

import inspect
import os
import pathlib
import posixpath
import re
import shutil
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
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "cpp", ".py": "python", ".pyi": "python", ".json": "json", ".ipynb": "json",
             ".cmake": "cmake", ".toml": "toml", ".conf": "nginx", ".sh": "bash", ".service": "ini", ".ts": "typescript"}
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")


def fail(message: str) -> None:
    sys.exit(f"site: {message}")


# ---- what there is, and its order ----


def tree_pages() -> list[str]:
    found = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")]
    return sorted(found) + [page for page in OTHERS if (ROOT / page).exists()]


def sections() -> dict[str, list[str]]:
    """The pages below each heading of docs/index.md, in its order."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / INDEX).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found[line[3:].strip()] = []
        row = re.match(r"\| *\[[^\]]*\]\(([^)]+)\) *\|", line)
        if row and found:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(INDEX), row.group(1)))
            found[list(found)[-1]].append(target)
    return found


def check_order() -> None:
    named = [page for pages in sections().values() for page in pages]
    for page in tree_pages():
        if page not in named and page != INDEX and not page.startswith(RESULTS + "/"):
            fail(f"{page} has no row in {INDEX}, whose tables sort the pages")
    for page in named:
        if named.count(page) > 1:
            fail(f"{page} has {named.count(page)} rows in {INDEX}")
    for header in sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / HEADERS).glob("*.h")):
        if header not in named and not header.endswith("/lgkt.h"):
            fail(f"{header} has no row in {INDEX}")


def place(page: str) -> str:
    """Where the source of a page of the tree is."""
    return "index.md" if page == "README.md" else page


# ---- links ----


class Site:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.pages = set(tree_pages())
        self.shown: dict[str, str] = {}  # files and folders of the tree that have a page, and which

    def write(self, source: str, text: str) -> None:
        path = self.folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

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
            self.copy(whole)
            to = whole
        else:
            to = self.target(whole)
            # a line of a file
            anchor, mark = (anchor, mark) if whole in self.pages else ("", "")
        return posixpath.relpath(to, posixpath.dirname(place(page)) or ".") + mark + anchor

    def linked(self, page: str, text: str) -> str:
        """The text of a page with its links, but for those in code."""
        parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        parts[::2] = [LINK.sub(lambda found: self.resolve(page, found.group(1)), part) for part in parts[::2]]
        return "".join(parts)

    def copy(self, path: str) -> None:
        to = self.folder / path
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, to)

    # ---- files and folders that pages link to ----

    def show(self, path: str) -> str:
        """The page that shows a file or a folder."""
        if path not in self.shown:
            folder = (ROOT / path).is_dir()
            self.shown[path] = source = f"files/{path}/index.md" if folder else f"files/{path}.md"
            self.write(source, self.folder_page(path, source) if folder else self.file_page(path))
        return self.shown[path]

    def folder_page(self, path: str, source: str) -> str:
        rows = []
        for item in sorted((ROOT / path).iterdir()):
            if item.name.startswith((".", "__")) or (item.is_file() and item.suffix in (".png", ".so", ".pyc")):
                continue
            to = self.target(f"{path}/{item.name}")
            name = item.name + ("/" if item.is_dir() else "")
            rows.append(f"- [`{name}`]({posixpath.relpath(to, posixpath.dirname(source))})")
        return f"---\norphan: true\n---\n# `{path}/`\n\n" + "\n".join(rows) + "\n"

    def file_page(self, path: str) -> str:
        text = (ROOT / path).read_text(encoding="utf-8")
        # a program's language is in its first line
        language = LANGUAGES.get(pathlib.Path(path).suffix) or \
            ("python" if "python" in text[:40] else "bash" if text.startswith("#!") else "text")
        head = f"---\norphan: true\n---\n# `{path}`\n\n"
        if len(text) > SHOWN:
            text = text[:text.rindex("\n", 0, SHOWN) + 1]
            head += f"The first {text.count(chr(10))} lines; the whole file comes with the sources of lgkt.\n\n"
            language = "text"
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", text))])
        return f"{head}{fence}{language}\n{text.rstrip()}\n{fence}\n"


# ---- pages that are made ----


def toctree(entries: list[str], caption: str = "", hidden: bool = True) -> str:
    lines = ["```{toctree}"]
    if caption:
        lines.append(f":caption: {caption}")
    if hidden:
        lines.append(":hidden:")
    return "\n".join([*lines, ":maxdepth: 1", "", *("/" + entry.removesuffix(".md") for entry in entries), "```"]) + "\n"


def write_tree(site: Site) -> None:
    """The pages of the tree, the first of which leads to all others, in their order."""
    trees = []
    for section, pages in sections().items():
        entries = [site.target(page) for page in pages
                   if page != "README.md" and not page.startswith(HEADERS + "/")]
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
            text = text.replace("that of Python is `help(lgkt)`.", "that of Python is "
                                "[its own pages](../python/index.md), and that of the command [what it says of itself](../command/index.md).")
        site.write(place(page), text)


def write_results(site: Site) -> None:
    names = [page for page in sorted(site.pages) if page.startswith(RESULTS + "/")]
    site.write(f"{RESULTS}/index.md", "# Results, experiment by experiment\n\n"
               "All comparisons with their numbers; [the paper, reproduced](../REPRODUCTION.md) says what follows from them.\n\n"
               + toctree(names, hidden=False))


def write_c(site: Site) -> None:
    """A page for each header, in the order of docs/index.md."""
    rows = re.findall(r"^\| \[(\w+)\.h\]\([^)]+\) \| (.*) \|$", (ROOT / INDEX).read_text(encoding="utf-8"), re.M)
    table = [f"| [{name}.h]({name}.md) | {what} |" for name, what in rows]
    site.write("c/index.md", "# C reference\n\nThe public headers, in the order to read them. `lgkt/lgkt.h` includes all but "
               "`lgkt/io.h`. {ref}`genindex` has all names.\n\n| header | what it declares |\n| --- | --- |\n"
               + "\n".join(table) + "\n\n" + toctree([f"c/{name}.md" for name, _ in rows]))
    for name, what in rows:
        site.write(f"c/{name}.md", f"# {name}.h\n\n```c\n#include <lgkt/{name}.h>\n```\n\n"
                   f"```{{doxygenfile}} {name}.h\n:project: lgkt\n```\n")


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
    first = re.split(r"\n\s*\n|(?<=[.:])\s", text.strip())[0]
    return re.sub(r"\s+", " ", first).rstrip(":").replace("|", "\\|")


def write_python(site: Site) -> None:
    """A page for each class and module, and one for all functions."""
    found = list(python_names())
    parts = ["# Python reference\n\n[The tutorial](../docs/python.md) is the place to begin. {ref}`genindex` has all names.\n"]
    pages = ["python/functions.md", "python/exceptions.md"]
    inherited = "   :inherited-members: object, tuple, Protocol, Generic, Sequence\n"
    for title, kind in (("Functions", "function"), ("Classes", "class"), ("Modules", "module"), ("Exceptions", "exception")):
        parts.append(f"\n## {title}\n\n| name | what it is |\n| --- | --- |\n")
        for _, name, said in (row for row in found if row[0] == kind):
            alone = kind in ("class", "module")
            page = f"{name}.md" if alone else f"{kind}s.md#{name.replace('.', '').lower()}"
            parts.append(f"| [`{name}`]({page}) | {said} |\n")
            if alone:
                pages.append(f"python/{name}.md")
                directive = "automodule" if kind == "module" else "autoclass"
                site.write(f"python/{name}.md", f"# {name}\n\n```{{eval-rst}}\n.. {directive}:: {name}\n   :members:\n"
                           f"{inherited if kind == 'class' else ''}```\n")
    for kind in ("function", "exception"):
        rows = "".join(f"## {name}\n\n```{{eval-rst}}\n.. auto{kind}:: {name}\n```\n\n"
                       for what, name, _ in found if what == kind)
        site.write(f"python/{kind}s.md", f"# {kind.capitalize()}s\n\n{rows}")
    site.write("python/index.md", "".join(parts) + "\n" + toctree(pages))


def write_command(site: Site, command: str) -> None:
    """What the command says of itself."""
    def said(*words: str) -> str:
        return subprocess.run([command, *words], check=True, capture_output=True, text=True).stdout

    overview = said("--help")
    names = re.findall(r"^  ([a-z]+) ", overview.split("commands:")[1].split("\n\n")[0], re.M)
    parts = [f"# lgkt COMMAND --help\n\n[The command](../docs/command.md) has what these share.\n\n```text\n{overview}```\n"]
    parts += [f"\n## lgkt {name}\n\n```text\n{said('help', name)}```\n" for name in names]
    site.write("command/index.md", "".join(parts))


def main() -> None:
    check_order()
    if len(sys.argv) < 3:
        return
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(folder)
    write_tree(site)
    write_results(site)
    write_c(site)
    write_python(site)
    write_command(site, os.path.abspath(sys.argv[2]))


if __name__ == "__main__":
    main()
