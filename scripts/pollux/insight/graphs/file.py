# SPDX-License-Identifier: BSD-3-Clause
"""Reads graph files (schema pollux-graph/1, docs/traces.md)."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.paths import no_device
from pollux.core.text import counted
from pollux.core.validation import refuse_windows_ends
from pollux.insight.graphs.edges import BackwardEdgeError, build_graph
from pollux.insight.graphs.events import ERRORS, FINE, Events, check
from pollux.insight.graphs.header import WANTED, header_of
from pollux.insight.graphs.lines import BrokenLineError, read_arrays
from pollux.insight.graphs.model import Graph


def read_graph(path: Path) -> Graph:
    """The one graph of a file."""
    graphs = read_graphs(path)
    if len(graphs) != 1:
        listed = "; ".join(str(graph.instance) for graph in graphs)
        raise BadUsageError(f"{path} contains {len(graphs)} graphs where one is needed: {listed}")
    return graphs[0]


def read_graphs(path: Path) -> list[Graph]:
    """All graphs of a file, in its order; at least one."""
    return [graph for graph, _ in graphs_with_text(path)]


def graphs_in(paths: Iterable[Path]) -> list[Graph]:
    """All graphs of some files."""
    return [graph for path in paths for graph in read_graphs(path)]


def graphs_with_text(path: Path) -> Iterator[tuple[Graph, bytes]]:
    """The same, each with its part of the file."""
    text = read_bytes(path)
    if not text.strip():
        raise BadUsageError(f"{path} is empty; it should be {WANTED}")
    for begin, end in sections(text):
        yield graph_of(path, text, begin, end), text[begin:end]


def read_bytes(path: Path, wanted: str = "") -> bytes:
    """What a file has; `wanted` ends the message where it cannot be read."""
    try:
        return refuse_windows_ends(path, no_device(path).read_bytes())
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror}){wanted}") from error
    except MemoryError as error:
        raise MachineError(f"{path} is larger than the memory that is left") from error


def sections(text: bytes) -> Iterator[tuple[int, int]]:
    """The begin and end of each header with its events."""
    begin = 0
    while begin < len(text):
        found = text.find(b"\n{", begin)
        end = found + 1 if found >= 0 else len(text)
        yield begin, end
        begin = end


def graph_of(path: Path, text: bytes, begin: int, end: int) -> Graph:
    """The graph whose header begins there."""
    newline = text.find(b"\n", begin, end)
    body = newline + 1 if newline >= 0 else end
    header = header_of(text[begin:body], f"{path}, line {line_of(text, begin)}")
    try:
        arrays, places = read_arrays(text[body:end])
    except BrokenLineError as error:
        what = (
            "the line is cut off; the program that wrote it did not come to its end"
            if error.torn
            else "this is not an array of integers"
        )
        place = max(0, error.place - 1) if error.torn else error.place
        raise BadUsageError(f"{path}, line {line_of(text, body + place)}: {what}") from error
    if len(arrays) != header.events:
        raise BadUsageError(
            f"{path}, line {line_of(text, begin)}: {counted(len(arrays), 'event')} after this "
            f"header, which states {header.events}: the graph is not whole"
        )
    event, problem = check(
        arrays.values,
        arrays.start,
        len(header.kernels),
        len(header.operations),
        len(header.objects),
    )
    if problem != FINE:
        line = line_of(text, body + int(places[event]))
        raise BadUsageError(f"{path}, line {line}: {ERRORS[problem]}")
    events = Events(header, arrays)
    try:
        return build_graph(events)
    except BackwardEdgeError as error:
        raise BadUsageError(
            f"{path}: the events of {header.instance()} are not in the order of sequential "
            f"execution: task {error.task} acts before one that it waits for has ended"
        ) from error


def line_of(text: bytes, place: int) -> int:
    """The number of the line that a place in the text is in, from 1."""
    return text.count(b"\n", 0, place) + 1
