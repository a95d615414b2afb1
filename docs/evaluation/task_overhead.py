# SPDX-License-Identifier: BSD-3-Clause
"""Runs the executable task-overhead of a build, with bound threads, and reads its records."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from surroundings import environment

BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
Record = dict[str, Any]


def read(lines: str) -> list[Record]:
    return [json.loads(line) for line in lines.splitlines() if line.startswith("{")]


def run(build: Path, *options: object, **extra: str) -> list[Record]:
    """The records of one process; one that fails ends this program too."""
    program = ROOT / build / "bin/task-overhead"
    if not program.exists():
        sys.exit(f"{program} does not exist: build it with scripts/build {build.name}")
    command = [str(program), *map(str, options), "-f", "json"]
    done = subprocess.run(
        command, env=environment(**BOUND, **extra), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return read(done.stdout)
