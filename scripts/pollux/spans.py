# SPDX-License-Identifier: BSD-3-Clause
"""Spans of time such as "10ms", as campaigns and the command line write them."""

import re

from pollux.shares import shown

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?(?:e\d{1,2})?) ?(us|ms|s|min|m|h)")


def parse_span(value: object) -> float:
    """A span in seconds; ValueError says what is wrong with another value."""
    found = SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f'{shown(value)} is not a span of time; one is written "10ms" or "2min"')
    return float(found[1]) * UNITS[found[2]]
