# SPDX-License-Identifier: BSD-3-Clause
"""The end of `pollux run`: the answer, what to do next, and the gate's decision."""

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from pollux.core.commands.options import GateOptions
from pollux.core.console import echo
from pollux.core.parts import service
from pollux.core.tables import put

if TYPE_CHECKING:
    from pollux.core.analysis.result import Result
    from pollux.core.commands import compare_gate


def show_answer(
    console: Console, paths: Sequence[Path], options: GateOptions, *, quiet: bool
) -> int:
    """Write the answer in a sentence, the next commands and the gate.

    The status is 1 if factors disagree, else the gate's: what failed may be of an earlier plan.
    """
    if quiet and options.fail_if_slower is None:
        return report_disagreement(paths)
    result, gate, status = judged(paths, options)
    if not quiet:
        put(console, f"\n{result.headline}\n", "bold")
        for line in result.cautions:
            put(console, line, "yellow")
        put(console, "next")
        for line in next_steps(result, paths):
            put(console, f"  {line}")
    if gate is not None:
        put(console, "")
        for line in gate.lines:
            put(console, line, "bold" if line is gate.lines[-1] else "")
    return status


def show_comparison(paths: Sequence[Path], options: GateOptions) -> int:
    """Write what pollux compare shows; the status is that of the answer."""
    from pollux.core.commands.compare import Format, show

    result, gate, status = judged(paths, options)
    show(result, Format.TABLE, None, gate, long=False)
    return status


def judged(
    paths: Sequence[Path], options: GateOptions
) -> "tuple[Result, compare_gate.Gate | None, int]":
    """The comparison, the gate if one is asked for, and the status that follows from both."""
    from pollux.core.analysis.comparison import compare
    from pollux.core.analysis.loading import load
    from pollux.core.commands import compare_gate

    result = compare(load(paths))
    gate = compare_gate.check(result, options)
    return result, gate, int(bool(result.disagreements)) if gate is None else gate.status


def report_disagreement(paths: Sequence[Path]) -> int:
    """A line where factors disagree, found without the statistics; the exit status."""
    from pollux.core.analysis.digests import check_digests
    from pollux.core.analysis.loading import load

    dataset = load(paths)
    found = check_digests(dataset, dict.fromkeys(dataset.configurations, "")).disagreements
    if found:
        where = "; ".join(dict.fromkeys(f"{d.group} {d.tiling}" for d in found))
        file = shlex.join(map(shortest, paths))
        echo(
            f"pollux: factors disagree in {where}: pollux compare {file} says whose", to_stderr=True
        )
    return int(bool(found))


def next_steps(result: "Result", paths: Sequence[Path]) -> Iterator[str]:
    """Commands, each with its purpose."""
    file = shlex.join(map(shortest, paths))
    report = f"pollux report {file}"
    can_report = service("write_report") is not None
    if not result.sound and can_report:
        yield f"{report}: what went wrong, with stacks, and the command that repeats each run"
    yield f"pollux compare {file}: a verdict on each cell, and what to know before quoting it"
    if result.sound and can_report:
        yield f"{report}: one page with tables, plots and the method"
    from pollux.core.analysis.fixed_plan import affordable
    from pollux.core.analysis.further import further
    from pollux.core.analysis.result import Verdict

    needed = [row.comparison.needed for row in result.rows if row.comparison.needed]
    if result.is_sequential:
        for count, way in further(result):
            yield f"{way}: resumes with what is open ({count})"
    elif few := affordable(needed):
        which = "every cell" if few == needed else f"{len(few)} of {len(needed)} that are open"
        known = {row.comparison.verdict for row in result.rows if row.comparison.ratio}
        # A plan that is extended for its verdicts finds differences that are not there.
        fresh, kind = ("", "more") if known == {Verdict.TOO_FEW} else ("--fresh ", "new")
        yield (
            f"the same pollux run with {fresh}--set processes={max(few)}: {kind} samples; about so "
            f"many decide {which}"
        )


def shortest(path: Path) -> str:
    """A path as the user would type it here."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)
