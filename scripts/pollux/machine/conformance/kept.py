# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the results of each target in its own file, written atomically."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pollux.core import models
from pollux.core.errors import BadUsageError
from pollux.core.executables.loaded import change_of
from pollux.machine.conformance.results import RuleResult, Runtime, TargetResult, Verdict

FOLDER = "conformance"  # below the folder of results
OF_RUN = ("processors", "environment")  # what results of several runs may differ in


def keep(
    result: TargetResult, known: TargetResult | None, rules: Sequence[str], path: Path
) -> None:
    """Write what was found of a target, together with what is `known` of its other rules."""
    merged = merge(result, known, rules)
    models.keep(path, merged, "; --conformance takes another folder")


def merge(new: TargetResult, known: TargetResult | None, rules: Sequence[str]) -> TargetResult:
    """The new results, and the known ones of rules that were not tried again, in their order.

    Results of another library or compiler count no more, nor do those of a library whose SHA-256
    was not kept: it may have been another. A target or rule that refused to start says nothing
    about what was found when it did. A target that failed before it said what it is counts as the
    known one where that library's file has not changed.
    """
    if known is None:
        return new
    if new.runtime is None and known.runtime is not None:
        if not new.failed():
            return known
        if not is_unchanged(known.runtime):
            return new
        new = new.model_copy(update={"runtime": known.runtime, "compiler": known.compiler})
    if (new.runtime, new.compiler) != (known.runtime, known.compiler):
        return new
    earlier = {rule.rule: carried(rule, known, new) for rule in known.rules}
    found = (tried([new.rule(rule), earlier.get(rule)]) for rule in rules)
    return new.model_copy(update={"rules": [result for result in found if result is not None]})


def carried(rule: RuleResult, known: TargetResult, new: TargetResult) -> RuleResult:
    """A known result beside new ones: it says how its own run differed."""
    differing = {}
    for name in OF_RUN:
        own = getattr(rule, name)
        then = getattr(known, name) if own is None else own
        differing[name] = None if then == getattr(new, name) else then
    return rule.model_copy(update=differing)


def tried(results: Sequence[RuleResult | None]) -> RuleResult | None:
    """The first result of a rule that ran, else the first one."""
    found = [result for result in results if result is not None]
    return min(found, key=lambda result: result.verdict is Verdict.NOT_RUN, default=None)


def is_unchanged(runtime: Runtime) -> bool:
    return runtime.sha256 is not None and change_of({runtime.path: runtime.sha256}) is None


def file_of(label: str, folder: Path) -> Path:
    return folder / f"{label.replace('/', '_')}.json"


def read_known(path: Path) -> TargetResult | None:
    """What is kept of a target, if anything that can be read is."""
    try:
        return read_one(path)
    except BadUsageError:
        return None


def read_all(folder: Path) -> list[TargetResult]:
    """The results of all targets that were kept, builds on their own runtimes first."""
    return in_order(folder, read_one)


def read_usable(folder: Path) -> list[TargetResult]:
    """Like read_all, but leaves out files of another version."""
    return in_order(folder, read_known)


def in_order(folder: Path, read: Callable[[Path], TargetResult | None]) -> list[TargetResult]:
    """What is read of each target; copies under other names do not count."""
    found = ((path, read(path)) for path in folder.glob("*.json"))
    own = (result for path, result in found if result and file_of(result.label, folder) == path)
    return sorted(own, key=order)


def read_one(path: Path) -> TargetResult | None:
    """What is kept of a target; None where nothing is."""
    remedy = "remove it, and run pollux conform for its target"
    return models.read_kept(path, TargetResult, "result of pollux conform", remedy)


def order(result: TargetResult) -> tuple[object, ...]:
    """Builds on their own runtimes, then combinations by compiler, runtime and version."""
    library = result.label.partition("+")[2] or result.label
    numbers = [int(n) for n in "".join(c if c.isdecimal() else " " for c in library).split()]
    return "+" in result.label, result.preset, library.rstrip("0123456789.-"), numbers
