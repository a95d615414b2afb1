# SPDX-License-Identifier: BSD-3-Clause
"""Which processes of a plan take turns, and why the others are run one after the other."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pollux.core.campaign.estimate import (
    files_available,
    memory_available,
    memory_bytes,
    needs_of,
    threads_available,
)
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.plan import Plan

MEMORY_SHARE = 0.9  # of what is available, that the processes of a cell may need at once
THREADS_SHARE = 0.9  # the same of threads
FILES = 4  # that are open for each of them
SPARE_FILES = 32  # for all else


@dataclass(frozen=True)
class Room:
    """What the processes of a cell may need at once."""

    memory: float  # bytes
    threads: float
    files: float

    def lacking(self, cell: Sequence[Configuration]) -> str | None:
        """What does not suffice for a process of each, in words; None if all does."""
        if len(cell) < 2:
            return None
        if sum(map(memory_bytes, cell)) > self.memory:
            return "memory does not hold all processes"
        if sum(needs_of(c).threads for c in cell) > self.threads:
            return "ulimit -u or pids.max does not allow all threads"
        if FILES * len(cell) > self.files:
            return "ulimit -n does not allow all open files"
        return None


def room() -> Room:
    """That of this machine now, within the limits of this process."""
    return Room(
        MEMORY_SHARE * memory_available(),
        THREADS_SHARE * threads_available(),
        files_available() - SPARE_FILES,
    )


def taken_apart(plan: Plan) -> set[str]:
    """The configurations, by hash, whose processes are run one after the other."""
    if plan.campaign.apart:
        return {configuration.hash() for configuration in plan.configurations}
    return {c.hash() for _, cell in too_large(plan) for c in cell}


def too_large(plan: Plan) -> Iterator[tuple[str, Sequence[Configuration]]]:
    """The cells whose processes cannot be there at the same time, with what is lacking."""
    own = room()
    for cell in plan.cells():
        if (reason := own.lacking(cell)) is not None:
            yield reason, cell


def lacking_now(configurations: Sequence[Configuration]) -> str | None:
    """What does not suffice now for a process of each at once, in words; None if all does."""
    return room().lacking(configurations)


def how_taken(plan: Plan) -> list[str]:
    """Lines on what takes no turns, and why."""
    if plan.campaign.apart:
        return ["processes are run one after the other, as requested: they take no turns"]
    found: dict[str, list[str]] = defaultdict(list)
    for reason, cell in too_large(plan):
        found[reason].append(cell[0].label())
    lines = []
    for reason, (first, *others) in found.items():
        more = f" and {len(others)} more" if others else ""
        lines.append(f"{reason} of {first}{more} at once: they take no turns")
    return lines
