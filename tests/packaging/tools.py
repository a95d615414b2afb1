# SPDX-License-Identifier: BSD-3-Clause
"""The tools that recipes are for, each in a kept environment of its own, in exact versions.

POLLUX_TOOLS names the folder of the environments, by default pollux/tools in the user's cache.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
BUILDERS = HERE / "requirements-build.txt"
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")


def environment_of(tool: str) -> Path:
    """Where a tool is installed; it is now, unless it was before."""
    lists = (BUILDERS, HERE / f"requirements-{tool}.txt")
    folder = kept_folder() / f"{tool}-{fingerprint(lists)}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_suffix(".lock")):
        if not (folder / "complete").exists():
            install(folder, lists)
            (folder / "complete").touch()
    return folder


def kept_folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("POLLUX_TOOLS") or cache / "pollux" / "tools")


def fingerprint(lists: tuple[Path, ...]) -> str:
    """Of what is installed, and of the Python that runs it."""
    parts = [sys.version, *(path.read_text(encoding="utf-8") for path in lists)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def install(folder: Path, lists: tuple[Path, ...]) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    for path in lists:  # in turn: the first has what builds those of the second
        command = [str(folder / "bin/python"), *PIP, "--no-build-isolation", "-r", str(path)]
        subprocess.run(command, check=True)
