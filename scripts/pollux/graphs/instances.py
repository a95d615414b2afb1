# SPDX-License-Identifier: BSD-3-Clause
"""From a benchmark's name, a variant's and sizes to instances, alike in every command."""

from collections.abc import Iterable, Sequence

from pollux.graphs.model import Instance
from pollux.tiles import Tile

INNER = 32  # inner block of qr, as its executable has it
WITH_INNER_BLOCK = "qr"
USUAL_VARIANT = {"lu-cw": "cw"}  # of others it is depend
ELSEWHERE = {("lu", "cw"): "lu-cw"}  # variants of a benchmark that another executable holds


def usual_variant(benchmark: str) -> str:
    return USUAL_VARIANT.get(benchmark, "depend")


def home(benchmark: str, variant: str) -> str:
    """The executable that holds a variant: cw of lu is that of lu-cw."""
    return ELSEWHERE.get((benchmark, variant), benchmark)


def homes(benchmarks: Sequence[str], variants: Iterable[str]) -> list[str]:
    """The executables that hold these variants, each once, those named first."""
    more = (home(benchmark, variant) for variant in variants for benchmark in benchmarks)
    return list(dict.fromkeys([*benchmarks, *more]))


def instance_of(  # noqa: PLR0913, PLR0917 (all that an instance is)
    benchmark: str, variant: str, m: int, n: int, tile: Tile, inner: int = INNER
) -> Instance:
    """The instance, with an inner block where the benchmark has one."""
    ib = min(inner, tile.nb) if benchmark == WITH_INNER_BLOCK else None
    return Instance(home(benchmark, variant), variant, m, n, tile, ib)
