# SPDX-License-Identifier: BSD-3-Clause
"""All kinds of figures by name, and which of them a result has the data for."""

from collections.abc import Callable
from functools import partial

from pollux.core.errors import BadUsageError
from pollux.core.parts import service
from pollux.output.figures.bars import plan_runtimes
from pollux.output.figures.clomp import plan_clomp
from pollux.output.figures.costs import plan_costs
from pollux.output.figures.curves import SIZE, TILE, plan_curves
from pollux.output.figures.efficiency import plan_threads
from pollux.output.figures.entries import Entry, entries_of, time_entries_of, values_of
from pollux.output.figures.granularity import plan_granularity
from pollux.output.figures.overheads import plan_overheads
from pollux.output.figures.ratios import plan_ratios
from pollux.output.figures.regions import plan_regions
from pollux.output.figures.selection import Plan, Request
from pollux.output.figures.terms import plan_terms

ENERGY: dict[str, tuple[Callable[[Request], Plan], str]] = service("figures") or {}
PLANS: dict[str, Callable[[Request], Plan]] = {
    "ratios": plan_ratios,
    "runtimes": plan_runtimes,
    "tile": partial(plan_curves, TILE),
    "size": partial(plan_curves, SIZE),
    "threads": plan_threads,
    **{name: plan for name, (plan, _) in ENERGY.items()},
    "terms": plan_terms,
    "overheads": plan_overheads,
    "costs": plan_costs,
    "granularity": plan_granularity,
    "clomp": plan_clomp,
    "regions": plan_regions,
}
NEEDS = {  # what figures of a kind need
    "ratios": "two runtimes in one configuration",
    **{name: needs for name, (_, needs) in ENERGY.items()},
    "terms": "two runtimes on a micro-benchmark with several quantities",
    "overheads": "a micro-benchmark with two or more threads, sizes or values of a parameter",
    "costs": "two variants of a micro-benchmark",
    "granularity": "records of granularity",
    "clomp": "records of clomp",
    "regions": "records of regions with two or more inner threads",
}
NEEDED = (
    "a figure needs a run with a valid speed, or a micro-benchmark with two or more variants, "
    "sizes, threads or values of a parameter"
)
ALL = "all"  # that there is data for
DEFAULT = ("ratios", "terms")  # the answer; where nothing is compared, all
OF_AXES = "a benchmark and variant with valid samples at two or more values of this axis"
FILTERS = {
    "benchmark": "benchmarks",
    "variant": "variants",
    "size": "matrix orders",
    "tile": "tile sizes",
    "threads": "numbers of threads",
    "runtime": "runtimes",
    "kernels": "kernel sets",
}


def plans_for(request: Request, kinds: list[str]) -> list[Plan]:
    """The plans of these kinds; by default those that answer, or all if nothing is compared."""
    check_filter(request)
    if not kinds:
        kinds = [kind for kind in DEFAULT if PLANS[kind](request).pages]
    if ALL in kinds:
        kinds = []
    unknown = [kind for kind in kinds if kind not in PLANS]
    if unknown:
        raise BadUsageError(f"unknown kind of plot {unknown[0]!r}; choose from {', '.join(PLANS)}")
    plans = {kind: PLANS[kind](request) for kind in dict.fromkeys(kinds or PLANS)}
    empty = [kind for kind, plan in plans.items() if not plan.pages]
    if kinds and empty:
        reason = plans[empty[0]].left_out or f"it needs {NEEDS.get(empty[0], OF_AXES)}"
        others = ", ".join(drawable(request))
        raise BadUsageError(
            f"nothing to draw for --kind {empty[0]}: {reason}"
            + (f"; {others} can be drawn" if others else "")
        )
    if not any(plan.pages for plan in plans.values()):
        reasons = [plan.left_out for plan in plans.values() if plan.left_out]
        raise BadUsageError(f"nothing to draw: {'; '.join(reasons) or NEEDED}")
    return [plan for plan in plans.values() if plan.pages or plan.left_out]


def drawable(request: Request) -> list[str]:
    """The kinds that there is data for."""
    return [kind for kind, plan in PLANS.items() if plan(request).pages]


def check_filter(request: Request) -> None:
    """Refuse a filter that selects nothing, listing the available values."""
    result = request.result
    everything = [*entries_of(result), *time_entries_of(result)]
    for name, plural in FILTERS.items():
        there = filter_values(everything, name)
        for wanted in getattr(request.filter, name):
            if wanted not in there:
                raise BadUsageError(
                    f"no sample with --{name} {wanted}; {plural} there are: "
                    f"{', '.join(map(str, there))}"
                )
    if not any(map(request.filter.takes, everything)):
        raise BadUsageError("no configuration matches all filters; leave one out")


def filter_values(entries: list[Entry], name: str) -> list[object]:
    if name in ("tile", "threads"):
        found = {getattr(entry, name) for entry in entries} - {None}
        return sorted(found)
    if name in ("benchmark", "variant"):  # by their own names
        return list(dict.fromkeys(getattr(e.row.configuration, name) for e in entries))
    return [value for value in values_of(entries, name) if value is not None]
