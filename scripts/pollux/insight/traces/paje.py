# SPDX-License-Identifier: BSD-3-Clause
"""Traces for ViTE, PajéNG and pj_dump, in the Pajé trace file format.

There is a container for each trace and, in it, one for each thread, whose state is its current
kernel or idle. The tile's coordinates, step and core are fields after those the format requires.
Format: Kergommeaux, Stein, Bernard, "Pajé, an interactive visualization tool for tuning
multi-threaded parallel applications", Parallel Computing 26 (2000), and Schnorr, "Paje Trace File".
"""

from collections.abc import Iterator

import numpy as np
from matplotlib.colors import to_rgb

from pollux.insight.traces.lanes import name_of_lane
from pollux.insight.traces.model import Trace
from pollux.insight.traces.view import View

SECOND = 1e9  # ns
DEFINITIONS = (
    ("PajeDefineContainerType", "Alias string, Type string, Name string"),
    ("PajeDefineStateType", "Alias string, Type string, Name string"),
    ("PajeDefineEntityValue", "Alias string, Type string, Name string, Color color"),
    (
        "PajeCreateContainer",
        "Time date, Alias string, Type string, Container string, Name string",
    ),
    ("PajeDestroyContainer", "Time date, Type string, Name string"),
    ("PajeSetState", "Time date, Type string, Container string, Value string"),
    (
        "PajeSetState",
        "Time date, Type string, Container string, Value string, Step int, I int, J int, Core int",
    ),
)
CONTAINER_TYPE, STATE_TYPE, VALUE, CREATE, DESTROY, IDLE, RUN = range(len(DEFINITIONS))


def paje_trace(view: View) -> bytes:
    """The events in the window; times are from the start of the timed region."""
    lines = [*definitions(), *types(view), *containers(view)]
    lines += changes(view)
    lines += ends(view)
    return "".join(f"{line}\n" for line in lines).encode()


def definitions() -> Iterator[str]:
    """The fields of each kind of line."""
    for number, (name, fields) in enumerate(DEFINITIONS):
        yield f"%EventDef {name} {number}"
        yield from (f"%  {field}" for field in fields.split(", "))
        yield "%EndEventDef"


def types(view: View) -> Iterator[str]:
    yield f'{CONTAINER_TYPE} R 0 "Run"'
    yield f'{CONTAINER_TYPE} T R "Thread"'
    yield f'{STATE_TYPE} S T "Kernel"'
    yield f'{VALUE} idle S "idle" "1.0 1.0 1.0"'
    for name in view.kernels:
        red, green, blue = to_rgb(view.colours[name])
        yield f'{VALUE} {value(name)} S {quoted(name)} "{red:.4f} {green:.4f} {blue:.4f}"'


def value(kernel: str) -> str:
    """The alias of a kernel's state."""
    return quoted(f"k-{kernel}")


def quoted(text: str) -> str:
    """A string of the format, which cannot contain quotation marks."""
    return '"' + "".join(c if c.isprintable() else " " for c in text).replace('"', "'") + '"'


def containers(view: View) -> Iterator[str]:
    begin = f"{view.begin / SECOND:.9f}"
    for run, trace in enumerate(view.traces):
        yield f"{CREATE} {begin} r{run} R 0 {quoted(f'{run + 1}: {view.titles[run]}')}"
        for thread in range(trace.threads):
            alias = f"r{run}t{thread}"
            yield f'{CREATE} {begin} {alias} T r{run} "thread {name_of_lane(trace, thread)}"'
            yield f"{IDLE} {begin} S {alias} idle"


def ends(view: View) -> Iterator[str]:
    """All containers end together: a run that has finished stays idle."""
    end = f"{view.end / SECOND:.9f}"
    for run, trace in enumerate(view.traces):
        for thread in range(trace.threads):
            yield f"{DESTROY} {end} T r{run}t{thread}"
        yield f"{DESTROY} {end} R r{run}"


def changes(view: View) -> list[str]:
    """Every change of state within the window, in order of time, as the format requires."""
    lines: list[str] = []
    times: list[float] = []
    for run, trace in enumerate(view.traces):
        for time, line in changes_of(view, trace, run):
            times.append(time)
            lines.append(line)
    order = np.argsort(np.array(times), kind="stable")
    return [lines[place] for place in order.tolist()]


def changes_of(view: View, trace: Trace, run: int) -> Iterator[tuple[float, str]]:
    """The changes of one trace, thread by thread."""
    order = np.lexsort((trace.end, trace.start, trace.thread))
    order = order[view.visible(trace)[order]]
    thread, start, end = (c[order] for c in (trace.thread, trace.start, trace.end))
    goes_on = np.zeros(len(order), bool)  # whether the next one begins at once
    goes_on[:-1] = (thread[1:] == thread[:-1]) & (start[1:] == end[:-1])
    names = [value(name) for name in trace.kernels]
    columns = (trace.kernel, trace.step, trace.i, trace.j, trace.core)
    lists = [column[order].tolist() for column in columns]
    others = (thread.tolist(), start.tolist(), end.tolist(), goes_on.tolist())
    for kernel, step, i, j, core, lane, first, last, next_ in zip(*lists, *others, strict=True):
        own = f"S r{run}t{lane}"
        begins = max(float(first), view.begin)
        yield (
            begins,
            f"{RUN} {begins / SECOND:.9f} {own} {names[kernel]} {step} {i} {j} {core}",
        )
        if not next_ and last <= view.end:
            yield last, f"{IDLE} {last / SECOND:.9f} {own} idle"
