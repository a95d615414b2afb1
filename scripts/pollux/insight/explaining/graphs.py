# SPDX-License-Identifier: BSD-3-Clause
"""The graphs of the explained runs: stored next to the traces, given, or written by a build."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pollux.insight.graphs.file import graphs_in, graphs_with_text
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import find_provider, obtain_graph
from pollux.insight.traces.taking import append

FOLDER = "a new folder"  # where measurements are kept
SUFFIX = ".graph"  # of the files stored next to traces


def graphs_for(
    instances: Sequence[Instance], files: Iterable[Path], build_root: Path
) -> list[Graph]:
    """The graph of each instance: from the first file that contains it, else from a build."""
    known: dict[Instance, Graph] = {}
    for graph in graphs_in(files):
        known.setdefault(graph.instance, graph)
    for instance in instances:
        if instance not in known:
            known[instance] = obtain_graph(instance, build_root)
    return [known[instance] for instance in instances]


def kept_graphs(paths: Iterable[Path]) -> list[Path]:
    """The graph files in the paths that are folders."""
    return [file for path in paths if path.is_dir() for file in sorted(path.glob(f"*{SUFFIX}"))]


def file_name(instance: Instance) -> str:
    """The beginning of the names of its files: all in which two instances of one size differ."""
    i = instance
    own = "".join(f"-{name}={value}" for name, value in i.parameters)
    return f"{i.benchmark}-{i.variant}-{i.tile}{own}"


def keep_graphs(
    instances: Iterable[Instance], folder: Path, build_root: Path, files: Iterable[Path] = ()
) -> None:
    """Put the graph of each instance into a folder: from the first file that has it, or a build."""
    known: dict[Instance, bytes] = {}
    for path in files:
        for graph, text in graphs_with_text(path):
            known.setdefault(graph.instance, text)
    for instance in dict.fromkeys(instances):
        kept = folder / f"{file_name(instance)}{SUFFIX}"
        if instance in known:
            append(kept, known[instance], FOLDER)
        else:
            write_graph(instance, kept, build_root)


def write_graph(instance: Instance, file: Path, build_root: Path) -> None:
    """Have a build write a graph."""
    provider = find_provider(build_root)
    provider.check(instance)
    provider.write(provider.executable(instance.benchmark), instance, file)
