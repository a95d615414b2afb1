# SPDX-License-Identifier: BSD-3-Clause
"""Takes a trace of each combination of benchmarks, variants, runtimes and threads, and keeps it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pollux.errors import BadUsageError
from pollux.executables.builds import check_benchmarks
from pollux.executables.listing import Executables
from pollux.executables.variables import binding
from pollux.executables.variants import check_variants, chosen_variants, why_unavailable
from pollux.figures.save import FOLDER
from pollux.graphs.instances import homes, instance_of
from pollux.runtimes.found import target_named
from pollux.tiles import Tile
from pollux.traces.file import write_trace
from pollux.traces.model import Trace
from pollux.traces.obtain import Wish, take_with_records
from pollux.writing import refusal

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Combinations:
    """What traces are wanted of."""

    benchmarks: Sequence[str]
    variants: Sequence[str]  # none: the usual one of each benchmark
    size: int
    rows: int | None
    tile: Tile
    inner: int  # for qr
    threads: Sequence[int]
    runtimes: Sequence[str]
    seed: int


def plan(wanted: Combinations, build_root: Path, tell: Tell) -> list[Wish]:
    """A run for each combination that there is; what cannot run is told and left out."""
    check_benchmarks(wanted.benchmarks)
    executables = Executables(build_root)
    wishes: list[Wish] = []
    known = []
    for benchmark in homes(wanted.benchmarks, wanted.variants):
        for runtime in dict.fromkeys(wanted.runtimes):
            target = target_named(runtime, build_root)
            executable = executables.path(target.preset, benchmark)
            listed = executables.ask(executable, binding() | target.variables).variants
            known += listed
            for variant in chosen_variants(listed, wanted.variants):
                if not variant.available:
                    why = why_unavailable(variant)
                    tell(f"left out: {benchmark} {variant.variant}, {runtime}: {why}")
                    continue
                sizes = (wanted.rows or wanted.size, wanted.size, wanted.tile, wanted.inner)
                instance = instance_of(benchmark, variant.variant, *sizes)
                wishes += [Wish(instance, t, runtime, wanted.seed) for t in wanted.threads]
    check_variants(wanted.variants, known)
    if not wishes:
        raise BadUsageError("nothing that was asked for can run here")
    order = {name: place for place, name in enumerate(wanted.variants)}
    return sorted(wishes, key=lambda wish: order.get(wish.instance.variant, len(order)))


def take_all(wishes: Sequence[Wish], path: Path, build_root: Path, tell: Tell) -> list[Trace]:
    """The traces, each written to `path` as soon as it is there."""
    traces = []
    for number, wish in enumerate(wishes, 1):
        tell(f"{number}/{len(wishes)}: {wish}")
        trace = take_with_records(wish, build_root=build_root)[0]
        append(path, write_trace(trace))
        traces.append(trace)
    return traces


def append(path: Path, content: bytes) -> None:
    try:
        with path.open("ab") as file:
            file.write(content)
    except OSError as error:
        raise refusal(path, error, FOLDER) from error
