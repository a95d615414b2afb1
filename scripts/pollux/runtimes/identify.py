# SPDX-License-Identifier: BSD-3-Clause
"""Asks programs of the builds: `identify` what a library is, an executable what it loads."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

SECONDS_LIMIT = 30.0  # these programs load libraries and compute nothing
ENTRY_POINTS = " entry points, "  # before the runtime's path in what --version prints


@dataclass(frozen=True)
class Said:
    """How a program ended and what it said."""

    status: int | None  # as subprocess has it; None: killed at its time limit
    output: str
    errors: str

    def failure(self) -> str:
        """Why it failed: its last words, else how it ended."""
        words = self.errors.strip().rpartition("\n")[2]
        if self.status is None:
            return f"not done after {SECONDS_LIMIT:g} s"
        if self.status < 0:
            return f"killed by {signal.Signals(-self.status).name}"
        return words or f"exit status {self.status}"


def said(command: Sequence[str], variables: Mapping[str, str] | None = None) -> Said:
    """Run a program, with `variables` added to the environment, to its end or its time limit.

    Nothing of it is left behind.
    """
    try:
        process = subprocess.Popen(
            command,
            env={**os.environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return Said(127, "", f"cannot be started ({error.strerror})")
    try:
        output, errors = process.communicate(timeout=SECONDS_LIMIT)
    except subprocess.TimeoutExpired:
        return Said(None, "", "")
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Said(process.returncode, output, errors)


class Identity(BaseModel):
    """What `identify` tells of a library, a line for each."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str
    soname: str | None = None
    name: str | None
    version: str | None
    build_id: str | None
    abi: tuple[str, ...]
    ompt: bool | None


def find_identify(builds: Path) -> Path | None:
    """The program `identify` of some build; any does, since it is linked with no runtime."""
    found = sorted(builds.glob("*/bin/identify"), key=lambda p: ("-" in p.parts[-3], p))
    return next((path for path in found if os.access(path, os.X_OK)), None)


def identify(program: Path, libraries: Sequence[Path]) -> dict[Path, Identity | str]:
    """What each library is, or why that cannot be told."""
    together = identities(said([str(program), *map(str, libraries)]))
    return {path: together.get(str(path)) or alone(program, path) for path in libraries}


def alone(program: Path, library: Path) -> Identity | str:
    """Ask about one library by itself, so that what is said on standard error is about it."""
    answer = said([str(program), str(library)])
    told = identities(answer).get(str(library))
    if told is not None:
        return told
    if answer.status == 0:
        return f"{program} says nothing of it: built from another version of the source"
    return answer.failure()


def identities(answer: Said) -> dict[str, Identity]:
    """The well-formed lines, by the path that was asked about."""
    found = {}
    for line in answer.output.splitlines():
        with contextlib.suppress(ValidationError):
            told = Identity.model_validate_json(line)
            found[told.path] = told
    return found


def loaded_runtime(version: str) -> Path | None:
    """The path in the line "runtime   libgomp 12, GOMP entry points, PATH" of --version."""
    lines = (line for line in version.splitlines() if line.startswith("runtime "))
    path = next(lines, "").partition(ENTRY_POINTS)[2]
    return Path(path) if path.startswith("/") else None
