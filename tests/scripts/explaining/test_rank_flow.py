# SPDX-License-Identifier: BSD-3-Clause
"""Messages of the programs over MPI against the data flow of their graphs.

Whatever a rank reads of another was sent after its last write, and once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from mpi import MESSAGES, mpirun, needs_mpi
from pollux.core.paths import BUILDS
from pollux.insight.explaining.arrivals import kinds_of_factors, last_writers, name_of_step
from pollux.insight.explaining.timing import timing
from pollux.insight.graphs.coordinates import NO_TILE, coordinates
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.obtain import obtain_graph
from pollux.insight.graphs.over_ranks import over_ranks
from pollux.insight.graphs.spread_panels import kinds_of
from pollux.insight.simulation.messages import messages_of
from pollux.insight.traces.match import match
from pollux.insight.traces.merge import read_runs
from pollux.insight.traces.model import Messages, Ranks, Trace

GRID = Grid(2, 2)
PROGRAMS = (
    ("cholesky-mpi",),
    ("lu-mpi", "--pivoting", "none"),
    ("lu-mpi", "--pivoting", "partial"),
    ("lu-mpi", "--pivoting", "spread"),
    ("qr-mpi",),
    ("qr-mpi", "--domains", "2"),
)
Name = tuple[int, int, int, int]  # of a message: its receiver, its kind, coordinates

pytestmark = [needs_mpi, pytest.mark.slow]


@dataclass(frozen=True)
class Traced:
    """A run on all ranks, and the graph of what they did."""

    graph: Graph
    trace: Trace

    @property
    def ranks(self) -> Ranks:
        assert self.trace.ranks is not None
        return self.trace.ranks


@dataclass(frozen=True)
class Need:
    """What a call on one rank reads, and a call on another wrote last; times in ns."""

    name: Name
    written: int
    read: int


@pytest.fixture(scope="module", params=PROGRAMS, ids=" ".join)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    """A run whose messages are delayed and finish in random order."""
    folder = tmp_path_factory.mktemp("ranks")
    delays = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_SEED": 3, "POLLUX_DOUBLE_DELAY": 100}
    program, *words = request.param
    options = ("-n", 65, "-b", 16, "-t", 2, "-r", 1, "-w", 0, "-v", "detach", "--grid", GRID)
    result = mpirun(4, program, *words, *options, "--trace", folder / "t.jsonl", **delays)
    assert result.status == 0, result.err
    ((_, trace),) = read_runs(sorted(folder.iterdir()))
    graph = over_ranks(obtain_graph(trace.graph_instance, BUILDS), GRID).graph
    return Traced(graph, trace)


def needs(run: Traced) -> Iterator[Need]:
    """What calls read of other ranks, from the graph and when its calls ran."""
    graph = run.graph
    times = timing(graph, run.trace, match(run.trace, graph))
    rank = np.where(times.is_call, run.ranks.of_thread(np.maximum(times.thread, 0)), -1)
    rows = (graph.reads, graph.writes)
    flow = last_writers(
        (rows[0].start, rows[1].start), (rows[0].values, rows[1].values), len(graph.objects)
    )
    tiles = list(zip(*(c.tolist() for c in coordinates(graph.objects)), strict=True))
    for reader, writer, thing in zip(*(column.tolist() for column in flow), strict=True):
        if min(rank[reader], rank[writer]) < 0 or rank[reader] == rank[writer]:
            continue
        own = (0, *tiles[thing]) if tiles[thing][0] != NO_TILE else of_no_tile(graph, writer, thing)
        yield Need((int(rank[reader]), *own), int(times.end[writer]), int(times.start[reader]))


def of_no_tile(graph: Graph, writer: int, thing: int) -> tuple[int, int, int]:
    """The pivots of a step, what a column of a panel has, or what QR stores beside a tile."""
    if graph.instance.benchmark == "qr":
        return (kinds_of_factors(graph)[writer], int(graph.i[writer]), int(graph.j[writer]))
    return name_of_step(graph, writer, thing, kinds_of(graph.objects))


def faults(run: Traced) -> list[str]:
    """What the messages of a run do not do as they must."""
    sent = run.ranks.messages
    tolerance = 2 * int(run.ranks.error.max())
    columns = (sent.receiver, sent.what, sent.i, sent.j, sent.sent, sent.received)
    came: dict[Name, list[tuple[int, int]]] = {}
    for *name, begin, end in zip(*(c.tolist() for c in columns), strict=True):
        came.setdefault((name[0], name[1], name[2], name[3]), []).append((end, begin))
    found = []
    for need in needs(run):
        before = [m for m in came.get(need.name, ()) if m[0] <= need.read + tolerance]
        if not before:
            found.append(f"{need} has not come")
        elif max(before)[1] < need.written - tolerance:
            found.append(f"{need} was sent too early")
    expected = len(messages_of(run.graph, GRID, "openblas"))
    if len(sent.sent) != expected:
        found.append(f"{len(sent.sent)} messages, not {expected}")
    return found


def with_messages(run: Traced, messages: Messages) -> Traced:
    ranks = replace(run.ranks, messages=messages)
    return replace(run, trace=replace(run.trace, ranks=ranks))


def of_tiles_read(run: Traced) -> int:
    """A message that a call waits for."""
    sent, (first, *_) = run.ranks.messages, needs(run)
    names = list(zip(sent.receiver, sent.what, sent.i, sent.j, strict=True))
    return names.index(first.name)


def test_what_is_read_was_sent_after_its_last_write_and_once(run: Traced) -> None:
    assert len(list(needs(run))) > 10
    assert faults(run) == []


def test_a_message_that_is_missing_or_sent_before_the_write_is_found(run: Traced) -> None:
    sent, one = run.ranks.messages, of_tiles_read(run)
    columns = vars(sent)
    missing = Messages(**{name: np.delete(values, one) for name, values in columns.items()})
    assert any("has not come" in fault for fault in faults(with_messages(run, missing)))
    begun = sent.sent.copy()
    begun[one] = -(10**9)
    assert any("too early" in f for f in faults(with_messages(run, replace(sent, sent=begun))))
    twice = Messages(**{name: np.append(values, values[one]) for name, values in columns.items()})
    assert len(faults(with_messages(run, twice))) == 1
