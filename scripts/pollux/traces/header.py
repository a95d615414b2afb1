# SPDX-License-Identifier: BSD-3-Clause
"""The header of a trace: the fields it must have, and what they say about the events."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from pollux.graphs.work import WORK_COLUMNS, Operation, misnamed
from pollux.limits import NUMBER_MAX
from pollux.records import RUN_SCHEMAS
from pollux.tiles import Tiled
from pollux.validation import printable_json

SCHEMA = "pollux-trace/2"
NAME_AND_TIMES = ("kernel", "step", "i", "j", "thread", "core", "start_ns", "end_ns")
COLUMNS = (*NAME_AND_TIMES, *WORK_COLUMNS)
TASK_COLUMNS = ("task", "created_ns", "creator", "scheduled_ns")  # with --ompt
PROCESSOR_COLUMN = "processor_ns"  # with --processor-time

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Order = Annotated[int, Field(ge=1, le=NUMBER_MAX)]


class HeaderModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class TracedRecord(HeaderModel, Tiled):
    """The fields of a record that commands need; a simulated run has only these."""

    benchmark: str
    variant: str
    m: Order
    n: Order
    ib: Order | None
    threads: Positive
    status: int = 0
    tasks: Count | None = None
    gflops: float | None = None


class Header(HeaderModel):
    """The object that begins a trace."""

    schema_name: Literal["pollux-trace/2"] = Field(alias="schema")
    record: dict[str, Any]
    kernels: list[str]
    operations: list[Operation]
    columns: list[str]
    submitter: Count
    submitted_ns: Count
    region_ns: Count
    event_cost_ns: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    label: str = ""

    @property
    def has_tasks(self) -> bool:
        return set(TASK_COLUMNS) <= set(self.columns)


def parse_header(text: bytes) -> Header:
    """The header in a line; a ValueError says what is wrong with it."""
    try:
        fields = from_json(printable_json(text))
    except ValueError as error:
        raise ValueError("this is not JSON") from error
    schema = fields.get("schema")
    if schema != SCHEMA:
        raise ValueError(f"this is {kind_of(schema)}; {SCHEMA} is needed, which --trace writes")
    try:
        header = Header.model_validate(fields)
        TracedRecord.model_validate(header.record)
    except ValidationError as error:
        raise ValueError(first_problem(error)) from error
    check_names(header)
    return header


def kind_of(schema: object) -> str:
    """A description of a line of another schema."""
    if schema is None:
        return "an object without a schema"
    return {
        **{schema: f"the record of a run ({schema})" for schema in RUN_SCHEMAS},
        **{f"pollux-graph/{i}": f"a task graph (pollux-graph/{i})" for i in (1, 2, 3)},
        "pollux-trace/1": "a trace whose kernels do not state their work (pollux-trace/1)",
    }.get(str(schema), f"of schema {str(schema)[:40]!r}")


def first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}"


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
