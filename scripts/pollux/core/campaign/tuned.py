# SPDX-License-Identifier: BSD-3-Clause
"""Tile sizes that `pollux tune` found: the file that stores them, and its look-up.

docs/tuning.md describes the file.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, PositiveInt, ValidationError
from pydantic_core import from_json

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.builds import SEQUENTIAL
from pollux.core.executables.variables import fitting_threads, threads_of_environment
from pollux.core.kernel_files import allowed_cores
from pollux.core.locks import wait_for_lock
from pollux.core.models import Strict, keep
from pollux.core.parameters import NO_PARAMETERS, Parameters, frozen
from pollux.core.paths import no_device
from pollux.core.records import Name, ParameterValue
from pollux.core.schemas import kind_of
from pollux.core.tiles import Tile, Tiled
from pollux.core.validation import first_problem, printable_json

SCHEMA: Literal["pollux-tuned/1"] = "pollux-tuned/1"
NEAR = 2.0  # an entry for another N is used up to this ratio of the two; see docs/tuning.md


class Part(Strict):
    """A part of the file."""

    model_config = ConfigDict(populate_by_name=True, allow_inf_nan=False)


class Host(Part):
    """The processors a process may use; hosts that are equal here share their tiles."""

    cpu: str  # model, family and model number: hypervisors give many processors one name
    cores: int
    processors: int  # logical, as far as the CPU quota goes


class Point(Part, Tiled):
    """One tile size as measured: `ratio` is its speed relative to the winner's, within rounds."""

    ib: PositiveInt | None
    gflops: float | None  # median; None: no valid run
    runs: int
    ratio: float | None
    low: float | None  # 95 % interval of the ratio; None: dropped too early to have one
    high: float | None
    problem: str | None = None  # why it was dropped, if something was wrong with it


class Entry(Part, Tiled):
    """What was found for one benchmark, variant, kernel set, N, number of threads and runtime."""

    host: Host
    benchmark: str
    variant: str
    kernels: str
    n: PositiveInt
    parameters: dict[Name, ParameterValue]  # all of them
    threads: PositiveInt
    threads_asked: int | None  # None: the executable's default
    runtime: str  # its label in campaigns: the preset
    runtime_name: str
    runtime_version: str | None
    runtime_build_id: str | None
    blas_version: str | None
    blas_core: str | None
    ib: PositiveInt | None
    gflops: float  # median over the rounds of the final
    low: float | None  # 95 % interval of that median
    high: float | None
    points: list[Point]
    runs: int  # repetitions, over all points
    seconds: float  # spent on them
    method: str
    date: str  # ISO 8601, with the offset from UTC

    def key(self) -> tuple[object, ...]:
        """What an entry is for: a newer one with the same key replaces it."""
        return (
            self.host,
            self.benchmark,
            self.variant,
            self.kernels,
            self.n,
            frozen(self.parameters),
            self.threads,
            self.threads_asked,
            self.runtime,
            self.runtime_name,
            self.runtime_version,
            self.runtime_build_id,
            self.blas_version,
            self.blas_core,
        )


class TunedFile(Part):
    """The whole file."""

    schema_name: Literal["pollux-tuned/1"] = Field(default=SCHEMA, alias="schema")
    entries: list[Entry] = Field(default=[])


Target = tuple[object, ...]  # what a tile is for, except for N and threads


def by_target(path: Path) -> dict[Target, list[Entry]]:
    """The entries of a file, to look up tiles in."""
    found: dict[Target, list[Entry]] = defaultdict(list)
    for e in read(path).entries:
        own = e.host, e.benchmark, e.variant, e.kernels, frozen(e.parameters), e.runtime
        found[own].append(e)
    return found


def lookup(  # noqa: PLR0913 (what a tile depends on)
    known: Mapping[Target, Sequence[Entry]],
    *,
    benchmark: str,
    variant: str,
    kernels: str | None,
    size: int,
    parameters: Parameters = NO_PARAMETERS,
    threads: int | None,
    runtime: str,
    host: Host | None = None,
) -> tuple[Tile, int | None] | None:
    """The tile and IB found for this on this host; None if nothing near was tuned.

    `runtime` is the label in the campaign, `threads` None the executable's default; `parameters`
    are all that the benchmark has.
    The entry is that for the nearest N of those that are equal in all else. Nearest by ratio, at
    most a factor of two off; of two equally near the smaller N, and of several for one N (another
    version of the runtime or of BLAS) the newest. MB, NB and IB are never scaled, since a
    scaled tile was not measured; a tile with more columns than N becomes N, and IB is at most NB.
    """
    threads = threads or threads_of_environment()
    wanted = (host or this_host(), benchmark, variant, kernels, parameters, runtime)
    fitting = [
        e for e in known.get(wanted, ()) if fits_threads(e, threads) and ratio(e.n, size) <= NEAR
    ]
    newest = sorted(fitting, key=lambda e: e.date, reverse=True)
    entry = min(newest, key=lambda e: (ratio(e.n, size), e.n), default=None)
    if entry is None:
        return None
    tile = entry.tile if entry.nb <= size else Tile.square(size)
    return tile, None if entry.ib is None else min(entry.ib, tile.nb)


def fits_threads(entry: Entry, threads: int | None) -> bool:
    if entry.variant == SEQUENTIAL:
        return True
    return entry.threads_asked is None if threads is None else entry.threads == threads


def ratio(a: int, b: int) -> float:
    return max(a, b) / min(a, b)


def read(path: Path) -> TunedFile:
    """The file's contents; no entries if there is no file."""
    text = b""
    try:
        text = printable_json(no_device(path).read_bytes())
        return TunedFile.model_validate_json(text, strict=True)
    except FileNotFoundError:
        return TunedFile()
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error
    except ValidationError as error:
        raise BadUsageError(f"{path} {damage(text, error)}; correct it or move it away") from error


def damage(text: bytes, error: ValidationError) -> str:
    """What is wrong with the file: it is of another kind or version, or a field is."""
    try:
        schema = from_json(text).get("schema")
    except (ValueError, AttributeError):
        return "is damaged: " + first_problem(error)
    if schema != SCHEMA:
        return f"is {kind_of(schema)}, not {SCHEMA}"
    return "is damaged: " + first_problem(error)


def store(path: Path, found: Sequence[Entry], disputed: Sequence[Entry] = ()) -> None:
    """Add entries to the file, replacing those with the same key; it is replaced atomically.

    What an interrupted search stored of the disputed tiles is removed.
    """
    wrong = {(entry.key(), entry.tile, entry.ib) for entry in disputed}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path):
            known = [e for e in read(path).entries if (e.key(), e.tile, e.ib) not in wrong]
            kept = {entry.key(): entry for entry in (*known, *found)}
            contents = TunedFile(entries=list(kept.values()))
            keep(path, contents)
    except OSError as error:
        raise MachineError(f"cannot write {path} ({error.strerror})") from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep concurrent tuning runs from losing entries that this one adds."""
    with path.with_name(f".{path.name}.lock").open("a") as lock:
        wait_for_lock(lock.fileno())
        yield


@cache
def this_host() -> Host:
    """The processors that this process, and so those it starts, may use."""
    return Host(cpu=cpu_model(), cores=allowed_cores(), processors=fitting_threads())


def cpu_model() -> str:
    """The first processor's model as /proc/cpuinfo gives it, on x86 or ARM."""
    fields: dict[str, str] = {}
    try:
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    except OSError:
        return os.uname().machine
    wanted = ("model name", "cpu family", "model", "CPU implementer", "CPU part")
    parts = [f"{name} {fields[name]}" for name in wanted if name in fields]
    return ", ".join(parts).removeprefix("model name ") or os.uname().machine
