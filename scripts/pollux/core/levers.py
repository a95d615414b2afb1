# SPDX-License-Identifier: BSD-3-Clause
"""The levers by name, and how their values are written.

A setting is a dictionary from levers to values, both texts in the one form that this module gives
them: records, messages and comparisons use no other.
"""

import re
from collections.abc import Callable, Mapping

from pollux.core.shares import shown

Setting = Mapping[str, str]

# Of all drivers in the kernel (admin-guide/pm/cpufreq.rst) and of intel_pstate and amd-pstate.
GOVERNORS = ("conservative", "ondemand", "performance", "powersave", "schedutil", "userspace")
PREFERENCES = ("default", "performance", "balance_performance", "balance_power", "power")
PREFERENCE_MAX = 255
LATENCY_MAX = 2**31 - 1  # µs; the kernel's type
KHZ_MAX = 100_000_000
HARDWARE = "hardware"  # the limit that the processor itself has
ALL, NONE = "all", "none"  # idle states
ON, OFF = "on", "off"
UNITS = {"GHz": 1e6, "MHz": 1e3, "kHz": 1.0}
STATE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+ -]{0,15}")  # the kernel's names have at most 16


def turbo(value: object) -> str:
    words = {True: ON, False: OFF, "true": ON, "false": OFF, ON: ON, OFF: OFF}
    if not isinstance(value, bool | str) or value not in words:
        raise ValueError(f"{shown(value)} is not a value of turbo; it is on or off")
    return words[value]


def cstates(value: object) -> str:
    if not isinstance(value, str) or not STATE_NAME.fullmatch(value):
        raise ValueError(
            f'{shown(value)} is not a value of cstates; it is "all", "none" or the name of the '
            'deepest state to allow, such as "C1E"'
        )
    return value


def dma_latency(value: object) -> str:
    number = as_number(value)
    if value == OFF:
        return OFF
    if number is None or not 0 <= number <= LATENCY_MAX:
        raise ValueError(
            f"{shown(value)} is not a value of dma_latency; it is a number of microseconds from 0 "
            'up, or "off"'
        )
    return str(number)


def governor(value: object) -> str:
    if value not in GOVERNORS:
        raise ValueError(f"{shown(value)} is not a governor; choose from {', '.join(GOVERNORS)}")
    return str(value)


def epp(value: object) -> str:
    number = as_number(value)
    if number is not None and 0 <= number <= PREFERENCE_MAX:
        return str(number)
    if value not in PREFERENCES:
        raise ValueError(
            f"{shown(value)} is not an energy-performance preference; choose from "
            f"{', '.join(PREFERENCES)}, and numbers from 0 to {PREFERENCE_MAX}"
        )
    return str(value)


def frequency(value: object) -> str:
    if value == HARDWARE:
        return HARDWARE
    text = value if isinstance(value, str) else ""
    number, unit = text[:-3].strip(), text[-3:]
    known = re.fullmatch(r"\d{1,9}(\.\d{1,6})?", number) is not None and unit in UNITS
    khz = round(float(number) * UNITS[unit]) if known else 0
    if not 0 < khz <= KHZ_MAX:
        raise ValueError(
            f'{shown(value)} is not a frequency; it is written "2.4GHz" or "2400MHz", or is '
            f'"{HARDWARE}", the processor\'s own limit'
        )
    return gigahertz(khz)


def gigahertz(khz: int) -> str:
    """The form in which frequencies are written: "2.4GHz"."""
    return f"{khz / 1e6:.6f}".rstrip("0").rstrip(".") + "GHz"


def kilohertz(value: str) -> int | None:
    """A frequency in the form above; None for the processor's own limit."""
    return None if value == HARDWARE else round(float(value.removesuffix("GHz")) * 1e6)


def as_number(value: object) -> int | None:
    """A whole number, or a text of digits as the command line has it."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


PARSERS: dict[str, Callable[[object], str]] = {  # in the order in which levers are shown
    "turbo": turbo,
    "cstates": cstates,
    "dma_latency": dma_latency,
    "governor": governor,
    "epp": epp,
    "frequency_min": frequency,
    "frequency_max": frequency,
}
LEVERS = tuple(PARSERS)


def in_words(setting: Setting) -> str:
    """A setting in a message: "turbo=off cstates=none"."""
    return " ".join(f"{lever}={setting[lever]}" for lever in LEVERS if lever in setting)
