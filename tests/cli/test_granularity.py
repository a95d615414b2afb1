# SPDX-License-Identifier: BSD-3-Clause
"""granularity: its records and tables, wrong orders, and what it refuses."""

import pytest
from executable import described, quantities, quantity, refused, run, validate
from micro_benchmarks import DROPS_DEPENDENCES, available, preloads

PROGRAM = "granularity"
METG = ("metg_50", "metg_90", "metg_50_best", "metg_90_best")
SMALL = ("-n", 60, "-w", 0, "--smallest-grain", 8, "--largest-grain", 32)


@pytest.mark.parametrize("work", ["cycles", "dgemm"])
def test_records_of_every_pattern_fit_the_schema_and_their_numbers_agree(work: str) -> None:
    options = (*SMALL, "-t", 2, "-r", 1, "--reference-ns", 0.5, "--work", work)
    result = run(PROGRAM, *options, "-f", "json")
    assert result.status == 0, result.err
    validate(result.records)
    patterns = [v["variant"] for v in available(PROGRAM)]
    assert [(r["variant"], r["parameters"]["work"]) for r in result.records] == [
        (pattern, work) for pattern in patterns
    ]
    dgemm = work == "dgemm"
    for record in result.records:
        curve = record["details"]["curve"]
        assert [p["grain"] for p in curve] == ([8, 12, 16, 24, 32] if dgemm else [8, 16, 32])
        assert quantity(record, "ns_per_task") == curve[0]["ns_per_task"]
        units = [p["grain"] ** 3 if dgemm else p["grain"] for p in curve]
        rates = [p["granularity_ns"] / u for p, u in zip(curve, units, strict=True)]
        assert record["figures"]["unit_ns"] == pytest.approx(min(rates))
        for point, unit in zip(curve, units, strict=True):
            granularity = point["granularity_ns"]
            assert granularity == pytest.approx(point["ns_per_task"] * record["threads"])
            assert point["efficiency"] == pytest.approx(point["reference_ns"] / granularity)
            assert point["efficiency_best"] == pytest.approx(unit * 0.5 / granularity)
        for name in METG:
            assert (quantity(record, name) is None) == (name in record["unknown"])


def test_a_pattern_without_parallelism_says_so_and_without_reference_there_is_no_best() -> None:
    serial = [
        p for p in ("chain", "mutexinoutset") if p in {v["variant"] for v in available(PROGRAM)}
    ]
    options = ("-p", ",".join(serial), "-t", 4, "-r", 1, "-f", "json")
    records = run(PROGRAM, *SMALL, *options).records
    assert [record["variant"] for record in records] == serial
    for record in records:
        assert record["figures"]["attainable"] == 0.25
        assert record["figures"]["reference_unit_ns"] is None
        assert "--reference-ns" in record["unknown"]["metg_50_best"]
        assert quantity(record, "metg_50") is None
        assert "at once" in record["unknown"]["metg_50"]


@preloads
def test_a_runtime_that_drops_dependences_fails_although_tasks_compute() -> None:
    # Tasks that take longer than their creation: no other thread can keep up and run them in order.
    grains = ("-w", 0, "--smallest-grain", 4096, "--largest-grain", 8192)
    options = ("-p", "chain", "-n", 2000, "-t", 2, "-r", 1, "-f", "json", *grains)
    result = run(PROGRAM, *options, settings=DROPS_DEPENDENCES)
    assert result.status == 1, result.err
    validate(result.records)
    (record,) = result.records
    assert (record["passed"], record["details"]["curve"], quantity(record, "ns_per_task")) == (
        False,
        [],
        None,
    )
    assert set(quantities(record).values()) == {None}
    assert record["fault"] in result.err


@pytest.mark.parametrize("work", ["cycles", "dgemm"])
def test_tables_fit_eighty_columns_and_answer_for_tiles(work: str) -> None:
    result = run(PROGRAM, *SMALL, "-p", "independent", "-t", 2, "-r", 3, "--work", work)
    assert result.status == 0
    lines = result.out.splitlines()
    assert max(len(line) for line in lines) <= 80
    assert lines[-1].startswith("PASS granularity runtime=")
    assert [line.split()[0] for line in lines if " % " in line][:2] == [
        "8",
        "12" if work == "dgemm" else "16",
    ]
    assert ("NB = " in result.out) == (work == "dgemm")


def test_grains_that_are_too_few_are_named_with_the_ones_of_the_program_itself() -> None:
    refused(
        run(PROGRAM, "-p", "chain", "--smallest-grain", 100000),
        2,
        "--smallest-grain 100000, --largest-grain 65536: two grains at least",
    )


def test_options_that_a_run_refuses_are_listed_with_their_memory() -> None:
    none = described(PROGRAM, "--smallest-grain", 100000)["instances"]
    usual = described(PROGRAM)["instances"]
    assert [i["bytes"] for i in none] == pytest.approx([i["bytes"] for i in usual], rel=0.1)
    options = ("-t", 1, "--work", "dgemm", "--largest-grain", 3 * 2**29)
    (huge,) = described(PROGRAM, *options)["instances"]
    assert huge["bytes"] == 2**63 - 1


@pytest.mark.parametrize(
    "options",
    [
        ["--work", "sleep"],
        ["--smallest-grain", "-1"],
        ["--smallest-grain", "64", "--largest-grain", "64"],
        ["--smallest-grain", "64", "--largest-grain", "32"],
        ["--work", "dgemm", "--largest-grain", "100000"],
        ["--reference-ns", "0"],
        ["--reference-ns", "nan"],
        ["--reference-ns", "1x"],
        ["--reference-ns", ""],
        ["--work", "cycles,dgemm", "--reference-ns", "0.5"],
    ],
    ids=" ".join,
)
def test_bad_options_are_refused_in_one_line(options: list[str]) -> None:
    refused(run(PROGRAM, "-p", "chain", *options), 2, f"{PROGRAM}: --", options[-2])
