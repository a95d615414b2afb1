# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command `pollux` as its users do: as a process, on a campaign's file."""

import subprocess
import sys
import time
from typing import NamedTuple

from pollux.core.paths import ROOT
from surroundings import environment

POLLUX = ROOT / ".venv/bin/pollux"


class Ended(NamedTuple):
    """What a process printed, and how long it took."""

    out: str
    seconds: float


def run_pollux(*arguments: object, **variables: str) -> Ended:
    """Run it to its end; any status except 0 ends this program too."""
    command = [str(POLLUX), *map(str, arguments)]
    start = time.monotonic()
    env = environment(**variables)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return Ended(done.stdout, time.monotonic() - start)
