# SPDX-License-Identifier: BSD-3-Clause
"""Graphs of the calls of the programs over MPI (docs/distributed.md), at NB = 64."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph
from task_graphs import (
    IN,
    INOUT,
    Program,
    cholesky_depend,
    column,
    getrf,
    laswp,
    lu_gemm,
    named,
    pivots,
    qr_flat,
    tile,
    trsm,
    write_graph,
)


def solves_and_updates(p: Program, k: int, columns: list[int]) -> None:
    """A(k,j) is solved for, and all below it is updated."""
    for j in columns:
        trsm(p, p.task([*named(IN, tile(k, k)), *named(INOUT, tile(k, j))]), k, (k, j))
    for m in range(k + 1, p.rows):
        for j in columns:
            items = [*named(IN, tile(m, k), tile(k, j)), *named(INOUT, tile(m, j))]
            lu_gemm(p, p.task(items), k, m, j)


def lu_nopiv(p: Program) -> None:
    for k in range(p.steps):
        p.call(p.task(named(INOUT, tile(k, k))), "getrf", k, (k, k), writes=[tile(k, k)])
        for m in range(k + 1, p.rows):
            trsm(p, p.task([*named(IN, tile(k, k)), *named(INOUT, tile(m, k))]), k, (m, k))
        solves_and_updates(p, k, [*range(k + 1, p.columns)])


def spread_panel(p: Program, task: int, k: int) -> None:
    """Column by column: its candidate, the winner, and what is right of it."""
    tiles = column(p, k, k)
    for c in range(p.nb):
        candidate, winner, row = f"candidate {c}", f"winner {c}", f"row {c}"
        p.call(task, "panel_search", k, (c, c), tiles, [candidate])
        p.call(task, "panel_pivot", k, (c, c), [*tiles, candidate], [winner])
        p.call(task, "panel_column", k, (c, c), [winner], [*tiles, pivots(k), row])


def lu_late(p: Program, panel: Callable[[Program, int, int], None] = getrf) -> None:
    for k in range(p.steps):
        panel(p, p.task(named(INOUT, *column(p, k, k), pivots(k))), k)
        for j in range(k + 1, p.columns):
            items = [*named(IN, pivots(k)), *named(INOUT, *column(p, k, j))]
            laswp(p, p.task(items), k, j)
        solves_and_updates(p, k, [*range(k + 1, p.columns)])
    p.wait()
    for j in range(p.steps - 1):
        later = [pivots(k) for k in range(j + 1, p.steps)]
        p.call(p.task(), "laswp", j + 1, (j + 1, j), later, column(p, j + 1, j))


PROGRAMS: dict[tuple[str, str], Callable[[Program], None]] = {
    ("cholesky", "depend"): cholesky_depend,
    ("lu", "nopiv"): lu_nopiv,
    ("lu", "late"): lu_late,
    ("lu", "spread"): lambda p: lu_late(p, spread_panel),
    ("qr", "depend"): lambda p: qr_flat(p, lean=False),
}


def node_graph(folder: Path, benchmark: str, variant: str, tiles: int, ib: int = 32) -> Graph:
    """A graph of so many rows and columns of tiles."""
    program = Program(benchmark, variant, tiles, tiles)
    PROGRAMS[benchmark, variant](program)
    graph = read_graph(write_graph(folder / "nodes.jsonl", program.lines()))
    if benchmark != "qr":
        return graph
    return replace(graph, instance=replace(graph.instance, ib=ib))
