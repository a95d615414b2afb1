# SPDX-License-Identifier: BSD-3-Clause
"""Which rules builds keep differently, by `pollux conform` of the part `machine`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pollux.core.parts import service
from pollux.core.writing import make_folder
from pollux.nights.differences.campaigns import Sides
from pollux.nights.watching.conformance import BADNESS, NOT_RUN, Verdicts, verdicts_in

UNTRIED = "not tried"
QUICK = 0.1  # seconds of each rule's trials where several builds are tried


@dataclass(frozen=True)
class Rule:
    """A rule that a new build keeps otherwise than the old one, or that did not run on it."""

    name: str
    label: str  # of the new one
    old: str
    new: str

    @property
    def is_broken(self) -> bool:
        """Whether the new build was seen to keep it worse than the old one was."""
        return self.is_tried and BADNESS[self.new] > BADNESS.get(self.old, max(BADNESS.values()))

    @property
    def is_tried(self) -> bool:
        """Whether anything was seen of it on the new build."""
        return self.new in BADNESS


def differing_rules(sides: Sides, folder: Path, build_root: Path) -> list[Rule] | None:
    """The rules, of which those without a kept result run; None without the part that runs them."""
    try_untried, read = service("try_untried_rules"), service("conformance_results")
    if try_untried is None or read is None:
        return None
    make_folder(folder)
    for label in sides.labels:
        try_untried(label, build_root, folder, QUICK if sides.are_several else None)
    verdicts = verdicts_in(read, folder)
    return [
        rule for new in sides.new for rule in between(verdicts.get(sides.old, {}), new, verdicts)
    ]


def between(old: Mapping[str, str], label: str, verdicts: Verdicts) -> Iterator[Rule]:
    """The rules with another verdict on one new build, or without a run there."""
    new = verdicts.get(label, {})
    for name in {**old, **new}:
        if old.get(name) != new.get(name) or new.get(name) == NOT_RUN:
            yield Rule(name, label, old.get(name, UNTRIED), new.get(name, UNTRIED))
