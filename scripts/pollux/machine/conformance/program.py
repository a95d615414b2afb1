# SPDX-License-Identifier: BSD-3-Clause
"""Runs one conformance program on some threads and reads its output (conformance/rule.c)."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from pollux.core.advice import makes
from pollux.core.errors import MachineError
from pollux.core.executables.process import (
    HINTS,
    CannotStartError,
    Ended,
    run_process,
    signal_name,
)
from pollux.core.executables.stacks import read_stacks
from pollux.core.paths import ROOT
from pollux.core.text import counted
from pollux.machine.conformance.results import Attempt, Verdict, worst

LISTING = "rules.json"  # next to the programs
# Of one process, at most: 600 on several threads miss what fails 1 time in 200 in 5 % of the runs.
TRIALS = 200
# What names the lacking entry point: the program or the dynamic linker before the test, or
# the dynamic linker where an entry point is called (status 127).
MISSING = (
    re.compile(r" it lacks (.+)"),
    re.compile(r"undefined symbol: ([^\s,]+)"),
    re.compile(r": version \W(\S+)\W not found"),
)
BROKEN_STATUS = 1
LINKER_STATUS = 127
REFUSED_STATUS = 3
REFUSALS = (2, REFUSED_STATUS)  # bad usage: programs of another version
# Words in a line on standard error that states the reason, and what loggers put before them.
REASON = re.compile(r"fatal|error|assert|abort|cannot", re.IGNORECASE)
TAGS = re.compile(r"^(\[[^\]]*\]\s*)+")
LINE_CHARACTERS = 240  # of it, as of the programs' own details
LAST_CHARACTERS = 2000  # of a process's standard error


class Program(BaseModel):
    """A rule of a build, as bin/conformance/rules.json lists it."""

    rule: str
    lacks: str  # features that its compiler lacks; empty: there is a program


PROGRAMS = TypeAdapter(list[Program])


def list_programs(folder: Path) -> list[Program]:
    """The rules of a build, in the order of their report."""
    listing = folder / LISTING
    try:
        return PROGRAMS.validate_json(listing.read_bytes())
    except FileNotFoundError as error:
        raise MachineError(f"there is no {listing}; {makes('it')}") from error
    except (OSError, ValidationError) as error:
        raise MachineError(f"{listing} cannot be read; {makes('it again')}") from error


@dataclass(frozen=True)
class Order:
    """How a program is run."""

    program: Path
    threads: int
    seed: int
    seconds: float  # of trials
    limit: float  # seconds after which it counts as hung
    variables: Mapping[str, str]

    def command(self) -> list[str]:
        words = {"threads": self.threads, "seed": self.seed, "trials": TRIALS}
        options = [text for name, value in words.items() for text in (f"--{name}", str(value))]
        return [str(self.program), *options, "--seconds", f"{self.seconds:g}"]

    def replay(self, seed: int | None) -> str:
        """A shell command that runs one trial again, from the project's folder."""
        variables = [f"{n}={shlex.quote(relative(v))}" for n, v in self.variables.items()]
        start = self.seed if seed is None else seed
        words = [relative(str(self.program)), "--threads", str(self.threads)]
        return " ".join([*variables, shlex.join([*words, "--seed", str(start), "--trials", "1"])])


def relative(text: str) -> str:
    """A path below the project's folder as seen from there; any other text as it is."""
    return text.removeprefix(f"{ROOT}/")


@dataclass
class Printed:
    """What a program printed."""

    process: dict[str, Any] = field(default_factory=dict)  # rule, runtime, compiler
    begun: int | None = None  # seed of a trial that did not end
    trials: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_tried(self) -> bool:
        """Whether a trial began."""
        return self.begun is not None or bool(self.trials)

    @property
    def broken(self) -> dict[str, Any] | None:
        """The trial that broke the rule, if one did: the last."""
        return next((trial for trial in self.trials if trial["verdict"] == Verdict.BROKEN), None)


def run(order: Order) -> tuple[Printed, Attempt]:
    """Run a program once; MachineError where the machine lacks something for that now."""
    try:
        ended = run_process(order.command(), order.variables, order.limit, read_stacks=read_stacks)
    except CannotStartError as error:
        if error.is_shortage:
            raise
        ended = Ended(REFUSED_STATUS, "", f"cannot be started: {error.reason}")
    if ended.unwritten is not None:
        raise MachineError(
            f"{order.program} on {counted(order.threads, 'thread')} could not write its output "
            f"({ended.unwritten}); make room, then try again: what was done until then is kept"
        )
    printed = read(ended.stdout)
    verdict, seed, detail = judge(ended, printed, order)
    kept = verdict is Verdict.KEPT
    attempt = Attempt(
        threads=order.threads,
        trials=len(printed.trials),
        verdict=verdict,
        seed=seed,
        detail=detail,
        replay=None if kept else order.replay(seed),
        stderr="" if kept else ended.stderr[-LAST_CHARACTERS:],
        stacks=ended.stacks,
        seconds=round(ended.seconds, 3),
    )
    return printed, attempt


def read(text: str) -> Printed:
    """The lines of a program; one that a crash cut short is left out."""
    printed = Printed()
    for line in text.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if not isinstance(message, dict):
            continue
        if "rule" in message:
            printed.process = message
        elif "begin" in message:
            printed.begun = message["begin"]
        elif "verdict" in message:
            printed.trials.append(message)
            printed.begun = None
    return printed


def judge(ended: Ended, printed: Printed, order: Order) -> tuple[Verdict, int | None, str]:
    """Verdict, seed and detail of a process; a broken trial may be why it ended badly."""
    ending = judge_ending(ended, printed, order)
    if ending is None:
        return judge_trials(printed.trials)
    verdict, detail = ending
    broken = printed.broken
    if printed.begun is None and broken is not None:
        return verdict, broken["seed"], f"{detail}, after a broken trial: {broken['detail']}"
    return verdict, printed.begun, detail


def judge_ending(ended: Ended, printed: Printed, order: Order) -> tuple[Verdict, str] | None:
    """What is wrong with how a process ended, if anything is."""
    last = reason(ended.stderr)
    if ended.status is None:
        return Verdict.HUNG, f"no end after {order.limit:g} s"
    if ended.status < 0:
        return Verdict.CRASHED, signalled(-ended.status, last)
    missing = [match[1] for pattern in MISSING if (match := pattern.search(ended.stderr))]
    if missing and (ended.status == LINKER_STATUS or not printed.process):
        return Verdict.UNSUPPORTED, f"the runtime lacks {missing[0]}"
    if ended.status in REFUSALS and not printed.is_tried:
        return Verdict.NOT_RUN, last
    if ended.status != (BROKEN_STATUS if printed.broken else 0) or not printed.trials:
        return Verdict.CRASHED, joined(f"exit status {ended.status}", last)
    return None


def judge_trials(trials: list[dict[str, Any]]) -> tuple[Verdict, int | None, str]:
    """The verdict over the trials of a process, with the first that had it."""
    verdict = worst(Verdict(trial["verdict"]) for trial in trials)
    if verdict is Verdict.KEPT:
        return verdict, None, ""
    first = next(trial for trial in trials if trial["verdict"] == verdict)
    return verdict, first["seed"], first["detail"]


def reason(text: str) -> str:
    """The first line that states a reason, else the last one; some are too long for a screen."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    chosen = next((line for line in lines if REASON.search(line)), lines[-1] if lines else "")
    return shorten(TAGS.sub("", chosen), LINE_CHARACTERS, placeholder=" …")


def signalled(number: int, message: str) -> str:
    """The signal, what was said before it, and what it usually means."""
    hint = f" ({HINTS[number]})" if number in HINTS else ""
    return f"{joined(signal_name(number), message)}{hint}"


def joined(what: str, message: str) -> str:
    return f"{what}: {message}" if message else what
