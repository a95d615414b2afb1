# SPDX-License-Identifier: BSD-3-Clause
"""The sampler of power as a process: what ends it, and what it leaves."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from executable import BIN, ROOT, TIMEOUT_SECONDS, Result, environment, refused, run

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from system_tree import counting, write_machine


def sampler(root: Path, *options: object) -> Result:
    return run("power-sampler", *options, settings={"POLLUX_SYSTEM_ROOT": str(root)})


def start(root: Path, output: Path) -> "subprocess.Popen[str]":
    """Starts it with a pipe as its file, and heeding SIGINT, which background jobs ignore."""
    os.mkfifo(output)
    process = subprocess.Popen(
        [BIN / "power-sampler", "--interval", "1", "--output", output],
        env=environment({"POLLUX_SYSTEM_ROOT": str(root)}),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
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


def test_it_ends_after_its_duration_with_a_sample_at_both_ends(tmp_path: Path) -> None:
    write_machine(tmp_path, "client")
    result = sampler(tmp_path, "--duration", 0.02, "--interval", 3600000)
    assert (result.status, result.err) == (0, "")
    _, _, first, last = result.out.splitlines()
    elapsed = int(last.partition(",")[0]) - int(first.partition(",")[0])
    assert elapsed >= 20_000_000


def test_a_full_disk_ends_it_with_one_line(tmp_path: Path) -> None:
    write_machine(tmp_path, "client")
    refused(sampler(tmp_path, "--output", "/dev/full"), 3, "/dev/full", "No space left")


def test_dies_that_mirror_their_socket_are_one_part(tmp_path: Path) -> None:
    with counting(write_machine(tmp_path, "amd-mirrored-dies")):
        result = sampler(tmp_path, "--duration", 0)
    head = json.loads(result.out.splitlines()[0].removeprefix("# pollux-power/1 "))
    assert head["parts"] == ["powercap:package-0-die-0", "powercap:package-1-die-0"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--interval", "0"), ("--interval 0", "1 to 3.6e+06")),
        (("--interval", "ten"), ("--interval ten",)),
        (("--duration", "-1"), ("--duration -1",)),
        (("--duration", "nan"), ("--duration nan",)),
        (("more",), ("more", "--help")),
        (("--output", "/nowhere/file"), ("/nowhere/file",)),
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
