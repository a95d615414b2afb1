# SPDX-License-Identifier: BSD-3-Clause
"""Which rules are broken that were kept: results of `pollux conform` beside a night's records.

Those of NIGHT.jsonl are in the folder NIGHT.conformance, as `pollux conform --conformance` writes
them. The part `machine` reads them; without it they are not watched.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pollux.core.parts import service

FOLDER = ".conformance"
FAILED = ("broken", "hung", "crashed")


@dataclass(frozen=True)
class Kept:
    """A target whose rules were tried last night."""

    label: str
    broken: tuple[str, ...]  # rules that were kept before, and are not now
    since: int | None  # the first night that broke one of them


def kept_rules(folder: Path, names: Sequence[str]) -> list[Kept]:
    """Each target of last night, compared with the last earlier night that tried it."""
    read = service("conformance_results")
    if read is None or not names:
        return []
    last = by_label(read, folder, names[-1])
    return [compare(read, folder, names, label, rules) for label, rules in last.items()]


def by_label(read: Any, folder: Path, name: str) -> dict[str, dict[str, str]]:  # noqa: ANN401
    """The verdict of each rule, by target."""
    own = (folder / name).with_suffix(FOLDER)
    if not own.is_dir():
        return {}
    return {
        result.label: {rule.rule: str(rule.verdict) for rule in result.rules}
        for result in read(own)
    }


def compare(
    read: Any,  # noqa: ANN401
    folder: Path,
    names: Sequence[str],
    label: str,
    rules: Mapping[str, str],
) -> Kept:
    """Go back to the night in which each rule that is broken now was kept."""
    failed = {rule for rule, verdict in rules.items() if verdict in FAILED}
    broken: dict[str, int] = {}
    began = dict.fromkeys(failed, len(names) - 1)
    for at in range(len(names) - 2, -1, -1):
        if not failed:
            break
        earlier = by_label(read, folder, names[at]).get(label)
        if earlier is None:
            continue
        for rule in [*failed]:
            if earlier.get(rule) in FAILED:
                began[rule] = at
            else:
                failed.discard(rule)
                if rule in earlier:
                    broken[rule] = began[rule]
    since = min(broken.values(), default=None)
    return Kept(f"conformance of {label}", tuple(sorted(broken)), since)
