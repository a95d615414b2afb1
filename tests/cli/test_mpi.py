# SPDX-License-Identifier: BSD-3-Clause
"""Programs over MPI: the digest is that of one process on every grid, by every variant, however
messages are delayed, and what goes wrong between ranks is found."""

from functools import cache

import pytest
from executable import DISTRIBUTED, FACTORIZATIONS, Record, described, run, validate, variants
from mpi import MESSAGES, mpirun, needs_mpi, own_lines

pytestmark = [needs_mpi]
SMALL = ("-n", 97, "-b", 24, "-r", 2, "-w", 0, "-f", "json")
GRIDS = ("1x1", "2x1", "1x2", "3x2")


def ranks_of(grid: str) -> int:
    rows, columns = grid.split("x")
    return int(rows) * int(columns)


@cache
def digests_of_one_process(group: str) -> dict[int, str]:
    """What the program without MPI whose variant gives the same digest has for each seed."""
    partners = [
        (name, v["variant"])
        for name in FACTORIZATIONS
        for v in variants(name)
        if v["digest_group"] == group and not v["sequential"]
    ]
    name, variant = partners[0]
    records = run(name, *SMALL, "-t", 2, "-v", variant).records
    return {record["seed"]: record["digest"] for record in records}


def check_digests(records: list[Record]) -> None:
    assert records
    for record in records:
        assert record["passed"]
        expected = digests_of_one_process(record["digest_group"])
        assert record["digest"] == expected[record["seed"]], record["variant"]


@pytest.mark.parametrize("program", DISTRIBUTED)
@pytest.mark.parametrize("grid", GRIDS)
def test_every_variant_gives_the_digest_of_one_process(program: str, grid: str) -> None:
    result = mpirun(ranks_of(grid), program, *SMALL, "--grid", grid, "-t", 3, "-v", "all")
    assert result.status == 0, result.err
    check_digests(result.records)
    names = {v["variant"] for v in variants(program) if v["available"]}
    left_out = {name for name in names if f"variant {name}: not run" in result.err}
    assert left_out <= {"blocking"}
    assert {record["variant"] for record in result.records} == names - left_out


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_the_digest_does_not_depend_on_when_messages_come(program: str) -> None:
    options = ("--grid", "2x2", "-t", 3, "-v", "all", "--ahead", 1, "--patience", 20)
    delays = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_SEED": 5, "POLLUX_DOUBLE_DELAY": 300}
    result = mpirun(4, program, *SMALL, *options, **delays)
    assert result.status == 0, result.err
    check_digests(result.records)


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_there_may_be_more_ranks_than_tiles(program: str) -> None:
    result = mpirun(4, program, "-n", 1, "-t", 1, "-r", 1, "-c", "full", "-f", "json")
    assert result.status == 0, result.err
    assert [record["mpi"]["messages"] for record in result.records] == [0]


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_records_state_ranks_and_messages(program: str) -> None:
    result = mpirun(2, program, *SMALL, "--grid", "2x1", "-t", 1)
    validate(result.records)
    for record in result.records:
        mpi = record["mpi"]
        assert (mpi["ranks"], mpi["hosts"], mpi["grid"]) == (2, 1, "2x1")
        assert mpi["messages"] > 0
        assert mpi["bytes"] >= 8 * mpi["messages"]
        assert 0 < mpi["fastest_rank_seconds"] <= record["seconds"]


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_the_memory_of_tiles_in_flight_grows_with_the_option(program: str) -> None:
    options = ("-n", 200, "-b", 10, "-r", 1, "-w", 0, "-f", "json", "-t", 1, "--grid", "1x2")
    least, more = (
        mpirun(2, program, *options, "--ahead", ahead).records[0]["mpi"] for ahead in (1, 4)
    )
    assert 0 < least["in_flight_bytes"] * 4 == more["in_flight_bytes"]
    tiles = least["matrix_bytes"] - least["in_flight_bytes"]
    assert tiles <= 0.7 * 200 * 200 * 8


@pytest.mark.parametrize("program", DISTRIBUTED)
@pytest.mark.parametrize("fault", ["lost", "doubled", "early", "wrong"])
def test_faults_in_messages_are_found(program: str, fault: str) -> None:
    planted = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_FAULT": fault, "POLLUX_DOUBLE_MESSAGE": 2}
    options = ("--grid", "2x1", "-t", 1, "--patience", 1)
    result = mpirun(2, program, *SMALL, *options, **planted)
    if fault in ("early", "wrong"):
        assert result.status == 1
        assert not result.records[0]["passed"]
    else:
        assert result.status == 3
        words = "nothing has moved" if fault == "lost" else "nobody asked for it"
        assert any(words in line for line in own_lines(result, program)), result.err


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_a_rank_that_dies_ends_the_others(program: str) -> None:
    planted = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_KILL": 1}
    result = mpirun(2, program, *SMALL, "--grid", "2x1", "-t", 1, **planted)
    assert result.status not in (0, 1)


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_a_grid_that_does_not_fit_the_ranks_is_refused_once(program: str) -> None:
    result = mpirun(2, program, *SMALL, "--grid", "2x2")
    assert result.status == 2
    (line,) = own_lines(result, program)
    assert "--grid 2x2 needs 4 ranks, and 2 were started" in line


@pytest.mark.parametrize("grid", ["2", "2x", "x2", "0x2", "2x2x2", "axb", "-1x2"])
def test_what_is_no_grid_is_refused(grid: str) -> None:
    for program in DISTRIBUTED:
        result = run(program, "--grid", grid)
        assert result.status == 2
        assert len(result.err.splitlines()) == 1
        assert "--grid" in result.err


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_blocking_is_refused_where_it_would_deadlock(program: str) -> None:
    result = mpirun(2, program, *SMALL, "-t", 2, "-v", "blocking")
    assert result.status == 3
    (line,) = own_lines(result, program)
    assert "needs 3 threads on each rank, and has 2" in line


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_listing_needs_no_launcher(program: str) -> None:
    assert described(program)["benchmark"] == program
