# SPDX-License-Identifier: BSD-3-Clause
"""clomp: its records and tables, schedules that break the order, and what it refuses."""

import json
from pathlib import Path

import pytest
from executable import passing, quantities, quantity, refused, run, validate
from micro_benchmarks import DROPS_DEPENDENCES, available, is_rounded, preloads

PROGRAM = "clomp"
SMALL = ("-n", 8, "--zones", 5, "--cycles", 2, "-w", 0)


def test_records_of_every_schedule_fit_the_schema_and_pass() -> None:
    axes = ("--allocation", "serial,threaded", "--flop-scale", "1,2", "--residues", "all,first")
    result = run(PROGRAM, *SMALL, *axes, "-t", "1,2", "-r", 1, "-f", "json")
    assert result.status == 0, result.err
    validate(result.records)
    for schedule in (v["variant"] for v in available(PROGRAM)):
        own = [r for r in result.records if r["variant"] == schedule]
        assert len(own) == 2**4
        assert all(r["passed"] and r["figures"]["loops"] == 20 for r in own)
    for record in result.records:
        for name, value in quantities(record).items():
            assert (value is None) == (name in record["unknown"])


def test_overheads_are_differences_to_the_best_case() -> None:
    options = ("-c", "serial,task,depend", "-t", 2, "-r", 1, "-f", "json")
    for record in passing(PROGRAM, *SMALL, *options):
        terms = quantities(record)
        assert quantity(record, "overhead_ns") == pytest.approx(terms["loop"] - terms["best_case"])


@preloads
def test_a_runtime_that_drops_dependences_fails_and_has_no_times() -> None:
    options = ("-c", "depend", "-n", 64, "--cycles", 5, "-t", 2, "-r", 1, "-f", "json")
    result = run(PROGRAM, *options, settings=DROPS_DEPENDENCES)
    assert result.status == 1, result.err
    validate(result.records)
    (record,) = result.records
    assert (record["passed"], quantity(record, "overhead_ns")) == (False, None)
    assert record["fault"].startswith("depend: ")
    assert record["fault"] in result.err
    assert result.err.splitlines()[-1].startswith("FAIL clomp ")


def test_a_table_fits_eighty_columns_and_shows_speed_up_and_efficacy(tmp_path: Path) -> None:
    path = tmp_path / "records"
    lines = run(PROGRAM, *SMALL, "-t", 2, "-r", 1, "-o", path).out.splitlines()
    assert max(len(line) for line in lines) <= 80
    rows = {line.split()[0]: line.split()[-4:] for line in lines[4:-1]}
    assert set(rows) == {v["variant"] for v in available(PROGRAM)}
    assert rows["best-case"][-1] == "-"
    for record in map(json.loads, path.read_text().splitlines()):
        terms = quantities(record)
        if record["variant"] in ("barrier", "best-case"):
            continue
        speed_up, efficacy = terms["serial"] / terms["loop"], terms["best_case"] / terms["loop"]
        shown = [
            terms["loop"] / 1e3,
            speed_up,
            100 * efficacy,
            quantity(record, "overhead_ns") / 1e3,
        ]
        cells = rows[record["variant"]]
        assert all(map(is_rounded, cells, shown)), (cells, shown)


@pytest.mark.parametrize(
    "options",
    [
        ["-n", "0"],
        ["--zones", "2"],
        ["--zone-size", "16"],
        ["--zone-size", "33"],
        ["--flop-scale", "0"],
        ["--flop-scale", "257"],
        ["--allocation", "none"],
        ["--residues", "last"],
        ["--cycles", "-1"],
    ],
    ids=" ".join,
)
def test_bad_options_are_refused_in_one_line(options: list[str]) -> None:
    refused(run(PROGRAM, *options), 2, f"{PROGRAM}: ")


@pytest.mark.parametrize("options", [["-n", "64", "--zones", "2000000000"], ["-n", "2147483647"]])
def test_meshes_that_do_not_fit_are_refused_before_anything_runs(options: list[str]) -> None:
    result = run(PROGRAM, *options, "-t", 1)
    assert result.status == 3
    assert result.out == ""
    assert "GiB" in result.errors[-1]
