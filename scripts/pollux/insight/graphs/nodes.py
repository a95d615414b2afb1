# SPDX-License-Identifier: BSD-3-Clause
"""From events to nodes, with the relations that follow from the tasks' creation."""

from dataclasses import dataclass

import numpy as np

from pollux.core.compiled import compiled
from pollux.insight.graphs.events import CREATE, WAIT
from pollux.insight.graphs.model import Ints, Rows

NOTHING = -1


@dataclass(frozen=True)
class Nodes:
    """Nodes in the order of their events; NOTHING if there is no such node or task."""

    event: Ints  # that each node stands for
    task: Ints
    previous: Ints  # the node of the same task before it
    waits_for: Ints  # of a taskwait: the last child that it waits for
    # For each task:
    sibling: Ints  # the previous child that the same taskwait waits for
    after: Ints  # the last node of the parent before its creation
    last: Ints  # its last node
    parent: Ints
    root: Ints  # the ancestor that the submitting task created


def nodes_of(arrays: Rows, tasks: int) -> Nodes:
    """The nodes.

    A task that does nothing before it creates another, or nothing at all, has a node too: what
    it created, and what depends on it, then follow what it depends on.
    """
    acts = first_acts(arrays.values, arrays.start, tasks)
    return Nodes(*place(arrays.values, arrays.start, acts))


@compiled
def first_acts(values: Ints, start: Ints, tasks: int) -> Ints:
    """The kind of the first event in which each task acts, or NOTHING."""
    acts = np.full(tasks, NOTHING)
    for event in range(len(start) - 1):
        kind = values[start[event]]
        actor = values[start[event] + (2 if kind == CREATE else 1)]
        if acts[actor] == NOTHING:
            acts[actor] = kind
    return acts


@compiled
def place(
    values: Ints, start: Ints, acts: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, Ints, Ints]:
    """The fields of Nodes."""
    tasks, room = len(acts), len(start) - 1
    event_of, task_of = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    previous, waits_for = np.full(room, NOTHING), np.full(room, NOTHING)
    sibling, child = np.full(tasks, NOTHING), np.full(tasks, NOTHING)
    after, last = np.full(tasks, NOTHING), np.full(tasks, NOTHING)
    parent, root = np.zeros(tasks, dtype=np.int64), np.zeros(tasks, dtype=np.int64)
    node = 0
    for event in range(room):
        kind, task = values[start[event]], values[start[event] + 1]
        if kind == CREATE:
            creator = values[start[event] + 2]
            parent[task] = creator
            root[task] = root[creator] if creator else task
            after[task] = last[creator]
            sibling[task] = child[creator]
            child[creator] = task
            if acts[task] not in (NOTHING, CREATE):
                continue
        elif kind == WAIT:
            waits_for[node] = child[task]
            child[task] = NOTHING
        event_of[node], task_of[node], previous[node] = event, task, last[task]
        last[task] = node
        node += 1
    return (
        event_of[:node],
        task_of[:node],
        previous[:node],
        waits_for[:node],
        sibling,
        after,
        last,
        parent,
        root,
    )
