# SPDX-License-Identifier: BSD-3-Clause
"""The part of a trace that one rank of a run over MPI wrote: its place, its clock, its messages."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import from_json

from pollux.core.models import Lenient
from pollux.core.records import Count, Name, ParameterValue
from pollux.insight.graphs.model import Ints

MESSAGES = "pollux-messages/1"
RECEIVE, SEND, WAIT = range(3)  # kinds of lines
WIDTHS = {RECEIVE: 9, SEND: 9, WAIT: 4}
RANKS_MAX = 1 << 20
# What messages have: a tile of the matrix, its T factor, what belongs to a step (pivots), the T
# factor of a pair of triangles, and of a column of a spread panel a candidate and the winner.
TILE, T_FACTOR, STEP, T_OF_PAIR, CANDIDATE, WINNER = KINDS = range(6)

Instant = Annotated[int, Field(ge=-(10**18), le=10**18)]  # ns: of a clock, or between two


class ClockReading(Lenient):
    """By how much rank 0's clock is ahead of that of a rank, by its own clock at `at_ns`."""

    at_ns: Instant
    offset_ns: Instant
    error_ns: Annotated[int, Field(ge=0, le=10**18)]


class GraphName(Lenient):
    """Whose tasks call the same kernels in one process."""

    benchmark: Name
    variant: Name
    parameters: dict[Name, ParameterValue]


class RankHeader(Lenient):
    """What the header of a rank's trace says of the rank."""

    rank: Count
    ranks: Annotated[int, Field(ge=1, le=RANKS_MAX)]
    run: Name  # the same on all ranks of a run, and on no others
    machine: Count  # the first rank on the same machine
    host: str = Field("", max_length=300)
    calls: Count  # of kernels, on this rank
    messages: Count  # lines that follow the kernels' ones
    start_ns: Instant  # when the timed region began, by this rank's clock
    clock: Annotated[list[ClockReading], Field(min_length=2, max_length=2)]  # before and after it
    graph: GraphName

    @model_validator(mode="after")
    def check_places(self) -> "RankHeader":
        if max(self.rank, self.machine) >= self.ranks:
            raise ValueError(f"there are {self.ranks} ranks, numbered from 0")
        return self


@dataclass(frozen=True)
class Part:
    """A rank's own lines; times in ns from the start of its timed region."""

    header: RankHeader
    messages: Ints  # rows: kind, peer, what, i, j, bytes, asked, started, finished
    waits: Ints  # rows: begin, end, whether all tasks were complete at the end


class MessageError(Exception):
    """What is wrong with the lines of messages; `line` counts from 0."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def is_messages(head: bytes) -> bool:
    """Whether an object begins the messages of the trace before it."""
    try:
        found = from_json(head)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("schema") == MESSAGES


def parse_part(header: RankHeader, body: bytes) -> Part:
    """The messages and waits that follow a rank's kernel calls."""
    rows: dict[int, list[list[int]]] = {RECEIVE: [], SEND: [], WAIT: []}
    lines = [line for line in body.split(b"\n") if line.strip()]
    for number, line in enumerate(lines):
        row = parse_line(number, line, header)
        rows[row[0]].append(row)
    if len(lines) != header.messages:
        end = min(len(lines), header.messages)
        raise MessageError(end, f"{len(lines)} lines instead of {header.messages}")
    return Part(
        header,
        table([*rows[RECEIVE], *rows[SEND]], WIDTHS[SEND]),
        table([row[1:] for row in rows[WAIT]], WIDTHS[WAIT] - 1),
    )


def table(rows: list[list[int]], width: int) -> Ints:
    return np.array(rows, np.int64).reshape(-1, width)


def parse_line(number: int, line: bytes, header: RankHeader) -> list[int]:
    try:
        row = from_json(line)
    except ValueError as error:
        raise MessageError(number, "this is no array of integers") from error
    if not isinstance(row, list) or not row or not all(type(n) is int for n in row):
        raise MessageError(number, "this is no array of integers")
    if row[0] not in WIDTHS or len(row) != WIDTHS[row[0]]:
        raise MessageError(number, "this is neither a message nor a wait")
    if not all(0 <= n < 10**16 for n in row):
        raise MessageError(number, "one of its numbers is negative or too large")
    if row[0] == WAIT and row[1] > row[2]:
        raise MessageError(number, "it ends before it begins")
    if row[0] != WAIT and row[1] >= header.ranks:
        raise MessageError(number, f"there are {header.ranks} ranks, numbered from 0")
    if row[0] != WAIT and row[2] not in KINDS:
        raise MessageError(number, f"there is no kind of message {row[2]}")
    if row[0] != WAIT and not row[6] <= row[7] <= row[8]:
        raise MessageError(number, "its times are not in order")
    return row
