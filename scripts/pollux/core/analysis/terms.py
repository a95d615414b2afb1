# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark's quantities over the compared levels: few rows, each over one cell or several."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

from pollux.core.analysis.axes import is_first, natural
from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.campaign.axes import BY_NAME, RUNTIME
from pollux.core.campaign.compared import COMPARED
from pollux.core.parameters import in_words

ROWS = 48  # at most, if one quantity or two are shown: a screen
ROWS_OF_TERMS = 24  # the same of more: each of them is read from version to version
DROPPED = ("parameters", "size", "variant", "threads")  # of a row's name, in this order
SHOWN = ("benchmark", "variant", "size", "parameters", "threads")
NAMES = (*SHOWN, "environment", *BY_NAME, "node", "runtime")
IMPLIED = ("environment", "size", "benchmark")  # not named where the rest of the name implies it
Cell = Mapping[str, Row]  # by level


@dataclass(frozen=True)
class Summary:
    """A level over the cells of a row: of several, geometric means and a count by verdict."""

    time: float
    ratio: float | None  # to the reference; None: it is the reference, or not compared
    verdicts: Counter[Verdict]


@dataclass(frozen=True)
class Term:
    """A row of the table."""

    quantity: str
    name: tuple[str, ...]  # in words, what else distinguishes its cells from those of other rows
    unit: str
    cells: Sequence[Cell]  # those with a time of every level that has any
    left_out: int  # cells without
    levels: Mapping[str, Summary]


@dataclass(frozen=True)
class Terms:
    """The table, and what it leaves to the lines of all comparisons."""

    rows: Sequence[Term]
    levels: Sequence[str]
    reference: str
    auxiliary: Sequence[str]  # quantities that decide nothing, where there is no room for them


def has_terms(result: Result) -> bool:
    """Whether all that it compares are quantities of benchmarks of costs, in several levels."""
    rows = result.rows
    levels = {row.level for row in rows}
    return len(levels) > 1 and all(
        row.configuration.is_cost and row.configuration.quantity for row in rows
    )


def table_of(result: Result) -> Terms:
    """The finest table that fits a screen."""
    cells: dict[str, dict[str, Row]] = {}
    for row in result.rows:
        cells.setdefault(row.cell, {})[row.level] = row
    known = [cell for cell in cells.values() if any(row.figure for row in cell.values())]
    wanted = [cell for cell in known if is_wanted(cell, result)] or known
    coarser = [tuple(n for n in NAMES if n not in DROPPED[:k]) for k in range(len(DROPPED) + 1)]
    for chosen, axes in [(known, NAMES), *((wanted, axes) for axes in coarser)]:
        groups = grouped(chosen, [axis for axis in axes if axis != COMPARED[result.by]], result)
        quantities = {quantity for quantity, _ in groups}
        if len(groups) <= (ROWS if len(quantities) < 3 else ROWS_OF_TERMS):
            break
    order = list(dict.fromkeys(quantity for quantity, _ in groups))
    keys = sorted(groups, key=lambda key: (order.index(key[0]), *map(natural, key[1])))
    rows = [term_of(*key, groups[key]) for key in keys]
    left = dict.fromkeys(map(quantity_of, known))
    auxiliary = [name for name in left if name not in quantities]
    return Terms(rows, levels_of(result), result.reference, auxiliary)


def is_wanted(cell: Cell, result: Result) -> bool:
    """Whether it is about a headline, or what the campaign decides besides; else all is."""
    first = is_first(any_row(cell).configuration)
    return not result.is_sequential or first or quantity_of(cell) in result.dataset.decide


def any_row(cell: Cell) -> Row:
    return next(iter(cell.values()))


def quantity_of(cell: Cell) -> str:
    return any_row(cell).configuration.quantity or ""


def grouped(
    cells: Sequence[Cell], axes: Sequence[str], result: Result
) -> dict[tuple[str, tuple[str, ...]], list[Cell]]:
    """The cells of each row, by quantity and by those axes that are not the same everywhere."""
    words = [words_of(any_row(cell), axes) for cell in cells]
    quantities = [quantity_of(cell) for cell in cells]
    varied = [axis for axis in axes if len({own[axis] for own in words}) > 1]
    varied = telling(varied, list(zip(quantities, words, strict=True)))
    found: dict[tuple[str, tuple[str, ...]], list[Cell]] = {}
    for quantity in dict.fromkeys(map(quantity_of, sorted_cells(cells, result))):
        for cell, own in zip(cells, words, strict=True):
            if quantity_of(cell) == quantity:
                name = tuple(own[axis] for axis in varied if own[axis])
                found.setdefault((quantity, name), []).append(cell)
    return found


def telling(axes: list[str], cells: Sequence[tuple[str, Mapping[str, str]]]) -> list[str]:
    """The axes without those that the others and the quantity imply."""

    def rows(chosen: Sequence[str]) -> int:
        return len({(quantity, *(own[axis] for axis in chosen)) for quantity, own in cells})

    for axis in IMPLIED:
        others = [other for other in axes if other != axis]
        if rows(others) == rows(axes):
            axes = others
    return axes


def sorted_cells(cells: Sequence[Cell], result: Result) -> list[Cell]:
    """Headlines first, then quantities in the order in which the campaign names them."""
    order = {name: place for place, name in enumerate(result.dataset.decide)}
    return sorted(
        cells,
        key=lambda c: (
            not is_first(any_row(c).configuration),
            order.get(quantity_of(c), len(order)),
        ),
    )


def words_of(row: Row, axes: Sequence[str]) -> dict[str, str]:
    """Its value on each axis as a reader knows it; empty where that says nothing."""
    c, identity = row.configuration, row.identity
    threads = identity.threads if identity else c.threads
    values = {
        "parameters": in_words(c.own),
        "size": "" if c.size_name is None else f"{c.size} {c.size_name}",
        "threads": "" if threads is None else f"{threads} thread{'s' * (threads != 1)}",
        "environment": "" if c.environment in ("default", "as run") else c.environment,
        "runtime": c.runtime,
    }
    return {axis: values[axis] if axis in values else plain(row, axis) for axis in axes}


def plain(row: Row, axis: str) -> str:
    value = getattr(row.configuration, axis)
    return "" if value is None else str(value)


def term_of(quantity: str, name: tuple[str, ...], cells: list[Cell]) -> Term:
    """What each level shows over the cells that all of its levels know."""
    present = {level for cell in cells for level, row in cell.items() if row.figure}
    whole = [c for c in cells if all(level in c and c[level].figure for level in present)]
    levels = {level: summary([cell[level] for cell in whole]) for level in present} if whole else {}
    unit = any_row(cells[0]).configuration.unit
    return Term(quantity, name, unit, whole, len(cells) - len(whole), levels)


def summary(rows: Sequence[Row]) -> Summary:
    times = [row.figure.estimate for row in rows if row.figure]
    ratios = [row.comparison.ratio.estimate for row in rows if row.comparison.ratio]
    verdicts = Counter(row.comparison.verdict for row in rows)
    return Summary(geometric_mean(times), geometric_mean(ratios) if ratios else None, verdicts)


def geometric_mean(values: Sequence[float]) -> float:
    """That of numbers above 0; of one, itself."""
    return values[0] if len(values) == 1 else exp(fsum(map(log, values)) / len(values))


def levels_of(result: Result) -> list[str]:
    """Versions of a runtime next to each other in their order, those of the reference's first.

    Levels of other axes: the reference first, then as they occur.
    """
    place = {key: at for at, key in enumerate(result.dataset.configurations)}
    rows = sorted(result.rows, key=lambda row: place.get(row.key, len(place)))
    levels = list(dict.fromkeys([result.reference, *(row.level for row in rows)]))
    if result.by != RUNTIME:
        return levels
    names = list(dict.fromkeys(loaded(result, level)[0] for level in levels))
    return sorted(levels, key=lambda level: version_order(names, *loaded(result, level)))


def version_order(names: Sequence[str], name: str, version: str) -> tuple[object, ...]:
    return names.index(name), natural(version)


def loaded(result: Result, level: str) -> tuple[str, str]:
    """Name and version of the runtime that a level ran; the level and nothing if it never did."""
    found = (row.identity.runtime for row in result.rows if row.level == level and row.identity)
    runtime = next(found, {})
    return runtime.get("name") or level, runtime.get("version") or ""


def level_with_version(result: Result, level: str) -> str:
    """The level, with the version that it loaded where its name does not say it."""
    version = loaded(result, level)[1] if result.by == RUNTIME else ""
    return level if not version or version in level else f"{level} ({version})"
