# SPDX-License-Identifier: BSD-3-Clause
"""constructs: its records and tables, and what it refuses."""

import pytest
from executable import quantities, quantity, refused, run, validate
from micro_benchmarks import DROPS_DEPENDENCES, available, preloads

PROGRAM = "constructs"
SMALL = ("--inner", 20, "-w", 0, "-t", 2)
TASKS_OF_ONE_THREAD = ("task-single", "depend-single")


def test_records_of_every_construct_fit_the_schema_and_pass() -> None:
    result = run(PROGRAM, *SMALL, "-r", 2, "-f", "json")
    assert result.status == 0, result.err
    validate(result.records)
    for construct in available(PROGRAM):
        own = [r for r in result.records if r["variant"] == construct["variant"]]
        assert len(own) == 2
        for record in own:
            assert record["passed"]
            assert record["figures"]["executions"] == 20
            assert set(record["parameters"]) == set(construct["parameters"])
            threads_at_once = 2 if record["variant"] in TASKS_OF_ONE_THREAD else 1
            terms = quantities(record)
            assert quantity(record, "overhead_ns") == pytest.approx(
                terms["test"] - terms["reference"] / threads_at_once
            )


def test_executions_in_a_row_are_chosen_by_the_time_of_a_test() -> None:
    options = ("-c", "task-single", "-t", 1, "-r", 1, "-w", 0, "--test-time", 20, "-f", "json")
    (record,) = run(PROGRAM, *options).records
    assert record["parameters"]["inner"] == 0
    assert record["figures"]["executions"] >= 16


@preloads
def test_a_runtime_that_drops_dependences_fails_and_has_no_times() -> None:
    options = ("-c", "depend-single", "-t", 2, "-r", 3, "-w", 0, "--inner", 100, "-f", "json")
    result = run(PROGRAM, *options, settings=DROPS_DEPENDENCES)
    assert result.status == 1, result.err
    validate(result.records)
    failed = [r for r in result.records if not r["passed"]]
    assert failed
    assert all(quantity(r, "overhead_ns") is None and "before" in r["fault"] for r in failed)


def test_a_table_fits_eighty_columns_and_has_a_mean_with_its_interval() -> None:
    lines = run(PROGRAM, *SMALL, "-r", 3).out.splitlines()
    assert max(len(line) for line in lines) <= 80
    rows = {line.split()[0]: line.split() for line in lines[4:-1]}
    assert set(rows) == {v["variant"] for v in available(PROGRAM)}
    for row in rows.values():
        assert float(row[-1]) >= 0


def test_one_repetition_has_no_interval() -> None:
    row = run(PROGRAM, *SMALL, "-c", "task-single", "-r", 1).out.splitlines()[4]
    assert row.split()[-1] == "-"


@pytest.mark.parametrize(
    "options",
    [
        ["--delay", "0"],
        ["--inner", "-1"],
        ["--test-time", "0"],
        ["--test-time", "1,10", "--inner", "100"],
        ["-c", "barrier,fence"],
    ],
    ids=" ".join,
)
def test_bad_options_are_refused_in_one_line(options: list[str]) -> None:
    refused(run(PROGRAM, *options), 2, f"{PROGRAM}: ")
