# SPDX-License-Identifier: BSD-3-Clause
"""The layout of a Gantt chart on its page, in inches from the top left."""

import math
import textwrap
from dataclasses import dataclass

from pollux.core.errors import BadUsageError
from pollux.insight.traces.model import Trace
from pollux.insight.traces.view import View, shared_by, time_in, unit_of
from pollux.output.figures.style import CHARACTER, LINE, POINTS, PROSE, length

LEFT, RIGHT = 0.42, 0.12  # margins: the left one has the lanes' labels
TOP = 0.06
TITLE = 0.16  # of each run
STEPS = 0.3  # height of the strip that shows the steps
BOLD = 1.1  # how much wider bold letters are
POWER = 0.5  # height of the strip that shows the power
GAP = 0.14  # between runs
AXIS = 0.36  # ticks and label of the time axis
LANE = (0.01, 0.22)  # least and greatest height of a lane; two dots of a PNG file at least
LANES = 2.6  # height of all lanes of a run if neither limit applies
TALLEST = 200.0  # inches: the most that PDF viewers show
SWATCH = 0.3  # width of a legend entry without its name
ARROWS_MOST = 500  # lines of messages in one run: more would hide all else
ARROWS_ON_PAGE = 1000  # as in gantt_runs.js


@dataclass(frozen=True)
class Band:
    """The place of one run."""

    top: float  # of its title
    steps: float  # top of its strip of steps
    lanes: float  # top of its first lane
    bottom: float
    lane: float  # height of one
    power: float  # bottom of its strip of power; that of its lanes where there is none


@dataclass(frozen=True)
class Layout:
    width: float
    height: float
    bands: tuple[Band, ...]
    legend: float  # top of the legend
    columns: int  # of the legend
    caption: tuple[str, ...]  # its lines

    @property
    def inner(self) -> float:
        """The length of the time axis, inches."""
        return self.width - LEFT - RIGHT


def make_layout(view: View, width: float, caption: str, *, with_power: bool = False) -> Layout:
    bands = []
    top = TOP
    title = TITLE * title_lines(view, width - LEFT - RIGHT)
    for trace in view.traces:
        lane = lane_height(trace)
        lanes = snapped(top + title + STEPS)
        bottom = lanes + lane * trace.threads
        power = snapped(bottom + POWER) if with_power else bottom
        bands.append(Band(top, top + title, lanes, bottom, lane, power))
        top = bands[-1].power + GAP
    entries = [*(text for text, _ in view.legend), "idle"]
    room = max(length(name) for name in entries) + SWATCH
    columns = min(len(entries), max(1, int((width - 0.1) / room)))
    legend = bands[-1].power + AXIS
    lines = tuple(textwrap.wrap(caption, int((width - 0.1) / PROSE), break_on_hyphens=False))
    height = legend + LINE * (math.ceil(len(entries) / columns) + len(lines)) + 0.22
    if height > TALLEST:
        raise BadUsageError(
            f"the chart would be {height:.0f} inches high; draw fewer traces at once, "
            "or use --format html, which has no page size"
        )
    return Layout(width, snapped(height), tuple(bands), legend, columns, lines)


def title_lines(view: View, inches: float) -> int:
    """Lines of a title: one if all runs' titles have room next to their summaries."""
    longest = max(
        BOLD * length(title) + length(summary)
        for title, summary in zip(view.titles, view.summaries, strict=True)
    )
    return 1 if longest + 3 * CHARACTER < inches else 2


def lane_height(trace: Trace) -> float:
    return snapped(min(max(LANES / trace.threads, LANE[0]), LANE[1]))


def snapped(inches: float) -> float:
    """A length that is a whole number of dots in PNG files, so that lanes have sharp edges."""
    return max(1, round(inches * 100)) / 100


def caption_of(
    view: View, *, mixed: bool = False, shares: bool = False, is_page: bool = False
) -> str:
    """What was run, and how to read the chart."""
    sentences = [f"{', '.join(shared)}."] if (shared := shared_by(view.traces)) else []
    hosts = {cpu for t in view.traces if (cpu := (t.record.get("host") or {}).get("cpu"))}
    sentences += [f"{' and '.join(sorted(hosts))}."] if hosts else []
    if len(view.traces) > 1 and any(view.marks):
        sentences.append("Beside each title, the colour of its runtime in all figures.")
    sentences.append("A lane for each thread; white is idle.")
    sentences += about_ranks(view, is_page)
    if any(len(trace) for trace in view.traces):
        sentences.append(
            "Above the lanes, a line for each step, from the start of its first kernel to the end "
            "of its last."
        )
    if any(trace.submitted for trace in view.traces):
        sentences.append("▾: the last task is created.")
    if shares:
        sentences.append(
            "Where kernels are narrower than a dot, each column of dots shows their shares of its "
            "time, idle on top."
        )
    elif mixed:
        sentences.append(
            "Where kernels are narrower than a dot, colours mix by their share of the time."
        )
    return " ".join(sentences)


def about_ranks(view: View, is_page: bool) -> list[str]:
    """How to read the lanes of runs over MPI, and how far their clocks agree."""
    found = [trace.ranks for trace in view.traces if trace.ranks is not None]
    if not found:
        return []
    error = max(int(ranks.error.max(initial=0)) for ranks in found)
    clocks = (
        f"Clocks agree within {time_in(unit_of(error), error)}."
        if error
        else "All ranks read one clock."
    )
    return [
        "Lanes are named by rank and thread; in lane m, messages are under way to the rank.",
        about_lines(max(int(view.in_window(ranks).sum()) for ranks in found), is_page),
        clocks,
    ]


def about_lines(messages: int, is_page: bool) -> str:
    """What shows each of so many messages in the window of one run."""
    most = ARROWS_ON_PAGE if is_page else ARROWS_MOST
    if messages <= most:
        return "Lines lead from where a message was sent to where it came."
    return (
        f"With at most {most} messages of a run in view, lines lead from where each was sent to "
        f"where it came; {'zooming in shows' if is_page else '--from and --to show'} fewer."
    )


def lane_labels(threads: int, lane: float) -> list[int]:
    """The lanes that have a label: all, or as many as do not touch."""
    room = 1.1 * POINTS / 72
    for step in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        if step * lane >= room:
            return list(range(0, threads, step))
    return [0]
