# SPDX-License-Identifier: BSD-3-Clause
"""Which variants are compared with each other, and which of them is the reference.

Records of single runs do not name their algorithm: the benchmark's name implies it.
"""

from collections.abc import Iterable

from pollux.core.campaign.lines import Configuration

DEFAULT = "depend"  # of benchmarks that do not say


def algorithm_of(configuration: Configuration) -> str:
    """What is factored: variants of one algorithm are compared, lu-cw's with those of lu."""
    return configuration.algorithm or configuration.benchmark.removesuffix("-cw")


def input_of(configuration: Configuration) -> str:
    """The kind of matrix that is factored; rates of different kinds are not averaged."""
    without_pivoting = (configuration.digest_group or "").endswith("-nopiv")
    return "dominant" if without_pivoting or configuration.variant == "nopiv" else "usual"


def default_variant(configurations: Iterable[Configuration]) -> str | None:
    """The default variant of the benchmarks named after their algorithm, if it is among them."""
    named = [c for c in configurations if c.benchmark == algorithm_of(c)]
    wanted = [*(c.default_variant for c in named), DEFAULT]
    known = {c.variant for c in named}
    return next((variant for variant in wanted if variant in known), None)
