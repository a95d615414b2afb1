# SPDX-License-Identifier: BSD-3-Clause
"""Makes instances from names of benchmarks and variants and from sizes, for all commands."""

from collections.abc import Iterable, Sequence

from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.parameters import Wanted, own_parameters
from pollux.core.tiles import WantedTile
from pollux.insight.graphs.model import Instance


def usual_variant(known: Benchmarks, benchmark: str) -> str:
    return known.listing(benchmark).default_variant


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
