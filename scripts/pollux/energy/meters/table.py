# SPDX-License-Identifier: BSD-3-Clause
"""Reads the columns of a meter's CSV file, a part at a time: files may be larger than memory."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.core.paths import no_device
from pollux.core.validation import printable
from pollux.energy.meters.description import Column, Meter

PART = 50_000  # rows
FIRST = 1 << 20  # characters of the first line: that of a timeline describes thousands of columns
LINE = 100_000  # of any other
SEPARATORS = (",", ";", "\t", "|")
NAMED = 12  # columns in a message


@dataclass(frozen=True)
class Part:
    """Some rows of a file: the number of each line, and the cells of each wanted column."""

    lines: list[int]
    columns: list[list[str]]


def read_parts(meter: Meter) -> Iterator[Part]:
    """The times and values of the samples, as texts; the first column is the time."""
    path = meter.path
    rows = data_lines(path)
    wanted: list[Column] = [meter.time.column, *meter.value.columns]
    first = next(rows, None)
    if first is None:
        raise BadUsageError(f"{path}: is empty; it should be the samples of the meter {meter.name}")
    splitter, places = understand(meter, first, wanted)
    if isinstance(wanted[0], int):
        rows = chain([first], rows)
    yield from gather(path, rows, splitter, places)


def gather(
    path: Path, rows: Iterable[tuple[int, str]], splitter: "Splitter", places: Sequence[int]
) -> Iterator[Part]:
    """The cells at these places of all rows."""
    part = Part([], [[] for _ in places])
    for number, line in rows:
        cells = splitter.split(line)
        try:
            for column, place in zip(part.columns, places, strict=True):
                column.append(cells[place].strip())
        except IndexError as error:
            raise BadUsageError(
                f"{path}:{number}: {len(cells)} columns, and {max(places) + 1} are needed"
            ) from error
        part.lines.append(number)
        if len(part.lines) == PART:
            yield part
            part = Part([], [[] for _ in places])
    if part.lines:
        yield part


def data_lines(path: Path, *, only_whole: bool = False) -> Iterator[tuple[int, str]]:
    """Each line that is neither empty nor a comment, with its number.

    `only_whole` ignores a last line without its end, which a killed writer may leave.
    """
    try:
        with no_device(path).open(encoding="utf-8-sig", newline=None) as file:
            number, most = 0, FIRST
            while line := file.readline(most + 1):
                number += 1
                if len(line) > most:
                    raise BadUsageError(f"{path}:{number}: a line of more than {most} characters")
                most = LINE
                if only_whole and not line.endswith("\n"):
                    return
                if line.strip() and not line.startswith("#"):
                    yield number, line.rstrip("\n")
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise BadUsageError(f"{path}: not UTF-8 text, which CSV files here are") from error


@dataclass(frozen=True)
class Splitter:
    """Splits lines at a separator; None: at any blanks."""

    separator: str | None

    def split(self, line: str) -> list[str]:
        if self.separator is not None and '"' in line:
            return next(csv.reader([line], delimiter=self.separator, skipinitialspace=True), [])
        return line.split(self.separator)


def understand(
    meter: Meter, first: tuple[int, str], wanted: Sequence[Column]
) -> tuple[Splitter, list[int]]:
    """How to split lines, and where the wanted columns are."""
    number, line = first
    if meter.separator is not None:
        candidates = [Splitter(None if meter.separator == " " else meter.separator)]
    else:
        candidates = [Splitter(separator) for separator in SEPARATORS]
        if meter.decimal == ",":
            candidates = [s for s in candidates if s.separator != ","]
    if isinstance(wanted[0], int):
        splitter = max(candidates, key=lambda s: len(s.split(line)))
        return splitter, [int(column) - 1 for column in wanted]
    heads = [[name.strip() for name in s.split(line)] for s in candidates]
    for splitter, names in zip(candidates, heads, strict=True):
        if set(wanted) <= set(names):
            doubled = [str(name) for name in wanted if names.count(str(name)) > 1]
            if doubled:
                raise BadUsageError(f"{meter.path}:{number}: two columns {quoted(doubled[0])}")
            return splitter, [names.index(str(name)) for name in wanted]
    names = max(heads, key=len)
    lacking = next(str(name) for name in wanted if name not in names)
    listed = ", ".join(map(quoted, names[:NAMED])) + (", …" if len(names) > NAMED else "")
    raise BadUsageError(
        f"{meter.path}:{number}: the header has no column {quoted(lacking)}, only {listed}"
    )


def quoted(name: str) -> str:
    return f'"{printable(name)}"'
