# SPDX-License-Identifier: BSD-3-Clause
"""Takes samples: runs configurations in fresh processes and reports how these ended."""

import random
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from pydantic_core import from_json

from pollux.core.advice import SAME_COMMAND
from pollux.core.campaign.lines import Configuration, Outcome, SampleLine
from pollux.core.errors import MachineError
from pollux.core.executables.arguments import arguments
from pollux.core.executables.loaded import change_of
from pollux.core.executables.process import (
    CannotStartError,
    Ended,
    dying_with_this,
    run_process,
)
from pollux.core.executables.stacks import read_stacks
from pollux.core.executables.turns import Arrival, Entrant, run_in_turns
from pollux.core.executables.variables import as_restarted
from pollux.core.interruption import comes_within
from pollux.core.records import RECORD, failed_check
from pollux.core.text import cut_line, first_lines

FROM_OUTSIDE = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
SIGNAL_SECONDS = 0.2  # within which a signal for all of a job reaches all of its processes
DETAIL_LINES = 20  # of standard error that are kept of a process that went wrong
FAILED = 1  # exit status of the executables: a check failed
REFUSALS = (2, 3)  # exit statuses of the executables: bad usage, the machine cannot do it


@dataclass(frozen=True)
class Taken:
    """The result of one process."""

    outcome: Outcome
    problem: str | None
    detail: str | None
    warnings: list[str]
    seconds: float
    records: list[dict[str, Any]]
    is_changed: bool = False  # a file that it loads was replaced
    is_cut: bool = False  # it was ended as the campaign's time was over: no result
    in_turns: bool = False
    ready_seconds: float | None = None  # in turns: until its first repetition was ready

    @property
    def settings(self) -> dict[str, str]:
        """The variables that the process set for itself, or would have set."""
        return self.records[0]["runtime"]["env_set"] if self.records else {}


@dataclass(frozen=True)
class Order:
    """A sample to take."""

    configuration: Configuration
    seed: int  # of its first repetition
    repetitions: int
    seconds_limit: float
    settings: Mapping[str, str] = field(
        default_factory=dict
    )  # that earlier processes of it made for themselves
    seconds_allowed: float = inf  # to the end of the campaign's time, for all in turns with it

    def command(self) -> list[str]:
        chosen = arguments(seed=self.seed, repeat=self.repetitions)
        c = self.configuration
        return [*dying_with_this(c.launcher), c.executable, *c.arguments, *chosen]

    def variables(self) -> dict[str, str]:
        return as_restarted(self.settings, self.configuration.variables)


@dataclass(frozen=True)
class Place:
    """A sample's place in the campaign."""

    configuration: str  # hash
    round: int
    attempt: int
    block: int
    rota: int | None = None  # of the samples that were taken in turns with this one


def to_line(taken: Taken, place: Place, start_unix_ns: int, overhead_seconds: float) -> SampleLine:
    """The line that records a sample."""
    return SampleLine(
        configuration=place.configuration,
        round=place.round,
        attempt=place.attempt,
        block=place.block,
        rota=place.rota if taken.in_turns else None,
        outcome=taken.outcome,
        problem=taken.problem,
        detail=taken.detail,
        warnings=taken.warnings,
        start_unix_ns=start_unix_ns,
        ready_seconds=taken.ready_seconds,
        process_seconds=taken.seconds,
        overhead_seconds=overhead_seconds,
        records=taken.records,
    )


def take_sample(order: Order) -> Taken:
    """Run one process. Whatever goes wrong with it is part of the result.

    MachineError: the machine could not run it or take its output, which says nothing about it.
    """
    configuration = order.configuration
    if (change := change_of(configuration.files)) is not None:
        return changed(change, 0.0)
    is_short = order.seconds_allowed < order.seconds_limit
    limit = min(order.seconds_allowed, order.seconds_limit)
    reader = None if is_short else read_stacks
    try:
        ended = run_process(order.command(), order.variables(), limit, read_stacks=reader)
    except CannotStartError as error:
        return not_started(configuration, error)
    return judged(order, ended, is_cut=is_short and ended.status is None)


def take_rota(orders: Sequence[Order], rng: random.Random) -> list[Taken]:
    """Run the processes of several samples, with equally many repetitions, in turns.

    MachineError: the machine could not run one or take its output.
    """
    changes = [change_of(order.configuration.files) for order in orders]
    ready = [order for order, change in zip(orders, changes, strict=True) if change is None]
    entrants = [Entrant(o.command(), o.variables(), o.seconds_limit, read_stacks) for o in ready]
    try:
        repetitions = max(o.repetitions for o in orders)
        arrivals = run_in_turns(entrants, repetitions, rng, orders[0].seconds_allowed)
    except CannotStartError as error:
        raise no_result(orders[0].configuration, f"could not be started ({error.reason})") from None
    taken = map(arrived, ready, arrivals)
    return [next(taken) if change is None else changed(change, 0.0) for change in changes]


def arrived(order: Order, arrival: Arrival | CannotStartError) -> Taken:
    if isinstance(arrival, CannotStartError):
        return not_started(order.configuration, arrival)
    taken = judged(order, arrival.ended, is_cut=arrival.is_cut)
    in_turns = arrival.turns > 0
    return replace(taken, in_turns=in_turns, ready_seconds=arrival.ready_seconds or None)


def not_started(configuration: Configuration, error: CannotStartError) -> Taken:
    if error.is_shortage:
        raise no_result(configuration, f"could not be started ({error.reason})") from error
    return Taken(Outcome.REFUSED, f"cannot be started: {error.reason}", None, [], 0.0, [])


def judged(order: Order, ended: Ended, *, is_cut: bool) -> Taken:
    """What a process that has ended shows; `is_cut`: as the campaign's time was over.

    KeyboardInterrupt where the signal that ended it is to end this process too: as where a batch
    system or a control group ends all of a job.
    """
    configuration = order.configuration
    if is_ended_from_outside(ended) and comes_within(SIGNAL_SECONDS):
        raise KeyboardInterrupt
    if ended.unwritten is not None:
        raise no_result(configuration, f"could not write its output ({ended.unwritten})")
    if (change := change_of(configuration.files)) is not None:
        return changed(change, ended.seconds)
    printed = read_records(ended.stdout)
    outcome, problem = judge(ended, printed, configuration, order.repetitions)
    if is_cut and outcome is Outcome.HANG:
        return cut_short(order, ended)
    lines = list(map(cut_line, ended.stderr.strip().splitlines()))
    detail = None
    if outcome is not Outcome.OK:
        detail = "\n".join([*lines[-DETAIL_LINES:], *filter(None, [ended.stacks])]) or None
    warnings = list(dict.fromkeys(line for line in lines if "warning: " in line))
    return Taken(outcome, problem, detail, first_lines(warnings), ended.seconds, printed.records)


def is_ended_from_outside(ended: Ended) -> bool:
    """Whether a signal that others send ended it, or so a launcher says of it."""
    status = ended.status or 0
    return (-status if status < 0 else status - 128) in FROM_OUTSIDE


def changed(change: str, seconds: float) -> Taken:
    """A run whose files were replaced before or during it: what it printed is not of this build."""
    return Taken(Outcome.REFUSED, change, None, [], seconds, [], is_changed=True)


def cut_short(order: Order, ended: Ended) -> Taken:
    """A run that was given less than its time limit: whether it hangs is not known."""
    problem = (
        f"ended after {ended.seconds:.1f} s, since the budget is over (its time limit is "
        f"{order.seconds_limit:.0f} s); it is not recorded"
    )
    return Taken(Outcome.HANG, problem, None, [], ended.seconds, [], is_cut=True)


def no_result(configuration: Configuration, problem: str) -> MachineError:
    """The error that stops a campaign instead of a sample that is the machine's fault."""
    return MachineError(
        f"{configuration.label()} on {configuration.runtime} {problem}; this run is not recorded: "
        f"make room, then {SAME_COMMAND} resumes and repeats it"
    )


@dataclass(frozen=True)
class Printed:
    """What a process printed."""

    records: list[dict[str, Any]]
    unread: str | None  # the first line that is not a record; nothing is read after it


def read_records(stdout: str) -> Printed:
    records: list[dict[str, Any]] = []
    for line in filter(str.strip, stdout.splitlines()):
        try:
            record = from_json(line)
            RECORD.validate_python(record)
        except ValueError:
            return Printed(records, line)
        records.append(record)
    return Printed(records, None)


def judge(
    ended: Ended, printed: Printed, configuration: Configuration, repetitions: int
) -> tuple[Outcome, str | None]:
    """The outcome of a process, with its problem in a line."""
    failed = [record for record in printed.records if not record["passed"]]
    ending = judge_ending(ended)
    if failed:  # whatever came after it
        then = f", then {ending[1]}" if ending and ended.status != FAILED else ""
        return Outcome.FAILED_CHECK, failed_check(failed[0]) + then
    return ending or judge_records(printed, configuration, repetitions)


def judge_ending(ended: Ended) -> tuple[Outcome, str] | None:
    """What is wrong with how a process ended."""
    status = ended.status
    if status is None:
        return Outcome.HANG, f"killed: not finished after {ended.seconds:.1f} s"
    if status == 0:
        return None
    outcome = Outcome.REFUSED if status in REFUSALS else Outcome.CRASH
    return outcome, ended.how_and_why


def judge_records(
    printed: Printed, configuration: Configuration, repetitions: int
) -> tuple[Outcome, str | None]:
    """Whether a process that ended normally printed what was requested."""
    problem = None
    if printed.unread is not None:
        problem = f"printed a line that is not a record: {printed.unread[:80]!r}"
    elif len(printed.records) != repetitions:
        problem = f"{len(printed.records)} records instead of {repetitions}"
    elif not all(is_asked_for(record, configuration) for record in printed.records):
        problem = "its records are not of the requested run"
    return (Outcome.NO_RECORD, problem) if problem else (Outcome.OK, None)


def is_asked_for(record: dict[str, Any], c: Configuration) -> bool:
    """Whether a record is of the requested run; what is not known of it has a reason."""
    own = record["parameters"]
    headline, value = next(iter(record["quantities"].items()))
    return (
        (record["benchmark"], record["variant"]) == (c.benchmark, c.variant)
        and record["kernels"] == c.kernels
        and has_size(record, c)
        and grid_of(record) == c.settings.get("grid", grid_of(record))
        and record["threads"] == (c.threads or record["threads"])
        and all(own.get(name, asked) == asked for name, asked in c.parameters.items())
        and (value["value"] is not None or headline in record["unknown"])
    )


def grid_of(record: dict[str, Any]) -> str | None:
    """The grid of ranks of a record; None: one process, which has none."""
    grid: str | None = record.get("mpi", {}).get("grid")
    return grid


def has_size(record: dict[str, Any], c: Configuration) -> bool:
    """Whether it has the requested size; without a matrix, that or more: some patterns need it."""
    if c.size_name is None:
        return record["size"] is None
    if record["size"] is None or record["size"]["name"] != c.size_name:
        return False
    if record["n"] is None:
        return bool(record["size"]["value"] >= c.size)
    return bool((record["m"], record["n"]) == (c.rows or c.size, c.size))
