# SPDX-License-Identifier: BSD-3-Clause
"""Which builds there are, which benchmarks they contain, and where their executables are."""

import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pollux.core.advice import build_command, makes
from pollux.core.errors import BadUsageError
from pollux.core.executables.trees import NAMES, manifest_of, tree_of, trees, where

MEASURING = "Release"  # CMake's build type of builds that are measured
SEQUENTIAL = "seq"  # the variant that has no tasks and runs outside any parallel region
COMPUTATION, OVERHEAD = "computation", "overhead"  # what benchmarks measure
DISTRIBUTED = "distributed"  # a computation spread over processes, which a launcher starts
DISTRIBUTED_OVERHEAD = "distributed_overhead"  # a micro-benchmark of that kind
BY_NAME_ALONE = (OVERHEAD, DISTRIBUTED, DISTRIBUTED_OVERHEAD)  # not of what "all" stands for
NAME_LISTS: TypeAdapter[dict[str, list[str]]] = TypeAdapter(dict[str, list[str]])


def benchmarks_in(tree: Path, measures: str = COMPUTATION) -> list[str]:
    """The benchmarks that a build tree lists; none if it is not built."""
    try:
        return NAME_LISTS.validate_json((tree / "bin" / NAMES).read_bytes()).get(measures, [])
    except (OSError, ValidationError):
        return []


def benchmark_names(build_root: Path, measures: str = COMPUTATION) -> list[str]:
    """The benchmarks of all builds."""
    found = trees(build_root).values()
    return list(dict.fromkeys(name for tree in found for name in benchmarks_in(tree, measures)))


def check_benchmarks(build_root: Path, names: Iterable[str]) -> None:
    """Refuse names that no build has, and benchmarks that compute on no matrix."""
    check_computing(build_root, names)
    check_executables(build_root, names)


def check_computing(build_root: Path, names: Iterable[str]) -> None:
    """Refuse benchmarks that compute on no matrix, or not in one process."""
    kinds = (OVERHEAD, DISTRIBUTED_OVERHEAD)
    of_overhead = [n for kind in kinds for n in benchmark_names(build_root, kind)]
    over_mpi = benchmark_names(build_root, DISTRIBUTED)
    for name in names:
        if name in of_overhead:
            raise BadUsageError(f"{name} is a micro-benchmark; only pollux run runs those")
        if name in over_mpi:
            raise BadUsageError(f"{name} is spread over processes; only pollux run runs those")


def check_executables(build_root: Path, names: Iterable[str]) -> None:
    """Refuse names that are of no benchmark."""
    known = benchmark_names(build_root)
    others = [n for kind in BY_NAME_ALONE for n in benchmark_names(build_root, kind)]
    for name in names:
        if name in others:
            continue
        if not known:
            raise nothing_built(build_root)
        if name not in known:
            raise BadUsageError(f"unknown benchmark {name!r}; choose from {', '.join(known)}")


def nothing_built(build_root: Path) -> BadUsageError:
    return BadUsageError(f"nothing is built in {where(build_root)}; {makes('builds')}")


def built_presets(build_root: Path) -> list[str]:
    """The builds that are there, in order of name."""
    return list(trees(build_root))


def check_preset(build_root: Path, preset: str) -> None:
    if not (tree_of(build_root, preset) / "bin").is_dir():
        presets = built_presets(build_root)
        known = f"choose from {', '.join(presets)}" if presets else "nothing is built"
        raise BadUsageError(f"no build {preset!r}; {known}; {makes('more')}")


def executable_path(build_root: Path, preset: str, benchmark: str) -> Path:
    """The executable of a benchmark in a build; BadUsageError says what is missing."""
    path = tree_of(build_root, preset) / "bin" / benchmark
    if not path.is_file():
        check_preset(build_root, preset)
        check_executables(build_root, [benchmark])
        raise BadUsageError(f"{path} is missing; build it with: {build_command(preset)}")
    return path


def executables_in(tree: Path) -> list[Path]:
    """The benchmarks' executables in a build tree."""
    paths = (tree / "bin" / benchmark for benchmark in benchmarks_in(tree))
    return [path for path in paths if path.is_file()]


def build_type(tree: Path) -> str | None:
    """CMake's build type of a build tree; None if neither CMake's cache nor the tree says it."""
    try:
        lines = (tree / "CMakeCache.txt").read_text(errors="replace").splitlines()
    except OSError:
        manifest = manifest_of(tree)
        return manifest.build_type if manifest else None
    cached = (line.partition("=")[2] for line in lines if line.startswith("CMAKE_BUILD_TYPE:"))
    return next(cached, "").strip() or None


def find_tool(build_root: Path, presets: Iterable[str], name: str) -> Path | None:
    """The first of a tool's programs in these builds."""
    paths = (tree_of(build_root, preset) / "bin" / name for preset in presets)
    return next((p for p in paths if p.is_file() and os.access(p, os.X_OK)), None)
