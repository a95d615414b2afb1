# SPDX-License-Identifier: BSD-3-Clause
"""From the options of the command to the one or two sides to measure."""

from collections.abc import Sequence
from itertools import product

from pollux.core.errors import BadUsageError
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.parameters import Wanted, check_parameters
from pollux.core.executables.variants import check_kernels
from pollux.core.tiles import WantedTile
from pollux.insight.explaining.session import Run
from pollux.insight.explaining.sides import SIDES
from pollux.insight.graphs.instances import instances_of, usual_variant
from pollux.insight.graphs.model import Instance

BOTH = ("libgomp", "libomp")
ONE = ("libomp",)


def runs_of(  # noqa: PLR0913, PLR0917 (the properties of a side)
    known: Benchmarks,
    benchmark: str,
    variants: Sequence[str],
    kernels: Sequence[str],
    runtimes: Sequence[str],
    shape: tuple[int | None, int | None],
    tiles: Sequence[WantedTile],
    inner: int,
    parameters: Wanted,
) -> list[Run]:
    """Each variant with each tile, kernel set and parameters under each runtime.

    `shape` is M and N; without them they are the benchmark's own.
    """
    if "all" in variants:
        raise BadUsageError("explain takes one or two sides: name them in place of --variant all")
    chosen = list(dict.fromkeys(variants)) or [usual_variant(known, benchmark)]
    check_kernels(kernels)
    listing = known.listing(known.holder(benchmark, chosen[0]))
    kernels = [listing.kernels_for(name) for name in kernels]
    check_parameters(parameters, [listing])
    instances = [
        (instance, set_)
        for variant, tile, set_ in product(chosen, tiles, kernels)
        for instance in instances_of(
            known, benchmark, variant, *shape, tile, inner, set_, parameters
        )
    ]
    check_different(instances)
    usual = ONE if len(instances) > 1 else BOTH
    runs = [
        Run(instance, runtime, set_)
        for (instance, set_), runtime in product(instances, dict.fromkeys(runtimes or usual))
    ]
    if len(runs) > SIDES:
        listed = ", ".join(run.name for run in runs)
        raise BadUsageError(f"explain takes one or two sides, not {len(runs)}: {listed}")
    return runs


def check_different(instances: Sequence[tuple[Instance, str]]) -> None:
    """Refuse to compare a run with itself, as where a tile is also the default one."""
    for instance, kernels in instances:
        if instances.count((instance, kernels)) > 1:
            raise BadUsageError(f"{instance}, {kernels} kernels, is given twice; give another one")
