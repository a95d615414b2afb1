# SPDX-License-Identifier: BSD-3-Clause
"""Makes the files of runs over MPI: a graph's lines executed on ranks whose clocks differ."""

import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from traces import Call, Node, compact, nodes_of, record_of, trace_file_lines, usual_duration

RECEIVE, SEND, WAIT = range(3)
BEGIN = 10**12  # when the run began, by the clock of rank 0
BYTES = 8 * 64


@dataclass
class Message:
    """A tile from rank to rank, by the clock of rank 0, ns from BEGIN."""

    sender: int
    receiver: int
    tile: tuple[int, int]
    sent: int
    received: int


@dataclass
class Run:
    """What happened, by the clock of rank 0, ns from BEGIN."""

    head: dict[str, Any]
    ranks: int
    threads: int
    nodes: list[Node]  # with threads numbered over all ranks
    messages: list[Message]
    latency: int
    waits: list[list[tuple[int, int, int]]] = field(default_factory=list)  # of each rank
    skew: tuple[tuple[int, float], ...] = ()  # of each rank's clock: offset, drift

    @property
    def end(self) -> int:
        return max(node.end for node in self.nodes) + 500


def rank_of(run_ranks: int, node: Node) -> int:
    return node.name[3] % run_ranks


def run_on_ranks(  # noqa: PLR0913 (all that makes a run)
    graph: Iterable[str],
    *,
    ranks: int = 2,
    threads: int = 2,
    latency: int = 30_000,
    gap: int = 500,
    duration: Callable[[Call], int] = usual_duration,
) -> Run:
    """Columns of tiles are dealt out to ranks; a tile is sent as soon as its call ended."""
    head, *rest = (json.loads(line) for line in graph)
    nodes = nodes_of(rest, head["kernels"])
    free = [[0] * threads for _ in range(ranks)]
    came: dict[tuple[int, int], int] = {}  # by node and rank
    messages = []
    for number, node in enumerate(nodes):
        if node.kernel is None:
            node.end = max((nodes[b].end for b in node.before), default=0)
            continue
        own = rank_of(ranks, node)
        ready = 0
        for before in calls_before(nodes, number):
            source = rank_of(ranks, nodes[before])
            if source != own and (before, own) not in came:
                came[before, own] = nodes[before].end + latency
                tile = (nodes[before].name[2], nodes[before].name[3])
                sent = nodes[before].end
                messages.append(Message(source, own, tile, sent, came[before, own]))
            ready = max(ready, nodes[before].end if source == own else came[before, own])
        thread = min(range(threads), key=lambda t: free[own][t])
        node.start = max(ready, free[own][thread]) + gap
        node.end = node.start + duration(node.name)
        free[own][thread] = node.end
        node.thread = own * threads + thread
    calls = [node for node in nodes if node.kernel is not None]
    return Run(head, ranks, threads, calls, messages, latency, [[] for _ in range(ranks)])


def calls_before(nodes: Sequence[Node], number: int) -> set[int]:
    """The calls before a node, through nodes that call none."""
    found: set[int] = set()
    waiting = list(nodes[number].before)
    while waiting:
        before = waiting.pop()
        if nodes[before].kernel is None:
            waiting += nodes[before].before
        else:
            found.add(before)
    return found


def own_time(run: Run, rank: int, time: int) -> int:
    """A time of rank 0's clock by that of a rank, absolute."""
    offset, drift = run.skew[rank] if run.skew else (0, 0.0)
    return BEGIN + time + offset + round(drift * time)


def reading(run: Run, rank: int, time: int, error: int) -> dict[str, int]:
    """The comparison of a clock with that of rank 0 at a time."""
    own = own_time(run, rank, time)
    return {"at_ns": own, "offset_ns": BEGIN + time - own, "error_ns": error}


def rank_lines(  # noqa: PLR0913 (all that makes a file)
    run: Run,
    rank: int,
    *,
    error: int = 400,
    variant: str = "detach",
    machine: int | None = None,
    is_bound: bool = True,
) -> list[str]:
    """The lines of a rank's file; its region begins with the run and ends with it.

    Each thread runs on a processor of its own; if not bound, on those of rank 0.
    """
    first = rank * run.threads
    start = own_time(run, rank, 0)

    def local(time: int) -> int:
        return own_time(run, rank, time) - start

    rows: list[list[int]] = []
    for node in sorted(run.nodes, key=lambda node: (node.thread, node.start)):
        if first <= node.thread < first + run.threads:
            thread = node.thread - first
            core = node.thread if is_bound else thread
            place = (thread, core, local(node.start), local(node.end))
            assert node.kernel is not None
            rows.append([node.kernel, *node.name[1:], *place, *node.work])
    lines = messages_of(run, rank, local)
    head = run.head | {"benchmark": "cholesky-mpi", "variant": variant}
    region = local(run.end)
    record = record_of(head, "libomp", 42, run.threads, region) | {"tasks": len(run.nodes)}
    about = {
        **{"rank": rank, "ranks": run.ranks, "run": "r1", "host": f"node{rank}"},
        "machine": rank if machine is None else machine,
        **{"calls": len(rows), "messages": len(lines), "start_ns": start},
        "clock": [reading(run, rank, -50_000, error), reading(run, rank, run.end + 9, error)],
        "graph": {"benchmark": "cholesky", "variant": "depend", "parameters": {}},
    }
    return [
        *trace_file_lines(
            run.head["kernels"],
            rows,
            operations=run.head["operations"],
            threads=run.threads,
            region=region,
            record=record | {"mpi": {"grid": f"1x{run.ranks}"}},
            rank=about,
        ),
        compact({"schema": "pollux-messages/1"}),
        *lines,
    ]


def messages_of(run: Run, rank: int, local: Any) -> list[str]:  # noqa: ANN401
    lines = []
    for message in run.messages:
        name = (0, *message.tile, BYTES)
        times = [local(t) for t in (message.sent, message.sent, message.received)]
        if message.sender == rank:
            lines.append(compact([SEND, message.receiver, *name, *times]))
        if message.receiver == rank:
            posted = [local(0), local(min(10, message.received)), times[2]]
            lines.append(compact([RECEIVE, message.sender, *name, *posted]))
    lines += [compact([WAIT, local(a), local(b), drained]) for a, b, drained in run.waits[rank]]
    return lines


def write_ranks(folder: Path, run: Run, **changes: Any) -> list[Path]:  # noqa: ANN401
    """A file for each rank."""
    paths = []
    for rank in range(run.ranks):
        paths.append(folder / f"t.{rank}.jsonl")
        paths[-1].write_text("".join(f"{line}\n" for line in rank_lines(run, rank, **changes)))
    return paths


def skewed(seed: int, ranks: int) -> tuple[tuple[int, float], ...]:
    """Clocks that differ by seconds and drift by up to 50 ppm; that of rank 0 is right."""
    rng = random.Random(seed)
    others = [
        (rng.randrange(-(10**10), 10**10), rng.uniform(-5e-5, 5e-5)) for _ in range(ranks - 1)
    ]
    return ((0, 0.0), *others)
