# SPDX-License-Identifier: BSD-3-Clause
"""Makes instances from names of benchmarks and variants and from sizes, for all commands."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.benchmarks import Benchmarks, benchmarks_of
from pollux.core.executables.builds import SEQUENTIAL
from pollux.core.executables.parameters import Wanted, own_parameters
from pollux.core.executables.variants import ALL, why_unavailable
from pollux.core.listings import Variant
from pollux.core.tiles import WantedTile
from pollux.insight.graphs.model import Instance


def has_graph(variant: Variant) -> bool:
    """Whether a runtime receives a graph of tasks of it here, the same for every team."""
    return variant.variant != SEQUENTIAL and why_no_graph(variant) is None


def why_no_graph(variant: Variant) -> str | None:
    """Why no graph of it can be had; None if one can, if only of the calls of one thread."""
    name = f"{variant.benchmark} {variant.variant}"
    if why := why_of_one_team(variant):
        return why
    if variant.own_team:
        return f"{name} has no task graph: it is a parallel loop"
    if not variant.available:
        return f"{name} is not available: {why_unavailable(variant)}"
    return None


def why_of_one_team(variant: Variant) -> str | None:
    """Why a graph of it is that of one team alone, if it is."""
    if "taskloop" not in (variant.needs or ""):
        return None
    return (
        f"{variant.benchmark} {variant.variant} has another task graph for each team: the runtime "
        "divides its taskloops by the number of threads"
    )


def check_graph(variant: Variant) -> None:
    if why := why_no_graph(variant):
        raise BadUsageError(why)


def check_instances(instances: Iterable[Instance], build_root: Path) -> list[Variant]:
    """Refuse graphs in a file that are those of one team; the variants of those that are built."""
    named = {(i.benchmark, i.variant) for i in instances}
    known = benchmarks_of(build_root)
    found: list[Variant] = []
    for benchmark in (name for name in known.names if name in dict(named)):
        with suppress(BadUsageError, MachineError):  # of another version: not known
            found += known.listing(benchmark).variants
    found = [v for v in found if (v.benchmark, v.variant) in named]
    for why in filter(None, map(why_of_one_team, found)):
        raise BadUsageError(why)
    return found


def with_graph(listed: Sequence[Variant], names: Sequence[str], whose: str) -> list[Variant]:
    """The variants of these names that have a graph, at least one of each; else all with tasks."""
    for name in (name for name in names if name != ALL):
        own = [v for v in listed if v.variant == name]
        if not own:
            known = ", ".join(dict.fromkeys(v.variant for v in listed))
            raise BadUsageError(f"no variant of {whose} is named {name!r}; choose from {known}")
        if all(map(why_no_graph, own)):
            check_graph(own[0])
    if names and ALL not in names:
        return [v for v in listed if v.variant in names and why_no_graph(v) is None]
    if found := [v for v in listed if has_graph(v)]:
        return found
    raise BadUsageError(f"no variant of {whose} has a task graph here")


def usual_variant(known: Benchmarks, benchmark: str) -> str:
    """The default, or the first with a task graph where that is a parallel loop."""
    listing = known.listing(benchmark)
    loops = [v.variant for v in listing.variants if v.own_team]
    if listing.default_variant not in loops:
        return listing.default_variant
    return with_graph(listing.variants, [], benchmark)[0].variant


def homes(known: Benchmarks, benchmarks: Sequence[str], variants: Iterable[str]) -> list[str]:
    """The executables that contain these variants, each once, the named ones first."""
    more = (known.holder(benchmark, variant) for variant in variants for benchmark in benchmarks)
    return list(dict.fromkeys([*benchmarks, *more]))


def instances_of(  # noqa: PLR0913, PLR0917 (the fields of an instance)
    known: Benchmarks,
    benchmark: str,
    variant: str,
    m: int | None,
    n: int | None,
    wanted: WantedTile,
    inner: int | None,
    kernels: str,
    parameters: Wanted,
) -> list[Instance]:
    """One for each combination of parameters, with an inner block where the benchmark has one.

    Without a size, N is the benchmark's own, and M is N. The fastest tile is that of a kernel set;
    without an inner block, it is the benchmark's default.
    """
    holder = known.holder(benchmark, variant)
    n = known.listing(holder).usual_size if n is None else n
    m = n if m is None else m
    tile = known.tile(wanted, holder, m, n, kernels)
    ib = None
    if inner is not None and known.listing(benchmark).has("inner"):
        ib = min(inner, tile.nb)
    return [
        Instance(holder, variant, m, n, tile, ib, own)
        for own in own_parameters(known.listing(holder), variant, parameters)
    ]
