# SPDX-License-Identifier: BSD-3-Clause
"""From events to a graph: the predecessors of each node by task creation, dependences and taskwait.

The completion of a task does not include that of its children: what depends on a task, or waits for
it, follows the last thing that this task does itself.
"""

from dataclasses import replace

import numpy as np

from pollux.core.compiled import ZERO, compiled, compiled_within
from pollux.insight.graphs.dependences import dependences, grown
from pollux.insight.graphs.events import (
    CALL,
    CALL_HEAD,
    CREATE,
    CREATE_HEAD,
    WAIT,
    WORK_FIRST,
    Events,
)
from pollux.insight.graphs.model import TASK, TASKWAIT, Graph, Ints, Rows
from pollux.insight.graphs.nodes import NOTHING, Nodes, nodes_of
from pollux.insight.graphs.rows import grouped, owners
from pollux.insight.graphs.work import Work, no_work


class BackwardEdgeError(Exception):
    """The events are in an order in which the tasks cannot have run sequentially."""

    def __init__(self, task: int) -> None:
        super().__init__(task)
        self.task = task


def build_graph(events: Events) -> Graph:
    """The graph. Raises BackwardEdgeError."""
    arrays = events.arrays
    kinds = arrays.values[arrays.start[:-1]]
    tasks = int(np.count_nonzero(kinds == CREATE)) + 1
    nodes = nodes_of(arrays, tasks)
    items = items_of(arrays, kinds, tasks)
    earlier, exclusive = dependences(items, nodes.parent, len(events.header.objects))
    kinds = kinds[nodes.event]
    reads, writes = accesses(arrays, nodes, kinds, len(events.header.objects))
    kernels, kernel = named(events, nodes, kinds)
    return Graph(
        instance=events.header.instance(),
        kernels=kernels,
        kernel=kernel,
        step=of_calls(arrays, nodes, kinds, 3),
        i=of_calls(arrays, nodes, kinds, 4),
        j=of_calls(arrays, nodes, kinds, 5),
        task=nodes.task,
        root_task=nodes.root[nodes.task],
        before=before(nodes, earlier),
        objects=events.header.objects,
        reads=reads,
        writes=writes,
        work=work_of(events, nodes, kinds),
        items=items,
        flops=events.header.flops,
        algorithm=events.header.algorithm,
        is_reference=events.header.is_reference,
        clause=events.header.clause,
        exclusive=exclusive,
    )


def work_of(events: Events, nodes: Nodes, kinds: Ints) -> Work:
    """The work of each node; none of those that call no kernel."""
    found = no_work(len(nodes.event))
    calls = np.flatnonzero(kinds == CALL)
    first = events.arrays.start[nodes.event[calls]]
    for column, place in zip(found.columns(), range(WORK_FIRST, CALL_HEAD), strict=True):
        column[calls] = events.arrays.values[first + place]
    return replace(found, operations=events.header.operations)


def items_of(arrays: Rows, kinds: Ints, tasks: int) -> Rows:
    """Object * 8 + kind for each dependence item of each task; task 0 has none."""
    creations = np.flatnonzero(kinds == CREATE)
    creation, item, kind = pairs(arrays.values, arrays.start, creations, CREATE_HEAD)
    return grouped(creation + 1, item * 8 + kind, tasks)


def accesses(arrays: Rows, nodes: Nodes, kinds: Ints, objects: int) -> tuple[Rows, Rows]:
    """What each node only reads, and what it writes; each object once."""
    calls = np.flatnonzero(kinds == CALL)
    call, item, mode = pairs(arrays.values, arrays.start, nodes.event[calls], CALL_HEAD)
    owner = calls[call]
    written = stamped(owner, item, mode, objects, np.zeros(len(item), dtype=np.int64))
    read = stamped(owner, item, 1 - mode, objects, written)
    count = len(nodes.event)
    return (
        grouped(owner[read == 1], item[read == 1], count),
        grouped(owner[written == 1], item[written == 1], count),
    )


@compiled
def stamped(owner: Ints, item: Ints, wanted: Ints, objects: int, other: Ints) -> Ints:
    """1 for each first of an owner's wanted items, unless it is among its others; else 0."""
    stamp = np.full(objects, NOTHING)
    chosen = np.zeros(len(item), dtype=np.int64)
    begin = 0
    for at in range(len(item)):
        if owner[at] != owner[begin]:
            begin = at
        if at == begin:
            same = at
            while same < len(item) and owner[same] == owner[at]:
                if other[same] == 1:
                    stamp[item[same]] = owner[at]
                same += 1
        if wanted[at] == 1 and stamp[item[at]] != owner[at]:
            stamp[item[at]] = owner[at]
            chosen[at] = 1
    return chosen


@compiled
def pairs(values: Ints, start: Ints, events: Ints, head: int) -> tuple[Ints, Ints, Ints]:
    """The pairs of numbers that follow the first `head` of these events, and whose each is."""
    count = 0
    for event in events:
        count += (start[event + 1] - start[event] - head) // 2
    owner = np.empty(count, dtype=np.int64)
    first, second = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    pair = 0
    for index in range(len(events)):
        for at in range(start[events[index]] + head, start[events[index] + 1], 2):
            owner[pair], first[pair], second[pair] = index, values[at], values[at + 1]
            pair += 1
    return owner, first, second


def named(events: Events, nodes: Nodes, kinds: Ints) -> tuple[tuple[str, ...], Ints]:
    """The names of kernels, and the kernel of each node."""
    names = list(events.header.kernels)
    kernel = of_calls(events.arrays, nodes, kinds, 2)
    for name, kind in ((TASKWAIT, WAIT), (TASK, CREATE)):
        if np.any(kinds == kind):
            kernel[kinds == kind] = len(names)
            names.append(name)
    return tuple(names), kernel


def of_calls(arrays: Rows, nodes: Nodes, kinds: Ints, at: int) -> Ints:
    """The number at this position in the event of each call; -1 for other nodes."""
    calls = kinds == CALL
    found = np.full(len(kinds), -1, dtype=np.int64)
    found[calls] = arrays.values[arrays.start[nodes.event[calls]] + at]
    return found


def before(nodes: Nodes, earlier: Rows) -> Rows:
    """The nodes directly before each; `earlier` are the tasks that dependences put before each."""
    rows = Rows(
        *collect(
            nodes.task,
            nodes.previous,
            nodes.waits_for,
            nodes.sibling,
            nodes.after,
            nodes.last,
            earlier.start,
            earlier.values,
        )
    )
    late = np.flatnonzero(rows.values >= owners(rows))
    if len(late):
        raise BackwardEdgeError(int(nodes.task[owners(rows)[late[0]]]))
    return rows


@compiled
def collect(  # noqa: PLR0913, PLR0917 (compiled code takes arrays only)
    task: Ints,
    previous: Ints,
    waits_for: Ints,
    sibling: Ints,
    after: Ints,
    last: Ints,
    earlier_start: Ints,
    earlier: Ints,
) -> tuple[Ints, Ints]:
    """Starts and values of the rows of nodes before each."""
    start = np.zeros(len(task) + 1, dtype=np.int64)
    found, count = np.empty(16 + 2 * len(task), dtype=np.int64), ZERO
    for node in range(len(task)):
        own = task[node]
        begin = count
        if previous[node] != NOTHING:
            found[count] = previous[node]
            count += 1
        else:
            if after[own] != NOTHING:
                found[count] = after[own]
                count += 1
            for at in range(earlier_start[own], earlier_start[own + 1]):
                if count + 2 > len(found):
                    found = grown(found)
                found[count] = last[earlier[at]]
                count += 1
        child = waits_for[node]
        while child != NOTHING:
            if count + 2 > len(found):
                found = grown(found)
            found[count] = last[child]
            count += 1
            child = sibling[child]
        count = sort_unique(found, begin, count)
        start[node + 1] = count
        if count + 2 > len(found):
            found = grown(found)
    return start, found[:count]


@compiled_within
def sort_unique(values: Ints, begin: int, end: int) -> int:
    """Sort this part and close it up where a value repeats; where it then ends."""
    values[begin:end].sort()
    kept = begin
    for at in range(begin, end):
        if at == begin or values[at] != values[kept - 1]:
            values[kept] = values[at]
            kept += 1
    return kept
