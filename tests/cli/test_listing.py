# SPDX-License-Identifier: BSD-3-Clause
"""What benchmarks state of themselves: --list as JSON, and what their runs and traces show."""

import pytest
from executable import (
    BENCHMARKS,
    DISTRIBUTED_MICRO,
    MICRO_BENCHMARKS,
    described,
    of_results,
    refused,
    run,
    validate,
)

pytestmark = pytest.mark.any_runtime


@pytest.mark.parametrize("benchmark", [*BENCHMARKS, *MICRO_BENCHMARKS, *DISTRIBUTED_MICRO])
def test_descriptions_fit_the_schema(benchmark: str) -> None:
    given = described(benchmark)["options"]
    several = [("size", "100,1000"), ("tile", "16,32"), ("check", "full")]
    options = [f"--{name}={value}" for name, value in several if name in given]
    for more in ((), ("-t", "1,2", *options)):
        found = described(benchmark, *more)
        validate([found], "benchmark")
        assert found["benchmark"] == benchmark
        assert found["default_variant"] in [v["variant"] for v in found["variants"]]


def test_every_combination_of_sizes_is_an_instance() -> None:
    found = described("lu", "-m", 900, "-n", "300,600", "-b", "64,128x32", "-t", "1,3")
    assert [(i["n"], i["mb"], i["nb"], i["threads"]) for i in found["instances"]] == [
        (n, mb, nb, t) for n in (300, 600) for mb, nb in ((64, 64), (128, 32)) for t in (1, 3)
    ]
    assert {i["m"] for i in found["instances"]} == {900}
    assert {i["tile_source"] for i in found["instances"]} == {"option"}


def test_what_is_not_known_of_too_many_blocks_is_null() -> None:
    large = ("-n", 20000, "-b", 1)
    found = described("sparselu", *large)
    (instance,) = found["instances"]
    validate([found], "benchmark")
    assert instance["flops"] is None
    assert set(instance["tasks"].values()) == {None}
    refused(run("sparselu", *large), 3, "more than 16384: choose a smaller configuration")


def test_what_is_not_known_of_more_blocks_than_fit_in_memory_is_null() -> None:
    found = described("sparselu", "-n", 10_000_000, "-b", 20_000)
    (instance,) = found["instances"]
    validate([found], "benchmark")
    assert instance["bytes"] > 10**13
    assert instance["flops"] is None
    assert set(instance["tasks"].values()) == {None}


@of_results
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_tiles_are_square_unless_others_are_requested(benchmark: str) -> None:
    (usual,) = described(benchmark, "-n", 4096)["instances"]
    assert (usual["mb"], usual["tile_source"]) == (usual["nb"], "table")
    given, fastest = described(benchmark, "-n", 4096, "-b", "64,fastest")["instances"]
    assert (given["nb"], given["tile_source"]) == (64, "option")
    assert fastest["tile_source"] == "fastest"
    assert fastest["mb"] % fastest["nb"] == 0


def test_the_fastest_tile_of_lu_is_tall() -> None:
    (fastest,) = described("lu", "-n", 8192, "-t", 2, "-b", "fastest")["instances"]
    assert fastest["mb"] > fastest["nb"]


@of_results
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_records_show_what_the_description_says(benchmark: str) -> None:
    own = described(benchmark, "-n", 200, "-t", 2)
    [instance] = own["instances"]
    groups = {v["variant"]: v["digest_group"] for v in own["variants"]}
    result = run(benchmark, "-n", 200, "-t", 2, "-r", 1, "-v", "all", "-f", "json")
    assert result.status == 0, result.err
    for record in result.records:
        assert {name: record[name] for name in ("m", "n", "mb", "nb", "ib", "flops")} == {
            name: instance[name] for name in ("m", "n", "mb", "nb", "ib", "flops")
        }
        assert record["digest_group"] == groups[record["variant"]]
        assert isinstance(record["ib"], int) == ("inner" in own["options"])
        assert isinstance(record["concurrent_write"], dict) == own["concurrent_write"]
        assert record["tile_source"] == instance["tile_source"] == "table"


@of_results
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_only_rectangular_benchmarks_take_rows(benchmark: str) -> None:
    rectangular = "rows" in described(benchmark)["options"]
    assert (run(benchmark, "-m", 50, "-n", 40, "-b", 16, "-r", 1).status == 0) == rectangular
