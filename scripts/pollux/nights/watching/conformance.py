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

FOLDER = ".conformance"
FAILED = ("broken", "hung", "crashed")
NOT_RUN = "not run"  # says nothing about the runtime

Verdicts = Mapping[str, Mapping[str, str]]  # of each rule, by target


@dataclass(frozen=True)
class Kept:
    """A target whose rules were tried last night."""

    label: str
    broken: Mapping[str, int]  # rules that were kept before and are not now: the first such night


def kept_rules(folder: Path, names: Sequence[str]) -> list[Kept]:
    """Each target of last night, compared with the last earlier night that tried it."""
    read = service("conformance_results")
    if read is None or not names:
        return []

    @cache  # a rule that was never kept leads through all nights, for each target
    def night(at: int) -> Verdicts:
        return by_label(read, folder, names[at])

    last = len(names) - 1
    return [compare(night, last, label, rules) for label, rules in night(last).items()]


def by_label(read: Any, folder: Path, name: str) -> Verdicts:  # noqa: ANN401
    """The verdict of each rule, by target."""
    own = (folder / name).with_suffix(FOLDER)
    if not own.is_dir():
        return {}
    return {
        result.label: {rule.rule: str(rule.verdict) for rule in result.rules}
        for result in read(own)
    }


def compare(
    night: Callable[[int], Verdicts], last: int, label: str, rules: Mapping[str, str]
) -> Kept:
    """Go back to the night in which each rule that is broken now was kept."""
    failed = {rule for rule, verdict in rules.items() if verdict in FAILED}
    broken: dict[str, int] = {}
    began = dict.fromkeys(failed, last)
    for at in range(last - 1, -1, -1):
        if not failed:
            break
        earlier = night(at).get(label, {})
        for rule in failed & earlier.keys():
            if earlier[rule] in FAILED:
                began[rule] = at
            elif earlier[rule] != NOT_RUN:
                failed.discard(rule)
                broken[rule] = began[rule]
    return Kept(f"conformance of {label}", broken)
