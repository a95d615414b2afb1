# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as text for a terminal of any width.

Where there is room, each comparison is a line, with all that was run and the reference's figure;
what is decided stands above what is open. Where there is less, a line above each cell says what its
configurations share, then columns that can be spared are left out, and the reference has lines
of its own. A verdict that does not fit continues on its own line; no number is cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from statistics import median

from rich.cells import cell_len
from rich.console import Console

from pollux.core.analysis.axes import runs_tasks
from pollux.core.analysis.fixed_plan import AFFORDABLE, affordable, margin
from pollux.core.analysis.further import further
from pollux.core.analysis.quantities import unknown_line
from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.analysis.terms import has_terms, table_of
from pollux.core.campaign.repetitions import LONG
from pollux.core.commands.compare_grid import (
    NOTHING,
    UNSAID,
    Column,
    Grid,
    axis_columns,
    caption,
    figure_columns,
    is_constant,
    is_of_costs,
    overall_lines,
    overall_title,
    problem_lines,
    residual_line,
)
from pollux.core.commands.compare_terms import SIGNS, means_grid, reading, terms_grid
from pollux.core.tables import Column as TableColumn
from pollux.core.tables import put, put_table

GAP = "  "
VERDICT_ROOM = 26  # "▼ slower 12.3 % (compiler)"; longer ones get their own lines
VERDICT_LEAST = 15  # "▼ slower 12.3 %"
INDENT = "    "  # of a verdict on its own line
STYLES = {
    Verdict.BETTER: "green",
    Verdict.WORSE: "red",
    Verdict.NONE: "bold red",
    Verdict.REFERENCE: "dim",
}
GRAPH = ("algorithm", "benchmark", "variant")  # columns that together identify a task graph
BEFORE_QUOTING = "before quoting these numbers"

LONGER_RUNS = f"; on a busy machine, runs of {LONG:g} s or more (a larger N) are decided sooner"
COMPILER = " (compiler)"  # without OpenMP no runtime can make a difference
DIFFERENT = (Verdict.BETTER, Verdict.WORSE)
OPEN = (Verdict.TOO_NOISY, Verdict.TOO_FEW)


@dataclass(frozen=True)
class Body:
    """The texts of columns in some rows: each is made once, though layouts share columns."""

    rows: Sequence[Row]
    made: dict[Column, list[str]] = field(default_factory=dict)
    widths: dict[Column, int] = field(default_factory=dict)

    def texts(self, column: Column) -> list[str]:
        if column not in self.made:
            self.made[column] = list(map(column.text, self.rows))
        return self.made[column]

    def width(self, column: Column) -> int:
        """That of the widest text, or of the name."""
        if column not in self.widths:
            self.widths[column] = max(map(cell_len, {column.name, *self.texts(column)}))
        return self.widths[column]


@dataclass(frozen=True)
class Layout:
    """Columns of each line, those shown in a line above each cell, and the lines' rows."""

    columns: Sequence[Column]
    body: Body
    above: Sequence[Column] = ()

    @property
    def rows(self) -> Sequence[Row]:
        return self.body.rows

    @property
    def lines(self) -> Iterator[tuple[Row, list[str]]]:
        """Each row with its cells, all as wide as their columns."""
        columns = (
            [cell(column, text, width) for text in self.body.texts(column)]
            for column, width in zip(self.columns, self.widths, strict=True)
        )
        return zip(self.rows, map(list, zip(*columns, strict=True)), strict=True)

    @cached_property
    def has_references(self) -> bool:
        """Whether a reference has a line of its own."""
        return any(row.comparison.verdict is Verdict.REFERENCE for row in self.rows)

    @cached_property
    def widths(self) -> list[int]:
        return list(map(self.body.width, self.columns))

    def needs(self) -> int:
        """The width of a line without its verdict."""
        indent = len(GAP) if self.above else 0
        return indent + sum(self.widths) + len(GAP) * len(self.columns)


def write_comparison(
    console: Console, result: Result, gate: Sequence[str], *, long: bool = False
) -> None:
    """The answer, failures, the table, what qualifies it, and last the gate's decision.

    `long`: a line for each comparison, where a table of terms would be shorter.
    """
    put(console, f"{result.headline}\n", "bold")
    for line in problem_lines(result):
        put(console, line, "red")
    for line in result.cautions:
        put(console, line, "yellow")
    is_short = has_terms(result) and not long
    for number, group in enumerate(result.groups()):
        if number > 0:
            put(console, "")
        if is_short:
            write_terms(console, group)
            continue
        for line, style in table_lines(group, console.width):
            put(console, line, style)
    if (way := remedy(result, is_short=is_short)) is not None:
        put(console, way, "yellow")
    for line in notes(result):
        put(console, line, "dim")
    if not is_short and (lines := overall_lines(result)):
        put(console, f"\n{overall_title(result)}")
        for line in lines:
            put(console, f"  {line}")
    write_warnings(console, result)
    if gate:
        put(console, "")
        for line in gate:
            put(console, line, "bold" if line is gate[-1] else "")


def write_terms(console: Console, result: Result) -> None:
    """The table of terms, their means, and how to read both."""
    table = table_of(result)
    grids = [terms_grid(result, table), means_grid(result, table)]
    for number, grid in enumerate(grid for grid in grids if grid):
        if number > 0:
            put(console, "")
        put_grid(console, grid)
    for line in reading(result, table):
        put(console, line, "dim")


def put_grid(console: Console, grid: Grid) -> None:
    sides = zip(grid.head, grid.right, zip(*grid.body, strict=True), strict=True)
    put_table(console, [TableColumn(h, cells, is_left=not r) for h, r, cells in sides])


def write_warnings(console: Console, result: Result) -> None:
    if result.warnings:
        put(console, f"\n{BEFORE_QUOTING}")
        for line in result.warnings:
            put(console, f"  {line}")


def notes(result: Result) -> Iterator[str]:
    groups = result.groups()
    same = [caption(group) for group in groups]
    same = [line for line in (*same, residual_line(result)) if line]
    if same:
        yield "; ".join(same)
    units = " and ".join(group.metric.unit for group in groups)
    if units_of_costs := dict.fromkeys(g.metric.unit for g in groups if is_of_costs(g)):
        named = " and ".join(units_of_costs)
        yield f"ratios compare speeds: above 1, the time in {named} is less than the reference's"
    if (left_out := unknown_line(result.dataset)) is not None:
        yield left_out
    if result.source is not None:
        yield source_line(result)
    if result.is_sequential:
        yield (
            f"ratio to {result.reference}: Hodges-Lehmann estimate; interval of 95 %, p (corrected "
            "by Holm) and verdicts hold whenever sampling stops: bets on symmetry, relevant "
            f"difference {margin(result.relevant)}; {units}: median and bootstrap interval"
        )
        return
    yield (
        f"ratio to {result.reference}: Hodges-Lehmann estimate and 95 % interval; p: Wilcoxon's "
        "test, corrected by Holm for all comparisons shown; "
        f"{units}: median and bootstrap interval"
    )


def source_line(result: Result) -> str:
    """What is compared, and which counters or meter it comes from."""
    parts = dict.fromkeys(source for row in result.rows for source in row.sources)
    better = "more is better" if result.metric.is_higher_better else "less is better"
    return f"{result.metric.title}, {better}; source: {result.source} [{', '.join(parts) or '–'}]"


def table_lines(result: Result, width: int) -> Iterator[tuple[str, str]]:
    """The lines of the table with their styles; none is wider than `width` if possible."""
    layout = choose_layout(result, width)
    indent = GAP if layout.above else ""
    names = (c.name for c in layout.columns)
    heads = [*map(cell, layout.columns, names, layout.widths), "verdict"]
    if layout.needs() + len(heads[-1]) > width:
        heads.pop()
    yield indent + GAP.join(heads).rstrip(), "bold"
    previous: Row | None = None
    for row, cells in layout.lines:
        if previous is None or previous.cell != row.cell:
            if layout.above:
                yield heading(layout, row), ""
            elif previous is not None and layout.has_references and has_sections(result):
                yield "", ""
        if previous is not None and not layout.has_references and is_open(row) > is_open(previous):
            yield "", ""
        previous = row
        yield from row_lines(indent + GAP.join(cells), row, result.by, width)


def has_sections(result: Result) -> bool:
    """Whether cells are so large that an empty line between them helps reading."""
    return len(result.rows) > 2 * len({row.cell for row in result.rows})


def is_open(row: Row) -> bool:
    return row.comparison.verdict in OPEN


def verdict_text(row: Row, by: str) -> str:
    """A sign and a few words: what decides the open ones stands once below, within in the ratio."""
    verdict, words = row.comparison.verdict, row.comparison.words
    if is_open(row) or verdict is Verdict.NO_DIFFERENCE:
        words = words.partition(":")[0].partition(" (")[0]
    elif verdict in DIFFERENT:
        words = words.replace(" by ", " ", 1)
        if by == "runtime" and not runs_tasks(row.configuration):
            words += COMPILER
    return f"{SIGNS[verdict]} {words}" if verdict in SIGNS else words


def remedy(result: Result, *, is_short: bool = False) -> str | None:
    """What would decide all that is open, or in short what is shown of it."""
    if result.is_sequential:
        ways = [f"to decide what is open ({count}): {way}" for count, way in further(result)]
        ways = ways[: 1 if is_short else None]
        if not ways:
            return None
        return f"{'; '.join(ways)}{LONGER_RUNS if would_longer_runs_help(result) else ''}"
    needed = [row.comparison.needed or 0 for row in result.rows if is_open(row)]
    if not needed:
        return None
    what = f"to decide what is open ({len(needed)}): "
    few = affordable(needed)
    number = f"about {max(few)}" if few else f"over {AFFORDABLE}"
    text = f"{what}{number} samples of each configuration"
    if few and len(few) < len(needed):
        text += f" for {len(few)} of them"
    if result.by == "runtime" and result.dataset.starts:
        return f"{text}, or pollux run with --until-decided {100 * result.relevant:g}%"
    return text


def would_longer_runs_help(result: Result) -> bool:
    """Whether runs are short and the machine is busy: others' turns distort short ones most."""
    blocks = result.dataset.blocks.values()
    if 2 * sum(block.disturbed for block in blocks) <= len(blocks):
        return False
    still_open = {row.key for row in result.rows if is_open(row)}
    samples = [s for s in result.dataset.samples if s.configuration in still_open]
    seconds = [run.seconds for sample in samples for run in sample.runs]
    return bool(seconds) and median(seconds) <= LONG


def row_lines(line: str, row: Row, by: str, width: int) -> Iterator[tuple[str, str]]:
    """A row, and below it what is too long for its line."""
    style = STYLES.get(row.comparison.verdict, "")
    words = verdict_text(row, by)
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
    """The first that fits most verdicts on their rows' lines, else that of the fewest columns.

    One line for each comparison is worth more than columns that can be spared.
    """
    several = list(layouts(result))
    short = [layout for layout in several if not layout.has_references]
    for room, choice in (
        (VERDICT_ROOM, short),
        (VERDICT_LEAST, short),
        (VERDICT_ROOM, several),
        (VERDICT_LEAST, several),
    ):
        for layout in choice:
            if layout.needs() + room <= width:
                return layout
    return several[-1]


def layouts(result: Result) -> Iterator[Layout]:
    """From the widest to the narrowest."""
    axes = [c for c in axis_columns(result) if not is_constant(c, result)]
    figures = [c for c in figure_columns(result) if not is_constant(c, result)]
    without_p = [c for c in figures if c.name != "p (Holm)"]
    medians = [c.narrower or c for c in without_p]
    above = [c for c in axes if shared_in_cells(c, result)]
    beside = [c for c in axes if c not in above]
    if rows := compared(result):
        body = Body(rows)
        fewer = [c for c in medians if c.name != "n"]
        for kept in (figures, without_p, medians, fewer):
            yield Layout([*axes, *with_reference(kept, result)], body)
    body = Body(result.rows)
    yield Layout([*axes, *figures], body)
    yield Layout([*axes, *without_p], body)
    if above:
        for kept in (figures, without_p, medians):
            yield Layout([*beside, *kept], body, above)
    essential = [c for c in medians if c.is_essential]
    yield Layout(essential, body, above or axes)


def compared(result: Result) -> list[Row]:
    """The rows that are compared, what is open last; those of a reference alone are among them."""
    references = reference_rows(result)
    met = {row.cell for row in result.rows if row.level != result.reference}
    rows = [
        r
        for r in result.rows
        if r.cell not in references or r is not references[r.cell] or r.cell not in met
    ]
    return sorted(rows, key=is_open) if met else []


def reference_rows(result: Result) -> dict[str, Row]:
    return {row.cell: row for row in result.rows if row.level == result.reference}


def with_reference(columns: Sequence[Column], result: Result) -> list[Column]:
    """The same with the reference's figure before that of each row."""
    references = reference_rows(result)
    found: list[Column] = []
    for column in columns:
        if column.narrower is not None or column.name == (result.metric.unit):
            plain = column.narrower or column
            text = partial(text_of_reference, plain, references)
            found.append(Column("reference", text, right=True))
        found.append(column)
    return found


def text_of_reference(column: Column, references: dict[str, Row], row: Row) -> str:
    reference = references.get(row.cell)
    return NOTHING if reference is None else column.text(reference)


def shared_in_cells(column: Column, result: Result) -> bool:
    """Whether the configurations of each cell have the same in a column."""
    texts: dict[str, set[str]] = {}
    for row in result.rows:
        texts.setdefault(row.cell, set()).add(column.text(row))
    return all(len(found) == 1 for found in texts.values())
