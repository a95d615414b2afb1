# SPDX-License-Identifier: BSD-3-Clause
"""The argument list of an executable."""

from pathlib import Path

from pollux.core.executables.arguments import arguments
from pollux.core.tiles import Tile


def test_options_come_in_one_order_whatever_the_order_of_the_call() -> None:
    assert arguments(format="json", tile=Tile(512, 128), size=64, variant="late") == [
        *("--variant", "late"),
        *("--size", "64"),
        *("--tile", "512x128"),
        *("--format", "json"),
    ]


def test_none_leaves_an_option_out_and_zero_does_not() -> None:
    assert arguments(rows=None, threads=None, warmup=0, seed=0) == ["--seed", "0", "--warmup", "0"]


def test_an_option_without_a_value_is_there_or_not() -> None:
    trace = Path("a trace")
    assert arguments(trace=trace, ompt=True) == ["--trace", "a trace", "--ompt"]
    assert arguments(trace=trace, ompt=False) == ["--trace", "a trace"]
