# SPDX-License-Identifier: BSD-3-Clause
"""Which builds there are, which benchmarks they hold, and where their executables are."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pollux.errors import BadUsageError

MEASURING = "Release"  # CMake's build type of builds that are measured
USUAL_VARIANT = "depend"
SEQUENTIAL = "seq"  # the variant that has no tasks and runs outside any parallel region


@dataclass(frozen=True)
class Benchmark:
    """What all variants of a benchmark have in common."""

    name: str
    algorithm: str  # variants of one algorithm are compared with each other
    default_variant: str = USUAL_VARIANT
    rectangular: bool = True  # takes rows
    inner_block: bool = False


TABLE = (
    Benchmark("cholesky", "cholesky", rectangular=False),
    Benchmark("lu", "lu"),
    Benchmark("lu-cw", "lu", default_variant="cw"),
    Benchmark("qr", "qr", inner_block=True),
)
BENCHMARKS = tuple(benchmark.name for benchmark in TABLE)


def benchmark_named(name: str) -> Benchmark:
    check_benchmarks([name])
    return next(benchmark for benchmark in TABLE if benchmark.name == name)


def check_benchmarks(names: Iterable[str]) -> None:
    for name in names:
        if name not in BENCHMARKS:
            raise BadUsageError(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")


def with_inner_block(names: Iterable[str]) -> list[str]:
    """Those of the benchmarks whose kernels have an inner block."""
    return [name for name in names if benchmark_named(name).inner_block]


def beside(name: str) -> list[str]:
    """The benchmarks with more variants of the algorithm that this one is named after."""
    return [b.name for b in TABLE if b.algorithm == name != b.name]


def holder(name: str, variant: str) -> str:
    """The benchmark that holds a variant of the algorithm: cw of lu is that of lu-cw."""
    others = (b for b in map(benchmark_named, beside(name)) if b.default_variant != USUAL_VARIANT)
    return next((b.name for b in others if b.default_variant == variant), name)


def built_presets(build_root: Path) -> list[str]:
    """The builds that are there, in order of name."""
    return sorted(path.parent.name for path in build_root.glob("*/bin"))


def check_preset(build_root: Path, preset: str) -> None:
    if not (build_root / preset / "bin").is_dir():
        presets = built_presets(build_root)
        known = f"there are {', '.join(presets)}" if presets else "nothing is built"
        raise BadUsageError(f"no build {preset!r}; {known}; scripts/build makes more")


def executable_path(build_root: Path, preset: str, benchmark: str) -> Path:
    """The executable of a benchmark in a build; BadUsageError says what is missing."""
    check_benchmarks([benchmark])
    path = build_root / preset / "bin" / benchmark
    if not path.is_file():
        check_preset(build_root, preset)
        raise BadUsageError(f"{path} is missing; build it with: scripts/build {preset}")
    return path


def executables_in(tree: Path) -> list[Path]:
    """The benchmarks' executables that a build tree holds."""
    paths = (tree / "bin" / benchmark for benchmark in BENCHMARKS)
    return [path for path in paths if path.is_file()]


def build_type(tree: Path) -> str | None:
    """CMake's build type of a build tree; None where CMake's cache does not say."""
    try:
        lines = (tree / "CMakeCache.txt").read_text(errors="replace").splitlines()
    except OSError:
        return None
    cached = (line.partition("=")[2] for line in lines if line.startswith("CMAKE_BUILD_TYPE:"))
    return next(cached, "").strip() or None


def find_tool(build_root: Path, presets: Iterable[str], name: str) -> Path | None:
    """The first of a tool's programs in these builds."""
    paths = (build_root / preset / "bin" / name for preset in presets)
    return next((p for p in paths if p.is_file() and os.access(p, os.X_OK)), None)
