# SPDX-License-Identifier: BSD-3-Clause
"""Makes the lines of pollux-trace/1 files: a legal execution of a graph's lines on some threads."""

import heapq
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from run_record import record, with_speed

NAME_AND_TIMES = ("kernel", "step", "i", "j", "thread", "core", "start_ns", "end_ns")
COLUMNS = (*NAME_AND_TIMES, "operation", "flops", "bytes", "block", "rows")
OMPT_COLUMNS = (*COLUMNS, "task", "created_ns", "creator", "scheduled_ns")
CREATE, WAIT = 0, 2  # kinds of a graph's lines
TOGETHER = (1, 7)  # in, inoutset: tasks that name an object so one after another may overlap
Call = tuple[str, int, int, int]  # kernel, step, i, j


def usual_duration(call: Call) -> int:
    """Nanoseconds that differ from call to call, the same in each run."""
    return 40_000 + random.Random(repr(call)).randrange(20_000)


def trace_lines(  # noqa: PLR0913 (all that makes a trace)
    graph: Iterable[str],
    *,
    threads: int = 2,
    duration: Callable[[Call], int] = usual_duration,
    gap: int = 500,
    runtime: str = "libomp",
    seed: int = 42,
    ompt: bool = False,
    **changes: Any,  # noqa: ANN401
) -> list[str]:
    """Lines of a trace of the graph whose pollux-graph/1 lines are given.

    An idle thread takes the ready call that is the first in sequential execution and begins it
    `gap` ns later. `changes` are of the record.
    """
    head, *rest = (json.loads(line) for line in graph)
    ran = execute(nodes_of(rest, head["kernels"]), threads, duration, gap)
    region = max((node.end for node in ran), default=0) + gap
    rows = []
    for node in sorted(ran, key=lambda node: (node.thread, node.start)):
        assert node.kernel is not None
        row = [node.kernel, *node.name[1:], node.thread, node.thread, node.start, node.end]
        row += node.work
        created = 10 * node.task if node.task else -1
        tasks = [node.task, created, 0, max(0, node.start - gap // 2) if node.task else -1]
        rows.append([*row, *(tasks if ompt else [])])
    made = record_of(head, runtime, seed, threads, region)
    return trace_file_lines(
        head["kernels"],
        rows,
        operations=head["operations"],
        threads=threads,
        region=region,
        columns=OMPT_COLUMNS if ompt else COLUMNS,
        record=made | {"tasks": len(rows)} | changes,
    )


@dataclass
class Node:
    """A kernel call, or with `kernel` None the beginning of a task or a wait: no time at all."""

    task: int
    kernel: int | None
    name: Call
    before: set[int]
    work: list[int]
    start: int = 0
    end: int = 0
    thread: int = 0


def nodes_of(rows: Sequence[list[int]], names: Sequence[str]) -> list[Node]:
    """What the lines say, each with the nodes directly before it."""
    nodes: list[Node] = []
    last: dict[int, int] = {}  # node of each task
    children: dict[int, list[int]] = {}
    groups: dict[int, tuple[int, list[int], list[int]]] = {}  # kind, its tasks, those before

    def add(
        task: int, kernel: int | None, name: Call, before: set[int], work: Sequence[int] = ()
    ) -> None:
        if task in last:
            before.add(last[task])
        last[task] = len(nodes)
        nodes.append(Node(task, kernel, name, before, list(work)))

    for kind, task, *rest in rows:
        if kind == CREATE:
            parent, *items = rest
            before = {last[parent]} if parent in last else set()
            for o, dependence in zip(items[::2], items[1::2], strict=True):
                group, members, earlier = groups.get(o, (0, [], []))
                if dependence != group or dependence not in TOGETHER:
                    members, earlier = [], members
                groups[o] = (dependence, [*members, task], earlier)
                before |= {last[t] for t in earlier}
            children.setdefault(parent, []).append(task)
            add(task, None, ("", 0, 0, 0), before)
        elif kind == WAIT:
            add(task, None, ("", 0, 0, 0), {last[t] for t in children.get(task, [])})
        else:
            kernel, step, i, j = rest[:4]
            add(task, kernel, (names[kernel], step, i, j), set(), rest[4:9])
    return nodes


def execute(
    nodes: list[Node], threads: int, duration: Callable[[Call], int], gap: int
) -> list[Node]:
    """Run the nodes, the first of the ready ones on the first idle thread; those that take time."""
    after: dict[int, list[int]] = {}
    missing = [len(node.before) for node in nodes]
    for number, node in enumerate(nodes):
        for earlier in node.before:
            after.setdefault(earlier, []).append(number)
    ready = [number for number, count in enumerate(missing) if count == 0]
    idle = list(range(threads))
    running: list[tuple[int, int]] = []
    now = 0
    while ready or running:
        while ready and (idle or nodes[ready[0]].kernel is None):
            node = nodes[number := heapq.heappop(ready)]
            node.start = node.end = now
            if node.kernel is not None:
                node.thread = heapq.heappop(idle)
                node.start = now + gap
                node.end = node.start + duration(node.name)
            heapq.heappush(running, (node.end, number))
        now, number = heapq.heappop(running)
        if nodes[number].kernel is not None:
            heapq.heappush(idle, nodes[number].thread)
        for later in after.get(number, []):
            missing[later] -= 1
            if missing[later] == 0:
                heapq.heappush(ready, later)
    return [node for node in nodes if node.kernel is not None]


def record_of(
    head: dict[str, Any], runtime: str, seed: int, threads: int, region: int
) -> dict[str, Any]:
    """The record of the traced repetition."""
    cell = (head["benchmark"], head["variant"], head["n"], head["nb"])
    made = record(cell, runtime, seed, 1.0)
    flops = made["flops"]
    own = {
        **{"m": head["m"], "ib": head["ib"], "threads": threads, "traced": True},
        **{"seconds": region / 1e9, "gflops": flops / max(1, region)},
    }
    return with_speed(made | own)


def trace_file_lines(  # noqa: PLR0913 (the fields of a header)
    kernels: Sequence[str],
    rows: Iterable[Sequence[int]],
    *,
    threads: int,
    region: int,
    record: dict[str, Any],
    columns: Sequence[str] = COLUMNS,
    operations: Sequence[dict[str, Any]] = (),
    **changes: Any,  # noqa: ANN401
) -> list[str]:
    """The header, and a line for each of the rows as they come.

    Rows that end with their times are of calls that move nothing and compute nothing.
    """
    rows = list(rows)
    if any(len(row) == len(NAME_AND_TIMES) for row in rows):
        operations = [
            {"kernel": k, "operation": k, "computes": True, "grows_with": "flops"} for k in kernels
        ]
        rows = [[*row, row[0], 0, 0, 0, 0] for row in rows]
    header = {
        **{"schema": "pollux-trace/1", "record": record | {"threads": threads}},
        **{"kernels": list(kernels), "operations": list(operations), "columns": list(columns)},
        "submitter": 0,
        **{"submitted_ns": region // 10, "region_ns": region, "event_cost_ns": 61.5},
    }
    return [compact(header | changes), *(compact(list(row)) for row in rows)]


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def write_lines(path: Path, *traces: Sequence[str]) -> Path:
    """A file of these traces, one after another."""
    path.write_text("".join(f"{line}\n" for lines in traces for line in lines))
    return path
