# SPDX-License-Identifier: BSD-3-Clause
"""The graphs of the explained runs: stored next to the traces, given, or written by a build."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.file import graphs_in, graphs_with_text, read_graphs
from pollux.insight.graphs.instances import check_instances
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import find_provider, obtain_graph
from pollux.insight.traces.taking import append

FOLDER = "a new folder"  # where measurements are kept
SUFFIX = ".graph"  # of the files stored next to traces


def graphs_for(
    instances: Sequence[Instance],
    kept: Iterable[Path],
    build_root: Path,
    given: Collection[Path] = (),
) -> list[Graph]:
    """The graph of each instance: from the first file that contains it, else from a build.

    A `given` file that has none of them is a BadUsageError.
    """
    known: dict[Instance, Graph] = {}
    if given:
        check_instances(instances, build_root)
    for path in given:
        graphs = read_graphs(path)
        check_given(path, graphs, instances)
        for graph in graphs:
            known.setdefault(graph.instance, graph)
    if any(instance not in known for instance in instances):
        for graph in graphs_in(kept):
            known.setdefault(graph.instance, graph)
    for instance in instances:
        if instance not in known:
            known[instance] = obtain_graph(instance, build_root)
    return [known[instance] for instance in instances]


def check_given(path: Path, graphs: Iterable[Graph], instances: Collection[Instance]) -> None:
    """Refuse a file that was named for nothing."""
    if not any(graph.instance in instances for graph in graphs):
        wanted = " or ".join(dict.fromkeys(map(str, instances)))
        raise BadUsageError(f"--graph {path}: none of its graphs is of {wanted}")


def folders_of(paths: Iterable[Path]) -> list[Path]:
    """The paths that are folders, and the folders that the others are in."""
    return list(dict.fromkeys(path if path.is_dir() else path.parent for path in paths))


def kept_graphs(paths: Sequence[Path], instances: Iterable[Instance] = ()) -> list[Path]:
    """The graph files in the paths that are folders; next to files, those of the instances."""
    names = {f"{file_name(instance)}{SUFFIX}" for instance in instances}
    return [
        file
        for folder in folders_of(paths)
        for file in sorted(folder.glob(f"*{SUFFIX}"))
        if folder in paths or file.name in names
    ]


def file_name(instance: Instance) -> str:
    """The beginning of the names of its files: all in which two instances of one size differ."""
    i = instance
    own = "".join(f"-{name}={value}" for name, value in i.parameters)
    return f"{i.benchmark}-{i.variant}-{i.tile}{own}"


def keep_graphs(
    instances: Iterable[Instance], folder: Path, build_root: Path, files: Collection[Path] = ()
) -> None:
    """Put the graph of each instance into a folder: from the first file that has it, or a build."""
    wanted = list(dict.fromkeys(instances))
    if files:
        check_instances(wanted, build_root)
    known: dict[Instance, bytes] = {}
    for path in files:
        found = list(graphs_with_text(path))
        check_given(path, (graph for graph, _ in found), wanted)
        for graph, text in found:
            known.setdefault(graph.instance, text)
    for instance in wanted:
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
