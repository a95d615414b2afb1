# SPDX-License-Identifier: BSD-3-Clause
"""Which axes of a grid its benchmarks have."""

from collections.abc import Sequence

from pollux.core.campaign.axes import AXES
from pollux.core.campaign.model import Axes
from pollux.core.listings import Listing

OF_EXECUTABLES = [axis.name for axis in AXES if axis.option]
# Axes that not every benchmark has.
OF_SOME = ("size", "rows", "tile", "inner", "kernels", *OF_EXECUTABLES)
OF_MATRIX = ("tile", *OF_EXECUTABLES)


def usable(axes: Axes, listing: Listing) -> Axes:
    """The axes that a benchmark has; one without a size has the single size 1."""
    update: dict[str, object] = {axis: None for axis in OF_SOME if not listing.has(axis)}
    if "size" in update:
        update["size"] = [1]
    return axes.model_copy(update=update)


def without_size(axes: Axes, listings: Sequence[Listing]) -> str | None:
    """What is wrong with a grid that gives no size to benchmarks that have one."""
    sized = [x.benchmark for x in listings if x.has("size")]
    if axes.size is not None or not sized:
        return None
    return f"is missing; {', '.join(sized)} {'has' if len(sized) == 1 else 'have'} one"


def useless(axis: str, listings: Sequence[Listing]) -> str | None:
    """What is wrong with an axis that none of the benchmarks has."""
    if any(x.has(axis) for x in listings):
        return None
    names = ", ".join(x.benchmark for x in listings)
    one = len(listings) == 1
    if axis == "grid":
        return f"{names} {'is one process' if one else 'are processes of their own'}; leave it out"
    if axis == "size":
        return f"{names} {'has' if one else 'have'} no size; leave it out"
    return f"{names} {'works' if one else 'work'} on no matrix; leave {axis} out"
