# SPDX-License-Identifier: BSD-3-Clause
"""Which rules are broken that were kept: results of `pollux conform` beside a night's records.

Those of NIGHT.jsonl are in the folder NIGHT.conformance, as `pollux conform --conformance` writes
them. The part `machine` reads them; without it they are not watched.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pollux.core.parts import service
from pollux.nights.watching.series import FORGOTTEN

FOLDER = ".conformance"
NOT_RUN = "not run"
# How bad each verdict is; the others say nothing about the runtime.
BADNESS = {
    **dict.fromkeys(("kept", "ignored", "serialised"), 0),
    "unsupported": 1,
    **dict.fromkeys(("broken", "hung", "crashed"), 2),
}

Verdicts = Mapping[str, Mapping[str, str]]  # of each rule, by target


@dataclass(frozen=True)
class Kept:
    """A target whose rules were tried in one of the last nights."""

    label: str
    broken: Mapping[str, int]  # rules that were better kept before: the first night they were not
    untried: Mapping[str, int]  # rules of which last night shows nothing: the first such night


def kept_rules(folder: Path, names: Sequence[str]) -> list[Kept]:
    """Each target of the last nights, by the last one that tried it and those before."""
    read = service("conformance_results")
    if read is None or not names:
        return []

    @cache  # a rule that was never kept leads through all nights, for each target
    def night(at: int) -> Verdicts:
        own = (folder / names[at]).with_suffix(FOLDER)
        return verdicts_in(read, own) if own.is_dir() else {}

    lately = range(len(names))[-1 : -FORGOTTEN - 1 : -1]
    labels = dict.fromkeys(label for at in lately for label in night(at))
    return [compare(night, lately, label) for label in labels]


def verdicts_in(read: Any, folder: Path) -> Verdicts:  # noqa: ANN401
    """The verdict of each rule in a folder of results, by target."""
    return {
        result.label: {rule.rule: str(rule.verdict) for rule in result.rules}
        for result in read(folder)
    }


def compare(night: Callable[[int], Verdicts], lately: Sequence[int], label: str) -> Kept:
    """Go back to the night in which each rule that is not kept now was better kept.

    `lately`: the last nights, the very last first. What they do not show of a rule is as it was.
    """
    last = lately[0]
    shown: dict[str, tuple[int, str]] = {}
    for at in lately:
        for rule, verdict in night(at).get(label, {}).items():
            if verdict in BADNESS:
                shown.setdefault(rule, (at, verdict))
    failed = {rule: bad for rule, (_, verdict) in shown.items() if (bad := BADNESS[verdict])}
    broken: dict[str, int] = {}
    began: dict[str, int] = {}
    for at in range(last, -1, -1):
        if not failed:
            break
        earlier = night(at).get(label, {})
        for rule in failed.keys() & earlier.keys():
            if (before := BADNESS.get(earlier[rule])) is None:
                continue
            if before >= failed[rule]:
                began[rule] = at
            else:
                del failed[rule]
                broken[rule] = began[rule]
    untried = {rule: at + 1 for rule, (at, _) in shown.items() if at < last}
    return Kept(f"conformance of {label}", broken, untried)
