# SPDX-License-Identifier: BSD-3-Clause
"""Takes the traces for an explanation, in rounds of adjacent runs; each is saved at once.

In each round, the sides run with their threads, then with one: kernels alone are timed next to the
run that they are compared with, since the speed of machines drifts. Two sides take turns, so that
their traced repetitions are adjacent, in an order that is drawn. Of short ones each process takes
several, since to start it takes longer, and their times differ more than those of processes.
"""

import json
import os
import random
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError
from rich.console import Console

from pollux.core.campaign.machine_load import Shares, read_usage, shares
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.core.paths import RESULTS
from pollux.core.records import DEFAULT_KERNELS, USUAL_KERNELS
from pollux.core.runtimes.found import target_named
from pollux.core.tables import put
from pollux.core.text import counted, in_percent
from pollux.core.writing import refusal
from pollux.insight.explaining.deciding import Deciding
from pollux.insight.explaining.graphs import (
    FOLDER,
    SUFFIX,
    file_name,
    folders_of,
    graphs_for,
    keep_graphs,
    kept_graphs,
)
from pollux.insight.explaining.rounds import call_the_same, rounds_of
from pollux.insight.explaining.sides import Side
from pollux.insight.graphs.model import Instance
from pollux.insight.graphs.over_ranks import over_ranks
from pollux.insight.traces.file import write_trace
from pollux.insight.traces.in_turns import lacking_at_once, take_in_turns
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import RunRequest, check_ompt, take_traces, warmups_after
from pollux.insight.traces.taking import append

TRACED = 5  # repetitions of a process, at most
TRACED_NS = 2.5e8  # that several of them take together
MARGIN = "until-decided.json"  # in the folder of traces
FOREIGN_MARGIN = 0.10  # more processor time than this used by others is reported


@dataclass(frozen=True)
class Run:
    """One side to measure."""

    instance: Instance
    target: str  # a build, or a combination such as gcc+libomp19
    kernels: str = DEFAULT_KERNELS
    label: str | None = None  # what it is called; None: as the target
    variables: Mapping[str, str] = field(default_factory=dict)  # besides the target's

    @property
    def called(self) -> str:
        return self.label or self.target

    @property
    def name(self) -> str:
        kernels = "" if self.kernels in USUAL_KERNELS else f"-{self.kernels}"
        return f"{file_name(self.instance)}{kernels}-{self.called}"


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    runs: Sequence[Run]
    threads: int
    rounds: int
    seed: int
    ompt: bool
    build_root: Path
    graphs: Sequence[Path] = ()  # files; graphs that they lack are written by a build
    until_decided: float | None = None  # relevant share; then `rounds` is the most
    budget: float = inf  # seconds, of until_decided


def measure(plan: Plan, output: Path | None, console: Console, *, is_kept: bool = True) -> Path:
    """Take graphs and traces; return the folder that contains them.

    `is_kept` says whether the folder stays where an error or an interruption ends this.
    """
    for run in plan.runs:
        target_named(run.target, plan.build_root)  # an error is reported before anything is written
        if plan.ompt:
            check_ompt(request_of(plan, run, plan.threads), plan.build_root)
    with new_folder(output, plan.runs) as folder:
        keep_graphs((run.instance for run in plan.runs), folder, plan.build_root, plan.graphs)
        if plan.until_decided is not None:
            keep_margin(plan.until_decided, folder)
        before = read_usage()
        try:
            take(plan, folder, console)
        except (BadUsageError, MachineError, InterruptedByUserError) as error:
            error.message += way_on(folder) if is_kept else ""
            raise
        seen = shares(before, read_usage())
    say(console, f"traces: {folder}")
    if seen is not None and max(seen.foreign or 0.0, seen.steal) > FOREIGN_MARGIN:
        say(console, disturbed(seen), "yellow")
    return folder


def take(plan: Plan, folder: Path, console: Console) -> None:
    """A file for each side; what ends it early keeps what was measured until then."""
    files = [folder / f"{k}-{run.name}.jsonl" for k, run in enumerate(plan.runs, 1)]
    done, traced = 0, 1
    in_turns = can_take_turns(plan, console)
    pace = Pace(plan.budget)
    watch = Watch(plan, folder) if plan.until_decided is not None else None
    try:
        for done in range(plan.rounds):
            of = f" of {plan.rounds}" if watch is None else ""
            say(console, f"round {done + 1}{of}")
            taken = take_round(plan, done, files, traced=traced, in_turns=in_turns)
            judged = time.monotonic()
            if watch is not None and watch.decides(taken):
                say(console, f"decided after {done + 1} rounds")
                return
            traced = traced_after(taken)
            pace.end_round(judged)
            if watch is not None and not pace.holds_another:
                break
        if watch is not None:
            say(
                console,
                f"not decided in {counted(done + 1, 'round')}: --budget or --rounds gives more",
                "",
            )
    except KeyboardInterrupt as error:
        raise InterruptedByUserError(f"interrupted in round {done + 1}") from error


class Pace:
    """Whether a budget holds another round."""

    def __init__(self, budget: float) -> None:
        self.budget = budget
        self.began = self.ended = time.monotonic()
        self.longest = self.judging = 0.0

    def end_round(self, judged: float) -> None:
        """Note a round that has ended, and was judged since then."""
        before, self.ended = self.ended, time.monotonic()
        self.longest = max(self.longest, self.ended - before)
        self.judging += self.ended - judged

    @property
    def holds_another(self) -> bool:
        """With the explanation, which reads all traces and judges them again: twice the time."""
        return self.ended + self.longest + 2 * self.judging <= self.began + self.budget


def traced_after(taken: Sequence[Side]) -> int:
    """How many repetitions processes trace that take as long as these."""
    longest = max(run.region for side in taken for run in side.runs)
    return max(1, min(TRACED, int(TRACED_NS / max(1, longest))))


def can_take_turns(plan: Plan, console: Console) -> bool:
    """Whether the sides can run at the same time; says why two cannot."""
    if len(plan.runs) < 2:
        return False
    requests = [request_of(plan, run, plan.threads) for run in plan.runs]
    lacking = lacking_at_once(requests, plan.build_root)
    if lacking is not None:
        say(console, f"{lacking} at once: they take no turns")
    return lacking is None


def way_on(folder: Path) -> str:
    """How to explain what was measured before the end, if anything was."""
    if not any(folder.glob("*.jsonl")):
        return ""
    return f"; to explain what was measured: pollux explain {shlex.quote(str(folder))}"


class Watch:
    """What the rounds decide while they are taken."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        instances = [run.instance for run in plan.runs]
        graphs = graphs_for(instances, kept_graphs([folder]), plan.build_root)
        self.over = [over_ranks(graph, None) for graph in graphs]
        self.deciding = Deciding(plan.until_decided or 0)

    def decides(self, sides: Sequence[Side]) -> bool:
        """Whether all is decided with this round."""
        first, second = (rounds.split()[0] for rounds in rounds_of(self.over, sides))
        self.deciding.add(first, second)
        return self.deciding.is_decided


class Kept(BaseModel):
    """What the file MARGIN says."""

    until_decided: Annotated[float, Field(gt=0, lt=1)]


def keep_margin(share: float, folder: Path) -> None:
    """Note that the rounds in a folder go on until they decide: their intervals depend on it."""
    line = json.dumps({"until_decided": share}).encode() + b"\n"
    append(folder / MARGIN, line, FOLDER)


def kept_margin(paths: Sequence[Path]) -> float | None:
    """What is noted in the folders that are explained, or of whose files some are."""
    for folder in folders_of(paths):
        file = folder / MARGIN
        try:
            return Kept.model_validate_json(file.read_bytes()).until_decided
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValidationError) as error:
            raise BadUsageError(
                f"{file}: cannot be read, and without it the intervals of these rounds are not "
                "known: they went on until they decided"
            ) from error
    return None


def take_round(
    plan: Plan, number: int, files: Sequence[Path], *, traced: int, in_turns: bool
) -> list[Side]:
    """A process of each side, then another with a single thread of those that had more."""
    rng = random.Random(f"{plan.seed} {number}")
    taken = [
        Side(run.instance, file.stem, file.parent)
        for run, file in zip(plan.runs, files, strict=True)
    ]
    sides = list(range(len(plan.runs)))
    for threads in (plan.threads, 1):
        requests = {
            side: replace(
                request_of(plan, plan.runs[side], threads),
                warmup=warmups_after(taken[side].runs[-1] if taken[side].runs else None),
                traced=traced,
            )
            for side in rng.sample(sides, len(sides))
        }
        ompt = plan.ompt and threads == plan.threads
        for side, traces in take_processes(plan, requests, rng, ompt=ompt, in_turns=in_turns):
            named = [replace(trace, label=plan.runs[side].called) for trace in traces]
            append(files[side], b"".join(map(write_trace, named)), FOLDER)
            own = taken[side].alone if taken[side].runs else taken[side].runs
            own += named
        sides = [side for side in sides if taken[side].threads > 1]  # as seq always runs
        if call_the_same(taken):  # whose times alone do not matter for the difference
            traced = 1
    return taken


def take_processes(
    plan: Plan,
    requests: Mapping[int, RunRequest],
    rng: random.Random,
    *,
    ompt: bool,
    in_turns: bool,
) -> Iterator[tuple[int, list[Trace]]]:
    """The traces of each side."""
    if in_turns and len(requests) > 1:
        wishes = list(requests.values())
        traces = take_in_turns(wishes, rng, ompt=ompt, build_root=plan.build_root)
        yield from zip(requests, traces, strict=True)
        return
    for side, request in requests.items():
        yield side, take_traces(request, ompt=ompt, build_root=plan.build_root)


def request_of(plan: Plan, run: Run, threads: int) -> RunRequest:
    return RunRequest(
        *(run.instance, threads, run.target, plan.seed),
        kernels=run.kernels,
        variables=run.variables,
    )


@contextmanager
def new_folder(output: Path | None, runs: Sequence[Run]) -> Iterator[Path]:
    """A folder for traces; without any in the end, what is new is removed."""
    is_new = output is None or not output.exists()
    folder = make_folder(output, runs)
    try:
        yield folder
    finally:
        if not any(folder.glob("*.jsonl")):
            with suppress(OSError):
                for file in (*folder.glob(f"*{SUFFIX}"), folder / MARGIN):
                    file.unlink(missing_ok=True)
                if is_new:
                    folder.rmdir()


def make_folder(output: Path | None, runs: Sequence[Run]) -> Path:
    """An empty folder; of its parents, only the project's results folder is created."""
    folder = output or RESULTS / own_name(runs)
    try:
        if output is None:
            RESULTS.mkdir(exist_ok=True)
        folder.mkdir(exist_ok=output is not None)
        if any(folder.iterdir()):
            raise BadUsageError(f"{folder} is not empty; --output needs {FOLDER}")
    except OSError as error:
        raise refusal(folder, error, f"{FOLDER} in a folder that exists") from error
    return folder


def own_name(runs: Sequence[Run]) -> str:
    """Of a folder that no other command makes."""
    names = "-".join(dict.fromkeys(run.instance.benchmark for run in runs))
    return f"explain-{names}-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}"


def disturbed(seen: Shares) -> str:
    others = "" if seen.foreign is None else f"other processes used {in_percent(seen.foreign)} and "
    return (
        f"{others}a hypervisor withheld {in_percent(seen.steal)} of the processors meanwhile: "
        "threads that waited for a processor count as idle, or their kernels as slow"
    )


def say(console: Console, text: str, style: str = "dim") -> None:
    put(console, text, style)
