# SPDX-License-Identifier: BSD-3-Clause
"""How rules are tried."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How the rules are tried."""

    threads: tuple[int, ...] = (1, 2, 4, 8)
    seed: int = 1
    seconds: float = 0.5  # of trials by each program
    limit: float = 8.0  # seconds after which a program counts as hung, if trials take no longer
    rules: tuple[str, ...] | None = None  # None: all
