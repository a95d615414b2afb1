# SPDX-License-Identifier: BSD-3-Clause
"""What explains the difference of two libraries under one build: for other parts."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from pollux.core.errors import MachineError
from pollux.core.executables.benchmarks import benchmarks_of
from pollux.core.executables.variables import default_threads
from pollux.core.records import DEFAULT_KERNELS
from pollux.core.tiles import Tile
from pollux.insight.explaining.deciding import WATCHED
from pollux.insight.explaining.explanation import Difference, explain_sides
from pollux.insight.explaining.graphs import graphs_for, kept_graphs
from pollux.insight.explaining.session import Plan, Run, kept_margin, measure
from pollux.insight.explaining.sides import read_sides
from pollux.insight.explaining.spread import Verdict
from pollux.insight.graphs.instances import instances_of
from pollux.insight.traces.obtain import SEED

INNER = 32  # of QR's kernels
ROUNDS = 100  # at most
WORDS = {Verdict.MORE: "more", Verdict.LESS: "less", Verdict.SAME: "as much", Verdict.OPEN: "open"}


@dataclass(frozen=True)
class Work:
    """What both sides run, until it is decided or the time is over."""

    preset: str
    benchmark: str
    variant: str
    size: int
    tile: int
    threads: int | None  # None: all
    margin: float
    seconds: float


def explained_difference(
    work: Mapping[str, Any], sides: Mapping[str, Mapping[str, str]], folder: Path, build_root: Path
) -> list[str]:
    """A line for each term of the split: how much more of it the second side has.

    `work` has the fields of Work; `sides` are two sets of variables of the environment by what they
    are called. Traces are kept in `folder`; those that it has already are explained.
    """
    asked = Work(**work)
    if not folder.is_dir():
        measure_whole(plan_of(asked, sides, build_root), folder)
    read = read_sides([folder], [], asked.threads)
    graphs = graphs_for([side.instance for side in read], kept_graphs([folder]), build_root)
    difference = explain_sides(read, graphs, kept_margin([folder])).difference
    return [] if difference is None else list(lines(difference))


def measure_whole(plan: Plan, folder: Path) -> None:
    """Fill the folder, or leave it missing: what an interruption has left is not explained."""
    draft = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    measure(plan, draft, Console(quiet=True), is_kept=False)
    try:
        draft.rename(folder)
    except OSError as error:
        raise MachineError(f"cannot make {folder} ({error.strerror})") from error


def plan_of(work: Work, sides: Mapping[str, Mapping[str, str]], build_root: Path) -> Plan:
    known = benchmarks_of(build_root)
    shape = work.size, work.size, Tile.square(work.tile), INNER
    (instance,) = instances_of(known, work.benchmark, work.variant, *shape, DEFAULT_KERNELS, {})
    kernels = known.listing(instance.benchmark).kernels_for(DEFAULT_KERNELS)
    return Plan(
        [Run(instance, work.preset, kernels, *side) for side in sides.items()],
        threads=work.threads or default_threads(),
        rounds=ROUNDS,
        seed=SEED,
        ompt=False,
        build_root=build_root,
        until_decided=work.margin,
        budget=work.seconds,
    )


def lines(difference: Difference) -> Iterator[str]:
    """The terms in the order of the split, in % of the first side's thread-time."""
    whole = max(1.0, difference.thread_time)
    for term in WATCHED:
        share, verdict = difference.terms[term.key].times(100 / whole), difference.verdict(term.key)
        ends = f" ({share.low:+.1f} to {share.high:+.1f} %)" if share.is_conclusive else ""
        yield f"{term.name}: {WORDS[verdict]}, {share.median:+.1f} %{ends}"
