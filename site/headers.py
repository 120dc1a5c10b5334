# SPDX-License-Identifier: MIT
"""headers.py HEADER: a public header as Doxygen is to read it, on stdout; its INPUT_FILTER.

Headers are written for people: `//` at the head of the file and `///` before what it is about, with
words in backquotes and no commands of Doxygen. Here the head becomes the text of the file, what
would mean something to Doxygen is escaped, and of declarations that stand together below one
comment those after the first say where it is.
"""

import pathlib
import re
import sys

FUNCTION = r"(?:LGKT_API|static inline)\b[^;{]*?\b(lgkt_\w+)\("
NAME = r"\b(?:lgkt|LGKT)_\w+\b(?!\()"
CONSTANT = r"(?:#define |^    )(LGKT_\w+)(?=[ ,(])"


def known(folder):
    """How functions and constants of all headers are written for Doxygen to make links of them."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.h")))
    names = {name: name + "()" for name in re.findall(FUNCTION, text)}
    return names | {name: "#" + name for name in re.findall(CONSTANT, text, re.M)}


NAMES = known(pathlib.Path(sys.argv[1]).parent) if len(sys.argv) > 1 else {}


def escape(text):
    """Text outside of backquotes as Doxygen takes it for itself, with links."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        plain = re.sub(r"([\\@<>#%&])", r"\\\1", parts[i])
        parts[i] = re.sub(NAME, lambda found: NAMES.get(found[0], found[0]), plain)
    return "`".join(parts)


def head(lines):
    """The comment that a header begins with, without the line on the licence, and what follows."""
    length = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    text = [re.sub(r"^// ?", "", line) for line in lines[:length] if "SPDX" not in line]
    made, code, before = ["/// @file"], False, ""
    for line in text:
        # what is indented by four below an empty line is code; else it goes on with a list
        code = line.startswith("    ") and (code or not before.strip())
        made.append("/// " + (line if code else escape(line)))
        before = line
    return made, lines[length:]


def declared(lines):
    """The name of the function whose declaration begins with the first of these lines, or None."""
    whole = re.split(r"[;{]", " ".join(lines[:12]))[0]
    found = re.match(r"(?:LGKT_API|static inline)\b.*?\b(\w+)\(", whole)
    return found.group(1) if found else None


def filtered(text):
    made, lines = head(text.splitlines())
    first = None  # the function that the comment above is about
    inside = False
    for i, line in enumerate(lines):
        found = re.match(r"(.*?)(///<?)(.*)$", line)
        if found:
            before, mark, said = found.groups()
            made.append(before + mark + escape(said))
            first = None
            continue
        name = None if inside else declared(lines[i:])
        if name and first:
            made.append(f"/// See {first}().")
        elif name:
            first = name
        elif not line.strip() or re.match(r"(typedef|#|//)", line):
            first = None
        inside = (inside or name is not None) and not line.endswith((";", "}"))
        inside = inside or line == "{" or (inside and line != "}")
        made.append(line)
    return "\n".join(made) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(filtered(header.read()))
