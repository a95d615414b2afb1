# SPDX-License-Identifier: BSD-3-Clause
"""Values of options that several commands take."""

from dataclasses import dataclass
from enum import StrEnum

import typer

from pollux.campaign.values import number_or_text, parse_share


class Undecided(StrEnum):
    """What an undecided gate counts as."""

    PASS = "pass"
    FAIL = "fail"


@dataclass(frozen=True)
class GateOptions:
    """What the user asks of the gate; no gate without `fail_if_slower`."""

    fail_if_slower: float | None
    undecided: Undecided | None


def share(value: object) -> float:
    """`3%`, `3 %` and `0.03` are the same."""
    try:
        found = parse_share(number_or_text(str(value)))
    except ValueError:
        found = 0
    if not 0 < found < 1:
        raise typer.BadParameter(f"{value!r} is no share between 0 and 1, such as 3% or 0.03")
    return found
