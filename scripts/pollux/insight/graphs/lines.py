# SPDX-License-Identifier: BSD-3-Clause
"""Reads lines that each contain an array of integers: [1, 23, -4]."""

import numpy as np
from numpy.typing import NDArray

from pollux.core.compiled import compiled
from pollux.insight.graphs.model import Ints, Rows

# The state of the scan: outside of an array, before a number, after a sign, in or after a number.
OUTSIDE, BEFORE, SIGN, NUMBER, AFTER = range(5)
NEWLINE, SPACE, TAB, RETURN, COMMA, MINUS, OPEN, CLOSE = b"\n \t\r,-[]"
ZERO, NINE = b"09"
DIGITS = 18  # that always fit 64 bits


class BrokenLineError(Exception):
    """A line that is not an array of integers, with the position of the error in the text."""

    def __init__(self, place: int, *, torn: bool) -> None:
        super().__init__(place)
        self.place = place
        self.torn = torn  # the text ends within an array


def read_arrays(text: bytes) -> tuple[Rows, Ints]:
    """One row for each array, and where in the text each begins. Raises BrokenLineError."""
    count = text.count(b"[")
    values = np.empty(count + text.count(b","), dtype=np.int64)
    start = np.zeros(count + 1, dtype=np.int64)
    place = np.empty(count, dtype=np.int64)
    broken = scan(np.frombuffer(text, dtype=np.uint8), values, start, place)
    if broken >= 0:
        raise BrokenLineError(broken, torn=broken == len(text))
    return Rows(start, values[: start[-1]]), place


@compiled
def scan(text: NDArray[np.uint8], values: Ints, start: Ints, place: Ints) -> int:
    """Fill the arrays; the place of the first error, or -1."""
    state, arrays, filled, number, sign, digits = OUTSIDE, 0, 0, 0, 1, 0
    for at in range(len(text)):
        byte = int(text[at])
        if ZERO <= byte <= NINE:
            if state not in (BEFORE, SIGN, NUMBER) or digits == DIGITS:
                return at
            state = NUMBER
            number = number * 10 + (byte - ZERO)
            digits += 1
        elif byte in (SPACE, TAB, RETURN):
            if state == SIGN:
                return at
            if state == NUMBER:
                state = AFTER
        elif byte in (COMMA, CLOSE):
            if state not in (NUMBER, AFTER):
                return at
            values[filled] = sign * number
            filled += 1
            number, sign, digits = 0, 1, 0
            state = BEFORE
            if byte == CLOSE:
                arrays += 1
                start[arrays] = filled
                state = OUTSIDE
        elif byte == MINUS and state == BEFORE:
            state = SIGN
            sign = -1
        elif byte == OPEN and state == OUTSIDE:
            place[arrays] = at
            state = BEFORE
        elif byte != NEWLINE or state != OUTSIDE:
            return at
    return -1 if state == OUTSIDE else len(text)
