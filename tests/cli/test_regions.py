# SPDX-License-Identifier: BSD-3-Clause
"""regions: its records and tables, inner regions that are serial, and what it refuses."""

import pytest
from executable import MICRO_BENCHMARKS, STAND_INS, passing, quantity, refused, run, validate
from micro_benchmarks import available, preloads

PROGRAM = "regions"
SMALL = ("-w", 0, "-r", 1, "-f", "json")
REGIONS = ("flat", "parallel")

pytestmark = pytest.mark.skipif(
    PROGRAM not in MICRO_BENCHMARKS,
    reason="the compiler has no parallel regions",
)


def test_records_of_every_form_fit_the_schema_and_have_the_threads_of_each_level() -> None:
    result = run(PROGRAM, *SMALL, "-t", 3, "--inner", "1,2", "--work", "0,1000")
    assert result.status == 0, result.err
    validate(result.records)
    for form in available(PROGRAM):
        own = [r for r in result.records if r["variant"] == form["variant"]]
        inner = [1, 2] if "inner" in form["parameters"] else [None]
        assert [(r["parameters"].get("inner"), r["parameters"]["work"]) for r in own] == [
            (n, w) for n in inner for w in (0, 1000)
        ]
        for record in own:
            levels = record["levels"]
            assert levels["given"] == levels["allowed"] == levels["requested"]
            assert len(levels["given"]) == (2 if form["variant"] == "parallel" else 1)
            if form["variant"] in REGIONS:
                assert (
                    levels["given"]
                    == [3, record["parameters"].get("inner")][: len(levels["given"])]
                )
            assert quantity(record, "region") > 0
            assert (quantity(record, "ideal") > 0) == (record["parameters"]["work"] > 0)


def test_the_overhead_is_what_is_left_of_the_loops_for_each_inner_one() -> None:
    for record in passing(PROGRAM, *SMALL, "-t", 2, "--work", 0):
        loops = 1 if record["variant"] == "flat" else record["threads"]
        assert quantity(record, "overhead_ns") == pytest.approx(quantity(record, "region") / loops)


@preloads
def test_a_runtime_that_makes_inner_regions_serial_is_not_nested() -> None:
    serial = str(STAND_INS / "doubles/serial.so")
    settings = {"LD_PRELOAD": serial, "OMP_MAX_ACTIVE_LEVELS": "1"}
    options = ("-v", "parallel", "-t", 2, *SMALL)
    result = run(PROGRAM, *options, "--inner", 4, settings=settings)
    assert result.status == 1
    validate(result.records)
    (record,) = result.records
    assert (record["passed"], quantity(record, "overhead_ns")) == (False, None)
    assert record["levels"] == {"requested": [2, 4], "allowed": [2, 4], "given": [2, 1]}
    (line,) = [line for line in result.errors if "not nested" in line]
    assert "gave inner regions 1 of 4 threads" in line
    assert run(PROGRAM, *options, "--inner", 1, settings=settings).status == 0


@pytest.mark.parametrize("setting", ["OMP_MAX_ACTIVE_LEVELS=1", "OMP_NESTED=false"])
def test_settings_of_the_user_that_forbid_nesting_are_kept_and_recorded(setting: str) -> None:
    name, value = setting.split("=")
    options = ("-v", "parallel", "-t", 2, "--inner", 2, *SMALL)
    result = run(PROGRAM, *options, settings={name: value})
    assert result.status == 0, result.err
    (record,) = result.records
    assert record["levels"] == {"requested": [2, 2], "allowed": [2, 1], "given": [2, 1]}
    assert record["runtime"]["env"][name] == value
    assert "OMP_MAX_ACTIVE_LEVELS" not in record["runtime"]["env_set"]


def test_nesting_is_switched_on_where_the_user_sets_nothing() -> None:
    (record,) = run(PROGRAM, "-v", "parallel", "-t", 2, *SMALL).records
    assert record["runtime"]["env_set"]["OMP_MAX_ACTIVE_LEVELS"] == "2"
    assert record["levels"]["given"] == [2, 2]


def test_more_threads_than_the_users_limit_are_refused() -> None:
    options = ("-v", "parallel", "-t", 2, "--inner", 2, *SMALL)
    result = run(PROGRAM, *options, settings={"OMP_THREAD_LIMIT": "3"})
    refused(result, 3, "4 threads are more than the runtime's limit of 3", "OMP_THREAD_LIMIT")


def test_four_teams_of_four_threads_end_on_any_number_of_processors() -> None:
    settings = {"OMP_WAIT_POLICY": "passive"}
    options = ("-v", "parallel", "-t", 4, "--inner", 4, *SMALL)
    result = run(PROGRAM, *options, settings=settings)
    assert result.status == 0, result.err
    assert quantity(result.records[0], "region") > 0


def test_a_table_fits_eighty_columns_and_has_a_row_for_each_form() -> None:
    lines = run(PROGRAM, "-w", 0, "-r", 1, "-t", 2, "--work", 2000).out.splitlines()
    assert max(len(line) for line in lines) <= 80
    rows = [line.split()[0] for line in lines if not line.startswith(("#", " ", "form", "PASS"))]
    assert rows == [v["variant"] for v in available(PROGRAM)]


@pytest.mark.parametrize(
    "options",
    [["--inner", "0"], ["--work", "-1"], ["--alpha", "17"], ["-v", "serial"]],
    ids=" ".join,
)
def test_bad_options_are_refused_in_one_line(options: list[str]) -> None:
    refused(run(PROGRAM, *options), 2, f"{PROGRAM}: ")
