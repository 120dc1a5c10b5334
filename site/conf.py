# SPDX-License-Identifier: MIT
"""The settings of Sphinx; scripts/site calls it, on what pages.py writes."""

import ast
import inspect
import os
import pathlib
import re
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
header = (ROOT / "include/lgkt/base.h").read_text(encoding="utf-8")

project = "lgkt"
version = release = re.findall(r'LGKT_VERSION_STRING "(.*)"', header)[0]
author = "The lgkt authors"
html_title = f"lgkt {release}"
html_show_copyright = False
html_show_sphinx = False
html_domain_indices = False
html_copy_source = False
html_theme = "furo"
html_static_path = [str(ROOT / "site/static")]
html_css_files = ["site.css"]
# the same bytes whenever it is made
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "github-dark"

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "index"

# Pages begin at any level below their title where that reads better. A name that two modules have,
# as Env, leads to one of the package itself.
suppress_warnings = ["myst.header", "ref.python"]
myst_heading_anchors = 4
# two dashes are those of an option
smartquotes = False

breathe_projects = {"lgkt": os.environ.get("LGKT_DOXYGEN", "doxygen/xml")}
breathe_default_project = "lgkt"
breathe_domain_by_extension = {"h": "c"}
breathe_show_define_initializer = True
breathe_show_enumvalue_initializer = True
c_id_attributes = ["LGKT_API"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
# the package imports these where they are wanted; the reference is made without them
autodoc_mock_imports = ["distributed", "jinja2", "matplotlib", "pandas", "pyarrow", "scipy", "tqdm"]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
c_maximum_signature_line_length = 88
# single backquotes are code, and a link where there is such a name
default_role = "py:obj"


def plain(
    app: object, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Docstrings are plain text with code in backquotes: what else would mean something is escaped.

    Below a heading that is underlined stand "name: what it is", which become a list.
    """
    example = listed = False
    for i, line in enumerate(lines):
        example = line.strip().startswith(">>>") or (example and bool(line.strip()))
        if example:
            continue
        lines[i] = line = line.replace("|", "\\|")
        if re.fullmatch(r"-{3,}", line):
            lines[i - 1], lines[i], listed = f"**{lines[i - 1]}**", "", True
        elif not line.strip():
            listed = False
        elif listed:
            found = re.match(r"([\w, ]+): (.*)", line)
            lines[i] = f"- ``{found[1]}``: {found[2]}" if found else f"  {line.strip()}"


# ---- types of the extension, which says none itself ----

stub = ast.parse((ROOT / "python/lgkt/_core.pyi").read_text(encoding="utf-8"))
classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}


class Words(str):
    """A type as it is written, without quotes."""

    __repr__ = str.__str__


def in_stub(owner: str, method: str) -> list[ast.FunctionDef]:
    """The forms of a method of a class, or of the first class that it inherits one from."""
    node = classes.get(owner)
    if node is None:
        return []
    forms = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return [form for form in forms if form.name == method] or [
        form for base in bases for form in in_stub(base, method)
    ]


def typed(app: object, what: str, name: str, thing: Any, *_: object) -> tuple[str, str] | None:
    """The signature that the extension knows, with the types of the stub."""
    owner, _, method = name.removeprefix("lgkt.").partition(".")
    forms = in_stub(owner, "__new__" if what == "class" else method)
    if what not in ("class", "method") or not forms:
        return None
    types: dict[str, str] = {}
    for form in forms:
        for arg in form.args.posonlyargs + form.args.args + form.args.kwonlyargs:
            if arg.annotation is not None:
                types.setdefault(arg.arg, ast.unparse(arg.annotation))
    given = []
    for parameter in inspect.signature(thing).parameters.values():
        words = types.get(parameter.name)
        if words and parameter.default is None and "None" not in words:
            words += " | None"
        if words:
            given.append(parameter.replace(annotation=Words(words)))
        elif parameter.name not in ("self", "cls", "type"):
            given.append(parameter)
    result = forms[0].returns if what == "method" else None
    return str(inspect.Signature(given)), ast.unparse(result) if result is not None else ""


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", plain)
    app.connect("autodoc-process-signature", typed)
