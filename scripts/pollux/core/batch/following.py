# SPDX-License-Identifier: BSD-3-Clause
"""Follows the jobs of a campaign until none is left: how many wait and run, how far they are."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from pollux.core.batch.jobs import Place, Progress
from pollux.core.batch.systems import Listed, NoAnswerError, System
from pollux.core.errors import BadUsageError

SHORTEST, LONGEST = 1.0, 10.0  # seconds between two looks
T = TypeVar("T")
PLAIN_SECONDS = 10.0  # between two lines of a log


class Standing(StrEnum):
    """Where a part of a campaign stands."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETE = "complete"
    ENDED = "ended"


@dataclass
class Seen:
    """What was seen of a part."""

    standing: Standing
    progress: Progress
    job: str | None = None
    reason: str = ""  # why it waits


@dataclass
class Follower:
    """Looks at all parts of a campaign."""

    system: System
    places: Sequence[Place]
    trouble: str = ""  # why the system cannot be asked, or a file not be read
    missing: Counter[tuple[int, str | None]] = field(default_factory=Counter)  # looks without a job
    latest: dict[int, Seen] = field(default_factory=dict)

    def look(self) -> list[Seen]:
        """The parts as they are now; as they were, where the system does not answer."""
        self.trouble = ""
        numbers = {place.number: self.job_of(place) for place in self.places}
        try:
            jobs = self.system.jobs()
        except NoAnswerError as error:
            jobs, self.trouble = None, f"{self.system.title} does not answer ({error})"
        for place in self.places:
            self.latest[place.number] = self.seen(place, numbers[place.number], jobs)
        return list(self.latest.values())

    def seen(self, place: Place, number: str | None, jobs: dict[str, Listed] | None) -> Seen:
        progress = self.readable(place.progress)
        before = self.latest.get(place.number, Seen(Standing.QUEUED, Progress()))
        if progress is None or number is None or jobs is None:
            job = before.job if number is None else number or None
            return replace(before, progress=progress or before.progress, job=job)
        job = number or None
        listed = jobs.get(number)
        if listed is not None:
            del self.missing[place.number, job]
            standing = Standing.RUNNING if listed.is_running else Standing.QUEUED
            return Seen(standing, progress, job, listed.reason)
        if progress.complete:
            return Seen(Standing.COMPLETE, progress, job)
        # The next job may have been submitted since the number was read, or not be listed yet.
        self.missing[place.number, job] += 1
        is_gone = self.missing[place.number, job] > 1 and self.job_of(place) == number
        return Seen(Standing.ENDED if is_gone else Standing.QUEUED, progress, job)

    def job_of(self, place: Place) -> str | None:
        """The number of the latest job, "" if there is none; None while that cannot be read."""
        return self.readable(lambda: place.job() or "")

    def readable(self, read: Callable[[], T]) -> T | None:
        """What a file says; None while its server does not answer."""
        try:
            return read()
        except BadUsageError as error:
            if not isinstance(error.__cause__, OSError):
                raise
            self.trouble = self.trouble or error.message
            return None

    def line(self) -> str:
        """How far all of them have got."""
        seen = list(self.latest.values())
        counts = Counter(each.standing for each in seen)
        waits = next((each.reason for each in seen if each.standing is Standing.QUEUED), "")
        jobs = [
            f"{counts[standing]} {standing}"
            + (f" ({waits})" if waits and standing == "queued" else "")
            for standing in Standing
            if counts[standing]
        ]
        return "; ".join(
            [", ".join(jobs), *how_far([e.progress for e in seen]), *filter(None, [self.trouble])]
        )


def how_far(parts: Sequence[Progress]) -> list[str]:
    """Runs, and comparisons where these are decided."""
    comparisons = sum(part.comparisons for part in parts)
    decided = sum(part.decided for part in parts)
    if comparisons:
        return [f"{decided} of {comparisons} decided, {comparisons - decided} open"]
    total = sum(part.total for part in parts)
    return [f"{sum(part.done for part in parts)} of {total} runs"] if total else []


def follow(follower: Follower, show: Callable[[str], None]) -> list[Seen]:
    """Look again and again until no job is left; the parts as they are then."""
    pause = SHORTEST
    while True:
        seen = follower.look()
        show(follower.line())
        if all(each.standing in (Standing.COMPLETE, Standing.ENDED) for each in seen):
            return seen
        time.sleep(pause)
        pause = min(LONGEST, 1.5 * pause)


def at_intervals(say: Callable[[str], None]) -> Callable[[str], None]:
    """Lines for a log: what is new, at most every few seconds, but changes of jobs at once."""
    latest, said = 0.0, ""

    def show(line: str) -> None:
        nonlocal latest, said
        changed = line.partition(";")[0] != said.partition(";")[0]
        if line != said and (changed or time.monotonic() - latest >= PLAIN_SECONDS):
            latest, said = time.monotonic(), line
            say(line)

    return show
