# SPDX-License-Identifier: BSD-3-Clause
"""Bytes that each kernel call touches."""

import re

import numpy as np

from pollux.graphs.model import Graph, Instance, Rows
from pollux.graphs.rows import owners
from pollux.simulation.flops import calls_at
from pollux.simulation.model import Floats
from pollux.simulation.work import MOVING, moved_bytes

TILE = re.compile(r"A\((\d+),(\d+)\)")


def node_bytes(graph: Graph) -> Floats:
    """Eight for each element of the tiles that a call touches, each counted once.

    Row exchanges touch only the rows that they exchange; pivots, T factors and stand-ins are left
    out.
    """
    sizes = np.array([object_bytes(name, graph.instance) for name in graph.objects])
    found = touched(graph.reads, sizes, len(graph)) + touched(graph.writes, sizes, len(graph))
    for k, kernel in enumerate(graph.kernels):
        if kernel in MOVING:
            nodes = np.flatnonzero(graph.kernel == k)
            found[nodes] = moved_bytes(kernel, calls_at(graph, nodes))
    return found


def touched(objects: Rows, sizes: Floats, nodes: int) -> Floats:
    if not len(objects.values):
        return np.zeros(nodes)
    return np.bincount(owners(objects), sizes[objects.values], minlength=nodes).astype(np.float64)


def object_bytes(name: str, instance: Instance) -> float:
    """The size of a tile; nothing for what is no tile of the matrix."""
    match = TILE.fullmatch(name)
    if match is None:
        return 0.0
    i, j = map(int, match.groups())
    rows = min(instance.nb, instance.m - i * instance.nb)
    cols = min(instance.nb, instance.n - j * instance.nb)
    return 8.0 * max(rows, 0) * max(cols, 0)
