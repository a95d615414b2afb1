# SPDX-License-Identifier: BSD-3-Clause
"""A campaign over levers that is killed leaves nothing that the next start does not restore."""

import subprocess
import sys

import pytest
from project import ROOT

SCRIPT = ROOT / "tests/endurance/killed_levers.py"
BUILT = ROOT / "build/libgomp/bin/cholesky"


@pytest.mark.slow
@pytest.mark.skipif(not BUILT.exists(), reason="needs libgomp's build")
def test_the_next_start_after_a_kill_restores_every_file() -> None:
    command = [sys.executable, str(SCRIPT), "--kills", "1", "--cpus", "2", "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all as before each time" in done.stdout
