# SPDX-License-Identifier: BSD-3-Clause
"""The graphs that a command works on: from files, or of variants of a build."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.parameters import Wanted, check_parameters
from pollux.core.executables.variants import check_kernels
from pollux.core.tiles import WantedTile
from pollux.insight.graphs.file import graphs_in
from pollux.insight.graphs.instances import check_instances, instances_of, with_graph
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import GraphProvider, find_provider


@dataclass(frozen=True)
class Sizes:
    """Of the instances, in elements."""

    rows: int | None  # None: as many as columns
    size: int | None  # None: the benchmark's own
    tile: WantedTile
    inner: int | None  # None: the benchmark's default
    parameters: Wanted = field(default_factory=dict)

    def instances(
        self, known: Benchmarks, benchmark: str, variant: str, kernels: str
    ) -> list[Instance]:
        """One for each combination of parameters."""
        shape = (self.rows, self.size, self.tile, self.inner)
        return instances_of(known, benchmark, variant, *shape, kernels, self.parameters)


def graphs_of_files(files: Sequence[Path], build_root: Path) -> list[Graph]:
    """The graphs in some files."""
    found = graphs_in(files)
    check_instances((graph.instance for graph in found), build_root)
    return found


def graphs_of_variants(  # noqa: PLR0913, PLR0917 (the properties of a graph)
    benchmarks: Sequence[str],
    names: Sequence[str],
    sizes: Sizes,
    build_root: Path,
    runtime: str | None,
    kernels: str,
) -> list[Graph]:
    """The graphs of the named variants, else of all variants of the build."""
    check_kernels([kernels])
    provider = find_provider(build_root, runtime, kernels)
    known = provider.benchmarks
    wanted = list(dict.fromkeys(choose(provider, benchmarks, names)))
    check_parameters(sizes.parameters, [known.listing(b) for b in dict(wanted)])
    instances = [i for b, v in wanted for i in sizes.instances(known, b, v, kernels)]
    for instance in instances:  # before the first graph is made
        provider.check(instance)
    return [provider.graph(instance) for instance in instances]


def choose(
    provider: GraphProvider, benchmarks: Sequence[str], names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Benchmarks and variants to show, in the order of the lists."""
    known = provider.benchmarks
    known.check(benchmarks)
    for benchmark in benchmarks:
        listed = provider.variants(benchmark)
        for other in known.others_of_algorithm(benchmark):
            listed = [*listed, *provider.variants(other)]
        for variant in with_graph(listed, names, benchmark):
            yield variant.benchmark, variant.variant
