# SPDX-License-Identifier: BSD-3-Clause
"""Reads the samples of a meter into a series, in its own clock."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.core.validation import printable
from pollux.energy.meters.description import NUMBERS, UNITS, Meter
from pollux.energy.meters.series import Floats, Series, of_counters, of_power, widest_gap
from pollux.energy.meters.table import Part, read_parts
from pollux.energy.meters.times import BadCellError, Ints, Times

COMMAS = str.maketrans(",.", ".,")  # for numbers with decimal commas
SAMPLES_MAX = 100_000_000  # 1.6 GB: ten days at 100 a second


@dataclass
class Gathered:
    """What has been read of a file."""

    times: list[Ints] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)  # a column for each that is added up
    count: int = 0  # samples of the file
    kept: int = 0


def read_series(meter: Meter, window: tuple[int, int] | None = None) -> Series:
    """The series of a meter; of a long file only the samples around the window.

    The window is in ns by the meter's clock. All lines are checked all the same.
    """
    reader, gathered, last = Times(meter.time), Gathered(), None
    for part in read_parts(meter):
        times, values = parse(meter, reader, part)
        check_order(meter, part, times, last)
        last = int(times[-1])
        gathered.count += len(times)
        keep = around(times, window)
        gathered.times.append(times[keep])
        gathered.values.append(values[keep])
        gathered.kept += len(gathered.times[-1])
        if gathered.kept > SAMPLES_MAX:
            raise BadUsageError(f"{meter.path}: more than {SAMPLES_MAX} samples around the runs")
    if gathered.count < 2:
        count = "no sample" if gathered.count == 0 else "one sample"
        raise BadUsageError(f"{meter.path}: {count}; a meter needs two at least")
    return make_series(meter, np.concatenate(gathered.times), np.concatenate(gathered.values))


def parse(meter: Meter, reader: Times, part: Part) -> tuple[Ints, Floats]:
    """The times and values of some rows, in W or J."""
    try:
        times = reader.parse(times_in(meter, part.columns[0]))
        columns = [numbers(texts, meter.decimal) for texts in part.columns[1:]]
    except BadCellError as error:
        line = part.lines[error.row]
        raise BadUsageError(f"{meter.path}:{line}: {printable(error.reason)}") from error
    return times, np.stack(columns, axis=1) * UNITS[meter.value.unit]


def times_in(meter: Meter, texts: Sequence[str]) -> Sequence[str]:
    """The texts of times; of numbers of seconds and the like with a point for decimals."""
    if meter.decimal == "," and meter.time.format in NUMBERS:
        return [text.replace(",", ".") for text in texts]
    return texts


def numbers(texts: Sequence[str], decimal: str) -> Floats:
    """Finite numbers; BadCellError names the first that is none, as is 1.012 beside commas."""
    plain = texts
    if decimal == ",":
        plain = [text.translate(COMMAS) for text in texts]
    try:
        found = np.array(plain, dtype=np.str_).astype(np.float64)
    except ValueError:
        found = np.array([number(text) for text in plain])
    wrong = np.flatnonzero(~np.isfinite(found))
    if len(wrong):
        row = int(wrong[0])
        reason = f"{texts[row]!r} is no power or energy; without this line, a gap would be flagged"
        raise BadCellError(row, reason)
    return found


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def check_order(meter: Meter, part: Part, times: Ints, last: int | None) -> None:
    """Refuse time that goes backwards."""
    before = np.concatenate([[times[0] if last is None else last], times[:-1]])
    wrong = np.flatnonzero(times < before)
    if len(wrong):
        row = int(wrong[0])
        back = (before[row] - times[row]) / 1e9
        raise BadUsageError(
            f"{meter.path}:{part.lines[row]}: time goes back by {back:.9g} s; "
            "samples are in the order of their times"
        )


def around(times: Ints, window: tuple[int, int] | None) -> slice:
    """The samples in the window; as they are in order, these are next to each other."""
    if window is None:
        return slice(None)
    first, last = np.searchsorted(times, window, side="left")
    return slice(int(first), int(last))


def make_series(meter: Meter, times: Ints, values: Floats) -> Series:
    if len(times) < 2:  # none near the runs: they are not covered
        times, values = np.array([0, 1]), np.zeros((2, 1))
    broken = np.zeros(len(times) - 1, dtype=np.bool_)
    power = None
    if meter.value.is_power:
        total = values.sum(axis=1)
        joules, power = of_power(total, times, average=meter.value.power == "average")
    else:
        limit = meter.value.wraps_at
        top = None if limit is None else limit * UNITS[meter.value.unit]
        joules, broken = of_counters(values, top)
    gap = widest_gap(times, meter.max_gap)
    held = meter.value.edges == "inside"
    counts = not meter.value.is_power
    return Series(meter.name, meter.measures, times, joules, power, broken, gap, held, counts)
