# SPDX-License-Identifier: BSD-3-Clause
"""Makes, sorts, chooses and inverts lists of different lengths, stored one after another."""

from dataclasses import replace

import numpy as np

from pollux.insight.graphs.model import Graph, Ints, Rows


def starts(lengths: Ints) -> Ints:
    """The begin of rows of these lengths, and the end of the last."""
    start = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=start[1:])
    return start


def owners(rows: Rows) -> Ints:
    """The row that each value is in."""
    return np.repeat(np.arange(len(rows), dtype=np.int64), np.diff(rows.start))


def grouped(owner: Ints, values: Ints, count: int) -> Rows:
    """Rows of the values by their owner, each in the order given."""
    ordered = bool(np.all(owner[1:] >= owner[:-1]))
    placed = values if ordered else values[np.argsort(owner, kind="stable")]
    return Rows(starts(np.bincount(owner, minlength=count).astype(np.int64)), placed)


def inverted(rows: Rows, count: int) -> Rows:
    """Row c lists the rows that contain c, ascending: turns predecessors into successors."""
    return grouped(rows.values, owners(rows), count)


def chosen(rows: Rows, which: Ints) -> Rows:
    """These rows, in this order."""
    lengths = np.diff(rows.start)[which]
    start = starts(lengths)
    shift = np.repeat(rows.start[which] - start[:-1], lengths)
    return Rows(start, rows.values[shift + np.arange(len(shift))])


def chosen_nodes(graph: Graph, which: Ints) -> Graph:
    """The graph with these nodes of it, in this order; edges still name all of its nodes."""
    return replace(
        graph,
        kernel=graph.kernel[which],
        step=graph.step[which],
        i=graph.i[which],
        j=graph.j[which],
        task=graph.task[which],
        root_task=graph.root_task[which],
        before=chosen(graph.before, which),
        reads=chosen(graph.reads, which),
        writes=chosen(graph.writes, which),
        work=graph.work.at(which),
    )
