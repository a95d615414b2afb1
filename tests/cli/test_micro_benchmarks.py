# SPDX-License-Identifier: BSD-3-Clause
"""What all micro-benchmarks share: their options, and what they refuse."""

import pytest
from executable import (
    BIN,
    DISTRIBUTED_MICRO,
    MICRO_BENCHMARKS,
    SANITIZED,
    described,
    refused,
    run,
    run_command,
)

pytestmark = pytest.mark.any_runtime
ALL = (*MICRO_BENCHMARKS, *DISTRIBUTED_MICRO)


@pytest.mark.parametrize("benchmark", ALL)
def test_lists_and_help_fit_eighty_columns_and_name_every_option(benchmark: str) -> None:
    found = described(benchmark)
    listed = run(benchmark, "--list").out.splitlines()
    assert [line.split()[0] for line in listed[1:]] == [v["variant"] for v in found["variants"]]
    text = run(benchmark, "--help").out
    assert max(len(line) for line in text.splitlines()) <= 80
    names = ["size", found["size"]["name"]] if found["size"] else []
    names += [p["parameter"] for p in found["parameters"]]
    for name in [*names, "variant", "threads", "repeat"]:
        assert f"--{name}=" in text


@pytest.mark.parametrize("benchmark", ALL)
@pytest.mark.parametrize(
    "options",
    [["-t", "0"], ["-t", "65537"], ["-r", "0"], ["-f", "xml"], ["--nosuch"], ["stray"]],
    ids=" ".join,
)
def test_bad_values_of_shared_options_are_refused_in_one_line(
    benchmark: str, options: list[str]
) -> None:
    refused(run(benchmark, *options), 2, f"{benchmark}: ")


@pytest.mark.parametrize("benchmark", ALL)
def test_an_unknown_variant_is_answered_with_the_known_ones(benchmark: str) -> None:
    found = described(benchmark)
    known = [v["variant"] for v in found["variants"]]
    refused(run(benchmark, "--variant", "nothing"), 2, *known)


@pytest.mark.parametrize("benchmark", MICRO_BENCHMARKS)
def test_unwritable_records_are_refused_before_anything_runs(benchmark: str) -> None:
    found = described(benchmark)
    variant = next(v["variant"] for v in found["variants"] if v["available"])
    options = ("--variant", variant, "-o", "/nonexistent/folder/records")
    refused(run(benchmark, *options), 2, f"{benchmark}: ")


@pytest.mark.skipif(SANITIZED, reason="the address sanitizer reserves terabytes")
@pytest.mark.parametrize(
    ("program", "options", "gib"),
    [
        ("constructs", ("-c", "depend", "--inner", 1 << 22, "-t", 64), 500),
        ("constructs", ("-c", "depend", "--test-time", 10**6, "-t", 64), 1000),
        ("clomp", ("-c", "depend", "-n", 1 << 26, "--zones", 3, "-t", 2), 1000),
        ("regions", ("-v", "task", "--inner", 10**9, "-t", 4), 2000),
    ],
)
def test_memory_of_waiting_tasks_is_counted_before_they_are_created(
    program: str, options: tuple[object, ...], gib: float
) -> None:
    if program not in MICRO_BENCHMARKS:
        pytest.skip("the compiler lacks what it takes")
    with_64_gib = ("sh", "-c", 'ulimit -v 67108864; exec "$@"', "sh")  # whatever the machine has
    result = run_command([*with_64_gib, BIN / program, *options])
    message = refused(result, 3, "needs", "GiB of memory")
    assert float(message.partition(" needs ")[2].split()[0]) > gib
