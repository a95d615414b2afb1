# SPDX-License-Identifier: BSD-3-Clause
"""`pollux run` with a batch system: submits a campaign's jobs and follows them, and runs in one."""

import os
import shlex
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

import typer
from rich.console import Console

from pollux.core.batch import jobs
from pollux.core.batch.following import Follower, Seen, Standing, at_intervals, follow
from pollux.core.batch.jobs import Part, Place, Progress
from pollux.core.batch.systems import SYSTEMS, NoAnswerError, System
from pollux.core.campaign.engine import State
from pollux.core.campaign.lines import BlockEnd, Configuration, ConfigurationLine, PartOf
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.older import put_aside
from pollux.core.campaign.parts import last_part, records_of
from pollux.core.campaign.progress import Plain
from pollux.core.campaign.reading import read_lines
from pollux.core.campaign.sampling import Taken
from pollux.core.campaign.sections import Submit
from pollux.core.console import say, say_all, stage_line
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.core.executables.loaded import digests_of
from pollux.core.hashing import short_hash
from pollux.core.interruption import limited
from pollux.core.text import counted

NOTE_SECONDS = 2.0  # between two notes of a job's progress
LEAST_MARGIN, MOST_MARGIN = 10.0, 120.0  # seconds
CELLS = ("grid", "include", "exclude", "by")  # keys of a campaign that say which there are
# What says of a part which runs it has.
MEASURED = {"campaign", "number", "of", "deals", "records", "cells", "settings"}
CONFIGURATION = b'"builds"'  # in every line on a configuration
ONCE = ("--fresh", "--attach")  # options that are not for the jobs


def is_inside(submit: Submit) -> bool:
    """Whether this is a job of the system already, so that nothing is to be submitted."""
    return SYSTEMS[submit.system].own_number() is not None


def describe(submit: Submit) -> str:
    """What would be submitted, in a sentence."""
    options = f" with {shlex.join(submit.options)}" if submit.options else ""
    jobs = f"{counted(submit.jobs, 'job')} of {SYSTEMS[submit.system].title}{options}"
    if submit.jobs == 1:
        return f"{jobs}, followed by others as needed"
    what = "each with all cells" if submit.cells == "all" else "to which the cells are dealt"
    return f"{jobs}, each followed by others, {what}"


def submit_and_follow(
    console: Console, campaign: Campaign, records: Path, *, fresh: bool, attach: bool
) -> tuple[list[Path], int]:
    """Submit the jobs that are missing, and follow all to their end.

    The files of records, and the worst status of a part; MachineError where one is not complete.
    """
    submit = campaign.submit
    assert submit is not None
    folder = jobs.folder_of(records)
    system = SYSTEMS[submit.system]
    try:
        if not attach:
            submit_missing(console, campaign, records, fresh=fresh)
        places = jobs.places(folder)
        if not places:
            raise BadUsageError(f"{folder} has no jobs; pollux run without --attach submits them")
        with shown(console) as show:
            seen = follow(Follower(system, places), show)
    except KeyboardInterrupt as error:
        raise InterruptedByUserError(goes_on(system, jobs.places(folder))) from error
    problems = [
        line for place, each in zip(places, seen, strict=True) for line in problem(place, each)
    ]
    if problems:
        resume = "run the same command again without --attach to resume"
        raise MachineError("\n".join([*problems, resume]))
    status = max(each.progress.status or 0 for each in seen)
    return [Path(place.part().records) for place in places], status


def shown(console: Console) -> "nullcontext[Callable[[str], None]]":
    """Where the line of progress goes: it is rewritten on a terminal."""
    if console.is_terminal:
        return stage_line(console)  # type: ignore[return-value]
    return nullcontext(at_intervals(lambda line: say(console, line)))


def goes_on(system: System, places: Sequence[Place]) -> str:
    """How to come back to jobs, and how to end them."""
    command = [word for word in sys.argv[1:] if word not in ONCE]
    numbers = " ".join(filter(None, (place.job() for place in places)))
    if not numbers:
        return f"no job was submitted; pollux {shlex.join(command)} does"
    return (
        f"the jobs go on: pollux {shlex.join(command)} --attach shows them again, "
        f"{system.cancel} {numbers} ends them"
    )


def problem(place: Place, seen: Seen) -> list[str]:
    if seen.standing is Standing.COMPLETE:
        return []
    if seen.job is None:
        return [f"part {place.number} has no job: it was not submitted"]
    why = seen.progress.problem or "it was cancelled, or its system ended it; see its log"
    return [f"job {seen.job} ended before its part was complete: {why} ({place.path('log')})"]


def submit_missing(console: Console, campaign: Campaign, records: Path, *, fresh: bool) -> None:
    """Submit a job for each part that has none in the system."""
    submit = campaign.submit
    assert submit is not None
    system = SYSTEMS[submit.system]
    folder = jobs.folder_of(records)
    system.log_path(folder)
    known = jobs.places(folder)
    try:
        listed = system.jobs()
    except NoAnswerError as error:
        raise MachineError(f"{system.title} does not answer ({error})") from error
    active = {place.number: job for place in known if (job := place.job()) and job in listed}
    files = [records_of(records, n, submit.jobs) for n in range(1, submit.jobs + 1)]
    if fresh:
        refuse_active(active, system)
        start_over(folder, [*files, *(Path(place.part().records) for place in known)])
        known = []
    latest = [last_part(file) for file in files]
    before: list[Part | PartOf] = [*(place.part() for place in known), *filter(None, latest)]
    if before and before[0].of != submit.jobs:
        raise BadUsageError(
            f"{folder}: `jobs` of this campaign was {before[0].of} and is now {submit.jobs}; "
            "--fresh starts over, --output names another file"
        )
    parts = make_parts(campaign, files, before[0].campaign if before else uuid.uuid4().hex[:12])
    refuse_other_cells(folder, parts[0], before)
    make_folder(folder)
    for part, last in zip(parts, latest, strict=True):
        place = Place(folder, part.number)
        if part.number in active:
            say(console, f"job {active[part.number]} has part {part.number} already")
            continue
        if place in known and is_complete(place, part):
            since = ", but an executable was rebuilt since" * was_rebuilt(Path(part.records))
            say(console, f"part {part.number} is complete{since}; --fresh starts over")
            continue
        prepare(place, part, submit, node=None if last is None else last.node)
        say(console, f"job {place.submit()} of {system.title}: {place.path('log')}")


def refuse_other_cells(folder: Path, part: Part, before: Sequence[Part | PartOf]) -> None:
    """Dealt anew, cells would be measured again, by other parts than those that have them."""
    if part.of == 1 or not before or before[0].cells is None:
        return
    if (before[0].deals, before[0].cells) != (part.deals, part.cells):
        raise BadUsageError(
            f"{folder}: other cells were given to the jobs of this campaign; --fresh starts over, "
            "--output names another file"
        )


def is_complete(place: Place, part: Part) -> bool:
    """Whether the part has been measured, by these settings, however its jobs were submitted."""
    if not (Path(part.records).exists() and place.progress().complete):
        return False
    return place.part().model_dump(include=MEASURED) == part.model_dump(include=MEASURED)


def was_rebuilt(records: Path) -> bool:
    """Whether an executable that was measured is another one now."""
    lines = (line for _, line in read_lines(records, CONFIGURATION))
    measured = (line.configuration for line in lines if isinstance(line, ConfigurationLine))
    files = {c.executable: c.builds.get("executable") for c in measured}
    return any(files[path] not in (None, now) for path, now in digests_of(map(Path, files)).items())


def refuse_active(active: dict[int, str], system: System) -> None:
    if active:
        numbers = " ".join(active.values())
        raise BadUsageError(
            f"jobs of this campaign are not over; {system.cancel} {numbers} ends them"
        )


def start_over(folder: Path, files: Iterable[Path]) -> None:
    """Keep files of records under other names, whether a job wrote them or not."""
    for file in files:
        put_aside(file)
    shutil.rmtree(folder, ignore_errors=True)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise BadUsageError(f"cannot make {folder} ({error.strerror})") from error


def make_parts(campaign: Campaign, files: Sequence[Path], own: str) -> list[Part]:
    """The parts of a submission, which has a name of its own."""
    submit = campaign.submit
    assert submit is not None
    margin = submit.margin
    if margin is None:
        margin = min(MOST_MARGIN, max(LEAST_MARGIN, submit.time / 10))
    return [
        Part(
            campaign=own,
            number=number,
            of=submit.jobs,
            deals=submit.cells == "dealt",
            records=str(file),
            system=submit.system,
            name=f"pollux-{campaign.name}-{number}",
            seconds=submit.time,
            margin=margin,
            options=submit.options,
            cells=short_hash(campaign.model_dump_json(include=set(CELLS))),
            settings=short_hash(campaign.model_dump_json(exclude={"submit"})),
        )
        for number, file in enumerate(files, 1)
    ]


def prepare(place: Place, part: Part, submit: Submit, node: str | None) -> None:
    """Write what a job reads. A progress that ended is over; the node of its records stays."""
    jobs.write(place.path("job.json"), part.model_dump_json(by_alias=True))
    place.note(Progress(node=node))
    place.path("submitted").unlink(missing_ok=True)
    words = [word for word in sys.argv[1:] if word not in ONCE]
    jobs.write_script(place, [str(Path(sys.argv[0]).absolute()), *words], submit.setup)


class Noted(Plain):
    """Progress in the job's log, and in a file for the command that follows the jobs."""

    def __init__(self, console: Console, place: Place, progress: Progress) -> None:
        super().__init__(console)
        self.place = place
        self.progress = progress
        self.count = 0  # runs of this job
        self.noted = 0.0

    def running(self, configuration: Configuration, state: State) -> None:
        self.note(state)

    def taken(self, configuration: Configuration, taken: Taken) -> None:
        super().taken(configuration, taken)
        self.count += 1

    def block_ended(self, end: BlockEnd, state: State) -> None:
        super().block_ended(end, state)
        self.note(state, at_once=True)

    def note(self, state: State, *, at_once: bool = False) -> None:
        if not at_once and time.monotonic() - self.noted < NOTE_SECONDS:
            return
        self.noted = time.monotonic()
        counts = ("done", "total", "decided", "comparisons")
        self.update(**{name: getattr(state, name) for name in counts})

    def update(self, **values: object) -> None:
        """Note it; a disk that is full stops the campaign at its records, not here."""
        self.progress = self.progress.model_copy(update=values)
        with suppress(MachineError):
            self.place.note(self.progress)


def run_in_job(console: Console, file: Path, measure: Callable[[Part, str, Noted], int]) -> int:
    """Measure a part until it is complete, or the job's time is over: then the next one goes on."""
    place = Place(file.absolute().parent, number_in(file))
    part, progress = place.part(), place.progress()
    system = SYSTEMS[part.system]
    number, node = system.own_number(), system.own_node()
    if other := successor(place, system, number):
        say(console, f"job {other} measures this part: there is nothing left to do here")
        return 0
    if progress.node not in (None, node) and Path(part.records).exists():
        say(console, f"the runs of this part are on {progress.node}, and this is {node}")
        place.submit(after=number, tries=jobs.TRIES)
        return 0
    noted = Noted(console, place, progress)
    noted.update(node=node, status=None, complete=False, problem=None)
    with limited(part.seconds - part.margin - elapsed()) as limit:
        try:
            status = measure(part, node, noted)
        except (KeyboardInterrupt, InterruptedByUserError):
            if not limit.reached:
                noted.update(problem="it was cancelled")
                raise
        except typer.TyperException as error:
            noted.update(status=error.exit_code, problem=str(error))
            raise
        except Exception as error:
            noted.update(problem=f"{type(error).__name__}: {error}")
            raise
        else:
            noted.update(status=status, complete=True)
            return status
    if not noted.count:
        noted.update(problem="no run has ended within a job's time; raise `time` of [submit]")
        raise MachineError(noted.progress.problem or "")
    try:
        following = place.submit(after=number, tries=jobs.TRIES)
    except MachineError as error:
        noted.update(problem=str(error))
        raise
    say_all(console, [f"the time of this job is over; job {following} goes on"])
    return 0


def number_in(file: Path) -> int:
    """The part's number, in the file's name."""
    number = file.name.removesuffix(".job.json")
    if not number.isdecimal():
        raise BadUsageError(f"--job {file}: not a file that pollux run writes for its jobs")
    return int(number)


def successor(place: Place, system: System, number: str | None) -> str | None:
    """Another job that the part was submitted as since, if the system has it."""
    other = place.job()
    if other in (None, number):
        return None
    try:
        return other if other in system.jobs() else None
    except NoAnswerError:
        return None


def elapsed() -> float:
    """How long the job has been running."""
    began = os.environ.get(jobs.BEGAN, "")
    return max(0.0, time.time() - int(began)) if began.isdecimal() else 0.0
