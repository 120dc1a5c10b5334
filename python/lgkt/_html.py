# SPDX-License-Identifier: MIT
"""Tables as notebooks show them."""

from __future__ import annotations

import html
from collections.abc import Sequence


def table(titles: Sequence[str], cells: Sequence[Sequence[str]], numbers: bool = False) -> str:
    """A table; of `numbers`, all columns but the first end at the right."""
    def line(tag: str, row: Sequence[str]) -> str:
        cells = [f'<{tag} style="text-align:{"right" if numbers and j else "left"}">'
                 f"{html.escape(cell)}</{tag}>" for j, cell in enumerate(row)]
        return f"<tr>{''.join(cells)}</tr>"

    return ("<table><thead>" + line("th", titles) + "</thead><tbody>"
            + "".join(line("td", row) for row in cells) + "</tbody></table>")
