# SPDX-License-Identifier: BSD-3-Clause
"""How the page writes numbers, intervals and times."""

import math
from collections.abc import Callable
from datetime import UTC, datetime

from pollux.core.analysis.result import Interval

NOTHING = "–"
DIGITS = 4  # significant; the records hold all of them


def number(value: float | None, digits: int = DIGITS) -> str:
    """To some significant digits, without an exponent for anything near 1."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0 or not 1e-3 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def interval(value: Interval | None, write: Callable[[float], str] = number) -> str:
    """An estimate, with its interval where it has one."""
    if value is None:
        return NOTHING
    text = write(value.estimate)
    if not has_bounds(value):
        return text
    return f"{text} ({write(value.low)}–{write(value.high)})"


def ratio(value: Interval | None) -> str:
    """To a tenth of a percent: no campaign is more precise."""
    return interval(value, "{:.3f}".format)


def has_bounds(value: Interval) -> bool:
    """Whether samples sufficed for an interval."""
    return math.isfinite(value.low) and math.isfinite(value.high)


def rounded(value: float | None) -> float | None:
    """For the plots' data: as precise as the eye can distinguish."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.{DIGITS}g}")


def date(unix_ns: int) -> str:
    return f"{datetime.fromtimestamp(unix_ns / 1e9, UTC):%Y-%m-%d %H:%M} UTC"


def count(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}".replace(",", "\u202f")


def percent(share: float) -> str:
    return f"{100 * share:.3g}\u00a0%"
