# SPDX-License-Identifier: BSD-3-Clause
"""Tables and prose that fit the width of a terminal.

A table that is too wide first breaks its headers between words, then leaves out dispensable
columns, then becomes several tables, each with the first column. A cell is never cut: the lines
of a column that is wider than the terminal alone are wider than the terminal too.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import floor, log10
from textwrap import wrap

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pollux.core.text import one_line

GAP = 2  # between columns
BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|s|ms|µs|ns|min|GFlop/s|GB/s)(?!\w))")
READABLE = 20  # characters: prose in a column is not made narrower


@dataclass(frozen=True)
class Column:
    """A head and a cell for each row."""

    head: str
    cells: Sequence[str]
    is_left: bool = False  # words; numbers are aligned to the right
    spare: int = 0  # of columns that may be left out, the highest goes first; 0: it stays
    is_prose: bool = False  # may continue on the next line, between words

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", [*map(one_line, self.cells)])
        object.__setattr__(self, "head", one_line(self.head))

    @property
    def widest(self) -> int:
        return max(map(cell_len, [self.head, *self.cells]))

    @property
    def narrowest(self) -> int:
        """The width that breaks no word."""
        if self.is_prose:
            words = [word for cell in self.cells for word in cell.split()]
            own = [min(READABLE, max(map(cell_len, self.cells), default=0)), *map(cell_len, words)]
        else:
            own = [*map(cell_len, self.cells)]
        return max([*own, *map(cell_len, self.head.split())], default=0)


@dataclass(frozen=True)
class Rows:
    """What is special about some rows, by their numbers."""

    styles: dict[int, str] = field(default_factory=dict)
    sections: Collection[int] = ()  # a line is drawn after these


def form_of(number: float, digits: int = 3, places: int = 3) -> str:
    """The format in which a number has so many significant digits or more.

    With decimal places, if these are enough.
    """
    needed = max(0, digits - 1 - floor(log10(number))) if number > 0 else 0
    return f".{needed}f" if needed <= places else f".{digits}g"


def put(console: Console, text: str, style: str = "") -> None:
    """Prose: on a terminal broken between words, elsewhere a whole line.

    A number and its unit stay together.
    """
    lines = text.split("\n")
    if not console.is_terminal:  # rich takes long for many lines
        console.file.writelines(f"{printable(line)}\n" for line in lines)
        console.file.flush()
        return
    for line in lines:
        for part in broken(line, console.width) or [""]:
            console.print(Text(printable(part), style), soft_wrap=True)


def printable(part: str) -> str:
    """A line or a part of one, in which spaces need no longer hold words together."""
    return one_line(part.replace("\u00a0", " "))


def broken(line: str, width: int) -> list[str]:
    """The parts of a line that is broken between words."""
    return wrap(
        BEFORE_UNIT.sub("\u00a0", line),
        width,
        subsequent_indent=line[: len(line) - len(line.lstrip())],
        break_long_words=False,
        break_on_hyphens=False,
    )


def put_table(console: Console, columns: Sequence[Column], rows: Rows | None = None) -> None:
    """One table or several, and below them what was left out."""
    shown, left_out = narrowed(columns, console.width)
    for number, part in enumerate(parts(shown, console.width)):
        if number > 0:
            put(console, "")
        console.print(make_table(part, console.width, rows or Rows()), crop=False)
    if left_out:
        comma = "; " if any("," in head for head in left_out) else ", "
        put(console, f"Not shown at this width: {comma.join(left_out).rstrip('.')}.", "dim")


def fits(columns: Sequence[Column], width: int) -> bool:
    """Whether these are one table without any left out."""
    return total([c.narrowest for c in columns]) <= width


def narrowed(columns: Sequence[Column], width: int) -> tuple[list[Column], list[str]]:
    """The columns without as many spare ones as do not fit, and the heads of those."""
    shown = list(columns)
    while not fits(shown, width) and any(c.spare for c in shown):
        last = max(c.spare for c in shown)
        shown = [c for c in shown if c.spare != last]
    return shown, list(dict.fromkeys(c.head for c in columns if c not in shown))


def parts(columns: Sequence[Column], width: int) -> Iterator[list[Column]]:
    """Groups of columns that fit, each with the first column."""
    part = list(columns[:1])
    for column in columns[1:]:
        if len(part) > 1 and not fits([*part, column], width):
            yield part
            part = list(columns[:1])
        part.append(column)
    yield part


def total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def widths_for(columns: Sequence[Column], width: int) -> list[int]:
    """Each column as wide as it needs to be in one line, from left to right while there is room."""
    widths = [c.narrowest for c in columns]
    left = max(0, width - total(widths))
    for index, column in enumerate(columns):
        more = column.widest - widths[index]
        if column.is_prose or more <= left:
            widths[index] += min(more, left)
            left -= min(more, left)
    return widths


def make_table(columns: Sequence[Column], width: int, rows: Rows) -> Table:
    """A table of these columns, however wide they are."""
    widths = widths_for(columns, width)
    # rich fills the line of the box between columns: one of it and a space make the gap.
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, GAP - 1, 0, 0),
        width=total(widths),
        header_style="bold",
    )
    for column, own in zip(columns, widths, strict=True):
        table.add_column(
            Text(column.head), justify="left" if column.is_left else "right", width=own
        )
    for number, cells in enumerate(zip(*(c.cells for c in columns), strict=True)):
        table.add_row(
            *map(Text, cells),
            style=rows.styles.get(number),
            end_section=number in rows.sections,
        )
    return table
