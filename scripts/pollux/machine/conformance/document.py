# SPDX-License-Identifier: BSD-3-Clause
"""Makes docs/conformance.md: prose, the matrix of all results that are kept, rules and findings."""

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from pollux.core.text import span
from pollux.machine.conformance import show
from pollux.machine.conformance.program import TRIALS
from pollux.machine.conformance.results import MEANING, TargetResult, Verdict

ABSOLUTE = re.compile(r"(?<![\w./])/(?:[^\s/:]+/)+")  # the folders of a path of this machine


def make_document(results: Sequence[TargetResult]) -> str:
    """The whole page, as Markdown; it names no path of the machine that it was made on."""
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    template = files("pollux.machine.conformance").joinpath("document.md.j2").read_text("utf-8")
    return environment.from_string(template).render(
        results=results,
        matrices=[
            (title, show.markdown_matrix(part, link=True)) for title, part in groups(results)
        ],
        rules=show.rules_of(results),
        meaning=MEANING,
        show=show,
        findings=findings,
        trials=TRIALS,
        trials_of=trials_of,
    )


def groups(results: Sequence[TargetResult]) -> Iterator[tuple[str, list[TargetResult]]]:
    """Builds on their own runtimes, then the combinations of each compiler: no table too wide."""
    compilers = dict.fromkeys(r.label.partition("+")[0] for r in results if "+" in r.label)
    own = [r for r in results if "+" not in r.label]
    if own:
        yield "Builds on their own runtimes", own
    for compiler in compilers:
        part = [r for r in results if r.label.startswith(f"{compiler}+")]
        yield f"Executables made by {compiler}, under other libraries", part


def findings(results: Sequence[TargetResult], name: str) -> Iterator[str]:
    """What was seen of a rule, a line for each target on which it was not simply kept."""
    for result in results:
        for rule in show.noteworthy(result):
            for attempt in rule.findings() if rule.rule == name else []:
                text = ABSOLUTE.sub("", show.finding(rule, attempt))
                yield f"{result.label}: {show.literal(text)}"


def trials_of(results: Sequence[TargetResult], name: str) -> str:
    """How often the rule was tried where it was kept."""
    tried = (result.rule(name) for result in results)
    found = [rule.trials for rule in tried if rule and rule.verdict is Verdict.KEPT]
    return f"Kept in {span(found)} trials on several threads." if found else ""
