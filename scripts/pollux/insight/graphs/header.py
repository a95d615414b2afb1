# SPDX-License-Identifier: BSD-3-Clause
"""The header of a task graph in a file (schema pollux-graph/1, docs/traces.md)."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationError
from pydantic_core import from_json

from pollux.core.errors import BadUsageError
from pollux.core.limits import NUMBER_MAX
from pollux.core.models import Lenient
from pollux.core.parameters import frozen
from pollux.core.records import Name, ParameterValue, Size
from pollux.core.schemas import kind_of
from pollux.core.tiles import Tiled
from pollux.core.validation import first_problem, printable_json
from pollux.insight.graphs.model import TIMELESS, Instance
from pollux.insight.graphs.work import Operation, misnamed

SCHEMA = "pollux-graph/1"
WANTED = f"a graph file ({SCHEMA}) as --graph of the benchmarks writes it"

LISTED = Field(strict=False)  # a list in JSON becomes a tuple


class Clause(Lenient):
    """The clause used for concurrent write."""

    clause: str


class Header(Tiled):
    """The object before the events of a graph; fields that no command needs are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    schema_name: Literal["pollux-graph/1"] = Field(alias="schema")
    benchmark: Name
    variant: Name
    m: Size
    n: Size
    ib: Annotated[int, Field(ge=0, le=NUMBER_MAX)] | None  # 0: none
    parameters: dict[Name, ParameterValue]
    kernels: Annotated[tuple[Name, ...], LISTED]
    operations: Annotated[tuple[Operation, ...], LISTED]
    flops: float = Field(ge=0, le=1e30, allow_inf_nan=False)  # standard count of the factorization
    algorithm: str
    default_variant: str
    objects: Annotated[tuple[str, ...], LISTED]
    events: int = Field(ge=0, le=NUMBER_MAX)
    concurrent_write: Clause | None = None

    def instance(self) -> Instance:
        sizes, own = (self.m, self.n, self.tile, self.ib or None), frozen(self.parameters)
        return Instance(self.benchmark, self.variant, *sizes, own)

    @property
    def is_reference(self) -> bool:
        """Whether other task graphs of the algorithm are compared with this one."""
        return self.benchmark == self.algorithm and self.variant == self.default_variant

    @property
    def clause(self) -> str | None:
        return self.concurrent_write.clause if self.concurrent_write else None


def header_of(line: bytes, where: str) -> Header:
    """The header; `where` is its place, for an error."""
    try:
        line = printable_json(line)
        fields = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        raise BadUsageError(f"{where}: this is not a header; it should be {WANTED}") from error
    schema = fields.get("schema") if isinstance(fields, dict) else None
    if schema != SCHEMA:
        raise BadUsageError(f"{where}: this is {kind_of(schema)}; it should be {WANTED}")
    try:
        header = Header.model_validate_json(line)
    except ValidationError as error:
        raise BadUsageError(f"{where}: {first_problem(error)}") from error
    if taken := [name for name in header.kernels if name in TIMELESS]:
        raise BadUsageError(f"{where}: a kernel cannot be named {taken[0]!r}, which takes no time")
    if unknown := misnamed(header.operations, header.kernels):
        raise BadUsageError(f"{where}: operations name {unknown!r}, which is none of the kernels")
    return header
