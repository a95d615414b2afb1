# SPDX-License-Identifier: BSD-3-Clause
"""A task graph in arrays: one node for each kernel call or taskwait, edges between them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pollux.core.executables.arguments import Options, arguments
from pollux.core.parameters import NO_PARAMETERS, Parameters, frozen, in_words
from pollux.core.tiles import Tile, tile
from pollux.insight.graphs.work import Work

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# The kernel names of nodes that call no kernel and take no time.
TASKWAIT = "taskwait"
TASK = "task"  # of a task whose first act is to create another, or that does nothing at all
TIMELESS = (TASKWAIT, TASK)


@dataclass(frozen=True)
class Instance:
    """The problem instance of a graph. All sizes in elements."""

    benchmark: str
    variant: str
    m: int
    n: int
    tile: Tile
    ib: int | None
    parameters: Parameters = NO_PARAMETERS

    @property
    def mb(self) -> int:
        return self.tile.mb

    @property
    def nb(self) -> int:
        return self.tile.nb

    def fields(self) -> dict[str, Any]:
        """Its fields in records."""
        sizes = {"m": self.m, "n": self.n, **self.tile.fields(), "ib": self.ib}
        named = {"benchmark": self.benchmark, "variant": self.variant}
        return {**named, **sizes, "parameters": dict(self.parameters)}

    def arguments(self) -> list[str]:
        """The options that make the benchmark's executable run it."""
        return arguments(**self.options() | {"variant": self.variant})

    def options(self) -> Options:
        """Those of its sizes and parameters."""
        return {
            "size": self.n,
            "rows": self.m if self.m != self.n else None,
            "tile": self.tile,
            "inner": self.ib or None,
            "parameters": dict(self.parameters),
        }

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> "Instance":
        """That of a record."""
        sizes = fields["m"], fields["n"], tile(fields["mb"], fields["nb"])
        own = frozen(fields["parameters"])
        return cls(fields["benchmark"], fields["variant"], *sizes, fields["ib"], own)

    def top(self, step: Ints) -> Ints:
        """The tile row that contains row step * NB: that of the topmost tiles of a step."""
        return step * self.nb // self.mb

    def rows_from(self, i: Ints, begin: Ints) -> Ints:
        """Rows of the tiles in row i, from row `begin` of the matrix down."""
        end = np.minimum(self.m, (i + 1) * self.mb)
        found: Ints = np.maximum(end - np.maximum(i * self.mb, begin), 0)
        return found

    def cols(self, j: Ints) -> Ints:
        """Columns of the tiles in column j."""
        found: Ints = np.clip(self.n - j * self.nb, 0, self.nb)
        return found

    def sizes_in_words(self) -> list[str]:
        rows = [f"M = {self.m}"] if self.m != self.n else []
        inner = [f"IB = {self.ib}"] if self.ib else []
        return [*rows, f"N = {self.n}", f"NB = {self.tile}", *inner]

    def __str__(self) -> str:
        own = [in_words(self.parameters)] if self.parameters else []
        return ", ".join([f"{self.benchmark} {self.variant}", *self.sizes_in_words(), *own])


@dataclass(frozen=True)
class Rows:
    """Lists of integers of different lengths, one after another, as in compressed sparse rows.

    Row r is values[start[r] : start[r + 1]].
    """

    start: Ints  # one more than there are rows
    values: Ints

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, row: int) -> Ints:
        return self.values[self.start[row] : self.start[row + 1]]


@dataclass(frozen=True)
class Graph:
    """Nodes in the order of sequential execution, which is topological: edges only lead forward.

    A node is one kernel call, or one of TIMELESS. A task is one node in most graphs; several calls
    of one task follow each other by edges. `before` holds the direct predecessors of a node
    by the dependences of OpenMP 5.2, section 15.9.5, by task creation and by taskwait.
    """

    instance: Instance
    kernels: tuple[str, ...]  # names; `kernel` indexes them
    kernel: Ints  # of each node
    step: Ints
    i: Ints  # coordinates of the tile that names the call (docs/traces.md)
    j: Ints
    task: Ints  # the task that each node belongs to, 0 for the one that submits; by creation
    root_task: Ints  # its ancestor that the submitting task created; 0 for that task itself
    before: Rows  # direct predecessors of each node
    objects: tuple[str, ...]  # names of tiles ("A(3,2)") and other shared objects ("#5")
    reads: Rows  # numbers of the objects that a node only reads
    writes: Rows  # numbers of the objects that a node writes, which counts as reading too
    work: Work  # of each node
    items: Rows  # dependence items of each task: object number * 8 + kind; row 0 is empty
    flops: float = 0.0  # standard operation count of the factorization
    algorithm: str = ""  # the task graphs of one algorithm are compared
    is_reference: bool = False  # whether the others of its algorithm are compared with it
    clause: str | None = None  # the clause used for concurrent write
    exclusive: Ints = field(  # pairs of tasks of one mutexinoutset: never at once
        default_factory=lambda: np.empty((0, 2), np.int64)
    )

    def __len__(self) -> int:
        return len(self.kernel)

    def names(self) -> list[str]:
        """The kernel's name of each node."""
        return [self.kernels[k] for k in self.kernel]

    def calls(self) -> Flags:
        """Which nodes are kernel calls, and so take time."""
        return ~np.isin(self.kernel, [k for k, n in enumerate(self.kernels) if n in TIMELESS])
