# SPDX-License-Identifier: BSD-3-Clause
"""Where builds are looked for, in which order, and what each of these places has.

A place is a prefix of `cmake --install`, a folder of build trees, or one tree. A tree is found by
its label in the first place that has it.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from pollux.core.errors import BadUsageError
from pollux.core.models import Lenient
from pollux.core.paths import (
    BUILDS,
    IN_SOURCE,
    OWN_BUILDS,
    PACKAGE,
    is_file,
    is_folder,
    real_path,
)
from pollux.core.text import cut, one_line

VARIABLE = "POLLUX_BUILDS"  # places, separated by colons
NAMES = "benchmarks.json"  # of the benchmarks of a build, next to their executables
INSTALLED = Path("lib/pollux")  # in a prefix, where its trees are
MANIFEST = "build.json"


class Manifest(Lenient):
    """What a tree says of itself."""

    label: str
    build_type: str
    version: str


@dataclass(frozen=True)
class Place:
    """A folder in which builds are looked for."""

    path: Path
    why: str


def manifest_of(tree: Path) -> Manifest | None:
    """None for a tree without one, such as one of another version."""
    try:
        return Manifest.model_validate_json((tree / MANIFEST).read_bytes())
    except (OSError, ValidationError):
        return None


def places() -> tuple[Place, ...]:
    """All that the default stands for, in order."""
    return known_places(os.environ.get(VARIABLE, ""), os.environ.get("PATH", ""))


@lru_cache(maxsize=8)
def known_places(named: str, path: str) -> tuple[Place, ...]:
    """The same for the values of POLLUX_BUILDS and PATH; each folder once."""
    found: dict[Path, Place] = {}
    for place in candidates(named, path):
        real = real_path(base_of(place.path))  # /bin and /usr/bin may be one
        found.setdefault(real, place)
    return tuple(found.values())


def candidates(named: str, path: str) -> Iterator[Place]:
    for text in filter(None, named.split(":")):
        yield Place(Path(text).absolute(), VARIABLE)
    if IN_SOURCE:
        yield Place(OWN_BUILDS, "the source tree")
    else:
        prefix = prefix_of_package()
        if prefix is not None and has_prefix_trees(prefix):
            yield Place(prefix, "beside this Python package")
    for text in filter(None, path.split(":")):
        folder = Path(text)
        if folder.is_absolute() and folder.name == "bin" and has_prefix_trees(folder.parent):
            yield Place(folder.parent, "PATH")


def prefix_of_package() -> Path | None:
    """The prefix below whose lib/ the package is installed."""
    inner = (x for x in PACKAGE.parents if PACKAGE.relative_to(x).parts[0] in ("lib", "lib64"))
    return next(inner, None)


def has_prefix_trees(prefix: Path) -> bool:
    installed = prefix / INSTALLED
    return is_folder(installed) and next(installed.glob(f"*/bin/{NAMES}"), None) is not None


def base_of(folder: Path) -> Path:
    """Where the trees of a place are."""
    installed = folder / INSTALLED
    return installed if is_folder(installed) else folder


def trees_in(folder: Path) -> dict[str, Path]:
    """The trees of a place by label, in order of name; none where it may not be read."""
    if is_file(folder / "bin" / NAMES):
        manifest = manifest_of(folder)
        return {manifest.label if manifest else folder.resolve().name: folder}
    base = base_of(folder)
    paths = sorted(base.glob("[!.]*/bin")) if is_folder(base) else []
    return {path.parent.name: path.parent for path in paths}


def trees_of(place: Place) -> dict[str, Path]:
    """The trees of a place. Only below the source tree is a folder with a bin/ always one."""
    found = trees_in(place.path)
    if place.path == OWN_BUILDS:
        return found
    return {label: tree for label, tree in found.items() if is_file(tree / "bin" / NAMES)}


def stands_for_all(build_root: Path) -> bool:
    return build_root == BUILDS


def trees(build_root: Path) -> dict[str, Path]:
    """The trees of a folder that the user named, or of all places, by label in order of name."""
    if not stands_for_all(build_root):
        return trees_in(build_root)
    found: dict[str, Path] = {}
    for place in places():
        here = trees_of(place)
        if place.why == VARIABLE and not here:
            raise BadUsageError(f"{VARIABLE}: {cut(one_line(str(place.path)))}: {problem(place)}")
        found = {**here, **found}
    return dict(sorted(found.items()))


def problem(place: Place) -> str:
    """Why a place has no trees."""
    try:
        mode = place.path.stat().st_mode
    except OSError as error:
        return "cannot be read" if isinstance(error, PermissionError) else "no such folder"
    if not stat.S_ISDIR(mode):
        return "is a file, not a folder"
    if not os.access(place.path, os.R_OK | os.X_OK):
        return "cannot be read"
    return "has no builds: neither a prefix with lib/pollux, nor a folder of build trees"


def tree_of(build_root: Path, preset: str) -> Path:
    """The tree of a label, or where it would be."""
    is_any = stands_for_all(build_root)
    named = (OWN_BUILDS if is_any else build_root) / preset
    if not is_any and is_folder(named / "bin"):
        return named
    return trees(build_root).get(preset, named)


def where(build_root: Path) -> str:
    """The places in words."""
    if not stands_for_all(build_root):
        return str(build_root)
    return str(OWN_BUILDS) if IN_SOURCE else "any place that is searched"
