# SPDX-License-Identifier: BSD-3-Clause
"""Writes graphs for Graphviz (DOT) and for programs that read GraphML."""

import io
import json
from collections.abc import Iterator
from xml.etree import ElementTree

from pollux.insight.graphs.labels import label_of, place_of
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.reach import implied_edges
from pollux.insight.graphs.rows import owners
from pollux.output.figures.kernels import kernel_colours
from pollux.output.figures.style import clean

GRAPHML = "http://graphml.graphdrawing.org/xmlns"
LOOK = (
    "rankdir=TB; ranksep=0.25; nodesep=0.12;",
    'node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=10, '
    'margin="0.06,0.03", height=0.3, width=0.5];',
    "edge [arrowsize=0.5];",
)
# Attributes of nodes and edges: name, of what, type.
KEYS = (
    ("kernel", "node", "string"),
    ("step", "node", "int"),
    ("i", "node", "int"),
    ("j", "node", "int"),
    ("task", "node", "int"),
    ("label", "node", "string"),
    ("colour", "node", "string"),
    ("implied", "edge", "boolean"),
)


def dot_text(graph: Graph, number: int = 0) -> str:
    """The graph in DOT, without edges that longer paths imply."""
    return "".join(
        f"{line}\n" for line in dot_lines(graph, f"graph{number}" if number else "tasks")
    )


def dot_lines(graph: Graph, name: str) -> Iterator[str]:
    colours = kernel_colours(graph.kernels)
    implied = implied_edges(graph.before)
    yield f"// {clean(str(graph.instance))}"
    yield f"digraph {name} {{"
    yield from (f"  {line}" for line in LOOK)
    for node, kernel in enumerate(graph.names()):
        place = place_of(graph, node)
        text = f"{kernel} {graph.step[node]}\\n{place}" if place else kernel
        yield f'  n{node} [label="{quoted(text)}", fillcolor="{colours[kernel]}"];'
    for edge, node in enumerate(owners(graph.before)):
        if implied is None or not implied[edge]:
            yield f"  n{graph.before.values[edge]} -> n{node};"
    yield "}"


def quoted(text: str) -> str:
    """Text between the quotes of DOT."""
    return clean(text).replace('"', '\\"')


def graphml_bytes(graphs: list[Graph]) -> bytes:
    """The graphs in GraphML, with all edges; `implied` marks those that longer paths imply."""
    ElementTree.register_namespace("", GRAPHML)
    root = ElementTree.Element(f"{{{GRAPHML}}}graphml")
    for name, of, kind in KEYS:
        attributes = {"id": name, "for": of, "attr.name": name, "attr.type": kind}
        ElementTree.SubElement(root, f"{{{GRAPHML}}}key", attributes)
    for number, graph in enumerate(graphs):
        add_graph(root, graph, f"g{number}")
    ElementTree.indent(root, " ")
    buffer = io.BytesIO()
    ElementTree.ElementTree(root).write(buffer, encoding="utf-8", xml_declaration=True)
    return buffer.getvalue() + b"\n"


def add_graph(root: ElementTree.Element, graph: Graph, name: str) -> None:
    attributes = {"id": name, "edgedefault": "directed"}
    element = ElementTree.SubElement(root, f"{{{GRAPHML}}}graph", attributes)
    add(element, "desc", {}, clean(str(graph.instance)))
    colours = kernel_colours(graph.kernels)
    for node, kernel in enumerate(graph.names()):
        data: dict[str, str | int | bool] = {
            "kernel": kernel,
            "step": int(graph.step[node]),
            "i": int(graph.i[node]),
            "j": int(graph.j[node]),
            "task": int(graph.task[node]),
            "label": label_of(graph, node),
            "colour": colours[kernel],
        }
        add_data(add(element, "node", {"id": f"{name}n{node}"}), data)
    implied = implied_edges(graph.before)
    for edge, node in enumerate(owners(graph.before)):
        ends = {"source": f"{name}n{graph.before.values[edge]}", "target": f"{name}n{node}"}
        made = add(element, "edge", ends)
        if implied is not None:
            add_data(made, {"implied": bool(implied[edge])})


def add(
    parent: ElementTree.Element, name: str, attributes: dict[str, str], text: str | None = None
) -> ElementTree.Element:
    made = ElementTree.SubElement(parent, f"{{{GRAPHML}}}{name}", attributes)
    made.text = text
    return made


def add_data(parent: ElementTree.Element, data: dict[str, str | int | bool]) -> None:
    for key, value in data.items():
        text = clean(value) if isinstance(value, str) else json.dumps(value)
        add(parent, "data", {"key": key}, text)
