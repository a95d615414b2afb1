# SPDX-License-Identifier: BSD-3-Clause
"""The points of a campaign's grid, before any executable was asked."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from typing import Any

from pollux.core.campaign.axes import AXES, BY_NAME, Axis
from pollux.core.campaign.lines import TILE_WORDS, Configuration
from pollux.core.campaign.model import DEFAULT_ENVIRONMENT, Axes, Campaign, Rule
from pollux.core.campaign.source import Key
from pollux.core.campaign.usable import usable
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.listings import Listing
from pollux.core.parameters import Value
from pollux.core.tiles import Tile


@dataclass(frozen=True)
class Part:
    """One grid of the file: [grid] itself, or with an [[include]] put over it."""

    key: Key  # of its table
    axes: Axes
    own: frozenset[str]  # axes that its own table sets

    def place(self, axis: str) -> Key:
        """The key of an axis: in its own table, or in [grid]."""
        return (*self.key, axis) if axis in self.own else ("grid", axis)

    def benchmarks(self, known: Benchmarks) -> list[str]:
        """Those of the grid; "all" are those that compute something."""
        return chosen(self.axes.benchmark, known.names)


def parts(campaign: Campaign) -> Iterator[Part]:
    """[grid], then each [[include]] with what it inherits."""
    base = campaign.grid.given()
    yield Part(("grid",), campaign.grid, frozenset(base))
    for index, include in enumerate(campaign.include):
        own = include.given()
        merged = Axes.model_construct(None, **{**base, **own})
        yield Part(("include", index), merged, frozenset(own))


def chosen(names: list[str] | None, known: list[str]) -> list[str]:
    """The names given, or all that are known."""
    return known if names is None or names == ["all"] else names


def points(
    campaign: Campaign, part: Part, known: Benchmarks, variants: dict[str, list[str]]
) -> Iterator[Configuration]:
    """Every configuration of a part; `variants` has the names that each benchmark has.

    The runtime changes first, so that the configurations of a cell follow each other.
    """
    environments = chosen(
        part.axes.environment or [DEFAULT_ENVIRONMENT], environment_names(campaign)
    )
    runtimes = runtimes_of(campaign, part.axes)
    for benchmark in part.benchmarks(known):
        listing = known.listing(benchmark)
        axes = usable(part.axes, listing)
        named = chosen(axes.variant, variants[benchmark])
        own_variants = [name for name in named if name in variants[benchmark]]
        for variant, own in own_points(axes, listing, own_variants):
            threads = axes.threads or ["all"]
            if is_sequential(listing, variant):
                threads = [1]
            for (
                kernels,
                size,
                rows,
                tile,
                block,
                count,
                environment,
                settings,
                runtime,
            ) in product(
                kernel_sets_of(axes, listing),
                axes.size or [],
                rows_of(axes),
                tiles_of(axes, listing),
                axes.inner or ["default"],
                threads,
                environments,
                settings_of(axes),
                runtimes,
            ):
                yield Configuration(
                    runtime=runtime,
                    benchmark=benchmark,
                    variant=variant,
                    kernels=kernels,
                    size=int(size),
                    rows=None if rows == size else rows,
                    tile_asked=None if tile is None else str(tile),
                    tile=None if tile in (*TILE_WORDS, None) else Tile.parse(tile),
                    inner=number(block),
                    parameters=own,
                    threads=number(count),
                    environment=environment,
                    **settings,
                    seed=campaign.seed,
                    size_name=listing.size.name if listing.size else None,
                    unit=listing.quantities[0].unit,
                    better=listing.quantities[0].better,
                )


def count(campaign: Campaign, part: Part, known: Benchmarks, variants: dict[str, list[str]]) -> int:
    """The number of `points`, without making them."""
    environments = chosen(
        part.axes.environment or [DEFAULT_ENVIRONMENT], environment_names(campaign)
    )
    runtimes = runtimes_of(campaign, part.axes)
    each = len(environments) * len(runtimes)
    found = 0
    for benchmark in part.benchmarks(known):
        listing = known.listing(benchmark)
        axes = usable(part.axes, listing)
        own = {v for v in chosen(axes.variant, variants[benchmark]) if v in variants[benchmark]}
        shared = each * len(axes.size or []) * len(kernel_sets_of(axes, listing))
        settings = (getattr(axes, axis.name) for axis in AXES)
        for others in (axes.rows, axes.tile, axes.inner, *settings):
            shared *= len(others or [None])
        for variant in own:
            teams = 1 if is_sequential(listing, variant) else len(axes.threads or [None])
            values = math.prod(map(len, own_axes(axes, listing, variant).values()))
            found += teams * values * shared
    return found


def is_sequential(listing: Listing, variant: str) -> bool:
    """Whether it runs on one thread, whatever the number of threads."""
    return any(v.variant == variant and v.sequential for v in listing.variants)


def kernel_sets_of(axes: Axes, listing: Listing) -> list[str] | list[None]:
    """Those of the kernel sets that a benchmark has; without any named, its default."""
    known = [found.kernels for found in listing.kernel_sets]
    if not known:
        return [None]
    return [name for name in chosen(axes.kernels or known[:1], known) if name in known]


def tiles_of(axes: Axes, listing: Listing) -> Sequence[int | str | None]:
    """Those of the file; None alone where a benchmark has no tiles."""
    return axes.tile or (["default"] if listing.has("tile") else [None])


def own_axes(axes: Axes, listing: Listing, variant: str) -> dict[str, list[Value]]:
    """The values of those parameters that a variant has."""
    known = {parameter.parameter for parameter in listing.parameters_of(variant)}
    return {name: values for name, values in (axes.parameters or {}).items() if name in known}


def own_points(
    axes: Axes, listing: Listing, variants: list[str]
) -> Iterator[tuple[str, dict[str, Value]]]:
    """Every variant with every combination of their values."""
    for variant in variants:
        own = own_axes(axes, listing, variant)
        for values in product(*own.values()):
            yield variant, dict(zip(own, values, strict=True))


def runtimes_of(campaign: Campaign, axes: Axes) -> list[str]:
    """The runtimes of a grid, without optional ones that are not here."""
    named = chosen(axes.runtime, campaign.all_runtimes())
    return [label for label in named if label in campaign.runtimes]


def settings_of(axes: Axes) -> list[dict[str, str]]:
    """Every combination of the plain axes' values, without those that stand for the default."""
    given = {axis.name: values for axis in AXES if (values := getattr(axes, axis.name))}
    every = [dict(zip(given, values, strict=True)) for values in product(*given.values())]
    return [{n: v for n, v in own.items() if v != BY_NAME[n].default} for own in every]


def rows_of(axes: Axes) -> list[int | None]:
    return [*axes.rows] if axes.rows else [None]


def environment_names(campaign: Campaign) -> list[str]:
    return list(dict.fromkeys([DEFAULT_ENVIRONMENT, *campaign.environments]))


def number(value: int | str) -> int | None:
    """A number, or None for a word that leaves the choice to others."""
    return None if isinstance(value, str) else value


def mixed_sets(configurations: list[Configuration]) -> Iterator[str]:
    """Cells in which two runtimes have no kernel set in common: their times say nothing."""
    cells: dict[tuple[object, ...], dict[str, set[str | None]]] = defaultdict(dict)
    if len({c.kernels for c in configurations}) < 2:
        return
    for c in configurations:
        cell = c.model_copy(update={"kernels": None})
        cells[cell.cell()].setdefault(c.runtime, set()).add(c.kernels)
    apart = (pair for sets in cells.values() for pair in combinations(sets.items(), 2))
    found = {
        f"{there} runs {words(theirs)} kernels where {here} runs {words(ours)}: their times do not "
        "compare runtimes; give both the same kernels"
        for (here, ours), (there, theirs) in apart
        if not ours & theirs
    }
    yield from sorted(found)


def words(sets: set[str | None]) -> str:
    return " and ".join(sorted(map(str, sets)))


def setting_in_words(axis: Axis, configuration: Configuration) -> str | None:
    value: str | None = getattr(configuration, axis.name)
    return axis.default if value is None else value


# What a configuration has of each axis, in the words of the file.
IN_WORDS: dict[str, Callable[[Configuration], Any]] = {
    "runtime": lambda c: c.runtime,
    "benchmark": lambda c: c.benchmark,
    "variant": lambda c: c.variant,
    "kernels": lambda c: c.kernels,
    "size": lambda c: c.size,
    "rows": lambda c: c.rows or c.size,
    "tile": lambda c: c.tile_asked,
    "inner": lambda c: c.inner or "default",
    "threads": lambda c: c.threads or "all",
    "environment": lambda c: c.environment,
    **{axis.name: partial(setting_in_words, axis) for axis in AXES},
}


def matches(rule: Rule, configuration: Configuration) -> bool:
    """Whether a rule leaves a configuration out."""
    axes = all(
        allows(axis, values, IN_WORDS[axis](configuration))
        for axis, values in rule.given().items()
        if axis in IN_WORDS
    )
    own = configuration.parameters
    return axes and all(own.get(name) in vs for name, vs in (rule.parameters or {}).items())


def allows(axis: str, values: list[int | str], value: int | str) -> bool:
    """Whether a value is one of a rule's; "all" of an axis of names matches each of them."""
    names = axis in ("runtime", "benchmark", "variant", "kernels", "environment")
    return (names and values == ["all"]) or str(value) in map(str, values)
