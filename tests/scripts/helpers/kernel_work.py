# SPDX-License-Identifier: BSD-3-Clause
"""The work of kernel calls by their coordinates: what the programs' columns have to state."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from kernel_flops import EXCHANGING_LATE, Calls, flops_of
from panel_pieces import PIECES
from pollux.insight.graphs.model import TIMELESS, Graph, Instance, Ints
from pollux.insight.graphs.work import NO_CALL, Operation, Work
from pollux.insight.simulation.model import Floats

# Kernels that compute nothing
MOVING = ("laswp", "panel_search", "panel_pivot")
GROWING_WITH_ROWS = ("getrf of a column", "laswp of one panel")
COPYING = ("laswp of all later panels", "panel_pivot")
GROWING_WITH_BYTES = (*COPYING, "panel_search")
FACTORING = ("potrf", "geqrt", "tsqrt", "ttqrt")  # kernels whose inner dimension is their columns


def operation_of(instance: Instance, kernel: str, step: int, j: int) -> str:
    """What a call does, where its kernel's name says too little."""
    if kernel == "trsm" and j != step:
        return "trsm from the left"
    if kernel == "trsm":
        by_upper = instance.benchmark == "lu"
        return "trsm from the right by U" if by_upper else "trsm from the right"
    if kernel == "getrf":
        return "getrf of a tile" if instance.variant == "nopiv" else "getrf of a column"
    if kernel == "laswp":
        at_once = j < step and instance.variant in EXCHANGING_LATE
        return "laswp of all later panels" if at_once else "laswp of one panel"
    if kernel == "gemm" and instance.benchmark == "cholesky":
        return "gemm with B transposed"
    return kernel


def described(kernel: str, name: str) -> Operation:
    grows = (
        "rows" if name in GROWING_WITH_ROWS else "bytes" if name in GROWING_WITH_BYTES else "flops"
    )
    fields = {"kernel": kernel, "operation": name, "computes": kernel not in MOVING}
    return Operation.model_validate(fields | {"grows_with": grows})


def sizes_of(kernel: str, c: Calls) -> tuple[Ints, Ints, Ints]:
    """Rows, columns and inner dimension of calls of one kernel."""
    if kernel in PIECES:
        p = c.pieces(kernel)
        return as_ints(p.rows), as_ints(p.cols), as_ints(p.inner)
    on_column = kernel == "laswp" or (kernel == "getrf" and not c.on_tiles())
    rows = c.rows_below() if on_column else c.rows(c.j) if kernel == "syrk" else c.rows()
    cols, inner = c.cols(c.j), c.cols(c.step)
    if kernel in ("laswp", "trsm") or on_column:
        inner = c.exchanges()
    if kernel == "unmqr":
        inner = np.minimum(rows, inner)
    if kernel in FACTORING:
        inner = cols
    if kernel in ("ttqrt", "ttmqr"):
        rows = np.minimum(rows, c.cols(c.step))
    return as_ints(rows), as_ints(cols), as_ints(inner)


def bytes_of(kernel: str, name: str, m: Ints, n: Ints, k: Ints) -> Ints:
    """Eight for each element of the tiles that a call touches, each counted once."""
    return np.asarray(8 * elements_of(kernel, name, m, n, k), np.int64)


def elements_of(kernel: str, name: str, m: Ints, n: Ints, k: Ints) -> Ints:
    of_kernel = {
        **dict.fromkeys(MOVING, 2 * k * n),
        "panel_column": k + m * k + (m + k) * (n - 1),  # with the row of the pivot
        "panel_search": m * n,
        **dict.fromkeys(("gemm", "tsmqr", "ttmqr"), m * k + k * n + m * n),
        **dict.fromkeys(("syrk", "unmqr"), m * k + m * n),
        **dict.fromkeys(("trsm", "tsqrt", "ttqrt"), k * k + m * n),
    }
    of_name = {**dict.fromkeys(COPYING, 2 * m * n), "trsm from the left": m * k + m * n}
    found = of_name.get(name, of_kernel.get(kernel, m * n))
    return np.asarray(found, np.int64)


def as_ints(values: Floats) -> Ints:
    found = np.zeros(len(values), np.int64)
    found[:] = np.floor(values + 0.5)
    return found


def work_of(  # noqa: PLR0913, PLR0917 (all that names calls)
    instance: Instance, kernels: Sequence[str], kernel: Ints, step: Ints, i: Ints, j: Ints
) -> Work:
    """The work of calls; of nodes that call no kernel none."""
    count = len(kernel)
    names = [
        None if kernels[k] in TIMELESS else operation_of(instance, kernels[k], int(s), int(c))
        for k, s, c in zip(kernel, step, j, strict=True)
    ]
    listed = list(dict.fromkeys((kernels[k], n) for k, n in zip(kernel, names, strict=True) if n))
    found = Work(
        tuple(described(*pair) for pair in listed),
        np.full(count, NO_CALL),
        *(np.zeros(count, np.int64) for _ in range(4)),
    )
    for place, (own, name) in enumerate(listed):
        calls = np.array([v for v in range(count) if names[v] == name], np.int64)
        c = Calls(instance, step[calls], i[calls], j[calls])
        m, n, k = sizes_of(own, c)
        found.operation[calls] = place
        found.flops[calls] = as_ints(flops_of(own, c))
        found.bytes_[calls] = bytes_of(own, name, m, n, k)
        found.block[calls] = n * k
        found.rows[calls] = m
    return found


def with_instance(graph: Graph, instance: Instance) -> Graph:
    """The same tasks on a matrix of other sizes: calls have the work that they then have."""
    work = work_of(instance, graph.kernels, graph.kernel, graph.step, graph.i, graph.j)
    return replace(graph, instance=instance, work=work)


def described_lines(operations: Iterable[Operation]) -> list[dict[str, object]]:
    """As the header of a file lists them."""
    return [o.model_dump(by_alias=True) for o in operations]
