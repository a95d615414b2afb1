# SPDX-License-Identifier: BSD-3-Clause
"""The splits of a side's rounds: of its processes, each beside one on one thread alone.

A process may have several traced repetitions, which its records number one after the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from pollux.core.records import DEFAULT_KERNELS
from pollux.insight.explaining.model import Split
from pollux.insight.explaining.ranks import split_any
from pollux.insight.explaining.sides import NUMBERS, SIDES, Side, are_measured_together
from pollux.insight.explaining.split import durations_alone
from pollux.insight.graphs.model import Ints
from pollux.insight.graphs.over_ranks import OverRanks
from pollux.insight.traces.model import Trace


@dataclass(frozen=True)
class Rounds:
    """What was measured of a side."""

    over: OverRanks
    side: Side
    alone: Sequence[Sequence[Trace]]  # of each round
    is_alone_shared: bool = False  # these are of both sides

    def split(self) -> list[list[Split]]:
        """The splits of each round's repetitions, with the calls' times alone in the same round.

        The k-th process goes with the k-th on one thread, which ran right after it; in a file of
        explain's, a last one without is of a round that an interruption cut short. Where the
        numbers differ in another way, every run is compared with the calls' typical times alone.
        """
        runs = by_process(self.side.runs)
        if self.side.threads == 1:  # alone by definition
            return [[self.split_with(run, self.times([run])) for run in own] for own in runs]
        times = list(map(self.times, self.alone))
        is_cut_short = self.side.number in NUMBERS and not self.side.is_alone_given
        if not times or len(runs) - len(times) not in (0, int(is_cut_short)):
            times = [self.typical_times()] * len(runs)
        pairs = zip(runs, times, strict=False)
        return [[self.split_with(run, own) for run in process] for process, own in pairs]

    def typical_split(self, number: int) -> Split:
        """The split of one run, with the calls' typical times alone."""
        run = self.side.runs[number]
        is_alone = self.side.threads == 1
        return self.split_with(run, self.times([run]) if is_alone else self.typical_times())

    def split_with(self, run: Trace, alone: Ints | None) -> Split:
        return split_any(self.over.graph, run, alone)

    def typical_times(self) -> Ints | None:
        return self.times(chain.from_iterable(self.alone))

    def times(self, traces: Iterable[Trace]) -> Ints | None:
        """The time of each call in runs alone: the median, robust against a disturbed one.

        On one thread no call is made in parts.
        """
        found = [self.over.shared_out(durations_alone(self.over.whole, trace)) for trace in traces]
        return np.median(np.array(found), axis=0).astype(np.int64) if found else None


def rounds_of(over: Iterable[OverRanks], sides: Sequence[Side]) -> list[Rounds]:
    """Of one side or two.

    Kernels that both call take the same time alone, on whatever runtime: both have the traces of
    both, if these are of one measurement, and so of one machine in one state.
    """
    alone = [by_process(side.alone) for side in sides]
    is_shared = are_measured_together(sides) and call_the_same(sides)
    if is_shared and all(side.threads > 1 for side in sides):
        both = [[*own, *other] for own, other in zip(*alone, strict=False)]
        return [Rounds(*own, both, is_alone_shared=True) for own in zip(over, sides, strict=True)]
    return list(map(Rounds, over, sides, alone))


def call_the_same(sides: Sequence[Side]) -> bool:
    """Whether two sides call the same kernels: of one library, or compiled by one compiler."""
    if len(sides) != SIDES:
        return False
    (a, first), (b, second) = ((side.runs[0], side.runs[0].record) for side in sides)
    calls = a.graph_instance == b.graph_instance and a.grid == b.grid
    sets = all(first.get(key) == second.get(key) for key in ("kernels", "blas"))
    is_library = first.get("kernels") == DEFAULT_KERNELS
    return calls and sets and (is_library or first.get("compiler") == second.get("compiler"))


def by_process(traces: Iterable[Trace]) -> list[list[Trace]]:
    """The traced repetitions of each process, whose numbers go up by one."""
    found: list[list[Trace]] = []
    for trace in traces:
        if found and repetition_of(trace) == repetition_of(found[-1][-1]) + 1:
            found[-1].append(trace)
        else:
            found.append([trace])
    return found


def repetition_of(trace: Trace) -> int:
    return int(trace.record.get("repetition", 0))
