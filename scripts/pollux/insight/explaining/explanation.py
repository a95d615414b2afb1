# SPDX-License-Identifier: BSD-3-Clause
"""The results for one side, or for two and their difference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import exp, log
from statistics import median

from pollux.core.analysis.anytime import Pairs
from pollux.core.errors import BadUsageError
from pollux.core.executables.builds import SEQUENTIAL
from pollux.insight.explaining.bounds import Bounds, KernelTimes, bounds, kernel_times
from pollux.insight.explaining.deciding import log_ratio, of_shares, shares_of
from pollux.insight.explaining.efficiency import Efficiency, efficiencies
from pollux.insight.explaining.groups import GROUPS, TERMS
from pollux.insight.explaining.model import Round, Split, Terms
from pollux.insight.explaining.naming import names_of
from pollux.insight.explaining.rounds import Rounds, rounds_of
from pollux.insight.explaining.sides import Side, are_measured_together
from pollux.insight.explaining.spread import Spread, Verdict, anytime, middle, shift, spread
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.over_ranks import over_ranks
from pollux.insight.traces.model import Trace

RELEVANT = 0.01  # of the thread-time


@dataclass(frozen=True)
class SideResult:
    """One side: a representative run, and the medians over all rounds."""

    name: str
    measured: Side
    split: Split  # of the run shown, with the typical time of each call alone
    rounds: Sequence[Round]  # all runs, each with the calls' times alone in its round
    shown: int  # the run whose terms are shown, from 0
    terms: dict[str, Spread]  # ns, by the keys of TERMS and GROUPS
    region: Spread
    bounds: Bounds
    kernels: list[KernelTimes]
    efficiencies: list[Efficiency]

    @property
    def run_shown(self) -> Trace:
        return self.measured.runs[self.shown]

    @property
    def place_shown(self) -> tuple[int, int]:
        """The round of the run shown, and which of its repetitions it is, from 0."""
        return places(self.rounds)[self.shown]

    @property
    def is_alone_known(self) -> bool:
        return self.split.alone is not None

    @property
    def has_tasks(self) -> bool:
        return self.measured.instance.variant != SEQUENTIAL


@dataclass(frozen=True)
class Difference:
    """The second side against the first, round by round."""

    ratio: Spread  # of their times
    total: Spread  # of thread-time, or of time per thread, ns, second minus first
    terms: dict[str, Spread]  # the same for each term
    thread_time: float  # of the first side, ns, or its time: the median over rounds
    relevant: float = RELEVANT  # share of it: a smaller part of the difference does not matter
    is_sequential: bool = False  # rounds went on until the cause was decided
    is_per_thread: bool = False  # the sides have different numbers of threads
    is_alone_known: bool = True  # how long kernels take alone, so that their slow-down is known
    is_work_shared: bool = False  # kernels are the same, and so take the same time alone

    @property
    def unit(self) -> str:
        """What the terms are parts of."""
        return "time per thread" if self.is_per_thread else "thread-time"

    def verdict(self, key: str) -> Verdict:
        """Whether the second side has more of a term."""
        if key == "slowdown" and not self.is_alone_known:
            return Verdict.OPEN
        return self.terms[key].verdict(self.relevant * self.thread_time)

    @property
    def is_excluded(self) -> bool:
        """Whether the rounds went on until a relevant difference was excluded."""
        within = 1 - self.relevant <= self.ratio.low and self.ratio.high <= 1 / (1 - self.relevant)
        return self.is_sequential and self.ratio.is_conclusive and within

    @property
    def is_noise(self) -> bool:
        return self.ratio.contains(1.0)


@dataclass(frozen=True)
class Explanation:
    """One or two sides."""

    subject: str  # what the sides have in common
    sides: list[SideResult]
    difference: Difference | None


def explain_sides(
    sides: Sequence[Side], graphs: Sequence[Graph], until_decided: float | None = None
) -> Explanation:
    """Explain the sides from their traces and graphs.

    `until_decided` is the relevant share, where rounds were taken until the cause was decided.
    """
    check_comparable(sides)
    sides = equally_known(sides)
    subject, names = names_of(sides)
    over = [over_ranks(graph, side.runs[0].grid) for graph, side in zip(graphs, sides, strict=True)]
    measured = rounds_of(over, sides)
    rounds = [own.split() for own in measured]
    if until_decided is not None or is_cut_short(sides, rounds):
        fewest = min(map(len, rounds))
        rounds = [own[:fewest] for own in rounds]
    shown = shown_runs(rounds)
    results = [
        explain_side(name, own, splits, at, is_sequential=until_decided is not None)
        for name, own, splits, at in zip(names, measured, rounds, shown, strict=True)
    ]
    difference = None
    if len(rounds) > 1:
        difference = (
            differ(rounds[0], rounds[1])
            if until_decided is None
            else differ_anytime(rounds[0], rounds[1], until_decided)
        )
        is_known = not any(side.lacks_alone for side in sides)
        is_shared = is_known and measured[0].is_alone_shared
        difference = replace(difference, is_alone_known=is_known, is_work_shared=is_shared)
    return Explanation(subject, results, difference)


def equally_known(sides: Sequence[Side]) -> Sequence[Side]:
    """No side has traces alone unless all have: work that is slowed down would look like more."""
    if not any(side.lacks_alone for side in sides):
        return sides
    return [replace(s, alone=[], is_alone_left_out=bool(s.alone)) for s in sides]


def is_cut_short(sides: Sequence[Side], taken: Sequence[Sequence[Round]]) -> bool:
    """Whether an interruption of explain has left the last round to one side of its two."""
    rounds = sorted(map(len, taken))
    return are_measured_together(sides) and rounds[-1] - rounds[0] == 1


def check_comparable(sides: Sequence[Side]) -> None:
    """Refuse to compare factorizations of different matrices."""
    cells = {(s.instance.benchmark.partition("-")[0], s.instance.m, s.instance.n) for s in sides}
    if len(cells) > 1:
        listed = " and ".join(str(side.instance) for side in sides)
        raise BadUsageError(f"{listed} cannot be compared: not the same algorithm and matrix size")


def places(rounds: Sequence[Round]) -> list[tuple[int, int]]:
    """The round of each run, and which of its repetitions it is."""
    return [(number, k) for number, own in enumerate(rounds) for k in range(len(own))]


def shown_runs(rounds: Sequence[Sequence[Round]]) -> list[int]:
    """The run with the median time; for two sides with the same rounds, the median ratio."""
    runs = [list(chain.from_iterable(own)) for own in rounds]
    if len(rounds) == 2 and places(rounds[0]) == places(rounds[1]):
        ratios = [b.region / max(1, a.region) for a, b in zip(*runs, strict=True)]
        return [middle(ratios)] * 2
    return [middle([split.region for split in own]) for own in runs]


def explain_side(
    name: str, measured: Rounds, rounds: Sequence[Round], shown: int, *, is_sequential: bool
) -> SideResult:
    def over_rounds(get: Callable[[Split], float]) -> Spread:
        found = spread(median(map(get, own)) for own in rounds)
        return found.as_description() if is_sequential else found

    def of_terms(get: Callable[[Terms], float]) -> Spread:
        return over_rounds(lambda split: get(split.terms))

    split, graph = measured.typical_split(shown), measured.over.graph
    limits = bounds(graph, split)
    return SideResult(
        name=name,
        measured=measured.side,
        split=split,
        rounds=rounds,
        shown=shown,
        terms={key: of_terms(get) for key, get in ALL.items()},
        region=over_rounds(lambda split: split.region),
        bounds=limits,
        kernels=kernel_times(graph, split, limits),
        efficiencies=efficiencies(split),
    )


def differ(first: Sequence[Round], second: Sequence[Round]) -> Difference:
    """The differences of a number of rounds that was chosen before."""
    own, other = shared_by(first, second)

    def of_terms(get: Callable[[Terms], float]) -> Spread:
        return shift(
            values_of(first, lambda split: get(split.terms) / own),
            values_of(second, lambda split: get(split.terms) / other),
        )

    times = [values_of(side, lambda split: log(max(1, split.region))) for side in (first, second)]
    return Difference(
        ratio=shift(*times).mapped(exp),
        total=of_terms(lambda terms: terms.total),
        terms={key: of_terms(get) for key, get in ALL.items()},
        thread_time=typical_time(first) / own,
        is_per_thread=own != other,
    )


def values_of(rounds: Sequence[Round], get: Callable[[Split], float]) -> list[list[float]]:
    return [[get(split) for split in own] for own in rounds]


def typical_time(rounds: Sequence[Round]) -> float:
    """The median thread-time."""
    return median(median(split.terms.total for split in own) for own in rounds)


def shared_by(first: Sequence[Round], second: Sequence[Round]) -> tuple[int, int]:
    """What divides the thread-times of both sides: their threads, where these differ."""
    threads = first[0][0].threads, second[0][0].threads
    return threads if threads[0] != threads[1] else (1, 1)


def differ_anytime(first: Sequence[Round], second: Sequence[Round], relevant: float) -> Difference:
    """The same of rounds that went on until the cause was decided."""
    own, other = shared_by(first, second)
    thread_time = typical_time(first) / own
    ratio = Pairs(relevant, map(log_ratio, first, second))

    def of(get: Callable[[Terms], float]) -> Spread:
        pairs = of_shares(relevant, shares_of(first, second, get))
        return anytime(pairs).times(thread_time)

    return Difference(
        ratio=anytime(ratio).mapped(exp),
        total=of(lambda terms: terms.total),
        terms={key: of(get) for key, get in ALL.items()},
        thread_time=thread_time,
        relevant=relevant,
        is_sequential=True,
        is_per_thread=own != other,
    )


ALL = {**{t.key: t.get for t in TERMS}, **{g.key: g.get for g in GROUPS}}
