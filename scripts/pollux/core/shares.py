# SPDX-License-Identifier: BSD-3-Clause
"""Shares such as "10%", as campaigns and the command line write them."""

import math

from pollux.core.text import cut, one_line


def parse_share(value: object) -> float:
    """A share such as "10%", or 0.1; ValueError says what is wrong with another value."""
    number = value
    if isinstance(value, str) and value.strip().endswith("%"):
        number = percentage(value.strip()[:-1])
    valid = isinstance(number, int | float) and not isinstance(number, bool)
    if not valid or not 0 <= float(number) < math.inf:  # type: ignore[arg-type]
        raise ValueError(f'{shown(value)} is not a share; a share is written "10%" or 0.1')
    return float(number)  # type: ignore[arg-type]


def number_or_text(text: str) -> float | str:
    """A value from the command line, as a file would have it."""
    try:
        return float(text)
    except ValueError:
        return text


def percentage(text: str) -> float | None:
    try:
        return float(text) / 100
    except ValueError:
        return None


def shown(value: object) -> str:
    """A value as a TOML file has it, cut where it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    return cut(f'"{one_line(value)}"' if isinstance(value, str) else one_line(str(value)))
