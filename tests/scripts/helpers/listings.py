# SPDX-License-Identifier: BSD-3-Clause
"""What `--list --format json` of stand-ins for benchmarks prints (docs/benchmark.schema.json)."""

from __future__ import annotations

import os
from itertools import product

from quick_json import dumps

TYPE_CHECKING = False  # that of typing; stand-ins start often, and these take long to load
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any

FASTEST_TILE = "256x64"  # of their table
BENCHMARKS = ("cholesky", "lu", "lu-cw", "qr")


def write_names(folder: Path, names: Iterable[str] = BENCHMARKS, micro: Iterable[str] = ()) -> None:
    """The list of benchmarks next to the executables of a build."""
    folder.mkdir(parents=True, exist_ok=True)
    lists = {"computation": [*names], "overhead": [*micro]}
    (folder / "benchmarks.json").write_text(dumps(lists))


def variant(name: str, group: str, *, reason: str = "") -> dict[str, object]:
    """A task graph; one with a reason cannot run."""
    return {
        **{"variant": name, "summary": f"does {name}"},
        "needs": "taskloop (OpenMP 4.5)" if name == "taskloop" else None,
        **{"available": not reason, "reason": reason, "digest_group": group},
        **{"input": "uniform", "sequential": name == "seq", "nested": name == "nested"},
        "own_team": name == "flat",
        "tasks_per_update": int(name not in ("seq", "forkjoin")),
        "parameters": [],
    }


def with_parameters(
    variant: dict[str, object], parameters: Iterable[dict[str, object]]
) -> dict[str, object]:
    """The variant with those of the benchmark's parameters that it has."""
    own = [p["parameter"] for p in parameters if variant["nested"] or not p.get("inner_team")]
    return variant | {"parameters": own}


def instances(options: dict[str, str]) -> list[dict[str, object]]:
    """One for every combination of the sizes, tiles and threads given beside --list."""
    axes = (("--size", "2048"), ("--tile", "64"), ("--threads", "2"))
    found: list[dict[str, object]] = []
    for size, tile, threads in product(*(options.get(o, usual).split(",") for o, usual in axes)):
        n, m = int(size), int(options.get("--rows", size))
        source = tile if tile == "fastest" else "option" if "--tile" in options else "table"
        mb, _, nb = tile.replace("fastest", FASTEST_TILE).partition("x")
        found.append(
            {
                **{"kernels": options.get("--kernels", "openblas")},
                **{"m": m, "n": n, "mb": int(mb), "nb": int(nb or mb), "ib": None},
                **{"threads": int(threads), "bytes": 8 * m * n, "flops": m * n**2 / 3},
                **{"tile_source": source, "parameters": {}, "tasks": None},
            }
        )
    return found


def parameters_of(benchmark: str) -> list[dict[str, Any]] | None:
    """Those that FAKE_PARAMETERS gives it."""
    given = os.environ.get("FAKE_PARAMETERS")
    if given is None:
        return None
    from json import loads  # slow to load

    found: list[dict[str, Any]] | None = loads(given).get(benchmark)
    return found


def listing(
    benchmark: str,
    variants: Iterable[dict[str, object]],
    options: dict[str, str] | None = None,
    without_tuned: str = "",
) -> dict[str, object]:
    """The object that describes a benchmark, with options given beside --list."""
    cw = benchmark == "lu-cw"
    parameters = parameters_of(benchmark) or []
    return {
        "schema": "pollux-benchmark/1",
        "benchmark": benchmark,
        "algorithm": benchmark.removesuffix("-cw"),
        "summary": f"tests {benchmark}",
        "measures": "computation",
        "default_variant": "cw" if cw else "depend",
        "options": [
            *("size", "tile", "kernels", "numa", "check", "no-priority"),
            *(["rows"] if benchmark != "cholesky" else []),
            *(["inner"] if benchmark == "qr" else []),
            *(["grid"] if benchmark == os.environ.get("FAKE_SPREAD") else []),
        ],
        "size": {"name": "n", "summary": "order of the matrix", "standard": 2048},
        "symmetric": benchmark == "cholesky",
        "tall_tiles": True,
        "concurrent_write": cw,
        "variants": [with_parameters(v, parameters) for v in variants],
        "kernels": [],
        "kernel_sets": [
            {"kernels": "openblas", "available": True, "reason": ""},
            {"kernels": "tuned", "available": not without_tuned, "reason": without_tuned},
        ],
        "parameters": parameters,
        "quantities": [
            {
                "quantity": "gflops",
                "summary": "speed",
                "unit": "GFlop/s",
                "better": "more",
                "term": False,
            }
        ],
        "instances": instances(options or {}),
    }
