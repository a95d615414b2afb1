# SPDX-License-Identifier: BSD-3-Clause
"""The names of a graph's nodes."""

from pollux.graphs.model import Graph

COLUMNS = ("getrf", "laswp")  # kernels on a column of tiles, by its topmost tile


def is_column(graph: Graph, node: int) -> bool:
    """Whether a call works on more than one tile of the column that it is named after."""
    kernel = graph.kernels[graph.kernel[node]]
    return kernel in COLUMNS and graph.instance.variant != "nopiv"


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
