# SPDX-License-Identifier: BSD-3-Clause
"""What a source of energy shows of one run: joules, or why there are none."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Whether a run's energy is known; the words of records (docs/record.md)."""

    MEASURED = "measured"
    UNAVAILABLE = "unavailable"  # nothing can be read
    UNKNOWN = "unknown"  # read, but the counter cannot be interpreted
    TOO_SHORT = "too-short"  # the run, for the steps of the counter or meter
    NOT_COVERED = "not-covered"  # a meter has no samples there


@dataclass(frozen=True, slots=True)
class Reading:
    """One run by one source; without joules there is a reason."""

    status: Status
    joules: float | None = None
    reason: str | None = None
    source: str = ""  # what was added up, so that only the same is compared
    virtual: bool = False  # what a hypervisor attributes to its guest

    @property
    def measured(self) -> bool:
        return self.status is Status.MEASURED and self.joules is not None


def missing(status: Status, reason: str, source: str = "") -> Reading:
    return Reading(status, None, reason, source)


PACKAGES, MEMORY, TOTAL = "package", "memory", "counters"  # what --source calls the counters
DRAM = re.compile(r"(^|[/:_ -])(dram|ram|memory)([-_ /]?\d*)$", re.IGNORECASE)


def kind_of_zone(identifier: str) -> str:
    """What a zone such as `powercap:package-0/dram` measures."""
    return MEMORY if DRAM.search(identifier) else PACKAGES


def parts_of_kind(parts: Iterable[str], kind: str) -> list[str]:
    return [part for part in parts if kind in (TOTAL, kind_of_zone(part))]


def label_of(parts: Sequence[str]) -> str:
    """Which counters were added up, such as `2 packages + 2 memory (powercap)`."""
    counts = Counter(kind_of_zone(part) for part in parts)
    words = []
    if number := counts[PACKAGES]:
        words.append(f"{number} package{'s' if number > 1 else ''}")
    if number := counts[MEMORY]:
        words.append(f"{number} memory")
    sources = dict.fromkeys(part.partition(":")[0] for part in parts if ":" in part)
    return " + ".join(words) + (f" ({', '.join(sources)})" if sources else "")
