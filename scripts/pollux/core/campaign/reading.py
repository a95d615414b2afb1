# SPDX-License-Identifier: BSD-3-Clause
"""Reads files of records: what each line is, or why it cannot be read.

Every command that reads records does so here. A line that is not a record is skipped, counted and
named; behind this module nobody looks for missing fields.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from pollux.core.campaign.lines import LINE, SCHEMA, Line
from pollux.core.errors import BadUsageError
from pollux.core.paths import no_device
from pollux.core.records import RECORD, RUN_SCHEMA
from pollux.core.schemas import is_later, kind_of
from pollux.core.validation import (
    WINDOWS_ENDS,
    first_problem,
    has_windows_ends,
    printable,
    printable_json,
)

NAMED = 3  # unreadable lines of a kind that a message names; it counts all
BEGIN_OF_RUN = b'{"schema":"pollux-run/'
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Cause(StrEnum):
    """Why a line cannot be read, with what to know about it."""

    CUT = "cut off, as a process leaves it that is killed while it writes"
    LATER = "written by a later version of Pollux; a newer pollux reads them"
    WINDOWS = WINDOWS_ENDS
    OTHER = "damaged, or of another program"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is not a record."""

    place: str  # FILE:LINE
    cause: Cause
    reason: str  # in a phrase


OfRun = dict[str, Any]  # the record of a run outside of a campaign
Read = Line | OfRun | Unreadable


class NotARecordError(Exception):
    """A line cannot be read."""

    def __init__(self, reason: str, cause: Cause = Cause.OTHER) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cause = cause


def read_lines(path: Path, containing: bytes = b"") -> Iterator[tuple[int, Read]]:
    """The number and contents of each line that is not empty, or of those with certain bytes."""
    try:
        with no_device(path).open("rb") as file:
            for number, text in enumerate(file, start=1):
                if text.isspace() or containing not in text:
                    continue
                try:
                    yield number, read_line(text)
                except NotARecordError as error:
                    yield number, Unreadable(f"{path}:{number}", error.cause, error.reason)
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error


def read_line(text: bytes) -> Line | OfRun:
    """A line's contents; NotARecordError says why it has none.

    The text is parsed and checked in one go; only what does not pass is parsed again.
    """
    if has_windows_ends(text):
        raise NotARecordError("carriage return at its end", Cause.WINDOWS)
    text = printable_json(text)
    is_of_run = text.startswith(BEGIN_OF_RUN)
    try:
        if is_of_run:
            return dict(RECORD.validate_json(text, strict=True))
        return LINE.validate_json(text, strict=True)
    except ValidationError as error:
        return read_otherwise(text, error)


def read_otherwise(text: bytes, refused: ValidationError) -> OfRun:
    """What a line contains that is not what it begins like."""
    try:
        found = from_json(text)
    except ValueError as error:
        raise not_json(text, str(error)) from error
    if not isinstance(found, dict):
        raise NotARecordError(f"this is JSON, but not an object: {printable(str(found))[:40]}")
    schema = found.get("schema")
    try:
        if schema == RUN_SCHEMA:  # and its fields are in another order
            return dict(RECORD.validate_json(text, strict=True))
    except ValidationError as error:
        raise NotARecordError(first_problem(error)) from error
    if schema == SCHEMA:
        later = next(filter(is_later, schemas_of_records(found)), None)
        if later is not None:
            raise NotARecordError(f"it contains {kind_of(later)}", Cause.LATER)
        raise NotARecordError(first_problem(refused)) from refused
    cause = Cause.LATER if is_later(schema) else Cause.OTHER
    raise NotARecordError(f"this is {kind_of(schema)}", cause)


def schemas_of_records(line: dict[str, Any]) -> Iterator[object]:
    """The schemas of the records in a campaign's line, which need not fit any model."""
    records = line.get("records")
    for record in records if isinstance(records, list) else []:
        if isinstance(record, dict):
            yield record.get("schema")


def not_json(text: bytes, problem: str) -> NotARecordError:
    """Why a line is no JSON: the writer was killed, or it is something else."""
    if text.startswith(BYTE_ORDER_MARK):
        return NotARecordError("it begins with a byte order mark, which JSON does not allow")
    if problem.startswith("EOF while parsing") and text.startswith(b"{"):
        return NotARecordError("cut off", Cause.CUT)
    reason = problem.partition(" at line ")[0]
    return NotARecordError(f"this is not JSON: {reason}")


def sentences(lines: Iterable[Unreadable]) -> Iterator[str]:
    """How many lines cannot be read, and why, with the first few of each kind."""
    for cause in Cause:
        of_kind = [line for line in lines if line.cause is cause]
        if of_kind:
            yield sentence(cause, of_kind)


def sentence(cause: Cause, lines: list[Unreadable]) -> str:
    count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
    same = cause in (Cause.CUT, Cause.WINDOWS)
    named = [x.place if same else f"{x.place}: {x.reason}" for x in lines[:NAMED]]
    more = f" and {len(lines) - NAMED} more" if len(lines) > NAMED else ""
    return f"{count} cannot be read: {cause} ({'; '.join(named)}{more})"
