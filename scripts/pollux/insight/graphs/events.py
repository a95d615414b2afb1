# SPDX-License-Identifier: BSD-3-Clause
"""The events of a graph file (docs/traces.md) and their validity."""

from dataclasses import dataclass

from pollux.core.compiled import ZERO, compiled, compiled_within
from pollux.insight.graphs.header import Header
from pollux.insight.graphs.model import Ints, Rows

CREATE, CALL, WAIT = 0, 1, 2  # the kind of an event, its first number
CREATE_HEAD, CALL_HEAD, WAIT_HEAD = 3, 11, 2  # numbers of an event before its pairs
WORK_FIRST = 6  # position of the numbers that state the work of a call
IN, OUT, INOUT, MUTEXINOUTSET, INOUTSET = 1, 2, 3, 4, 7  # kinds of dependence

# The possible errors, by the number that `check` returns.
ERRORS = (
    "",
    "an event begins with 0 (creates a task), 1 (calls a kernel) or 2 (waits)",
    "an event has too few numbers, or half of a pair",
    "tasks are numbered from 1 in the order of their creation",
    "a task acts before it was created",
    "a kernel's number is not below the number of kernels",
    "an object's number is not below the number of objects",
    "a dependence is of kind 1 (in), 2 (out), 3 (inout), 4 (mutexinoutset) or 7 (inoutset)",
    "an object is read (0) or written (1)",
    "the number of a call's operation is not below the number of operations",
    "the operations, bytes, block and rows of a call are not negative",
)
(FINE, BAD_KIND, BAD_LENGTH, BAD_NUMBER, BAD_ACTOR, BAD_KERNEL, BAD_OBJECT, BAD_ITEM, BAD_MODE) = (
    range(9)
)
BAD_OPERATION, BAD_WORK = 9, 10


@dataclass(frozen=True)
class Events:
    """The events of one graph in a file."""

    header: Header
    arrays: Rows


@compiled
def check(
    values: Ints, start: Ints, kernels: int, operations: int, objects: int
) -> tuple[int, int]:
    """The first invalid event, and its error; FINE if there is none."""
    tasks = ZERO
    for event in range(len(start) - 1):
        problem, tasks = check_event(
            values[start[event] : start[event + 1]], tasks, kernels, operations, objects
        )
        if problem != FINE:
            return event, problem
    return -1, FINE


@compiled_within
def check_event(
    event: Ints, tasks: int, kernels: int, operations: int, objects: int
) -> tuple[int, int]:
    """The error of an event, and the number of tasks after it."""
    if len(event) == 0 or event[0] not in (CREATE, CALL, WAIT):
        return BAD_KIND, tasks
    kind = event[0]
    head = CREATE_HEAD if kind == CREATE else CALL_HEAD if kind == CALL else WAIT_HEAD
    if len(event) < head or (len(event) - head) % 2 != 0 or (kind == WAIT and len(event) > head):
        return BAD_LENGTH, tasks
    actor = event[2] if kind == CREATE else event[1]
    if actor < 0 or actor > tasks:
        return BAD_ACTOR, tasks
    if kind == CREATE:
        tasks += 1
        if event[1] != tasks:
            return BAD_NUMBER, tasks
    problem = check_call(event, kernels, operations) if kind == CALL else FINE
    if problem != FINE:
        return problem, tasks
    return check_objects(event, kind, head, objects), tasks


@compiled_within
def check_call(event: Ints, kernels: int, operations: int) -> int:
    """The error in the kernel of a call or its work."""
    if event[2] < 0 or event[2] >= kernels:
        return BAD_KERNEL
    if event[WORK_FIRST] < 0 or event[WORK_FIRST] >= operations:
        return BAD_OPERATION
    for at in range(WORK_FIRST + 1, CALL_HEAD):
        if event[at] < 0:
            return BAD_WORK
    return FINE


@compiled_within
def check_objects(event: Ints, kind: int, head: int, objects: int) -> int:
    """The error in the pairs at the end of an event."""
    for at in range(head, len(event), 2):
        if event[at] < 0 or event[at] >= objects:
            return BAD_OBJECT
        what = event[at + 1]
        if kind == CREATE and what not in (IN, OUT, INOUT, MUTEXINOUTSET, INOUTSET):
            return BAD_ITEM
        if kind == CALL and what not in (0, 1):
            return BAD_MODE
    return FINE
