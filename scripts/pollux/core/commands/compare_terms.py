# SPDX-License-Identifier: BSD-3-Clause
"""The table of a micro-benchmark's terms over versions, for a terminal and for Markdown alike."""

from collections import Counter
from collections.abc import Iterator

from pollux.core.analysis.axes import is_first
from pollux.core.analysis.fixed_plan import margin
from pollux.core.analysis.result import Interval, Overall, Result, Verdict
from pollux.core.analysis.terms import Summary, Term, Terms, level_with_version
from pollux.core.commands.compare_grid import NOTHING, Grid, interval, ns_text
from pollux.core.text import counted

SIGNS = {
    Verdict.BETTER: "▲",
    Verdict.WORSE: "▼",
    Verdict.NO_DIFFERENCE: "=",
    Verdict.TOO_NOISY: "?",
    Verdict.TOO_FEW: "?",
    Verdict.NONE: "!",
}
LONG = "--long"


def terms_grid(result: Result, table: Terms) -> Grid | None:
    """A row for each term: the time of every level, its ratio to the reference, and verdicts.

    None where no term is known of any level.
    """
    if not table.rows:
        return None
    several = any(len(term.cells) > 1 for term in table.rows)
    quantities = {term.quantity for term in table.rows}
    name, unit = table.rows[0].quantity, table.rows[0].unit
    is_alone = len(quantities) == 1 and all(term.name for term in table.rows)
    heads = [", ".join(filter(None, (name if is_alone else "term" if name else "", unit)))]
    columns = [[name_of(term, with_quantity=not is_alone) for term in table.rows]]
    if several or any(term.left_out for term in table.rows):
        heads.append("cells")
        columns.append([cells_text(term) for term in table.rows])
    for level in table.levels:
        heads.append(level_with_version(result, level))
        columns.append(level_texts(table, level))
    body = [list(row) for row in zip(*columns, strict=True)]
    right = [head == "cells" for head in heads]
    return Grid(heads, right, body, "")


def name_of(term: Term, *, with_quantity: bool) -> str:
    return ", ".join(filter(None, (term.quantity if with_quantity else "", *term.name)))


def cells_text(term: Term) -> str:
    """How many, and of how many where some level lacks the time."""
    count = len(term.cells)
    return f"{count} of {count + term.left_out}" if term.left_out else str(count)


def level_texts(table: Terms, level: str) -> list[str]:
    """The cells of a column, their numbers one below the other."""
    parts = [parts_of(term.levels.get(level), level == table.reference) for term in table.rows]
    time, ratio = (max(len(part[k]) for part in parts) for k in (0, 1))
    return [f"{p[0]:>{time}}  {p[1]:>{ratio}} {p[2]}".rstrip() for p in parts]


def parts_of(found: Summary | None, is_reference: bool) -> tuple[str, str, str]:
    if found is None:
        return NOTHING, "", ""
    time = ns_text(Interval(found.time, found.time, found.time))
    if is_reference:
        return time, "", ""
    ratio = NOTHING if found.ratio is None else ratio_text(found.ratio)
    return time, ratio, marks(found.verdicts)


def ratio_text(ratio: float) -> str:
    return f"{ratio:.3f}" if ratio < 10 else f"{ratio:.3g}"


def marks(verdicts: Counter[Verdict]) -> str:
    """The sign of a single cell; of several how many have each."""
    counts: Counter[str] = Counter()
    for verdict, sign in SIGNS.items():
        counts[sign] += verdicts[verdict]
    found = [(sign, count) for sign, count in counts.items() if count]
    if sum(count for _, count in found) == 1:
        return found[0][0]
    return " ".join(f"{sign}{count}" for sign, count in found)


def means_grid(result: Result, table: Terms) -> Grid | None:
    """The mean of each term over all cells, with its interval; None where each has one cell."""
    means = [*result.overall, *result.terms]
    if not any(mean.cells > 1 for mean in means):
        return None
    levels = list(dict.fromkeys(mean.level for mean in means))  # with their nodes, if several
    headlines = (row.configuration for row in result.rows if is_first(row.configuration))
    first = ", ".join(dict.fromkeys(c.quantity or "speed" for c in headlines))
    order = dict.fromkeys(term.quantity for term in table.rows)
    names = list(dict.fromkeys([*order, *(mean.quantity or first for mean in means)]))
    by_place = {(mean.quantity or first, mean.level): mean for mean in means}
    known = [name for name in names if any(quantity == name for quantity, _ in by_place)]
    body = [[name, *(mean_text(by_place.get((name, level))) for level in levels)] for name in known]
    heads = ["mean over cells", *(level_with_version(result, level) for level in levels)]
    return Grid(heads, [False] * len(heads), body, "")


def mean_text(mean: Overall | None) -> str:
    if mean is None or mean.comparison.ratio is None:
        return NOTHING
    sign = SIGNS.get(mean.comparison.verdict, "")
    return f"{interval(mean.comparison.ratio, '.3f')} {sign}".rstrip()


def reading(result: Result, table: Terms) -> Iterator[str]:
    """How to read the table, and what it leaves out."""
    yield signs(result, several=any(len(term.cells) > 1 for term in table.rows))
    others = f", and {', '.join(table.auxiliary)}" if table.auxiliary else ""
    number = sum(row.comparison.ratio is not None for row in result.rows)
    each = counted(number, "comparison")
    yield f"{LONG}: a line for each of {each}, with intervals and settings{others}"
    yield from notes_of(result)


def signs(result: Result, *, several: bool) -> str:
    """What the cells of the table hold."""
    verdicts = f"▲ faster, ▼ slower, = no difference of {margin(result.relevant)} or more, ? open"
    if any(row.comparison.verdict is Verdict.NONE for row in result.rows):
        verdicts += ", ! not compared"
    each = "; of several cells: geometric means, and the number of cells with each verdict"
    figure = "time" if any(row.configuration.is_cost for row in result.rows) else "speed"
    return f"{figure}, ratio to {result.reference}, verdict: {verdicts}{each if several else ''}"


def notes_of(result: Result) -> Iterator[str]:
    """What qualifies verdicts, each once, with the number of rows that it is about."""
    found = Counter(note for row in result.rows for note in row.notes)
    for note, count in found.items():
        yield note if count == 1 else f"{note} ({count} comparisons)"
