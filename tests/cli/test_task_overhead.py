# SPDX-License-Identifier: BSD-3-Clause
"""task-overhead: its records and tables, wrong orders, and what it refuses."""

import csv
import json
from pathlib import Path

import pytest
from executable import (
    BIN,
    FULL,
    RUNTIME,
    STAND_INS,
    Record,
    needs_full,
    passing,
    quantity,
    refused,
    run,
    validate,
)
from micro_benchmarks import DROPS_DEPENDENCES, preloads

PROGRAM = "task-overhead"
TERMS = ("creation", "per_item", "release", "completion")


def listed() -> list[Record]:
    found: list[Record] = json.loads(run(PROGRAM, "--list", "-f", "json").out)["variants"]
    return found


def test_records_of_every_pattern_fit_the_schema_and_pass(tmp_path: Path) -> None:
    path = tmp_path / "records"
    options = ("-n", "1,50", "--items", "1,4", "-t", 2, "-w", 0, "-r", 2, "-f", "json", "-o", path)
    result = run(PROGRAM, *options)
    assert result.status == 0, result.err
    validate(result.records)
    assert [json.loads(line) for line in path.read_text().splitlines()] == result.records
    available = [p for p in listed() if p["available"]]
    for pattern in available:
        own = [r for r in result.records if r["variant"] == pattern["variant"]]
        assert len(own) == 2 * 2 * (2 if "items" in pattern["parameters"] else 1)
        assert {r["parameters"].get("items") for r in own} == (
            {1, 4} if "items" in pattern["parameters"] else {None}
        )
        assert all(r["passed"] and quantity(r, "ns_per_task") > 0 for r in own)
    assert result.err.splitlines()[-1].startswith("PASS task-overhead ")


def test_every_term_and_figure_is_known_or_has_a_reason() -> None:
    options = ("-p", "chain,independent,tree", "-n", 64, "--items", "1,8", "-t", "1,2", "-r", 1)
    for record in passing(PROGRAM, *options, "-f", "json"):
        values = {**record["figures"], **{term: quantity(record, term) for term in TERMS}}
        assert {name for name, value in values.items() if value is None} == set(record["unknown"])


@preloads
@pytest.mark.parametrize("where", ["CREATION", "ITEM", "RELEASE"])
def test_a_planted_cost_is_part_of_what_a_task_takes(where: str) -> None:
    costly = {
        "LD_PRELOAD": str(STAND_INS / "doubles/costly.so"),
        f"POLLUX_DOUBLE_{where}": "20000",
    }
    options = ("-p", "chain", "-n", 64, "-t", 1, "-r", 3, "-f", "json")
    for record in passing(PROGRAM, *options, settings=costly):
        assert (quantity(record, "ns_per_task") or 0) >= 20000


def test_several_creators_have_an_instance_each_and_need_as_many_threads() -> None:
    options = ("-p", "chain,cholesky", "-n", 100, "-t", 3, "--creators", "1,2,3", "-r", 1)
    result = run(PROGRAM, *options, "-f", "json")
    assert result.status == 0, result.err
    validate(result.records)
    tasks = {
        (r["variant"], r["parameters"]["creators"]): r["size"]["value"] for r in result.records
    }
    # 120, 56 and 35 are the tasks of Cholesky with 8, 6 and 5 rows of tiles.
    assert tasks == {
        **{("chain", 1): 100, ("chain", 2): 100, ("chain", 3): 102},
        **{("cholesky", 1): 120, ("cholesky", 2): 112, ("cholesky", 3): 105},
    }
    refused(run(PROGRAM, "-p", "chain", "-t", "4,2", "--creators", 3), 2, "--creators 3")


def test_priorities_are_switched_on_where_an_option_asks_for_them() -> None:
    options = ("-p", "chain,fan-in,cholesky", "-n", 20, "-t", 2, "-r", 1, "-f", "json")
    without = run(PROGRAM, *options).records
    asked = run(PROGRAM, *options, "--priorities", "none,random").records
    validate([*without, *asked])
    assert {r["variant"]: r["parameters"].get("priorities") for r in without} == {
        **{"chain": "none", "fan-in": None, "cholesky": None}
    }
    assert sorted(r["parameters"]["priorities"] for r in asked if r["variant"] == "chain") == [
        "none",
        "random",
    ]
    if RUNTIME in ("libgomp", "libomp"):
        on = [
            next(r for r in rs if r["details"]["graph"])["details"]["graph"]["priorities"]
            for rs in (without, asked)
        ]
        assert on == [False, True]
        assert asked[0]["runtime"]["env_set"]["OMP_MAX_TASK_PRIORITY"] == "32"


def test_priorities_are_switched_on_for_patterns_without_a_clause_of_their_own() -> None:
    options = ("-p", "cholesky", "-n", 20, "-t", 2, "-r", 1, "-f", "json", "--priorities", "equal")
    (record,) = run(PROGRAM, *options).records
    assert "priorities" not in record["parameters"]
    if RUNTIME in ("libgomp", "libomp"):
        assert record["details"]["graph"]["priorities"]


def test_priorities_of_several_creators_are_refused_where_the_runtime_crashes() -> None:
    options = ("-n", 100, "-t", 2, "--creators", 2, "-r", 1, "-f", "json")
    several = ("-p", "chain", "--priorities", "random")
    own = ("-p", "cholesky,chain", "--priorities", "none,equal")
    for patterns in (several, own):
        result = run(PROGRAM, *patterns, *options)
        if RUNTIME == "libgomp":
            refused(result, 3, "different priorities of tasks that several threads create")
        else:
            assert result.status == 0, result.err
    assert run(PROGRAM, "-p", "chain", "--priorities", "equal", *options).status == 0
    assert run(PROGRAM, "-p", "cholesky", *options).status == 0


def test_records_state_the_graph_of_a_factorization() -> None:
    options = ("-p", "cholesky,lu-cw,chain", "-n", 50, "-r", 1, "-f", "json")
    graphs = {r["variant"]: r["details"]["graph"] for r in run(PROGRAM, *options).records}
    assert graphs["chain"] is None
    assert (graphs["cholesky"]["variant"], graphs["cholesky"]["tiles"]) == ("depend", 6)
    assert graphs["cholesky"]["concurrent_write"] is None
    assert (graphs["lu-cw"]["variant"], graphs["lu-cw"]["tiles"]) == ("cw", 5)
    assert graphs["lu-cw"]["concurrent_write"]


def test_tables_show_how_many_threads_created_the_tasks() -> None:
    result = run(PROGRAM, "-p", "chain", "-n", 100, "-t", 2, "--creators", 2, "-r", 1)
    assert "    2 creators of 50 tasks each" in result.out.splitlines()


def test_what_is_left_is_known_wherever_emptying_is_and_where_nothing_is_left() -> None:
    options = ("-p", "chain,independent,tree,cholesky", "-n", 300, "-t", "1,2", "-r", 2)
    for record in passing(PROGRAM, *options, "-f", "json"):
        assert record["figures"]["open_created_ns"] > 0
        if record["figures"]["emptied_ns"] is not None:
            assert 0 <= record["figures"]["left_ns"] <= record["figures"]["emptied_ns"]
        else:
            assert record["figures"]["left_ns"] in (None, 0)


@pytest.mark.skipif(RUNTIME != "libgomp", reason="other runtimes may run tasks early")
def test_a_gate_tells_the_terms_apart() -> None:
    options = ("-p", "independent,chain", "-n", 500, "--items", 8, "-t", "1,2", "-r", 1)
    for record in passing(PROGRAM, *options, "-f", "json"):
        known = {term for term in TERMS if quantity(record, term) is not None}
        expected = {"creation", "completion"}
        assert known == expected | ({"release"} if record["variant"] == "chain" else {"per_item"})
        assert quantity(record, "creation") * record["size"]["value"] == pytest.approx(
            record["figures"]["created_ns"]
        )


@preloads
@pytest.mark.parametrize("pattern", ["chain", "fan-in", "readers", "random"])
def test_a_runtime_that_drops_dependences_fails_and_has_no_times(pattern: str) -> None:
    options = ("-p", pattern, "-n", 2000, "-t", 2, "-r", 1, "-f", "json")
    result = run(PROGRAM, *options, settings=DROPS_DEPENDENCES)
    assert result.status == 1, result.err
    validate(result.records)
    (record,) = result.records
    assert (record["passed"], quantity(record, "ns_per_task")) == (False, None)
    assert "did not wait for" in record["fault"]
    measured = {name: value for name, value in record["figures"].items() if name != "clock_ns"}
    assert set(measured.values()) == {None}
    assert {record["unknown"][name] for name in measured} == {"tasks ran in a wrong order"}
    assert record["fault"] in result.err
    assert result.err.splitlines()[-1].startswith("FAIL task-overhead ")


def test_a_table_fits_eighty_columns_and_ends_with_the_pass_line() -> None:
    result = run(PROGRAM, "-n", 20, "-t", 2, "-r", 2)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("# task-overhead")
    assert max(len(line) for line in lines) <= 80
    assert lines[-1].startswith("PASS task-overhead runtime=")
    for pattern in listed():
        rows = [line for line in lines if line.startswith(pattern["variant"] + " ")]
        assert len(rows) == (1 if pattern["available"] else 0)


def test_csv_rows_have_the_headers_fields() -> None:
    options = ("-p", "chain", "-n", 20, "-t", 1, "-r", 2, "-f", "csv")
    header, *rows = csv.reader(run(PROGRAM, *options).out.splitlines())
    assert len(rows) == 2
    for row in rows:
        values = dict(zip(header, row, strict=True))
        assert (values["variant"], values["tasks"], values["passed"]) == ("chain", "20", "true")


@pytest.mark.parametrize(
    "options",
    [
        ["-p", "nothing"],
        ["-p", ""],
        ["-n", "0"],
        ["-n", "-1"],
        ["-n", "9" * 30],
        ["--items", "0"],
        ["--items", "3"],
        ["--items", "65"],
        ["--distance", "0"],
        ["-p", "chain,cholesky", "--distance", "4"],
    ],
    ids=" ".join,
)
def test_bad_options_are_refused_in_one_line(options: list[str]) -> None:
    refused(run(PROGRAM, *options), 2, f"{PROGRAM}: ")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["-n", "2147483647"], "GiB"),
        (
            ["-p", "independent", "-n", "100000", "--items", "64", "--distance", "2147483647"],
            "distance",
        ),
    ],
)
def test_what_does_not_fit_is_refused_before_it_is_tried(options: list[str], word: str) -> None:
    result = run(PROGRAM, *options, "-t", 1)
    assert result.status == 3
    assert result.out == ""
    assert word in result.errors[-1]


@needs_full
def test_a_full_disk_leaves_the_record_on_standard_error() -> None:
    result = run(PROGRAM, "-p", "chain", "-n", 10, "-t", 1, "-r", 2, "-o", FULL)
    assert result.status == 3
    record, message = result.errors
    assert json.loads(record)["variant"] == "chain"
    assert str(FULL) in message


def test_the_version_names_the_runtime_and_no_blas() -> None:
    result = run(PROGRAM, "--version")
    assert result.status == 0
    assert "runtime   " in result.out
    assert "blas" not in result.out
    assert (BIN / PROGRAM).exists()
