# SPDX-License-Identifier: BSD-3-Clause
"""Predictions as tables for terminals and as JSON."""

import json
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from pollux.simulation.model import Machine
from pollux.simulation.prediction import Prediction
from pollux.tiles import Tile

SCHEMA = "pollux-simulation/1"
GAP = 2  # between columns
SIZES_WIDTH = 36  # of the columns that come first
NOTE = (
    "eff.: work / (workers × time); work: sum of all kernels' times; path: critical path;\n"
    "no schedule is shorter than the bound, and no ideal list schedule longer than Graham's."
)


def json_text(found: Sequence[Prediction], kernels: str) -> str:
    """All that was predicted; `kernels` says where the kernels' times come from."""
    data = {
        "schema": SCHEMA,
        "kernels": kernels,
        "predictions": [prediction.as_json() for prediction in found],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def print_predictions(console: Console, found: Sequence[Prediction], kernels: str) -> None:
    console.print(f"kernel times: {kernels}", highlight=False, markup=False, soft_wrap=True)
    first = found[0].machine
    console.print(f"runtime: {costs_of(first)}", highlight=False, markup=False, soft_wrap=True)
    console.print(wide_table(found) if fits(found, console.width) else long_table(found))
    for line in work_lines(found):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    console.print(NOTE, highlight=False, markup=False)


def costs_of(machine: Machine) -> str:
    """The machine's policy and costs in words."""
    told = [
        f"policy {machine.policy}",
        f"creation {machine.creation:g} ns",
        f"dispatch {machine.dispatch:g} ns",
        f"steal {machine.steal:g} ns",
    ]
    if machine.throttle is not None:
        told.append(f"throttle at {machine.throttle} ready tasks")
    if machine.bandwidth is not None:
        told.append(f"bandwidth {machine.bandwidth * 1e-9:g} GB/s")
    return ", ".join(told)


def title_of(p: Prediction) -> str:
    return f"{p.instance.benchmark} {p.instance.variant}"


def titles(found: Sequence[Prediction]) -> list[str]:
    return list(dict.fromkeys(map(title_of, found)))


def place_of(p: Prediction) -> tuple[int, int, Tile, int]:
    return p.instance.m, p.instance.n, p.instance.tile, p.machine.workers


def fits(found: Sequence[Prediction], width: int) -> bool:
    """Whether several task graphs are best, and can be, shown side by side."""
    columns = [len(column_of(title)) + GAP + 1 for title in titles(found)]
    return len(columns) > 1 and SIZES_WIDTH + sum(columns) <= width


def column_of(title: str) -> str:
    return f"{title}, GFlop/s (eff.)"


def new_table(found: Sequence[Prediction]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, GAP, 0, 0), header_style="bold")
    rectangular = any(p.instance.m != p.instance.n for p in found)
    for name in (*(["M"] if rectangular else []), "N", "NB", "workers"):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def first_cells(p: Prediction, found: Sequence[Prediction]) -> list[str]:
    rectangular = any(p.instance.m != p.instance.n for p in found)
    return [str(number) for number in (place_of(p) if rectangular else place_of(p)[1:])]


def wide_table(found: Sequence[Prediction]) -> Table:
    """A row for each size, tile and number of workers, a column for each task graph."""
    table = new_table(found)
    for title in titles(found):
        table.add_column(column_of(title), justify="right", no_wrap=True)
    cells = {(place_of(p), title_of(p)): speed(p) for p in found}
    for place in dict.fromkeys(map(place_of, found)):
        row = next(p for p in found if place_of(p) == place)
        speeds = [cells.get((place, title), "–") for title in titles(found)]
        table.add_row(*first_cells(row, found), *speeds)
    return table


def speed(p: Prediction) -> str:
    return f"{significant(p.gflops)} ({100 * p.efficiency:3.0f} %)"


def long_table(found: Sequence[Prediction]) -> Table:
    """A row for each task graph, size, tile and number of workers."""
    table = new_table(found)
    for name in ("seconds", "GFlop/s", "eff.", "bound, s", "Graham's, s"):
        table.add_column(name, justify="right", no_wrap=True)
    several = len(titles(found)) > 1
    if several:
        table.add_column("task graph", no_wrap=True)
    else:
        table.title = titles(found)[0]
    for p in found:
        table.add_row(
            *first_cells(p, found),
            f"{p.seconds:.4g}",
            significant(p.gflops),
            f"{100 * p.efficiency:.1f} %",
            f"{p.lower_bound:.4g}",
            f"{p.upper_bound:.4g}",
            *([title_of(p)] if several else []),
        )
    return table


def work_lines(found: Sequence[Prediction]) -> list[str]:
    """For each instance: kernel calls, work, critical path, and how many workers that feeds."""
    lines = {}
    for p in found:
        lines[p.instance] = (
            f"{p.instance}: {p.calls} kernel calls, work {p.work:.4g} s, path {p.path:.4g} s, "
            f"parallelism {p.parallelism:.1f}"
        )
    return list(lines.values())


def significant(number: float) -> str:
    """Four digits, or all those before the point."""
    return f"{number:.0f}" if number >= 1000 else f"{number:.4g}"
