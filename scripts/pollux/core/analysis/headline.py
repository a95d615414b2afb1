# SPDX-License-Identifier: BSD-3-Clause
"""The answer of a comparison in a sentence; failures come before any speed."""

from collections import Counter
from collections.abc import Sequence
from math import inf

from pollux.core.analysis.axes import in_means, on_node
from pollux.core.analysis.fixed_plan import agree, percent, within
from pollux.core.analysis.metrics import SPEED
from pollux.core.analysis.result import (
    OPEN,
    Agreement,
    Comparison,
    Interval,
    Overall,
    Result,
    Row,
    Verdict,
)
from pollux.core.analysis.terms import geometric_mean, summary
from pollux.core.tables import form_of
from pollux.core.text import counted

NAMED = 4  # levels in the sentence, the fastest first
SPEAKING = ("runtime", "variant", "parameters")  # axes whose levels say what they are

COUNTED = {
    Verdict.BETTER: "{better} in {}",
    Verdict.WORSE: "{worse} in {}",
    Verdict.NO_DIFFERENCE: "no difference shown in {}",
    Verdict.TOO_NOISY: "too noisy to tell in {}",
    Verdict.TOO_FEW: "too few samples in {}",
    Verdict.NONE: "not compared in {}",
}
# Of a campaign that ran until all was decided.
SEQUENTIAL = {
    Verdict.NO_DIFFERENCE: "no relevant difference in {}",
    Verdict.TOO_NOISY: "open in {}",
}


def headline(result: Result) -> str:
    """Failures first: a fast runtime that computes wrong factors is useless."""
    answer = speeds(result)
    wrong = failures(result)
    if not wrong:
        return f"{answer}."
    is_any = any(row.comparison.ratio for row in result.rows)
    return f"{wrong}; {'of the rest: ' if is_any else ''}{answer}."


def failures(result: Result) -> str:
    parts = []
    if failed := len({failure.row.key for failure in result.failures}):
        parts.append(f"{counted(failed, 'configuration')} failed")
    wrong = Counter(row.level for row in result.rows if row.digests is Agreement.DIFFER)
    parts += [f"{level} has digests that differ in {number}" for level, number in wrong.items()]
    return " and ".join(parts)


def speeds(result: Result) -> str:
    overall = {item.level: item for item in result.overall}
    every = by_level(result)
    counting = {
        level: own
        for level, rows in every.items()
        if (own := [row for row in rows if in_means(row.configuration)])
    }
    levels = dict.fromkeys([*overall, *counting]) or every
    if not levels:
        return f"all runs have {result.by} {result.reference}: there is nothing to compare it with"
    rows = {level: of_campaign(result, counting.get(level) or every[level]) for level in levels}
    order = sorted(levels, key=lambda level: rank(result, overall.get(level), rows[level]))
    named = [
        about(result, level, overall.get(level), rows[level]) + terms_of(result, level)
        for level in order[:NAMED]
    ]
    if more := len(order) - len(named):
        named.append(f"{more} more are in the table")
    return "; ".join(named)


def by_level(result: Result) -> dict[str, list[Row]]:
    """The rows that are compared with the reference, those of each node by themselves."""
    found: dict[str, list[Row]] = {}
    for row in result.rows:
        if row.level != result.reference:
            found.setdefault(on_node(row.level, row.configuration.node), []).append(row)
    return found


def of_campaign(result: Result, rows: list[Row]) -> list[Row]:
    """Those whose verdicts a campaign ran to decide, if there are any."""
    return [row for row in rows if not result.is_apart(row)] or rows


def terms_of(result: Result, level: str) -> str:
    """What is known of those further quantities that the campaign decides, over all cells."""
    decide = result.dataset.decide
    known = [term for term in result.terms if term.level == level and term.comparison.ratio]
    own = [term for term in known if term.quantity in decide]
    by_words: dict[str, list[str]] = {}
    order = sorted(own, key=lambda t: (t.comparison.words == OPEN, decide.index(t.quantity or "")))
    for term in order:
        by_words.setdefault(verdict_of(term, result), []).append(str(term.quantity))
    words = (f"{listed(names)} {what}" for what, names in by_words.items())
    return f"; of its parts: {', '.join(words)}" if own else ""


def listed(names: Sequence[str]) -> str:
    """Such as "creation, release and completion"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def verdict_of(term: Overall, result: Result) -> str:
    """With its times, where they differ: what a percentage is of."""
    comparison = term.comparison
    rows = [r for r in result.rows if r.configuration.quantity == term.quantity and r.figure]
    own, reference = (
        {r.cell: r for r in rows if r.level == x} for x in (term.level, result.reference)
    )
    cells = [cell for cell in own if cell in reference]
    if comparison.verdict not in (Verdict.BETTER, Verdict.WORSE) or not cells:
        return comparison.words
    times = (summary([rows[cell] for cell in cells]).time for rows in (own, reference))
    mean = "geometric means: " if len(cells) > 1 else ""
    new, old = (f"{time:{form_of(time)}}" for time in times)
    return f"{comparison.words} ({mean}{new} {rows[0].configuration.unit} against {old})"


def rank(result: Result, overall: Overall | None, rows: Sequence[Row]) -> float:
    """By which levels are sorted, the best first, those without a ratio last."""
    known = [overall.comparison] if overall else [row.comparison for row in rows]
    ratios = [comparison.ratio.estimate for comparison in known if comparison.ratio]
    if not ratios:
        return inf
    ratio = geometric_mean(ratios)
    return -ratio if result.metric.is_higher_better else ratio


def about(result: Result, own: str, overall: Overall | None, rows: Sequence[Row]) -> str:
    """The mean over its cells, if it has one, and the number of cells by verdict."""
    level = own if result.by in SPEAKING else f"{result.by} {own}"
    if len(rows) == 1:
        return f"{statement(level, result, rows[0].comparison)} in {rows[0].cell}"
    verdicts = Counter(row.comparison.verdict for row in rows)
    better, worse = result.metric.verdicts
    texts = {**COUNTED, **(SEQUENTIAL if result.is_sequential else {})}
    counts = ", ".join(
        text.format(verdicts[v], better=better, worse=worse)
        for v, text in texts.items()
        if verdicts[v]
    )
    if overall is None:
        return f"{level} vs. {result.reference} over {counted(len(rows), 'cell')}: {counts}"
    if not overall.cells:
        return statement(level, result, overall.comparison)
    part = f"{overall.cells} of " if overall.left_out else ""
    cells = f" over {part}{counted(overall.cells + overall.left_out, 'cell')}"
    if result.is_sequential and only_the_mean_is_open(overall, verdicts):
        mean = f"their mean is undecided{ratio_in_brackets(overall.comparison.ratio)}"
        return f"{level} vs. {result.reference}{cells}: {counts} ({mean})"
    return f"{statement(level, result, overall.comparison)}{cells} ({counts})"


def only_the_mean_is_open(overall: Overall, verdicts: Counter[Verdict]) -> bool:
    """Whether every cell is decided: then what is known of each is the answer."""
    return overall.comparison.verdict is Verdict.TOO_NOISY and not verdicts[Verdict.TOO_NOISY]


def statement(level: str, result: Result, comparison: Comparison) -> str:
    """One level relative to the reference, with the interval if there is one."""
    ratio, verdict = comparison.ratio, comparison.verdict
    reference, metric = result.reference, result.metric
    if ratio is None:
        return f"{level} is not compared with {reference} ({comparison.words})"
    if verdict in (Verdict.BETTER, Verdict.WORSE):
        predicate = metric.predicates[verdict is Verdict.WORSE]
        if not agree(ratio, verdict, metric):
            known = ratio_in_brackets(ratio)
            return f"{level} {predicate} than {reference}, by how much is open{known}"
        share = percent(abs(ratio.estimate - 1))
        return f"{level} {predicate} than {reference} by {share} ({interval_in_words(ratio)})"
    if verdict is Verdict.NO_DIFFERENCE:
        return f"{level} shows no difference from {reference}{within(ratio, result.relevant)}"
    what = "" if metric.name == SPEED else f" in {metric.title}"
    reason = "" if comparison.words == OPEN else f" ({comparison.words})"
    return f"{level} vs. {reference}: undecided{what}{reason}"


def ratio_in_brackets(ratio: Interval | None) -> str:
    """The ratio with its interval, after a comma; nothing where it has none."""
    if ratio is None or not ratio.bounded:
        return ""
    return f", {ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"


def interval_in_words(ratio: Interval) -> str:
    """How much it is better or worse, as a difference from 1."""
    if not ratio.bounded:
        return "too few samples for an interval of 95 %"
    if ratio.estimate > 1:
        return between(ratio.low - 1, ratio.high - 1)
    return between(1 - ratio.high, 1 - ratio.low)


def between(low: float, high: float) -> str:
    return f"95 % interval {percent(low).removesuffix(' %')} to {percent(high)}"
