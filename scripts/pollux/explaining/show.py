# SPDX-License-Identifier: BSD-3-Clause
"""Writes an explanation as tables and sentences."""

from math import floor, log10

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pollux.explaining.explanation import Explanation, Told
from pollux.explaining.groups import BY_KEY, GROUPS, Term
from pollux.explaining.spread import Spread
from pollux.explaining.words import NS, sentences, share, warnings

NOTHING = "–"
DIGITS = 5  # of a time
KERNELS = 8  # rows of a table of kernels


def write(console: Console, found: Explanation) -> None:
    """Tables first, the answer last, where a terminal leaves the eye."""

    def put(text: str, style: str = "") -> None:
        console.print(Text(text, style), soft_wrap=True)

    put(found.subject or " and ".join(told.name for told in found.sides), "bold")
    terms = terms_table(found)
    # Wider than a narrow terminal the lines are broken by it, but no figure is cut.
    console.width = max(console.width, console.measure(terms).maximum)
    console.print(terms)
    for line in captions(found):
        put(line, "dim")
    console.print(limits_table(found))
    console.print(efficiency_table(found))
    for told in found.sides:
        put(f"\n{told.name}: kernels, and the critical path with the times of T∞")
        console.print(kernel_table(told))
    for line in warnings(found):
        put(line, "yellow")
    put("")
    for line in sentences(found):
        put(line, "bold")


def plain(*columns: str, first: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def terms_table(found: Explanation) -> Table:
    """A row for each term; the parts of the overhead are indented."""
    digits = decimals(max(told.split.terms.total for told in found.sides))
    ranges = any(len(told.splits) > 1 for told in found.sides)
    more = ["range"] if ranges else []
    columns = [name for told in found.sides for name in (f"{told.name}: s", "%", *more)]
    columns += ["difference", *more] if found.difference else []
    table = plain(*columns, first="thread-time")
    for term in GROUPS:
        table.add_row(term.name, *cells(found, term, digits, ranges))
        for part in term.parts:
            name = f"  {BY_KEY[part].name}"
            table.add_row(name, *cells(found, BY_KEY[part], digits, ranges), style="dim")
    table.add_section()
    table.add_row("sum: threads × time", *sums(found, digits, ranges))
    return table


def cells(found: Explanation, term: Term, digits: int, ranges: bool) -> list[str]:
    texts = []
    for told in found.sides:
        if term.key == "slowdown" and not told.is_alone_known:
            texts += [NOTHING] * (3 if ranges else 2)
            continue
        terms = told.split.terms
        ns = term.get(terms)
        texts += [f"{ns / NS:.{digits}f}", share(ns, terms.total).removesuffix(" %")]
        texts += [range_text(told.terms[term.key], digits)] if ranges else []
    if found.difference:
        own = found.difference.terms[term.key]
        texts += difference_texts(own, digits, ranges)
    return texts


def sums(found: Explanation, digits: int, ranges: bool) -> list[str]:
    texts = []
    for told in found.sides:
        texts += [f"{told.split.terms.total / NS:.{digits}f}", "100.0"]
        texts += [range_text(totals(told), digits)] if ranges else []
    if found.difference:
        total = found.difference.total
        texts += difference_texts(total, digits, ranges)
    return texts


def difference_texts(own: Spread, digits: int, ranges: bool) -> list[str]:
    text = f"{own.median / NS:+.{digits}f}"
    return [text, range_text(own, digits, sign="+")] if ranges else [text]


def totals(told: Told) -> Spread:
    threads, r = told.side.threads, told.region
    return Spread(threads * r.median, threads * r.low, threads * r.high, r.rounds)


def range_text(values: Spread, digits: int, sign: str = "") -> str:
    if values.rounds < 2:
        return NOTHING
    between = " to " if sign else "–"
    return f"{values.low / NS:{sign}.{digits}f}{between}{values.high / NS:{sign}.{digits}f}"


def decimals(ns: float) -> int:
    """So many that a time of this length has DIGITS digits."""
    return min(7, max(2, DIGITS - 1 - floor(log10(max(ns, 1.0) / NS))))


def captions(found: Explanation) -> list[str]:
    """How the numbers came about."""
    parts = []
    for told in found.sides:
        of = (
            f"round {told.shown + 1} of {len(told.splits)}" if len(told.splits) > 1 else "one round"
        )
        way = "measured by OMPT" if told.split.is_creation_measured else "estimated"
        moved = told.split.moved
        if moved is not None:
            calls = int(told.split.terms.total and len(told.side.runs[told.shown]))
            way += f", {share(moved, calls)} of the calls on another thread than created their task"
        parts.append(
            f"{told.name}: {of}, tasks' creation {way}, dispatch at most "
            f"{told.split.dispatch_cap} ns per call, tracing took "
            f"{share(told.split.tracing, told.split.terms.total)} of it"
        )
    if any(len(told.splits) > 1 for told in found.sides):
        parts.append(
            "work: each call's median over rounds on one thread; "
            "range: smallest and largest of all rounds, each by its own"
        )
    if found.difference:
        parts.append("difference: the second less the first, median over rounds")
    return parts


def limits_table(found: Explanation) -> Table:
    """The bounds, and the time beside them."""
    digits = decimals(max(told.split.region for told in found.sides))
    table = plain(*(told.name for told in found.sides), first="bounds, s")
    rows = [
        ("T1, all kernels alone", [told.bounds.work for told in found.sides]),
        ("T∞, critical path", [told.bounds.path for told in found.sides]),
        ("no schedule is shorter: T1 / threads, T∞", [t.bounds.lowest for t in found.sides]),
        ("ideal list scheduler, kernels as fast as alone", [t.bounds.ideal for t in found.sides]),
        (
            "ideal list scheduler, kernels as in the run",
            [t.bounds.ideal_in_run for t in found.sides],
        ),
        ("measured", [float(told.split.region) for told in found.sides]),
    ]
    for name, values in rows:
        table.add_row(name, *(f"{ns / NS:.{digits}f}" for ns in values))
    table.add_row(
        "average parallelism T1/T∞", *(f"{t.bounds.parallelism:.1f}" for t in found.sides)
    )
    return table


def efficiency_table(found: Explanation) -> Table:
    table = plain(*(told.name for told in found.sides), first="efficiency")
    table.add_column("is", no_wrap=True)
    for place, row in enumerate(found.sides[0].efficiencies):
        values = [share(told.efficiencies[place].value, 1) for told in found.sides]
        table.add_row(row.name, *values, Text(row.meaning, "dim"))
    return table


def kernel_table(told: Told) -> Table:
    """Kernels by what they lost; microseconds of a call."""
    names = ("calls", "alone, µs", "in the run, µs", "ratio", "slow-down, s", "T∞, s", "of T∞, %")
    table = plain(*names, first="kernel")
    digits = decimals(told.split.terms.total)
    for k in told.kernels[:KERNELS]:
        alone = NOTHING if k.alone is None else f"{k.alone / k.calls / 1e3:.1f}"
        ratio = NOTHING if not k.alone else f"{k.in_run / k.alone:.3f}"
        more = NOTHING if k.alone is None else f"{(k.in_run - k.alone) / NS:+.{digits}f}"
        path = share(k.path, told.bounds.path).removesuffix(" %")
        mean = f"{k.in_run / k.calls / 1e3:.1f}"
        row = (str(k.calls), alone, mean, ratio, more, f"{k.path / NS:.{digits}f}", path)
        table.add_row(Text(k.name), *row)
    return table
