# SPDX-License-Identifier: MIT
"""headers.py HEADER: a public header as Doxygen is to read it, on stdout; its INPUT_FILTER.

Headers are written for people: `//` at the head of the file and `///` before what it is about, with
words in backquotes and no commands of Doxygen. Here the head becomes the text of the file, what
would mean something to Doxygen is escaped, and of declarations that stand together below one
comment those after the first say where it is.
"""

import re
import sys


def escape(text):
    """Text outside of backquotes as Doxygen takes it for itself."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\@<>#%&])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def head(lines):
    """The comment that a header begins with, without the line on the licence, and what follows."""
    length = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    text = [re.sub(r"^// ?", "", line) for line in lines[:length] if "SPDX" not in line]
    # lines that are indented by four are code, which a sentence stands before
    return [
        "/// @file",
        *("/// " + (line if line.startswith("    ") else escape(line)) for line in text),
    ], lines[length:]


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
