# SPDX-License-Identifier: BSD-3-Clause
"""The command `pollux` before its own code runs."""

import os
import signal
import subprocess
from pathlib import Path

from project import POLLUX, heed_interrupts

INTERRUPTED = f"import os\nos.kill(os.getpid(), {int(signal.SIGINT)})\nwhile True:\n    pass\n"


def test_an_interruption_while_modules_are_loaded_is_silent(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [POLLUX, "--version"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heed_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
