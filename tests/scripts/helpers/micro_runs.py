# SPDX-License-Identifier: BSD-3-Clause
"""What a stand-in for a micro-benchmark lists and writes; imports little, since it starts often."""

from __future__ import annotations

from run_record import BEGIN, record, time_in_ns, without_matrix

TYPE_CHECKING = False  # that of typing, which takes long to load
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "task-overhead"
HEADLINE = "ns_per_task"
REASON = "no task has a predecessor"
PARAMETERS: list[dict[str, Any]] = [
    {"parameter": "items", "summary": "items", "standard": 1, "range": [1, 64]},
    {"parameter": "distance", "summary": "bytes", "standard": 64, "range": [1, 1 << 22]},
]
NS = {"libgomp": 400.0, "libomp": 300.0}


SIZES: dict[str, str | None] = {  # what the size of each counts
    **{NAME: "tasks", "granularity": "tasks", "clomp": "partitions"},
    **{"constructs": None, "regions": None, "wake-up": None},
}
MICRO = (*SIZES,)
# Quantities besides those that all have here.
FURTHER = {"granularity": ("metg_50",), "wake-up": ("wake_up",)}


def listing(
    name: str,
    patterns: list[str],
    options: dict[str, str],
    parameters: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """What `--list --format json` prints (docs/benchmark.schema.json)."""
    size = SIZES[name]
    taken = PARAMETERS if parameters is None else parameters
    names = [p["parameter"] for p in taken]
    return {
        "schema": "pollux-benchmark/1",
        "benchmark": name,
        "algorithm": name,
        "summary": "what a task costs",
        "measures": "overhead",
        "default_variant": patterns[0],
        "options": ["size"] if size else [],
        "size": {"name": size, "summary": size, "standard": 1024} if size else None,
        **dict.fromkeys(("symmetric", "tall_tiles", "concurrent_write"), False),
        "variants": [
            {
                **{"variant": own, "summary": own, "needs": None, "available": True},
                **{"reason": "", "digest_group": None, "input": "own"},
                **{"sequential": own == "serial", "nested": False, "own_team": False},
                "tasks_per_update": 1,
                "parameters": [n for n in names if n != "items"] if own == "chain" else names,
            }
            for own in patterns
        ],
        **{"kernels": [], "kernel_sets": []},
        "parameters": [{**p, "inner_team": False} for p in taken],
        "quantities": [
            {
                **{"quantity": quantity, "summary": summary, "unit": "ns", "better": "less"},
                "term": quantity != HEADLINE,
            }
            for quantity, summary in (
                (HEADLINE, "a task"),
                ("creation", "its creation"),
                ("per_item", "an item"),
                ("release", "its release"),
                *((further, further) for further in FURTHER.get(name, ())),
            )
        ],
        "instances": instances(patterns, options),
    }


def instances(patterns: list[str], options: dict[str, str]) -> list[dict[str, Any]]:
    """One for every combination of the sizes and threads given beside --list."""
    sizes, threads = (
        options.get(name, usual).split(",")
        for name, usual in (("--size", "1024"), ("--threads", "2"))
    )
    return [
        {
            **dict.fromkeys(("kernels", "m", "n", "mb", "nb", "ib", "tile_source")),
            **{"parameters": {}, "threads": int(count), "bytes": 0, "flops": 0.0},
            "tasks": dict.fromkeys(patterns, float(size)),
        }
        for size in sizes
        for count in threads
    ]


def micro_record(
    pattern: str,
    runtime: str,
    ns: float | None,
    size: int = 256,
    **changes: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """A record of task-overhead; no time of a failed one is known, nor the release of any other
    pattern than a chain."""
    made = without_matrix(record((NAME, pattern, 64, 64), runtime, 1, 1.0, repetition=0, threads=2))
    times = {
        HEADLINE: ns,
        "creation": None if ns is None else 0.25 * ns,
        **{"per_item": None, "completion": None},
        "release": 2 * ns if ns is not None and pattern == "chain" else None,
    }
    own = {
        "size": {"name": "tasks", "value": size},
        "parameters": {"distance": 64} | ({} if pattern == "chain" else {"items": 1}),
        "figures": {"body_ns": 3.0, "clock_ns": 20.0, "bytes_per_task": None},
        "unknown": {n: REASON for n, ns in times.items() if ns is None and n != HEADLINE},
        **{"passed": ns is not None, "fault": None if ns is not None else "task 3 ran too early"},
        "end_unix_ns": BEGIN + 10**6,
    }
    return made | own | with_times(times) | changes


def with_times(times: Mapping[str, float | None]) -> dict[str, Any]:
    """The field that holds these quantities."""
    return {"quantities": {name: time_in_ns(ns) for name, ns in times.items()}}


def records_for(preset: str, options: dict[str, str]) -> list[dict[str, Any]]:
    """What a process with these options prints: later repetitions are slower by 10 ns."""
    pattern, size = options["--variant"], int(options["--size"])
    given = {name: int(options[f"--{name}"]) for name in ("items",) if f"--{name}" in options}
    own = {"parameters": {"distance": 64, **given}} if given else {}
    if pattern == "wrong":
        return [micro_record(pattern, preset, None, size, **own)]
    return [
        micro_record(pattern, preset, NS[preset] + 10 * at, size, repetition=at, **own)
        for at in range(int(options.get("--repeat", "1")))
    ]
