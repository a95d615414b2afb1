# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons that differ from one pair of processes to the next, and what such pairs tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt

import numpy as np

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.result import Result, Row
from pollux.core.campaign.deviation import Compared, differences_between, spreads_of
from pollux.core.campaign.samples import NONE
from pollux.core.text import some

PROCESSES = 0.02  # deviation of a ratio from pair to pair of processes, beyond that of repetitions
CLEARLY = 4  # times the variance that repetitions explain
FEWEST_PAIRS = 8
PREEMPTIONS = 100  # of a process a second: fewer are a quiet machine
MORE_OFTEN = 2  # than the other side
REPETITIONS = 3  # of a process, at least


@dataclass(frozen=True)
class InTurns:
    """A row, and where the samples are that took turns with samples of the reference."""

    row: Row
    own: list[int]
    other: list[int]

    @property
    def name(self) -> str:
        return f"{self.row.cell} on {self.row.level}"


def about_pairs(result: Result) -> Iterator[str]:
    known = list(rows_in_turns(result))
    yield from about_processes(result, known)
    yield from about_preemptions(result, known)


def rows_in_turns(result: Result) -> Iterator[InTurns]:
    """Those with samples enough that took turns with samples of the reference, and these pairs."""
    places = places_in_turns(result.dataset)
    references = {row.cell: row for row in result.rows if row.level == result.reference}
    for row in result.rows:
        reference = references.get(row.cell)
        if row is reference or reference is None or not row.comparison.paired:
            continue
        own, other = places.get(row.key, {}), places.get(reference.key, {})
        shared = [rota for rota in own if rota in other]
        if len(shared) >= FEWEST_PAIRS:
            yield InTurns(row, [own[rota] for rota in shared], [other[rota] for rota in shared])


def places_in_turns(dataset: Dataset) -> dict[str, dict[tuple[int, int], int]]:
    """The places of samples whose repetitions show how these deviate, by rota and repetitions."""
    own, counting = dataset.columns, dataset.counting
    is_known = own.is_valid & (own.rota != NONE) & (own.speeds.counts >= REPETITIONS)
    found = {}
    for key, places in own.by_configuration(counting[is_known[counting]]).items():
        rotas, counts = own.rota[places].tolist(), own.speeds.counts[places].tolist()
        found[key] = dict(zip(zip(rotas, counts, strict=True), places.tolist(), strict=True))
    return found


def about_processes(result: Result, known: Sequence[InTurns]) -> Iterator[str]:
    """Comparisons that differ from one pair of processes to the next more than within a pair."""
    found: dict[str, float] = {}
    for pairs, spread in zip(known, spreads_of(compared(result.dataset, known)), strict=True):
        if spread.of_processes > max(PROCESSES**2, CLEARLY * spread.of_repetitions):
            found[pairs.name] = sqrt(spread.of_processes)
    if found:
        yield (
            f"{some(found)} and {result.reference} differ by another {max(found.values()):.0%} "
            "from process to process: something that a process keeps, such as where its threads "
            "and pages are, matters as much as what is compared"
        )


def compared(dataset: Dataset, known: Sequence[InTurns]) -> list[Compared]:
    """What the speeds of these pairs show."""
    if not known:
        return []
    own = np.concatenate([pairs.own for pairs in known])
    other = np.concatenate([pairs.other for pairs in known])
    differences, deviations = differences_between(dataset.logarithms, own, other)
    each, spreads = iter(differences), iter(deviations)
    repetitions = dataset.columns.repetitions
    return [
        Compared(
            list(islice(each, len(pairs.own))),
            [d for d in islice(spreads, len(pairs.own)) if d is not None],
            repetitions[[*pairs.own, *pairs.other]].tolist(),
        )
        for pairs in known
    ]


def about_preemptions(result: Result, known: Sequence[InTurns]) -> Iterator[str]:
    """Comparisons in which one side loses its processors to other programs far more often."""
    rates = result.dataset.columns.preemptions
    if not (rates > PREEMPTIONS).any():
        return
    for pairs in known:
        own, other = (float(np.median(rates[side])) for side in (pairs.own, pairs.other))
        if max(own, other) > PREEMPTIONS and max(own, other) > MORE_OFTEN * min(own, other):
            yield (
                f"{pairs.name} lost a processor to another program {own:.0f} times a second, "
                f"{result.reference} {other:.0f} times: threads that yield while they wait lose "
                "more than threads that spin, so the ratio differs on a machine without others"
            )
            return
