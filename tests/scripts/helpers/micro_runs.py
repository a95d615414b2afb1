# SPDX-License-Identifier: BSD-3-Clause
"""What a stand-in for a micro-benchmark lists and writes; imports little, since it starts often."""

from __future__ import annotations

import copy
from typing import Any

from run_record import BEGIN, record

NAME = "task-overhead"
HEADLINE = "ns_per_task"
REASON = "no task has a predecessor"
PARAMETERS: list[dict[str, Any]] = [
    {"parameter": "items", "summary": "items", "standard": 1, "range": [1, 64]},
    {"parameter": "distance", "summary": "bytes", "standard": 64, "range": [1, 1 << 22]},
]
NS = {"libgomp": 400.0, "libomp": 300.0}


# The options of each for its variant and its size.
OPTIONS: dict[str, tuple[str, str | None]] = {
    NAME: ("pattern", "tasks"),
    "granularity": ("pattern", "tasks"),
    "clomp": ("schedule", "partitions"),
    "constructs": ("construct", None),
    "regions": ("form", None),
}
MICRO = (*OPTIONS,)


def listing(
    name: str, patterns: list[str], parameters: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """What `--list --format json` prints (docs/micro-benchmark.schema.json)."""
    variant, size = OPTIONS[name]
    taken = PARAMETERS if parameters is None else parameters
    names = [p["parameter"] for p in taken]
    return {
        "schema": "pollux-micro-benchmark/1",
        "benchmark": name,
        "summary": "what a task costs",
        "options": {"variant": variant, "size": size},
        "variants": [
            {
                **{"variant": own, "summary": own, "needs": None, "available": True},
                **{"reason": "", "sequential": own == "serial"},
                "parameters": [n for n in names if n != "items"] if own == "chain" else names,
            }
            for own in patterns
        ],
        "parameters": [{**p, "inner_team": False, "field": p["parameter"]} for p in taken],
        "quantities": [
            {"quantity": HEADLINE, "summary": "a task"},
            {"quantity": "creation", "summary": "its creation"},
            {"quantity": "release", "summary": "its release"},
        ],
    }


def micro_record(
    pattern: str,
    runtime: str,
    ns: float | None,
    size: int = 256,
    **changes: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """A pollux-micro/1 record; no time of a failed one is known, nor the release of any other
    pattern than a chain."""
    like = record(("lu", "depend", 64, 64), runtime, 1, 1.0)
    terms = {
        "creation": None if ns is None else 0.25 * ns,
        **{"per_item": None, "completion": None},
        "release": 2 * ns if ns is not None and pattern == "chain" else None,
    }
    made: dict[str, Any] = {
        **{"schema": "pollux-micro/1", "benchmark": NAME, "pattern": pattern, "tasks": size},
        **{
            "items": None if pattern == "chain" else 1,
            "distance_bytes": 64,
            "threads": 2,
            "repetition": 0,
            "seed": 1,
        },
        **{HEADLINE: ns, "terms": terms, "clock_ns": 20.0, "body_ns": 3.0},
        **{"whole_ns": ns and ns * size, "created_ns": None, "emptied_ns": None},
        "bytes_per_task": None,
        "unknown": {name: REASON for name, value in terms.items() if value is None},
        **{"passed": ns is not None, "fault": None if ns is not None else "task 3 ran too early"},
        **{"start_unix_ns": BEGIN, "end_unix_ns": BEGIN + 10**6, "bindings": ["0", "1"]},
        **{name: copy.deepcopy(like[name]) for name in ("runtime", "compiler", "host")},
    }
    return made | changes


def records_for(preset: str, options: dict[str, str]) -> list[dict[str, Any]]:
    """What a process with these options prints: later repetitions are slower by 10 ns."""
    pattern, size = options["--pattern"], int(options["--tasks"])
    own = {name: int(options[f"--{name}"]) for name in ("items",) if f"--{name}" in options}
    if pattern == "wrong":
        return [micro_record(pattern, preset, None, size, **own)]
    return [
        micro_record(pattern, preset, NS[preset] + 10 * at, size, repetition=at, **own)
        for at in range(int(options.get("--repeat", "1")))
    ]
