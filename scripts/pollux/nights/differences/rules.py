# SPDX-License-Identifier: BSD-3-Clause
"""Which rules two builds keep differently, by `pollux conform` of the part `machine`."""

from dataclasses import dataclass
from pathlib import Path

from pollux.core.parts import service
from pollux.nights.differences.campaigns import Sides
from pollux.nights.watching.conformance import FAILED


@dataclass(frozen=True)
class Rule:
    """A rule with another verdict on either side."""

    name: str
    old: str
    new: str

    @property
    def is_broken(self) -> bool:
        """Whether only the new build breaks it."""
        return self.new in FAILED and self.old not in FAILED


def differing_rules(sides: Sides, folder: Path, build_root: Path) -> list[Rule] | None:
    """The rules, run unless their results are kept; None without the part that runs them."""
    run, read = service("conform"), service("conformance_results")
    if run is None or read is None:
        return None
    labels = {sides.old, sides.new}
    known = {result.label for result in read(folder)} if folder.is_dir() else set()
    if missing := sorted(labels - known):
        folder.mkdir(exist_ok=True)
        run(
            missing,
            conformance=folder,
            build_root=build_root,
            format_="json",
            output=folder.with_suffix(".all.json"),
        )
    verdicts = {r.label: {x.rule: str(x.verdict) for x in r.rules} for r in read(folder)}
    old, new = verdicts.get(sides.old, {}), verdicts.get(sides.new, {})
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [Rule(name, old.get(name, "not tried"), new.get(name, "not tried")) for name in names]
