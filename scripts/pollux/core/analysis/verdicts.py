# SPDX-License-Identifier: BSD-3-Clause
"""Gives the rows of a comparison their verdicts: of one family, or of a sequence."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.axes import in_means, is_first, natural, on_node, runs_tasks
from pollux.core.analysis.fixed_plan import REFERENCE, judge
from pollux.core.analysis.metrics import Measure
from pollux.core.analysis.result import Overall, Row, not_compared
from pollux.core.analysis.stopping import chance_of
from pollux.core.analysis.two_sides import (
    Sides,
    adjacent_rounds,
    all_differences,
    over_cells,
    over_pairs,
    pair,
    paired_rounds,
    separate,
    weigh,
)
from pollux.core.analysis.until_decided import judge_means, judge_rows
from pollux.core.campaign.lines import PartOf
from pollux.core.campaign.logarithms import Series, shared_rounds
from pollux.core.campaign.variants import input_of

NO_CELL = not_compared("no cell in which both have valid samples")


Cells = dict[str, dict[str, Row]]  # by cell's label, then by level


def waiting_rows(cells: Cells, base: str) -> list[tuple[Row, Row]]:
    """The rows to compare, each with its reference; all others have their comparison then."""
    waiting = []
    for cell in cells.values():
        for level, row in cell.items():
            if level == base:
                row.comparison = not_compared(row.reason) if row.reason else REFERENCE
            elif reason := why_no_pair(row, cell.get(base), base):
                row.comparison = not_compared(reason)
            else:
                waiting.append((row, cell[base]))
    return waiting


def decided_cells(cells: Cells, terms: Collection[str]) -> Cells:
    """The cells whose comparisons decided when a campaign stopped: headlines, and these terms."""
    return {
        name: cell
        for name, cell in cells.items()
        if is_first_cell(cell) or quantity_of(cell) in terms
    }


def is_first_cell(cell: Mapping[str, Row]) -> bool:
    return all(is_first(row.configuration) for row in cell.values())


def quantity_of(cell: Mapping[str, Row]) -> str:
    """What the cell compares; empty for the only quantity of a benchmark."""
    return next(iter(cell.values())).configuration.quantity or ""


def judge_sequences(
    cells: Cells, base: str, relevant: float, measure: Measure, parts: Mapping[int, PartOf]
) -> None:
    """Give every row its comparison, in a campaign that ran until all was decided.

    The rows of each file decided when its part of the campaign stopped. Where a side is not of it,
    or neither is, the verdicts are those of any two sets of samples.
    """
    by_file: dict[int, list[tuple[Row, Row]]] = {}
    apart = []
    for row, reference in waiting_rows(cells, base):
        if of_one_campaign(row, reference):
            by_file.setdefault(file_of(row), []).append((row, reference))
        else:
            apart.append((row, reference))
    for file, own in by_file.items():
        judge_sequence(own, base, relevant, measure, chance_of(parts.get(file)))
    verdicts = judge(weigh([sides_of(*both) for both in apart]), relevant, measure.metric)
    for (row, _), comparison in zip(apart, verdicts, strict=True):
        row.comparison = comparison


def judge_sequence(
    both: Sequence[tuple[Row, Row]], base: str, relevant: float, measure: Measure, chance: float
) -> None:
    """The same of the rows of one file, each with its reference."""
    subtract_adjacent(both, paired_rounds)
    waiting = [row for row, _ in both if row.differences is not None]
    for row, _ in both:
        if row.differences is None:
            row.comparison = not_compared(f"no round in which {base} succeeded next to it")
    pairs = [Pairs(relevant, (row.differences or {}).values()) for row in waiting]
    comparisons = judge_rows(pairs, measure.metric, chance)
    for row, comparison in zip(waiting, comparisons, strict=True):
        row.comparison = comparison


def parts_of(cells: Cells, rows: Sequence[Row]) -> Cells:
    """Of each cell, the rows that are among these."""
    kept = {row.key for row in rows}
    chosen = {
        name: {level: row for level, row in cell.items() if row.key in kept}
        for name, cell in cells.items()
    }
    return {name: cell for name, cell in chosen.items() if cell}


def means_of_sequence(cells: Cells, base: str, relevant: float, measure: Measure) -> list[Overall]:
    """Each level over the cells in which it is compared: headlines, and each further quantity.

    All of these means are one family.
    """
    if len(cells) < 2:
        return []
    present: dict[tuple[str | None, str], int] = {}
    compared: dict[tuple[str | None, str], list[Row]] = {}
    for quantity, own in by_quantity(cells).items():
        for level, (count, both) in counting_cells(own, base).items():
            present[quantity, level] = count
            compared[quantity, level] = [row for row, _ in both if row.differences]
    known = {key: own for key, own in compared.items() if own}
    means = judge_means(
        [[row.differences or {} for row in own] for own in known.values()],
        [[row.comparison.verdict for row in own] for own in known.values()],
        relevant,
        measure.metric,
    )
    found = dict(zip(known, means, strict=True))
    return [
        Overall(level, len(own), present[key] - len(own), found.get(key, NO_CELL), quantity)
        for key, own in compared.items()
        for quantity, level in [key]
    ]


def by_quantity(cells: Cells) -> dict[str | None, Cells]:
    """The cells of headlines, under None, and those of each further quantity."""
    found: dict[str | None, Cells] = {}
    for name, cell in cells.items():
        quantity = None if is_first_cell(cell) else quantity_of(cell)
        found.setdefault(quantity, {})[name] = cell
    return found


def judge_all(cells: Cells, base: str, relevant: float, measure: Measure) -> list[Overall]:
    """Give every row its comparison, and compare each level over all cells.

    The comparison of a single cell is that of its level, and not a second test.
    """
    both = waiting_rows(cells, base)
    subtract_adjacent(both, adjacent_rounds)
    waiting = [row for row, _ in both]
    sides = [sides_of(row, reference) for row, reference in both]
    counting = counting_cells(cells, base) if len(cells) > 1 else {}
    over = {
        level: found
        for level, (_, own) in counting.items()
        if len(own) > 1 and (found := weigh_level(own))
    }
    weights = weigh([*sides, *(mean for _, mean in over.values())])
    verdicts = judge(weights, relevant, measure.metric)
    for row, comparison in zip(waiting, verdicts, strict=False):
        row.comparison = comparison
    means = dict(zip(over, verdicts[len(waiting) :], strict=True))
    overall = []
    for level, (present, own) in counting.items():
        if level in means:
            count, comparison = over[level][0], means[level]
        elif len(own) == 1:
            count, comparison = 1, own[0][0].comparison
        else:
            count, comparison = 0, NO_CELL
        overall.append(Overall(level, count, present - count, comparison))
    return overall


def why_no_pair(row: Row, reference: Row | None, base: str) -> str | None:
    if row.reason:
        return row.reason
    if reference is None:
        if not is_first(row.configuration):
            return f"not known on {base}"
        alone = not runs_tasks(row.configuration)
        return "on one thread, without OpenMP" if alone else f"no {base} to compare with"
    if reference.reason:
        return f"{base}: {reference.reason}"
    own, other = row.sources, reference.sources
    return None if own == other else f"other sources: {own[0]} against {other[0]}"


def same_input(a: Row, b: Row) -> bool:
    """Whether both factor the same kind of matrix."""
    return input_of(a.configuration) == input_of(b.configuration)


def file_of(row: Row) -> int:
    return int(row.key.partition(":")[0])


def same_file(a: Row, b: Row) -> bool:
    return file_of(a) == file_of(b)


def of_one_campaign(a: Row, b: Row) -> bool:
    """Whether both took part in the same."""
    return same_file(a, b) and not (a.is_plain or b.is_plain)


def can_pair(a: Row, b: Row) -> bool:
    """Whether they ran in the same rounds; rows without rounds are counted below 0."""
    return same_file(a, b) and any(r >= 0 for r in shared_rounds(a.logs, b.logs)[0])


def subtract(both: Iterable[tuple[Row, Row]]) -> None:
    """Give each row that can be paired with its reference the differences."""
    paired = [(row, reference) for row, reference in both if can_pair(row, reference)]
    found = all_differences([(row.logs, reference.logs) for row, reference in paired])
    for (row, _), (differences, deviations) in zip(paired, found, strict=True):
        row.differences, row.deviations = differences, deviations


def subtract_adjacent(
    both: Sequence[tuple[Row, Row]], rounds_of: Callable[[Series, Series], list[int]]
) -> None:
    """The same, of those rounds."""
    adjacent = [(row, other, rounds_of(row.logs, other.logs)) for row, other in both]
    subtract((row, other) for row, other, rounds in adjacent if rounds)
    for row, _, rounds in adjacent:
        if row.differences is None or len(rounds) == len(row.differences):
            continue
        row.apart = len(row.differences) - len(rounds)
        row.differences = {r: row.differences[r] for r in rounds}
        row.deviations = {r: row.deviations[r] for r in rounds}


def sides_of(row: Row, reference: Row) -> Sides:
    if row.differences is not None:
        return pair(row.differences)
    return separate(row.logs, reference.logs)


def weigh_level(both: Sequence[tuple[Row, Row]]) -> tuple[int, Sides] | None:
    """Of how many cells there is a mean, and what to compare over them."""
    paired = [row.differences for row, _ in both if row.differences is not None]
    if len(paired) == len(both):
        return over_pairs(paired)
    return over_cells([(row.logs, reference.logs) for row, reference in both])


def counting_cells(cells: Cells, base: str) -> dict[str, tuple[int, list[tuple[Row, Row]]]]:
    """For each level but the reference: in how many cells it is, and the pairs to compare.

    Where there are several nodes, for each of them. Only rows that count in means are among these,
    unless there are no others.
    """
    places = dict.fromkeys(
        (level, row.configuration.node)
        for cell in cells.values()
        for level, row in cell.items()
        if level != base
    )
    found: dict[str, tuple[int, list[tuple[Row, Row]]]] = {}
    for level, node in sorted(places, key=lambda place: tuple(map(natural, place))):
        present = [
            cell
            for cell in cells.values()
            if level in cell and cell[level].configuration.node == node
        ]
        if all(base in c and not same_input(c[level], c[base]) for c in present):
            continue
        if tasks := [cell for cell in present if in_means(cell[level].configuration)]:
            present = tasks
        both = [
            (cell[level], cell[base])
            for cell in present
            if why_no_pair(cell[level], cell.get(base), base) is None
            and same_input(cell[level], cell[base])
        ]
        found[on_node(level, node)] = len(present), both
    return found
