# SPDX-License-Identifier: BSD-3-Clause
"""`pollux run --dry-run`: what a campaign would run, its time, whether it fits in memory."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain

from rich.console import Console
from rich.table import Table

from pollux.core.campaign.axes import AXES, Axis
from pollux.core.campaign.estimate import (
    data_bytes,
    estimate_seconds,
    machine_with,
    memory_available,
    memory_bytes,
)
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.pursuit import BUDGET, grace_of
from pollux.core.campaign.repetitions import first
from pollux.core.campaign.switch import check_levers, settings_of
from pollux.core.campaign.taking import how_taken
from pollux.core.console import say, say_all
from pollux.core.errors import MachineError
from pollux.core.spans import figure, in_words
from pollux.core.text import counted, one_line

ROWS_MAX = 60  # configurations shown one by one
NAMES_MAX = 3  # configurations that a message names
MIB = 2**20
NONE = "–"  # of an axis that a benchmark lacks
AS_IT_IS = "as it is"  # a lever that is not set
# Seconds that a campaign spends around each process, and its blocks' calibrations, as a share.
OVERHEAD = 1.1


def of_matrix(configuration: Configuration, text: str) -> str:
    """The text, of a benchmark that computes on a matrix."""
    return NONE if configuration.tile_asked is None else text


def setting_in_words(axis: Axis, configuration: Configuration) -> str:
    value = getattr(configuration, axis.name)
    if not axis.option:
        return str(value or AS_IT_IS)
    return of_matrix(configuration, str(value or axis.default or NONE))


COLUMNS: dict[str, Callable[[Configuration], str]] = {
    "benchmark": lambda c: c.benchmark,
    "variant": lambda c: c.variant,
    "runtime": lambda c: c.runtime,
    "kernels": lambda c: c.kernels or NONE,
    "N": lambda c: str(c.size),
    "M": lambda c: of_matrix(c, str(c.rows or "= N")),
    "NB": lambda c: of_matrix(c, str(c.tile or c.tile_asked)),
    "IB": lambda c: of_matrix(c, str(c.inner or "default")),
    "parameters": lambda c: c.own_words or "default",
    "threads": lambda c: str(c.threads or "all"),
    "environment": lambda c: c.environment,
    **{axis.name: partial(setting_in_words, axis) for axis in AXES},
}


UNSAID = ([NONE], [AS_IT_IS])  # of an axis that this campaign has no use for


def show_plan(console: Console, plan: Plan, gflops_per_core: float) -> int:
    """Show what would be run; MachineError, and nothing shown, where the memory is too small."""
    check_memory(plan)
    seconds = estimates(plan, gflops_per_core)
    show_configurations(console, plan, seconds)
    lines = (
        *plan.left_out,
        *plan.not_run(),
        *totals(plan, seconds, gflops_per_core),
        *memory_warnings(plan),
        *how_taken(plan),
    )
    say_all(console, lines)
    check_levers(plan.configurations)
    return 0


def estimates(plan: Plan, gflops_per_core: float) -> list[float]:
    """Seconds of one process of each configuration, in the first round."""
    campaign, machine = plan.campaign, machine_with(gflops_per_core)
    return [
        estimate_seconds(c, campaign, machine, None, first(c, campaign, machine))
        for c in plan.configurations
    ]


def show_configurations(console: Console, plan: Plan, seconds: list[float]) -> None:
    """One row per configuration or, if there are many, per benchmark and variant."""
    if len(plan.configurations) > ROWS_MAX:
        show_summary(console, plan, seconds)
        return
    fixed = [name for name in COLUMNS if len(values(plan, name)) == 1]
    columns = [name for name in COLUMNS if name not in fixed] or ["benchmark", "variant"]
    table = make_table(columns, "seconds", "memory MiB, at most")
    for configuration, needed in zip(plan.configurations, seconds, strict=True):
        cells = [one_line(COLUMNS[name](configuration)) for name in columns]
        memory = memory_bytes(configuration) / MIB
        table.add_row(*cells, figure(needed), f"{memory:.0f}")
    console.print(table)
    same = {name: values(plan, name)[0] for name in fixed if name not in columns}
    shown = [f"{name} {value}" for name, value in same.items() if [value] not in UNSAID]
    if shown:
        say(console, f"all: {', '.join(shown)}")


def show_summary(console: Console, plan: Plan, seconds: list[float]) -> None:
    """Configurations counted by benchmark and variant, and the values of all axes."""
    counted: dict[tuple[str, str], list[float]] = {}
    for configuration, needed in zip(plan.configurations, seconds, strict=True):
        counted.setdefault((configuration.benchmark, configuration.variant), []).append(needed)
    table = make_table(["benchmark", "variant"], "configurations", "seconds, at most")
    for (benchmark, variant), each in counted.items():
        table.add_row(one_line(benchmark), one_line(variant), str(len(each)), figure(max(each)))
    console.print(table)
    for name in list(COLUMNS)[2:]:
        if (found := values(plan, name)) not in UNSAID:
            say(console, f"{name}: {', '.join(found)}")


def values(plan: Plan, column: str) -> list[str]:
    """The different values of an axis, in the order of the plan."""
    return list(dict.fromkeys(map(COLUMNS[column], plan.configurations)))


def make_table(texts: Iterable[str], *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in texts:
        table.add_column(name, no_wrap=True, justify="right" if name in ("N", "M") else "left")
    for name in numbers:
        table.add_column(name, no_wrap=True, justify="right")
    return table


def totals(plan: Plan, seconds: list[float], gflops_per_core: float) -> list[str]:
    """Numbers of processes, time and memory, each with the basis of the estimate."""
    count = len(plan.configurations)
    longest = max(range(count), key=seconds.__getitem__)
    largest = max(plan.configurations, key=memory_bytes)
    return [
        f"{counted(count, 'configuration')} in {counted(len(plan.cells()), 'cell')}"
        f"{how_often(plan)}",
        *lever_lines(plan),
        *power_lines(plan),
        *launcher_lines(plan),
        f"time: {time_in_all(plan, sum(seconds))}; the longest run "
        f"{in_words(seconds[longest])} ({title(plan.configurations[longest])})",
        f"  estimated from {gflops_per_core:.3g} GFlop/s of one core's dgemm; the first round "
        "gives a better estimate",
        f"memory: at most {size(memory_bytes(largest))} ({title(largest)}); "
        f"{size(memory_available())} available",
    ]


def how_often(plan: Plan) -> str:
    campaign, count = plan.campaign, len(plan.configurations)
    if campaign.until_decided is not None:
        names = list(dict.fromkeys(chain.from_iterable(plan.terms.values())))
        terms = f" in its headline and {', '.join(names)}" if names else ""
        return f", until each is decided{terms} at {100 * campaign.until_decided:g} %"
    alone = "" if any(len(cell) > 1 for cell in plan.cells()) else "; nothing is compared"
    return f" × {campaign.processes} processes: {count * campaign.processes} runs{alone}"


def time_in_all(plan: Plan, round_seconds: float) -> str:
    campaign = plan.campaign
    if campaign.until_decided is not None:
        budget = campaign.budget or BUDGET
        short = ", too long for a sample of each configuration" * (round_seconds > budget)
        return (
            f"at most {in_words(budget)} in all, and {in_words(grace_of(budget))} for what still "
            f"runs then; a round of each cell about {in_words(round_seconds)}{short}"
        )
    return f"about {in_words(OVERHEAD * campaign.processes * round_seconds)} in all"


def lever_lines(plan: Plan) -> list[str]:
    """How often levers are switched: each setting once in each round."""
    settings = settings_of(plan.configurations)
    if settings == [{}]:
        return []
    number = counted(len(settings), "setting")
    if plan.campaign.until_decided is not None:
        return [f"levers: {number}, switched between blocks, restored at the end"]
    switches = len(settings) * plan.campaign.processes if len(settings) > 1 else 1
    switched = f"switched {counted(switches, 'time')}"
    return [f"levers: {number}, {switched}, and restored at the end"]


def power_lines(plan: Plan) -> list[str]:
    seconds = plan.campaign.power
    return [] if seconds is None else [f"power: sampled every {1000 * seconds:.6g} ms"]


def launcher_lines(plan: Plan) -> list[str]:
    launcher = plan.campaign.launcher
    return [] if launcher is None else [f"launcher: {launcher}, before each executable"]


def memory_warnings(plan: Plan) -> list[str]:
    """Configurations whose data fit, but perhaps not the runtime's records of their tasks."""
    available = memory_available()
    risky = [c for c in plan.configurations if data_bytes(c) <= available < memory_bytes(c)]
    if not risky:
        return []
    return [
        f"warning: memory may run out, since the runtime keeps a record of each task: "
        f"{titles(risky)}; larger tiles make fewer tasks"
    ]


def check_memory(plan: Plan) -> None:
    """Refuse a plan with configurations whose data do not fit in memory."""
    check_data(plan.configurations, partial(remedy, plan))


def check_data(
    configurations: Sequence[Configuration], remedy: Callable[[list[Configuration]], str]
) -> None:
    """Refuse configurations whose data do not fit in memory, with a remedy for those."""
    available = memory_available()
    large = [c for c in configurations if data_bytes(c) > available]
    if not large:
        return
    raise MachineError(
        f"{size(available)} of memory are available, up to {size(max(map(data_bytes, large)))} "
        f"are needed by {titles(large)}; {remedy(large)}"
    )


def remedy(plan: Plan, large: list[Configuration]) -> str:
    """What would leave only the configurations that fit."""
    too_large = {c.size for c in large}
    fitting = sorted({c.size for c in plan.configurations} - too_large)
    if not fitting:
        return "a smaller --size or an [[exclude]] helps"
    if plan.campaign.include:  # its tables pair sizes with other keys, which --size would undo
        sizes = ", ".join(map(str, sorted(too_large)))
        return f"an [[exclude]] with size = [{sizes}] in the file leaves those that fit"
    return f"--size {','.join(map(str, fitting))} leaves those that fit"


def titles(configurations: list[Configuration]) -> str:
    """The first few of many configurations, and the number of the others."""
    more = len(configurations) - NAMES_MAX
    names = "; ".join(map(title, configurations[:NAMES_MAX]))
    return f"{names} and {more} more" if more > 0 else names


def title(c: Configuration) -> str:
    """A configuration in a few words."""
    if c.tile_asked is None:
        return f"{c.label()} on {c.runtime}"
    tile = f", NB = {c.tile}" if c.tile else ""
    return f"{c.benchmark} {c.variant} on {c.runtime}, N = {c.size}{tile}"


def size(number: int) -> str:
    return f"{figure(number / 2**30)} GiB" if number >= 2**30 else f"{number / MIB:.0f} MiB"
