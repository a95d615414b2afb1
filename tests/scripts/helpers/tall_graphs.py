# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs of `depend` with tall tiles, by the loops of their C sources."""

from pathlib import Path

from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph
from task_graphs import IN, INOUT, Program, named, pivots, standin, t_factor, tile
from task_graphs import write_graph as write


def tall(benchmark: str, rows: int, columns: int, height: int) -> Program:
    """The tasks for rows × columns blocks of NB × NB; tiles are `height` such blocks high."""
    made = Program(benchmark, "depend", rows, columns, height=height)
    {"cholesky": cholesky, "lu": lu, "qr": qr}[benchmark](made)
    return made


def read_tall(folder: Path, benchmark: str, rows: int, columns: int, height: int) -> Graph:
    path = folder / f"{benchmark}-{rows}-{columns}-{height}.jsonl"
    return read_graph(write(path, tall(benchmark, rows, columns, height).lines()))


def tile_rows(p: Program) -> int:
    return -(-p.rows // p.height)


def below(p: Program, k: int) -> range:
    """The tile rows below the topmost of step k."""
    return range(k // p.height + 1, tile_rows(p))


def cholesky(p: Program) -> None:
    for k in range(p.columns):
        top = k // p.height
        solved = tile(top, k)
        p.call(p.task(named(INOUT, solved)), "potrf", k, (top, k), writes=[solved])
        for m in below(p, k):
            task = p.task([*named(IN, solved), *named(INOUT, tile(m, k))])
            p.call(task, "trsm", k, (m, k), [solved], [tile(m, k)])
        for n in range(k + 1, p.columns):
            first = n // p.height
            own, block = tile(first, n), tile(first, k)
            task = p.task([*named(IN, block), *named(INOUT, own)])
            p.call(task, "syrk", k, (first, n), [block], [own])
            for m in below(p, n):
                items = [*named(IN, tile(m, k), block), *named(INOUT, tile(m, n))]
                p.call(p.task(items), "gemm", k, (m, n), [tile(m, k), block], [tile(m, n)])


def lu(p: Program) -> None:
    for k in range(p.steps):
        top = k // p.height
        panel = tile(top, k)
        before = named(IN, standin(k - 1))
        whole = [tile(i, k) for i in range(top, tile_rows(p))]
        task = p.task([*before, *named(INOUT, panel, standin(k))])
        p.call(task, "getrf", k, (top, k), writes=[*whole, pivots(k)])
        for j in [*range(k + 1, p.columns), *range(k)]:
            exchanged = [tile(i, j) for i in range(top, tile_rows(p))]
            items = [*before, *named(INOUT, tile(top, j))] if j > k else []
            task = p.task([*named(IN, panel), *items, *named(INOUT, standin(j))])
            p.call(task, "laswp", k, (top, j), [pivots(k)], exchanged)
            if j < k:
                continue
            task = p.task([*named(IN, panel), *named(INOUT, tile(top, j))])
            p.call(task, "trsm", k, (top, j), [panel], [tile(top, j)])
            for m in below(p, k):
                reads = [tile(m, k), tile(top, j)]
                task = p.task([*named(IN, *reads), *named(INOUT, tile(m, j), standin(j))])
                p.call(task, "gemm", k, (m, j), reads, [tile(m, j)])


def qr(p: Program) -> None:
    for k in range(p.steps):
        top = k // p.height
        reflectors = [tile(top, k), t_factor(top, k)]
        task = p.task(named(INOUT, *reflectors))
        p.call(task, "geqrt", k, (top, k), writes=reflectors)
        for j in range(k + 1, p.columns):
            task = p.task([*named(IN, *reflectors), *named(INOUT, tile(top, j))])
            p.call(task, "unmqr", k, (top, j), reflectors, [tile(top, j)])
        for m in below(p, k):
            writes = [tile(top, k), tile(m, k), t_factor(m, k)]
            p.call(p.task(named(INOUT, *writes)), "tsqrt", k, (m, k), writes=writes)
            for j in range(k + 1, p.columns):
                reads, both = [tile(m, k), t_factor(m, k)], [tile(top, j), tile(m, j)]
                task = p.task([*named(IN, *reads), *named(INOUT, *both)])
                p.call(task, "tsmqr", k, (m, j), reads, both)
