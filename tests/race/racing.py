# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program `race` under ThreadSanitizer with Archer, and reads what they report."""

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts/helpers"))  # for rates.py
import surroundings

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("POLLUX_RACE_PROGRAM", ROOT / "build/race/tests/race/race"))
SUPPRESSIONS = Path(__file__).with_name("runtime.supp")
ARCHER = os.environ.get("POLLUX_RACE_ARCHER", "libarcher.so")

ANNOUNCEMENT = "Archer detected OpenMP application with TSan"
REPORT = re.compile(r"^WARNING: ThreadSanitizer: .*?^=+$", re.MULTILINE | re.DOTALL)
# The first or, after the allocating function itself, the second frame is the runtime's.
RUNTIMES_MEMORY = re.compile(
    r"^  Location is heap block .*\n(?:    #0 .*\n)?    #\d .*\(libomp\.so", re.MULTILINE
)
REPORTED = 66  # exit status that TSAN_OPTIONS sets
TIMEOUT_SECONDS = 600
HANGS_SECONDS = 60  # what a planted error may take, which need not end


class CannotCheckError(Exception):
    """The tools do not work here, so a run proves nothing."""


class Run(NamedTuple):
    """How a run of the program ended: its exit status, None if it was ended at its limit."""

    status: int | None
    races: list[str]
    output: str


class Subject(NamedTuple):
    """A line of `race list`: graph BENCHMARK VARIANT, planted NAME or control NAME."""

    kind: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.names)


@cache
def prefix() -> tuple[str, ...]:
    """ThreadSanitizer wants addresses that are not random. Some containers forbid to ask for that;
    it may work all the same where they are not very random."""
    command = ("setarch", "-R")
    try:
        allowed = subprocess.run([*command, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return ()
    return command if allowed.returncode == 0 else ()


def sanitizer_options(symbols: bool) -> str:
    """Reports with or without names of functions and lines, which take a moment to find."""
    options = [f"exitcode={REPORTED}", f"suppressions='{SUPPRESSIONS}'"]
    symbolizer = shutil.which("addr2line") if symbols else None  # a linker comes with it
    if symbolizer:
        options.append(f"external_symbolizer_path='{symbolizer}'")
    return ":".join([*options, f"symbolize={int(symbols)}"])


def environment(symbols: bool, archer: bool) -> dict[str, str]:
    """None of the user's settings; threads that wait do so asleep."""
    tool = {"OMP_TOOL_LIBRARIES": ARCHER, "ARCHER_OPTIONS": "verbose=1"}
    return surroundings.environment(
        **(tool if archer else {"OMP_TOOL": "disabled"}),
        KMP_BLOCKTIME="1",
        OMP_MAX_ACTIVE_LEVELS="2",
        OPENBLAS_NUM_THREADS="1",
        TSAN_OPTIONS=sanitizer_options(symbols),
    )


def races_in(output: str) -> list[str]:
    """The reports, except those on libomp's own memory: a task's private variables are in memory
    that libomp gave to an earlier task, and Archer does not report that it was freed between."""
    return [report for report in REPORT.findall(output) if not RUNTIMES_MEMORY.search(report)]


def require_program() -> None:
    """Tests are not built by ctest."""
    if not PROGRAM.exists():
        raise CannotCheckError(f"no {PROGRAM}; cmake --build --preset race makes it")


def status_and_output(
    command: list[str | Path], env: dict[str, str], seconds: float
) -> tuple[int | None, str]:
    """A program with an error planted may never end: what it printed until then counts."""
    try:
        done = subprocess.run(
            command,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        return None, (expired.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def execute(
    *arguments: str, symbols: bool = False, archer: bool = True, seconds: float = TIMEOUT_SECONDS
) -> Run:
    """Runs the program. A run that Archer did not announce itself in proves nothing."""
    require_program()
    command: list[str | Path] = [*prefix(), PROGRAM, *arguments]
    status, output = status_and_output(command, environment(symbols, archer), seconds)
    fatal = re.search(r"FATAL: (ThreadSanitizer.*)", output)
    if fatal:
        raise CannotCheckError(f"{fatal[1]}; it wants `setarch -R`, which a container may forbid")
    if archer and ANNOUNCEMENT not in output:
        raise CannotCheckError(f"Archer ({ARCHER}) did not announce itself: libomp did not load it")
    return Run(status, races_in(output), output)


def run(subject: Subject, seed: int, symbols: bool = False, archer: bool = True) -> Run:
    """One run of a subject."""
    seconds = HANGS_SECONDS if subject.kind == "planted" else TIMEOUT_SECONDS
    arguments = (subject.kind, *subject.names, str(seed))
    return execute(*arguments, symbols=symbols, archer=archer, seconds=seconds)


@cache
def subjects(kind: str) -> tuple[Subject, ...]:
    """What the program knows of that kind."""
    require_program()
    done = subprocess.run([PROGRAM, "list"], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    found = tuple(Subject(words[0], tuple(words[1:])) for words in lines if words[0] == kind)
    assert found, f"the program knows none of the kind {kind}"
    return found
