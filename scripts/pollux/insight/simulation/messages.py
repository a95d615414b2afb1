# SPDX-License-Identifier: BSD-3-Clause
"""The messages of a factorization over nodes, from the data flow of its task graph.

A call runs on the node of the tile that names it. Each write makes a new version of a tile. A
version that calls of other nodes read goes to each of these nodes once, along the binomial tree of
the programs over MPI (benchmarks/mpi/tree.h): its own node is the root, the others follow in
ascending order. One that a call of another node writes next moves there, and at the end a tile
moves to where it lives. LU's pivots go to all nodes. The tiles of a panel with pivots go home with
the others, and come back to its node for the exchanges left of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pollux.core.compiled import compiled
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.coordinates import NO_TILE, coordinates
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Flags, Graph, Instance, Ints, Rows
from pollux.insight.graphs.over_ranks import places
from pollux.insight.graphs.rows import grouped, owners
from pollux.insight.graphs.spread_panels import in_panels, kinds_of
from pollux.insight.simulation.model import Floats
from pollux.insight.simulation.tiles import column_bytes, other_bytes, tile_bytes

NOBODY = -1
KNOWN = {"cholesky": ("depend",), "lu": ("nopiv", "late", "spread"), "qr": ("depend", "tree")}


@dataclass(frozen=True)
class Messages:
    """All messages of one graph on one grid; those of a version in the order of its route."""

    place: Ints  # the node of the cluster on which each node of the graph runs
    producer: Ints  # the call that writes what is sent; NOBODY: it is there from the start
    source: Ints  # nodes of the cluster
    target: Ints
    parent: Ints  # the message that brings it to the source; NOBODY: it is made there
    bytes_: Floats
    consumers: Rows  # calls that wait for each message
    first: Rows  # messages that each call sends; the last row: those sent at the start
    onward: Rows  # messages that a node sends on when one has come, in this order

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True)
class Access:
    """Who needs which version of an object where."""

    version: Ints
    target: Ints
    node: Ints  # of the graph; NOBODY: none waits
    is_move: Flags  # it is not shared, but moves there

    def at(self, which: Flags) -> "Access":
        return Access(*(column[which] for column in vars(self).values()))


@dataclass(frozen=True)
class Versions:
    """What the objects are: their first versions, then one for each write in order."""

    object_: Ints
    producer: Ints
    source: Ints
    home: Ints  # where the object lives


def check_known(instance: Instance) -> None:
    """Refuse graphs whose messages are not known."""
    variants = KNOWN.get(instance.benchmark, ())
    if instance.variant not in variants:
        known = ", ".join(f"{b} {v}" for b, all_ in KNOWN.items() for v in all_)
        raise BadUsageError(
            f"--nodes: {instance.benchmark} {instance.variant} is not simulated on nodes; these "
            f"are: {known}"
        )
    if instance.m != instance.n or not instance.tile.is_square:
        raise BadUsageError(f"{instance}: --nodes takes square matrices and square tiles")


def messages_of(graph: Graph, grid: Grid, kernels: str) -> Messages:
    """The messages of the program over MPI whose calls this graph has (over_ranks.py)."""
    check_known(graph.instance)
    place = places(graph, grid)
    i, j = coordinates(graph.objects)
    home = np.where(i >= 0, grid.owner(i, j), NOBODY)
    versions = all_versions(graph, place, home)
    access = all_access(graph, place, home)
    all_ = [
        remote(access, versions),
        shared_pivots(graph, versions, i, grid),
        *by_way_of_home(graph, access, versions),
    ]
    return arranged(graph, place, versions, together(all_), grid, kernels)


def all_versions(graph: Graph, place: Ints, home: Ints) -> Versions:
    written = owners(graph.writes)
    object_ = np.concatenate([np.arange(len(home), dtype=np.int64), graph.writes.values])
    return Versions(
        object_,
        np.concatenate([np.full(len(home), NOBODY, np.int64), written]),
        np.concatenate([home, place[written]]),
        home[object_],
    )


def all_access(graph: Graph, place: Ints, home: Ints) -> Access:
    """Each read, each write, and the return of each tile in the end."""
    read, replaced, last = current_versions(
        graph.reads.start, graph.reads.values, graph.writes.start, graph.writes.values, len(home)
    )
    readers, writers = owners(graph.reads), owners(graph.writes)
    return Access(
        np.concatenate([read, replaced, last]),
        np.concatenate([place[readers], place[writers], home]),
        np.concatenate([readers, writers, np.full(len(home), NOBODY, np.int64)]),
        np.repeat([False, True, True], [len(read), len(replaced), len(last)]),
    )


@compiled
def current_versions(
    start_read: Ints, reads: Ints, start_write: Ints, writes: Ints, objects: int
) -> tuple[Ints, Ints, Ints]:
    """The version that each read sees, that each write replaces, and the last of each object."""
    current = np.arange(objects)
    read, replaced = np.zeros(len(reads), np.int64), np.zeros(len(writes), np.int64)
    for node in range(len(start_read) - 1):
        for at in range(start_read[node], start_read[node + 1]):
            read[at] = current[reads[at]]
        for at in range(start_write[node], start_write[node + 1]):
            replaced[at] = current[writes[at]]
        for at in range(start_write[node], start_write[node + 1]):
            current[writes[at]] = objects + at
    return read, replaced, current


def remote(access: Access, versions: Versions) -> Access:
    """What has to come from another node."""
    source = versions.source[access.version]
    known = (source != NOBODY) & (access.target != NOBODY)
    return access.at(known & (source != access.target))


def shared_pivots(graph: Graph, versions: Versions, i: Ints, grid: Grid) -> Access:
    """Every version of LU's pivots on every other node, whether it has a task that reads them."""
    is_lu = graph.instance.benchmark == "lu"
    is_pivots = (i < 0) & (kinds_of(graph.objects)[0] == NO_TILE) & is_lu
    made = np.flatnonzero(is_pivots[versions.object_] & (versions.producer >= 0))
    version = np.repeat(made, grid.nodes - 1)
    further = np.tile(np.arange(1, grid.nodes, dtype=np.int64), len(made))
    target = (versions.source[version] + further) % grid.nodes
    nobody = np.full(len(version), NOBODY, np.int64)
    return Access(version, target, nobody, np.zeros(len(version), np.bool_))


def by_way_of_home(graph: Graph, access: Access, versions: Versions) -> tuple[Access, Access]:
    """What exchanges left of a panel write was made on their node, but has gone home since.

    It is shared with the node where it lives, and comes back.
    """
    left = (graph.j < graph.step) & ~in_panels(graph)
    is_left = left[access.node] & (access.node != NOBODY)
    home = versions.home[access.version]
    is_here = versions.source[access.version] == access.target
    back = access.at(is_left & access.is_move & is_here & (home != access.target))
    nobody, no_move = np.full(len(back.node), NOBODY, np.int64), np.zeros(len(back.node), np.bool_)
    return Access(back.version, versions.home[back.version], nobody, no_move), back


def together(parts: Sequence[Access]) -> Access:
    return Access(*map(np.concatenate, zip(*(vars(a).values() for a in parts), strict=True)))


def arranged(  # noqa: PLR0913, PLR0917 (what a message is made of)
    graph: Graph, place: Ints, versions: Versions, access: Access, grid: Grid, kernels: str
) -> Messages:
    """One message for each version and node to which it goes."""
    source = versions.source[access.version]
    is_pivots = bool(graph.instance.benchmark == "lu")
    is_tile = coordinates(graph.objects)[0][versions.object_[access.version]] >= 0
    turned = (access.target - source) % grid.nodes  # the route of pivots begins at their node
    order = np.where(is_tile | (not is_pivots), access.target, turned)
    key = access.version * grid.nodes + order
    _, one, which = np.unique(key, return_index=True, return_inverse=True)
    only_moves = np.bincount(which, ~access.is_move, minlength=len(one)) == 0
    version = access.version[one]
    sequence = np.lexsort((order[one], only_moves, version))
    number = np.empty(len(one), np.int64)
    number[sequence] = np.arange(len(one))
    one, version, only_moves = one[sequence], version[sequence], only_moves[sequence]
    parent, turn = tree(version, only_moves)
    target = access.target[one]
    origin = versions.source[version]
    back = np.flatnonzero(target == origin)
    parent[back] = found_at(
        version * grid.nodes + target, version[back] * grid.nodes + versions.home[version[back]]
    )
    waits = access.node != NOBODY
    return Messages(
        place=place,
        producer=versions.producer[version],
        source=np.where(parent == NOBODY, origin, target[parent]),
        target=target,
        parent=parent,
        bytes_=bytes_of(graph, versions, version, kernels),
        consumers=grouped(number[which][waits], access.node[waits], len(one)),
        first=first_sent(parent, turn, versions.producer[version], len(graph)),
        onward=sent_on(parent, turn, len(one)),
    )


def tree(version: Ints, only_moves: Flags) -> tuple[Ints, Ints]:
    """The message that brings each message to its source, and its turn among those sent there.

    The place in a route is that of the binomial tree: 0 is the root, v receives from v without its
    lowest bit, and who sends to several begins with the last.
    """
    count = len(version)
    numbers = np.arange(count, dtype=np.int64)
    begins = np.ones(count, np.bool_)
    begins[1:] = version[1:] != version[:-1]
    base = np.maximum.accumulate(np.where(begins, numbers, 0))
    v = numbers - base + 1
    above = v & (v - 1)
    parent = np.where((above == 0) | only_moves, NOBODY, base + above - 1)
    order = np.lexsort((-v, only_moves, base))  # moves come last
    turn = np.empty(count, np.int64)
    turn[order] = numbers
    return parent.astype(np.int64), turn


def found_at(keys: Ints, wanted: Ints) -> Ints:
    """The places of keys, each of which is there once."""
    order = np.argsort(keys)
    return order[np.searchsorted(keys, wanted, sorter=order)]


def first_sent(parent: Ints, turn: Ints, producer: Ints, nodes: int) -> Rows:
    """The messages that calls send when they end; in the last row those of the start."""
    order = np.argsort(turn)
    roots = order[parent[order] == NOBODY]
    sender = producer[roots]
    return grouped(np.where(sender == NOBODY, nodes, sender), roots, nodes + 1)


def sent_on(parent: Ints, turn: Ints, count: int) -> Rows:
    order = np.argsort(turn)
    passed = order[parent[order] != NOBODY]
    return grouped(parent[passed], passed, count)


def bytes_of(graph: Graph, versions: Versions, version: Ints, kernels: str) -> Floats:
    """The bytes of messages, padding included, as the programs send them."""
    i, j = coordinates(graph.objects)
    object_ = versions.object_[version]
    producer = np.maximum(versions.producer[version], 0)
    tiles = tile_bytes(graph.instance, i[object_], j[object_])
    others = other_bytes(graph, producer, kernels)
    kind = kinds_of(graph.objects)[0][object_]
    others = np.where(kind == NO_TILE, others, column_bytes(graph.instance, kind))
    return np.where(i[object_] >= 0, tiles, others).astype(np.float64)
