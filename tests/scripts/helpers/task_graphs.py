# SPDX-License-Identifier: BSD-3-Clause
"""Graph files (docs/traces.md) as the programs write them, by the loops of their C sources."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from kernel_flops import standard_flops
from kernel_work import described_lines, work_of
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Instance
from pollux.insight.graphs.work import Work

IN, OUT, INOUT, MUTEX, INOUTSET = 1, 2, 3, 4, 7
READ, WRITE = 0, 1
CALL = 1  # kind of an event
ROOT = 0

Items = Sequence[tuple[str, int]]  # objects and kinds of dependence


@dataclass
class Program:
    """What a program reports about its tasks, in the order of sequential execution.

    Objects are called as one likes; `lines` gives those that are no tiles of A their numbers.
    """

    benchmark: str
    variant: str
    rows: int  # in NB
    columns: int
    nb: int = 64
    height: int = 1  # MB / NB
    runtime: str = "libomp"
    clause: str | None = None
    kernels: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    events: list[list[int]] = field(default_factory=list)
    tasks: int = 0

    def task(self, items: Items = (), parent: int = ROOT) -> int:
        """Create a task; its number."""
        self.tasks += 1
        flat = [n for name, kind in items for n in (self.object(name), kind)]
        self.events.append([0, self.tasks, parent, *flat])
        return self.tasks

    def call(  # noqa: PLR0913, PLR0917 (what a line of the file has)
        self,
        task: int,
        kernel: str,
        step: int,
        tile: tuple[int, int],
        reads: Iterable[str] = (),
        writes: Iterable[str] = (),
    ) -> None:
        """A task calls a kernel on a tile."""
        if kernel not in self.kernels:
            self.kernels.append(kernel)
        flat = [n for name in reads for n in (self.object(name), READ)]
        flat += [n for name in writes for n in (self.object(name), WRITE)]
        self.events.append([1, task, self.kernels.index(kernel), step, *tile, *flat])

    def wait(self, task: int = ROOT) -> None:
        self.events.append([2, task])

    def object(self, name: str) -> int:
        if name not in self.objects:
            self.objects.append(name)
        return self.objects.index(name)

    def lines(self) -> list[str]:
        """The lines of the file."""
        others = iter(range(1, len(self.objects) + 1))
        names = [name if name.startswith("A(") else f"#{next(others)}" for name in self.objects]
        work = self.work()
        header = {
            "schema": "pollux-graph/1",
            "kernel_set": "openblas",
            "algorithm": self.benchmark.removesuffix("-cw"),
            "default_variant": "cw" if self.benchmark == "lu-cw" else "depend",
            "flops": standard_flops(self.instance),
            "operations": described_lines(work.operations),
            "benchmark": self.benchmark,
            "variant": self.variant,
            "m": self.rows * self.nb,
            "n": self.columns * self.nb,
            "mb": self.height * self.nb,
            "nb": self.nb,
            **{"ib": 16 if self.benchmark == "qr" else None, "parameters": {}},
            "runtime": {"name": self.runtime, "version": "14"},
            "compiler": {"name": "clang", "version": "14.0.6"},
            "concurrent_write": {"clause": self.clause, "native": True} if self.clause else None,
            "kernels": self.kernels,
            "objects": names,
            "events": len(self.events),
        }
        stated = iter(np.column_stack(work.columns()).tolist())
        events = ([*e[:6], *next(stated), *e[6:]] if e[0] == CALL else e for e in self.events)
        return [json.dumps(header), *map(json.dumps, events)]

    @property
    def instance(self) -> Instance:
        tile = Tile(self.height * self.nb, self.nb)
        sizes = (self.rows * self.nb, self.columns * self.nb)
        ib = 16 if self.benchmark == "qr" else None
        return Instance(self.benchmark, self.variant, *sizes, tile, ib)

    def work(self) -> Work:
        """What the calls do, in their order."""
        calls = [event[2:6] for event in self.events if event[0] == CALL]
        columns = np.array(calls, np.int64).reshape(-1, 4).T
        return work_of(self.instance, self.kernels, *columns)

    @property
    def steps(self) -> int:
        return min(self.rows, self.columns)

    @property
    def tile_rows(self) -> int:
        return -(-self.rows // self.height)

    def top(self, k: int) -> int:
        """The tile row of the diagonal of step k."""
        return k // self.height

    def below(self, k: int) -> range:
        """The tile rows below that."""
        return range(self.top(k) + 1, self.tile_rows)

    def at(self, k: int, j: int) -> str:
        """The tile of column j in the row of the diagonal of step k."""
        return tile(self.top(k), j)


def tile(i: int, j: int) -> str:
    return f"A({i},{j})"


def standin(j: int) -> str:
    return f"C{j}"


def pivots(k: int) -> str:
    return f"pivots {k}"


def t_factor(m: int, k: int) -> str:
    return f"T({m},{k})"


def s_factor(m: int, k: int) -> str:
    return f"S({m},{k})"


def column(p: Program, k: int, j: int) -> list[str]:
    """The tiles of column j from the diagonal of step k down."""
    return [tile(i, j) for i in range(p.top(k), p.tile_rows)]


def named(kind: int, *names: str) -> list[tuple[str, int]]:
    return [(name, kind) for name in names]


# The kernels by tile coordinates, as steps.c has them.


def potrf(p: Program, task: int, k: int) -> None:
    p.call(task, "potrf", k, (p.top(k), k), writes=[p.at(k, k)])


def trsm(p: Program, task: int, k: int, at: tuple[int, int]) -> None:
    p.call(task, "trsm", k, at, [p.at(k, k)], [tile(*at)])


def syrk(p: Program, task: int, k: int, n: int) -> None:
    p.call(task, "syrk", k, (p.top(n), n), [p.at(n, k)], [p.at(n, n)])


def cholesky_gemm(p: Program, task: int, k: int, m: int, n: int) -> None:
    p.call(task, "gemm", k, (m, n), [tile(m, k), p.at(n, k)], [tile(m, n)])


def getrf(p: Program, task: int, k: int) -> None:
    p.call(task, "getrf", k, (p.top(k), k), writes=[*column(p, k, k), pivots(k)])


def laswp(p: Program, task: int, k: int, j: int) -> None:
    p.call(task, "laswp", k, (p.top(k), j), [pivots(k)], column(p, k, j))


def lu_gemm(p: Program, task: int, k: int, m: int, j: int) -> None:
    p.call(task, "gemm", k, (m, j), [tile(m, k), p.at(k, j)], [tile(m, j)])


def geqrt(p: Program, task: int, k: int, m: int) -> None:
    p.call(task, "geqrt", k, (m, k), writes=[tile(m, k), t_factor(m, k)])


def unmqr(p: Program, task: int, k: int, m: int, j: int) -> None:
    p.call(task, "unmqr", k, (m, j), [tile(m, k), t_factor(m, k)], [tile(m, j)])


def tsqrt(p: Program, task: int, k: int, m: int) -> None:
    p.call(task, "tsqrt", k, (m, k), writes=[p.at(k, k), tile(m, k), t_factor(m, k)])


def tsmqr(p: Program, task: int, k: int, m: int, j: int) -> None:
    reads = [tile(m, k), t_factor(m, k)]
    p.call(task, "tsmqr", k, (m, j), reads, [p.at(k, j), tile(m, j)])


# The graphs, as the files of the variants have them.


def cholesky_depend(p: Program) -> None:
    for k in range(p.steps):
        potrf(p, p.task(named(INOUT, p.at(k, k))), k)
        for m in p.below(k):
            task = p.task([*named(IN, p.at(k, k)), *named(INOUT, tile(m, k))])
            trsm(p, task, k, (m, k))
        for n in range(k + 1, p.columns):
            task = p.task([*named(IN, p.at(n, k)), *named(INOUT, p.at(n, n))])
            syrk(p, task, k, n)
            for m in p.below(n):
                items = [*named(IN, tile(m, k), p.at(n, k)), *named(INOUT, tile(m, n))]
                cholesky_gemm(p, p.task(items), k, m, n)


def cholesky_forkjoin(p: Program) -> None:
    for k in range(p.steps):
        potrf(p, ROOT, k)
        for m in range(k + 1, p.rows):
            trsm(p, p.task(), k, (m, k))
        p.wait()
        for n in range(k + 1, p.columns):
            syrk(p, p.task(), k, n)
            for m in range(n + 1, p.rows):
                cholesky_gemm(p, p.task(), k, m, n)
        p.wait()


def lu_standins(p: Program, update: int, lean: bool = False) -> None:
    """LU `depend`, `cw` where the updates access the column in another way, and `lean` of both."""
    for k in range(p.steps):
        before = named(IN, standin(k - 1))
        getrf(p, p.task([*before, *named(INOUT, p.at(k, k), standin(k))]), k)
        for j in range(k + 1, p.columns):
            reads, own = named(IN, p.at(k, k)), p.at(k, j)
            laswp(p, p.task([*reads, *before, *named(INOUT, own, standin(j))]), k, j)
            solved = [own, standin(j)] if lean else [own]
            trsm(p, p.task([*reads, *named(INOUT, *solved)]), k, (p.top(k), j))
            for m in p.below(k):
                factors = [] if lean else named(IN, tile(m, k), own)
                items = [*factors, *named(INOUT, tile(m, j)), *named(update, standin(j))]
                lu_gemm(p, p.task(items), k, m, j)
        for j in range(k):
            items = [*named(IN, p.at(k, k)), *named(INOUT, standin(j))]
            laswp(p, p.task(items), k, j)


def lu_depend(p: Program) -> None:
    lu_standins(p, INOUT)


def lu_lean(p: Program) -> None:
    lu_standins(p, INOUT, lean=True)


def lu_cw(p: Program) -> None:
    p.clause = "depend(inoutset)"
    lu_standins(p, INOUTSET)


def lu_cw_lean(p: Program) -> None:
    p.clause = "depend(inoutset)"
    lu_standins(p, INOUTSET, lean=True)


def lu_cw_readers(p: Program) -> None:
    p.clause = "depend(in)"
    lu_standins(p, IN)


def lu_multidep(p: Program) -> None:
    for k in range(p.steps):
        getrf(p, p.task(named(INOUT, *column(p, k, k))), k)
        reads = named(IN, tile(k, k))
        for j in range(k + 1, p.columns):
            laswp(p, p.task([*reads, *named(INOUT, *column(p, k, j))]), k, j)
            trsm(p, p.task([*reads, *named(INOUT, tile(k, j))]), k, (k, j))
            for m in range(k + 1, p.rows):
                items = [*named(IN, tile(m, k), tile(k, j)), *named(INOUT, tile(m, j))]
                lu_gemm(p, p.task(items), k, m, j)
        for j in range(k):
            laswp(p, p.task([*reads, *named(INOUT, *column(p, k, j))]), k, j)


def lu_forkjoin(p: Program) -> None:
    for k in range(p.steps):
        getrf(p, ROOT, k)
        for j in range(k + 1, p.columns):
            task = p.task()
            laswp(p, task, k, j)
            trsm(p, task, k, (k, j))
        for j in range(k):
            laswp(p, p.task(), k, j)
        p.wait()
        for j in range(k + 1, p.columns):
            for m in range(k + 1, p.rows):
                lu_gemm(p, p.task(), k, m, j)
        p.wait()


def lu_column(p: Program) -> None:
    """Nested tasks. The panel is one kernel here; the program's is cut into pieces."""
    for k in range(p.steps):
        getrf(p, p.task(named(INOUT, tile(0, k))), k)
        for j in range(k + 1, p.columns):
            task = p.task([*named(IN, tile(0, k)), *named(INOUT, tile(0, j))])
            laswp(p, task, k, j)
            trsm(p, task, k, (k, j))
            for m in range(k + 1, p.rows):
                lu_gemm(p, p.task(parent=task), k, m, j)
            p.wait(task)
        for j in range(k):
            items = [*named(IN, tile(0, k)), *named(INOUT, tile(0, j))]
            laswp(p, p.task(items), k, j)


def qr_flat(p: Program, lean: bool) -> None:
    """QR `depend`, and `lean`, which does not name the T factors."""

    def factors(m: int, k: int) -> list[str]:
        return [tile(m, k)] if lean else [tile(m, k), t_factor(m, k)]

    for k in range(p.steps):
        top = p.top(k)
        geqrt(p, p.task(named(INOUT, *factors(top, k))), k, top)
        for j in range(k + 1, p.columns):
            items = [*named(IN, *factors(top, k)), *named(INOUT, p.at(k, j))]
            unmqr(p, p.task(items), k, top, j)
        for m in p.below(k):
            tsqrt(p, p.task(named(INOUT, p.at(k, k), *factors(m, k))), k, m)
            for j in range(k + 1, p.columns):
                items = [*named(IN, *factors(m, k)), *named(INOUT, p.at(k, j), tile(m, j))]
                tsmqr(p, p.task(items), k, m, j)


def qr_depend(p: Program) -> None:
    qr_flat(p, lean=False)


def qr_lean(p: Program) -> None:
    qr_flat(p, lean=True)


def qr_pair(p: Program, k: int, t: int, m: int) -> None:
    """The triangle of row m goes into that of row t."""
    written = [tile(t, k), tile(m, k), s_factor(m, k)]
    p.call(p.task(named(INOUT, *written)), "ttqrt", k, (m, k), writes=written)
    for j in range(k + 1, p.columns):
        reads = [tile(m, k), s_factor(m, k)]
        writes = [tile(t, j), tile(m, j)]
        task = p.task([*named(IN, *reads), *named(INOUT, *writes)])
        p.call(task, "ttmqr", k, (m, j), reads, writes)


def qr_tree(p: Program) -> None:
    for k in range(p.steps):
        for m in range(k, p.rows):
            geqrt(p, p.task(named(INOUT, tile(m, k), t_factor(m, k))), k, m)
            for j in range(k + 1, p.columns):
                items = [*named(IN, tile(m, k), t_factor(m, k)), *named(INOUT, tile(m, j))]
                unmqr(p, p.task(items), k, m, j)
        distance = 1
        while distance < p.rows - k:
            for t in range(k, p.rows - distance, 2 * distance):
                qr_pair(p, k, t, t + distance)
            distance *= 2


GRAPHS: dict[tuple[str, str], Callable[[Program], None]] = {
    ("cholesky", "depend"): cholesky_depend,
    ("cholesky", "forkjoin"): cholesky_forkjoin,
    ("lu", "depend"): lu_depend,
    ("lu", "lean"): lu_lean,
    ("lu", "multidep"): lu_multidep,
    ("lu", "column"): lu_column,
    ("lu", "forkjoin"): lu_forkjoin,
    ("lu-cw", "cw"): lu_cw,
    ("lu-cw", "lean"): lu_cw_lean,
    ("lu-cw", "readers"): lu_cw_readers,
    ("qr", "depend"): qr_depend,
    ("qr", "lean"): qr_lean,
    ("qr", "tree"): qr_tree,
}


def program(benchmark: str, variant: str, tiles: int, *, rows: int = 0, nb: int = 64) -> Program:
    """The tasks of a variant for `tiles` columns and as many rows, or `rows`."""
    made = Program(benchmark, variant, rows or tiles, tiles, nb)
    GRAPHS[benchmark, variant](made)
    return made


def graph_lines(
    benchmark: str, variant: str, tiles: int, *, rows: int = 0, nb: int = 64
) -> list[str]:
    """The lines of the file that `BENCHMARK --variant VARIANT --graph FILE` writes."""
    return program(benchmark, variant, tiles, rows=rows, nb=nb).lines()


def write_graph(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


# What may be wrong in a program: the items of one task.


def item_events(p: Program, kernel: str, step: int, at: tuple[int, int]) -> list[int]:
    """The creation of the task that calls this kernel: [0, task, parent, object, kind …]."""
    wanted = [p.kernels.index(kernel), step, *at]
    task = next(e[1] for e in p.events if e[0] == 1 and e[2:6] == wanted)
    return next(e for e in p.events if e[0] == 0 and e[1] == task)


def forget(p: Program, event: list[int], name: str) -> None:
    """Leave out an item."""
    x = next(x for x in range(3, len(event), 2) if p.objects[event[x]] == name)
    del event[x : x + 2]
