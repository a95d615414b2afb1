# SPDX-License-Identifier: BSD-3-Clause
"""Small projects that are configured and built by CMake."""

import os
import subprocess
import sys
from pathlib import Path

CMAKE = str(Path(sys.executable).parent / "cmake")
NINJA = str(Path(sys.executable).parent / "ninja")


def configure(
    source: Path, tree: Path, *options: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Configure in an environment that names no runtime."""
    command = [CMAKE, "-S", str(source), "-B", str(tree), "-G", "Ninja", "--log-level=NOTICE"]
    command += [f"-DCMAKE_MAKE_PROGRAM={NINJA}", *options]
    environment = {"PATH": os.environ["PATH"], **variables}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
