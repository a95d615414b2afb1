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
from pollux.output.figures.entries import entries_of, in_order, time_entries_of
from pollux.output.figures.granularity import plan_granularity
from pollux.output.figures.overheads import plan_overheads
from pollux.output.figures.ratios import plan_ratios
from pollux.output.figures.regions import plan_regions
from pollux.output.figures.selection import Plan, Request
from pollux.output.figures.terms import plan_terms

OF_AXES = "a benchmark and variant with valid samples at two or more values of this axis"
# How each kind is planned, and what it needs.
KINDS: dict[str, tuple[Callable[[Request], Plan], str]] = {
    "ratios": (plan_ratios, "two runtimes in one configuration"),
    "runtimes": (plan_runtimes, OF_AXES),
    "tile": (partial(plan_curves, TILE), OF_AXES),
    "size": (partial(plan_curves, SIZE), OF_AXES),
    "threads": (plan_threads, OF_AXES),
    **(service("figures") or {}),
    "terms": (plan_terms, "two runtimes on a micro-benchmark with several quantities"),
    "overheads": (
        plan_overheads,
        "a micro-benchmark with two or more threads, sizes or values of a parameter",
    ),
    "costs": (plan_costs, "two variants of a micro-benchmark"),
    "granularity": (plan_granularity, "records of granularity"),
    "clomp": (plan_clomp, "records of clomp"),
    "regions": (plan_regions, "records of regions with two or more inner threads"),
}
NEEDED = (
    "a figure needs a run with a valid speed, or a micro-benchmark with two or more variants, "
    "sizes, threads or values of a parameter"
)
ALL = "all"  # that there is data for
DEFAULT = ("ratios", "terms")  # the answer; where nothing is compared, all
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
        kinds = [kind for kind in DEFAULT if plan(kind, request).pages]
    if ALL in kinds:
        kinds = []
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise BadUsageError(f"unknown kind of plot {unknown[0]!r}; choose from {', '.join(KINDS)}")
    plans = {kind: plan(kind, request) for kind in dict.fromkeys(kinds or KINDS)}
    empty = [kind for kind, own in plans.items() if not own.pages]
    if kinds and empty:
        reason = plans[empty[0]].left_out or f"it needs {KINDS[empty[0]][1]}"
        others = ", ".join(drawable(request))
        raise BadUsageError(
            f"nothing to draw for --kind {empty[0]}: {reason}"
            + (f"; {others} can be drawn" if others else "")
        )
    if not any(own.pages for own in plans.values()):
        reasons = [own.left_out for own in plans.values() if own.left_out]
        raise BadUsageError(f"nothing to draw: {'; '.join(reasons) or NEEDED}")
    return [own for own in plans.values() if own.pages or own.left_out]


def plan(kind: str, request: Request) -> Plan:
    return KINDS[kind][0](request)


def drawable(request: Request) -> list[str]:
    """The kinds that there is data for."""
    return [kind for kind in KINDS if plan(kind, request).pages]


def check_filter(request: Request) -> None:
    """Refuse a filter that selects no sample, listing the available values."""
    result = request.result
    everything = [*entries_of(result), *time_entries_of(result)]
    for name, plural in FILTERS.items():
        found = {entry.own(name): None for entry in everything}
        there = sorted((value for value in found if value is not None), key=in_order)
        for wanted in getattr(request.filter, name):
            if wanted not in there:
                raise BadUsageError(
                    f"no sample with --{name} {wanted}; {plural} there are: "
                    f"{', '.join(map(str, there))}"
                )
    taken = list(filter(request.filter.takes, everything))
    if not taken:
        raise BadUsageError("no configuration matches all filters; leave one out")
    if not any(entry.has_samples for entry in taken):
        raise BadUsageError(
            "nothing to draw: none of these configurations has a sample; pollux run takes them"
        )
