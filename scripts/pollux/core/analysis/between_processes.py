# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons that differ from one pair of processes to the next, and what such pairs tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.result import Result, Row
from pollux.core.campaign.deviation import Compared, spreads_of
from pollux.core.campaign.logarithms import shared_rounds
from pollux.core.text import in_percent, some

PROCESSES = 0.02  # deviation of a ratio from pair to pair of processes, beyond that of repetitions
CLEARLY = 4  # times the variance that repetitions explain
FEWEST_PAIRS = 8
PREEMPTIONS = 100  # of a process a second: fewer are a quiet machine
MORE_OFTEN = 2  # than the other side
REPETITIONS = 3  # of a process, at least


@dataclass(frozen=True)
class InTurns:
    """A row that took turns with its reference, and what its pairs of processes show."""

    row: Row
    reference: Row
    pairs: Compared


def about_pairs(result: Result) -> Iterator[str]:
    known = list(rows_in_turns(result))
    yield from about_processes(result, known)
    yield from about_preemptions(result, known)


def rows_in_turns(result: Result) -> Iterator[InTurns]:
    """Those with pairs enough whose repetitions show how these deviate."""
    references = {row.cell: row for row in result.rows if row.level == result.reference}
    for row in result.rows:
        reference = references.get(row.cell)
        if row is reference or reference is None or not row.comparison.paired:
            continue
        pairs = pairs_in_turns(row, reference)
        if len(pairs.differences) >= FEWEST_PAIRS:
            yield InTurns(row, reference, pairs)


def pairs_in_turns(row: Row, reference: Row) -> Compared:
    rounds, (places, _) = shared_rounds(row.logs, reference.logs)
    counts = zip(rounds, row.logs.all.turns.counts[places].tolist(), strict=True)
    differences = row.differences or {}
    found = [
        (differences[r], deviation, count)
        for r, count in counts
        if count >= REPETITIONS and (deviation := row.deviations.get(r)) is not None
    ]
    return Compared(*zip(*found, strict=True)) if found else Compared((), (), ())


def about_processes(result: Result, known: Sequence[InTurns]) -> Iterator[str]:
    """Comparisons that differ from one pair of processes to the next more than within a pair."""
    found: dict[str, float] = {}
    for own, spread in zip(known, spreads_of([own.pairs for own in known]), strict=True):
        if spread.of_processes > max(PROCESSES**2, CLEARLY * spread.of_repetitions):
            found[own.row.name] = sqrt(spread.of_processes)
    if found:
        yield (
            f"{some(found)} and {result.reference} differ by another "
            f"{in_percent(max(found.values()))} from process to process: something that a process "
            "keeps, such as where its threads and pages are, matters as much as what is compared"
        )


def about_preemptions(result: Result, known: Sequence[InTurns]) -> Iterator[str]:
    """Comparisons in which one side loses its processors to other programs far more often."""
    if not (result.dataset.columns.preemptions > PREEMPTIONS).any():
        return
    for both in known:
        own, other = (preemptions_of(result.dataset, row) for row in (both.row, both.reference))
        if max(own, other) > PREEMPTIONS and max(own, other) > MORE_OFTEN * min(own, other):
            yield (
                f"{both.row.name} lost a processor to another program {own:.0f} times a second, "
                f"{result.reference} {other:.0f} times: threads that yield while they wait lose "
                "more than threads that spin, so the ratio differs on a machine without others"
            )
            return


def preemptions_of(dataset: Dataset, row: Row) -> float:
    """The median over its processes, per second."""
    return float(np.median(dataset.columns.preemptions[dataset.valid[row.key]]))
