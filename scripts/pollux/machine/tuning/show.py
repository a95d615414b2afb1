# SPDX-License-Identifier: BSD-3-Clause
"""Shows the progress and the results of a search."""

import json
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pollux.core.campaign.tuned import Entry, Point
from pollux.core.console import say
from pollux.core.parameters import in_words
from pollux.core.tables import Column, Rows, form_of, put, put_table
from pollux.core.text import counted, in_percent, one_line
from pollux.machine.tuning.outcome import Tuned
from pollux.machine.tuning.search import Status
from pollux.machine.tuning.targets import Target

NOTHING = "–"
REFRESH_SECONDS = 0.25


class Progress:
    """A line that is redrawn on a terminal, else one line for each stage of a search.

    Drawn between runs only, since drawing costs processor time.
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

    def observe(self, status: Status, resumed: int = 0) -> None:
        """Called before each run; `resumed` of them took no time, since a journal had them."""
        candidates = counted(status.candidates, "candidate")
        text = f"{self.target}: {status.stage}, {candidates}, {self.left(status, resumed)}"
        if self.console.is_terminal:
            if time.monotonic() - self.shown >= REFRESH_SECONDS:
                self.live.update(Text(one_line(text)), refresh=True)
                self.shown = time.monotonic()
        elif self.stage != (status.stage, status.candidates):
            say(self.console, text)
        self.stage = (status.stage, status.candidates)

    def left(self, status: Status, resumed: int) -> str:
        text = f"run {status.runs + 1} of at most {status.runs_at_most}"
        measured = status.runs - resumed
        if measured == 0:
            return text
        seconds = (time.monotonic() - self.began) / measured
        left = timedelta(seconds=round(seconds * (status.runs_at_most - status.runs)))
        return f"{text}, at most {left} left"

    def end(self) -> None:
        self.live.stop()


def show_points(console: Console, tuned: Tuned) -> None:
    """The results for one target: the answer, then the candidates, fastest first."""
    put(console, f"\n{tuned.target}{answer(tuned)}")
    if tuned.points:
        ranked = sorted(tuned.points, key=lambda point: -(point.ratio or 0.0))
        failed = {n: "red" for n, point in enumerate(ranked) if point.problem}
        put_table(console, point_columns(ranked, tuned.entry), Rows(failed))
    for line in (*filter(None, [tuned.problem]), *tuned.notes, *saving(tuned)):
        put(console, line)


def answer(tuned: Tuned) -> str:
    entry = tuned.entry
    if entry is None:
        return ""
    inner = "" if entry.ib is None else f" IB={entry.ib}"
    return f": NB={entry.tile}{inner} is best, {speed_text(entry)} GFlop/s"


def point_columns(points: Sequence[Point], entry: Entry | None) -> list[Column]:
    """The speeds are computed from the ratios, so that both have the same order."""
    best = entry.gflops if entry else None
    columns = [Column("NB", [str(p.tile) for p in points])]
    if any(p.ib is not None for p in points):
        columns.append(Column("IB", [NOTHING if p.ib is None else str(p.ib) for p in points]))
    columns += [
        Column("runs", [str(p.runs) for p in points]),
        Column("ratio to the best (95 %)", [ratio_text(p) for p in points]),
        Column("GFlop/s by this ratio", [scaled(p, best) for p in points]),
        Column("", [words(p, entry) for p in points], is_left=True, is_prose=True),
    ]
    return columns


def scaled(point: Point, best: float | None) -> str:
    if point.ratio is None or best is None:
        return NOTHING
    return f"{point.ratio * best:{speed_form(best)}}"


def words(point: Point, entry: Entry | None) -> str:
    is_best = entry is not None and (entry.tile, entry.ib) == (point.tile, point.ib)
    return point.problem or ("best" if is_best else "")


def ratio_text(point: Point) -> str:
    if point.ratio is None:
        return NOTHING
    if point.low is None or point.high is None:
        return f"{point.ratio:.3f}"
    return f"{point.ratio:.3f} ({point.low:.3f}–{point.high:.3f})"


def saving(tuned: Tuned) -> list[str]:
    """The cost of the search compared with the full grid."""
    if not tuned.runs or not tuned.grid_runs:
        return []
    return [
        f"{tuned.runs} runs, {tuned.seconds:.0f} s; the full grid at as many rounds as the final: "
        f"{tuned.grid_runs} runs, about {tuned.grid_seconds:.0f} s"
    ]


def show_summary(console: Console, found: Sequence[Tuned]) -> None:
    """One row for each target."""
    failed = {n: "red" for n, tuned in enumerate(found) if tuned.entry is None}
    put(console, "")
    put_table(console, summary_columns(found), Rows(failed))
    for tuned in found:
        if tuned.problem:
            put(console, f"{tuned.target}: {tuned.problem}")


def summary_columns(found: Sequence[Tuned]) -> list[Column]:
    entries = [tuned.entry for tuned in found]

    def of_entry(cell: Callable[[Entry], object]) -> list[str]:
        return [NOTHING if entry is None else str(cell(entry)) for entry in entries]

    inner = of_entry(lambda e: NOTHING if e.ib is None else e.ib)
    sets = [t.target.kernels for t in found]
    own = [in_words(t.target.parameters) for t in found]
    speeds = ["nothing found" if e is None else speed_text(e) for e in entries]
    return [
        Column("runtime", [t.target.runtime for t in found], is_left=True),
        Column("benchmark", [t.target.benchmark for t in found], is_left=True),
        Column("variant", [t.target.variant for t in found], is_left=True),
        *([Column("kernels", sets, is_left=True)] if len({*sets}) > 1 else []),
        Column("N", [str(t.target.size) for t in found]),
        *([Column("parameters", own, is_left=True)] if len({*own}) > 1 else []),
        Column("threads", of_entry(lambda e: e.threads), spare=1),
        Column("NB", of_entry(lambda e: e.tile)),
        *([Column("IB", inner)] if set(inner) != {NOTHING} else []),
        Column("GFlop/s (95 %)", speeds),
        Column("runs", [str(t.runs) for t in found], spare=2),
        Column("of the full grid", [share_text(t) for t in found], spare=3),
    ]


def share_text(tuned: Tuned) -> str:
    return in_percent(tuned.runs / tuned.grid_runs) if tuned.grid_runs else NOTHING


def speed_form(gflops: float) -> str:
    """One decimal place, or as many as a small speed needs."""
    return ".1f" if gflops >= 1 else form_of(gflops)


def speed_text(entry: Entry) -> str:
    form = speed_form(entry.gflops)
    if entry.low is None or entry.high is None:
        return f"{entry.gflops:{form}}"
    return f"{entry.gflops:{form}} ({entry.low:{form}}–{entry.high:{form}})"


def as_json(found: Sequence[Tuned]) -> str:
    """All results as one JSON array, for programs."""
    return json.dumps(
        [
            {
                "benchmark": t.target.benchmark,
                "variant": t.target.variant,
                "kernels": t.target.kernels,
                "runtime": t.target.runtime,
                "n": t.target.size,
                "parameters": dict(t.target.parameters),
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
