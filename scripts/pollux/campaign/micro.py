# SPDX-License-Identifier: BSD-3-Clause
"""Micro-benchmarks in a campaign: their arguments, what they need, which axes they lack."""

from collections.abc import Sequence

from pollux.campaign.lines import Configuration, Needs
from pollux.campaign.model import Axes, Campaign
from pollux.executables.arguments import arguments
from pollux.executables.variables import default_threads
from pollux.records import Listing

NO_MATRIX = ("tile", "numa")  # axes of benchmarks that work on a matrix


def usable(axes: Axes, listing: Listing) -> Axes:
    """The axes that a benchmark has; one without a size has the single size 1."""
    update: dict[str, object] = {} if listing.inner_block else {"inner": None}
    if listing.options is not None:
        update |= {"kernels": None, **dict.fromkeys(NO_MATRIX)}
        if listing.options.size is None:
            update["size"] = [1]
    return axes.model_copy(update=update)


def without_size(axes: Axes, listings: Sequence[Listing]) -> str | None:
    """What is wrong with a grid that gives no size to benchmarks that have one."""
    sized = [x.benchmark for x in listings if x.options is None or x.options.size is not None]
    if axes.size is not None or not sized:
        return None
    return f"is missing; {', '.join(sized)} {'has' if len(sized) == 1 else 'have'} one"


def useless(axis: str, listings: Sequence[Listing]) -> str | None:
    """What is wrong with an axis that none of the benchmarks has."""
    names = [x.benchmark for x in listings]
    one = len(names) == 1
    if axis == "size":
        if any(x.options is None or x.options.size is not None for x in listings):
            return None
        return f"{', '.join(names)} {'has' if one else 'have'} no size; leave it out"
    if axis not in NO_MATRIX or not all(x.is_micro for x in listings):
        return None
    return f"{', '.join(names)} {'works' if one else 'work'} on no matrix; leave {axis} out"


def micro_arguments(point: Configuration, listing: Listing, campaign: Campaign) -> list[str]:
    """The executable's arguments, all but the seed; it names what it runs by its own options."""
    options = listing.options
    assert options is not None
    size = {} if options.size is None else {options.size: point.size}
    return arguments(
        chosen={options.variant: point.variant, **size},
        parameters=point.parameters,
        threads=point.threads,
        repeat=campaign.repetitions,
        warmup=campaign.warmup,
        format="json",
    )


def micro_needs(c: Configuration) -> Needs:
    """What it takes: it has no matrix, and its size is a number of tasks at most."""
    threads = c.threads or default_threads(c.variables)
    return Needs(threads=threads, bytes=0, flops=0.0, tasks=c.size)
