# SPDX-License-Identifier: BSD-3-Clause
"""The work of kernel calls, as stated by the programs in traces and graphs (docs/traces.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

WORK_COLUMNS = ("operation", "flops", "bytes", "block", "rows")
NO_CALL = -1  # the operation of nodes that call no kernel


class Operation(BaseModel):
    """What a kernel does; several operations may have one kernel's name."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    kernel: str = Field(min_length=1)
    name: str = Field(alias="operation", min_length=1)
    count: str = Field("", alias="operations")  # of its operations, as a formula
    source: str = ""
    computes: bool  # false: it moves data only
    grows_with: Literal["flops", "rows", "bytes"]  # what its time is proportional to


@dataclass(frozen=True)
class Work:
    """The work of some calls."""

    operations: tuple[Operation, ...]
    operation: Ints  # position in `operations`, or NO_CALL
    flops: Ints
    bytes_: Ints  # of the elements that the call touches, each counted once
    block: Ints  # what does not grow with the rows, such as columns squared of a panel
    rows: Ints

    def at(self, which: Ints | Flags) -> "Work":
        """Of these calls."""
        return Work(self.operations, *(column[which] for column in self.columns()))

    def columns(self) -> list[Ints]:
        """In the order of WORK_COLUMNS."""
        return [self.operation, self.flops, self.bytes_, self.block, self.rows]

    def by_operation(self) -> list[tuple[Operation, Ints]]:
        """The calls of each operation that there is."""
        found = [
            (operation, np.flatnonzero(self.operation == place))
            for place, operation in enumerate(self.operations)
        ]
        return [(operation, calls) for operation, calls in found if len(calls)]


def work_from(operations: Sequence[Operation], columns: Mapping[str, Ints]) -> Work:
    """The work that the columns of a file state."""
    return Work(tuple(operations), *(columns[name] for name in WORK_COLUMNS))


def no_work(calls: int) -> Work:
    """Of nodes that do nothing."""
    numbers = [np.zeros(calls, np.int64) for _ in WORK_COLUMNS[1:]]
    return Work((), np.full(calls, NO_CALL), *numbers)


def misnamed(operations: Sequence[Operation], kernels: Sequence[str]) -> str | None:
    """The kernel of an operation that the list of kernels lacks."""
    return next((o.kernel for o in operations if o.kernel not in kernels), None)
