# SPDX-License-Identifier: BSD-3-Clause
"""Orders of task graphs by their definitions, without any of the package's short cuts."""

import random
from collections.abc import Callable, Iterable

from pollux.insight.graphs.model import Graph
from task_graphs import IN, INOUT, INOUTSET, MUTEX, OUT, ROOT, Program

KINDS = (IN, OUT, INOUT, MUTEX, INOUTSET)
Order = list[set[int]]  # all that must come before each


def closure(before: list[set[int]]) -> Order:
    """All that comes before each, where all direct predecessors have smaller numbers."""
    found: Order = []
    for direct in before:
        found.append(direct.union(*(found[p] for p in direct)))
    return found


def order_of(graph: Graph) -> Order:
    return closure([set(graph.before[v].tolist()) for v in range(len(graph))])


def dependent(earlier: Iterable[tuple[int, int]], later: Iterable[tuple[int, int]]) -> bool:
    """Whether a sibling's items put it before a task: the table of OpenMP 5.2, section 15.9.5."""
    table = {
        IN: (OUT, INOUT, MUTEX, INOUTSET),
        OUT: KINDS,
        INOUT: KINDS,
        MUTEX: (IN, OUT, INOUT, INOUTSET),
        INOUTSET: (IN, OUT, INOUT, MUTEX),
    }
    return any(a == b and old in table[new] for a, old in earlier for b, new in later)


def order_by_definition(program: Program) -> Order:
    """What must come before each call and taskwait of a program, which are counted in its order."""
    points: list[set[int]] = []  # the points of time directly before each
    nodes: list[int] = []

    def point(*direct: int) -> int:
        points.append(set(direct))
        return len(points) - 1

    latest = {ROOT: point()}
    items: dict[int, list[tuple[int, int]]] = {}
    children: dict[int, list[int]] = {ROOT: []}
    for event in program.events:
        if event[0] == 0:
            task, parent = event[1:3]
            items[task] = list(zip(event[3::2], event[4::2], strict=True))
            latest[parent] = point(latest[parent])
            siblings = [s for s in children[parent] if dependent(items[s], items[task])]
            latest[task] = point(latest[parent], *(latest[s] for s in siblings))
            children[parent].append(task)
            children[task] = []
        else:
            task = event[1]
            waited = [latest[c] for c in children[task]] if event[0] == 2 else []
            latest[task] = point(latest[task], *waited)
            nodes.append(latest[task])
    full = closure(points)
    number = {p: n for n, p in enumerate(nodes)}
    return [{number[q] for q in full[p] if q in number} for p in nodes]


def random_program(
    seed: int, *, steps: int = 25, objects: int = 4, depth: int = 2, kinds: Iterable[int] = KINDS
) -> Program:
    """Tasks that call, wait and create others as it comes; items may stand twice in a task."""
    chance = random.Random(seed)
    program = Program("lu", "random", 4, 4)
    allowed = list(kinds)

    def body(task: int, left: int, level: int) -> None:
        for _ in range(left):
            act = chance.random()
            if act < 0.1:
                program.wait(task)
            elif act < 0.35 and task != ROOT:
                use(program, chance, task, objects)
            elif level > 0:
                named = chance.choices(range(objects), k=chance.choice((0, 1, 1, 2, 3)))
                child = program.task([(f"A({o},0)", chance.choice(allowed)) for o in named], task)
                body(child, chance.choice((0, 1, 1, 2, 4)), level - 1)

    body(ROOT, steps, depth)
    return program


def use(program: Program, chance: random.Random, task: int, objects: int) -> None:
    """Call a kernel that touches something."""
    touched = [f"A({o},0)" for o in chance.sample(range(objects), k=min(2, objects))]
    split = chance.choice((0, 1, 2))
    program.call(task, "gemm", len(program.events), (0, 0), touched[split:], touched[:split])


def only(graph: Graph, keep: Callable[[str], bool]) -> Order:
    """The order of those nodes alone whose kernel is to be kept, counted again."""
    kept = [v for v, name in enumerate(graph.names()) if keep(name)]
    number = {v: n for n, v in enumerate(kept)}
    full = order_of(graph)
    return [{number[p] for p in full[v] if p in number} for v in kept]
