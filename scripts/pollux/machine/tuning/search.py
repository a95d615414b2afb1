# SPDX-License-Identifier: BSD-3-Clause
"""Searches a grid of tile sizes with few runs, on a machine whose speed drifts.

Successive halving (K. Jamieson, A. Talwalkar: Non-stochastic best arm identification and
hyperparameter optimization, AISTATS 2016): all contestants run a few times, the worse half leaves,
the rest run more often. A round runs every contestant once, in random order, and scores are taken
within rounds, so that a machine that slows down affects all alike. A few rounds are repetitions of
one process for each contestant, and these take turns. The search starts with a coarse
selection of tiles and continues with those between the best and their neighbours; at the end the
few best meet in a final of its own rounds, and only these decide.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pollux.machine.tuning.candidates import Candidate, Grid, unique
from pollux.machine.tuning.scores import best_first, is_behind, rank

# Rounds of a first rung. Three are the fewest whose median survives one bad round. An IB is chosen
# once, at the start, and IBs differ by little: with five rounds the simulated searches in
# tests/scripts/tuning/test_tuning_search.py find as good a pair as a full grid does.
FIRST_ROUNDS = 3
FIRST_ROUNDS_WITH_INNER = 5
ROUNDS_OF_A_PROCESS = 3  # what a process keeps to its end, such as its memory's place, counts once
FINALISTS = 4
DIRECT = 6  # up to this many candidates go to the final at once, without halving
REFINEMENTS = (2, 1)  # passes, each around this many of the best
REFINEMENTS_WITH_HEIGHTS = (2, 2, 1)  # there is more between the coarse tiles
NEIGHBOURS = 2  # on either side, of an NB, of an IB and of a height


@dataclass(frozen=True)
class Failure:
    """Why a run gave no speed, in a line."""

    problem: str


Measure = Callable[[Sequence[Candidate], int, int], Sequence[list[float] | Failure]]
"""Runs candidates in so many rounds, from the given one on; GFlop/s of each candidate and round."""


@dataclass(frozen=True)
class Status:
    """The progress of a search."""

    stage: str
    candidates: int  # that are left in this stage
    runs: int  # done
    runs_at_most: int  # in all


def ignore(status: Status) -> None:
    pass


@dataclass
class Search:
    """One search; its measurements are valid at any time, also when it is interrupted."""

    grid: Grid
    measure: Measure
    rounds: int  # of the final
    seed: int
    observe: Callable[[Status], None] = ignore
    values: dict[Candidate, dict[int, float]] = field(default_factory=dict)
    problems: dict[Candidate, str] = field(default_factory=dict)
    runs: int = 0
    round: int = 0
    final_from: int = 0  # the first round of the final
    stage: str = ""
    runs_at_most: int = 0

    def find(self) -> Candidate | None:
        """The best candidate, or None where all failed."""
        everything = self.grid.all()
        if len(everything) <= DIRECT or self.most() >= len(everything) * self.rounds:
            return self.decide(everything)
        contestants = self.screen()
        for number, width in enumerate(self.refinements(), start=1):
            contestants = self.refine(contestants, number, width)
        return self.decide(contestants)

    def refinements(self) -> Sequence[int]:
        return REFINEMENTS if len(self.grid.heights) == 1 else REFINEMENTS_WITH_HEIGHTS

    def screen(self) -> list[Candidate]:
        """Choose an IB at a middle NB, then the best of the coarse tiles with it."""
        ib = None
        if self.grid.inner:
            bound = self.bound(len(self.grid.middle()), 1)
            bound += self.bound(len(self.grid.coarse_tiles()), FINALISTS)
            self.begin("inner blocks", bound, self.refinements())
            best = self.halve(self.grid.middle(), 1)
            ib = best[0].ib if best else self.grid.inner[len(self.grid.inner) // 2]
        coarse = unique(self.grid.candidate(tile, ib) for tile in self.grid.coarse_tiles())
        self.begin("coarse tiles", self.bound(len(coarse), FINALISTS), self.refinements())
        return self.halve(coarse, FINALISTS)

    def refine(self, best: list[Candidate], number: int, width: int) -> list[Candidate]:
        """Add the neighbours of the best, and keep the best of all."""
        measured = {*self.values, *self.problems, *best}
        new = unique(n for c in best[:width] for n in self.grid.neighbours(c, measured))
        if not new:
            return best
        contestants = [*best, *new]
        bound = self.bound(len(contestants), FINALISTS)
        self.begin(f"refinement {number}", bound, self.refinements()[number:])
        return self.halve(contestants, FINALISTS)

    def decide(self, finalists: Sequence[Candidate]) -> Candidate | None:
        """The fastest of the final; a candidate clearly behind after half of it leaves."""
        self.begin("final", (len(finalists) - FINALISTS) * self.rounds, ())
        self.final_from = self.round
        self.run_rounds(finalists, half := max(6, self.rounds // 2))
        ranked = self.ranked(finalists, self.final_from)
        left = [c for c in ranked if not is_behind(self.values, c, ranked[0], self.final_from)]
        self.run_rounds(left, self.rounds - half)
        # A candidate that left is not the best by any estimate, unless all that stayed failed.
        ranked = best_first(self.values, self.without_failed(finalists), self.final_from)
        return ranked[0] if ranked else None

    def halve(self, contestants: Sequence[Candidate], keep: int) -> list[Candidate]:
        """Successive halving down to `keep`, the best first; each rung doubles the rounds."""
        start = self.round
        left = self.without_failed(contestants)
        while len(left) > keep:
            self.run_rounds(left, max(self.first_rounds(), self.round - start))
            left = self.ranked(left, start)
            left = left[: max(keep, (len(left) + 1) // 2)]
        return left

    def first_rounds(self) -> int:
        return FIRST_ROUNDS_WITH_INNER if self.grid.inner else FIRST_ROUNDS

    def bound(self, contestants: int, keep: int) -> int:
        """The runs that `halve` needs if none fails."""
        runs = rounds = 0
        while contestants > keep:
            more = max(self.first_rounds(), rounds)
            runs += contestants * more
            rounds += more
            contestants = max(keep, (contestants + 1) // 2)
        return runs

    def run_rounds(self, contestants: Iterable[Candidate], count: int) -> None:
        """So many rounds, a few at a time in the same processes."""
        everyone = list(contestants)
        for begun in range(0, count, ROUNDS_OF_A_PROCESS):
            if left := self.without_failed(everyone):
                self.run_together(left, min(ROUNDS_OF_A_PROCESS, count - begun))

    def run_together(self, contestants: Sequence[Candidate], count: int) -> None:
        self.observe(Status(self.stage, len(contestants), self.runs, self.runs_at_most))
        drawn = random.Random(f"{self.seed} {self.round}").sample(contestants, len(contestants))
        results = self.measure(drawn, self.round, count)
        for candidate, result in zip(drawn, results, strict=True):
            self.note(candidate, result)
            self.runs += count
        self.round += count

    def note(self, candidate: Candidate, result: list[float] | Failure) -> None:
        if isinstance(result, Failure):
            self.problems[candidate] = result.problem
            return
        rounds = range(self.round, self.round + len(result))
        self.values.setdefault(candidate, {}).update(zip(rounds, result, strict=True))

    def ranked(self, contestants: Iterable[Candidate], start: int) -> list[Candidate]:
        return rank(self.values, self.without_failed(contestants), start)

    def without_failed(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        return [c for c in candidates if c not in self.problems] if self.problems else [*candidates]

    def begin(self, stage: str, runs: int, later: Sequence[int]) -> None:
        """Name a stage, and bound the runs of the whole search: `later` are its refinements."""
        self.stage = stage
        self.runs_at_most = self.runs + runs + self.afterwards(later)

    def most(self) -> int:
        """The runs that a search by stages needs if none fails."""
        runs = self.bound(len(self.grid.middle()), 1) if self.grid.inner else 0
        runs += self.bound(len(self.grid.coarse_tiles()), FINALISTS)
        return runs + self.afterwards(self.refinements())

    def afterwards(self, later: Sequence[int]) -> int:
        """The runs of these refinements and of the final."""
        near = NEIGHBOURS * (1 + bool(self.grid.inner) + (len(self.grid.heights) > 1))
        bounds = [self.bound(FINALISTS + near * width, FINALISTS) for width in later]
        return sum(bounds) + FINALISTS * self.rounds
