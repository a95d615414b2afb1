# SPDX-License-Identifier: BSD-3-Clause
"""The sampler of power as a process: what ends it, and what it leaves."""

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from executable import BIN, ROOT, TIMEOUT_SECONDS, Result, environment, refused, run

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from system_tree import counting, write_machine

pytestmark = pytest.mark.any_runtime


def sampler(root: Path, *options: object) -> Result:
    return run("power-sampler", *options, settings={"POLLUX_SYSTEM_ROOT": str(root)})


def start(
    root: Path, output: Path, *, interval: int = 1, hangs_up: bool = True
) -> "subprocess.Popen[str]":
    """Starts it with a pipe as its file, and heeding SIGINT, which background jobs ignore."""

    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL if hangs_up else signal.SIG_IGN)

    os.mkfifo(output)
    process = subprocess.Popen(
        [BIN / "power-sampler", "--interval", str(interval), "--output", output],
        env=environment({"POLLUX_SYSTEM_ROOT": str(root)}),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed,
    )
    return process


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_what_ends_it_leaves_whole_lines(tmp_path: Path, how: signal.Signals) -> None:
    write_machine(tmp_path, "two-sockets")
    output = tmp_path / "pipe"
    process = start(tmp_path, output)
    with output.open() as lines:
        before = [lines.readline() for _ in range(5)]
        process.send_signal(how)
        head, names, *_, last = before + lines.readlines()
    assert process.wait(TIMEOUT_SECONDS) == (-how if how == signal.SIGKILL else 0)
    assert process.communicate()[1] == ""
    described = json.loads(head.removeprefix("# pollux-power/1 "))
    assert [column["name"] for column in described["columns"]] == names.rstrip("\n").split(",")
    assert last.endswith("\n") and last.count(",") == names.count(",")
    parts = ["package-0", "package-0/dram", "package-1", "package-1/dram"]
    assert described["parts"] == [f"powercap:{part}" for part in parts]


def test_a_signal_is_answered_with_a_last_sample(tmp_path: Path) -> None:
    write_machine(tmp_path, "client")
    process = start(tmp_path, tmp_path / "pipe", interval=3600000)
    with (tmp_path / "pipe").open() as lines:
        first = [lines.readline() for _ in range(3)][2]
        process.terminate()
        (last,) = lines.readlines()
    assert int(last.partition(",")[0]) > int(first.partition(",")[0])
    assert process.wait(TIMEOUT_SECONDS) == 0
    process.communicate()


def test_under_nohup_it_goes_on_after_the_end_of_the_session(tmp_path: Path) -> None:
    write_machine(tmp_path, "client")
    process = start(tmp_path, tmp_path / "pipe", hangs_up=False)
    with (tmp_path / "pipe").open() as lines:
        assert all(lines.readline() for _ in range(3))
        process.send_signal(signal.SIGHUP)
        assert all(lines.readline() for _ in range(50))
        process.terminate()
        lines.read()
    assert process.wait(TIMEOUT_SECONDS) == 0
    process.communicate()


def test_it_ends_after_its_duration_with_a_sample_at_both_ends(tmp_path: Path) -> None:
    write_machine(tmp_path, "client")
    result = sampler(tmp_path, "--duration", 0.02, "--interval", 3600000)
    assert (result.status, result.err) == (0, "")
    head, _, first, last = result.out.splitlines()
    described = json.loads(head.removeprefix("# pollux-power/1 "))
    assert described["interval_ms"] == described["slow_interval_ms"] == 3600000
    elapsed = int(last.partition(",")[0]) - int(first.partition(",")[0])
    assert elapsed >= 20_000_000


def test_sensors_are_read_once_a_second_and_times_are_those_of_the_day(tmp_path: Path) -> None:
    write_machine(tmp_path, "two-sockets")
    before = time.time_ns()
    result = sampler(tmp_path, "--duration", 0.03, "--interval", 1)
    rows = list(csv.DictReader(result.out.splitlines()[1:]))
    times = [int(row["unix_ns"]) for row in rows]
    assert before <= times[0] <= times[-1] <= time.time_ns()
    for name in ("cpu3 MHz", "coretemp/Package id 0 C"):
        read = [row for row in rows if row[name]]
        assert rows[0][name] and len(read) <= 1 + (times[-1] - times[0]) / 0.99e9


def test_a_signal_while_it_looks_for_mirrors_ends_it(tmp_path: Path) -> None:
    write_machine(tmp_path, "amd-mirrored-dies")
    process = start(tmp_path, tmp_path / "pipe", interval=3600000)
    with (tmp_path / "pipe").open() as lines:
        process.terminate()
        assert process.wait(TIMEOUT_SECONDS) == 0
        assert lines.read().count("\n") >= 3
    process.communicate()


def test_a_full_disk_ends_it_with_one_line(tmp_path: Path) -> None:
    write_machine(tmp_path, "client")
    refused(sampler(tmp_path, "--output", "/dev/full"), 3, "/dev/full", "No space left")


def test_dies_that_mirror_their_socket_are_one_part(tmp_path: Path) -> None:
    def parts() -> list[str]:
        result = sampler(tmp_path, "--duration", 0)
        head = json.loads(result.out.splitlines()[0].removeprefix("# pollux-power/1 "))
        return list(head["parts"])

    sockets = ["powercap:package-0-die-0", "powercap:package-1-die-0"]
    with counting(write_machine(tmp_path, "amd-mirrored-dies")):
        # A sampler that has to wait between two dies sees counters that differ.
        assert any(parts() == sockets for _ in range(20))


def columns(root: Path, *options: object, files: tuple[int, int]) -> tuple[int, str]:
    """How many there are with these limits on open files, and what is said on standard error."""
    done = subprocess.run(
        [BIN / "power-sampler", "--duration", "0", *map(str, options)],
        env=environment({"POLLUX_SYSTEM_ROOT": str(root)}),
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files),
    )
    return len(done.stdout.splitlines()[1].split(",")) if done.stdout else 0, done.stderr


def test_as_many_sensors_are_read_as_the_hard_limit_on_files_allows(tmp_path: Path) -> None:
    write_machine(tmp_path, "two-sockets")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    whole, errors = columns(tmp_path, files=(hard, hard))
    assert errors == ""
    assert columns(tmp_path, files=(12, hard)) == (whole, "")
    fewer, errors = columns(tmp_path, files=(12, 12))
    assert fewer < whole
    assert errors.count("\n") == 1 and "raise the limit on open files (ulimit -n)" in errors
    output = tmp_path / "power.csv"
    assert columns(tmp_path, "--output", output, files=(12, 12)) == (0, errors)
    assert len(output.read_text().splitlines()[1].split(",")) == fewer


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--interval", "0"), ("--interval 0", "1 to 3.6e+06")),
        (("--interval", "3600001"), ("--interval 3600001", "1 to 3.6e+06")),
        (("--interval", "ten"), ("--interval ten",)),
        (("--duration", "-1"), ("--duration -1",)),
        (("--duration", "nan"), ("--duration nan",)),
        (("more",), ("more", "--help")),
        (("--output", "/nowhere/file"), ("/nowhere/file",)),
        (("--output", "-"), ("--output -", "name a file")),
        (("--output", __file__), (__file__, "name a new file")),
    ],
)
def test_bad_usage_is_one_line(
    tmp_path: Path, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    write_machine(tmp_path, "client")
    refused(sampler(tmp_path, *options), 2, *words)


def test_with_nothing_to_sample_it_says_why_and_writes_no_file(tmp_path: Path) -> None:
    write_machine(tmp_path, "here")
    output = tmp_path / "power.csv"
    refused(
        sampler(tmp_path, "--output", output), 3, "nothing can be sampled", "sys/class/powercap"
    )
    assert not output.exists()
