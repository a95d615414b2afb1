# SPDX-License-Identifier: BSD-3-Clause
"""Puts the page together: sections from a comparison, style, scripts and the plotting library."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from platform import python_version
from typing import Any

from jinja2 import Environment, StrictUndefined

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.result import Failure, Result
from pollux.core.analysis.right_factors import deciding_lines
from pollux.core.analysis.statistics import LEVEL
from pollux.core.analysis.stopping import MEANS, ROWS
from pollux.core.grouping import grouped
from pollux.core.parts import service
from pollux.core.spans import in_words
from pollux.core.text import some
from pollux.output.report import data, identity, numbers, reproduce, tables
from pollux.output.report.figures import figure_tables
from pollux.output.report.times import times

ALERTS = 10  # failures named at the top; all of them have their own section
STACKS = 100  # failures whose details are shown: one page is to hold the rest as well
STACK = 8000  # last characters shown of a failure's details
LIBRARIES = ("numpy", "scipy", "plotly", "jinja2")


def make_page(
    result: Result,
    conformance: Sequence[object] = (),
    points: object = None,
    others: Sequence[Result] = (),
    gates: Sequence[object] = (),
) -> str:
    """The whole page. All that comes from the records is escaped by the template.

    `conformance` are results of the part `machine`, and `gates` its decisions; `points` have the
    energy of configurations, and `others` compare it by other sources, both of the part `energy`.
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(
        percent=numbers.percent, count=numbers.count, level=LEVEL, sequential_level=ROWS + MEANS
    )
    template = environment.from_string(own("page.html"))
    rates = rates_of(result)
    charts = own("charts.js") + own("draw.js") if rates.rows else ""
    return template.render(
        result=result,
        **heading(result),
        **trouble(result),
        tables=tables.row_tables(rates) if rates.rows else [],
        figures=figure_tables(rates),
        times=times(result),
        overall=tables.overall_table(result),
        labels=identity.labels(result.dataset),
        builds=identity.side_by_side(result.dataset),
        energy=section("energy", points, result, points, others),
        conformance=section("conformance", conformance, result.dataset, conformance),
        gates=gates,
        unavailable=unavailable(result.dataset),
        starts=reproduce.starts(result.dataset),
        commands=reproduce.commands(result),
        versions=versions(result.dataset),
        style=own("page.css"),
        scripts=own("tables.js") + charts,
        data=data.packed_data(rates) if rates.rows else "",
        plotly=packed_plotly() if rates.rows else "",
    )


def section(name: str, given: object, *arguments: object) -> object:
    """The section that a part makes of what is given; None where nothing is, or the part is not."""
    make = service(f"{name}_section")
    return make(*arguments) if make and given else None


def rates_of(result: Result) -> Result:
    """The part without other quantities, which have a section of their own."""
    return replace(result, rows=[row for row in result.rows if row.configuration.is_speed])


def own(name: str) -> str:
    """A file of this package."""
    return files("pollux.output.report").joinpath(name).read_text("utf-8")


@cache
def packed_plotly() -> str:
    """The plotting library as it is installed: nearly 5 MB, packed 2 MB."""
    from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

    return data.pack(get_plotlyjs().encode())


def heading(result: Result) -> dict[str, Any]:
    """Title and the facts below the answer."""
    dataset = result.dataset
    names = list(dict.fromkeys(start.name for start in dataset.starts))
    title = some(names or [path.stem for path in dataset.paths])
    hosts = distinct(dataset, "hostname")
    begin = data.beginning(dataset)
    facts = {
        "measured": numbers.date(begin) if begin else "",
        "over": in_words(span(dataset)) if begin else "",
        "host": ", ".join(hosts),
        "processor": ", ".join(distinct(dataset, "cpu")),
        "cores": ", ".join(distinct(dataset, "cores")),
        "processes": f"{len(dataset.processes()):,}".replace(",", "\u202f"),
        "configurations": f"{ran(dataset):,}".replace(",", "\u202f"),
        "disturbed blocks": disturbed(dataset),
        "records": some(path.name for path in dataset.paths),
    }
    return {"title": title, "facts": {name: text for name, text in facts.items() if text}}


def ran(dataset: Dataset) -> int:
    """The number of configurations, each of which may have several quantities."""
    return sum(not c.is_term for c in dataset.configurations.values())


def distinct(dataset: Dataset, name: str) -> list[str]:
    """The values of one property of the hosts that the samples ran on."""
    found = (i.host.get(name) for known in dataset.identities.values() for i in known)
    return list(dict.fromkeys(str(value) for value in found if value is not None))


def span(dataset: Dataset) -> float:
    """Seconds from the first process's start to the last one's."""
    starts = [sample.start_unix_ns for sample in dataset.samples]
    return (max(starts) - min(starts)) / 1e9


def disturbed(dataset: Dataset) -> str:
    if not dataset.blocks:
        return ""
    number = sum(block.disturbed for block in dataset.blocks.values())
    return f"{number} of {len(dataset.blocks)}"


def trouble(result: Result) -> dict[str, Any]:
    """Failures and disagreements: a few words for the top, everything for their section."""
    alerts = alike(result.failures)
    return {
        "alerts": alerts[:ALERTS],
        "more_alerts": max(0, len(alerts) - ALERTS),
        "failures": [(f, detail(f) if i < STACKS else "") for i, f in enumerate(result.failures)],
        "hidden_stacks": sum(bool(f.detail) for f in result.failures[STACKS:]),
        "process_warnings": process_warnings(result.dataset),
        "deciding": list(deciding_lines(result.dataset, result.disagreements)),
    }


def alike(failures: list[Failure]) -> list[str]:
    """A line for each problem of each level, however many configurations it befell."""
    groups = grouped(failures, lambda f: (f.row.level, f.outcome, f.problem))
    return [
        f"{level}: {outcome} of {processes(group)} in {which(group)}: {problem}"
        for (level, outcome, problem), group in groups.items()
    ]


def processes(failures: list[Failure]) -> str:
    return numbers.count(sum(f.count for f in failures), "process", "processes")


def which(failures: list[Failure]) -> str:
    """The cell, or the first of them."""
    first = failures[0].row.cell
    return first if len(failures) == 1 else f"{len(failures)} configurations such as {first}"


def detail(failure: Failure) -> str:
    """The last part of a failure's details, where the cause of a crash is."""
    text = failure.detail or ""
    return text if len(text) <= STACK else f"[… {len(text) - STACK} characters]\n{text[-STACK:]}"


def process_warnings(dataset: Dataset) -> dict[str, int]:
    """What the executables warned of, with the number of processes that did."""
    return Counter(warning for sample in dataset.processes() for warning in sample.warnings)


def unavailable(dataset: Dataset) -> list[tuple[str, str, str]]:
    """Configuration, runtime and reason of what could not be run."""
    found = [(dataset.configurations.get(key), why) for key, why in dataset.unavailable.items()]
    return [(c.label(), c.runtime, why) for c, why in found if c is not None]


def versions(dataset: Dataset) -> dict[str, str]:
    """Of what measured, and of what made this page."""
    measured = dict.fromkeys(start.pollux for start in dataset.starts)
    with_ = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return {
        "measured by": ", ".join(f"pollux {v}" for v in measured) or "the executables themselves",
        "page made by": f"pollux {version('pollux')}, Python {python_version()}, {with_}",
    }
