# SPDX-License-Identifier: BSD-3-Clause
"""Gives the entries of a comparison their verdicts: of one family, or of a sequence."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.axes import in_means, is_first, natural, on_node, runs_tasks
from pollux.core.analysis.fixed_plan import REFERENCE, judge, not_compared
from pollux.core.analysis.metrics import Measure
from pollux.core.analysis.result import Comparison, Overall, Row
from pollux.core.analysis.two_sides import (
    ByRound,
    Sides,
    all_differences,
    over_cells,
    over_pairs,
    pair,
    rounds_shared,
    separate,
    weigh,
)
from pollux.core.analysis.until_decided import judge_means, judge_rows
from pollux.core.campaign.variants import input_of

PENDING = not_compared("")
NO_CELL = not_compared("no cell in which both have valid samples")


@dataclass
class Entry:
    """A row under construction: its contents, and the logarithms that it is compared by."""

    row: Row
    logs: ByRound
    reason: str | None  # why it cannot be compared
    comparison: Comparison = PENDING
    differences: Mapping[int, float] | None = None  # from the reference, by round, where paired


Cells = dict[str, dict[str, Entry]]  # by cell's label, then by level


def waiting_entries(cells: Cells, base: str) -> list[tuple[Entry, Entry]]:
    """The entries to compare, each with its reference; all others have their comparison then."""
    waiting = []
    for cell in cells.values():
        for level, entry in cell.items():
            if level == base:
                entry.comparison = not_compared(entry.reason) if entry.reason else REFERENCE
            elif reason := why_no_pair(entry, cell.get(base), base):
                entry.comparison = not_compared(reason)
            else:
                waiting.append((entry, cell[base]))
    return waiting


def decided_cells(cells: Cells, terms: Collection[str]) -> Cells:
    """The cells whose comparisons decided when a campaign stopped: headlines, and these terms."""
    return {
        name: cell
        for name, cell in cells.items()
        if is_first_cell(cell) or quantity_of(cell) in terms
    }


def is_first_cell(cell: Mapping[str, Entry]) -> bool:
    return all(is_first(entry.row.configuration) for entry in cell.values())


def quantity_of(cell: Mapping[str, Entry]) -> str:
    """What the cell compares; empty for the only quantity of a benchmark."""
    return next(iter(cell.values())).row.configuration.quantity or ""


def judge_sequences(cells: Cells, base: str, relevant: float, measure: Measure) -> None:
    """The same for the cells of each file, which decided when its part of a campaign stopped."""
    by_file: dict[str, Cells] = {}
    for name, cell in cells.items():
        file = next(iter(cell.values())).row.key.partition(":")[0]
        by_file.setdefault(file, {})[name] = cell
    for own in by_file.values():
        judge_sequence(own, base, relevant, measure)


def judge_sequence(cells: Cells, base: str, relevant: float, measure: Measure) -> None:
    """Give every entry its comparison, in a campaign that ran until all was decided."""
    both = waiting_entries(cells, base)
    subtract(both)
    waiting = [entry for entry, _ in both if entry.differences is not None]
    for entry, _ in both:
        if entry.differences is None:
            entry.comparison = not_compared(f"no round in which {base} succeeded too")
    rows = [Pairs(relevant, (entry.differences or {}).values()) for entry in waiting]
    comparisons = judge_rows(rows, measure.metric)
    for entry, comparison in zip(waiting, comparisons, strict=True):
        entry.comparison = comparison


def parts_of(cells: Cells, entries: Sequence[Entry]) -> Cells:
    """Of each cell, the entries that are among these."""
    kept = {entry.row.key for entry in entries}
    chosen = {
        name: {level: entry for level, entry in cell.items() if entry.row.key in kept}
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
    compared: dict[tuple[str | None, str], list[Entry]] = {}
    for quantity, own in by_quantity(cells).items():
        for level, (count, both) in counting_cells(own, base).items():
            present[quantity, level] = count
            compared[quantity, level] = [entry for entry, _ in both if entry.differences]
    known = {key: own for key, own in compared.items() if own}
    means = judge_means(
        [[entry.differences or {} for entry in own] for own in known.values()],
        [[entry.comparison.verdict for entry in own] for own in known.values()],
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
    """Give every entry its comparison, and compare each level over all cells."""
    both = waiting_entries(cells, base)
    subtract(both)
    waiting = [entry for entry, _ in both]
    sides = [sides_of(entry, reference) for entry, reference in both]
    found = weigh_levels(cells, base)
    over = {level: sides for level, (_, _, sides) in found.items() if sides is not None}
    verdicts = judge(weigh([*sides, *over.values()]), relevant, measure.metric)
    for entry, comparison in zip(waiting, verdicts, strict=False):
        entry.comparison = comparison
    overall = dict(zip(over, verdicts[len(waiting) :], strict=True))
    return [
        Overall(level, count, left_out, overall.get(level, NO_CELL))
        for level, (count, left_out, _) in found.items()
    ]


def why_no_pair(entry: Entry, reference: Entry | None, base: str) -> str | None:
    if entry.reason:
        return entry.reason
    if reference is None:
        if not is_first(entry.row.configuration):
            return f"not known on {base}"
        alone = not runs_tasks(entry.row.configuration)
        return "on one thread, without OpenMP" if alone else f"no {base} to compare with"
    if reference.reason:
        return f"{base}: {reference.reason}"
    own, other = entry.row.sources, reference.row.sources
    return None if own == other else f"other sources: {own[0]} against {other[0]}"


def same_input(a: Row, b: Row) -> bool:
    """Whether both factor the same kind of matrix."""
    return input_of(a.configuration) == input_of(b.configuration)


def same_file(a: Entry, b: Entry) -> bool:
    return a.row.key.partition(":")[0] == b.row.key.partition(":")[0]


def can_pair(a: Entry, b: Entry) -> bool:
    """Whether they ran in the same rounds; entries without rounds are counted below 0."""
    return same_file(a, b) and any(r >= 0 for r in rounds_shared(a.logs, b.logs))


def subtract(both: Iterable[tuple[Entry, Entry]]) -> None:
    """Give each entry that can be paired with its reference the differences."""
    paired = [(entry, reference) for entry, reference in both if can_pair(entry, reference)]
    found = all_differences([(entry.logs, reference.logs) for entry, reference in paired])
    for (entry, _), own in zip(paired, found, strict=True):
        entry.differences = own


def sides_of(entry: Entry, reference: Entry) -> Sides:
    if entry.differences is not None:
        return pair(entry.differences)
    return separate(entry.logs, reference.logs)


def weigh_levels(cells: Cells, base: str) -> dict[str, tuple[int, int, Sides | None]]:
    """For each level but the reference: cells, cells left out, and what to compare over them."""
    found: dict[str, tuple[int, int, Sides | None]] = {}
    if len(cells) < 2:
        return found
    for level, (present, both) in counting_cells(cells, base).items():
        paired = [a.differences for a, _ in both if a.differences is not None]
        is_paired = len(paired) == len(both)
        over = over_pairs(paired) if is_paired else over_cells([(a.logs, b.logs) for a, b in both])
        count, sides = over if over else (0, None)
        found[level] = count, present - count, sides
    return found


def counting_cells(cells: Cells, base: str) -> dict[str, tuple[int, list[tuple[Entry, Entry]]]]:
    """For each level but the reference: in how many cells it is, and the pairs to compare.

    Where there are several nodes, for each of them. Only rows that count in means are among these,
    unless there are no others.
    """
    places = dict.fromkeys(
        (level, entry.row.configuration.node)
        for cell in cells.values()
        for level, entry in cell.items()
        if level != base
    )
    found: dict[str, tuple[int, list[tuple[Entry, Entry]]]] = {}
    for level, node in sorted(places, key=lambda place: tuple(map(natural, place))):
        present = [
            cell
            for cell in cells.values()
            if level in cell and cell[level].row.configuration.node == node
        ]
        if all(base in c and not same_input(c[level].row, c[base].row) for c in present):
            continue
        if tasks := [cell for cell in present if in_means(cell[level].row.configuration)]:
            present = tasks
        both = [
            (cell[level], cell[base])
            for cell in present
            if why_no_pair(cell[level], cell.get(base), base) is None
            and same_input(cell[level].row, cell[base].row)
        ]
        found[on_node(level, node)] = len(present), both
    return found
