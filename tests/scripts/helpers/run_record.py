# SPDX-License-Identifier: BSD-3-Clause
"""Makes pollux-run/1 records; imports little, since stand-ins for executables start it often."""

from __future__ import annotations

import zlib

TYPE_CHECKING = False  # that of typing, which takes long to load
if TYPE_CHECKING:
    from typing import Any

BEGIN = 1_750_000_000_000_000_000  # nanoseconds since 1970
Cell = tuple[str, str, int, int | str]  # benchmark, variant, N, NB or MBxNB


def record(cell: Cell, runtime: str, seed: int, gflops: float, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """A pollux-run/1 record with every field."""
    benchmark, variant, size, tile = cell
    version = {"libgomp": "12"}.get(runtime, "19")
    made: dict[str, Any] = {
        "schema": "pollux-run/1",
        "benchmark": benchmark,
        "variant": variant,
        "digest_group": benchmark,
        "size": {"name": "n", "value": size},
        **{"m": size, "n": size, **tile_fields(tile), "ib": 32 if benchmark == "qr" else None},
        **{"threads": 1 if variant == "seq" else 2, "repetition": 0, "seed": seed},
        "seconds": size**3 / 3e9 / gflops,
        "gflops": gflops,
        "flops": size**3 / 3,
        **{"tasks": 120, "status": 0, "levels": None, "passed": True, "fault": None},
        "residuals": [{"name": "A-LLT", "value": 0.004, "threshold": 30.0, "passed": True}],
        "digest": f"{zlib.crc32(repr((benchmark, size, tile, seed)).encode()):016x}",
        **{"start_unix_ns": BEGIN, "end_unix_ns": BEGIN + 10**9, "preemptions": 0},
        **{"check": "fast", "matrix": "random", "placement": "one-node", "priorities": True},
        **{
            "priorities_in_force": True,
            "kernels": "openblas",
            "kernels_isa": None,
            "tile_source": "option",
        },
        **{"traced": False},
        **{"concurrent_write": None, "parameters": {}, "figures": {}},
        **{"unknown": {}, "details": {}},
        "bindings": ["0", "1"],
        "energy": {
            **{"status": "unavailable", "reason": "powercap: there is no /sys/class/powercap"},
            **{"joules": None, "parts": [], "zones": [], "virtual": False},
        },
        "runtime": {
            **{"name": runtime, "version": version, "path": f"/usr/lib/{runtime}.so"},
            **{"build_id": f"{runtime}-id", "abi": "GOMP", "expected": runtime},
            **{"env": {"OMP_PROC_BIND": "close"}, "env_set": {"OPENBLAS_NUM_THREADS": "1"}},
        },
        "compiler": {
            "name": "gcc" if runtime == "libgomp" else "clang",
            **{"version": "12.2.0", "build_type": "Release", "flags": "-O3 -DNDEBUG"},
        },
        "blas": {
            **{"library": "OpenBLAS", "version": "0.3.21", "core": "SkylakeX"},
            **{"threading": "pthread", "path": "/usr/lib/b.so", "lapack_path": "/usr/lib/b.so"},
        },
        "host": {
            **{"hostname": "node", "kernel": "6.1", "cpu": "a processor", "cores": 2},
            **{"processors": 2, "numa": 1, "caches": [], "governor": "powersave", "turbo": "on"},
            **{"cstates": ["POLL", "C1"], "allowed": 2},
        },
    }
    return with_speed(made | changes)


def with_speed(made: dict[str, Any]) -> dict[str, Any]:
    """The record with the speed that it states as its quantity."""
    speed = {"value": made["gflops"], "unit": "GFlop/s", "better": "more"}
    return made | {"quantities": {"gflops": speed}}


def without_matrix(made: dict[str, Any]) -> dict[str, Any]:
    """The record as of a benchmark that computes on no matrix."""
    names = "digest_group m n mb nb tile_source ib kernels matrix placement seconds gflops flops"
    others = "tasks digest energy levels concurrent_write blas"
    nothing = dict.fromkeys((*names.split(), *others.split()))
    return made | nothing | {"residuals": [], "check": "own"}


def time_in_ns(value: float | None) -> dict[str, Any]:
    """A quantity of a record."""
    return {"value": value, "unit": "ns", "better": "less"}


def tile_fields(tile: int | str) -> dict[str, int]:
    rows, _, columns = str(tile).partition("x")
    return {"mb": int(rows), "nb": int(columns or rows)}
