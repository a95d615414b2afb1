# SPDX-License-Identifier: BSD-3-Clause
"""The sibling tasks that a task depends on by its dependence items: OpenMP 5.2, section 15.9.5.

Tasks that name an item in one of the kinds in, inoutset or mutexinoutset, with no other kind
between them, form a group: they are unordered among themselves (those of mutexinoutset never run at
once). A task that names the item as out or inout is a group by itself. Each task of a group
follows all tasks of the previous group, and thereby all that the section requires.
"""

import numpy as np

from pollux.core.compiled import compiled, compiled_within
from pollux.insight.graphs.events import INOUT, MUTEXINOUTSET, OUT
from pollux.insight.graphs.model import Ints, Rows
from pollux.insight.graphs.rows import owners

NOTHING = -1


def dependences(items: Rows, parent: Ints, objects: int) -> tuple[Rows, Ints]:
    """The tasks directly before each task, and pairs of tasks that must never run at once.

    `items` are object * 8 + kind for each task. Only tasks of one parent are ordered by them.
    """
    item = parent[owners(items)] * max(objects, 1) + items.values // 8
    names, item = np.unique(item, return_inverse=True)
    kind = items.values % 8
    start, values, exclusive = follow(items.start, item.astype(np.int64), kind, len(names))
    return Rows(start, values), exclusive


@compiled_within
def grown(values: Ints) -> Ints:
    """A copy with twice the capacity."""
    larger = np.empty(2 * len(values), dtype=np.int64)
    for at in range(len(values)):  # a slice would be compiled with the texts of its errors
        larger[at] = values[at]
    return larger


@compiled_within
def merge(item: Ints, kind: Ints, task: int, named_by: Ints, as_kind: Ints) -> None:
    """How one task names each of its items.

    An item named in two kinds is ordered against everything that either kind is: as by inout.
    """
    for x in range(len(item)):
        wanted = INOUT if kind[x] == OUT else kind[x]
        if named_by[item[x]] != task:
            named_by[item[x]] = task
            as_kind[item[x]] = wanted
        elif as_kind[item[x]] != wanted:
            as_kind[item[x]] = INOUT


@compiled
def follow(start: Ints, item: Ints, kind: Ints, items: int) -> tuple[Ints, Ints, Ints]:
    """Starts and values of the rows of tasks directly before each, and the exclusive pairs."""
    tasks = len(start) - 1
    named_by, as_kind = np.full(items, NOTHING), np.zeros(items, dtype=np.int64)
    group_kind = np.zeros(items, dtype=np.int64)
    # Linked lists of the tasks of the last group of each item, and of the group before.
    group, group_before = np.full(items, NOTHING), np.full(items, NOTHING)
    member, following = np.empty(len(item), dtype=np.int64), np.empty(len(item), dtype=np.int64)
    members = 0
    seen = np.full(tasks, NOTHING)  # the task that last found each earlier one
    found_start = np.zeros(tasks + 1, dtype=np.int64)
    found, count = np.empty(16, dtype=np.int64), 0
    pairs, paired = np.empty(16, dtype=np.int64), 0
    for task in range(tasks):
        first, end = start[task], start[task + 1]
        merge(item[first:end], kind[first:end], task, named_by, as_kind)
        for x in range(first, end):
            at = item[x]
            if named_by[at] != task:  # done: it was named twice
                continue
            named_by[at] = NOTHING
            wanted = as_kind[at]
            if wanted != group_kind[at] or wanted == INOUT:
                group_before[at] = group[at]
                group[at] = NOTHING
                group_kind[at] = wanted
            link = group_before[at]
            while link != NOTHING:
                if seen[member[link]] != task:
                    seen[member[link]] = task
                    if count == len(found):
                        found = grown(found)
                    found[count] = member[link]
                    count += 1
                link = following[link]
            link = group[at] if wanted == MUTEXINOUTSET else NOTHING
            while link != NOTHING:
                if paired + 2 > len(pairs):
                    pairs = grown(pairs)
                pairs[paired], pairs[paired + 1] = member[link], task
                paired += 2
                link = following[link]
            member[members], following[members] = task, group[at]
            group[at] = members
            members += 1
        found_start[task + 1] = count
        found[found_start[task] : count].sort()
    return found_start, found[:count], pairs[:paired].reshape(-1, 2)
