# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as text for a terminal of any width.

Where there is room, each configuration is a line with all that it was run with. Where there is
less, a line above each cell says what its configurations share, then columns that can be spared
are left out. A verdict that does not fit continues on its own line; no number is cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console

from pollux.analysis.result import Result, Row, Verdict
from pollux.analysis.verdict import margin
from pollux.commands.compare_grid import (
    NOTHING,
    UNSAID,
    Column,
    axis_columns,
    caption,
    figure_columns,
    is_constant,
    overall_lines,
    overall_title,
    problem_lines,
    residual_line,
)
from pollux.tables import put

GAP = "  "
VERDICT_ROOM = 31  # "too noisy: ~46 samples for 0.5 %"; longer ones get their own lines
VERDICT_LEAST = 17  # "slower by 12.3 %"
INDENT = "    "  # of a verdict on its own line
STYLES = {
    Verdict.BETTER: "green",
    Verdict.WORSE: "red",
    Verdict.NONE: "bold red",
    Verdict.REFERENCE: "dim",
}
GRAPH = ("algorithm", "benchmark", "variant")  # columns that together identify a task graph
BEFORE_QUOTING = "before quoting these numbers"


@dataclass(frozen=True)
class Layout:
    """Columns of each line, and those shown in a line above each cell."""

    columns: Sequence[Column]
    above: Sequence[Column] = ()

    def widths(self, rows: Sequence[Row]) -> list[int]:
        return [max(cell_len(t) for t in (c.name, *map(c.text, rows))) for c in self.columns]

    def needs(self, rows: Sequence[Row]) -> int:
        """The width of a line without its verdict."""
        indent = len(GAP) if self.above else 0
        return indent + sum(self.widths(rows)) + len(GAP) * len(self.columns)


def write_comparison(console: Console, result: Result, gate: Sequence[str]) -> None:
    """Failures, the table, the answer, what qualifies it, and last the gate's decision."""
    for line in problem_lines(result):
        put(console, line, "red")
    for line in result.cautions:
        put(console, line, "yellow")
    for line, style in table_lines(result, console.width):
        put(console, line, style)
    for line in notes(result):
        put(console, line, "dim")
    if lines := overall_lines(result):
        put(console, f"\n{overall_title(result)}")
        for line in lines:
            put(console, f"  {line}")
    write_answer(console, result)
    if gate:
        put(console, "")
        for line in gate:
            put(console, line, "bold" if line is gate[-1] else "")


def write_answer(console: Console, result: Result) -> None:
    """The answer, and directly below it what qualifies it."""
    put(console, f"\n{result.headline}", "bold")
    if result.warnings:
        put(console, f"\n{BEFORE_QUOTING}")
        for line in result.warnings:
            put(console, f"  {line}")


def notes(result: Result) -> Iterator[str]:
    same = "; ".join(line for line in (caption(result), residual_line(result)) if line)
    if same:
        yield same
    metric = result.metric
    if result.source is not None:
        yield source_line(result)
    if result.is_sequential:
        yield (
            f"ratio to {result.reference}: Hodges-Lehmann estimate; interval of 95 %, p (corrected "
            "by Holm) and verdicts hold whenever sampling stops: bets on symmetry, relevant "
            f"difference {margin(result.relevant)}; {metric.unit}: median and bootstrap interval"
        )
        return
    yield (
        f"ratio to {result.reference}: Hodges-Lehmann estimate and 95 % interval; p: Wilcoxon's "
        "test, corrected by Holm for all comparisons shown; "
        f"{metric.unit}: median and bootstrap interval"
    )


def source_line(result: Result) -> str:
    """What is compared, and which counters or meter it comes from."""
    parts = dict.fromkeys(source for row in result.rows for source in row.sources)
    better = "more is better" if result.metric.is_higher_better else "less is better"
    return f"{result.metric.title}, {better}; source: {result.source} [{', '.join(parts) or '–'}]"


def table_lines(result: Result, width: int) -> Iterator[tuple[str, str]]:
    """The lines of the table with their styles; none is wider than `width` if possible."""
    layout = choose_layout(result, width)
    widths = layout.widths(result.rows)
    indent = GAP if layout.above else ""
    heads = [*map(cell, layout.columns, (c.name for c in layout.columns), widths), "verdict"]
    if layout.needs(result.rows) + len(heads[-1]) > width:
        heads.pop()
    yield indent + GAP.join(heads).rstrip(), "bold"
    previous = None
    for row in result.rows:
        if row.cell != previous and layout.above:
            yield heading(layout, row), ""
        elif previous not in (None, row.cell) and has_sections(result):
            yield "", ""
        previous = row.cell
        cells = map(cell, layout.columns, (c.text(row) for c in layout.columns), widths)
        yield from row_lines(indent + GAP.join(cells), row, width)


def has_sections(result: Result) -> bool:
    """Whether cells are so large that an empty line between them helps reading."""
    return len(result.rows) > 2 * len({row.cell for row in result.rows})


def row_lines(line: str, row: Row, width: int) -> Iterator[tuple[str, str]]:
    """A row, and below it what is too long for its line."""
    style = STYLES.get(row.comparison.verdict, "")
    words = row.comparison.words
    if cell_len(line) + len(GAP) + cell_len(words) <= width:
        yield f"{line}{GAP}{words}", style
    else:
        yield line.rstrip(), style
        yield f"{INDENT}{words}", style
    for note in row.notes:
        yield f"{INDENT}{note}", "yellow"


def cell(column: Column, text: str, width: int) -> str:
    filling = " " * (width - cell_len(text))
    return filling + text if column.right else text + filling


def heading(layout: Layout, row: Row) -> str:
    """What the configurations of a cell share, as a caption says it."""
    graph = [c.text(row) for c in layout.above if c.name in GRAPH]
    others = [c for c in layout.above if c.name not in GRAPH]
    texts = [c.in_words(c.text(row)) for c in others if {c.text(row)} not in UNSAID]
    return ", ".join(filter(None, [" ".join(graph), *texts])) or NOTHING


def choose_layout(result: Result, width: int) -> Layout:
    """The first that fits most verdicts on their rows' lines, else that of the fewest columns."""
    several = list(layouts(result))
    for room in (VERDICT_ROOM, VERDICT_LEAST):
        for layout in several:
            if layout.needs(result.rows) + room <= width:
                return layout
    return several[-1]


def layouts(result: Result) -> Iterator[Layout]:
    """From the widest to the narrowest."""
    axes = [c for c in axis_columns(result) if not is_constant(c, result)]
    figures = [c for c in figure_columns(result) if not is_constant(c, result)]
    without_p = [c for c in figures if c.name != "p (Holm)"]
    medians = [c.narrower or c for c in without_p]
    yield Layout([*axes, *figures])
    yield Layout([*axes, *without_p])
    above = [c for c in axes if shared_in_cells(c, result)]
    beside = [c for c in axes if c not in above]
    if above:
        for kept in (figures, without_p, medians):
            yield Layout([*beside, *kept], above)
    essential = [c for c in medians if c.is_essential]
    yield Layout(essential, above or axes)


def shared_in_cells(column: Column, result: Result) -> bool:
    """Whether the configurations of each cell have the same in a column."""
    texts: dict[str, set[str]] = {}
    for row in result.rows:
        texts.setdefault(row.cell, set()).add(column.text(row))
    return all(len(found) == 1 for found in texts.values())
