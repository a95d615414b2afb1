# SPDX-License-Identifier: BSD-3-Clause
"""Which variants stand side by side, and with which of them the others are compared.

Configurations of older records do not name their algorithm: it is told from the benchmark's name.
"""

from collections.abc import Iterable

from pollux.campaign.lines import Configuration

DEFAULT = "depend"  # of the benchmarks that older records hold


def algorithm_of(configuration: Configuration) -> str:
    """What is factored: variants of one algorithm are compared, lu-cw's with those of lu."""
    return configuration.algorithm or configuration.benchmark.removesuffix("-cw")


def input_of(configuration: Configuration) -> str:
    """The kind of matrix that is factored; rates of different kinds are not averaged."""
    without_pivoting = (configuration.digest_group or "").endswith("-nopiv")
    return "dominant" if without_pivoting or configuration.variant == "nopiv" else "usual"


def default_variant(configurations: Iterable[Configuration]) -> str | None:
    """The default variant of the benchmarks that are named after their algorithm, if it is here."""
    named = [c for c in configurations if c.benchmark == algorithm_of(c)]
    wanted = [*(c.default_variant for c in named), DEFAULT]
    known = {c.variant for c in named}
    return next((variant for variant in wanted if variant in known), None)
