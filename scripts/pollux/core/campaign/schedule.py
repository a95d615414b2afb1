# SPDX-License-Identifier: BSD-3-Clause
"""What is still to be run, and in which order: by round, by cell, by configuration.

Each round has its own random order, a function of the campaign's seed alone, so that a resumed
campaign continues in the same order. The configurations of a cell run directly after
each other: what is compared shares the state of the machine as far as possible. Where levers are
set, a round takes their settings in random order too, and all cells of a setting before the next
one: switching has a cost, and each setting has calibrations of its own.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pollux.core.campaign.journal import Known, Levers, key_of
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.samples import Sample, that_count

GIVE_UP_AFTER = 3  # failures of a configuration that never succeeded
GIVE_UP_LATER = 10  # in a row, of one that did: what fails now and then by chance goes on


@dataclass(frozen=True)
class Unit:
    """One sample of each configuration of a cell; a block consists of whole units."""

    round: int
    attempt: int
    configurations: tuple[Configuration, ...]
    repeats: int | None = None  # the disturbed block whose samples are taken again

    @property
    def levers(self) -> dict[str, str]:
        """The levers to set, the same for all of a cell."""
        return self.configurations[0].levers


def first_units(
    cells: Sequence[Sequence[Configuration]], processes: int, seed: int, known: Known
) -> Iterator[Unit]:
    """The units of all rounds that have no sample yet, in the order of the plan."""
    taken = {(d.configuration, d.round) for done in known.samples.values() for d in done}
    for round_ in range(processes):
        rng = random.Random(f"{seed} {round_}")
        for cell in in_random_order(cells, rng):
            order = rng.sample(list(cell), len(cell))
            missing = tuple(c for c in order if (c.hash(), round_) not in taken)
            if missing:
                yield Unit(round_, 0, missing)


def in_random_order(
    cells: Sequence[Sequence[Configuration]], rng: random.Random
) -> Iterator[Sequence[Configuration]]:
    """All cells, those with the same levers together."""
    by_levers: dict[Levers, list[Sequence[Configuration]]] = defaultdict(list)
    for cell in cells:
        by_levers[key_of(cell[0].levers)].append(cell)
    groups = list(by_levers.values())
    for group in rng.sample(groups, len(groups)) if len(groups) > 1 else groups:
        yield from rng.sample(group, len(group))


def repeat_units(
    cells: Sequence[Sequence[Configuration]], processes: int, seed: int, known: Known, budget: int
) -> list[Unit]:
    """Units to repeat because every attempt was on a disturbed machine, within the budget.

    A unit is repeated as a whole: its configurations are to be compared with each other. `budget`
    counts samples. Rounds beyond the plan, of one that was longer, are left as they are.
    """
    units = []
    for cell in cells:
        disturbed = disturbed_rounds(cell, known)
        for round_, latest in ((r, own) for r, own in disturbed.items() if r < processes):
            attempt = 1 + max(done.attempt for done in latest)
            rng = random.Random(f"{seed} {round_} {attempt} {cell[0].cell()}")
            order = tuple(rng.sample(list(cell), len(cell)))
            units.append(
                Unit(round_, attempt, order, max(done.block[1] for done in latest if done.block))
            )
    units.sort(key=lambda unit: (unit.repeats, unit.round))
    return within(units, budget)


def repeats_taken(cells: Sequence[Sequence[Configuration]], processes: int, known: Known) -> int:
    """The samples of the plan that were taken again."""
    samples = chain.from_iterable(known.samples[c.hash()] for c in chain.from_iterable(cells))
    return sum(sample.attempt > 0 and (sample.round or 0) < processes for sample in samples)


def within(units: Sequence[Unit], budget: int) -> list[Unit]:
    """As many of the first units as the budget of samples allows."""
    kept = []
    for unit in units:
        budget -= len(unit.configurations)
        if budget < 0:
            break
        kept.append(unit)
    return kept


def disturbed_rounds(cell: Sequence[Configuration], known: Known) -> dict[int, list[Sample]]:
    """The rounds in which the sample that counts of some configuration is of a disturbed block.

    With each round, the latest sample of every configuration of the cell.
    """
    latest: dict[int, list[Sample]] = defaultdict(list)
    disturbed = set()
    for configuration in cell:
        samples = known.samples[configuration.hash()]
        for round_, sample in {s.round: s for s in sorted(samples, key=attempt_of)}.items():
            latest[round_ or 0].append(sample)
        counting = that_count(samples, known.is_disturbed)
        disturbed |= {s.round or 0 for s in counting if known.is_disturbed(s)}
    return {round_: latest[round_] for round_ in sorted(disturbed)}


def attempt_of(sample: Sample) -> int:
    return sample.attempt


def is_given_up(configuration: Configuration, known: Known) -> bool:
    """Whether so many samples of a configuration failed in a row that it is not tried again."""
    done = known.samples[configuration.hash()]
    most = GIVE_UP_LATER if any(map(went_well, done)) else GIVE_UP_AFTER
    return len(done) >= most and not any(map(went_well, done[-most:]))


def went_well(sample: Sample) -> bool:
    return sample.outcome is Outcome.OK
