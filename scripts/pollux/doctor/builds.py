# SPDX-License-Identifier: BSD-3-Clause
"""Asks the executables of each build what they are, and whether they run at all."""

import signal
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pollux.campaign.values import BENCHMARKS
from pollux.doctor.files import read_file
from pollux.doctor.machine import Machine, Ran
from pollux.records import VARIANTS, ConcurrentWrite, Variant

# A factorization that takes a moment; its record tells runtime, BLAS and concurrent write.
TRIAL = ("-n", "64", "-b", "32", "--check", "none", "--repeat", "1", "--warmup", "0")
MEASURING = "Release"  # CMake's build type of builds that are measured


class Told(BaseModel):
    """A part of a record; other fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Runtime(Told):
    name: str
    version: str | None
    path: str
    env_set: dict[str, str] = {}


class Compiler(Told):
    name: str
    version: str
    build_type: str


class Blas(Told):
    version: str | None
    core: str | None
    threading: str
    path: str


class Trial(Told):
    """What the record of a small factorization tells about a build."""

    runtime: Runtime
    compiler: Compiler
    blas: Blas
    concurrent_write: ConcurrentWrite | None = None


@dataclass(frozen=True)
class Build:
    """One preset: what its executables say of themselves, and those that do not run."""

    name: str
    trial: Trial | None
    variants: tuple[Variant, ...]
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    type: str | None = None  # CMake's build type; None where neither CMake nor a record tells

    @property
    def measures(self) -> bool:
        """Whether it is to be measured; one that does not run is taken to be."""
        return self.type in (MEASURING, None)


def find_builds(machine: Machine) -> list[Build]:
    """Every preset with an executable in its bin folder, in order of name."""
    folders = sorted(machine.build_root.glob("*/bin"))
    return [
        ask(machine, folder)
        for folder in folders
        if any((folder / e).is_file() for e in BENCHMARKS)
    ]


def ask(machine: Machine, folder: Path) -> Build:
    """Run a small factorization and let each executable list its variants.

    Builds with sanitizers and the like are told by CMake's cache and left alone.
    """
    configured = configured_type(folder.parent / "CMakeCache.txt")
    if configured not in (MEASURING, None):
        return Build(folder.parent.name, None, (), type=configured)
    missing = tuple(name for name in BENCHMARKS if not (folder / name).is_file())
    variants: list[Variant] = []
    problems: dict[str, None] = {}  # in order; one library that does not load is one problem
    for name in BENCHMARKS:
        if name not in missing:
            try:
                listed = answer(machine, folder / name, "--list", "--format", "json")
                variants += VARIANTS.validate_json(listed)
            except (RuntimeError, ValidationError) as error:
                problems[reason(error)] = None
    trial = None
    try:
        executable = folder / ("lu-cw" if "lu-cw" not in missing else present(missing))
        record = answer(machine, executable, *TRIAL, "--format", "json")
        trial = Trial.model_validate_json(record.partition("\n")[0])
    except (RuntimeError, ValidationError) as error:
        problems[reason(error)] = None
    type_ = trial.compiler.build_type if trial else configured
    return Build(folder.parent.name, trial, tuple(variants), missing, tuple(problems), type_)


def configured_type(cache: Path) -> str | None:
    for line in (read_file(cache) or "").splitlines():
        name, _, value = line.partition("=")
        if name.startswith("CMAKE_BUILD_TYPE:"):
            return value.strip()
    return None


def present(missing: tuple[str, ...]) -> str:
    return next(name for name in BENCHMARKS if name not in missing)


def answer(machine: Machine, executable: Path, *options: str) -> str:
    ran = machine.run(str(executable), *options)
    if ran is None:
        raise RuntimeError("cannot be started, or does not end")
    if ran.status:
        raise RuntimeError(ending(ran, executable.name))
    return ran.output


def ending(ran: Ran, name: str) -> str:
    """How an executable failed: its last words without its name, else its status."""
    lines = ran.errors.strip().splitlines()
    if lines:
        return lines[-1].split("/" + name + ": ")[-1].removeprefix(f"{name}: ")
    if ran.status < 0:
        return f"killed by {signal.Signals(-ran.status).name}"
    return f"exit status {ran.status}"


def reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "answers in another format: built from another version of the source"
    return str(error)
