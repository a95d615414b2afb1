# SPDX-License-Identifier: BSD-3-Clause
"""The names of a graph's nodes."""

from pollux.insight.graphs.model import Graph


def is_column(graph: Graph, node: int) -> bool:
    """Whether a call works on a column of tiles, of which the topmost names it.

    Its time grows with the rows of the column; that of a piece of a panel may too, but a piece is
    named by elements and writes the panel's own memory.
    """
    operation = graph.work.operation[node]
    if operation < 0 or graph.work.operations[operation].grows_with != "rows":
        return False
    tile = f"A({graph.i[node]},{graph.j[node]})"
    begin, end = graph.writes.start[node : node + 2]
    return any(graph.objects[written] == tile for written in graph.writes.values[begin:end])


def place_of(graph: Graph, node: int) -> str:
    """The tile that names a call, or the column of tiles; empty for other nodes."""
    if graph.step[node] < 0:
        return ""
    row = ":" if is_column(graph, node) else str(graph.i[node])
    return f"({row},{graph.j[node]})"


def label_of(graph: Graph, node: int) -> str:
    """A call by its kernel, step and tile, such as "gemm 0 (2,1)"; other nodes by their kind."""
    kernel: str = graph.kernels[graph.kernel[node]]
    if graph.step[node] < 0:
        return kernel
    return f"{kernel} {graph.step[node]} {place_of(graph, node)}"
