# SPDX-License-Identifier: BSD-3-Clause
"""Asks the executables of each build for their description, and whether they run at all."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, ValidationError

from pollux.core.executables.arguments import arguments
from pollux.core.executables.builds import (
    MEASURING,
    benchmark_names,
    build_type,
    executables_in,
)
from pollux.core.executables.process import Ended
from pollux.core.executables.trees import trees
from pollux.core.listings import ConcurrentWrite, Listing, Variant
from pollux.core.models import Lenient
from pollux.core.tiles import Tile
from pollux.machine.doctor.machine import Machine

# A factorization that takes a moment; its record has runtime, BLAS and concurrent write.
TRIAL = arguments(size=64, tile=Tile.square(32), repeat=1, warmup=0, check="none", format="json")


class Runtime(Lenient):
    name: str
    version: str | None
    path: str
    env_set: dict[str, str] = Field(default={})


class Compiler(Lenient):
    name: str
    version: str
    build_type: str


class Blas(Lenient):
    library: str
    version: str | None
    core: str | None
    threading: str
    path: str


class Trial(Lenient):
    """What the record of a small factorization shows about a build."""

    runtime: Runtime
    compiler: Compiler
    blas: Blas
    concurrent_write: ConcurrentWrite | None = None


@dataclass(frozen=True)
class Build:
    """One preset: what its executables report, and those that do not run."""

    name: str
    tree: Path
    trial: Trial | None
    variants: tuple[Variant, ...]
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    type: str | None = None  # CMake's build type; None if neither CMake nor a record has it

    @property
    def measures(self) -> bool:
        """Whether it is to be measured; one that does not run is taken to be."""
        return self.type in (MEASURING, None)


def find_builds(machine: Machine) -> list[Build]:
    """Every preset with an executable in its bin folder, in order of name."""
    return [
        ask(machine, preset, tree)
        for preset, tree in trees(machine.build_root).items()
        if executables_in(tree)
    ]


def ask(machine: Machine, name: str, tree: Path) -> Build:
    """Run a small factorization and let each executable list its variants.

    Builds with sanitizers and the like, which CMake's cache shows, are left alone.
    """
    configured = build_type(tree)
    if configured not in (MEASURING, None):
        return Build(name, tree, None, (), type=configured)
    executables = executables_in(tree)
    there = [path.name for path in executables]
    missing = tuple(x for x in benchmark_names(machine.build_root) if x not in there)
    listings: dict[Path, Listing] = {}
    problems: dict[str, list[str]] = {}  # each with its programs, all where a library is lacking
    for executable in executables:
        try:
            listed = answer(machine, executable, *arguments(list=True, format="json"))
            listings[executable] = Listing.model_validate_json(listed)
        except (RuntimeError, ValidationError) as error:
            problems.setdefault(reason(error), []).append(executable.name)
    trial, tried = None, trial_executable(listings, executables)
    try:
        record = answer(machine, tried, *TRIAL)
        trial = Trial.model_validate_json(record.partition("\n")[0])
    except (RuntimeError, ValidationError) as error:
        if tried.name not in (own := problems.setdefault(reason(error), [])):
            own.append(tried.name)
    type_ = trial.compiler.build_type if trial else configured
    variants = tuple(v for listing in listings.values() for v in listing.variants)
    told = tuple(
        problem if len(names) == len(executables) > 1 else f"{', '.join(names)}: {problem}"
        for problem, names in problems.items()
    )
    return Build(name, tree, trial, variants, missing, told, type_)


def trial_executable(listings: dict[Path, Listing], executables: list[Path]) -> Path:
    """One whose record says how concurrent write is done, else any."""
    return next((path for path, its in listings.items() if its.concurrent_write), executables[0])


def answer(machine: Machine, executable: Path, *options: str) -> str:
    ran = machine.run(str(executable), *options)
    if ran is None:
        raise RuntimeError("cannot be started, or does not end")
    if ran.status:
        raise RuntimeError(ending(ran, executable.name))
    return ran.stdout


def ending(ran: Ended, name: str) -> str:
    """How an executable failed: its last line without its name, else its status."""
    return ran.last_line.split("/" + name + ": ")[-1].removeprefix(f"{name}: ") or ran.how


def reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "answers in another format: built from another version of the source"
    return str(error)
