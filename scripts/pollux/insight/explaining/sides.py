# SPDX-License-Identifier: BSD-3-Clause
"""Sorts traces into sides: those of the explained runs, and of runs on one thread alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.core.text import counted
from pollux.insight.graphs.model import Instance
from pollux.insight.traces.merge import read_runs
from pollux.insight.traces.model import Ranks, Trace, identity
from pollux.insight.traces.named import trace_files

SIDES = 2  # at most
NUMBERS = ("1", "2")  # that the names of explain's files begin with


@dataclass
class Side:
    """The traces of one instance under one runtime, in the order of rounds."""

    instance: Instance
    source: str  # the file, without its folder and suffix
    folder: Path  # of the file
    runs: list[Trace] = field(default_factory=list)
    alone: list[Trace] = field(default_factory=list)  # with one thread
    is_alone_given: bool = False  # some of these with --alone, which may be fewer than the runs
    is_alone_left_out: bool = False  # since the side that it is compared with has none

    @property
    def threads(self) -> int:
        """Of all ranks."""
        return self.runs[0].threads

    @property
    def number(self) -> str:
        """Its place among the sides that explain measured; of any other file, some word."""
        return self.source.partition("-")[0]

    @property
    def lacks_alone(self) -> bool:
        return self.threads > 1 and not self.alone

    @property
    def ranks(self) -> Ranks | None:
        return self.runs[0].ranks

    @property
    def graph_instance(self) -> Instance:
        return self.runs[0].graph_instance


def read_sides(
    paths: Sequence[Path], alone: Sequence[Path], threads: int | None = None
) -> list[Side]:
    """One or two sides from files or folders; `threads`, of each rank, chooses from several."""
    runs = runs_by_file(trace_files(paths))
    sides = [side for path, traces in runs.items() for side in sides_of(path, traces, threads)]
    if len(sides) > SIDES:
        listed = "; ".join(f"{side.instance} in {side.source}" for side in sides)
        raise BadUsageError(f"{len(sides)} sides are given, one or two can be explained: {listed}")
    given = read_runs(alone)
    for _, trace in given:
        if trace.threads != 1:
            raise BadUsageError(f"--alone takes traces with one thread, not {trace.threads}")
    in_teams = [side for side in sides if side.threads > 1]
    if given and not in_teams:
        raise BadUsageError("--alone has no effect: the runs have one thread, and so are alone")
    for side in in_teams:
        fitting = [trace for _, trace in given if fits(trace, side.runs[0])]
        side.alone += fitting
        side.is_alone_given = bool(fitting)
    check_alone(given, in_teams)
    return sides


def check_alone(given: Iterable[tuple[Path, Trace]], sides: Sequence[Side]) -> None:
    """Refuse files of which no side has taken a trace."""
    taken: dict[Path, bool] = {}
    for path, trace in given:
        is_taken = any(trace is own for side in sides for own in side.alone)
        taken[path] = taken.get(path, False) or is_taken
    for path in (path for path, is_taken in taken.items() if not is_taken):
        wanted = " or ".join(dict.fromkeys(str(side.graph_instance) for side in sides))
        raise BadUsageError(
            f"--alone {path}: none of its traces is of {wanted} with the kernel set, runtime and "
            "compiler of the run"
        )


def runs_by_file(files: Iterable[Path]) -> dict[Path, list[Trace]]:
    """The runs of each file.

    Runs over MPI that agree in all that identifies them are rounds of one side, and so count as of
    the first one's file: a program writes each to files of its own.
    """
    runs: dict[Path, list[Trace]] = {}
    first: dict[tuple[object, ...], Path] = {}
    for path, trace in read_runs(files):
        own = path if trace.ranks is None else first.setdefault(identity(trace), path)
        runs.setdefault(own, []).append(trace)
    return runs


def sides_of(path: Path, traces: Sequence[Trace], threads: int | None) -> list[Side]:
    """The sides in one file, or in the files of all ranks of a run.

    Traces of one instance, runtime and compiler belong together.
    """
    groups: dict[tuple[object, ...], list[Trace]] = {}
    for trace in traces:
        groups.setdefault(identity(trace), []).append(trace)
    return [make_side(path, traces, threads) for traces in groups.values()]


def make_side(path: Path, traces: list[Trace], threads: int | None) -> Side:
    counts = sorted({team_of(trace) for trace in traces})
    wanted = counts[-1] if threads is None else threads
    if wanted not in counts:
        there = " and ".join(map(str, counts))
        raise BadUsageError(
            f"{path} has no trace with {counted(wanted, 'thread')}, only with {there}"
        )
    if threads is None and len({team_of(trace) for trace in traces if trace.threads > 1}) > 1:
        there = ", ".join(map(str, counts))
        raise BadUsageError(f"{path} has traces with {there} threads; --threads chooses")
    return Side(
        instance=traces[0].instance,
        source=path.stem,
        folder=path.parent,
        runs=[t for t in traces if team_of(t) == wanted],
        alone=[t for t in traces if t.threads == 1],
    )


def team_of(trace: Trace) -> int:
    """The threads that its program was given: of each rank, where there are several."""
    return int(trace.record["threads"])


def fits(alone: Trace, run: Trace) -> bool:
    """Whether the calls of one are those of the other with one thread alone.

    For a run over MPI that is one rank, or the program without MPI whose kernels it calls. A trace
    that no command of pollux took has no label.
    """
    labels = {alone.label, run.label} - {""}
    return calls_of(alone) == calls_of(run) and len(labels) < 2


def calls_of(trace: Trace) -> tuple[object, ...]:
    """What two such runs have in common."""
    _, _, _, *others = identity(trace)
    return trace.graph_instance, *others


def are_measured_together(sides: Sequence[Side]) -> bool:
    """Whether both are of one measurement of explain's, so that their rounds are pairs."""
    files = {(side.folder, side.number) for side in sides}
    return files == {(sides[0].folder, number) for number in NUMBERS}
