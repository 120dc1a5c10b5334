# SPDX-License-Identifier: MIT
"""The settings of Sphinx; scripts/site calls it, on what pages.py writes."""

import ast
import copy
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

# pages begin at any level below their title where that reads better
suppress_warnings = ["myst.header"]
myst_heading_anchors = 4
myst_enable_extensions: list[str] = []

breathe_projects = {"lgkt": os.environ.get("LGKT_DOXYGEN", "doxygen/xml")}
breathe_default_project = "lgkt"
breathe_domain_by_extension = {"h": "c"}
breathe_order_parameters_first = True
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


def in_stub(owner: str, method: str) -> ast.FunctionDef | None:
    """A method of a class or of those that it inherits from, in the first of its forms."""
    node = classes.get(owner)
    if node is None:
        return None
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == method:
            return item
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return next((found for base in bases if (found := in_stub(base, method))), None)


def typed(
    app: object,
    what: str,
    name: str,
    thing: object,
    options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str, str | None] | None:
    owner, _, method = name.removeprefix("lgkt.").partition(".")
    node = in_stub(owner, "__new__" if what == "class" else method)
    if what not in ("class", "method") or node is None:
        return None
    args = copy.deepcopy(node.args)
    # self, or the class
    (args.posonlyargs or args.args).pop(0)
    result = ast.unparse(node.returns) if node.returns is not None and what == "method" else None
    return f"({ast.unparse(args)})", result


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", plain)
    app.connect("autodoc-process-signature", typed)
