# SPDX-License-Identifier: BSD-3-Clause
"""Has a benchmark write the task graph of an instance, under a runtime that tells it (OMPT)."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from pollux.campaign.values import BENCHMARKS
from pollux.errors import BadUsageError, MachineError
from pollux.executables.listing import Executables
from pollux.graphs.file import read_graph
from pollux.graphs.model import Graph, Instance
from pollux.paths import BUILDS, RESULTS, ROOT
from pollux.records import Variant
from pollux.runtimes.identify import Said

TELLING = ("libomp", "libiomp5")  # builds whose runtimes have OMPT
SEQUENTIAL = "seq"  # the variant that has no tasks
SECONDS_LIMIT = 600.0  # creating 10^6 tasks under a tool takes a few seconds
TASKS_MOST = 4e6  # of a graph that fits into a few GB, in the program and here


@dataclass(frozen=True)
class Teller:
    """Executables of one build, and the environment in which they tell their graphs."""

    build_root: Path
    preset: str
    variables: Mapping[str, str]

    @cached_property
    def executables(self) -> Executables:
        return Executables(self.build_root)

    def variants(self, benchmark: str) -> list[Variant]:
        """The variants that it lists."""
        return self.executables.ask(self.executable(benchmark), self.variables).variants

    def executable(self, benchmark: str) -> Path:
        if benchmark not in BENCHMARKS:
            raise BadUsageError(f"no benchmark {benchmark!r}; there are {', '.join(BENCHMARKS)}")
        return self.executables.path(self.preset, benchmark)

    def graph(self, instance: Instance) -> Graph:
        """The graph of an instance."""
        check_size(instance)
        executable = self.executable(instance.benchmark)
        with TemporaryDirectory(prefix="pollux-") as folder:
            file = Path(folder) / "graph.jsonl"
            self.write(executable, instance, file)
            return read_graph(file)

    def write(self, executable: Path, instance: Instance, file: Path) -> None:
        """Have the graph of an instance written to a file."""
        ended = run([str(executable), *arguments(instance), "--graph", str(file)], self.variables)
        if ended.status == 2:
            raise BadUsageError(f"{instance}: {own_words(ended, instance)}")
        if ended.status != 0:
            raise MachineError(f"{instance}: {own_words(ended, instance)}")
        if not file.is_file():
            raise MachineError(f"{executable} wrote no graph: built from another version")


def check_size(instance: Instance) -> None:
    """Refuse a graph that would fill the memory: each step updates what is left of the matrix."""
    tasks = about_tasks(instance)
    if tasks > TASKS_MOST:
        raise BadUsageError(
            f"{instance} has about {tasks:.1g} tasks; graphs of up to {TASKS_MOST:.1g} can be had: "
            "larger tiles make fewer"
        )


def about_tasks(instance: Instance) -> float:
    """Tasks that update: by all steps, of all tiles below and right of them."""
    steps = instance.tile.steps(instance.m, instance.n)
    rows, columns = instance.m / instance.mb, instance.n / instance.nb
    lost = instance.nb / instance.mb  # rows of tiles in each step
    return steps * (rows * columns - (rows + columns * lost) * steps / 2 + lost * steps**2 / 3)


def own_words(ended: Said, instance: Instance) -> str:
    """Why a program failed, without its name."""
    return ended.failure().removeprefix(f"{instance.benchmark}: ")


def arguments(instance: Instance) -> list[str]:
    """The options that make an executable run an instance."""
    found = ["--variant", instance.variant, "--size", str(instance.n), "--tile", str(instance.tile)]
    if instance.m != instance.n:
        found += ["--rows", str(instance.m)]
    if instance.ib:
        found += ["--inner", str(instance.ib)]
    return found


def run(command: list[str], variables: Mapping[str, str]) -> Said:
    """Run a program to its end; what it says on standard error is kept."""
    try:
        ended = subprocess.run(
            command,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=SECONDS_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise MachineError(f"{command[0]} --graph: not done after {SECONDS_LIMIT:g} s") from error
    except OSError as error:
        raise MachineError(f"cannot start {command[0]} ({error.strerror})") from error
    return Said(ended.returncode, "", ended.stderr)


def obtain_graph(
    instance: Instance, build_root: Path = BUILDS, runtime: str | None = None
) -> Graph:
    """The graph of an instance, under a build or combination, else the first that can tell it."""
    return find_teller(build_root, runtime).graph(instance)


def find_teller(build_root: Path = BUILDS, runtime: str | None = None) -> Teller:
    """The build or combination of that label, else the first build whose runtime has OMPT."""
    if runtime is None:
        built = [name for name in TELLING if (build_root / name / "bin").is_dir()]
        if not built:
            raise BadUsageError(
                f"no build under {build_root} has a runtime that tells its graphs (OMPT); "
                "scripts/build libomp makes one, --graph takes a graph that was written elsewhere"
            )
        return Teller(build_root, built[0], {})
    if "+" not in runtime:
        return Teller(build_root, existing(build_root, runtime), {})
    from pollux.runtimes.found import resolve_target

    try:
        target = resolve_target(runtime, ROOT, build_root, RESULTS)
    except ValueError as error:
        raise BadUsageError(str(error)) from error
    return Teller(build_root, target.preset, target.variables)


def existing(build_root: Path, preset: str) -> str:
    """The name of a build that is there."""
    if not (build_root / preset / "bin").is_dir():
        built = ", ".join(sorted(p.parent.name for p in build_root.glob("*/bin"))) or "none"
        raise BadUsageError(f"no build {preset!r}; there are {built}; scripts/build makes more")
    return preset
