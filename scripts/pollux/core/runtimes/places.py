# SPDX-License-Identifier: BSD-3-Clause
"""Where OpenMP runtimes are on this machine, and which builds load them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pollux.core.executables.arguments import arguments
from pollux.core.executables.builds import MEASURING, build_type, executables_in
from pollux.core.executables.listing import loaded_runtime, query
from pollux.core.executables.trees import trees
from pollux.core.paths import from_home, is_folder, real_path
from pollux.core.runtimes.library import cached_libraries, is_library, search_folders
from pollux.core.runtimes.names import looks_like_runtime

LLVM = "usr/lib/llvm-*/lib"  # below /, where Debian's packages of LLVM put their libraries


@dataclass(frozen=True)
class Build:
    """A build tree that is measured, and the runtime that its executables load."""

    preset: str
    executable: Path  # one of its benchmarks
    runtime: Path | None  # None: the executables do not run


def find_builds(builds: Path) -> list[Build]:
    """Every build with executables, but those for debugging: with sanitizers and the like."""
    found = []
    for preset, tree in trees(builds).items():
        executables = executables_in(tree)
        if executables and build_type(tree) in (None, MEASURING):
            loaded = loaded_runtime(query([str(executables[0]), *arguments(version=True)]).stdout)
            real = loaded.resolve() if loaded else None
            found.append(Build(preset, executables[0], real))
    return found


def runtimes_folder(root: Path) -> Path:
    """The folder of runtimes that were unpacked or installed by hand."""
    chosen = os.environ.get("POLLUX_RUNTIMES")
    return from_home(Path(chosen)).absolute() if chosen else root / "runtimes"


def find_files(root: Path, builds: list[Build]) -> dict[Path, list[str]]:
    """The real path of every library that may be a runtime, with the ways it was found."""
    found: dict[Path, list[str]] = {}
    for path, way in candidates(root, builds):
        real = real_path(path)
        if is_library(real) and way not in found.setdefault(real, []):
            found[real].append(way)
    return found


def candidates(root: Path, builds: list[Build]) -> Iterator[tuple[Path, str]]:
    """Every file whose name is that of a runtime, and how it was found; best known first."""
    for build in builds:
        if build.runtime is not None:
            yield build.runtime, f"build {build.preset}"
    for folder in search_folders():
        yield from each(folder, "LD_LIBRARY_PATH")
    if prefix := os.environ.get("POLLUX_RUNTIME_ROOT"):
        yield from in_prefix(Path(prefix), "POLLUX_RUNTIME_ROOT")
    for name, path in cached_libraries():
        if looks_like_runtime(Path(name)):
            yield path, "linker cache"
    for folder in sorted(Path("/").glob(LLVM)):
        yield from each(folder, str(folder))
    own = runtimes_folder(root)
    for prefix_folder in prefixes(own):
        yield from in_prefix(prefix_folder, f"{own.name}/{prefix_folder.name}")


def prefixes(runtimes: Path) -> list[Path]:
    """What was unpacked or installed into the folder of runtimes, as far as it may be read."""
    return sorted(runtimes.glob("[!.]*/")) if is_folder(runtimes) else []


def in_prefix(prefix: Path, way: str) -> Iterator[tuple[Path, str]]:
    """As cmake/toolchains/common.cmake looks; LLVM has a folder for each target in lib."""
    lib = prefix / "lib"
    targets = sorted(lib.glob("*-linux-*")) if is_folder(lib) else []
    for folder in (lib, prefix / "lib64", *targets, prefix):
        yield from each(folder, way)


def each(folder: Path, way: str) -> Iterator[tuple[Path, str]]:
    """The files of a folder that are called like a runtime."""
    try:
        paths = sorted(folder.iterdir())
    except OSError:  # no folder, or one that may not be read
        return
    yield from ((path, way) for path in paths if looks_like_runtime(path))
