# SPDX-License-Identifier: BSD-3-Clause
"""Parallel regions inside tasks: threads of both levels, and runtimes that do not give them."""

import pytest
from executable import RUNTIME, STAND_INS, described, refused, run
from micro_benchmarks import preloads

pytestmark = pytest.mark.skipif(RUNTIME == "ompss", reason="OmpSs has no parallel regions")

# An executable, its nested variant, and the option of the inner teams with other options.
SMALL = ("-n", 96, "-b", 32)
BATCH = ("-n", 64, "--batch", 4)
TREE = ("-n", 40, "-b", 16, "--depth", 2, "--branching", 3, "--roots", 2)
BENCHMARKS: list[tuple[str, str, str, tuple[object, ...]]] = [
    ("cholesky", "nested", "--inner-threads", SMALL),
    ("cell-tree", "nested", "--inner", TREE),
    ("cell-tree", "depend-nested", "--inner", TREE),
    ("batched-fft", "nested", "--inner", BATCH),
    ("batched-fft", "task-nested", "--inner", BATCH),
]
each = pytest.mark.parametrize(("benchmark", "variant", "inner", "sizes"), BENCHMARKS)


@each
def test_the_record_has_the_threads_of_both_levels(
    benchmark: str, variant: str, inner: str, sizes: tuple[object, ...]
) -> None:
    result = run(benchmark, "-v", variant, *sizes, "-t", 2, inner, "1,3", "-r", 1, "-f", "json")
    assert result.status == 0, result.err
    levels = [record["levels"] for record in result.records]
    # FFTW opens no region for one thread.
    alone = None if benchmark == "batched-fft" else 1
    assert levels == [
        {"requested": [2, 1], "given": [2, alone]},
        {"requested": [2, 3], "given": [2, 3]},
    ]
    assert [record["parameters"][inner[2:]] for record in result.records] == [1, 3]
    assert all(r["runtime"]["env_set"]["OMP_MAX_ACTIVE_LEVELS"] == "2" for r in result.records)


@each
@preloads
def test_a_runtime_that_makes_inner_regions_serial_is_not_nested(
    benchmark: str, variant: str, inner: str, sizes: tuple[object, ...]
) -> None:
    serial = str(STAND_INS / "doubles/serial.so")
    settings = {"LD_PRELOAD": serial, "OMP_MAX_ACTIVE_LEVELS": "1"}
    arguments = ("-v", variant, *sizes, "-t", 2, "-r", 2, "-f", "json")
    result = run(benchmark, *arguments, inner, 2, settings=settings)
    assert result.status == 1
    assert {record["passed"] for record in result.records} == {False}
    assert all(record["levels"]["given"] == [2, 1] for record in result.records)
    (line,) = [line for line in result.errors if "not nested" in line]
    assert "gave parallel regions inside tasks 1 of 2 threads" in line
    assert run(benchmark, *arguments, inner, 1, settings=settings).status == 0


@each
@pytest.mark.parametrize("setting", ["OMP_MAX_ACTIVE_LEVELS=1", "OMP_NESTED=false"])
def test_settings_of_the_user_that_forbid_nesting_are_respected(
    benchmark: str, variant: str, inner: str, sizes: tuple[object, ...], setting: str
) -> None:
    del inner
    name, value = setting.split("=")
    settings = {name: value, "KMP_WARNINGS": "0"}  # libomp's, that OMP_NESTED is deprecated
    result = run(benchmark, "-v", variant, *sizes, "-t", 2, "-r", 1, settings=settings)
    refused(result, 3, f"variant {variant}: not run, {setting} allows no parallel region inside")


@each
def test_more_threads_than_the_users_limit_are_refused(
    benchmark: str, variant: str, inner: str, sizes: tuple[object, ...]
) -> None:
    arguments = ("-v", variant, *sizes, "-t", 2, inner, 2, "-r", 1)
    result = run(benchmark, *arguments, settings={"OMP_THREAD_LIMIT": "3"})
    refused(result, 3, "2 x 2 threads are more than the runtime's limit of 3", "OMP_THREAD_LIMIT")


@each
def test_only_nested_variants_have_inner_teams(
    benchmark: str, variant: str, inner: str, sizes: tuple[object, ...]
) -> None:
    description = described(benchmark)
    nested = [v["variant"] for v in description["variants"] if v["nested"]]
    assert variant in nested
    assert [p["parameter"] for p in description["parameters"] if p["inner_team"]] == [inner[2:]]
    result = run(benchmark, "-v", "all", *sizes, "-t", 2, inner, "2,3", "-r", 1, "-f", "json")
    assert result.status == 0, result.err
    for record in result.records:
        assert (inner[2:] in record["parameters"]) == (record["variant"] in nested)
        assert (record["levels"] is not None) == (record["variant"] in nested)
    ran = [record["variant"] for record in result.records]
    assert {ran.count(name) for name in nested} == {2}
    assert all(ran.count(name) == 1 for name in ran if name not in nested)


def test_a_matrix_of_one_tile_opens_no_inner_region() -> None:
    result = run("cholesky", "-v", "nested", "-n", 40, "-b", 40, "-t", 2, "-r", 1, "-f", "json")
    assert result.status == 0, result.err
    (record,) = result.records
    assert record["levels"] == {"requested": [2, 2], "given": [2, None]}
