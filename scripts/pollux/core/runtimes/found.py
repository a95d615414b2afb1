# SPDX-License-Identifier: BSD-3-Clause
"""The OpenMP runtimes of this machine, and under which of them the executables can run.

A *target* is a build on its own runtime ("libgomp"), or a combination of a compiler's build with
another library ("gcc+libomp19").
"""

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pollux.core.advice import GET_RUNTIME, makes
from pollux.core.errors import BadUsageError
from pollux.core.executables.arguments import arguments
from pollux.core.executables.builds import executables_in
from pollux.core.executables.listing import loaded_runtime, query
from pollux.core.executables.trees import tree_of
from pollux.core.hashing import digest
from pollux.core.paths import RESULTS, ROOT, real_path
from pollux.core.runtimes.added import added
from pollux.core.runtimes.identify import Identity, find_identify, identify
from pollux.core.runtimes.library import drop_in_variables, is_library
from pollux.core.runtimes.names import COMPILERS, RUNTIMES, library_label, runtime_of_file
from pollux.core.runtimes.places import Build, find_builds, find_files, runtimes_folder
from pollux.core.runtimes.prefix import Provenance, read_provenance

GONE = "there is no library for this machine any more"
NOT_IDENTIFIED = f"no build has bin/identify, which identifies libraries; {makes('it')}"
DROP_INS = ".runtimes"  # in the folder kept with the results
SUFFIX = 6  # digits of a build-id or SHA-256 that distinguish libraries with the same label


@dataclass(frozen=True)
class Library:
    """A runtime library: one file, or several with the same content."""

    label: str
    name: str  # as records have it
    version: str | None
    path: Path
    build_id: str | None
    abi: tuple[str, ...]
    ompt: bool | None
    found: tuple[str, ...]
    problem: str | None = None  # why it cannot be identified


@dataclass(frozen=True)
class Target:
    """What a benchmark or a test can be run on."""

    label: str
    preset: str
    library: Library | None  # None: the build's own
    variables: dict[str, str]  # environment that runs an executable of the preset so


@dataclass(frozen=True)
class Combination:
    """A compiler's build under another library."""

    label: str
    preset: str
    library: Library
    problem: str | None  # why it does not run


@dataclass(frozen=True)
class Found:
    """All that was found in one look at the machine."""

    libraries: list[Library]
    builds: list[Build]

    def presets(self) -> list[str]:
        return [build.preset for build in self.builds]

    @cached_property
    def possible(self) -> list[Combination]:
        """Every combination whose entry points are there, less the builds' own libraries.

        Each is tried: what has the entry points of tasks may lack those of omp.h.
        """
        return [
            Combination(f"{compiler}+{library.label}", build.preset, library, trial(build, library))
            for compiler, (preset, abi) in COMPILERS.items()
            for build in self.builds
            if build.preset == preset
            for library in self.libraries
            if abi in library.abi and f"build {preset}" not in library.found
        ]

    def combinations(self) -> list[Combination]:
        """Those that run."""
        return [c for c in self.possible if c.problem is None]

    def labels(self) -> list[str]:
        return [*self.presets(), *(c.label for c in self.combinations())]


def trial(build: Build, library: Library) -> str | None:
    """Why a build's executable does not start under a library; None where it does."""
    with TemporaryDirectory() as folder:
        try:
            variables = variables_for(library, Path(folder))
        except ValueError as error:
            return str(error)
        answer = query([str(build.executable), *arguments(version=True)], variables)
    loaded = loaded_runtime(answer.stdout)
    if answer.status == 0 and loaded is not None and loaded.resolve() == library.path:
        return None
    if answer.status == 0:
        return f"{build.executable} loads {loaded or 'another runtime'}"
    return answer.failure.rpartition(f"{build.executable}: ")[2]


def variables_for(library: Library, state: Path) -> dict[str, str]:
    """The environment that runs an executable under a library."""
    after = os.environ.get("LD_LIBRARY_PATH", "")
    return drop_in_variables(library.path, library.name, state, after)


def look(root: Path, builds: Path) -> Found:
    """Every build and every runtime library that can be found; this takes a while."""
    trees = find_builds(builds)
    files = same_once(find_files(root, trees))
    named = {name: real_path(path) for name, path in added(runtimes_folder(root)).items()}
    paths = list(dict.fromkeys([*files, *filter(is_library, named.values())]))
    program = find_identify(builds)
    identities: dict[Path, Identity | str] = (
        identify(program, paths) if program else dict.fromkeys(paths, NOT_IDENTIFIED)
    )
    libraries = [describe(path, identities[path], ways) for path, ways in files.items()]
    own = [
        replace(describe(path, identities.get(path, GONE), [f"added as {name}"]), label=name)
        for name, path in named.items()
    ]
    return Found(in_order([*distinct(merged(libraries), {*named}), *own]), trees)


def same_once(files: dict[Path, list[str]]) -> dict[Path, list[str]]:
    """Files of the same content under the first one's path, with all the ways it was found.

    A copy whose file name is another runtime's stays: a runtime may be known by that name alone.
    """
    first: dict[tuple[str, str | None], Path] = {}
    found: dict[Path, list[str]] = {}
    for path, ways in files.items():
        same = first.setdefault((digest(path), runtime_of_file(path)), path)
        known = found.setdefault(same, [])
        known += [way for way in ways if way not in known]
    return found


def merged(libraries: list[Library]) -> list[Library]:
    """One row for copies that turned out to be the same runtime, whatever their files' names."""
    kept: dict[tuple[str, str], Library] = {}
    for library in libraries:
        key = digest(library.path), library.name
        known = kept.setdefault(key, library)
        ways = dict.fromkeys((*known.found, *library.found))
        kept[key] = replace(known, found=tuple(ways))
    return list(kept.values())


def describe(path: Path, identity: Identity | str, ways: list[str]) -> Library:
    """One row: what `identify` reports, and the more exact version of a checksummed prefix."""
    if isinstance(identity, Identity) and identity.name is not None:
        origin = provenance_of(path) if path.is_file() else None
        version = identity.version or (origin.version if origin else None)
        label = library_label(identity.name, origin.version if origin else version, path)
        return Library(
            label,
            identity.name,
            version,
            path,
            identity.build_id,
            identity.abi,
            identity.ompt,
            tuple(ways),
        )
    name = runtime_of_file(path) or path.name
    problem = identity if isinstance(identity, str) else "it has no entry points of OpenMP"
    return Library(path.name, name, None, path, None, (), None, tuple(ways), problem)


def provenance_of(library: Path) -> Provenance | None:
    """Where a library was unpacked from, if the file is unchanged."""
    origin = read_provenance(library.parent.parent)
    return origin if origin and digest(library) == origin.library_sha256 else None


def distinct(libraries: list[Library], taken: set[str]) -> list[Library]:
    """Labels that each stand for one library: where two would be the same, build-ids follow, or
    SHA-256 where several share one, as a library and its stripped copy do.

    `taken` are names that the user gave to others.
    """
    counts = Counter(library.label for library in libraries if not library.problem)
    same = Counter((library.label, library.build_id) for library in libraries)

    def mark(library: Library) -> str:
        own = library.build_id
        return own if own and same[library.label, own] == 1 else digest(library.path)

    return [
        replace(library, label=f"{library.label}-{mark(library)[:SUFFIX]}")
        if not library.problem and (counts[library.label] > 1 or library.label in taken)
        else library
        for library in libraries
    ]


def in_order(libraries: list[Library]) -> list[Library]:
    """By runtime, then by version as people count; what is not identified comes last."""

    def key(library: Library) -> tuple[object, ...]:
        known = RUNTIMES.index(library.name) if library.name in RUNTIMES else len(RUNTIMES)
        numbers = [int(n) for n in (library.version or "").split(".") if n.isdecimal()]
        return bool(library.problem), known, numbers, str(library.path)

    return sorted(libraries, key=key)


def all_targets(found: Found, state: Path) -> list[Target]:
    """Every build on its own runtime, and every combination that can run.

    `state` is the folder for results and the files kept with them; ValueError where no library can
    be loaded from it.
    """
    own = [Target(preset, preset, None, {}) for preset in found.presets()]
    return [
        *own,
        *(target(c.label, c.preset, c.library, state) for c in found.combinations()),
    ]


def resolve_target(text: str, found: Found, state: Path) -> Target:
    """The target of a label; ValueError says what there is."""
    preset, library = choose(text, found)
    return target(text, preset, library, state) if library else Target(text, preset, None, {})


@lru_cache(maxsize=64)
def target_named(label: str, build_root: Path) -> Target:
    """The target of a label; the machine is searched only where it is not that of a build."""
    if "+" not in label and executables_in(tree_of(build_root, label)):
        return Target(label, label, None, {})
    try:
        return resolve_target(label, look(ROOT, build_root), RESULTS)
    except ValueError as error:
        raise BadUsageError(str(error)) from error


def target(label: str, preset: str, library: Library, state: Path) -> Target:
    return Target(label, preset, library, variables_for(library, state / DROP_INS))


def choose(text: str, found: Found) -> tuple[str, Library | None]:
    """The build of a label and the library it is to run under; None: its own."""
    if text in found.presets():
        return text, None
    compiler, plus, label = text.partition("+")
    if plus and not label:
        raise ValueError(f"{text} names no library; a combination is written {text}LIBRARY")
    if not plus:
        raise ValueError(f"there is no build {text}; {what_runs(found)}")
    if compiler not in COMPILERS:
        raise ValueError(
            f"{text} is not known; a combination is written "
            f"{' or '.join(f'{name}+LIBRARY' for name in COMPILERS)}"
        )
    preset, abi = COMPILERS[compiler]
    if preset not in found.presets():
        raise ValueError(f"{text} needs the build {preset}; {makes('it', preset)}")
    library = choose_library(label, found)
    if abi not in library.abi:
        raise ValueError(
            f"{library.label} ({library.path}) has no {abi} entry points, which {compiler}'s "
            f"executables call; {what_runs(found)}"
        )
    return preset, library


def choose_library(label: str, found: Found) -> Library:
    """The library of a label; ValueError says what there is."""
    usable = [library for library in found.libraries if library.problem is None]
    exact = next((library for library in usable if library.label == label), None)
    if exact is not None:
        return exact
    broken = next((library for library in found.libraries if library.label == label), None)
    if broken is not None:
        raise ValueError(f"{label} ({broken.path}): {broken.problem}")
    several = [library for library in usable if library.label.startswith(f"{label}-")]
    if several:
        listed = " or ".join(f"{library.label} ({library.path})" for library in several)
        raise ValueError(f"there is no library {label}; is it {listed}?")
    if not usable and found.libraries:
        raise ValueError(f"there is no library {label} that is known: {found.libraries[0].problem}")
    raise ValueError(f"there is no library {label}; choose from {names(x.label for x in usable)}")


def what_runs(found: Found) -> str:
    if not found.builds:
        return f"nothing is built; {makes('libgomp and libomp')}"
    return f"choose from {names(found.labels())}"


def names(labels: Iterable[str]) -> str:
    return ", ".join(labels) or f"none ({GET_RUNTIME} has some)"
