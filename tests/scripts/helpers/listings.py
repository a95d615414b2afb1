# SPDX-License-Identifier: BSD-3-Clause
"""What `--list --format json` of stand-ins for benchmarks prints (docs/benchmark.schema.json)."""

import json
from collections.abc import Iterable
from pathlib import Path

BENCHMARKS = ("cholesky", "lu", "lu-cw", "qr")


def write_names(folder: Path, names: Iterable[str] = BENCHMARKS) -> None:
    """The list of benchmarks next to the executables of a build."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.json").write_text(json.dumps([*names]))


def variant(name: str, group: str, *, reason: str = "") -> dict[str, object]:
    """A task graph; one with a reason cannot run."""
    return {
        **{"variant": name, "summary": f"does {name}", "needs": None},
        **{"available": not reason, "reason": reason, "digest_group": group},
        **{"input": "uniform", "sequential": name == "seq"},
    }


def listing(benchmark: str, variants: Iterable[dict[str, object]]) -> dict[str, object]:
    """The object that describes a benchmark."""
    cw = benchmark == "lu-cw"
    return {
        "schema": "pollux-benchmark/1",
        "benchmark": benchmark,
        "algorithm": benchmark.removesuffix("-cw"),
        "summary": f"tests {benchmark}",
        "default_variant": "cw" if cw else "depend",
        "rectangular": benchmark != "cholesky",
        "symmetric": benchmark == "cholesky",
        "inner_block": benchmark == "qr",
        "tall_tiles": True,
        "concurrent_write": cw,
        "variants": list(variants),
        "kernels": [],
        "instances": [],
    }
