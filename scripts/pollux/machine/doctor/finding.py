# SPDX-License-Identifier: BSD-3-Clause
"""The result of a check of the machine."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pollux.machine.doctor.machine import Machine


class Verdict(StrEnum):
    """How a machine does in one check."""

    GOOD = "good"
    CAUTION = "caution"  # ratios within rounds hold, or a campaign can do without what is missing
    BAD = "bad"  # even ratios are in doubt, or nothing can be run
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not applicable"


class Affects(StrEnum):
    """What suffers where a check is not good."""

    FIGURES = "figures"  # times and GFlop/s
    WORK = "work"  # comfort: stacks of hanging runs, energy, room for records


@dataclass(frozen=True)
class Finding:
    """What one check found; `brief` says what is wrong in a few words, for a list of warnings."""

    verdict: Verdict
    found: str
    brief: str = ""
    fix: str = ""  # a command for the shell


@dataclass(frozen=True)
class Check:
    """One question about the machine, and why it matters."""

    name: str
    why: str
    examine: Callable[[Machine], Finding]
    affects: Affects = Affects.FIGURES


def good(found: str) -> Finding:
    return Finding(Verdict.GOOD, found)


def caution(found: str, brief: str, fix: str = "") -> Finding:
    return Finding(Verdict.CAUTION, found, brief, fix)


def bad(found: str, brief: str, fix: str = "") -> Finding:
    return Finding(Verdict.BAD, found, brief, fix)


def unknown(found: str) -> Finding:
    return Finding(Verdict.UNKNOWN, found)


def not_applicable(found: str) -> Finding:
    return Finding(Verdict.NOT_APPLICABLE, found)
