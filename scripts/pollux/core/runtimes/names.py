# SPDX-License-Identifier: BSD-3-Clause
"""What runtimes, their libraries and the combinations with a compiler are called."""

import json
import re
from pathlib import Path
from typing import Any

from pollux.core.paths import RUNTIMES_TABLE

# What is known of each runtime; executables are built from the file, and recognise a runtime by the
# first entry that fits: here the usual ones come first.
TABLE: list[dict[str, Any]] = json.loads(RUNTIMES_TABLE.read_text())["runtimes"][::-1]
RUNTIMES = tuple(entry["runtime"] for entry in TABLE)
# Of these several versions are in use side by side, so that a label contains the version.
VERSIONED = tuple(entry["runtime"] for entry in TABLE if entry.get("has_versions"))
# Every name by which an executable may ask for its runtime: those of GCC, of LLVM (Debian gives
# it a version) and of Intel.
SONAMES = ("libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so")
# What a file that may be a runtime is called. Other libraries begin alike: libomptarget, libompd.
FILE_NAMES = {name: entry["runtime"] for entry in TABLE for name in entry["file_names"]}
FILE_NAME = re.compile(rf"lib({'|'.join(FILE_NAMES)})(-\d+)?\.so(\.\d+)*")
# The compilers of combinations: the build that it makes, and the entry points that this calls.
COMPILERS = {"gcc": ("libgomp", "GOMP"), "clang": ("libomp", "KMP")}


def looks_like_runtime(path: Path) -> bool:
    """Whether a file's name is that of an OpenMP runtime."""
    return FILE_NAME.fullmatch(path.name) is not None


def runtime_of_file(path: Path) -> str | None:
    """The runtime that a library's file name identifies, as records name it (docs/record.md)."""
    found = re.match(rf"(?:lib)?({'|'.join(FILE_NAMES)})(?![a-z])", path.name)
    return FILE_NAMES[found[1]] if found else None


def library_label(name: str, version: str | None, path: Path | None = None) -> str:
    """A short label, usable in a list: libomp19, libiomp5-2026.2.0, bolt.

    OmpSs has a library for each of its models; its path shows which.
    """
    if name == "ompss" and path is not None:
        return label_of_ompss(path)
    number = re.sub(r"[^A-Za-z0-9._-]+", "", version or "") if name in VERSIONED else ""
    if not number:
        return name
    return f"{name}-{number}" if name[-1].isdigit() else f"{name}{number}"


def label_of_ompss(library: Path) -> str:
    """The preset of the model that a library of Nanos++ is for: OmpSs' own, or OpenMP."""
    return "ompss" if "ompss" in library.name else "ompss-openmp"


def looks_like_label(text: str) -> bool:
    """Whether a text can be the label of a build or of a combination."""
    return "+" in text or text.startswith(RUNTIMES)
