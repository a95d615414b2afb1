# SPDX-License-Identifier: BSD-3-Clause
"""Makes instances from names of benchmarks and variants and from sizes, for all commands."""

from collections.abc import Iterable, Sequence

from pollux.executables.builds import benchmark_named, holder
from pollux.graphs.model import Instance
from pollux.tiles import Tile

INNER = 32  # inner block of qr, its executable's default


def usual_variant(benchmark: str) -> str:
    return benchmark_named(benchmark).default_variant


def homes(benchmarks: Sequence[str], variants: Iterable[str]) -> list[str]:
    """The executables that contain these variants, each once, the named ones first."""
    more = (holder(benchmark, variant) for variant in variants for benchmark in benchmarks)
    return list(dict.fromkeys([*benchmarks, *more]))


def instance_of(  # noqa: PLR0913, PLR0917 (the fields of an instance)
    benchmark: str, variant: str, m: int, n: int, tile: Tile, inner: int = INNER
) -> Instance:
    """The instance, with an inner block where the benchmark has one."""
    ib = min(inner, tile.nb) if benchmark_named(benchmark).inner_block else None
    return Instance(holder(benchmark, variant), variant, m, n, tile, ib)
