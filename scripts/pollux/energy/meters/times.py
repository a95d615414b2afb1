# SPDX-License-Identifier: BSD-3-Clause
"""Times of samples in nanoseconds since 1970, from numbers or from local dates."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from pollux.energy.meters.description import EPOCH, NUMBERS, Time

Ints = NDArray[np.int64]
LATEST = 4 * 10**18  # ns: the year 2096, and sums of times fit 64 bits
OUTSIDE = "is not between 1970 and 2096"


class BadCellError(ValueError):
    """A cell of a table that is not what its column holds: which row, and why."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row
        self.reason = reason


class Times:
    """Reads times in the order of the file; local ones depend on those before them."""

    def __init__(self, time: Time) -> None:
        self.time = time
        self.zone = time.time_zone()
        self.last: datetime | None = None

    def parse(self, texts: Sequence[str]) -> Ints:
        if self.time.format in NUMBERS:
            return numbers(texts, NUMBERS[self.time.format])
        parse = reader(self.time.format)
        found = np.empty(len(texts), np.int64)
        for row, text in enumerate(texts):
            try:
                found[row] = nanoseconds(self.absolute(parse(text)))
            except ValueError as error:
                raise BadCellError(row, self.reason(text, error)) from error
            except OverflowError as error:  # the year 0 or 10000 in UTC
                raise BadCellError(row, f"{text!r} {OUTSIDE}") from error
        return found

    def reason(self, text: str, error: ValueError) -> str:
        if isinstance(error, LocalTimeError):
            return f"{text!r} {error}"
        wanted = "ISO 8601" if self.time.format == "iso" else self.time.format
        return f"{text!r} is no time in the format {wanted}"

    def absolute(self, found: datetime) -> datetime:
        """The time with its offset from UTC; where clocks went back, the one that is not before."""
        if found.tzinfo is not None:
            return found.astimezone(UTC)
        if self.zone is None:
            raise LocalTimeError("has no offset from UTC: state zone in [time]")
        self.last = localised(found, self.zone, self.last)
        return self.last


class LocalTimeError(ValueError):
    """A local time that no moment, or more than one, has."""


def localised(found: datetime, zone: ZoneInfo, last: datetime | None) -> datetime:
    first, second = (found.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first.astimezone(zone).replace(tzinfo=None) != found:
        raise LocalTimeError(f"does not exist in {zone.key}, where clocks were put forward then")
    if first == second:
        return first
    if last is None:
        raise LocalTimeError(
            f"is twice in {zone.key}, where clocks were put back then: state times with offsets"
        )
    return first if first >= last else second


def reader(pattern: str) -> Callable[[str], datetime]:
    if pattern == "iso":
        return datetime.fromisoformat
    return lambda text: datetime.strptime(text, pattern)


def nanoseconds(time: datetime) -> int:
    ns = (time - EPOCH) // timedelta(microseconds=1) * 1000
    if not 0 <= ns <= LATEST:
        raise LocalTimeError(OUTSIDE)
    return ns


def numbers(texts: Sequence[str], unit: int) -> Ints:
    """Counts since 1970; whole ones exactly, with 64 bits."""
    try:
        whole = np.array(texts, dtype=np.str_).astype(np.int64)
        if (whole < 0).any() or (whole > LATEST // unit).any():
            raise OverflowError
        return whole * unit
    except (ValueError, OverflowError):
        pass
    found = np.empty(len(texts), np.int64)
    for row, text in enumerate(texts):
        found[row] = count(row, text, unit)
    return found


def count(row: int, text: str, unit: int) -> int:
    """One such number, with its decimals."""
    whole, _, decimals = text.partition(".")
    if not whole.isdecimal() or not (decimals or "0").isdecimal() or len(whole) > 20:
        raise BadCellError(row, f"{text!r} is no time: a number of 0 or more is")
    part = int((decimals + "0" * 18)[:18]) * unit // 10**18
    ns = int(whole) * unit + part
    if ns > LATEST:
        raise BadCellError(row, f"{text!r} is later than the year 2096: is the unit right?")
    return ns
