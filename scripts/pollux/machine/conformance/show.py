# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of rules and targets, with what was found: for terminals and as Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from statistics import median_low

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pollux.core.console import say_all
from pollux.core.text import one_line, span
from pollux.machine.conformance.results import (
    FAILED,
    MILD,
    RANK,
    Attempt,
    RuleResult,
    TargetResult,
    Verdict,
)

STYLES = {
    Verdict.KEPT: "green",
    Verdict.SERIALISED: "yellow",
    Verdict.IGNORED: "yellow",
    **dict.fromkeys(FAILED, "bold red"),
}
NO_RESULT = "–"
SPECIAL = re.compile(r"[\\`*<|]|(?<![A-Za-z0-9])_")  # where Markdown sees more than a character
GAP = 2  # between columns
COMMANDS = "What was found, with a command that tries it again, to be run in the project's folder:"
NOTE = (
    "kept: not seen broken in that many trials; after k of them, a failure in more than 3 in k "
    "trials would have shown with a probability of 95 %"
)


def rules_of(results: Iterable[TargetResult]) -> list[RuleResult]:
    """Every rule once, in the order of the programs, from a target that could run it."""
    found: dict[str, RuleResult] = {}
    for result in results:
        for rule in result.rules:
            if not found.setdefault(rule.rule, rule).statement:
                found[rule.rule] = rule
    return list(found.values())


def words(found: RuleResult | None) -> str:
    """A cell: the verdict, and at how many threads where it was not so at all that were tried."""
    if found is None:
        return NO_RESULT
    shown = dict.fromkeys([found.verdict, *(a.verdict for a in found.findings())])
    return ", ".join(f"{verdict}{counts(found, verdict)}" for verdict in shown)


def counts(found: RuleResult, verdict: Verdict) -> str:
    """The numbers of threads, such as " (4, 8)", unless they were all that could show it."""
    threads = found.threads_with(verdict)
    could = [a for a in found.attempts if a.threads > 1 or verdict not in MILD]
    partial = verdict is not Verdict.KEPT and len(threads) < len(could)
    return f" ({listed(threads)})" if partial else ""


def print_matrix(console: Console, results: Sequence[TargetResult]) -> None:
    """One table, or several where the targets are too many for the width."""
    for part in parts(results, console.width):
        table = Table(box=box.SIMPLE_HEAD, padding=(0, GAP, 0, 0), header_style="bold")
        table.add_column("rule", no_wrap=True)
        for result in part:
            table.add_column(one_line(result.label), no_wrap=True)
        for rule in rules_of(results):
            table.add_row(one_line(rule.rule), *(styled(result.rule(rule.rule)) for result in part))
        console.print(table)
    findings = [f"\n{f}\n    {command}" for r in results for f, command in finding_lines(r)]
    head = ["", COMMANDS] if findings else []
    say_all(console, (*summary_lines(results), NOTE, *head, *findings))


def styled(found: RuleResult | None) -> Text:
    return Text(words(found), STYLES.get(found.verdict, "") if found else "")


def parts(results: Sequence[TargetResult], width: int) -> Iterator[list[TargetResult]]:
    """The targets in groups whose columns fit next to the rules."""
    rules = [rule.rule for rule in rules_of(results)]
    left = max(map(len, ["rule", *rules])) + GAP
    part: list[TargetResult] = []
    used = left
    for result in results:
        needed = max(map(len, [result.label, *(words(result.rule(r)) for r in rules)])) + GAP + 1
        if part and used + needed > width:
            yield part
            part, used = [], left
        part.append(result)
        used += needed
    if part:
        yield part


def summary_lines(results: Iterable[TargetResult]) -> Iterator[str]:
    """One line per target: what it is, how often each verdict was seen, in how many trials."""
    for result in results:
        seen = ", ".join(f"{count} {verdict}" for verdict, count in tally(result))
        yield (
            f"{result.label}: {identity(result)}, {dates(result)}: {seen}; "
            f"{trials(result)}, {seeds(result)}, {result.seconds():.0f} s"
        )


def tally(result: TargetResult) -> list[tuple[Verdict, int]]:
    found = {v: sum(rule.verdict is v for rule in result.rules) for v in Verdict}
    return [(verdict, count) for verdict, count in found.items() if count]


def identity(result: TargetResult) -> str:
    """Runtime and compiler, as the programs found them."""
    if result.runtime is None or result.compiler is None:
        return "no program started"
    version = f" {result.runtime.version}" if result.runtime.version else ""
    return f"{result.runtime.name}{version} under {compiler(result)}"


def compiler(result: TargetResult) -> str:
    """Name and number of the compiler, without what a distribution adds."""
    if result.compiler is None:
        return NO_RESULT
    text = result.compiler.version
    number = next((word for word in text.split() if word[:1].isdigit()), text)
    return f"{result.compiler.name} {number}"


def dates(result: TargetResult) -> str:
    """The day of the tests, or the first and the last."""
    days = sorted({day(rule.unix_ns) for rule in result.rules})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else NO_RESULT


def day(unix_ns: int) -> str:
    return datetime.fromtimestamp(unix_ns / 1e9, UTC).strftime("%Y-%m-%d")


def trials(result: TargetResult) -> str:
    """What "kept" is worth."""
    found = [rule.trials for rule in result.rules if rule.verdict is Verdict.KEPT and rule.trials]
    if not found:
        return "no trials on several threads"
    word = "trial" if max(found) == 1 else "trials"
    return f"kept in {span(found)} {word} on several threads (median {median_low(found)})"


def seeds(result: TargetResult) -> str:
    found = sorted({rule.seed for rule in result.rules})
    return f"seed{'s' if len(found) > 1 else ''} {listed(found)}"


def processors(result: TargetResult) -> str:
    """How many there were in each run whose results are kept."""
    found = sorted({rule.processors or result.processors for rule in result.rules})
    return f"{listed(found or [result.processors])} processors"


def finding_lines(result: TargetResult) -> Iterator[tuple[str, str]]:
    """For each cell that is not simply kept, the worst first: what was found, and the command."""
    for rule in noteworthy(result):
        for attempt in rule.findings():
            yield f"{result.label} {rule.rule}: {finding(rule, attempt)}", attempt.replay or ""


def noteworthy(result: TargetResult) -> list[RuleResult]:
    plain = (Verdict.KEPT, Verdict.NOT_COMPILED)
    found = [rule for rule in result.rules if rule.verdict not in plain]
    return sorted(found, key=lambda rule: -RANK[rule.verdict])


def finding(rule: RuleResult, attempt: Attempt) -> str:
    """Verdict, numbers of threads, what was seen, and the trial that saw it, in a line."""
    threads = rule.threads_with(attempt.verdict)
    seed = f"; seed {attempt.seed}" if attempt.seed is not None else ""
    first = f" on {attempt.threads}" if seed and len(threads) > 1 else ""
    left = f"; not tried on {listed(rule.not_tried)}" if rule.not_tried else ""
    return (
        f"{attempt.verdict} on {listed(threads)} thread{'' if threads == [1] else 's'}: "
        f"{attempt.detail}{seed}{first}{left if attempt.verdict is Verdict.HUNG else ''}"
    )


def listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def literal(text: str) -> str:
    """A text as Markdown shows it unchanged."""
    return SPECIAL.sub(r"\\\g<0>", text)


def markdown(results: Sequence[TargetResult]) -> str:
    """Matrix, targets and findings."""
    targets = [f"- {line}" for line in summary_lines(results)]
    findings = [
        f"- {literal(found)}: `{command}`" for r in results for found, command in finding_lines(r)
    ]
    head = ["", COMMANDS, ""] if findings else []
    return "\n".join([markdown_matrix(results), "", *targets, "", NOTE, *head, *findings]) + "\n"


def markdown_matrix(results: Sequence[TargetResult], link: bool = False) -> str:
    """The matrix as a Markdown table; with links to a heading for each rule."""
    header = ["rule", *(result.label for result in results)]
    rows = [
        [
            f"[{rule.rule}](#{rule.rule})" if link else rule.rule,
            *(emphasised(result.rule(rule.rule)) for result in results),
        ]
        for rule in rules_of(results)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows])


def emphasised(found: RuleResult | None) -> str:
    """What is broken stands out without colours too."""
    failed = found is not None and found.verdict in FAILED
    return f"**{words(found)}**" if failed else words(found)
