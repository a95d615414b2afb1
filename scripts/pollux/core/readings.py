# SPDX-License-Identifier: BSD-3-Clause
"""What a source of energy shows of one run: joules, or why there are none."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from sys import intern
from typing import Any, NamedTuple, Protocol

from pollux.core.text import some


class Status(StrEnum):
    """Whether a run's energy is known; the words of records (docs/record.md)."""

    MEASURED = "measured"
    UNAVAILABLE = "unavailable"  # nothing can be read
    UNKNOWN = "unknown"  # read, but the counter cannot be interpreted
    TOO_SHORT = "too-short"  # the run, for the steps of the counter or meter
    NOT_COVERED = "not-covered"  # a meter has no samples there, or not those of all machines


class Reading(NamedTuple):
    """One run by one source; without joules there is a reason."""

    status: Status
    joules: float | None = None
    reason: str | None = None
    source: str = ""  # what was added up, so that only the same is compared

    @property
    def measured(self) -> bool:
        return self.status is Status.MEASURED and self.joules is not None


def missing(status: Status, reason: str, source: str = "") -> Reading:
    return Reading(status, None, reason, source)


PACKAGES, MEMORY, TOTAL = "package", "memory", "counters"  # what --source calls the counters
MEMORY_NAME = re.compile(r"(?:^|[/:_-])(?:dram|ram|memory)(?![a-z])", re.IGNORECASE)


def kind_of_zone(identifier: str) -> str:
    """What a zone such as `powercap:package-0/dram` measures."""
    return MEMORY if MEMORY_NAME.search(identifier) else PACKAGES


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


def source_of(parts: Sequence[str], kind: str, *, virtual: bool) -> str:
    """The same for the parts of a kind; counters of guests are what a hypervisor makes of them."""
    label = label_of(parts_of_kind(parts, kind))
    return f"{label} of a virtual machine" if virtual and label else label


class Run(NamedTuple):
    """The timed region of one record, and what the counters showed of it."""

    begin: int  # ns since 1970, of CLOCK_REALTIME
    end: int
    seconds: float
    flops: float
    host: str
    counters: Mapping[str, Reading]  # TOTAL, PACKAGES and MEMORY
    machines: int = 1  # of which `host` is the first; counters are those of that one

    @property
    def clock_was_set(self) -> bool:
        """Whether begin and end differ by something other than the duration."""
        passed = (self.end - self.begin) / 1e9
        return not -0.01 <= passed - self.seconds <= 0.1 + 0.01 * self.seconds


def run_of(record: Mapping[str, Any]) -> Run:
    machines = record.get("mpi", {}).get("hosts", 1)
    if machines == 1:
        counters = counters_of(record.get("energy"))
    else:
        counters = without_parts(Status.NOT_COVERED, of_one_of(machines))
    return Run(
        begin=record["start_unix_ns"],
        end=record["end_unix_ns"],
        seconds=record["seconds"],
        flops=record["flops"],
        host=intern(record["host"]["hostname"]),
        counters=counters,
        machines=machines,
    )


def of_one_of(machines: int) -> str:
    """Why what shows one machine does not show a run."""
    return f"it shows one of the {machines} machines of the run"


def counters_of(energy: Mapping[str, Any] | None) -> Mapping[str, Reading]:
    """What the counters showed, from the object of a record."""
    if energy is None or not energy.get("parts"):
        found = energy or {"status": Status.UNAVAILABLE, "reason": "the record has none"}
        return without_parts(found["status"], found.get("reason") or "not known why")
    parts: list[str] = energy["parts"]
    status, reason = Status(energy["status"]), energy.get("reason")
    virtual = bool(energy.get("virtual"))
    own = {f"{zone['source']}:{zone['name']}": zone["joules"] for zone in energy["zones"]}
    joules = {TOTAL: energy["joules"]}
    for kind in (PACKAGES, MEMORY):
        values = [own.get(part) for part in parts_of_kind(parts, kind)]
        known = [value for value in values if value is not None]
        joules[kind] = sum(known) if values and len(known) == len(values) else None
    return {
        kind: reading(status, value, reason, source_of(parts, kind, virtual=virtual))
        if parts_of_kind(parts, kind)
        else missing(Status.UNAVAILABLE, f"no counter of {kind}: the total is of {some(parts)}")
        for kind, value in joules.items()
    }


def reading(status: Status, joules: float | None, reason: str | None, source: str) -> Reading:
    if status is Status.MEASURED and not (joules is not None and joules > 0):
        return missing(Status.UNKNOWN, reason or "its counter did not move", source)
    return Reading(status, joules, reason, source)


@cache
def without_parts(status: str, reason: str) -> Mapping[str, Reading]:
    nothing = missing(Status(status), reason)
    return {TOTAL: nothing, PACKAGES: nothing, MEMORY: nothing}


class Source(Protocol):
    """Joules of runs, from one place."""

    @property
    def name(self) -> str:
        """What --source calls it."""

    @property
    def words(self) -> str:
        """What it is, in words."""

    @property
    def notes(self) -> list[str]:
        """What a reader of its figures should know."""

    def reading(self, run: Run) -> Reading:
        """The energy of a run, or why it is not known."""
