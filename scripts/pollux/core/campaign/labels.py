# SPDX-License-Identifier: BSD-3-Clause
"""Runtimes that a campaign names by label alone, and optional ones that are missing."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from pollux.core.campaign.file import tables
from pollux.core.campaign.grid import Part, parts
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.sections import Runtime
from pollux.core.campaign.source import Key
from pollux.core.errors import BadUsageError
from pollux.core.executables.arguments import arguments
from pollux.core.executables.builds import executables_in
from pollux.core.executables.listing import query
from pollux.core.executables.trees import tree_of
from pollux.core.paths import ROOT
from pollux.core.runtimes.found import Found, choose, choose_library, look
from pollux.core.runtimes.library import find_library

NO_BUILD = "optional and not built"


class Machine:
    """Builds and libraries; libraries are searched for only if a campaign names one by label."""

    def __init__(self, build_root: Path) -> None:
        self.build_root = build_root

    @cached_property
    def found(self) -> Found:
        return look(ROOT, self.build_root)

    def executable(self, preset: str) -> Path | None:
        """An executable of a build; None: it is not built."""
        return next(iter(executables_in(tree_of(self.build_root, preset))), None)

    def has_build(self, preset: str) -> bool:
        return self.executable(preset) is not None

    def runtime(self, label: str) -> Runtime:
        """What a label stands for; ValueError lists the known labels."""
        if self.has_build(label):
            return Runtime(preset=label)
        preset, library = choose(label, self.found)
        if library is None:
            return Runtime(preset=preset)
        return Runtime(preset=preset, library=str(library.path), expect=library.name)

    def with_library(self, runtime: Runtime) -> Runtime:
        """A runtime with the path of its library in place of a label."""
        if runtime.library is None or not is_label(runtime.library):
            return runtime
        library = choose_library(runtime.library, self.found)
        changes = {"library": str(library.path), "expect": runtime.expect or library.name}
        return runtime.model_copy(update=changes)

    def lacks(self, runtime: Runtime, folder: Path) -> str | None:
        """What a runtime needs and this machine lacks."""
        executable = self.executable(runtime.preset)
        if executable is None:
            return NO_BUILD
        if runtime.library is None:
            answer = query([str(executable), *arguments(version=True)])
            if answer.status != 0:
                return f"optional, and does not start: {answer.failure}"
        try:
            library = self.with_library(runtime).library
            if library is not None:
                find_library(library, folder)
        except ValueError as error:
            return f"optional, and {error}"
        return None


def listed_once(missing: dict[str, str]) -> list[str]:
    """One line per reason, with the optional runtimes that are left out for it."""
    reasons: dict[str, list[str]] = {}
    for label, reason in missing.items():
        reasons.setdefault(reason, []).append(label)
    return [f"left out: {', '.join(labels)} ({reason})" for reason, labels in reasons.items()]


def is_label(library: str) -> bool:
    """Whether a library is named by its label, not by a path or a file's name."""
    return "/" not in library and ".so" not in library


def settle(campaign: Campaign, build_root: Path) -> tuple[Campaign, list[str]]:
    """The campaign with only runtimes that are defined and present; one line for each left out."""
    machine = Machine(build_root)
    used = used_labels(campaign)
    kept: dict[str, Runtime] = {}
    missing: dict[str, str] = {}
    wrong = []
    for label, runtime in campaign.runtimes.items():
        key: Key = ("runtimes", label, "library")
        folder = campaign.source.folder(key)
        lacking = machine.lacks(runtime, folder) if runtime.optional else None
        if lacking is not None:
            missing |= {label: lacking} if label in used else {}
            continue
        try:
            kept[label] = machine.with_library(runtime) if label in used else runtime
        except ValueError as error:
            wrong.append(campaign.source.line(key, str(error)))
    named: dict[str, Runtime] = {}
    for key, label in undefined(campaign):
        try:
            named.setdefault(label, machine.runtime(label))
        except ValueError as error:
            wrong.append(campaign.source.line(key, str(error)))
    left_out = listed_once(missing)
    if not kept and not named and not wrong:
        wrong.append(campaign.source.line(("runtimes",), "; ".join(left_out) or "is empty"))
    if wrong:
        raise BadUsageError("\n".join(dict.fromkeys(wrong)))
    settled = campaign.model_copy(update={"runtimes": {**kept, **named}})
    settled._named = frozenset(named)
    return settled, left_out


def used_labels(campaign: Campaign) -> set[str]:
    """The entries of [runtimes] that some grid uses."""
    used: set[str] = set()
    for part in parts(campaign):
        used |= labels_of(part, campaign)
    return used


def labels_of(part: Part, campaign: Campaign) -> set[str]:
    named = part.axes.runtime
    return {*campaign.runtimes} if named is None or named == ["all"] else {*named}


def undefined(campaign: Campaign) -> Iterator[tuple[Key, str]]:
    """Labels without an entry in [runtimes], with the keys that name them."""
    known = {"all", *campaign.runtimes}
    for key, axes in tables(campaign):
        yield from (((*key, "runtime"), name) for name in axes.runtime or [] if name not in known)
    if (
        campaign.reference is not None
        and campaign.compares_runtimes
        and campaign.reference not in known
    ):
        yield ("reference",), campaign.reference
