# SPDX-License-Identifier: BSD-3-Clause
"""The order of a campaign's runs: complete, random, the same after every restart."""

from collections import Counter
from itertools import pairwise

from pollux.core.campaign.journal import Known
from pollux.core.campaign.lines import BlockEnd, Configuration, Outcome
from pollux.core.campaign.samples import Sample
from pollux.core.campaign.schedule import (
    GIVE_UP_LATER,
    Unit,
    first_units,
    is_given_up,
    repeat_units,
    repeats_taken,
)

RUNTIMES = ("libgomp", "libomp", "other")
CELLS = [
    [
        Configuration(runtime=runtime, benchmark="lu", variant="depend", size=size)
        for runtime in RUNTIMES
    ]
    for size in (64, 128, 256, 512)
]


def record(known: Known, unit: Unit, block: int, outcome: Outcome = Outcome.OK) -> None:
    for configuration in unit.configurations:
        hash_ = configuration.hash()
        known.samples[hash_].append(sample(hash_, unit.round, unit.attempt, block, outcome))


def sample(
    hash_: str, round_: int, attempt: int, block: int, outcome: Outcome = Outcome.OK
) -> Sample:
    return Sample(
        configuration=hash_,
        round=round_,
        attempt=attempt,
        block=(0, block),
        outcome=outcome,
        problem=None,
        detail=None,
        warnings=(),
        speed=1.0,
        start_unix_ns=1,
        process_seconds=0.1,
        residuals=(),
        digests=(),
    )


def end(known: Known, block: int, disturbed: bool) -> None:
    known.ends[block] = BlockEnd(
        block=block,
        unix_ns=1,
        calibration=None,
        foreign_cpu=None,
        steal=None,
        disturbed=disturbed,
        reasons=[],
    )


def test_every_configuration_runs_once_in_each_round() -> None:
    units = list(first_units(CELLS, 5, 1, Known()))
    counted = Counter((u.round, c.hash()) for u in units for c in u.configurations)
    assert set(counted.values()) == {1}
    assert len(counted) == 5 * 12


def test_the_runtimes_of_a_cell_run_next_to_each_other_and_rounds_in_turn() -> None:
    units = list(first_units(CELLS, 5, 1, Known()))
    assert all(len({c.cell() for c in unit.configurations}) == 1 for unit in units)
    assert all(first.round <= second.round for first, second in pairwise(units))


def test_orders_are_random_over_cells_and_over_runtimes() -> None:
    units = list(first_units(CELLS, 40, 1, Known()))
    first_cells = {u.configurations[0].size for u in units[:: len(CELLS)]}
    first_runtimes = Counter(u.configurations[0].runtime for u in units)
    assert first_cells == {64, 128, 256, 512}
    assert all(30 < count < 80 for count in first_runtimes.values())


def test_a_campaign_resumed_anywhere_runs_the_same_in_the_same_order() -> None:
    whole = list(first_units(CELLS, 4, 7, Known()))
    for stop in range(len(whole)):
        known = Known()
        for unit in whole[:stop]:
            record(known, unit, 0)
        assert list(first_units(CELLS, 4, 7, known)) == whole[stop:]


def test_half_a_unit_is_completed() -> None:
    known = Known()
    unit = next(first_units(CELLS, 1, 7, known))
    begun = Unit(unit.round, unit.attempt, unit.configurations[:1])
    record(known, begun, 0)
    assert next(first_units(CELLS, 1, 7, known)).configurations == unit.configurations[1:]


def test_disturbed_units_are_repeated_whole_until_undisturbed() -> None:
    known = Known()
    units = list(first_units(CELLS, 2, 7, known))
    for number, unit in enumerate(units):
        record(known, unit, number)
        end(known, number, disturbed=number in (1, 6))
    again = repeat_units(CELLS, 2, 7, known, 100)
    assert [(u.round, u.attempt, u.repeats) for u in again] == [(0, 1, 1), (1, 1, 6)]
    assert {c.hash() for c in again[0].configurations} == {
        c.hash() for c in units[1].configurations
    }
    record(known, again[0], 8)
    end(known, 8, disturbed=False)
    record(known, again[1], 9)
    end(known, 9, disturbed=True)
    later = repeat_units(CELLS, 2, 7, known, 100)
    assert [(u.round, u.attempt, u.repeats) for u in later] == [(1, 2, 9)]


def test_repeats_keep_to_the_budget() -> None:
    known = Known()
    for number, unit in enumerate(first_units(CELLS, 2, 7, known)):
        record(known, unit, number)
        end(known, number, disturbed=True)
    assert len(repeat_units(CELLS, 2, 7, known, 7)) == 2
    assert repeat_units(CELLS, 2, 7, known, 2) == []


def test_what_a_plan_has_no_more_is_not_repeated_and_spends_none_of_its_budget() -> None:
    known = Known()
    for number, unit in enumerate(first_units(CELLS, 3, 7, known)):
        record(known, unit, number)
        end(known, number, disturbed=True)
    for unit in repeat_units(CELLS, 3, 7, known, 100):
        record(known, unit, 100)
    end(known, 100, disturbed=True)
    assert repeats_taken(CELLS, 3, known) == 3 * 12
    assert repeats_taken(CELLS[1:], 2, known) == 2 * 9
    again = repeat_units(CELLS[1:], 2, 7, known, 100)
    assert {unit.round for unit in again} == {0, 1}
    assert len(again) == 2 * 3


def test_a_configuration_that_never_went_well_is_given_up_soon() -> None:
    always, sometimes = CELLS[0][0], CELLS[0][1]
    known = Known()
    for round_ in range(3):
        record(known, Unit(round_, 0, (always,)), 0, Outcome.CRASH)
        outcome = Outcome.OK if round_ == 1 else Outcome.CRASH
        record(known, Unit(round_, 0, (sometimes,)), 0, outcome)
        assert is_given_up(always, known) == (round_ == 2)
    assert not is_given_up(sometimes, known)


def test_a_configuration_that_went_well_is_given_up_after_many_failures_in_a_row() -> None:
    own = CELLS[0][0]
    known = Known()
    bad, good = Outcome.CRASH, Outcome.OK
    outcomes = [good, *[bad] * (GIVE_UP_LATER - 1), good, *[bad] * GIVE_UP_LATER]
    given_up = []
    for round_, outcome in enumerate(outcomes):
        record(known, Unit(round_, 0, (own,)), 0, outcome)
        given_up.append(is_given_up(own, known))
    assert given_up == [False] * (len(outcomes) - 1) + [True]
