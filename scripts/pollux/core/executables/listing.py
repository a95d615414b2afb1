# SPDX-License-Identifier: BSD-3-Clause
"""Asks executables for their variants and for what they load, as they would be run."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

from pydantic import ValidationError

from pollux.core.advice import build_command
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.arguments import Options, arguments
from pollux.core.executables.builds import executable_path
from pollux.core.executables.loaded import digests_of, linked_libraries
from pollux.core.executables.process import CANNOT_START, CannotStartError, Ended, run_process
from pollux.core.hashing import digest
from pollux.core.listings import Listing, Variant
from pollux.core.statuses import BAD_USAGE

SECONDS_LIMIT = 60.0  # listing probes the machine but factorizes nothing
ENTRY_POINTS = " entry points, "  # before the runtime's path in what --version prints


# Signals that end a program for its own fault, or its runtime's.
FAULTS = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)


class CrashedError(MachineError):
    """An executable that crashed instead of saying what it is."""


@dataclass(frozen=True)
class Asked:
    """What an executable says of itself under one runtime."""

    listing: Listing
    runtime: Path | None  # the library that is loaded; None: it does not say
    builds: dict[str, str]
    priorities_in_force: bool | None = None  # None: not known
    crashed: bool = False  # see `unable`

    @property
    def variants(self) -> list[Variant]:
        return self.listing.variants


@dataclass
class Executables:
    """Executables of the builds; each is asked once for each set of variables."""

    build_root: Path
    paths: dict[tuple[str, str], Path] = field(default_factory=dict)
    asked: dict[tuple[Path, tuple[tuple[str, str], ...]], Asked] = field(default_factory=dict)
    loaded: dict[tuple[Path, tuple[tuple[str, str], ...]], dict[str, str]] = field(
        default_factory=dict
    )

    def path(self, preset: str, benchmark: str) -> Path:
        key = preset, benchmark
        if key not in self.paths:
            self.paths[key] = executable_path(self.build_root, preset, benchmark)
        return self.paths[key]

    def ask(self, executable: Path, variables: Mapping[str, str]) -> Asked:
        key = executable, tuple(sorted(variables.items()))
        if key not in self.asked:
            self.asked[key] = ask(executable, variables)
        return self.asked[key]

    def files(self, executable: Path, variables: Mapping[str, str]) -> dict[str, str]:
        """SHA-256 by path of all files that a run of an executable loads."""
        key = executable, tuple(sorted(variables.items()))
        if key not in self.loaded:
            asked = self.ask(executable, variables)
            known = {str(executable): asked.builds["executable"]}
            if asked.runtime is not None:
                known[str(asked.runtime)] = asked.builds["runtime"]
            self.loaded[key] = known | digests_of(linked_libraries(executable, variables))
        return self.loaded[key]


def ask(executable: Path, variables: Mapping[str, str]) -> Asked:
    version = output(executable, arguments(version=True), variables)
    runtime = loaded_runtime(version)
    listing = describe(executable, variables)
    builds = {"executable": digest(executable)}
    if runtime is not None:
        builds["runtime"] = digest(runtime)
    if (blas := loaded_blas(version)) is not None:
        builds["BLAS"] = digest(blas)
    return Asked(listing, runtime, builds, priorities_of(version))


def unable(executable: Path, listing: Listing, reason: str) -> Asked:
    """What stands for the answer of an executable that crashes: none of its variants can run."""
    variants = [
        v.model_copy(update={"available": False, "reason": reason}) for v in listing.variants
    ]
    listing = listing.model_copy(update={"variants": variants})
    return Asked(listing, None, {"executable": digest(executable)}, crashed=True)


def describe(executable: Path, variables: Mapping[str, str], **options: Unpack[Options]) -> Listing:
    """How an executable describes itself, with the instances that the options stand for."""
    given = arguments(**options | {"list": True, "format": "json"})
    return read_listing(output(executable, given, variables), executable)


def read_listing(text: str, executable: Path) -> Listing:
    """What an executable printed about itself."""
    try:
        return Listing.model_validate_json(text)
    except ValidationError as error:
        raise MachineError(
            f"{executable} --list does not describe a benchmark as this pollux expects; build it "
            f"again: {build_command()}"
        ) from error


def priorities_of(version: str) -> bool | None:
    """Whether priorities of tasks are in force, as `--version` reports; None: not known."""
    state = told("priority", version) or "not known"
    return None if state.startswith("not known") else state == "in force"


def told(name: str, version: str) -> str:
    """What the line of this name in the output of `--version` says; "" where there is none."""
    lines = (line.partition(" ") for line in version.splitlines())
    return next((rest.strip() for own, _, rest in lines if own == name), "")


def output(executable: Path, options: list[str], variables: Mapping[str, str]) -> str:
    """What an executable prints.

    If it fails, a MachineError with its last line, but a BadUsageError with what it refused.
    """
    ended = run_process([str(executable), *options], variables, SECONDS_LIMIT)
    if ended.status == 0:
        return ended.stdout
    if ended.status == BAD_USAGE:
        raise BadUsageError(ended.failure)
    why = f"output not written ({ended.unwritten})" if ended.unwritten else ended.how_and_why
    crashed = ended.status is not None and -ended.status in FAULTS
    raise (CrashedError if crashed else MachineError)(f"{executable} {options[0]}: {why}")


def query(command: Sequence[str], variables: Mapping[str, str] | None = None) -> Ended:
    """Run a program that says something of itself; one that cannot be started has failed."""
    try:
        return run_process(command, variables or {}, SECONDS_LIMIT)
    except CannotStartError as error:
        return Ended(CANNOT_START, "", f"cannot be started ({error.reason})")


def loaded_blas(version: str) -> Path | None:
    """The path at the end of the line "blas   OpenBLAS 0.3.21, …, PATH", if it is a file."""
    path = Path("/" + told("blas", version).partition(", /")[2])
    return path if path.is_file() else None


def runtime_named(version: str) -> str | None:
    """The runtime with its version in that line, such as "libgomp 12"."""
    return told("runtime", version).partition(ENTRY_POINTS)[0].rpartition(", ")[0] or None


def loaded_runtime(version: str) -> Path | None:
    """The path in the line "runtime   libgomp 12, GOMP entry points, PATH" of --version."""
    path = told("runtime", version).partition(ENTRY_POINTS)[2]
    return Path(path) if path.startswith("/") else None
