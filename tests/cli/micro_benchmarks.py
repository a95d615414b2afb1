# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of micro-benchmarks and of nested regions share."""

import json
from decimal import Decimal

import pytest
from executable import RUNTIME, SANITIZED, STAND_INS, Record, run

# Preloaded: a runtime that orders nothing. libgomp begins its tasks in the order of their creation,
# so one of them has to be held back to show it; libomp begins with the last.
DOUBLES = ("holding.so", "forgetful.so") if RUNTIME == "libgomp" else ("forgetful.so",)
DROPS_DEPENDENCES = {
    "LD_PRELOAD": ":".join(str(STAND_INS / "doubles" / name) for name in DOUBLES),
    "POLLUX_DOUBLE_TURN": "any:nothing",
}
preloads = pytest.mark.skipif(
    SANITIZED or RUNTIME not in ("libgomp", "libomp"), reason="a library is preloaded"
)


def available(benchmark: str) -> list[Record]:
    """The variants that can run here, as --list describes them."""
    variants: list[Record] = json.loads(run(benchmark, "--list", "-f", "json").out)["variants"]
    return [v for v in variants if v["available"]]


def is_rounded(cell: str, value: float) -> bool:
    """Whether a cell of a table shows a value, to as many digits as it has."""
    last_digit = 10.0 ** int(Decimal(cell).as_tuple().exponent)
    return abs(float(cell) - value) <= 0.501 * last_digit
