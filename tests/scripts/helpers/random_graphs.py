# SPDX-License-Identifier: BSD-3-Clause
"""Small task graphs by chance, with nested tasks, taskwaits, inline calls."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import TASKWAIT, Graph, Instance, Rows
from pollux.insight.graphs.rows import starts
from pollux.insight.graphs.work import no_work

KERNELS = ("work", TASKWAIT)
WORK, WAIT = 0, 1


def from_lists(lists: Iterable[Sequence[int]]) -> Rows:
    """Lists of different lengths as Rows."""
    found = [np.asarray(row, dtype=np.int64) for row in lists]
    values = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
    return Rows(starts(np.array([len(row) for row in found], dtype=np.int64)), values)


@dataclass
class Draft:
    """Nodes in the order of sequential execution."""

    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    kernel: list[int] = field(default_factory=list)
    task: list[int] = field(default_factory=list)
    root: list[int] = field(default_factory=list)
    before: list[list[int]] = field(default_factory=list)
    tasks: int = 0

    def node(self, kernel: int, task: int, root: int, before: list[int]) -> int:
        self.kernel.append(kernel)
        self.task.append(task)
        self.root.append(root)
        self.before.append(sorted({b for b in before if b >= 0}))
        return len(self.kernel) - 1

    def some(self, candidates: list[int]) -> list[int]:
        """Dependences: a few nodes out of these."""
        count = min(len(candidates), int(self.rng.integers(0, 3)))
        return [int(c) for c in self.rng.choice(candidates, count, replace=False)] if count else []

    def run_task(self, root: int, before: list[int], depth: int) -> tuple[int, list[int]]:
        """A task of one to three calls, some of which create children and wait for them."""
        self.tasks += 1
        task, root = self.tasks, root or self.tasks
        last = self.node(WORK, task, root, before)
        everything = [last]
        for _ in range(int(self.rng.integers(0, 3))):
            if depth < 2 and self.rng.random() < 0.4:
                children: list[int] = []
                for _ in range(int(self.rng.integers(1, 4))):
                    end, inside = self.run_task(root, [last, *self.some(children)], depth + 1)
                    children.append(end)
                    everything += inside
                last = self.node(WAIT, task, root, [last, *children])
                everything.append(last)
            last = self.node(WORK, task, root, [last])
            everything.append(last)
        return last, everything


def random_graph(seed: int, tasks: int = 12) -> Graph:
    """A graph of about that many tasks created by the submitting one."""
    d = Draft(np.random.default_rng(seed))
    last = -1
    ends: list[int] = []
    for _ in range(tasks):
        chance = d.rng.random()
        if chance < 0.1:
            last = d.node(WAIT, 0, 0, [last, *ends])
            ends = []
        elif chance < 0.2:
            last = d.node(WORK, 0, 0, [last])
        else:
            ends.append(d.run_task(0, [last, *d.some(ends)], 0)[0])
    return graph_of(d)


def graph_of(d: Draft) -> Graph:
    count = len(d.kernel)
    nothing = from_lists([[]] * count)
    numbers = np.arange(count, dtype=np.int64)
    return Graph(
        instance=Instance("random", "graph", 8, 8, Tile.square(8), None),
        kernels=KERNELS,
        kernel=np.array(d.kernel, np.int64),
        step=np.zeros(count, np.int64),
        i=numbers,
        j=np.zeros(count, np.int64),
        task=np.array(d.task, np.int64),
        root_task=np.array(d.root, np.int64),
        before=from_lists(d.before),
        objects=(),
        reads=nothing,
        writes=nothing,
        work=no_work(count),
        items=from_lists([[]] * (d.tasks + 1)),
    )


def with_rivals(graph: Graph, seed: int, pairs: int = 4) -> Graph:
    """The same, with some pairs of tasks that exclude each other."""
    rng = np.random.default_rng(seed)
    tasks = [int(t) for t in np.unique(graph.task) if t > 0]
    if len(tasks) < 2:
        return graph
    chosen = [sorted(map(int, rng.choice(tasks, 2, replace=False))) for _ in range(pairs)]
    return replace(graph, exclusive=np.unique(np.array(chosen, np.int64), axis=0))


def random_times(graph: Graph, seed: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Times of nodes; some are equal, so that ends coincide."""
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 6, len(graph)) * 100.0
    return np.where(graph.kernel == WAIT, 0.0, times)


def independent(count: int) -> Graph:
    """Tasks without any dependence."""
    return graph_of(independent_draft(count))


def independent_draft(count: int) -> Draft:
    d = Draft(tasks=count)
    for task in range(1, count + 1):
        d.node(WORK, task, task, [])
    return d
