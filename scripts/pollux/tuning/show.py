# SPDX-License-Identifier: BSD-3-Clause
"""Tells the user how a search goes on, and what it has found."""

import json
import time
from collections.abc import Sequence
from datetime import timedelta

from rich import box
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pollux.campaign.tuned import Entry, Point
from pollux.tuning.outcome import Tuned
from pollux.tuning.search import Status
from pollux.tuning.targets import Target

NOTHING = "–"
REFRESH_SECONDS = 0.25


class Progress:
    """Between runs only, since drawing costs processor time: a line that is redrawn on a terminal,

    else one line for each stage of a search.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.shown = 0.0
        self.stage: tuple[object, ...] = ()

    def begin(self, target: Target, number: int, of: int) -> None:
        self.target = f"{number}/{of} {target}"
        self.began = time.monotonic()
        self.stage = ()
        if self.console.is_terminal:
            self.live.start()

    def observe(self, status: Status) -> None:
        """Called before each run."""
        text = f"{self.target}: {status.stage}, {status.candidates} candidates, {self.left(status)}"
        if self.console.is_terminal:
            if time.monotonic() - self.shown >= REFRESH_SECONDS:
                self.live.update(Text(text), refresh=True)
                self.shown = time.monotonic()
        elif self.stage != (status.stage, status.candidates):
            say(self.console, text)
        self.stage = (status.stage, status.candidates)

    def left(self, status: Status) -> str:
        text = f"run {status.runs + 1} of at most {status.runs_at_most}"
        if status.runs == 0:
            return text
        seconds = (time.monotonic() - self.began) / status.runs
        left = timedelta(seconds=round(seconds * (status.runs_at_most - status.runs)))
        return f"{text}, at most {left} left"

    def end(self) -> None:
        self.live.stop()


def say(console: Console, text: str) -> None:
    console.print(escape(text), soft_wrap=True, highlight=False)


def show_points(console: Console, tuned: Tuned) -> None:
    """All that was measured for one target."""
    say(console, f"\n{tuned.target}")
    if tuned.points:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ("NB", "IB", "runs", "GFlop/s", "ratio to the best (95 %)"):
            table.add_column(name, justify="right")
        table.add_column("", overflow="fold")
        for point in tuned.points:
            table.add_row(*cells(point, tuned.entry), style="red" if point.problem else None)
        console.print(table)
    for line in (*filter(None, [tuned.problem]), *tuned.notes, *saving(tuned)):
        say(console, line)


def cells(point: Point, entry: Entry | None) -> list[str]:
    is_best = entry is not None and (entry.tile, entry.ib) == (point.tile, point.ib)
    return [
        str(point.tile),
        NOTHING if point.ib is None else str(point.ib),
        str(point.runs),
        NOTHING if point.gflops is None else f"{point.gflops:.1f}",
        ratio_text(point),
        escape(point.problem or ("best" if is_best else "")),
    ]


def ratio_text(point: Point) -> str:
    if point.ratio is None:
        return NOTHING
    if point.low is None or point.high is None:
        return f"{point.ratio:.3f}"
    return f"{point.ratio:.3f} ({point.low:.3f}–{point.high:.3f})"


def saving(tuned: Tuned) -> list[str]:
    """What the search cost beside the full grid."""
    if not tuned.runs or not tuned.grid_runs:
        return []
    return [
        f"{tuned.runs} runs, {tuned.seconds:.0f} s; the full grid at as many rounds as the final: "
        f"{tuned.grid_runs} runs, about {tuned.grid_seconds:.0f} s"
    ]


def show_summary(console: Console, found: Sequence[Tuned]) -> None:
    """One row for each target."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("benchmark", "variant", "runtime"):
        table.add_column(name, overflow="fold")
    for name in ("N", "threads", "NB", "IB", "GFlop/s (95 %)", "runs", "of the full grid"):
        table.add_column(name, justify="right")
    for tuned in found:
        table.add_row(*summary_cells(tuned), style=None if tuned.entry else "red")
    console.print(table)
    for tuned in found:
        if tuned.problem:
            say(console, f"{tuned.target}: {tuned.problem}")


def summary_cells(tuned: Tuned) -> list[str]:
    target, entry = tuned.target, tuned.entry
    share = f"{tuned.runs / tuned.grid_runs:.0%}" if tuned.grid_runs else NOTHING
    names = [target.benchmark, escape(target.variant), escape(target.runtime), str(target.size)]
    if entry is None:
        return [*names, NOTHING, NOTHING, NOTHING, "nothing found", str(tuned.runs), share]
    speed = f"{entry.gflops:.1f}"
    if entry.low is not None and entry.high is not None:
        speed += f" ({entry.low:.1f}–{entry.high:.1f})"
    ib = NOTHING if entry.ib is None else str(entry.ib)
    return [*names, str(entry.threads), str(entry.tile), ib, speed, str(tuned.runs), share]


def as_json(found: Sequence[Tuned]) -> str:
    """All results as one JSON array, for programs."""
    return json.dumps(
        [
            {
                "benchmark": t.target.benchmark,
                "variant": t.target.variant,
                "runtime": t.target.runtime,
                "n": t.target.size,
                "entry": t.entry.model_dump() if t.entry else None,
                "problem": t.problem,
                "points": [p.model_dump() for p in t.points],
                "runs": t.runs,
                "seconds": t.seconds,
                "grid_runs": t.grid_runs,
                "grid_seconds": t.grid_seconds,
                "notes": t.notes,
            }
            for t in found
        ],
        indent=1,
    )
