# SPDX-License-Identifier: BSD-3-Clause
"""Power over time: the runs of a campaign as a Gantt chart, and the machine's power below it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pollux.energy.analysis.power import Session
from pollux.energy.analysis.sources import spans_of
from pollux.energy.meters.curve import PowerCurve, curve_of
from pollux.energy.meters.offset import Span
from pollux.output.figures.entries import levels_of, looks_for
from pollux.output.figures.selection import AT_MOST, Plan, Request, chosen
from pollux.output.figures.sheet import Sheet, draw_sheet
from pollux.output.figures.style import DASHES, GREY, Dash, Look

COLUMNS = 700  # of a curve, and of a lane: each is a hundredth of an inch wide
REASONS = 3  # why there is no power, at most
UNKNOWN_LEAST = 0.001  # of the time; less is a step at either end
COLOUR = "#303030"
LANE = 0.2  # inches
BAR = 0.7  # of a lane
PALE = 0.3  # opacity of processes, beside their timed regions
BETWEEN = 0.08  # inches between the lanes and the power
HEIGHT = 1.4  # inches of the power
ROOM = 0.55  # inches, for the numbers at its left
UNITS = (("h", 3.6e12, 3.0), ("min", 6e10, 5.0), ("s", 1e9, 0.5), ("ms", 1e6, 0.0))


@dataclass(frozen=True)
class Lane:
    """When processes of one level ran, and their timed regions, in ns from the first process."""

    level: str
    processes: list[Span]
    runs: list[Span]


@dataclass(frozen=True)
class PowerPage:
    """The contents of a page."""

    session: Session
    begin: int  # ns since 1970
    end: int
    lanes: list[Lane]
    curves: list[PowerCurve]  # each source by itself

    @property
    def seconds(self) -> float:
        return (self.end - self.begin) / 1e9


def plan_power(request: Request) -> Plan:
    """A page for each session of which some power is known, and why others have none."""
    sessions = request.points.sessions if request.points else ()
    levels = {entry.row.key: entry.level for entry in chosen(request)}
    order = levels_of(request.result)
    pages, lacking = [], []
    for session in sessions:
        samples = [sample for sample in session.samples if sample.configuration in levels]
        if samples:
            page = page_of(replace(session, samples=samples), levels, order)
            if page.curves:
                pages.append(page)
            else:
                lacking.append(why_none(page))
    looks = looks_for(request.result)
    if len(pages) > AT_MOST:
        lacking.insert(0, f"power: the first {AT_MOST} of {len(pages)} sessions")
    return Plan(
        [*zip(names_of(request, pages), pages, strict=True)][:AT_MOST],
        lambda page: power_figure(page, looks, request.width),
        "; ".join(lacking[:REASONS]) or None,
    )


def names_of(request: Request, pages: Sequence[PowerPage]) -> list[str]:
    """Of files: with the records' name where there are several, and the number of the session."""
    names = [page.session.name for page in pages]
    many = len(request.result.dataset.paths) > 1
    labels = []
    for place, name in enumerate(names):
        number = names[: place + 1].count(name)
        label = f"{name}-power-over-time" if many else "power-over-time"
        labels.append(f"{label}-{number}" if names.count(name) > 1 else label)
    return labels


def why_none(page: PowerPage) -> str:
    begin, end = (time_of_day(when) for when in (page.begin, page.end))
    reasons = [f"{series.name} has no power then" for series in page.session.series]
    reasons = list(dict.fromkeys([*reasons, *page.session.lacking]))
    return (
        f"no power is known of {page.session.name} on {page.session.host} from {begin} to {end} "
        f"UTC: {', '.join(reasons[:REASONS])}"
    )


def time_of_day(when: int) -> str:
    return f"{datetime.fromtimestamp(when / 1e9, UTC):%Y-%m-%d %H:%M:%S}"


def page_of(session: Session, levels: Mapping[str, str], order: Sequence[str]) -> PowerPage:
    """The page of a session; without curves where no power is known."""
    spans = [span for sample in session.samples for span in spans_of(sample)]
    begin, end = min(start for start, _ in spans), max(stop for _, stop in spans)
    least = (end - begin) / COLUMNS
    lanes = []
    for level in order:
        own = [sample for sample in session.samples if levels[sample.configuration] == level]
        if own:
            processes = [span for sample in own for span in spans_of(sample)]
            runs = [(run.begin, run.end) for sample in own for run in sample.runs]
            lanes.append(Lane(level, joined(processes, begin, least), joined(runs, begin, least)))
    found = [curve_of(series, begin, end).until(end - begin) for series in session.series]
    curves = [curve.reduced(COLUMNS) for curve in found if curve.is_known]
    return PowerPage(session, begin, end, lanes, curves)


def joined(spans: Iterable[Span], begin: int, least: float) -> list[Span]:
    """The spans from `begin` on; those with less than `least` between them are one.

    Each is at least as long, so that it can be seen.
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        first, last = start - begin, max(end - begin, start - begin + round(least))
        if found and first - found[-1][1] < least:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def power_figure(page: PowerPage, looks: Mapping[str, Look], width: float) -> Figure:
    """A lane for each level, and the power of each source on the same axis of time."""
    names = list(dict.fromkeys(curve.source for curve in page.curves))
    dashes = {name: DASHES[k % len(DASHES)] for k, name in enumerate(names)}
    sheet = Sheet(
        title=f"{page.session.name}: power over time on {page.session.host}",
        caption=caption_of(page),
        legend=[
            (Patch(facecolor=GREY, linewidth=0), "timed region"),
            (Patch(facecolor=GREY, alpha=PALE, linewidth=0), "process around it"),
            *((Line2D([], [], color=COLOUR, linestyle=dashes[n], linewidth=0.9), n) for n in names),
        ],
        rows=[lane.level for lane in page.lanes],
        room=ROOM,
    )
    height = LANE * len(page.lanes)
    total = height + BETWEEN + HEIGHT
    figure, lanes = draw_sheet(sheet, width, total)
    box = lanes.get_position()
    unit = box.height / total
    lanes.set_position((box.x0, box.y1 - height * unit, box.width, height * unit))
    below = figure.add_axes((box.x0, box.y0, box.width, HEIGHT * unit), sharex=lanes)
    name, scale = next((n, s) for n, s, least in UNITS if page.end - page.begin >= least * s)
    draw_lanes(lanes, page.lanes, looks, scale)
    draw_powers(below, page.curves, dashes, scale)
    margin = 0.01 * (page.end - page.begin) / scale
    below.set_xlim(-margin, (page.end - page.begin) / scale + margin)
    below.set_xlabel(f"time ({name})", labelpad=1)
    return figure


def caption_of(page: PowerPage) -> str:
    names = dict.fromkeys(curve.source for curve in page.curves)
    sources = "; ".join(words_of(name, page) for name in names)
    return (
        f"Time from {time_of_day(page.begin)} UTC. Power, blank where it is not known: {sources}."
    )


def words_of(name: str, page: PowerPage) -> str:
    """What a source is, what is drawn of it, and how much of the time it does not know."""
    series = next(series for series in page.session.series if series.name == name)
    curves = [curve for curve in page.curves if curve.source == name]
    step = duration(series.step)
    column = max(
        (float(c.edges[1] - c.edges[0]) / 1e9 for c in curves if c.low is not None), default=0
    )
    drawn = f"samples every {step}"
    if column:
        drawn += f", means over {duration(column)} and a band from the least to the most of each"
    unknown = 1 - sum(curve.known_time for curve in curves) / (page.seconds * 1e9)
    if unknown >= UNKNOWN_LEAST:
        drawn += f"; not known for {100 * unknown:.2g} % of the time"
    return f"{name}: {series.measures} ({drawn})"


def duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{1e3 * seconds:.3g} ms"


def draw_lanes(axes: Axes, lanes: Sequence[Lane], looks: Mapping[str, Look], scale: float) -> None:
    for place, lane in enumerate(lanes):
        for spans, alpha, name in ((lane.processes, PALE, "processes"), (lane.runs, 1.0, "runs")):
            axes.broken_barh(
                [(begin / scale, (end - begin) / scale) for begin, end in spans],
                (place - BAR / 2, BAR),
                facecolor=looks[lane.level].colour,
                alpha=alpha,
                linewidth=0,
                gid=name,
            )
    axes.tick_params(axis="x", length=0, labelbottom=False)
    axes.spines["bottom"].set_visible(False)


def draw_powers(
    axes: Axes, curves: Sequence[PowerCurve], dashes: Mapping[str, Dash], scale: float
) -> None:
    for curve in curves:
        moved = replace(curve, edges=curve.edges / scale)
        draw_curve(axes, moved, dashes[curve.source], filled=curve.source == curves[0].source)
    axes.set_ylim(0, 1.08 * max(curve.highest for curve in curves))
    axes.set_ylabel("power (W)", labelpad=2)
    axes.tick_params(length=2, pad=2)
    axes.grid(color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)


def draw_curve(
    axes: Axes, curve: PowerCurve, dash: Dash = DASHES[0], *, filled: bool = False
) -> None:
    """Steps from sample to sample, with gaps where power is not known; a band of what they hide."""
    line = partial(axes.stairs, edges=curve.edges, color=COLOUR, gid="power")
    line(curve.watts, linewidth=0.7, linestyle=dash, baseline=None)
    ground = partial(axes.stairs, edges=curve.edges, color=COLOUR, linewidth=0, fill=True)
    if curve.low is not None and curve.high is not None:
        ground(curve.high, baseline=curve.low, alpha=0.3)
    elif filled:
        ground(curve.watts, alpha=0.12)
