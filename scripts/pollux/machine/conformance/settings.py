# SPDX-License-Identifier: BSD-3-Clause
"""How rules are tried."""

from dataclasses import dataclass

TRIES_AGAIN = 3  # of a rule on the target that others are compared with
SEEDS_APART = 1000  # more than a program's trials, so that none is repeated
SEED_MAX = 10**15 - (TRIES_AGAIN + 1) * SEEDS_APART  # programs take seeds to 10**15 (rule.c)


@dataclass(frozen=True)
class Settings:
    """How the rules are tried."""

    threads: tuple[int, ...] = (1, 2, 4, 8)
    seed: int = 1
    seconds: float = 0.5  # of trials by each program
    limit: float = 8.0  # seconds after which a program counts as hung, if trials take no longer
    rules: tuple[str, ...] | None = None  # None: all
