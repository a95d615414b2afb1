# SPDX-License-Identifier: BSD-3-Clause
"""Writes an explanation as sentences and tables."""

from collections.abc import Callable, Iterable, Sequence
from math import floor, log10

from rich.console import Console

from pollux.core.analysis.fixed_plan import margin
from pollux.core.tables import Column, Rows, put, put_table
from pollux.insight.explaining.explanation import Difference, Explanation, SideResult
from pollux.insight.explaining.groups import BY_KEY, GROUPS, Term
from pollux.insight.explaining.naming import LETTERS
from pollux.insight.explaining.spread import Spread
from pollux.insight.explaining.words import MS, ranges_in_words, sentences, share, warnings

NOTHING = "–"
DIGITS = 5  # of a time
SHORT = 14  # characters of a name that fit above a column of numbers


def write(console: Console, found: Explanation) -> None:
    """The answer, its qualifications, then the tables it is based on."""
    put(console, found.subject or " and ".join(side.name for side in found.sides), "bold")
    for line in sentences(found):
        put(console, f"\n{line}")
    put(console, "")
    for line in warnings(found):
        put(console, line, "yellow")
    heads = heads_of(found)
    for head, side in zip(heads, found.sides, strict=True):
        if head != side.name:
            put(console, f"{head}: {side.name}")
    put_terms(console, found, heads)
    put(console, "")
    put_table(console, limit_columns(found, heads))
    put(console, "")
    put_table(console, efficiency_columns(found, heads))
    for head, side in zip(heads, found.sides, strict=True):
        put(console, f"\n{head}: kernels by slow-down; times per call in µs, others in ms")
        put_table(console, kernel_columns(side))
    put(console, "")
    for line in captions(found):
        put(console, line, "dim")


def heads_of(found: Explanation) -> list[str]:
    """The heading of each side's columns: its name, or a letter for it."""
    names = [side.name for side in found.sides]
    return names if max(map(len, names)) <= SHORT else list(LETTERS[: len(names)])


def put_terms(console: Console, found: Explanation, heads: Sequence[str]) -> None:
    """A row for each term, with the parts of the overhead indented."""
    groups = [term for term in GROUPS if term.key != "messages" or any_ranks(found)]
    rows = [row for term in groups for row in (term, *(BY_KEY[part] for part in term.parts))]
    parts = {part for term in groups for part in term.parts}
    names = [f"  {term.name}" if term.key in parts else term.name for term in rows]
    columns = [Column("thread-time, ms", [*names, "sum: threads × time"], is_left=True)]
    for head, side in zip(heads, found.sides, strict=True):
        columns += side_columns(head, side, rows, decimals_for(found))
    if found.difference:
        spreads = [*(found.difference.terms[term.key] for term in rows), found.difference.total]
        digits = decimals_for(found)
        known = [t.key != "slowdown" or found.difference.is_alone_known for t in rows] + [True]
        differences = shown(known, (f"{s.median / MS:+.{digits}f}" for s in spreads))
        each = " per thread" if found.difference.is_per_thread else ""
        columns.append(Column(f"difference{each}", differences))
        verdicts = shown(known, [*(str(found.difference.verdict(t.key)) for t in rows), ""])
        columns.append(Column("verdict", verdicts, is_left=True, spare=1))
        if found.difference.ratio.rounds > 1:
            ranges = shown(known, (range_text(s, digits, sign="+") for s in spreads))
            of = "95 %" if found.difference.ratio.is_conclusive else "range"
            columns.append(Column(f"{of} of the difference", ranges, spare=1))
    dim = {n: "dim" for n, term in enumerate(rows) if term.key in parts}
    put_table(console, columns, Rows(dim, [len(rows) - 1]))


def shown(known: Sequence[bool], texts: Iterable[str]) -> list[str]:
    return [text if is_known else NOTHING for is_known, text in zip(known, texts, strict=True)]


def any_ranks(found: Explanation) -> bool:
    """Whether a side has run over MPI."""
    return any(side.measured.ranks is not None for side in found.sides)


def side_columns(head: str, side: SideResult, rows: Sequence[Term], digits: int) -> list[Column]:
    """Milliseconds, share and range of each term, and of their sum."""
    terms = side.split.terms
    known = [term.key != "slowdown" or side.is_alone_known for term in rows]

    def column(name: str, cell: Callable[[Term], str], last: str, spare: int = 0) -> Column:
        return Column(name, [*shown(known, map(cell, rows)), last], spare=spare)

    columns = [
        column(
            head,
            lambda t: f"{t.get(terms) / MS:.{digits}f}",
            f"{terms.total / MS:.{digits}f}",
        ),
        column("%", lambda t: share(t.get(terms), terms.total).removesuffix(" %"), "100.0"),
    ]
    if len(side.rounds) > 1:
        columns.append(
            column(
                f"range of {head}",
                lambda t: range_text(side.terms[t.key], digits),
                range_text(totals(side), digits),
                spare=2,
            )
        )
    return columns


def totals(side: SideResult) -> Spread:
    return side.region.times(side.measured.threads)


def range_text(values: Spread, digits: int, sign: str = "") -> str:
    if values.rounds < 2:
        return NOTHING
    return f"{values.low / MS:{sign}.{digits}f} to {values.high / MS:{sign}.{digits}f}"


def decimals_for(found: Explanation) -> int:
    return decimals(max(side.split.terms.total for side in found.sides))


def decimals(ns: float) -> int:
    """As many as give a time of this length DIGITS digits."""
    return min(4, max(0, DIGITS - 1 - floor(log10(max(ns, 1.0) / MS))))


def captions(found: Explanation) -> list[str]:
    """How the numbers were obtained."""
    parts = [caption_of(side) for side in found.sides]
    if any(len(side.rounds) > 1 for side in found.sides):
        of = " of both" if found.difference and found.difference.is_work_shared else ""
        work = f"work: each call's median over rounds{of} on one thread, in ranges of each round; "
        is_known = any(side.is_alone_known for side in found.sides)
        parts.append(f"{work * is_known}range: {ranges_in_words(found)}")
    if found.difference:
        parts.append(difference_caption(found.difference))
    return parts


def estimate_of(difference: Difference) -> str:
    """By what a difference over rounds is estimated (spread.py)."""
    if not difference.ratio.is_conclusive:
        return "median over rounds" if difference.ratio.rounds > 1 else "of one round"
    how = "Hodges-Lehmann estimate over rounds"
    if difference.is_sequential:
        how += ", intervals that hold whenever the rounds end"
    return how


def difference_caption(difference: Difference) -> str:
    """How the differences are estimated, and what their verdicts mean."""
    each = " of each thread" if difference.is_per_thread else ""
    whole = "first's time" if difference.is_per_thread else "thread-time"
    return (
        f"difference: the second minus the first, in ms{each}, {estimate_of(difference)}; verdict "
        "of each part by its own interval: more, less, same (within "
        f"{margin(difference.relevant)} of the {whole}) or open"
    )


def caption_of(side: SideResult) -> str:
    split = side.split
    rounds = len(side.rounds)
    number, repetition = side.place_shown
    of = f"round {number + 1} of {rounds}" if rounds > 1 else "one round"
    if len(side.rounds[number]) > 1:
        of += f", repetition {repetition + 1} of {len(side.rounds[number])}"
    way = "measured by OMPT" if split.is_creation_measured else "estimated"
    if split.moved is not None:
        calls = int(split.terms.total and len(side.run_shown))
        way += f", {share(split.moved, calls)} of the calls not on their task's creating thread"
    way += clocks_of(side)
    return (
        f"{side.name}: {of}, creation of tasks {way}, dispatch at most {split.dispatch_cap} ns "
        f"per call, tracing took {share(split.tracing, split.terms.total)} of the time"
    )


def clocks_of(side: SideResult) -> str:
    """How far the clocks of the ranks agree."""
    ranks = side.run_shown.ranks
    if ranks is None:
        return ""
    error = int(ranks.error.max(initial=0))
    return f", clocks of ranks within {error} ns" if error else ", all ranks read one clock"


def limit_columns(found: Explanation, heads: Sequence[str]) -> list[Column]:
    """The bounds, and the measured time."""
    digits = decimals(max(side.split.region for side in found.sides))
    rows: list[tuple[str, Callable[[SideResult], float]]] = [
        ("T1, all kernels alone", lambda s: s.bounds.work),
        ("T∞, critical path", lambda s: s.bounds.path),
        ("no schedule is shorter: T1 / threads, T∞", lambda s: s.bounds.lowest),
        ("ideal list scheduler, kernels as fast as alone", lambda s: s.bounds.ideal),
        ("ideal list scheduler, kernels as in the run", lambda s: s.bounds.ideal_in_run),
        ("measured", lambda s: s.split.region),
    ]
    names = [*(name for name, _ in rows), "average parallelism T1/T∞"]
    columns = [Column("bounds, ms", names, is_left=True)]
    for head, side in zip(heads, found.sides, strict=True):
        times = [f"{value(side) / MS:.{digits}f}" for _, value in rows]
        known = [side.is_alone_known] * 4 + [True] * 2 + [side.is_alone_known]
        columns.append(Column(head, shown(known, [*times, f"{side.bounds.parallelism:.1f}"])))
    return columns


def efficiency_columns(found: Explanation, heads: Sequence[str]) -> list[Column]:
    rows = found.sides[0].efficiencies
    return [
        Column("efficiency", [row.name for row in rows], is_left=True),
        *(
            Column(
                head, [NOTHING if e.value is None else share(e.value, 1) for e in side.efficiencies]
            )
            for head, side in zip(heads, found.sides, strict=True)
        ),
        Column("is", [row.meaning for row in rows], is_left=True, is_prose=True),
    ]


def kernel_columns(side: SideResult) -> list[Column]:
    """Kernels by slow-down."""
    digits = decimals(side.split.terms.total)
    rows = [
        (
            k.name,
            str(k.calls),
            NOTHING if k.alone is None else f"{k.alone / k.calls / 1e3:.1f}",
            f"{k.in_run / k.calls / 1e3:.1f}",
            f"{k.in_run / k.alone:.3f}" if k.alone else NOTHING,
            NOTHING if k.alone is None else f"{(k.in_run - k.alone) / MS:+.{digits}f}",
            NOTHING if k.path is None else f"{k.path / MS:.{digits}f}",
            NOTHING if k.path is None else share(k.path, side.bounds.path).removesuffix(" %"),
        )
        for k in side.kernels
    ]
    heads = ("kernel", "calls", "alone", "in the run", "ratio", "slow-down", "on T∞", "% of T∞")
    cells = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in heads]
    return [Column(h, c, is_left=h == "kernel") for h, c in zip(heads, cells, strict=True)]
