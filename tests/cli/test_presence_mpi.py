# SPDX-License-Identifier: BSD-3-Clause
"""Micro-benchmarks with MPI present: the level that it has, its ring of messages, and what is
refused."""

import pytest
from executable import described, refused, run, validate
from mpi import MESSAGES, mpirun, needs_mpi, own_lines

CLOMP, OVERHEAD = "clomp-mpi", "task-overhead-mpi"
FEW = {CLOMP: ("-c", "static", "--cycles", 2), OVERHEAD: ("-p", "chain", "-n", 64)}
JSON = ("-r", 1, "-w", 0, "-t", 2, "-f", "json")

pytestmark = [needs_mpi, pytest.mark.any_runtime]


@pytest.mark.parametrize("level", ["single", "funneled", "serialized", "multiple"])
@pytest.mark.parametrize("program", [CLOMP, OVERHEAD])
def test_mpi_has_the_level_that_was_asked_for(program: str, level: str) -> None:
    result = mpirun(1, program, *FEW[program], *JSON, "--level", level)
    assert result.status == 0, result.err
    validate(result.records)
    (record,) = result.records
    assert record["benchmark"] == program
    assert record["parameters"]["level"] == level
    assert record["mpi"]["thread_level_requested"] == level
    assert (record["mpi"]["messages"], record["mpi"]["ranks"]) == (0, 1)


@pytest.mark.parametrize("program", [CLOMP, OVERHEAD])
def test_without_mpi_the_first_process_reports_and_has_no_ranks(program: str) -> None:
    result = mpirun(2, program, *FEW[program], *JSON, "--level", "absent")
    assert result.status == 0, result.err
    validate(result.records)
    (record,) = result.records
    assert "mpi" not in record


@pytest.mark.parametrize("ranks", [1, 2])
def test_each_deposit_of_each_rank_sends_one_number_around_the_ring(ranks: int) -> None:
    schedules = "static,manual,task,depend"
    options = ("-c", schedules, "--cycles", 2, "--message", "silent,ring", "-n", 8)
    result = mpirun(ranks, CLOMP, *options, *JSON)
    assert result.status == 0, result.err
    validate(result.records)
    assert len(result.records) == 2 * len(schedules.split(","))
    for record in result.records:
        serial, deposits, schedule = (2 + 1) * 10, 2 * 10, (2 + 1) * 10
        each = serial + deposits + schedule if record["parameters"]["message"] == "ring" else 0
        assert record["mpi"]["messages"] == ranks * each
        assert record["mpi"]["bytes"] == 8 * ranks * each
        spread = [record["figures"][f"{which}_of_ranks"] for which in ("least", "most")]
        assert spread[0] <= record["quantities"]["overhead_ns"]["value"] <= spread[1]


def test_a_number_that_was_changed_on_its_way_is_found() -> None:
    planted = {
        "LD_PRELOAD": MESSAGES,
        "POLLUX_DOUBLE_FAULT": "wrong",
        "POLLUX_DOUBLE_MESSAGE": 7,
    }
    options = (*FEW[CLOMP], *JSON, "--message", "ring")
    result = mpirun(2, CLOMP, *options, **planted)
    assert result.status == 1, result.err
    (record,) = result.records
    assert "messages held another number" in record["fault"]
    for figure in ("least_of_ranks", "most_of_ranks"):
        assert record["figures"][figure] is None
        assert "loops did not compute" in record["unknown"][figure]
    assert record["figures"]["loops"] == 20


def test_the_bound_has_no_overhead_on_any_rank() -> None:
    result = mpirun(1, CLOMP, "-c", "best-case", "--cycles", 2, *JSON)
    assert result.status == 0, result.err
    (record,) = result.records
    assert record["figures"]["least_of_ranks"] is None
    assert record["unknown"]["least_of_ranks"] == record["unknown"]["overhead_ns"]


@pytest.mark.parametrize("level", ["absent", "single", "funneled"])
def test_the_ring_needs_a_level_at_which_any_thread_may_send(level: str) -> None:
    refused(run(CLOMP, "--message", "ring", "--level", level), 2, "--message ring", level)


@pytest.mark.parametrize("program", [CLOMP, OVERHEAD])
def test_a_level_that_the_library_lacks_is_answered_with_the_option(program: str) -> None:
    lacking = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_LEVEL": 1}
    result = mpirun(1, program, *FEW[program], *JSON, "--level", "multiple", **lacking)
    assert result.status == 3
    (line,) = own_lines(result, program)
    assert line.endswith(
        "MPI gives the thread level funneled, and multiple is needed: choose a lower --level"
    )


@pytest.mark.parametrize("program", [CLOMP, OVERHEAD])
def test_a_process_has_one_level(program: str) -> None:
    refused(run(program, "--level", "single,multiple"), 2, "--level")


@pytest.mark.parametrize("program", [CLOMP, OVERHEAD])
def test_they_have_all_that_the_program_without_mpi_has(program: str) -> None:
    own, base = described(program), described(program.removesuffix("-mpi"))
    assert [v["variant"] for v in own["variants"]] == [v["variant"] for v in base["variants"]]
    assert own["quantities"] == base["quantities"]
    names = [p["parameter"] for p in base["parameters"]]
    assert [p["parameter"] for p in own["parameters"]][: len(names)] == names
