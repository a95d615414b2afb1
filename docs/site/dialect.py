# SPDX-License-Identifier: BSD-3-Clause
"""From Markdown as GitHub reads it to that of Python-Markdown, where the pages of docs/ differ."""

import re

ITEM = re.compile(r"\d+\. ")
FENCE = re.compile(r"(```|~~~)")
BELOW = "   "  # an item such as "1. "; Python-Markdown wants one more


def for_python_markdown(text: str) -> str:
    """The page with what belongs to numbered items indented as far as it has to be."""
    lines, inside, fenced = [], False, False
    for line in text.split("\n"):
        fenced ^= bool(FENCE.match(line))
        if ITEM.match(line) and not fenced:
            inside = True
        elif line and not line.startswith(BELOW):
            inside = False
        lines.append(f" {line}" if inside and line.startswith(BELOW) else line)
    return "\n".join(lines)
