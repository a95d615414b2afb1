# SPDX-License-Identifier: BSD-3-Clause
"""One call of `pollux tune`: a search for each target; each result is stored at once."""

import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from rich.console import Console

from pollux.core.advice import SAME_COMMAND
from pollux.core.campaign.dry_run import check_data
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import End, Start, Stopped
from pollux.core.campaign.needs import with_needs
from pollux.core.campaign.reading import Unreadable, read_lines, sentences
from pollux.core.campaign.tuned import read, store
from pollux.core.console import echo, make_console, say_all
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.core.executables.variables import quota_notes
from pollux.core.parameters import frozen
from pollux.core.streams import carry_on
from pollux.core.tiles import Tile
from pollux.core.writing import check_outputs
from pollux.machine.tuning import show
from pollux.machine.tuning.candidates import Grid, make_grid
from pollux.machine.tuning.evaluator import Evaluator
from pollux.machine.tuning.outcome import Tuned, conclude
from pollux.machine.tuning.search import Search
from pollux.machine.tuning.targets import CHECK, Target

FOLDER = "tuning"  # next to the file of tiles: `pollux compare` takes the last file there


@dataclass(frozen=True)
class Plan:
    """What to search."""

    targets: list[Target]
    tiles: list[int]
    inner: list[int]
    rounds: int
    seed: int
    time_limit: float
    heights: Sequence[int] = (1,)

    def text(self) -> str:
        """Everything that determines the runs, to check whether a search can be resumed."""
        return json.dumps(
            {
                "targets": [f"{t}, threads={t.threads}" for t in self.targets],
                "tiles": self.tiles,
                "fastest": [str(t.fastest) for t in self.targets if t.fastest],
                "heights": [*self.heights],
                "inner": self.inner,
                "rounds": self.rounds,
                "seed": self.seed,
            }
        )

    def grid(self, target: Target) -> Grid:
        inner = self.inner if target.inner_block else []
        others = [target.fastest] if target.fastest else []
        heights = self.heights if target.tall_tiles else (1,)
        return make_grid(self.tiles, inner, target.size, heights, others)


class Session:
    """All searches of one call."""

    def __init__(self, plan: Plan, output: Path, journal: Journal, console: Console) -> None:
        self.plan = plan
        self.output = output
        self.console = console
        self.evaluator = Evaluator(journal, plan.seed, plan.time_limit)
        self.progress = show.Progress(console)
        self.found: list[Tuned] = []

    def run(self) -> list[Tuned]:
        for _, cell in groupby(self.plan.targets, key=lambda t: t.cell):
            self.tune_cell(list(cell))
        return self.found

    def tune_cell(self, targets: Sequence[Target]) -> None:
        """All runtimes of a cell, then store: only then have their digests been compared."""
        found: list[Tuned] = []
        try:
            for target in targets:
                number = len(self.found) + len(found) + 1
                self.progress.begin(target, number, len(self.plan.targets))
                found.append(self.tune(target))
                self.progress.end()
        finally:  # results are kept even if the user interrupts
            self.progress.end()
            earlier = len(self.found)
            self.found += found  # a variant may differ from one of an earlier cell
            disputed = [t.entry for t in self.found if t.entry and self.is_disputed(t)]
            self.found = [self.without_disputed(t) for t in self.found]
            for tuned in self.found[earlier:]:
                show.show_points(self.console, tuned)
            entries = [t.entry for t in self.found[earlier:] if t.entry]
            if entries or disputed:
                store(self.output, entries, disputed)

    def tune(self, target: Target) -> Tuned:
        if target.unavailable is not None:
            return Tuned(target, None, problem=f"not run: {target.unavailable}")
        with self.evaluator.measuring(target) as measure:
            search = Search(
                grid=self.plan.grid(target),
                measure=measure,
                rounds=self.plan.rounds,
                seed=self.plan.seed,
                observe=lambda status: self.progress.observe(status, self.evaluator.resumed),
            )
            winner = search.find()
        return conclude(target, search, winner, self.evaluator.samples, self.evaluator.foreign)

    def without_disputed(self, tuned: Tuned) -> Tuned:
        """The same, but with nothing to store if another runtime or variant had other factors."""
        entry = tuned.entry
        if entry is None or not self.is_disputed(tuned):
            return tuned
        return replace(
            tuned, entry=None, problem=f"not stored: digests differ at NB={entry.tile}, see above"
        )

    def is_disputed(self, tuned: Tuned) -> bool:
        entry = tuned.entry
        return entry is not None and self.evaluator.is_disputed(
            (
                *(tuned.target.digest_group, entry.kernels),
                *(entry.n, entry.tile, entry.ib, frozen(entry.parameters)),
            )
        )


def tune_all(plan: Plan, output: Path, resume: Path | None, *, as_json: bool) -> int:
    """Search for all targets, report the results and where they are stored."""
    check_folder(output.parent / FOLDER)
    check_outputs({"--output": output}, [] if resume is None else [resume])
    read(output)  # a damaged file is reported before anything is run
    console = make_console(to_stderr=as_json)
    if not as_json:  # which is for a program, and of no use without its end
        carry_on("the search goes on")
    journal = open_journal(plan, output, resume)
    notes = quota_notes((target.threads, {}) for target in plan.targets)
    say_all(console, [*sentences(journal.known.unreadable), *notes])
    session = Session(plan, output, journal, console)
    with closing(journal), ended(journal):
        found = session.run()
    show.show_summary(console, found)
    tiles = [f"tiles: {output}"] if output.exists() else []
    say_all(console, [*tiles, f"records: {journal.path}"])
    if as_json:
        echo(show.as_json(found))
    return int(any(t.went_wrong for t in found))


def check_memory(plan: Plan) -> None:
    """Refuse matrices that do not fit in memory; the tile makes little difference."""
    able = [target for target in plan.targets if target.unavailable is None]
    grids = [plan.grid(target) for target in able]
    candidates = [grid.candidate(Tile.square(grid.tiles[0]), None) for grid in grids]
    several = [t.configuration(c) for t, c in zip(able, candidates, strict=True)]
    check_data(with_needs(several, CHECK), lambda large: "a smaller --size helps")


def open_journal(plan: Plan, output: Path, resume: Path | None) -> Journal:
    """A new file of records, or the one to resume."""
    if resume is None:
        name = f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.jsonl"
        journal = Journal(output.parent / FOLDER / name)
    else:
        check_resumed(plan, resume)
        journal = Journal(resume)
    journal.append(start_line(plan))
    return journal


def check_folder(folder: Path) -> None:
    """Make sure that results can be stored, before anything is run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise MachineError(f"cannot write to {folder} ({error.strerror})") from error


def check_resumed(plan: Plan, path: Path) -> None:
    """Refuse records of another search."""
    lines = [line for _, line in read_lines(path)]
    starts = [line for line in lines if isinstance(line, Start)]
    if not starts:
        first = next((line.reason for line in lines if isinstance(line, Unreadable)), None)
        why = f" ({first})" if first else ""
        raise BadUsageError(f"--resume: {path} is not a file of records of pollux tune{why}")
    if any(start.text != plan.text() for start in starts):
        raise BadUsageError(f"--resume: {path} belongs to a search with other options or targets")


def start_line(plan: Plan) -> Start:
    return Start(
        unix_ns=time.time_ns(),
        pollux=version("pollux"),
        name="tune",
        summary="Runs of a search for tile sizes",
        reference=plan.targets[0].runtime,
        processes=plan.rounds,
        configurations=sum(len(plan.grid(t).all()) for t in plan.targets),
        file=None,
        text=plan.text(),
    )


@contextmanager
def ended(journal: Journal) -> Iterator[None]:
    """Record in the journal how the search stopped, and print how to resume it."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        stopped = Stopped.INTERRUPTED
        journal.append(End(unix_ns=time.time_ns(), complete=False, stopped=stopped))
        raise InterruptedByUserError(
            f"interrupted; to resume, repeat the command with --resume {journal.path}"
        ) from interrupt
    except MachineError as error:
        way = f"{SAME_COMMAND} with --resume {journal.path}"
        told, same, rest = error.format_message().partition(SAME_COMMAND)
        how = f"{way}{rest}" if same else f"; {way} resumes the search"
        raise MachineError(f"{told}{how}") from error
    journal.append(End(unix_ns=time.time_ns(), complete=True, stopped=Stopped.COMPLETE))
