# SPDX-License-Identifier: BSD-3-Clause
"""Follows the jobs of a campaign until none is left: how many wait and run, how far they are."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pollux.core.batch.jobs import Place, Progress
from pollux.core.batch.systems import Listed, NoAnswerError, System
from pollux.core.errors import BadUsageError

SHORTEST, LONGEST = 1.0, 10.0  # seconds between two looks
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
    trouble: str = ""  # why the system cannot be asked
    missing: Counter[tuple[int, str | None]] = field(default_factory=Counter)  # looks without a job
    latest: dict[int, Seen] = field(default_factory=dict)

    def look(self) -> list[Seen]:
        """The parts as they are now; as they were, where the system does not answer."""
        numbers = {place.number: place.job() for place in self.places}
        try:
            jobs, self.trouble = self.system.jobs(), ""
        except NoAnswerError as error:
            jobs, self.trouble = None, f"{self.system.title} does not answer ({error})"
        for place in self.places:
            job = numbers[place.number]
            self.latest[place.number] = self.seen(place, job, jobs)
        return list(self.latest.values())

    def seen(self, place: Place, job: str | None, jobs: dict[str, Listed] | None) -> Seen:
        progress = self.progress_of(place)
        if jobs is None:
            before = self.latest.get(place.number)
            standing = before.standing if before else Standing.QUEUED
            return Seen(standing, progress, job)
        listed = jobs.get(job or "")
        if listed is not None:
            del self.missing[place.number, job]
            standing = Standing.RUNNING if listed.is_running else Standing.QUEUED
            return Seen(standing, progress, job, listed.reason)
        if progress.complete:
            return Seen(Standing.COMPLETE, progress, job)
        # The next job may have been submitted since the number was read, or not be listed yet.
        self.missing[place.number, job] += 1
        is_gone = self.missing[place.number, job] > 1 and place.job() == job
        return Seen(Standing.ENDED if is_gone else Standing.QUEUED, progress, job)

    def progress_of(self, place: Place) -> Progress:
        """What can be read of it at last: a server of files may not answer for a while."""
        try:
            return place.progress()
        except BadUsageError as error:
            if not isinstance(error.__cause__, OSError):
                raise
            self.trouble = error.message
            before = self.latest.get(place.number)
            return before.progress if before else Progress()

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
