# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/extending/, and what each does to a checkout.

An HTML comment before a fenced block says what the block is, so that the page reads as prose:

    <!-- file PATH -->                 the whole of a new file
    <!-- in PATH, after: TEXT -->      lines that go below the only line that contains TEXT
    <!-- run -->                       commands, run from the top of the checkout
"""

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

FENCE = re.compile(
    r"(?:^ *<!-- (?P<directive>.+?) -->\n)?(?P<indent> *)```(?P<language>\w*)\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
EDIT = re.compile(r"in (?P<path>\S+), after: (?P<anchor>.+)")


@dataclass(frozen=True)
class Example:
    """One fenced block of the page."""

    directive: str  # empty: the page does not say what the block is
    language: str
    text: str

    def apply(self, checkout: Path) -> None:
        """Write the new file, or insert the lines; commands change nothing here."""
        edit = EDIT.fullmatch(self.directive)
        if edit:
            insert(checkout / edit["path"], edit["anchor"], self.text)
        elif self.directive.startswith("file "):
            path = checkout / self.directive.removeprefix("file ")
            assert not path.exists(), f"{path} exists: the example is no new file"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.text)

    def touched(self) -> str | None:
        """The file that the example makes or changes."""
        edit = EDIT.fullmatch(self.directive)
        if edit:
            return edit["path"]
        return self.directive.removeprefix("file ") if self.directive.startswith("file ") else None


def insert(path: Path, anchor: str, text: str) -> None:
    """Insert lines below the only line that contains the anchor, indented as they are printed."""
    lines = path.read_text().splitlines(keepends=True)
    places = [number for number, line in enumerate(lines) if anchor in line]
    assert len(places) == 1, f"{anchor!r} is in {len(places)} lines of {path}"
    lines.insert(places[0] + 1, text)
    path.write_text("".join(lines))


def sections(index: Path) -> dict[str, list[Example]]:
    """The examples of each page that the index names, by its title and in that order."""
    found = {}
    for name in re.findall(r"\((\S+\.md)\)", index.read_text()):
        page = index.parent / name
        if page.parent != index.parent:
            heading, _, body = page.read_text().partition("\n# ")[2].partition("\n")
            found[heading] = [
                Example(match["directive"] or "", match["language"], dedent(match["text"]))
                for match in FENCE.finditer(body)
            ]
    return found
