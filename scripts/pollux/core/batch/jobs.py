# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of a campaign on disk: what each is to do, its number, and how far it has got.

They are in a folder beside the records. Each job has a file of records of its own: what it
measures is compared within it, on one node. A job that has to stop submits the next one, which
goes on from its records.
"""

import shlex
import sys
import time
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import Field, ValidationError

from pollux.core.batch.systems import SYSTEMS, NoAnswerError, call
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.models import Strict
from pollux.core.validation import first_problem
from pollux.core.writing import replace_file

SCHEMA: Final = "pollux-job/1"
TRIES = 120  # to submit a job that goes on, while the system's controller may be down
PAUSE = 5.0  # seconds between them
FIRST_TRIES = 3  # where a user waits
# A function of bash that is called with the status of a line of the setup, and the line.
CHECK = (
    """pollux_check() { [ "$1" = 0 ] || { echo "pollux: this line of [submit] setup failed, """
    """with status $1: $2" >&2; exit 3; }; }"""
)
BEGAN = "POLLUX_JOB_BEGAN"  # of the environment: when the job began, in seconds of Unix time

T = TypeVar("T", bound=Strict)


class Part(Strict):
    """What the jobs that follow each other are to do: all of a campaign's cells, or a part."""

    schema_name: Literal["pollux-job/1"] = Field(default=SCHEMA, alias="schema")
    campaign: str  # the submission's own name, which no other has
    number: int  # from 1
    of: int
    deals: bool  # the cells are dealt to the jobs; else each has all of them
    records: str
    system: str
    name: str
    seconds: float  # of a job
    margin: float  # seconds before the end of that in which nothing is measured
    options: list[str]
    cells: str  # a hash of what says which cells the campaign has
    settings: str  # of the whole campaign


class Progress(Strict):
    """How far a part has got, by its latest job."""

    schema_name: Literal["pollux-job/1"] = Field(default=SCHEMA, alias="schema")
    node: str | None = None  # where all its runs are
    done: int = 0  # runs
    total: int = 0
    decided: int = 0  # comparisons
    comparisons: int = 0
    status: int | None = None  # of the job that ended for good
    complete: bool = False
    problem: str | None = None  # why it ended


@dataclass(frozen=True)
class Place:
    """The files of a part; their names begin with its number."""

    folder: Path
    number: int

    def path(self, suffix: str) -> Path:
        return self.folder / f"{self.number}.{suffix}"

    def part(self) -> Part:
        return read(self.path("job.json"), Part)

    def progress(self) -> Progress:
        try:
            return read(self.path("progress.json"), Progress)
        except BadUsageError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return Progress()
            raise

    def job(self) -> str | None:
        """The number of the job that was submitted last."""
        try:
            return self.path("submitted").read_text().strip() or None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unreadable(self.path("submitted"), error) from error

    def note(self, progress: Progress) -> None:
        write(self.path("progress.json"), progress.model_dump_json(by_alias=True))

    def submit(self, *, after: str | None = None, tries: int = FIRST_TRIES) -> str:
        """Submit a job; its number. MachineError where the system takes none after so many tries.

        It is noted before anything else is done, so that no other is submitted in its place.
        """
        part, node = self.part(), self.progress().node
        system = SYSTEMS[part.system]
        command = system.submission(self.values(part), part.options, after, node)
        for left in reversed(range(tries)):
            try:
                number = system.number_of(call(command))
                write(self.path("submitted"), number)
                return number
            except NoAnswerError as error:
                if not left:
                    raise MachineError(
                        f"{system.title} takes no job ({error}); all samples are safe: run the "
                        f"same command again to resume. It said this to: {shlex.join(command)}"
                    ) from error
            time.sleep(PAUSE)
        raise AssertionError

    def values(self, part: Part) -> dict[str, str]:
        """What stands for the words in braces in a system's commands."""
        seconds = ceil(part.seconds)
        return {
            "name": part.name,
            "short": part.name[:15],
            "minutes": str(ceil(seconds / 60)),
            "clock": f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}",
            "log": SYSTEMS[part.system].log_path(self.path("log")),
            "script": str(self.path("sh")),
            "quoted": shlex.quote(str(self.path("sh"))),
        }


def read(path: Path, model: type[T]) -> T:
    """A file of jobs; BadUsageError if it is not one."""
    try:
        return model.model_validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise unreadable(path, error) from error
    except ValidationError as error:
        raise BadUsageError(f"{path} is not a file of a job: {first_problem(error)}") from error


def unreadable(path: Path, error: OSError) -> BadUsageError:
    return BadUsageError(f"cannot read {path} ({error.strerror})")


def write(path: Path, text: str) -> None:
    """Write a file of jobs, with names of files as the system has them."""
    try:
        replace_file(path, f"{text}\n".encode(errors="surrogateescape"))
    except OSError as error:
        raise MachineError(f"cannot write {path} ({error.strerror})") from error


def folder_of(records: Path) -> Path:
    """Where the jobs of a campaign with these records are."""
    return records.with_suffix(".jobs")


def places(folder: Path) -> list[Place]:
    """Those of all parts of a campaign that was submitted; none if it was not."""
    found = (path.name.partition(".")[0] for path in folder.glob("*.job.json"))
    return [Place(folder, number) for number in sorted(int(n) for n in found if n.isdecimal())]


def write_script(place: Place, arguments: list[str], setup: list[str]) -> None:
    """The script of a part's jobs: the same command as the user's, from the same folder.

    A line of the setup is a command of its own; one that fails ends the job, with status 3.
    """
    command = shlex.join([sys.executable, *arguments, "--job", str(place.path("job.json"))])
    lines = [
        "#!/usr/bin/env bash",
        f"# Job {place.number} of a campaign, written by pollux run.",
        f"cd {shlex.quote(str(Path.cwd()))} || exit 3",
        f"{BEGAN}=$(date +%s)",
        f"export {BEGAN}",
        CHECK,
        *(f"eval {quoted}\npollux_check $? {quoted}" for quoted in map(shlex.quote, setup)),
        f"exec {command}",
    ]
    write(place.path("sh"), "\n".join(lines))
    place.path("sh").chmod(0o755)
