# SPDX-License-Identifier: BSD-3-Clause
"""Has a benchmark write the task graph of an instance, under a runtime with OMPT."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from pollux.core.advice import makes
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.arguments import arguments
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.builds import built_presets, executable_path
from pollux.core.executables.listing import Executables, describe
from pollux.core.executables.process import Ended, run_process
from pollux.core.executables.trees import where
from pollux.core.listings import Variant
from pollux.core.paths import BUILDS
from pollux.core.records import DEFAULT_KERNELS, kernels_option
from pollux.core.runtimes.found import target_named
from pollux.core.statuses import BAD_USAGE
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.instances import check_graph
from pollux.insight.graphs.model import Graph, Instance

WITH_OMPT = ("libomp", "libiomp5")  # builds whose runtimes have OMPT
SECONDS_LIMIT = 600.0  # creating 10^6 tasks under a tool takes a few seconds
GRAPH_BYTES = 1 << 33
TASKS_MOST = 4e6  # of a graph that fits into a few GB, in the program and here


@dataclass(frozen=True)
class GraphProvider:
    """Executables of one build, and the environment in which they write their graphs."""

    build_root: Path
    preset: str
    variables: Mapping[str, str]
    kernels: str = DEFAULT_KERNELS

    @cached_property
    def executables(self) -> Executables:
        return Executables(self.build_root)

    @property
    def benchmarks(self) -> Benchmarks:
        return Benchmarks(self.executables)

    def variants(self, benchmark: str) -> list[Variant]:
        """The variants that the benchmark lists."""
        return self.executables.ask(self.executable(benchmark), self.variables).variants

    def executable(self, benchmark: str) -> Path:
        return executable_path(self.build_root, self.preset, benchmark)

    def graph(self, instance: Instance) -> Graph:
        """The graph of an instance that `check` accepts."""
        executable = self.executable(instance.benchmark)
        with TemporaryDirectory(prefix="pollux-") as folder:
            file = Path(folder) / "graph.jsonl"
            self.write(executable, instance, file)
            return read_graph(file)

    def check(self, instance: Instance) -> None:
        """Refuse what has no graph here, or one that would not fit in memory."""
        for variant in self.variants(instance.benchmark):
            if variant.variant == instance.variant:
                check_graph(variant)
        tasks = self.tasks(instance)
        if tasks > TASKS_MOST:
            raise BadUsageError(
                f"{instance} has about {tasks:,.0f} tasks; the limit is {TASKS_MOST:,.0f}: "
                "larger tiles make fewer"
            )

    def tasks(self, instance: Instance) -> float:
        """The number of tasks: at most what the benchmark states, or else about that many.

        A variant that does not exist has a number too: writing its graph says what is wrong.
        """
        executable = self.executable(instance.benchmark)
        listing = describe(executable, self.variables, **instance.options())
        known = (listing.instances[0].tasks or {}).get(instance.variant)
        return known if known is not None else about_tasks(instance, symmetric=listing.symmetric)

    def write(self, executable: Path, instance: Instance, file: Path) -> None:
        """Have the graph of an instance written to a file."""
        options = arguments(kernels=kernels_option(self.kernels), graph=file)
        command = [str(executable), *instance.arguments(), *options]
        ended = run_process(command, self.variables, SECONDS_LIMIT, file_bytes=GRAPH_BYTES)
        if ended.status == BAD_USAGE:
            raise BadUsageError(f"{instance}: {own_words(ended, instance)}")
        if ended.status != 0:
            raise MachineError(f"{instance}: {own_words(ended, instance)}")
        if not file.is_file():
            raise MachineError(f"{executable} wrote no graph: built from another version")


def about_tasks(instance: Instance, *, symmetric: bool) -> float:
    """The number of updates of a factorization, in each step all tiles below and right of it.

    Of a symmetric matrix, those of the lower triangle.
    """
    steps = instance.tile.steps(instance.m, instance.n)
    rows, columns = instance.m / instance.mb, instance.n / instance.nb
    lost = instance.nb / instance.mb  # rows of tiles in each step
    all_ = steps * (rows * columns - (rows + columns * lost) * steps / 2 + lost * steps**2 / 3)
    return all_ / 2 if symmetric else all_


def own_words(ended: Ended, instance: Instance) -> str:
    """Why a program failed, without its name."""
    return ended.failure.removeprefix(f"{instance.benchmark}: ")


def obtain_graph(
    instance: Instance, build_root: Path = BUILDS, runtime: str | None = None
) -> Graph:
    """The graph of an instance, under a build or combination, else the first that can write it."""
    provider = find_provider(build_root, runtime)
    provider.check(instance)
    return provider.graph(instance)


def find_provider(
    build_root: Path = BUILDS, runtime: str | None = None, kernels: str = DEFAULT_KERNELS
) -> GraphProvider:
    """The build or combination of that label, else the first build whose runtime has OMPT."""
    if runtime is None:
        built = [name for name in WITH_OMPT if name in built_presets(build_root)]
        if not built:
            raise BadUsageError(
                f"no build in {where(build_root)} has a runtime with OMPT, which writes graphs; "
                f"{makes('one', 'libomp')}; --graph takes a file instead"
            )
        return GraphProvider(build_root, built[0], {}, kernels)
    target = target_named(runtime, build_root)
    return GraphProvider(build_root, target.preset, target.variables, kernels)
