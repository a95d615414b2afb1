# SPDX-License-Identifier: BSD-3-Clause
"""Reads tables of results, such as those that papers print: a line for each configuration."""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.core.levers import (
    ALL,
    GOVERNORS,
    HARDWARE,
    LEVERS,
    NONE,
    OFF,
    ON,
    PREFERENCES,
    frequency,
)
from pollux.energy.analysis.points import Observation, Point, Points
from pollux.energy.meters.table import data_lines, quoted

LEAST, MOST = 1e-30, 1e30  # products of such numbers are numbers too
NEEDED = ("benchmark", "runtime", "gflops")
CHOICES = ("runtime", "variant", "tile", "threads", "environment")
ENERGY = {"joules": 1.0, "package_joules": 1.0, "memory_joules": 1.0,
          "kj": 1e3, "package_kj": 1e3, "memory_kj": 1e3}  # fmt: skip
# Values in any case; those of frequencies and idle states have one of their own.
WORDS = {word: word for word in (ON, OFF, ALL, NONE, HARDWARE, *GOVERNORS, *PREFERENCES)}
WORDS |= {"enabled": ON, "disabled": OFF}  # of turbo


def read_results(path: Path) -> Points:
    """The points of a table; docs/energy.md describes its columns.

    Lines that say the same twice, as tables of best results do, are one point.
    """
    rows = list(lines_of(path))
    has_memory = any(row.get(name) for _, row in rows for name in ("memory_joules", "memory_kj"))
    points: dict[tuple[object, ...], Point] = {}
    for number, row in rows:
        point = point_of(path, number, row, has_memory=has_memory)
        key = (point.group, *point.choices.items(), *point.levers.items())
        known = points.setdefault(key, point)
        if known.observations != point.observations:
            raise BadUsageError(
                f"{path}:{number}: another line has the same configuration with other results"
            )
    if not points:
        raise BadUsageError(f"{path}: a table without a line of results")
    total = total_of([point.observations[0] for point in points.values()])
    return Points([*points.values()], f"the table {path.name}", total, [])


def total_of(lines: Sequence[Observation]) -> str:
    """What the total energy of all lines is."""
    if all(x.memory is None and x.joules == x.package for x in lines):
        return "package"
    return "package + memory" if all(map(is_of_both, lines)) else "energy"


def is_of_both(x: Observation) -> bool:
    """Whether the energy is that of packages and memory."""
    return x.package is not None and x.memory is not None and x.joules == x.package + x.memory


def lines_of(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    names: list[str] = []
    for number, line in data_lines(path):
        cells = [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True))]
        if not names:
            names = cells
            check_names(path, number, names)
        elif len(cells) != len(names):
            raise BadUsageError(
                f"{path}:{number}: {len(cells)} columns, and the header {len(names)}"
            )
        else:
            yield number, dict(zip(names, cells, strict=True))
    if not names:
        raise BadUsageError(f"{path}: is empty; it should be a table of results")


def check_names(path: Path, number: int, names: list[str]) -> None:
    if len(set(names)) < len(names):
        raise BadUsageError(f"{path}:{number}: a column is named twice")
    lacking = [quoted(name) for name in NEEDED if name not in names]
    if not {"flops", "seconds"} & set(names):
        lacking.append('"seconds" or "flops"')
    if not ENERGY.keys() & set(names):
        lacking.append('"joules" or "package_joules"')
    if lacking:
        raise BadUsageError(
            f"{path}:{number}: the header has no column {lacking[0]}, only "
            + ", ".join(map(quoted, names[:12]))
        )


def point_of(path: Path, number: int, row: dict[str, str], *, has_memory: bool) -> Point:
    """The point of a line; `has_memory`: some lines of the table know the energy of memory."""

    def value(name: str) -> float | None:
        text = row.get(name, "")
        if text == "":
            return None
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not LEAST <= found <= MOST:
            problem = f"{quoted(text)} is no {name}: from 1e-30 to 1e30"
            raise BadUsageError(f"{path}:{number}: {problem}")
        return found

    def needed(name: str) -> float:
        found = value(name)
        if found is None:
            raise BadUsageError(f"{path}:{number}: {name} is empty")
        return found

    gflops = needed("gflops")
    seconds = value("seconds") or needed("flops") / gflops / 1e9
    joules, package, memory = (energy(name, value) for name in ("", "package_", "memory_"))
    if joules is None:
        if package is None:
            raise BadUsageError(f"{path}:{number}: neither an energy nor one of packages")
        if memory is None and has_memory:
            raise BadUsageError(f"{path}:{number}: no energy of memory, which other lines have")
        joules = package + (memory or 0)
    samples = value("samples")
    if samples is not None and not samples.is_integer():
        raise BadUsageError(f"{path}:{number}: {row['samples']} is no number of samples")
    size = f" N={row['size']}" if row.get("size") else ""
    return Point(
        group=f"{row['benchmark']}{size}",
        choices={name: row[name] for name in CHOICES if row.get(name)},
        levers={name: lever(path, number, name, row[name]) for name in LEVERS if row.get(name)},
        observations=[Observation(gflops, seconds, joules, package, memory)],
        benchmark=row["benchmark"],
        counted=None if samples is None else int(samples),
    )


def lever(path: Path, number: int, name: str, text: str) -> str:
    """Its value in the form in which campaigns have it."""
    word = WORDS.get(text.lower(), text)
    if name not in ("frequency_min", "frequency_max"):
        return word
    try:
        return frequency(word)
    except ValueError as error:
        raise BadUsageError(f"{path}:{number}: {name}: {error}") from error


def energy(prefix: str, value: Callable[[str], float | None]) -> float | None:
    for name in (f"{prefix}joules", f"{prefix}kj"):
        found = value(name)
        if found is not None:
            return found * ENERGY[name]
    return None
