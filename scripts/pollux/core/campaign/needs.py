# SPDX-License-Identifier: BSD-3-Clause
"""What the configurations of a plan need, as their executables state it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from pollux.core.campaign.lines import Configuration, Needs
from pollux.core.errors import MachineError
from pollux.core.executables.listing import describe
from pollux.core.listings import InstanceNeeds, Listing, Variant
from pollux.core.tiles import FASTEST, WantedTile

# Size, tile and threads as given to the executable.
Point = tuple[int | None, WantedTile | None, int | None]

# Of each option in a call: its cube is less than INSTANCES_MOST in common/driver/listing.c.
VALUES_MAX = 46
# Tasks of a step for each tile it updates, those on its own column and row of tiles included
# (docs/variants.md). Where tiles are so few that this is too low, their tasks take no memory.
PANEL_FACTOR = 1.1


def with_needs(configurations: Sequence[Configuration], check: str) -> list[Configuration]:
    """The configurations with what they need; one call of an executable answers for many."""
    groups: dict[tuple[object, ...], list[Configuration]] = defaultdict(list)
    for c in configurations:
        groups[shared_by_a_call(c)].append(c)
    stated = {key: ask(group, check) for key, group in groups.items()}
    return [
        c.model_copy(update={"needs": needs(c, *stated[shared_by_a_call(c)][point(c)])})
        for c in configurations
    ]


def point(c: Configuration) -> Point:
    # A variant outside any parallel region is run without --threads.
    size = None if c.size_name is None else c.size
    return size, wanted_tile(c), c.threads if "--threads" in c.arguments else None


def wanted_tile(c: Configuration) -> WantedTile | None:
    return FASTEST if c.tile_asked == FASTEST else c.tile


def inner_block(c: Configuration) -> int | None:
    """As the executable is given it, be it from the grid or tuned."""
    name = "--inner"
    return int(c.arguments[c.arguments.index(name) + 1]) if name in c.arguments else None


def shared_by_a_call(c: Configuration) -> tuple[object, ...]:
    """What does not vary within one call of an executable."""
    _, tile, threads = point(c)
    variables = tuple(sorted(c.variables.items()))
    return (
        *(c.executable, variables, c.kernels, c.rows, inner_block(c), c.own),
        *(tile is None, threads is None),
    )


def ask(group: Sequence[Configuration], check: str) -> dict[Point, tuple[Listing, InstanceNeeds]]:
    """What one executable states for all sizes, tiles and threads of these configurations."""
    first = group[0]
    values = [list(dict.fromkeys(axis)) for axis in zip(*map(point, group), strict=True)]
    found: dict[Point, tuple[Listing, InstanceNeeds]] = {}
    for sizes, tiles, threads in product(*map(chunks, values)):
        listing = describe(
            Path(first.executable),
            first.variables,
            kernels=first.kernels,
            size=joined(sizes),
            rows=first.rows,
            tile=joined(tiles),
            inner=inner_block(first),
            parameters=first.parameters,
            threads=joined(threads),
            check=check if "--check" in first.arguments else None,
        )
        points = list(product(sizes, tiles, threads))
        if len(points) != len(listing.instances):
            raise MachineError(
                f"{first.executable} --list has {len(listing.instances)} instances for "
                f"{len(points)} combinations of sizes, tiles and threads"
            )
        found |= {p: (listing, i) for p, i in zip(points, listing.instances, strict=True)}
    return found


def chunks(values: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(values), VALUES_MAX):
        yield values[start : start + VALUES_MAX]


def joined(values: Sequence[object]) -> str | None:
    """The values of an option; None, which stands alone, leaves the option out."""
    return None if values[0] is None else ",".join(map(str, values))


def needs(c: Configuration, listing: Listing, instance: InstanceNeeds) -> Needs:
    variant = next(v for v in listing.variants if v.variant == c.variant)
    return Needs(
        threads=instance.threads,
        bytes=instance.bytes_,
        flops=instance.flops or 0.0,
        tasks=tasks_at_most(listing, variant, instance),
    )


def tasks_at_most(listing: Listing, variant: Variant, instance: InstanceNeeds) -> int:
    """Tasks with dependences: as stated, or each step updates what is left of the tiles."""
    if instance.tasks is not None:
        return int(instance.tasks[variant.variant] or 0) if variant.tasks_per_update > 0 else 0
    m, n, tile = instance.m or 0, instance.n or 0, instance.tile
    mt, nt = -(-m // tile.mb), -(-n // tile.nb)
    updates = tile_updates(mt, nt, tile.mb // tile.nb, tile.steps(m, n))
    share = 0.5 if listing.symmetric else 1.0
    return int(PANEL_FACTOR * share * variant.tasks_per_update * updates)


def tile_updates(rows: int, columns: int, height: int, steps: int) -> int:
    """The sum over steps k of (rows - k // height) (columns - k), without a loop over steps.

    `height` steps q height + r of one q have the same rows, rows - q.
    """
    full, rest = divmod(steps, height)
    first = height * columns - height * (height - 1) // 2  # of the columns over r, where q is 0
    sum_q, sum_q2 = full * (full - 1) // 2, (full - 1) * full * (2 * full - 1) // 6
    whole = full * rows * first - (rows * height**2 + first) * sum_q + height**2 * sum_q2
    last = rest * (columns - full * height) - rest * (rest - 1) // 2
    return whole + (rows - full) * last
