# SPDX-License-Identifier: BSD-3-Clause
"""The interactive chart: one HTML file that contains all events and loads nothing."""

import base64
import gzip
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, StrictUndefined

from pollux.core.text import in_percent
from pollux.insight.graphs.model import Ints
from pollux.insight.traces.lanes import arrows, computing_threads, is_kernel, name_of_lane
from pollux.insight.traces.layout import caption_of
from pollux.insight.traces.model import Trace
from pollux.insight.traces.view import View, panels, time_in, unit_of
from pollux.output.figures.kernels import MESSAGE

if TYPE_CHECKING:
    from pollux.energy.figures.power_below import Powers
    from pollux.energy.meters.curve import PowerCurve

LARGEST = 2**31 - 1  # of the numbers in the page
SCRIPTS = ("runs", "power", "draw", "reader")
WATT_STEP = 0.01  # in which power is written


@dataclass(frozen=True)
class KernelRow:
    """The calls and times of one kernel in one run."""

    name: str
    colour: str
    calls: str
    total: str  # of all threads
    share: str  # of the threads' time
    median: str
    longest: str


def make_gantt_page(view: View, powers: "Powers | None" = None) -> bytes:
    """The page, with the power of each run below its lanes where it is given."""
    curves = powers.curves if powers else (None,) * len(view.traces)
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(own("gantt.html")).render(
        title=", ".join(view.titles),
        caption=caption_of(view, shares=True, is_page=True)
        + (f" {powers.sentence()}" if powers else ""),
        runs=[
            {
                "title": title,
                "mark": mark,
                "summary": summary,
                "power": mean_power(curve, trace),
                "rows": kernel_rows(view, trace),
            }
            for title, trace, summary, mark, curve in zip(
                view.titles, view.traces, view.summaries, view.marks, curves, strict=True
            )
        ],
        style=own("gantt.css"),
        script="".join(own(f"gantt_{part}.js") for part in SCRIPTS),
        data=embedded(data_of(view, powers)),
    )
    return page.encode()


def own(name: str) -> str:
    """A file of this package."""
    return files("pollux.insight.traces").joinpath(name).read_text("utf-8")


def embedded(data: object) -> str:
    """JSON that cannot end a script element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def data_of(view: View, powers: "Powers | None" = None) -> dict[str, Any]:
    """All that the script draws."""
    curves = powers.curves if powers else (None,) * len(view.traces)
    return {
        "highest": powers.highest if powers else None,
        "watt_step": WATT_STEP,
        "begin": view.begin,
        "end": view.end,
        "kernels": [[name, view.colours[name]] for name in view.kernels],
        "traces": [
            trace_data(view, number) | {"mark": mark, "power": power_data(curve, trace)}
            for number, (trace, mark, curve) in enumerate(
                zip(view.traces, view.marks, curves, strict=True)
            )
        ],
    }


def trace_data(view: View, number: int) -> dict[str, Any]:
    """Events by thread and time: seven numbers each, in columns, as packed 32-bit integers.

    Times are in units of `unit` ns, so that runs of any length fit.
    """
    trace = view.traces[number]
    unit = packing_of(trace)
    kernel = np.array([view.kernels.index(n) if n in view.kernels else 0 for n in trace.kernels])
    order = np.lexsort((trace.end, trace.start, trace.thread))
    columns = [kernel[trace.kernel], trace.step, trace.i, trace.j, trace.core]
    columns += [trace.start // unit, trace.end // unit]
    return {
        "title": view.titles[number],
        "summary": view.summaries[number],
        "threads": trace.threads,
        "region": trace.region,
        "submitter": trace.submitter,
        "submitted": trace.submitted,
        "unit": unit,
        "events": len(trace),
        "panels": np.flatnonzero(panels(trace)[order]).tolist(),
        "first": np.searchsorted(trace.thread[order], np.arange(trace.threads + 1)).tolist(),
        "packed": packed(np.concatenate([column[order] for column in columns])),
        "messages": messages_data(trace, unit),
    }


def messages_data(trace: Trace, unit: int) -> dict[str, Any] | None:
    """Of a run over MPI: names of lanes, where ranks begin, and the messages in columns."""
    if trace.ranks is None:
        return None
    found = arrows(trace)
    columns = [found.source, found.target, found.sent // unit, found.received // unit]
    return {
        "lanes": [name_of_lane(trace, lane) for lane in range(trace.threads)],
        "ranks": trace.ranks.first[1:-1].tolist(),
        "count": len(found.sent),
        "packed": packed(np.concatenate([*columns, found.i, found.j])),
    }


def packing_of(trace: Trace) -> int:
    """What packed times are in, ns."""
    return trace.region // LARGEST + 1


def power_data(curve: "PowerCurve | None", trace: Trace) -> dict[str, Any] | None:
    """The times of samples within the run, and the power between them; -1: not known."""
    if curve is None:
        return None
    times = np.clip(curve.edges, 0, trace.region) / packing_of(trace)
    watts = np.where(np.isfinite(curve.watts), np.maximum(curve.watts, 0) / WATT_STEP, -1)
    return {
        "source": curve.source,
        "samples": len(watts),
        "packed": packed(np.rint(np.concatenate([times, watts])).astype(np.int64)),
    }


def mean_power(curve: "PowerCurve | None", trace: Trace) -> str:
    """Of the part of a run over which it is known, for those who cannot see or run the chart."""
    if curve is None:
        return ""
    seconds = np.diff(np.clip(curve.edges, 0, trace.region)) / 1e9
    known = np.isfinite(curve.watts)
    joules = float((seconds[known] * curve.watts[known]).sum())
    return f"mean power {joules / max(float(seconds[known].sum()), 1e-9):.4g} W ({curve.source})"


def packed(numbers: Ints) -> str:
    """Numbers, little-endian, as gzip and base64."""
    content = np.clip(numbers, -1, LARGEST).astype("<i4").tobytes()
    return base64.b64encode(gzip.compress(content, compresslevel=6, mtime=0)).decode()


def kernel_rows(view: View, trace: Trace) -> list[KernelRow]:
    """A table of each kernel's times, for those who cannot see or run the chart."""
    took = trace.end - trace.start
    whole_unit = unit_of(max(t.region for t in view.traces))
    call_unit = unit_of(max(longest_call(t) for t in view.traces))
    whole = max(1, computing_threads(trace) * trace.region)
    rows = []
    for name in view.kernels:
        if name not in trace.kernels or name == MESSAGE:
            continue
        times = took[trace.kernel == trace.kernels.index(name)]
        if len(times):
            rows.append(
                KernelRow(
                    name=name,
                    colour=view.colours[name],
                    calls=f"{len(times):,}".replace(",", "\u202f"),
                    total=time_in(whole_unit, float(times.sum())),
                    share=in_percent(float(times.sum()) / whole, 1),
                    median=time_in(call_unit, float(np.median(times))),
                    longest=time_in(call_unit, float(times.max())),
                )
            )
    return rows


def longest_call(trace: Trace) -> int:
    own = is_kernel(trace)
    return int((trace.end - trace.start)[own].max(initial=0))
