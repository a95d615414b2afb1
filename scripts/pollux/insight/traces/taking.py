# SPDX-License-Identifier: BSD-3-Clause
"""Takes and stores a trace of each combination of benchmarks, variants, runtimes and threads."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.listing import Executables
from pollux.core.executables.parameters import Wanted, check_parameters
from pollux.core.executables.variables import binding
from pollux.core.executables.variants import check_kernels, check_variants, chosen_variants, why_not
from pollux.core.runtimes.found import target_named
from pollux.core.tiles import WantedTile
from pollux.core.writing import refusal
from pollux.insight.graphs.instances import homes, instances_of
from pollux.insight.traces.file import write_trace
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import RunRequest, take_trace
from pollux.output.figures.save import FOLDER

Notify = Callable[[str], None]


@dataclass(frozen=True)
class Combinations:
    """What to trace."""

    benchmarks: Sequence[str]
    variants: Sequence[str]  # none: the default of each benchmark
    size: int | None  # None: each benchmark's own
    rows: int | None  # None: as many as columns
    tile: WantedTile
    inner: int  # for qr
    threads: Sequence[int]
    kernels: Sequence[str]
    runtimes: Sequence[str]
    seed: int
    parameters: Wanted = field(default_factory=dict)


def plan(wanted: Combinations, build_root: Path, notify: Notify) -> list[RunRequest]:
    """A run for each possible combination; what cannot run is reported and left out."""
    executables = Executables(build_root)
    benchmarks = Benchmarks(executables)
    benchmarks.check(wanted.benchmarks)
    check_kernels(wanted.kernels)
    requests: list[RunRequest] = []
    known = []
    own = homes(benchmarks, wanted.benchmarks, wanted.variants)
    check_parameters(wanted.parameters, [benchmarks.listing(name) for name in own])
    for benchmark in own:
        for runtime in dict.fromkeys(wanted.runtimes):
            target = target_named(runtime, build_root)
            executable = executables.path(target.preset, benchmark)
            listing = executables.ask(executable, binding() | target.variables).listing
            known += listing.variants
            for variant in chosen_variants(listing, wanted.variants):
                sizes = (wanted.rows, wanted.size, wanted.tile, wanted.inner)
                for kernels in map(listing.kernels_for, wanted.kernels):
                    if why := why_not(listing, variant, kernels):
                        notify(f"left out: {benchmark} {variant.variant}, {runtime}: {why}")
                        continue
                    instances = instances_of(
                        benchmarks, benchmark, variant.variant, *sizes, kernels, wanted.parameters
                    )
                    requests += [
                        RunRequest(instance, t, runtime, wanted.seed, kernels=kernels)
                        for instance, t in product(instances, wanted.threads)
                    ]
    check_variants(wanted.variants, known)
    if not requests:
        raise BadUsageError("none of the requested runs is possible here")
    order = {name: place for place, name in enumerate(wanted.variants)}
    return sorted(requests, key=lambda request: order.get(request.instance.variant, len(order)))


def take_all(
    requests: Sequence[RunRequest], path: Path, build_root: Path, notify: Notify
) -> list[Trace]:
    """The traces, each written to `path` as soon as it is taken."""
    traces = []
    for number, request in enumerate(requests, 1):
        notify(f"{number}/{len(requests)}: {request}")
        trace = take_trace(request, build_root=build_root)
        append(path, write_trace(trace))
        traces.append(trace)
    return traces


def append(path: Path, content: bytes, wanted: str = FOLDER) -> None:
    """Write at the end of a file in a folder that an option names, which takes what is `wanted`.

    If it fails, the file is as before: what it has can be read, and one that is new is gone.
    """
    size = path.stat().st_size if path.exists() else None
    try:
        with path.open("ab") as file:
            file.write(content)
    except OSError as error:
        with suppress(OSError):
            path.unlink() if size is None else os.truncate(path, size)
        raise refusal(path, error, wanted) from error
