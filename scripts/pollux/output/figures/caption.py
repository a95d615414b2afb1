# SPDX-License-Identifier: BSD-3-Clause
"""The line under a figure: what was run where, how often, and what is drawn of it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from pollux.core.analysis.result import Agreement, Result
from pollux.core.parameters import in_words
from pollux.core.text import some, span
from pollux.core.tiles import Tile
from pollux.output.figures.entries import Entry, in_order, other_inputs
from pollux.output.figures.style import NO_BREAK, clean

LISTED = 4  # more values than these are given as a range


def caption_of(entries: Sequence[Entry], drawn: str) -> str:
    """The caption of a figure of these entries; `drawn` says what is special about its kind."""
    parts = [
        f"{sizes_of(entries)}; {samples_of(entries)}; {processors_of(entries)}.",
        f"{statistic_of(entries)}points: every sample. {drawn}".strip(),
        *failures_of(entries),
        *wrong_of(entries),
        *unverified_of(entries),
        *inputs_of(entries),
        *substitutes_of(entries),
    ]
    text = clean(" ".join(parts))
    for loose in ("95 %", " = ", " × "):  # must not be separated at the end of a line
        text = text.replace(loose, loose.replace(" ", NO_BREAK))
    return text


def sizes_of(entries: Sequence[Entry]) -> str:
    threads = {entry.threads for entry in entries if entry.axes["variant"] != "seq"}
    parts = [f"N = {listed(entry.axes['size'] for entry in entries)}"]
    rows = [entry.row.configuration.rows for entry in entries]
    if any(rows):
        tall = [m or entry.axes["size"] for m, entry in zip(rows, entries, strict=True)]
        parts.insert(0, f"M = {listed(tall)}")
    if tiles := {entry.tile for entry in entries} - {None}:
        parts.append(f"NB = {listed(tiles)}")
    if len(own := {in_words(entry.parameters) for entry in entries}) == 1:
        parts += filter(None, own)
    if sets := sorted({entry.axes["kernels"] for entry in entries} - {None}):
        parts.append(f"{' and '.join(sets)} kernels")
    if found := (threads or {entry.threads for entry in entries}) - {None}:
        sequential = any(entry.axes["variant"] == "seq" for entry in entries)
        one = " (seq: 1)" if sequential and found != {1} else ""
        parts.append(f"{listed(found)} {'thread' if found == {1} else 'threads'}{one}")
    return ", ".join(parts)


def listed(values: Iterable[int | Tile | None]) -> str:
    found = sorted({value for value in values if value is not None}, key=in_order)
    if len(found) > LISTED:
        return f"{found[0]} to {found[-1]} ({len(found)} values)"
    return ", ".join(map(str, found))


def samples_of(entries: Sequence[Entry]) -> str:
    counts = [len(entry.row.values) for entry in entries if entry.row.values]
    if not counts:
        return "no valid sample"
    return f"{span(counts)} sample{'s' * (max(counts) != 1)} of each configuration"


def processors_of(entries: Sequence[Entry]) -> str:
    hosts = [entry.row.identity.host for entry in entries if entry.row.identity]
    names = dict.fromkeys(" ".join(str(host["cpu"]).split()) for host in hosts if host["cpu"])
    return " and ".join(names) or "processor unknown"


def statistic_of(entries: Iterable[Entry]) -> str:
    """What bars and curves are."""
    if any(entry.interval for entry in entries):
        return "Median, 95 % bootstrap interval; "
    return "Median, no interval from so few samples; "


def failures_of(entries: Iterable[Entry]) -> list[str]:
    outcomes = sum((entry.outcomes for entry in entries), Counter[str]())
    if not outcomes:
        return []
    words = ", ".join(f"{count} × {outcome}" for outcome, count in outcomes.most_common())
    return [f"Failed: {words}."]


def failed_cells(result: Result, entries: Iterable[Entry]) -> list[str]:
    """The configurations of these benchmarks that failed."""
    benchmarks = {entry.row.configuration.benchmark for entry in entries}
    failed = (f.row for f in result.failures if f.row.configuration.benchmark in benchmarks)
    names = dict.fromkeys(row.cell for row in failed)
    return [f"Failed: {some(names, LISTED)}."] * bool(names)


def medians_of(entries: Iterable[Entry]) -> str:
    """What is drawn of times."""
    known = any(entry.row.figure is not None and entry.row.figure.bounded for entry in entries)
    return f"Medians, {'95 % bootstrap intervals' if known else 'no interval from so few samples'}."


def wrong_of(entries: Iterable[Entry]) -> list[str]:
    names = dict.fromkeys(name_of(entry) for entry in entries if entry.is_wrong)
    return [
        f"Their factors differ from others, so they have no speed: {some(names, LISTED)}."
    ] * bool(names)


def unverified_of(entries: Iterable[Entry]) -> list[str]:
    names = dict.fromkeys(
        name_of(entry) for entry in entries if entry.row.digests is Agreement.UNVERIFIED
    )
    return [f"Factors not verified: {some(names, LISTED)}."] * bool(names)


def inputs_of(entries: Sequence[Entry]) -> list[str]:
    others = other_inputs(entries)
    if not others or others == {entry.axes["variant"] for entry in entries}:
        return []
    verb = "factors" if len(others) == 1 else "factor"
    return [f"{some(sorted(others), LISTED)} {verb} other matrices than the rest."]


def substitutes_of(entries: Iterable[Entry]) -> list[str]:
    """Where concurrent write is not what the compiler knows, and another clause took its place."""
    clauses: dict[str, None] = {}
    for entry in entries:
        write = entry.row.identity.concurrent_write if entry.row.identity else None
        if write and not write["native"]:
            clauses[f"{name_of(entry)} ({write['clause']})"] = None
    return [f"Substitute for concurrent write: {some(clauses, LISTED)}."] * bool(clauses)


def name_of(entry: Entry) -> str:
    return f"{entry.axes['benchmark']} {entry.axes['variant']} on {entry.axes['runtime']}"
