# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for build trees: files without contents, and what their executables would answer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, Unpack

from listings import BENCHMARKS, listing, variant, write_names
from pollux.core.executables.process import Ended


class Changes(TypedDict, total=False):
    """What an executable answers, where it is not what is expected of it."""

    available: bool
    runtime: str
    build_type: str
    core: str | dict[str, str]  # of every preset, or by preset
    blas: dict[str, str]  # the library by preset, where it is not OpenBLAS
    env_set: dict[str, str]
    native: bool


def put_builds(build_root: Path, *presets: str) -> None:
    for preset in presets:
        folder = build_root / preset / "bin"
        write_names(folder)
        for name in BENCHMARKS:
            (folder / name).touch()


def answering(**changes: Unpack[Changes]) -> Callable[..., Ended | None]:
    """Runs executables that work: they list a variant and write a record, with these changes."""

    def run(*words: str) -> Ended | None:
        path = Path(words[0])
        if path.parent.name != "bin":
            return None
        preset = path.parents[1].name
        if "--list" in words:
            return Ended(0, json.dumps(described(path.name, changes.get("available", True))), "")
        return Ended(0, json.dumps(record(preset, **changes)) + "\nPASS\n", "")

    return run


def described(benchmark: str, available: bool) -> dict[str, object]:
    reason = "" if available else "needs a newer compiler"
    return listing(benchmark, [variant("depend", benchmark, reason=reason)])


def record(preset: str, **changes: Unpack[Changes]) -> dict[str, object]:
    core = changes.get("core", "Haswell")
    native = changes.get("native", True)
    return {
        "runtime": {
            **{"name": changes.get("runtime", preset), "version": "1"},
            "path": f"/usr/lib/{preset}.so",
            "env_set": changes.get("env_set", {}),
        },
        "compiler": {
            **{"name": "gcc", "version": "12.2.0"},
            "build_type": changes.get("build_type", "Release"),
        },
        "blas": {
            "library": changes.get("blas", {}).get(preset, "OpenBLAS"),
            **{"version": "0.3.21", "threading": "pthread", "path": "/usr/lib/libopenblas.so"},
            "core": core[preset] if isinstance(core, dict) else core,
        },
        "concurrent_write": {
            "clause": "depend(inoutset)" if native else "depend(in)",
            **{"native": native, "observed": "concurrent"},
        },
    }
