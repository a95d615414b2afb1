# SPDX-License-Identifier: BSD-3-Clause
"""The header of a task graph in a file (schema pollux-graph/3, docs/traces.md)."""

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pollux.errors import BadUsageError
from pollux.graphs.model import Instance
from pollux.graphs.work import Operation, misnamed
from pollux.limits import NUMBER_MAX
from pollux.tiles import Tiled
from pollux.validation import printable_json

SCHEMA = "pollux-graph/3"
READABLE = ("pollux-graph/2", SCHEMA)
OLDER = ("pollux-graph/1",)
WANTED = f"a graph file ({SCHEMA}) as --graph of the benchmarks writes it"


class Clause(BaseModel):
    """The clause used for concurrent write."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    clause: str


class Header(Tiled):
    """The object before the events of a graph; fields that no command needs are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    schema_name: Literal["pollux-graph/2", "pollux-graph/3"] = Field(alias="schema")
    benchmark: str
    variant: str
    m: int = Field(ge=1, le=NUMBER_MAX)
    n: int = Field(ge=1, le=NUMBER_MAX)
    ib: int | None = Field(ge=0, le=NUMBER_MAX)
    kernels: tuple[str, ...]
    operations: tuple[Operation, ...]
    flops: float = Field(ge=0, allow_inf_nan=False)  # standard count of the factorization
    algorithm: str
    default_variant: str
    objects: tuple[str, ...]
    concurrent_write: Clause | None = None
    kernel_set: str | None = None  # None: a file of pollux-graph/2

    def instance(self) -> Instance:
        return Instance(self.benchmark, self.variant, self.m, self.n, self.tile, self.ib or None)

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
        fields = json.loads(printable_json(line))
    except ValueError as error:
        raise BadUsageError(f"{where}: this is not a header; it should be {WANTED}") from error
    schema = fields.get("schema") if isinstance(fields, dict) else None
    if schema not in READABLE:
        is_what = f"this is {schema}" if isinstance(schema, str) else "this does not name a schema"
        if schema in OLDER:
            is_what += ", of a program that did not state the work of its kernels yet"
        raise BadUsageError(f"{where}: {is_what}; it should be {WANTED}")
    try:
        header = Header.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise BadUsageError(f"{where}: {field}: {first['msg']}") from error
    if unknown := misnamed(header.operations, header.kernels):
        raise BadUsageError(f"{where}: operations name {unknown!r}, which is none of the kernels")
    return header
