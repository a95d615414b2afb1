# SPDX-License-Identifier: BSD-3-Clause
"""What runs write: tables, CSV, JSON lines and record files, whole even when one is killed."""

import csv
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from executable import (
    BENCHMARKS,
    BIN,
    FULL,
    ROOT,
    STAND_INS,
    TIMEOUT_SECONDS,
    digests,
    environment,
    needs_full,
    of_results,
    run,
    run_command,
    small_records,
    small_run,
    validate,
    variants,
)


@pytest.mark.parametrize("check", [pytest.param("none", marks=of_results), "fast", "full"])
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_records_of_every_variant_fit_the_schema(benchmark: str, check: str) -> None:
    records = small_records(benchmark, "-t", 2, "-c", check)
    available = [entry["variant"] for entry in variants(benchmark) if entry["available"]]
    assert [r["variant"] for r in records] == [name for name in available for _ in range(2)]
    validate(records)


@pytest.mark.parametrize("check", ["none", "fast"])
def test_what_is_not_checked_has_no_residual(check: str) -> None:
    *_, median, verdict = run("lu", "-n", 64, "-t", 1, "-r", 1, "-c", check).out.splitlines()
    assert (" - " in median and " none " in median) == (check == "none")
    assert verdict.endswith("residual=-") == (check == "none")


def test_records_of_failed_runs_fit_the_schema(tmp_path: Path) -> None:
    matrix = tmp_path / "zero.mtx"
    matrix.write_text("%%MatrixMarket matrix array real general\n2 2\n0\n0\n0\n0\n")
    result = run("lu", "--matrix", matrix, "-t", 1, "-r", 1, "-f", "json")
    assert result.status == 1
    validate(result.records)
    (record,) = result.records
    assert (record["status"], record["passed"], record["digest"]) == (1, False, None)


def test_names_variables_and_settings_may_hold_any_bytes(tmp_path: Path) -> None:
    matrix = tmp_path / os.fsdecode(b"m\xff.mtx")
    matrix.write_text("%%MatrixMarket matrix array real general\n1 1\n1\n")
    processor = tmp_path / "sys/devices/system/cpu/cpu0"
    for name in ("cpufreq/scaling_governor", "cpuidle/state0/name"):
        (processor / name).parent.mkdir(parents=True)
        (processor / name).write_bytes(b"c\xfd\n")
    settings = {"OMP_OWN": os.fsdecode(b"\xfe!"), "POLLUX_SYSTEM_ROOT": str(tmp_path)}
    options = ("--matrix", matrix, "-t", 1, "-r", 1, "-f", "json")
    result = run("lu", *options, settings=settings)
    validate(result.records)
    (record,) = result.records
    assert record["matrix"].endswith("m\ufffd.mtx")
    assert record["runtime"]["env"]["OMP_OWN"] == "\ufffd!"
    assert (record["host"]["governor"], record["host"]["cstates"]) == ("c\ufffd", ["c\ufffd"])


@pytest.mark.parametrize(
    ("switches", "turbo"),
    [
        ({"cpufreq/boost": "1", "cpu{}/cpufreq/boost": "0"}, "off"),
        ({"cpufreq/boost": "0", "cpu{}/cpufreq/boost": "1"}, "on"),
        ({"cpufreq/boost": "0"}, "off"),
        ({"intel_pstate/no_turbo": "1", "cpufreq/boost": "1"}, "off"),
        ({}, None),
    ],
)
def test_power_settings_are_those_of_the_processors_that_a_program_may_use(
    switches: dict[str, str], turbo: str | None, tmp_path: Path
) -> None:
    allowed = sorted(os.sched_getaffinity(0))
    folder = tmp_path / "sys/devices/system/cpu"

    def write(name: str, text: str) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n")

    def write_processor(number: int, governor: str, *states: str) -> None:
        write(f"cpu{number}/cpufreq/scaling_governor", governor)
        for i, name in enumerate(states):
            write(f"cpu{number}/cpuidle/state{i}/name", name.lower())
            write(f"cpu{number}/cpuidle/state{i}/disable", str(int(name.islower())))

    for number in allowed:
        write_processor(number, "powersave", "POLL", "C1", "c6")
    write_processor(allowed[-1], "performance", "POLL", "c1", "C6")
    write_processor(allowed[-1] + 1, "userspace", "C10")
    for name, text in switches.items():
        write(name.format(allowed[-1]), text)
    settings = {"POLLUX_SYSTEM_ROOT": str(tmp_path)}
    (record,) = run("lu", "-n", 1, "-t", 1, "-r", 1, "-f", "json", settings=settings).records
    validate([record])
    several = len(allowed) > 1
    host = record["host"]
    assert host["governor"] == ("powersave, performance" if several else "performance")
    assert host["cstates"] == (["poll", "c1", "c6"] if several else ["poll", "c6"])
    assert host["turbo"] == turbo


def test_records_say_what_ran() -> None:
    options = ("-m", 50, "-n", 33, "-b", 16, "-i", 8, "-t", 2, "-s", 100, "-r", 3, "-v", "tree")
    records = run("qr", *options, "-f", "json").records
    for repetition, record in enumerate(records):
        assert record["repetition"] == repetition
        assert record["seed"] == 100 + repetition
        assert (record["m"], record["n"], record["nb"], record["ib"]) == (50, 33, 16, 8)
        assert (record["benchmark"], record["variant"], record["threads"]) == ("qr", "tree", 2)
        assert record["gflops"] == pytest.approx(record["flops"] / record["seconds"] * 1e-9)
        elapsed = (record["end_unix_ns"] - record["start_unix_ns"]) * 1e-9
        assert 0 < record["seconds"] <= elapsed + 1e-3
        assert record["tasks"] > 0
        assert len(record["bindings"]) == 2
    assert len({record["digest"] for record in records}) == 3


def test_a_process_on_one_node_of_several_has_its_pages_there() -> None:
    """Each processor is a node of its own here."""
    first, *others = sorted(os.sched_getaffinity(0))
    nodes = {"HWLOC_SYNTHETIC": f"node:{max(first, 1, *others) + 1} pu:1"}
    command = (BIN / "lu", "-n", 64, "-b", 16, "-t", 1, "-r", 1, "-f", "json")
    whole = run_command(command, nodes).records
    bound = run_command(["taskset", "--cpu-list", first, *command], nodes).records
    validate([*whole, *bound])
    assert bound[0]["placement"] == "one-node"
    assert whole[0]["placement"] == ("interleave" if others else "one-node")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_table_ends_with_the_pass_line(benchmark: str) -> None:
    result = run(benchmark, "-n", 64, "-b", 16, "-t", 1, "-r", 2)
    assert result.status == 0
    last = result.out.splitlines()[-1]
    assert last.startswith(f"PASS {benchmark} variant=")
    assert "passed=2/2" in last


@pytest.mark.parametrize("check", ["fast", "full"])
def test_a_failed_check_is_a_failed_run(check: str) -> None:
    options = ("-n", 64, "-b", 16, "-t", 2, "-r", 2, "-c", check)
    table = run("failing", *options, folder=STAND_INS)
    assert table.status == 1
    assert table.out.splitlines()[-1].startswith("FAIL cholesky variant=depend")
    assert "passed=0/2" in table.out
    printed = run("failing", *options, "-f", "json", folder=STAND_INS)
    assert printed.status == 1
    validate(printed.records)
    for record in printed.records:
        assert (record["status"], record["passed"]) == (0, False)
        assert [residual["passed"] for residual in record["residuals"]] == [False]


def test_repetitions_that_come_to_no_end_have_no_part_in_the_median() -> None:
    options = ("-n", 64, "-b", 16, "-t", 1, "-r", 4, "-w", 0, "-v", "stops", "-c", "none")
    done = run("failing", *options, folder=STAND_INS)
    assert done.status == 1
    (median,) = (line for line in done.out.splitlines() if " median " in line)
    speed = median.split()[8]
    assert float(speed) > 0 and f"range {speed} to {speed} GFlop/s" in median
    assert done.out.splitlines()[-1].endswith(" passed=1/4 column=3")
    assert any("order 3 is not positive" in line for line in done.errors)


def test_figures_are_printed_although_the_first_repetition_came_to_no_end() -> None:
    options = ("-n", 64, "-b", 16, "-t", 1, "-r", 2, "-w", 0, "-v", "starts", "-c", "none")
    done = run("failing", *options, folder=STAND_INS)
    assert "figures, medians: answer 42" in done.out.splitlines()


def test_a_warm_up_that_comes_to_no_end_fails_the_run() -> None:
    options = ("-n", 64, "-b", 16, "-t", 1, "-r", 1, "-w", 1, "-v", "starts", "-c", "none")
    done = run("failing", *options, "-f", "json", folder=STAND_INS)
    assert (done.status, [record["passed"] for record in done.records]) == (1, [True])
    assert "failing: starts, N = 64: a warm-up broke down in column 3" in done.errors


@pytest.mark.parametrize("output_format", ["json", "csv"])
def test_the_pass_line_leaves_programs_output_alone(output_format: str) -> None:
    result = run("lu", "-n", 64, "-b", 16, "-t", 1, "-r", 2, "-f", output_format)
    assert "PASS" not in result.out
    assert result.err.splitlines()[-1].startswith("PASS lu ")


@of_results
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_csv_rows_have_the_headers_fields(benchmark: str) -> None:
    result = run(benchmark, "-n", 64, "-b", 16, "-t", 1, "-r", 2, "-v", "all", "-f", "csv")
    header, *rows = csv.reader(result.out.splitlines())
    assert len(rows) == 2 * sum(entry["available"] for entry in variants(benchmark))
    assert len(set(header)) == len(header)
    for row in rows:
        assert len(row) == len(header)
        values = dict(zip(header, row, strict=True))
        assert (values["benchmark"], values["n"], values["passed"]) == (benchmark, "64", "true")


def test_a_file_gets_the_records_of_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "records"
    printed = small_run("lu", "-t", 1, "-o", path).records
    small_run("lu", "-t", 1, "-o", path)
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert written[: len(printed)] == printed
    assert len(written) == 2 * len(printed)
    assert digests(written[len(printed) :]) == digests(printed)


def test_an_unfinished_line_is_ended_before_records_follow(tmp_path: Path) -> None:
    path = tmp_path / "records"
    path.write_text('{"schema": "poll')
    run("lu", "-n", 16, "-t", 1, "-r", 1, "-o", path)
    first, second = path.read_text().splitlines()
    assert first == '{"schema": "poll'
    assert json.loads(second)["benchmark"] == "lu"


@needs_full
def test_a_full_disk_leaves_the_record_on_standard_error() -> None:
    result = run("lu", "-n", 16, "-t", 1, "-r", 2, "-o", FULL)
    assert result.status == 3
    record, message = result.errors
    assert json.loads(record)["benchmark"] == "lu"
    assert str(FULL) in message


@needs_full
@pytest.mark.parametrize(
    "arguments", [["-n", "16", "-t", "1"], ["--list"], ["--version"], ["--help"]]
)
def test_a_full_standard_output_is_an_error(arguments: list[str]) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [BIN / "lu", *arguments],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    assert done.returncode == 3
    assert "standard output" in done.stderr.splitlines()[-1]


def test_a_killed_run_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "records"
    command = [BIN / "lu", "-n", "100", "-b", "32", "-t", "2", "-r", "100000", "-o", path]
    with subprocess.Popen(
        list(map(str, command)),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < 2):
            pass
        process.kill()
    assert process.returncode == -signal.SIGKILL
    text = path.read_text()
    assert text.endswith("\n")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [record["repetition"] for record in lines] == list(range(len(lines)))


def is_current(build: Path) -> bool:
    """Whether a build is there and has all its sources' changes."""
    if not (build / "bin/qr").exists():
        return False
    command = ["cmake", "--build", str(build), "--", "-n", *BENCHMARKS]
    dry_run = subprocess.run(command, capture_output=True, text=True, check=False)
    return "no work to do" in dry_run.stdout


@pytest.mark.any_runtime  # comparing from one side is enough
@of_results
@pytest.mark.skipif(
    shutil.which("cmake") is None, reason="cmake determines whether a build is current"
)
def test_digests_are_those_of_every_runtime_that_is_built() -> None:
    builds = [ROOT / "build" / name for name in ("libgomp", "libomp")]
    others = [build / "bin" for build in builds if build / "bin" != BIN and is_current(build)]
    if not others:
        missing = "no other runtime's build is there and current"
        if "POLLUX_TEST_BOTH_BUILT" in os.environ:
            pytest.fail(missing)
        pytest.skip(missing)
    for benchmark in BENCHMARKS:
        own = digests(small_records(benchmark, "-t", 2, "-c", "fast"))
        for folder in others:
            other = digests(small_run(benchmark, "-t", 2, folder=folder).records)
            common = own.keys() & other.keys()
            assert common
            assert {key: own[key] for key in common} == {key: other[key] for key in common}
