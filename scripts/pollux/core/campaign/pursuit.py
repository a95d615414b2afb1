# SPDX-License-Identifier: BSD-3-Clause
"""Runs a campaign until its comparisons are decided, or its budget of time is spent.

What runs next depends on what is decided, so there is no list of units. First come rounds of all
cells, until it is known what holds for them together: the answer in a sentence. Then, before each
block, the cells are chosen that can still be decided in the time left: those that seem to differ
first, and of these the nearest to their decision. A comparison that is decided takes no more
samples. Nothing is repeated: a round on a disturbed machine counts, and its verdict's procedure
copes with it.
"""

import random
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from itertools import accumulate, takewhile
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pollux.core.campaign.deviation import speeds_in_logarithms, wander_of
from pollux.core.campaign.engine import SHORTEST_BLOCK, Engine, Progress
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import Configuration, Stopped
from pollux.core.campaign.outlook import Outlook, outlook_of
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.repetitions import CHOICES, first, seconds_with, suggested
from pollux.core.campaign.samples import Logs
from pollux.core.campaign.schedule import Unit
from pollux.core.campaign.series import Comparisons
from pollux.core.campaign.switch import Switch

BUDGET = 600.0  # seconds, where none is given
LEAST_GRACE, MOST_GRACE = 10.0, 120.0  # seconds beyond the budget
OPENING = 6  # rounds of every cell: fewer decide nothing, and a forecast needs some
FORESEEING = 0.01  # of the time, at most
BLOCKS = 20  # about so many in the budget: cells are chosen anew before each
Side = tuple[str, str | None]  # of a comparison: a configuration, and a quantity if it is known
Floats = NDArray[np.float64]


class Standings(Protocol):
    """What is decided: comparisons by series, and by the place among those of the series.

    A series is one quantity in one cell: first the headline of each cell, in order, then further
    ones. The answer is the mean over the cells of a runtime, of which there are two or more.
    """

    def add(self, cell: int, logs: Sequence[Mapping[int, Logs]]) -> None: ...
    def judge(self) -> None: ...
    def lose(self, cell: int, comparison: int) -> None: ...
    def drop(self, cell: int, comparison: int) -> None: ...
    def is_decided(self, cell: int, comparison: int) -> bool: ...
    def seems_different(self, cell: int, comparison: int) -> bool: ...
    def answer_rounds(self, cell: int, comparison: int) -> int: ...
    def rounds_left(self, cell: int, comparison: int) -> int: ...
    def evidence(self, deviation: float) -> float: ...
    def outlook(self) -> dict[tuple[int, int], Floats]: ...
    def answer_outlook(self) -> dict[str, Floats]: ...


def grace_of(budget: float) -> float:
    """Seconds within which what still runs when the budget is over may end by itself."""
    return min(MOST_GRACE, max(LEAST_GRACE, budget / 10))


@dataclass(frozen=True)
class Goal:
    """What a campaign runs for, and for how many seconds at most."""

    comparisons: Comparisons
    standings: Standings  # of these
    budget: float


class Pursuit(Engine):
    """Runs rounds of a plan's cells until all is decided, or no further one fits in its time."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        progress: Progress,
        goal: Goal,
        switch: Switch | None = None,
    ) -> None:
        super().__init__(plan, journal, progress, switch)
        self.standings = goal.standings
        self.budget = goal.budget
        self.most_rounds = plan.campaign.most_rounds or sys.maxsize
        self.cells = goal.comparisons.cells
        self.place_of = {
            c.hash(): (cell, place)
            for cell, own in enumerate(self.cells)
            for place, c in enumerate(own)
        }
        self.has_reference = goal.comparisons.has_reference
        self.series, self.series_in = goal.comparisons.series, goal.comparisons.series_in
        self.without: set[tuple[int, int]] = set()  # comparisons that compare would not make
        self.state.comparisons = len(list(self.compared()))
        self.foresees_at = 0.0
        self.chosen: dict[int, tuple[int, int]] = {}  # by cell: a round, and its repetitions
        self.seconds_of_all = 0.0  # a round of all cells, as far as is known before a block

    def run(self) -> None:
        """Run block after block until all is decided, or no further round ends in the time left."""
        self.note_configurations()
        self.note(*range(len(self.cells)))
        before = None
        while block := self.next_block():
            before = self.prepare(block[0].levers, before)
            self.count(block, deque())
            before = self.run_block(block, before or self.calibrate())
        self.count([], deque())
        cells = range(len(self.cells))
        if any(map(self.rounds_left, cells)):
            self.stopped = Stopped.BUDGET
        elif not any(map(self.open_comparisons, cells)):
            self.stopped = Stopped.DECIDED

    @property
    def seconds_left(self) -> float:
        """Of the budget: while all is stopped or the machine sleeps, none of it is spent."""
        return 0.0 if self.cut else self.budget - self.known.seconds

    def seconds_allowed(self) -> float:
        return self.seconds_left + grace_of(self.budget)

    def run_unit(self, unit: Unit, block: int) -> None:
        cell, _ = self.place_of[unit.configurations[0].hash()]
        if self.has_time(cell):
            super().run_unit(unit, block)
            self.note(cell)

    def run_together(self, unit: Unit, rota: Sequence[Configuration], block: int) -> None:
        if self.seconds_left > 0:
            super().run_together(unit, rota, block)

    def has_time(self, cell: int) -> bool:
        """Whether a round of it ends in the time left; the first of a side tells its length."""
        is_new = not all(self.known.samples.get(c.hash()) for c in self.wanted(cell))
        return self.seconds_left > (0 if is_new else self.round_seconds(cell))

    def compared(self) -> Iterator[tuple[int, int]]:
        """All comparisons: the series, and the place in it."""
        for i, series in enumerate(self.series):
            yield from ((i, at) for at in range(len(series.levels)))

    def note(self, *cells: int) -> None:
        """Take in the samples of cells, of those that compare anything."""
        for cell in (cell for cell in cells if self.has_reference[cell]):
            for i in self.series_in[cell]:
                self.take_in(i)
        self.standings.judge()
        compared = [place for place in self.compared() if place not in self.without]
        self.state.comparisons = len(compared)
        self.state.decided = sum(self.standings.is_decided(i, at) for i, at in compared)

    def take_in(self, series: int) -> None:
        """Take in the samples of a series, less those of comparisons that compare would not make.

        These are left out from then on, for the first rounds tell.
        """
        reference, *others = self.sides(series)
        for at, other in enumerate(others):
            is_new = (series, at) not in self.without
            if is_new and not self.can_compare(reference, other):
                self.without.add((series, at))
                self.standings.drop(series, at)
            elif not self.can_decide(series, at):
                self.standings.lose(series, at)
        logs = [
            {} if (series, at) in self.without else self.known.logs(*other)
            for at, other in enumerate(others)
        ]
        self.standings.add(series, [self.known.logs(*reference), *logs])

    def sides(self, series: int) -> list[Side]:
        """The configurations of a series with its quantity, the reference first."""
        own = self.series[series]
        hashes = [c.hash() for c in self.cells[own.cell]]
        return [(hash_, own.quantity or self.known.headline(hash_)) for hash_ in hashes]

    def can_decide(self, series: int, at: int) -> bool:
        """Whether both sides run, and can be compared as far as is known."""
        own = self.cells[self.series[series].cell]
        sides = own[0], own[1 + at]
        return (series, at) not in self.without and all(map(self.can_run, sides))

    def can_compare(self, reference: Side, other: Side) -> bool:
        """Whether both have the same quantity, as far as is known."""
        names = {name for _, name in (reference, other) if name is not None}
        return len(names) < 2 and self.may_have(*reference) and self.may_have(*other)

    def may_have(self, configuration: str, quantity: str | None) -> bool:
        """Whether a configuration has a quantity in some of its first rounds, or may have."""
        if self.known.has_lost(configuration, quantity):
            return False
        first = sorted(self.known.rounds_taken(configuration))[:OPENING]
        if len(first) < OPENING:
            return True
        samples = (s for s in self.known.samples[configuration] if s.round in first)
        return any(own.name == quantity for sample in samples for own in sample.quantities)

    def is_wanted(self, configuration: Configuration) -> bool:
        """Whether more samples of it can decide anything."""
        cell, _ = self.place_of[configuration.hash()]
        return any(c.hash() == configuration.hash() for c in self.wanted(cell))

    def wanted(self, cell: int) -> list[Configuration]:
        """The configurations of a cell of which more samples can decide anything."""
        able, round_ = list(filter(self.can_run, self.cells[cell])), self.next_round(cell)
        if round_ >= self.most_rounds:
            return []
        if round_ < OPENING:
            return able
        open_ = {at + 1 for _, at in self.open_comparisons(cell)}
        places = {0, *open_} if open_ else {}
        return [c for c in able if self.place_of[c.hash()][1] in places]

    def can_run(self, configuration: Configuration) -> bool:
        return super().is_wanted(configuration)

    def open_comparisons(self, cell: int) -> list[tuple[int, int]]:
        """Those whose sides both run and that are wanted, for themselves or for the answer.

        Each is a series of the cell and the place in it.
        """
        return [
            (i, at)
            for i in self.series_in[cell]
            for at in range(len(self.series[i].levels))
            if self.can_decide(i, at) and not self.is_done(i, at)
        ]

    def is_done(self, series: int, at: int) -> bool:
        decided = self.standings.is_decided(series, at)
        return decided and not self.is_wanted_for_answer(series, at)

    def is_wanted_for_answer(self, series: int, comparison: int) -> bool:
        """Whether the answer that it contributes to is open, and can be had in the time left."""
        rounds = self.standings.answer_rounds(series, comparison)
        return rounds > 0 and rounds * self.seconds_of_all < self.seconds_left

    def is_opening(self, cell: int) -> bool:
        return self.next_round(cell) < OPENING

    def next_round(self, cell: int) -> int:
        """The round after the latest; that one, if some configuration was left out by a kill."""
        rounds = {c.hash(): self.known.rounds_taken(c.hash()) for c in self.cells[cell]}
        able = [c for c in self.cells[cell] if self.can_run(c)]
        if not able:
            return OPENING
        latest = max((max(own, default=-1) for own in rounds.values()), default=-1)
        open_ = [rounds[c.hash()] for c in able if not self.is_closed(c)]
        is_cut = any(latest not in own and latest - 1 in {*own, -1} for own in open_)
        return latest if latest >= 0 and is_cut else latest + 1

    def is_closed(self, configuration: Configuration) -> bool:
        """Whether nothing of it is left to decide after the opening: rounds go on without it."""
        cell, place = self.place_of[configuration.hash()]
        if place == 0 or not self.has_reference[cell]:
            return False
        own = [i for i in self.series_in[cell] if self.can_decide(i, place - 1)]
        is_opened = len(self.known.rounds_taken(configuration.hash())) >= OPENING
        return all(self.is_done(i, place - 1) for i in own) and (bool(own) or is_opened)

    def rounds_left(self, cell: int) -> int:
        """About how many rounds decide the cell; 0 if it is done."""
        return max([0, *self.forecasts(cell)])

    def forecasts(self, cell: int) -> list[int]:
        """About how many rounds the opening and each open comparison take."""
        taken = self.next_round(cell)
        opening = max(0, OPENING - taken)
        found = [opening, *(self.forecast(i, at) for i, at in self.open_comparisons(cell))]
        return [min(rounds, self.most_rounds - taken) for rounds in found]

    def rounds_worthwhile(self, cell: int) -> int:
        """The same for what can be decided in the time left, if anything can."""
        found, each = self.forecasts(cell), self.round_seconds(cell)
        able = [rounds for rounds in found if rounds and rounds * each < self.seconds_left]
        return max(able, default=self.rounds_left(cell))

    def forecast(self, series: int, comparison: int) -> int:
        """Rounds that decide it, or the answer if that is wanted first."""
        if self.is_wanted_for_answer(series, comparison):
            return self.standings.answer_rounds(series, comparison)
        return self.standings.rounds_left(series, comparison)

    def round_seconds(self, cell: int) -> float:
        return sum(map(self.expected_seconds, self.wanted(cell)))

    def next_block(self) -> list[Unit]:
        """Rounds of the cells worth their time, those with the fewest first, of one setting."""
        able = filter(self.can_run, self.plan.configurations)
        self.seconds_of_all = sum(map(self.expected_seconds, able))
        chosen = self.worthwhile()
        if not chosen:
            return []
        aim = min(self.campaign.blocks.seconds, max(SHORTEST_BLOCK, self.budget / BLOCKS))
        aim = min(aim, self.seconds_left)
        levers = self.cells[chosen[0]][0].levers
        following = {i: self.next_round(i) for i in chosen if self.cells[i][0].levers == levers}
        until = {i: following[i] + self.rounds_left(i) for i in following}
        units: list[Unit] = []
        seconds = 0.0
        turns = [(self.turn(i, following[i]), i) for i in following if following[i] < until[i]]
        heapify(turns)
        while seconds < aim and turns:
            (round_, _), cell = turns[0]
            units += self.units(cell, round_)
            seconds += self.round_seconds(cell)
            if round_ + 1 < until[cell]:
                heapreplace(turns, (self.turn(cell, round_ + 1), cell))
            else:
                heappop(turns)
        return units

    def worthwhile(self) -> list[int]:
        """The open cells that the time left decides, in this order: those that the answer over all
        cells needs, openings, those that seem to differ, and of these the nearest ones.

        All of them, where it does not suffice for any: then their intervals are the result.
        """
        found = [i for i in range(len(self.cells)) if self.rounds_left(i) and self.has_time(i)]
        if asked := [i for i in found if self.is_asked_first(i)]:
            return self.in_turn(asked)
        if opening := [i for i in found if self.is_opening(i)]:
            return self.in_turn(opening)
        needs = {i: self.rounds_worthwhile(i) * self.round_seconds(i) for i in found}
        found.sort(key=lambda i: (not self.seems_different(i), needs[i]))
        until = accumulate(needs[i] for i in found)
        within = len(list(takewhile(lambda seconds: seconds < self.seconds_left, until)))
        return found[:within] or self.in_turn(found)

    def in_turn(self, cells: Sequence[int]) -> list[int]:
        """Cells with the fewest rounds first: a block has the levers of the first one alone."""
        return sorted(cells, key=lambda i: self.turn(i, self.next_round(i)))

    def is_asked_first(self, cell: int) -> bool:
        return any(self.is_wanted_for_answer(i, at) for i, at in self.open_comparisons(cell))

    def seems_different(self, cell: int) -> bool:
        return any(self.standings.seems_different(i, at) for i, at in self.open_comparisons(cell))

    @property
    def seeds_per_round(self) -> int:
        """As many as a process can need, so that none has a matrix of another round."""
        chooses = self.campaign.chooses_repetitions
        return max(CHOICES) if chooses else self.campaign.repetitions

    def repetitions(self, configuration: Configuration, round_: int) -> int:
        """Those that the campaign states, else what the rounds so far suggest."""
        if not self.campaign.chooses_repetitions:
            return self.campaign.repetitions
        cell = self.cells[self.place_of[configuration.hash()][0]]
        own = [self.known.rounds(c.hash()) for c in cell if self.can_run(c)]
        if begun := [rounds[round_].repetitions for rounds in own if round_ in rounds]:
            return begun[0]
        if not any(own):
            return first(cell[0], self.campaign, self.machine)
        return suggested(own, self.standings.evidence)

    def expected_seconds(self, configuration: Configuration) -> float:
        """As its latest process with a speed took, with the repetitions that the next one has."""
        own = self.known.rounds(configuration.hash())
        if not own or not self.campaign.chooses_repetitions:
            return super().expected_seconds(configuration)
        cell = self.place_of[configuration.hash()][0]
        round_ = self.next_round(cell)
        if self.chosen.get(cell, (None, 0))[0] != round_:
            self.chosen[cell] = round_, self.repetitions(configuration, round_)
        return seconds_with(own[max(own)], self.chosen[cell][1])

    def count(self, block: list[Unit], queue: deque[Unit]) -> None:
        """Report how much is left, as far as it can be foreseen."""
        left = {i: rounds for i in range(len(self.cells)) if (rounds := self.rounds_left(i))}
        self.state.done = self.known.count()
        wanted = sum(rounds * len(self.wanted(i)) for i, rounds in left.items())
        self.state.total = self.state.done + wanted
        if not self.state.comparisons:  # else the budget and the outlook tell how long it takes
            seconds = (rounds * self.round_seconds(i) for i, rounds in left.items())
            self.foresee_processes(sum(seconds))
        self.foresee([*left], is_last=not block)
        self.state.budget_left = self.seconds_left
        self.state.wander = wander_of(map(speeds_in_logarithms, self.known.samples.values()))

    def foresee(self, cells: Sequence[int], *, is_last: bool) -> None:
        """A forecast of what these cells need; seldom, so that it takes 1 % of the time or less."""
        begin = time.monotonic()
        if begin >= self.foresees_at or is_last:
            self.state.outlook = self.outlook(cells)
            self.foresees_at = begin + (time.monotonic() - begin) / FORESEEING

    def outlook(self, cells: Sequence[int]) -> Outlook | None:
        """Of the seconds that these cells need; None where some is still unknown."""
        rows, answers = self.standings.outlook(), self.standings.answer_outlook()
        seconds: list[Floats] = []
        for cell in cells:
            reference, *others = map(self.expected_seconds, self.cells[cell])
            rounds = self.rounds_by_place(cell, rows, answers)
            if rounds is None:
                return None
            seconds += [others[at] * own for at, own in rounds.items()]
            seconds.append(reference * np.max([*rounds.values()], axis=0))
        return outlook_of(self.known.longer * np.sum(seconds, axis=0)) if seconds else None

    def rounds_by_place(
        self, cell: int, rows: Mapping[tuple[int, int], Floats], answers: Mapping[str, Floats]
    ) -> dict[int, Floats] | None:
        """Of each configuration beside the reference, the rounds that its comparisons need."""
        if self.is_opening(cell):
            return None
        found: dict[int, Floats] = {}
        for i, at in self.open_comparisons(cell):
            level = self.series[i].levels[at]
            own = [rows[i, at]] if (i, at) in rows else []
            if level in answers and self.is_wanted_for_answer(i, at):
                own.append(answers[level])
            if not own:
                return None
            found[at] = np.max([*own, *([found[at]] if at in found else [])], axis=0)
        most = self.most_rounds - self.next_round(cell)
        return {at: np.minimum(most, rounds) for at, rounds in found.items()} or None

    def turn(self, cell: int, round_: int) -> tuple[int, float]:
        """When a cell has its turn: rounds one after the other, each in a random order."""
        return round_, random.Random(f"{self.campaign.seed} {round_} {cell}").random()

    def units(self, cell: int, round_: int) -> list[Unit]:
        """What a cell lacks of a round, in an order that follows from the seed and the cell."""
        own, wanted = self.cells[cell], {c.hash() for c in self.wanted(cell)}
        rng = random.Random(f"{self.campaign.seed} {round_} {sorted(c.hash() for c in own)}")
        missing = [
            c
            for c in rng.sample(own, len(own))
            if c.hash() in wanted and round_ not in self.known.rounds_taken(c.hash())
        ]
        return [Unit(round_, 0, tuple(missing))] if missing else []
