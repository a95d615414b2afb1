# SPDX-License-Identifier: BSD-3-Clause
"""Terminals of some width, and whether what was written on them can be read."""

from collections.abc import Callable
from io import StringIO

from rich.cells import cell_len
from rich.console import Console

WIDE = 1000
WIDTHS = (80, 120)


def written(write: Callable[[Console], None], width: int) -> str:
    """What a terminal of this many columns shows."""
    file = StringIO()
    write(Console(file=file, width=width, force_terminal=True, color_system=None))
    return file.getvalue()


def assert_readable(write: Callable[[Console], None], width: int) -> str:
    """No line is wider than the terminal, and each word is one of those of a wide terminal."""
    text = written(write, width)
    too_long = [line for line in text.splitlines() if cell_len(line.rstrip()) > width]
    assert not too_long
    broken = words_of(text) - words_of(written(write, WIDE))
    assert not broken
    return text


def words_of(text: str) -> set[str]:
    """All words, without punctuation, but those of the line that names the columns left out."""
    kept = text.split("Not shown at this width:")
    rest = [kept[0], *(part.partition(".")[2] for part in kept[1:])]
    words = {word.strip("():,") for part in rest for word in part.split()}
    return {word for word in words if not is_rule(word)}


def is_rule(word: str) -> bool:
    return set(word) <= {"─"}
