# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks with parameters and input of their own: what the driver makes of them (counting.c)."""

import csv
import json
import re
from pathlib import Path

import pytest
from executable import BENCHMARKS, STAND_INS, described, refused, run, validate

pytestmark = pytest.mark.any_runtime

SMALL = ("-n", 97, "-b", 24, "-t", 1, "-r", 1, "-w", 0)
STANDARD = {"sweeps": 4, "form": "ones", "flaw": 0}


def counting(*options: object) -> list[dict[str, object]]:
    """The records of runs, which must pass."""
    done = run("counting", *SMALL, "-f", "json", *options, folder=STAND_INS)
    assert done.status == 0, done.err
    return done.records


def test_parameters_are_axes_and_part_of_the_record() -> None:
    records = counting("--sweeps", "0,2:6:2", "--form", "twos,ones")
    assert [r["parameters"] for r in records] == [
        {"sweeps": sweeps, "form": form, "flaw": 0}
        for sweeps in (0, 2, 4, 6)
        for form in ("twos", "ones")
    ]
    assert [r["digest"] for r in records] == [
        f"{42 + sweeps * (2 if form == 'twos' else 1):016x}"
        for sweeps in (0, 2, 4, 6)
        for form in ("twos", "ones")
    ]
    (usual,) = counting()
    assert usual["parameters"] == STANDARD


def test_a_parameter_of_one_variant_is_none_of_the_others() -> None:
    own = ("-v", "seq,wavefront", "-n", 64, "-b", 16, "-t", 1, "-r", 1, "--time-tile", "1,2")
    done = run("jacobi", *own, "-f", "json")
    found = [(r["variant"], r["parameters"].get("time-tile")) for r in done.records]
    assert found == [("seq", None), ("wavefront", 1), ("wavefront", 2)]


def test_records_say_how_many_sweeps_a_time_tile_has() -> None:
    """At most those of a run, and the rows of a tile."""
    own = ("-v", "depend,wavefront", "-n", 64, "-t", 1, "-r", 1, "--time-tile", "2,8", "-b", "3,16")
    done = run("jacobi", *own, "-f", "json")
    found = [
        (r["nb"], r["parameters"]["time-tile"], r["figures"]["time_tile"])
        for r in done.records
        if r["variant"] == "wavefront"
    ]
    assert sorted(found) == [(3, 2, 2), (3, 8, 3), (16, 2, 2), (16, 8, 4)]
    assert all("time_tile" not in r["figures"] for r in done.records if r["variant"] == "depend")


@pytest.mark.parametrize(
    ("benchmark", "options", "words"),
    [
        ("cholesky", ("--inner-threads", "2,4"), "none of the variants requested has it"),
        ("cholesky", ("-v", "seq,left", "--inner-threads", 2), "; choose from nested"),
        ("qr", ("-v", "lean", "--domains", 1), "; choose from tree"),
        ("task-overhead", ("-p", "tree,chain", "--items", 1), "none of the patterns requested"),
        ("task-overhead", ("-p", "tree", "--priorities", "none"), "; choose from chain, fan-out"),
    ],
)
def test_a_parameter_of_no_requested_variant_is_refused(
    benchmark: str, options: tuple[object, ...], words: str
) -> None:
    (name,) = (text for text in map(str, options) if text.startswith("--"))
    refused(run(benchmark, *options), 2, f"{name}: none of the ", words)


def test_a_list_has_the_parameters_of_all_variants() -> None:
    instances = described("cholesky", "--inner-threads", "2,4")["instances"]
    assert [i["parameters"] for i in instances] == [{"inner-threads": 2}, {"inner-threads": 4}]


def test_records_fit_the_schema_and_state_own_counts_and_figures() -> None:
    (record,) = counting("--sweeps", 9)
    validate([record])
    assert (record["flops"], record["kernels"]) == (970.0, "loops")
    figures = record["figures"]
    assert isinstance(figures, dict)
    assert list(figures) == ["elements", "elements_per_second"]
    assert figures["elements"] == 97
    assert figures["elements_per_second"] == pytest.approx(97 / float(str(record["seconds"])))


@pytest.mark.parametrize("check", ["fast", "full"])
def test_a_wrong_result_fails_the_check_of_the_benchmark(check: str) -> None:
    done = run("counting", *SMALL, "-c", check, "--flaw", 1, "-f", "json", folder=STAND_INS)
    assert done.status == 1
    (record,) = done.records
    (residual,) = record["residuals"]
    assert residual["name"] == f"X-{check.upper()}"
    assert (residual["value"], residual["threshold"], residual["passed"]) == (1.0, 0.5, False)
    assert run("counting", *SMALL, "-c", "none", "--flaw", 1, folder=STAND_INS).status == 0


def test_every_output_names_the_parameters() -> None:
    done = run("counting", *SMALL, "--sweeps", 7, folder=STAND_INS)
    lines = done.out.splitlines()
    assert lines[2].split()[5:8] == ["sweeps", "form", "flaw"]
    assert lines[3].split()[5:8] == ["7", "ones", "0"]
    assert "figures, medians: elements 97, elements_per_second" in done.out
    assert " sweeps=7 form=ones flaw=0 passed=1/1 " in lines[-1]
    table = run("counting", *SMALL, "--sweeps", 7, "-f", "csv", folder=STAND_INS)
    (row,) = csv.DictReader(table.out.splitlines())
    assert row["parameters"] == "sweeps=7 form=ones flaw=0"


def test_a_trace_names_calls_by_the_coordinates_of_the_benchmark(tmp_path: Path) -> None:
    run("counting", *SMALL, "--sweeps", 2, "--trace", tmp_path / "trace", folder=STAND_INS)
    header, *events = map(json.loads, (tmp_path / "trace").read_text().splitlines())
    assert header["record"]["parameters"]["sweeps"] == 2
    named = [[e[header["columns"].index(c)] for c in ("step", "i", "j")] for e in events]
    assert named == [[sweep, block, 0] for sweep in range(2) for block in range(5)]


def test_the_description_lists_the_parameters() -> None:
    listed = run("counting", "--list", "-f", "json", "--sweeps", "1,2", folder=STAND_INS)
    found = json.loads(listed.out)
    validate([found], "benchmark")
    assert [(p["parameter"], p["standard"]) for p in found["parameters"]] == [*STANDARD.items()]
    assert found["parameters"][0]["range"] == [0, 100]
    assert found["parameters"][1]["words"] == ["ones", "twos"]
    assert [i["parameters"]["sweeps"] for i in found["instances"]] == [1, 2]
    assert [i["flops"] / i["n"] for i in found["instances"]] == [2.0, 3.0]
    assert [s["kernels"] for s in found["kernel_sets"]] == ["loops"]
    table = run("counting", "--list", folder=STAND_INS).out
    assert "--sweeps   sweeps over the vector, 0 to 100 (4)" in table
    assert "--form     what is added: ones, twos (ones)" in table


def test_help_lists_the_options_of_the_benchmark_alone() -> None:
    own = run("counting", "--help", folder=STAND_INS).out
    assert "--sweeps=S[,S...]" in own
    assert "--form=ones|twos" in own
    assert "--kernels=loops" in own
    assert "sweeps" not in run("failing", "--help", folder=STAND_INS).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sweeps", "101"), "--sweeps 101: must be an integer from 0 to 100"),
        (("--sweeps", "9:101:1"), "--sweeps 101: must be an integer from 0 to 100"),
        (("--sweeps", "-1"), "--sweeps -1: must be an integer from 0 to 100"),
        (("--sweeps", ""), "--sweeps : must be an integer from 0 to 100"),
        (("--form", "threes"), "--form threes: unknown; choose from ones, twos"),
        (("--form", "ones,"), "--form : unknown; choose from ones, twos"),
        (("--sweep", "x"), "--sweeps x: must be an integer"),
        (("--kernels", "openblas"), "--kernels openblas: unknown; choose from loops"),
        (("--matrix", "any.mtx"), "--matrix: counting takes no matrix from a file"),
        (("--rows", "3"), "--rows: counting needs a square matrix"),
    ],
)
def test_bad_values_are_refused_in_one_line(options: tuple[str, str], words: str) -> None:
    refused(run("counting", *options, folder=STAND_INS), 2, words)


def test_a_benchmark_without_parameters_refuses_those_of_others() -> None:
    refused(run("failing", "--sweeps", "4", folder=STAND_INS), 2, "'--sweeps' is unknown")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_parameter_has_the_name_of_another_option(benchmark: str) -> None:
    common = run("lu", "--help").out  # which has no parameters
    description = described(benchmark)
    names = [p["parameter"] for p in description["parameters"]]
    if "inner" not in description["options"]:  # --inner means nothing to it but a parameter
        names = [name for name in names if name != "inner"]
    assert [name for name in names if re.search(rf"--{name}\b(?!-)", common)] == []


def test_one_variant_alone_may_have_a_parameter() -> None:
    """One domain of QR's tree is its flat tree, bit for bit."""
    records = run("qr", *SMALL, "-f", "json", "-v", "depend,tree", "--domains", "1,3").records
    found = [(r["variant"], r["parameters"], r["digest_group"]) for r in records]
    assert found == [
        ("depend", {}, "qr"),
        ("tree", {"domains": 1}, "qr"),
        ("tree", {"domains": 3}, "qr-tree"),
    ]
    flat, one, three = (r["digest"] for r in records)
    assert flat == one != three
    refused(run("qr", *SMALL, "--domains", "-1"), 2, "--domains")
