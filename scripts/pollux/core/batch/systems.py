# SPDX-License-Identifier: BSD-3-Clause
"""The batch systems: how each is given a job, and asked which jobs of the user it has.

All that is known of a system is a row of the table: adding one is a row.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.process import CannotStartError, Ended, run_process
from pollux.core.text import cut, one_line

SECONDS_LIMIT = 60.0  # of a command of the system


class NoAnswerError(Exception):
    """The system cannot be asked at the moment; says why in a phrase."""


@dataclass(frozen=True)
class Listed:
    """A job that the system has."""

    is_running: bool
    reason: str = ""  # why it waits, where the system says so


@dataclass(frozen=True)
class System:
    """Commands of a batch system; words in braces are filled in.

    `submit` is followed by the options of the campaign, those that apply of `after` (a job that
    has to end before) and `on_node`, and the job's script. `listing` prints a line for each job
    that waits or runs, which `line` matches; where there is none, some systems fail and say
    `nothing`.

    The words are {name} and {short} of the job, its time as {minutes} and {clock}, the paths {log}
    and {script}, and {quoted}, which is the script's path as a shell takes it.
    """

    title: str
    submit: Sequence[str]
    after: Sequence[str]
    on_node: Sequence[str]
    printed: str  # pattern of what submit prints; group 1 is the job's number
    listing: Sequence[str]
    line: str
    running: Sequence[str]
    cancel: str
    number: str  # variable of the environment of jobs
    node: str | None = None  # another, of the node's name; None: as the machine is called
    script: Sequence[str] = ("{script}",)
    nothing: str | None = None
    ignored: Sequence[str] = ()  # states of jobs that have ended
    node_option: str | None = None  # what an option contains that takes the node after a colon
    in_jobs: Sequence[str] = ()  # words after the first in commands called by jobs
    # Texts that it replaces in the path of a log, and how each is escaped; None: it cannot be.
    replaced: Mapping[str, str | None] = field(default_factory=dict)

    def log_path(self, path: Path) -> str:
        """The path of a log as the system takes it; BadUsageError where it would take another."""
        text = str(path)
        for part, escaped in self.replaced.items():
            if part in text and escaped is None:
                raise BadUsageError(
                    f"{path}: {self.title} takes {part!r} in the path of a log for something "
                    "else; --output names records in another folder"
                )
            text = text.replace(part, escaped or part)
        return text

    def submission(
        self,
        values: Mapping[str, Any],
        options: Sequence[str],
        after: str | None,
        node: str | None,
    ) -> list[str]:
        """The command that submits a job; from within another it is for the same system."""
        chunk = [] if self.node_option is None else [w for w in options if self.node_option in w]
        words = [*self.submit, *([] if after is None else self.after)]
        words += [] if node is None or chunk else self.on_node
        named = {**values, "after": after, "node": node}
        filled = [word.format_map(named) for word in words]
        own = [w + f":host={node}" * (node is not None and w in chunk) for w in options]
        return [*self.within(filled), *own, *(word.format_map(named) for word in self.script)]

    def within(self, command: list[str]) -> list[str]:
        """A command as it is called in a job, where that is another instance of the system."""
        inner = self.in_jobs if self.own_number() else ()
        return [command[0], *inner, *command[1:]]

    def number_of(self, ended: Ended) -> str:
        """The number of a job that was just submitted; NoAnswerError says why there is none.

        MachineError where there is a job, but its number was not printed.
        """
        if ended.status != 0:
            raise NoAnswerError(why(ended))
        found = re.search(self.printed, ended.stdout, re.MULTILINE)
        if found is None:
            said = cut(one_line(ended.stdout.strip()), 200)
            raise MachineError(
                f"{self.title} took a job, but printed {said or 'nothing'} in place of its usual "
                f"answer: look for the job, end it ({self.cancel}), and remove the option or "
                "variable that changes what is printed"
            )
        return plain_number(found[1])

    def jobs(self) -> dict[str, Listed]:
        """The jobs of this user that wait or run, by number; NoAnswerError says why not."""
        user = str(os.getuid())
        ended = call(self.within([word.format(user=user) for word in self.listing]))
        if ended.status != 0:
            if self.nothing is not None and re.search(self.nothing, ended.stdout + ended.stderr):
                return {}
            raise NoAnswerError(why(ended))
        found = (re.match(self.line, text) for text in ended.stdout.splitlines())
        return {
            plain_number(each["number"]): Listed(
                each["state"] in self.running, cut(one_line(each.groupdict().get("reason") or ""))
            )
            for each in found
            if each is not None and each["state"] not in self.ignored
        }

    def own_number(self) -> str | None:
        """The number of the job that this process runs in."""
        number = os.environ.get(self.number)
        return plain_number(number) if number else None

    def own_node(self) -> str:
        return (self.node and os.environ.get(self.node)) or os.uname().nodename


def plain_number(text: str) -> str:
    """A job's number without the server's name, and in ASCII as Flux writes it elsewhere."""
    return text.partition(".")[0].replace("\N{LATIN SMALL LETTER F WITH HOOK}", "f")


def call(command: Sequence[str]) -> Ended:
    """Run a command of a batch system; NoAnswerError where it does not answer.

    Jobs inherit the limits of the command that submits them.
    """
    try:
        ended = run_process(command, {}, SECONDS_LIMIT, file_bytes=None)
    except CannotStartError as error:
        if error.is_shortage:
            raise NoAnswerError(f"{command[0]}: {error.reason}") from error
        raise MachineError(
            f"{command[0]}: {error.reason}; [submit] needs the commands of its batch system here"
        ) from error
    if ended.status is None:
        raise NoAnswerError(f"{command[0]} does not answer")
    return ended


def why(ended: Ended) -> str:
    """Why a command failed: its last line, which may be on standard output."""
    last = ended.last_line or ended.stdout.strip().rpartition("\n")[2]
    return cut(one_line(last), 200) or ended.how


SYSTEMS: dict[str, System] = {
    "slurm": System(
        title="Slurm",
        submit=[
            *"sbatch --nodes=1 --exclusive --requeue --open-mode=append".split(),
            *"--job-name={name} --time={clock} --output={log}".split(),
        ],
        after=["--dependency=afterany:{after}"],
        on_node=["--nodelist={node}"],
        printed=r"Submitted batch job (\d+)",
        listing=["squeue", "--noheader", "--user={user}", "--format=%i|%T|%r"],
        line=r"(?P<number>\d+)\|(?P<state>[A-Z_]+)\|(?:None|(?P<reason>.*))$",
        running=["RUNNING", "COMPLETING", "STOPPED", "SUSPENDED", "CONFIGURING"],
        cancel="scancel",
        number="SLURM_JOB_ID",
        node="SLURMD_NODENAME",
        replaced={"\\": None, "%": "%%"},
    ),
    "pbs": System(
        title="PBS",
        submit=[
            *"qsub -V -r y -j oe -l place=excl".split(),
            *["-N", "{short}", "-l", "walltime={clock}", "-o", "{log}"],
        ],
        after=["-W", "depend=afterany:{after}"],
        on_node=["-l", "select=1:host={node}"],
        printed=r"^(\d+)\S*\s*$",
        listing=["qstat"],
        line=r"(?P<number>\d+)\S*\s+\S+\s+\S+\s+\S+\s+(?P<state>[A-Z])\s",
        running=["R", "E", "S", "U"],
        node_option="select=1",
        ignored=["F", "X", "C"],
        cancel="qdel",
        number="PBS_JOBID",
        replaced={":": None},  # HOST:PATH
    ),
    "lsf": System(
        title="LSF",
        submit=["bsub", "-x", "-r", "-J", "{name}", "-W", "{minutes}", "-o", "{log}"],
        after=["-w", "ended({after})"],
        on_node=["-m", "{node}"],
        printed=r"Job <(\d+)> is submitted",
        listing=["bjobs", "-noheader", "-o", "jobid stat delimiter='|'"],
        line=r"(?P<number>\d+)\|(?P<state>[A-Z]+)",
        running=["RUN", "USUSP", "SSUSP"],
        cancel="bkill",
        number="LSB_JOBID",
        replaced={"%": None},
        script=["bash", "{quoted}"],  # bsub joins its words into a line for a shell
        nothing="No (unfinished )?job found",
    ),
    "flux": System(
        title="Flux",
        submit=[
            *"flux batch --nodes=1 --exclusive".split(),
            *"--job-name={name} --time-limit={minutes}m --output={log}".split(),
        ],
        after=["--dependency=afterany:{after}"],
        on_node=["--requires=host:{node}"],
        printed=r"^((?:f|\N{LATIN SMALL LETTER F WITH HOOK})\w+)\s*$",
        listing=["flux", "jobs", "--no-header", "--format={{id.f58}}|{{state}}"],
        line=r"(?P<number>[^|\s]+)\|(?P<state>[A-Z]+)",
        running=["RUN", "CLEANUP"],
        cancel="flux cancel",
        number="FLUX_ENCLOSING_ID",
        in_jobs=["--parent"],
        replaced={"{{": None},
    ),
}
