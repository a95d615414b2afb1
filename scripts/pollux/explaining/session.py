# SPDX-License-Identifier: BSD-3-Clause
"""Takes the traces of an explanation: rounds of runs next to each other, each kept at once.

In each round, every side runs with its threads, then with one: what a kernel takes alone is
measured next to the run that it is compared with, since the speed of machines drifts. The order of
the sides turns from round to round.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console

from pollux.campaign.machine_load import Shares, read_usage, shares
from pollux.errors import BadUsageError, InterruptedByUserError
from pollux.explaining.graphs import keep_graphs
from pollux.graphs.model import Instance
from pollux.interruption import interruptible
from pollux.paths import RESULTS
from pollux.runtimes.found import target_named
from pollux.tables import put
from pollux.traces.file import write_trace
from pollux.traces.obtain import take_trace
from pollux.writing import refusal

FOREIGN_MARGIN = 0.10  # more processor time than that used by others is worth a word


@dataclass(frozen=True)
class Run:
    """One side that is to be measured."""

    instance: Instance
    target: str  # a build, or a combination such as gcc+libomp19

    @property
    def name(self) -> str:
        i = self.instance
        return f"{i.benchmark}-{i.variant}-{i.tile}-{self.target}"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    runs: Sequence[Run]
    threads: int
    rounds: int
    seed: int
    ompt: bool
    build_root: Path


def measure(plan: Plan, output: Path | None, console: Console) -> Path:
    """Take graphs and traces; the folder that holds them."""
    for run in plan.runs:
        target_named(run.target, plan.build_root)  # told before anything is written
    folder = make_folder(output, plan.runs)
    with interruptible(), removed_if_empty(folder):
        keep_graphs((run.instance for run in plan.runs), folder, plan.build_root)
        before = read_usage()
        take(plan, folder, console)
        seen = shares(before, read_usage())
    say(console, f"traces: {folder}")
    if seen is not None and max(seen.foreign, seen.steal) > FOREIGN_MARGIN:
        say(console, disturbed(seen), "yellow")
    return folder


def take(plan: Plan, folder: Path, console: Console) -> None:
    """A file for each side; an interruption leaves what was measured until then."""
    files = [folder / f"{k}-{run.name}.jsonl" for k, run in enumerate(plan.runs, 1)]
    done = 0
    try:
        for done in range(plan.rounds):
            order = range(len(plan.runs))
            for side in [*order[done % len(order) :], *order[: done % len(order)]]:
                say(console, f"round {done + 1} of {plan.rounds}: {plan.runs[side].name}")
                take_round(plan, plan.runs[side], files[side])
    except KeyboardInterrupt as error:
        raise InterruptedByUserError(
            f"interrupted in round {done + 1}; what was measured explains: pollux explain {folder}"
        ) from error


def take_round(plan: Plan, run: Run, file: Path) -> None:
    """One run, and one with a single thread unless that was one."""
    for threads in (plan.threads, 1):
        trace = take_trace(
            run.instance,
            threads,
            run.target,
            seed=plan.seed,
            ompt=plan.ompt and threads == plan.threads,
            build_root=plan.build_root,
        )
        append(file, write_trace(trace))
        if trace.threads == 1:  # asked for, or as seq always has
            return


def append(path: Path, content: bytes) -> None:
    try:
        with path.open("ab") as file:
            file.write(content)
    except OSError as error:
        raise refusal(path, error, "a new folder") from error


def make_folder(output: Path | None, runs: Sequence[Run]) -> Path:
    """An empty folder; of those above it, only the project's own for results is made."""
    try:
        if output is None:
            RESULTS.mkdir(exist_ok=True)
            names = "-".join(dict.fromkeys(run.instance.benchmark for run in runs))
            output = RESULTS / f"explain-{names}-{datetime.now():%Y%m%d-%H%M%S}"
        output.mkdir(exist_ok=True)
        if any(output.iterdir()):
            raise BadUsageError(f"{output} is not empty; --output takes a new folder")
    except OSError as error:
        raise refusal(output or RESULTS, error, "a new folder in a folder that exists") from error
    return output


@contextmanager
def removed_if_empty(folder: Path) -> Iterator[None]:
    """Leave no new folder behind where nothing came of it."""
    try:
        yield
    finally:
        with suppress(OSError):
            folder.rmdir()


def disturbed(seen: Shares) -> str:
    return (
        f"other processes used {seen.foreign:.0%} of the processors meanwhile, and a hypervisor "
        f"withheld {seen.steal:.0%}: threads that waited for a processor count as idle, or their "
        "kernels as slow"
    )


def say(console: Console, text: str, style: str = "dim") -> None:
    put(console, text, style)
