# SPDX-License-Identifier: BSD-3-Clause
"""The header of a trace: the fields it must have, and what they say about the events."""

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import from_json

from pollux.core.limits import THREADS_MAX
from pollux.core.records import Count, Name, ParameterValue, Size, Speed, Text
from pollux.core.schemas import kind_of
from pollux.core.tiles import Tiled
from pollux.core.validation import first_problem, printable_json
from pollux.insight.graphs.work import WORK_COLUMNS, Operation, misnamed
from pollux.insight.traces.rank import RankHeader

SCHEMA = "pollux-trace/1"
NAME_AND_TIMES = ("kernel", "step", "i", "j", "thread", "core", "start_ns", "end_ns")
COLUMNS = (*NAME_AND_TIMES, *WORK_COLUMNS)
TASK_COLUMNS = ("task", "created_ns", "creator", "scheduled_ns")  # with --ompt
PROCESSOR_COLUMN = "processor_ns"  # with --processor-time

Positive = Annotated[int, Field(ge=1)]
Time = Annotated[int, Field(ge=0, le=10**16)]  # ns: 116 days, and sums of them fit 64 bits
Threads = Annotated[int, Field(ge=1, le=THREADS_MAX)]


class HeaderModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class TracedRuntime(HeaderModel):
    """The runtime of a traced run."""

    name: Name | None = None
    version: Name | None = None
    build_id: Name | None = None


class TracedCompiler(HeaderModel):
    """The compiler of a traced run."""

    name: Name | None = None
    version: Name | None = None


class TracedHost(HeaderModel):
    """The machine of a traced run."""

    cpu: Text | None = None
    allowed: Positive | None = None


class TracedLevels(HeaderModel):
    """The threads of each level of a traced run, as they were asked for."""

    requested: Annotated[list[Threads], Field(min_length=1)]


class TracedMpi(HeaderModel):
    """The ranks of a traced run."""

    grid: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$")] | None = None


class TracedRecord(HeaderModel, Tiled):
    """The fields of a record that commands need; a simulated run has only the first of these."""

    benchmark: Name
    variant: Name
    m: Size
    n: Size
    ib: Size | None
    parameters: dict[Name, ParameterValue]
    threads: Threads
    status: Count = 0
    tasks: Count | None = None
    gflops: Speed | None = None
    simulated: bool = False
    kernels: Name | None = None
    runtime: TracedRuntime = TracedRuntime()
    compiler: TracedCompiler = TracedCompiler()
    host: TracedHost = TracedHost()
    levels: TracedLevels | None = None
    mpi: TracedMpi | None = None


class Header(HeaderModel):
    """The object that begins a trace."""

    schema_name: Literal["pollux-trace/1"] = Field(alias="schema")
    record: dict[str, Any]
    kernels: list[str]
    operations: list[Operation]
    columns: list[str]
    submitter: Count
    submitted_ns: Time
    region_ns: Time
    event_cost_ns: Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
    label: Annotated[str, Field(max_length=200)] = ""
    rank: RankHeader | None = None  # of a run over MPI

    @field_validator("record")
    @classmethod
    def check_numbers(cls, record: dict[str, Any]) -> dict[str, Any]:
        """Numbers such as 1e999 are infinite, and no JSON that is written can hold them."""
        waiting: list[Any] = [record]
        while waiting:
            value = waiting.pop()
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError("one of its numbers is not finite")
            if isinstance(value, dict | list):
                waiting += value.values() if isinstance(value, dict) else value
        return record

    @property
    def calls(self) -> int | None:
        """How many kernel calls the trace has where none failed."""
        if self.rank is not None:
            return self.rank.calls
        return TracedRecord.model_validate(self.record).tasks

    @property
    def has_tasks(self) -> bool:
        return set(TASK_COLUMNS) <= set(self.columns)


def parse_header(text: bytes) -> Header:
    """The header in a line; a ValueError says what is wrong with it."""
    try:
        text = printable_json(text)
        fields = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise ValueError("this is not JSON") from error
    schema = fields.get("schema") if isinstance(fields, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"this is {kind_of(schema)}; {SCHEMA} is needed, which --trace writes")
    try:
        header = Header.model_validate_json(text, strict=True)
        TracedRecord.model_validate(header.record, strict=True)
    except ValidationError as error:
        raise ValueError(first_problem(error)) from error
    check_names(header)
    return header


def check_names(header: Header) -> None:
    missing = [name for name in COLUMNS if name not in header.columns]
    if missing:
        raise ValueError(f"columns lack {', '.join(missing)}")
    for what, names in (("columns", header.columns), ("kernels", header.kernels)):
        if len(set(names)) != len(names):
            raise ValueError(f"{what} contain a name twice")
    if unknown := misnamed(header.operations, header.kernels):
        raise ValueError(f"operations name {unknown!r}, which is none of the kernels")
    threads = header.record["threads"]
    if header.submitter >= threads:
        raise ValueError(f"submitter {header.submitter} is not a thread: there are {threads}")
    if header.submitted_ns > header.region_ns:
        raise ValueError("submitted_ns is after region_ns, the end of the timed region")
