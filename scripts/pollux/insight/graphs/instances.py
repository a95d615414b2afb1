# SPDX-License-Identifier: BSD-3-Clause
"""Makes instances from names of benchmarks and variants and from sizes, for all commands."""

from collections.abc import Iterable, Sequence

from pollux.core.errors import BadUsageError
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.builds import SEQUENTIAL
from pollux.core.executables.parameters import Wanted, own_parameters
from pollux.core.listings import Variant
from pollux.core.tiles import WantedTile
from pollux.insight.graphs.model import Instance


def has_graph(variant: Variant) -> bool:
    """Whether a runtime receives a graph of tasks of it, the same for every team."""
    return variant.variant != SEQUENTIAL and not variant.own_team and not is_divided(variant)


def is_divided(variant: Variant) -> bool:
    """Whether the runtime divides its loops into tasks, as many as suit the team."""
    return "taskloop" in (variant.needs or "")


def check_graph(variant: Variant, benchmark: str) -> None:
    if is_divided(variant):
        raise BadUsageError(
            f"{benchmark} {variant.variant} has another task graph for each team: the runtime "
            "divides its taskloops by the number of threads"
        )
    if variant.own_team:
        raise BadUsageError(
            f"{benchmark} {variant.variant} has no task graph: it is a parallel loop"
        )


def usual_variant(known: Benchmarks, benchmark: str) -> str:
    """The default, or the first with a task graph where that is a parallel loop."""
    listing = known.listing(benchmark)
    loops = [v.variant for v in listing.variants if v.own_team]
    if listing.default_variant not in loops:
        return listing.default_variant
    return next(v.variant for v in listing.variants if has_graph(v))


def homes(known: Benchmarks, benchmarks: Sequence[str], variants: Iterable[str]) -> list[str]:
    """The executables that contain these variants, each once, the named ones first."""
    more = (known.holder(benchmark, variant) for variant in variants for benchmark in benchmarks)
    return list(dict.fromkeys([*benchmarks, *more]))


def instances_of(  # noqa: PLR0913, PLR0917 (the fields of an instance)
    known: Benchmarks,
    benchmark: str,
    variant: str,
    m: int,
    n: int,
    wanted: WantedTile,
    inner: int,
    kernels: str,
    parameters: Wanted,
) -> list[Instance]:
    """One for each combination of parameters, with an inner block where the benchmark has one.

    The fastest tile is that of a kernel set.
    """
    holder = known.holder(benchmark, variant)
    tile = known.tile(wanted, holder, m, n, kernels)
    ib = min(inner, tile.nb) if known.listing(benchmark).has("inner") else None
    return [
        Instance(holder, variant, m, n, tile, ib, own)
        for own in own_parameters(known.listing(holder), variant, parameters)
    ]
