# SPDX-License-Identifier: BSD-3-Clause
"""`pollux bench` as its user meets it: the table, the reasons, the exit status."""

import json
from pathlib import Path

import pytest
from conftest import Bench


def table_lines(output: str, variant: str) -> list[str]:
    """The table's rows for a variant: lines that begin with benchmark, variant, runtime."""
    starts = ([variant, "libgomp"], [variant, "libomp"])
    return [line for line in output.splitlines() if line.split()[1:3] in starts]


def test_good_runs_give_a_table_and_status_0(bench: Bench, tmp_path: Path) -> None:
    done = bench("good", "--rounds", "2")
    assert (done.returncode, done.stderr) == (0, "")
    rows = table_lines(done.stdout, "good")
    assert len(rows) == 8
    assert rows[0].split() == "cholesky good libgomp 2560 64 2 10.0 1.00 0.5 agree".split()
    assert rows[1].split() == "cholesky good libomp 2560 64 2 12.5 1.25 0.5 agree".split()
    assert "round 2 of 2: 8 runs, 0 failed" in done.stdout
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 16


@pytest.mark.parametrize(
    ("variant", "reason"),
    [
        ("crash", "killed by SIGSEGV"),
        ("fail", "check failed: A-LLT 99, limit 30"),
        ("silent", "wrote no record"),
        ("refuse", "exit status 1: lu: 999 threads are more than this machine has"),
        ("torn", "killed by SIGKILL"),
    ],
)
def test_a_run_that_goes_wrong_is_a_row_and_the_rest_goes_on(
    bench: Bench, variant: str, reason: str
) -> None:
    done = bench(f"{variant},good")
    assert done.returncode == 1
    assert f"lu {variant} on libomp: 1 × {reason}\n" in done.stdout
    assert all("failed" in line for line in table_lines(done.stdout, variant))
    assert len(table_lines(done.stdout, "good")) == 8
    assert not any("failed" in line for line in table_lines(done.stdout, "good"))


def test_a_run_that_hangs_is_killed(bench: Bench) -> None:
    done = bench("hang", "--preset", "libgomp", "--time-limit", "0.2")
    assert done.returncode == 1
    assert "qr hang on libgomp: 1 × killed: not done after 0.2 s\n" in done.stdout


def test_a_record_after_a_torn_one_has_a_line_of_its_own(bench: Bench, tmp_path: Path) -> None:
    bench("torn,good")
    lines = (tmp_path / "records.jsonl").read_text().splitlines()
    whole = [json.loads(line) for line in lines if line.endswith("}")]
    assert len(whole) == 8


def test_digests_that_differ_fail_the_campaign(bench: Bench) -> None:
    done = bench("good,differ")
    assert done.returncode == 1
    assert all("DIFFER" in line for line in table_lines(done.stdout, "differ"))
    assert "bad: qr differ on libomp\n" in done.stdout


def test_a_variant_that_cannot_run_is_named_with_its_reason(bench: Bench) -> None:
    done = bench("good,unavailable")
    assert done.returncode == 0
    assert "qr unavailable on libomp: not run: needs a newer compiler\n" in done.stdout
    assert not table_lines(done.stdout, "unavailable")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--preset", "nonesuch"), "is missing; build it with: scripts/build nonesuch"),
        (("--output", "/nonexistent/x.jsonl"), "cannot write /nonexistent/x.jsonl (No such file"),
        (("--output", "/dev/null"), "/dev/null is not a regular file"),
        (("--rounds", "0"), "Invalid value for '--rounds'"),
        (("--size", "big"), "Invalid value for '--size'"),
        (("--speed", "9"), "No such option: --speed"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(
    bench: Bench, options: tuple[str, ...], message: str
) -> None:
    done = bench("good", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
