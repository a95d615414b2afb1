# SPDX-License-Identifier: BSD-3-Clause
"""Which processes of a plan take turns, and why the others are run one after the other."""

from collections.abc import Sequence

from pollux.core.campaign.estimate import memory_available, memory_bytes
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.plan import Plan

MEMORY_SHARE = 0.9  # of what is available, that the processes of a cell may need at once


def taken_apart(plan: Plan) -> set[str]:
    """The configurations, by hash, whose processes are run one after the other."""
    if plan.campaign.apart:
        return {configuration.hash() for configuration in plan.configurations}
    return {c.hash() for cell in too_large(plan) for c in cell}


def too_large(plan: Plan) -> list[list[Configuration]]:
    """The cells whose processes do not fit into memory at the same time."""
    return [cell for cell in plan.cells() if are_too_large(cell)]


def are_too_large(configurations: Sequence[Configuration]) -> bool:
    """Whether processes of these need more memory at once than there is."""
    needed = sum(map(memory_bytes, configurations))
    return len(configurations) > 1 and needed > MEMORY_SHARE * memory_available()


def how_taken(plan: Plan) -> list[str]:
    """Lines on what takes no turns, and why."""
    if plan.campaign.apart:
        return ["processes are run one after the other, as requested: they take no turns"]
    cells = too_large(plan)
    if not cells:
        return []
    some = cells[0][0].label() + (f" and {len(cells) - 1} more" if len(cells) > 1 else "")
    return [f"memory does not hold all processes of {some} at once: they take no turns"]
