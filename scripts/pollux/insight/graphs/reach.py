# SPDX-License-Identifier: BSD-3-Clause
"""Exact reachability of nodes: 64 nodes at a time, one bit of a word for each.

Edges lead forward, so that for 64 nodes one pass over the edges from the first of them on is
enough, and it can end at the last queried node. It needs one word of memory for each node.
A query that would take more steps than STEPS_MOST is not answered.
"""

import numpy as np
from numpy.typing import NDArray

from pollux.core.compiled import compiled, compiled_within
from pollux.insight.graphs.model import Flags, Ints, Rows

BITS = 64
STEPS_MOST = 4e9  # edges passed: about ten seconds
Words = NDArray[np.uint64]


def implied_edges(before: Rows) -> Flags | None:
    """Which edges (values of `before`) a longer path implies; None if that takes too long."""
    farthest = last_successors(before.start, before.values)
    if steps_of_implied(before.start, farthest) > STEPS_MOST:
        return None
    return find_implied(before.start, before.values, farthest)


def ordered(before: Rows, sources: Ints, targets: Ints) -> Flags | None:
    """Whether a path leads from each source to its target, a later node; None: takes too long."""
    order = np.argsort(sources, kind="stable")
    sorted_sources, sorted_targets = sources[order], targets[order]
    heads = np.ones(len(order), dtype=np.bool_)
    heads[1:] = sorted_sources[1:] != sorted_sources[:-1]
    rank = np.cumsum(heads, dtype=np.int64) - 1
    blocks = np.flatnonzero(heads & (rank % BITS == 0))
    if steps_of_queries(before.start, sorted_sources, sorted_targets, blocks) > STEPS_MOST:
        return None
    found = np.zeros(len(order), dtype=np.bool_)
    found[order] = find_ordered(
        before.start, before.values, sorted_sources, sorted_targets, rank, blocks
    )
    return found


def compare_orders(first: Rows, second: Rows, counted: Flags) -> tuple[int, int] | None:
    """Pairs of counted nodes that the first orders, and those of them that the second does not.

    None if that takes too long.
    """
    edges = len(first.values) + len(second.values)
    if (len(first) / BITS + 1) * edges / 2 > STEPS_MOST:
        return None
    one, both = count_pairs(first.start, first.values, second.start, second.values, counted)
    return int(one), int(one - both)


@compiled
def last_successors(start: Ints, values: Ints) -> Ints:
    """The last node directly after each; the node itself if there is none."""
    farthest = np.arange(len(start) - 1)
    for node in range(len(start) - 1):
        for at in range(start[node], start[node + 1]):
            farthest[values[at]] = node
    return farthest


@compiled
def steps_of_implied(start: Ints, farthest: Ints) -> float:
    steps = 0.0
    for first in range(0, len(farthest), BITS):
        steps += start[farthest[first : first + BITS].max() + 1] - start[first]
    return steps


@compiled
def find_implied(start: Ints, values: Ints, farthest: Ints) -> Flags:
    implied = np.zeros(len(values), dtype=np.bool_)
    reached = np.zeros(len(farthest), dtype=np.uint64)  # the sources with a path to each node
    one = np.uint64(1)
    for first in range(0, len(farthest), BITS):
        for node in range(first, farthest[first : first + BITS].max() + 1):
            far, near = np.uint64(0), np.uint64(0)
            for at in range(start[node], start[node + 1]):
                if values[at] >= first:
                    far |= reached[values[at]]
                    if values[at] < first + BITS:
                        near |= one << np.uint64(values[at] - first)
            if far & near:
                for at in range(start[node], start[node + 1]):
                    if first <= values[at] < first + BITS:
                        implied[at] = (far >> np.uint64(values[at] - first)) & one != 0
            reached[node] = far | near
    return implied


@compiled
def steps_of_queries(start: Ints, sources: Ints, targets: Ints, blocks: Ints) -> float:
    steps = 0.0
    for block in range(len(blocks)):
        begin = blocks[block]
        end = blocks[block + 1] if block + 1 < len(blocks) else len(sources)
        steps += max(0, start[targets[begin:end].max() + 1] - start[sources[begin]])
    return steps


@compiled
def find_ordered(  # noqa: PLR0913, PLR0917 (compiled code takes arrays only)
    start: Ints, values: Ints, sources: Ints, targets: Ints, rank: Ints, blocks: Ints
) -> Flags:
    found = np.zeros(len(sources), dtype=np.bool_)
    reached = np.zeros(len(start) - 1, dtype=np.uint64)
    own = np.zeros(len(start) - 1, dtype=np.uint64)  # the bit of each source, in its block
    one = np.uint64(1)
    for block in range(len(blocks)):
        begin = blocks[block]
        end = blocks[block + 1] if block + 1 < len(blocks) else len(sources)
        for query in range(begin, end):
            own[sources[query]] = one << np.uint64(rank[query] % BITS)
        first = sources[begin]
        for node in range(first, targets[begin:end].max() + 1):
            word = np.uint64(0)
            for at in range(start[node], start[node + 1]):
                if values[at] >= first:  # earlier sources are not
                    word |= reached[values[at]] | own[values[at]]
            reached[node] = word
        for query in range(begin, end):
            bit = one << np.uint64(rank[query] % BITS)
            found[query] = targets[query] > first and reached[targets[query]] & bit != 0
    return found


@compiled
def count_pairs(
    start: Ints, values: Ints, other_start: Ints, other: Ints, counted: Flags
) -> tuple[int, int]:
    """Pairs of counted nodes that the first graph orders, and those that both order."""
    nodes = len(counted)
    reached, other_reached = np.zeros(nodes, dtype=np.uint64), np.zeros(nodes, dtype=np.uint64)
    ordered_pairs, both = 0, 0
    for first in range(0, nodes, BITS):
        mask = np.uint64(0)
        for node in range(first, min(first + BITS, nodes)):
            if counted[node]:
                mask |= np.uint64(1) << np.uint64(node - first)
        for node in range(first, nodes):
            reached[node] = merged(start, values, reached, node, first)
            other_reached[node] = merged(other_start, other, other_reached, node, first)
            if counted[node]:
                ordered_pairs += ones(reached[node] & mask)
                both += ones(reached[node] & other_reached[node] & mask)
    return ordered_pairs, both


@compiled_within
def merged(start: Ints, values: Ints, reached: Words, node: int, first: int) -> np.uint64:
    """Which of the 64 nodes from `first` on have a path to a node."""
    word = np.uint64(0)
    for at in range(start[node], start[node + 1]):
        if values[at] >= first:
            word |= reached[values[at]]
            if values[at] < first + BITS:
                word |= np.uint64(1) << np.uint64(values[at] - first)
    return word


@compiled
def ones(word: np.uint64) -> int:
    """The number of bits that are set: sums of pairs, of fours, of bytes, then all bytes."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    fours = np.uint64(0x3333333333333333)
    word = (word & fours) + ((word >> np.uint64(2)) & fours)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
