# SPDX-License-Identifier: BSD-3-Clause
"""What the plots are drawn from: compact arrays, packed into text that is safe within a page.

charts.js reads them; its first lines say what each array holds.
"""

import base64
import gzip
import json
import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from pollux.core.analysis.dataset import Block, Dataset
from pollux.core.analysis.result import Interval, Result, Row
from pollux.core.campaign.axes import AXES as PLAIN
from pollux.core.campaign.lines import Calibration, Configuration
from pollux.core.campaign.samples import Sample
from pollux.core.tiles import Tile
from pollux.output.figures.palette import at_night, runtime_colours
from pollux.output.report.numbers import has_bounds, rounded

AXES: dict[str, Callable[[Configuration], object]] = {
    "benchmark": lambda c: c.benchmark,
    "variant": lambda c: c.variant,
    "kernels": lambda c: c.kernels,
    "size": lambda c: c.size if c.rows is None else f"{c.rows}×{c.size}",
    "shape": lambda c: 1 if c.rows is None else float(f"{c.rows / c.size:.4g}"),
    "tile": lambda c: c.tile_asked,
    "inner": lambda c: c.inner,
    "parameters": lambda c: c.own_words or None,
    "threads": lambda c: c.threads,
    "environment": lambda c: c.environment,
    **{axis.name: attrgetter(axis.name) for axis in PLAIN},
    "node": lambda c: c.node,
    "runtime": lambda c: c.runtime,
}
TITLES = {"size": "N", "shape": "M / N", "tile": "NB", "inner": "IB"} | {
    a.name: a.heading for a in PLAIN
}


def pack(content: bytes) -> str:
    """Compressed, in letters, digits and +/= alone: nothing in it can end an element."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def packed_data(result: Result) -> str:
    text = json.dumps(chart_data(result), separators=(",", ":"), allow_nan=False)
    return pack(text.encode())


def chart_data(result: Result) -> dict[str, Any]:
    dataset = result.dataset
    begin = beginning(dataset)
    axes = [axis(name, result) for name in AXES if name != result.by]
    levels = list(dict.fromkeys(row.level for row in result.rows))
    used = set(map(id, dataset.used))
    return {
        "by": result.by,
        "reference": result.reference,
        "relevant": result.relevant,
        "begin": begin / 1e6,  # milliseconds, as JavaScript counts
        "levels": levels,
        "colours": colours(result, levels),
        "axes": axes,
        "rows": [row_data(row, levels.index(row.level)) for row in result.rows],
        "samples": [
            sample_data(dataset.samples_by[row.key] if row.values else [], used, begin)
            for row in result.rows
        ],
        "blocks": blocks(dataset, begin),
    }


def colours(result: Result, levels: list[str]) -> dict[str, list[str]] | None:
    """Those of the levels where they are runtimes, on a light ground and on a dark one."""
    if result.by != "runtime":
        return None
    day = runtime_colours(levels)
    return {
        "day": [day[level] for level in levels],
        "night": [at_night(day[level]) for level in levels],
    }


def beginning(dataset: Dataset) -> int:
    return min((s.start_unix_ns for s in dataset.samples), default=0)


def axis(name: str, result: Result) -> dict[str, Any]:
    """An axis of the grid: its values, and which of them each row has."""
    of_rows = [AXES[name](row.configuration) for row in result.rows]
    values = sorted(dict.fromkeys(of_rows), key=numbers_in_order)
    index = {value: position for position, value in enumerate(values)}
    return {
        "key": name,
        "title": TITLES.get(name, name),
        "values": ["default" if value is None else str(value) for value in values],
        "rows": [index[value] for value in of_rows],
    }


def numbers_in_order(value: object) -> tuple[int, ...]:
    """Words first, as they come, then numbers, then tall tiles."""
    try:
        return 1, *Tile.parse(value).place
    except ValueError:
        return 0, 0, 0


def row_data(row: Row, level: int) -> list[Any]:
    c, identity = row.configuration, row.identity
    used = identity.tile if identity else c.tile
    return [
        level,
        c.size,
        used.brief() if used else None,
        identity.threads if identity else c.threads,
        bounds(row.gflops),
        bounds(row.comparison.ratio),
        row.comparison.words,
        row.cell,
    ]


def bounds(value: Interval | None) -> list[float | None] | None:
    if value is None or not math.isfinite(value.estimate):
        return None
    ends = (value.low, value.high) if has_bounds(value) else (None, None)
    return [rounded(value.estimate), *map(rounded, ends)]


def sample_data(samples: list[Sample], used: set[int], begin: int) -> list[list[Any]]:
    """Start in seconds, GFlop/s, block, and which samples were replaced by a repeat."""
    valid = [s for s in samples if s.speed is not None]
    return [
        [round((s.start_unix_ns - begin) / 1e9, 2) for s in valid],
        [rounded(s.speed) for s in valid],
        [None if s.block is None else ":".join(map(str, s.block)) for s in valid],
        [position for position, s in enumerate(valid) if id(s) not in used],
    ]


def blocks(dataset: Dataset, begin: int) -> list[list[Any]]:
    """Name, first and last second, speeds of the calibration, and what disturbed it."""
    ends: dict[tuple[int, int], int] = {}
    starts: dict[tuple[int, int], int] = {}
    for s in dataset.samples:
        if s.block is not None:
            last = s.start_unix_ns + round((s.process_seconds or 0) * 1e9)
            ends[s.block] = max(ends.get(s.block, last), last)
            starts[s.block] = min(starts.get(s.block, s.start_unix_ns), s.start_unix_ns)
    return [
        block_data(key, block, starts[key] - begin, ends[key] - begin)
        for key, block in sorted(dataset.blocks.items())
        if key in starts
    ]


def block_data(key: tuple[int, int], block: Block, first: int, last: int) -> list[Any]:
    end = block.end
    return [
        ":".join(map(str, key)),
        round(first / 1e9, 2),
        round(last / 1e9, 2),
        speed(block.start.calibration),
        speed(end.calibration) if end else None,
        "; ".join(end.reasons) or "disturbed" if end and end.disturbed else None,
    ]


def speed(calibration: Calibration | None) -> float | None:
    return rounded(sum(calibration.gflops)) if calibration else None
