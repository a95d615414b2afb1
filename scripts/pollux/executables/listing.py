# SPDX-License-Identifier: BSD-3-Clause
"""Asks an executable, as a campaign would run it, for its variants and for what it loads."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from pollux.errors import BadUsageError, MachineError
from pollux.executables.process import run_process
from pollux.records import VARIANTS, Variant
from pollux.runtimes.identify import loaded_runtime
from pollux.runtimes.library import digest

SECONDS_LIMIT = 60.0  # listing probes the machine but factorizes nothing


@dataclass(frozen=True)
class Asked:
    """What an executable told about itself under one runtime."""

    variants: list[Variant]
    runtime: Path | None  # the library that is loaded; None: not told
    builds: dict[str, str]


@dataclass
class Executables:
    """Executables of the builds; each is asked once for each set of variables."""

    build_root: Path
    asked: dict[tuple[Path, tuple[tuple[str, str], ...]], Asked] = field(default_factory=dict)

    def path(self, preset: str, benchmark: str) -> Path:
        path = self.build_root / preset / "bin" / benchmark
        if not path.is_file():
            raise BadUsageError(f"{path} is missing; build it with: scripts/build {preset}")
        return path

    def ask(self, executable: Path, variables: Mapping[str, str]) -> Asked:
        key = executable, tuple(sorted(variables.items()))
        if key not in self.asked:
            self.asked[key] = ask(executable, variables)
        return self.asked[key]


def ask(executable: Path, variables: Mapping[str, str]) -> Asked:
    runtime = loaded_runtime(output(executable, ["--version"], variables))
    try:
        variants = VARIANTS.validate_json(
            output(executable, ["--list", "--format", "json"], variables)
        )
    except ValidationError as error:
        raise MachineError(f"{executable} --list prints no list of variants") from error
    builds = {"executable": digest(executable)}
    if runtime is not None:
        builds["runtime"] = digest(runtime)
    return Asked(variants, runtime, builds)


def output(executable: Path, arguments: list[str], variables: Mapping[str, str]) -> str:
    """What an executable prints; how it failed, with its last line, is an error of the machine."""
    try:
        ended = run_process([str(executable), *arguments], variables, SECONDS_LIMIT)
    except OSError as error:
        raise MachineError(f"cannot start {executable} ({error.strerror})") from error
    if ended.status == 0:
        return ended.stdout
    last = ended.stderr.strip().rpartition("\n")[2]
    how = ending(ended.status)
    raise MachineError(f"{executable} {arguments[0]}: {how}{': ' if last else ''}{last}")


def ending(status: int | None) -> str:
    if status is None:
        return f"not done after {SECONDS_LIMIT:g} s"
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
