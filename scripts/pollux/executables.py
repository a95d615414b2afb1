# SPDX-License-Identifier: BSD-3-Clause
"""Runs benchmark executables, each in a process of its own, and says what became of it."""

import math
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pollux.errors import BadUsageError, MachineError
from pollux.records import VARIANTS, Record, Variant

EXECUTABLES = ("cholesky", "lu", "lu-cw", "qr")
# Threads that stay on their cores give steadier times; what the user sets is kept.
BINDING = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
LIST_SECONDS = 60.0  # listing probes the machine but factorizes nothing


@dataclass(frozen=True)
class Configuration:
    """One variant on one runtime: what a comparison has a row for."""

    preset: str
    executable: Path
    variant: Variant

    @property
    def label(self) -> str:
        return f"{self.variant.benchmark} {self.variant.variant} on {self.preset}"


@dataclass(frozen=True)
class Settings:
    """What all processes of a campaign have in common."""

    size: int
    tile: int | None  # None: the executable's default, as for threads
    threads: int | None
    seconds_limit: float
    output: Path

    def arguments(self, variant: str, seed: int) -> list[str]:
        arguments = ["--variant", variant, "--size", str(self.size), "--seed", str(seed)]
        arguments += ["--repeat", "1", "--warmup", "1", "--output", str(self.output)]
        if self.tile is not None:
            arguments += ["--tile", str(self.tile)]
        if self.threads is not None:
            arguments += ["--threads", str(self.threads)]
        return arguments


@dataclass(frozen=True)
class Outcome:
    """What one process gave: a record, or a problem, or both where a check failed."""

    configuration: Configuration
    round: int
    record: Record | None
    problem: str | None


def discover(preset: str, build_root: Path) -> list[Configuration]:
    """Every variant of every executable in one build tree, also those that cannot run."""
    found = []
    for name in EXECUTABLES:
        executable = build_root / preset / "bin" / name
        if not executable.is_file():
            raise BadUsageError(f"{executable} is missing; build it with: scripts/build {preset}")
        found += [Configuration(preset, executable, v) for v in list_variants(executable)]
    return found


def list_variants(executable: Path) -> list[Variant]:
    """Ask an executable for its variants."""
    try:
        done = subprocess.run(
            [str(executable), "--list", "--format", "json"],
            capture_output=True,
            text=True,
            check=True,
            timeout=LIST_SECONDS,
        )
        return VARIANTS.validate_json(done.stdout)
    except subprocess.CalledProcessError as error:
        reason = exit_reason(error.returncode, error.stderr)
        raise MachineError(f"{executable} --list: {reason}") from error
    except (OSError, subprocess.TimeoutExpired, ValidationError) as error:
        raise MachineError(f"{executable} --list: {one_line(error)}") from error


def run(configuration: Configuration, settings: Settings, round_: int, seed: int) -> Outcome:
    """Run one fresh process; whatever goes wrong with it is part of the outcome."""
    arguments = settings.arguments(configuration.variant.variant, seed)
    start = settings.output.stat().st_size
    ending = process_problem([str(configuration.executable), *arguments], settings.seconds_limit)
    try:
        record = read_record(settings.output, start)
    except ValidationError as error:
        problem = f"its record does not follow pollux-run/1: {one_line(error)}"
        return Outcome(configuration, round_, None, problem)
    return Outcome(configuration, round_, record, find_problem(record, ending))


def process_problem(command: list[str], seconds_limit: float) -> str | None:
    """Run a command and say what is wrong with how it ended."""
    try:
        done = subprocess.run(
            command,
            env=BINDING | os.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
            timeout=seconds_limit,
        )
    except subprocess.TimeoutExpired:
        return f"killed: not done after {seconds_limit:g} s"
    except OSError as error:
        return f"cannot be started: {error.strerror}"
    return exit_reason(done.returncode, done.stderr) if done.returncode else None


def exit_reason(status: int, stderr: str) -> str:
    """How a process failed, with the last line it said about it."""
    how = f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
    lines = stderr.strip().splitlines()
    return f"{how}: {lines[-1]}" if lines else how


def read_record(path: Path, start: int) -> Record | None:
    """The record that a process appended after byte `start`.

    A line cut short by a kill is ended, so that the next record has a line of its own.
    """
    with path.open("r+b") as file:
        file.seek(start)
        text = file.read()
        if text.endswith(b"\n"):
            return Record.model_validate_json(text)
        if text:
            file.write(b"\n")
    return None


def find_problem(record: Record | None, ending: str | None) -> str | None:
    """What is wrong with a run, from its record and from how its process ended."""
    if record is None:
        return ending or "wrote no record"
    if record.passed:
        return ending
    failed = [r for r in record.residuals if not r.passed]
    values = ", ".join(f"{r.name} {finite(r.value):.3g}, limit {r.threshold:g}" for r in failed)
    return f"check failed: {values}" if failed else ending or "failed without a reason"


def finite(value: float | None) -> float:
    """A residual as a number again: null stands for one that is not finite."""
    return math.nan if value is None else value


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())
