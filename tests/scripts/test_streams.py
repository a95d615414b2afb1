# SPDX-License-Identifier: BSD-3-Clause
"""Closed standard streams are replaced, so that no other file takes their numbers."""

import subprocess
import sys
from pathlib import Path

import pytest

WRITES = """
import subprocess, sys
from pollux.core.streams import open_closed_streams
open_closed_streams()
with open(sys.argv[1], "w") as records:
    assert records.fileno() > 2
    print("on standard output", flush=True)
    print("on standard error", file=sys.stderr)
    assert sys.stdin.read() == ""
    subprocess.run(["sh", "-c", "echo of a child; echo of a child >&2"], check=True)
    records.write("a record")
"""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_file_never_takes_the_place_of_a_closed_stream(closed: str, tmp_path: Path) -> None:
    records = tmp_path / "records"
    shell = f'exec "$@" {closed}'
    command = ["sh", "-c", shell, "sh", sys.executable, "-c", WRITES, str(records)]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert records.read_text() == "a record"
    assert done.stdout == ("" if " >&-" in f" {closed}" else "on standard output\nof a child\n")


def test_the_command_line_runs_with_closed_streams() -> None:
    program = [sys.executable, "-c", "from pollux.core.cli import main; main()", "--version"]
    shell = 'exec "$@" <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", shell, "sh", *program], check=False).returncode == 0
