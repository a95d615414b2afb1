# SPDX-License-Identifier: BSD-3-Clause
"""Spans of time: "10ms", as campaigns and the command line write them, and "2 min" in messages."""

import re

from pollux.core.shares import shown

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?(?:e\d{1,2})?) ?(us|ms|s|min|m|h)")


def parse_span(value: object) -> float:
    """A span in seconds; ValueError says what is wrong with another value."""
    found = SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f'{shown(value)} is not a span of time; write "10ms", "2min" or "1h"')
    return float(found[1]) * UNITS[found[2]]


def in_words(seconds: float) -> str:
    """A time in a suitable unit, such as "5 s", "12 min" or "2.5 h"."""
    seconds = max(0.0, seconds)
    if seconds < 120:
        return f"{figure(seconds) if seconds < 1 else round(seconds)} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{figure(seconds / 3600)} h" if seconds < 172800 else f"{figure(seconds / 86400)} days"


def figure(value: float) -> str:
    """Three significant digits, and all digits before the decimal point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
