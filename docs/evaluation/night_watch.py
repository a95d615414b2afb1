#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulate histories of nights whose truth is known: how often `pollux watch` is wrong.

A history has 60 nights and 20 series, each night a number of rounds. Rounds have heavy tails
(Student's t with 3 degrees of freedom), as wide as pairs of processes were on virtual machines
with busy hosts, in turns and apart; a night adds what its processes have in common. Series measured
alone have the machine's speed too: it wanders (each night depends on the one before), and in one
night of 14 it is lower by 12 % on average. With --machines, nights are spread over several
machines at random. Counted are, on quiet histories, nights that raise an alarm, looking each night
again; and, with one change of 2, 3 or 5 % in one of the series, how often it is reported as slower
since a night within two of the true one, and how often the interval of that night is right.

With --folder it writes one such history as files of records there, to try commands with.

Exit status: 0 all bounds are kept, 1 one is missed.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
from pollux.core.paths import ROOT
from pollux.nights.history.night import centre
from pollux.nights.watching.changes import Floats, Ints
from pollux.nights.watching.judging import State, judge_all
from pollux.nights.watching.tracks import Track

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))

NIGHTS, SERIES, ROUNDS = 60, 20, 12
OF_NIGHT = 0.005  # deviation of what the processes of a night have in common
WANDER, MEMORY = 0.02, 0.8  # of the machine: deviation, correlation of successive nights
BAD, BY = 1 / 14, 0.12  # share of nights with a slow machine, mean of how slow
MACHINE = 0.2  # deviation between machines
MOST_ALARMS = 1.0  # nights of 60
LEAST = {0.05: 0.90, 0.03: 0.70}  # found within two nights
SHARES = (0.02, 0.03, 0.05)


@dataclass(frozen=True)
class Condition:
    """How nights are measured; `round_` is the scale of a round's t distribution."""

    name: str
    paired: bool
    round_: float


CONDITIONS = (
    Condition("beside a reference, in turns", True, 0.015),
    Condition("beside a reference, apart", True, 0.035),
    Condition("alone, in turns or long", False, 0.015),
    Condition("alone, apart", False, 0.035),
)


def values(condition: Condition, rng: np.random.Generator, machines: Ints) -> Floats:
    """The values of all series by night, without a change."""
    found = np.empty((SERIES, NIGHTS))
    for series in range(SERIES):
        rounds = condition.round_ * rng.standard_t(3, (NIGHTS, ROUNDS))
        own = np.array([centre(list(night)) for night in rounds])
        found[series] = own + rng.normal(0, OF_NIGHT, NIGHTS)
        levels = rng.normal(0, MACHINE / (4 if condition.paired else 1), machines.max() + 1)
        found[series] += levels[machines]
    return found if condition.paired else found + machine(rng)


def machine(rng: np.random.Generator) -> Floats:
    """What the machine adds to all series measured alone."""
    steps = rng.normal(0, WANDER * np.sqrt(1 - MEMORY**2), NIGHTS)
    wander = np.empty(NIGHTS)
    level = rng.normal(0, WANDER)
    for night, step in enumerate(steps):
        level = MEMORY * level + step
        wander[night] = level
    bad = (rng.random(NIGHTS) < BAD) * rng.exponential(BY, NIGHTS)
    found: Floats = wander - bad
    return found


def tracks(found: Floats, machines: Ints, condition: Condition, nights: int) -> list[Track]:
    return [Track(own[:nights], machines[:nights], condition.paired) for own in found]


def alarms(found: Floats, machines: Ints, condition: Condition) -> int:
    """Nights of a quiet history on which some series was slower or faster."""
    wrong = (State.SLOWER, State.FASTER)
    return sum(
        any(own.state in wrong for own in judge_all(tracks(found, machines, condition, nights)))
        for nights in range(1, NIGHTS + 1)
    )


@dataclass
class Hits:
    """What became of planted changes."""

    slower: int = 0
    near: int = 0  # within two nights
    covered: int = 0  # the interval has the true night


def plant(
    condition: Condition, share: float, count: int, machines: int, rng: np.random.Generator
) -> Hits:
    """Histories with a change in the first series, in a night from the 8th to the 53rd."""
    hits = Hits()
    for _ in range(count):
        places = rng.integers(0, machines, NIGHTS)
        found, night = values(condition, rng, places), int(rng.integers(8, NIGHTS - 7))
        found[0, night:] += log(1 - share)
        own = judge_all(tracks(found, places, condition, NIGHTS))[0]
        if own.state is State.SLOWER and own.since is not None:
            hits.slower += 1
            hits.near += abs(own.since - night) <= 2
            assert own.earliest is not None and own.latest is not None
            hits.covered += own.earliest <= night <= own.latest
    return hits


def evaluate(condition: Condition, options: argparse.Namespace, rng: np.random.Generator) -> bool:
    """Print the figures of a condition; whether they keep the bounds."""
    count: int = options.histories
    false = sum(
        alarms(values(condition, rng, places), places, condition)
        for places in (rng.integers(0, options.machines, NIGHTS) for _ in range(options.quiet))
    )
    print(f"\n{condition.name}")
    rate = false / options.quiet
    print(f"  nights with a false alarm, of {NIGHTS}: {rate:.2f} ({options.quiet} histories)")
    kept = rate <= MOST_ALARMS
    for share in SHARES:
        hits = plant(condition, share, count, options.machines, rng)
        near = hits.near / count
        right = hits.covered / hits.slower if hits.slower else float("nan")
        print(
            f"  {share:4.0%} slower: found {hits.slower / count:4.0%}, within two nights "
            f"{near:4.0%}, interval right {right:4.0%}",
            flush=True,
        )
        kept = kept and near >= LEAST.get(share, 0)
    return bool(kept)


def write(folder: Path, share: float) -> None:
    """A history as files: libgomp beside libomp, which is slower from the 30th night on."""
    from histories import write_nights

    def speeds(night: int) -> dict[str, float]:
        return {"libgomp": 1.0, "libomp": 1.1 * (1 - share if night >= NIGHTS // 2 else 1)}

    write_nights(folder, NIGHTS, speeds)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=100, help="of each change")
    parser.add_argument("--quiet", type=int, default=30, help="histories without one")
    parser.add_argument("--machines", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="write a history there, and nothing else")
    options = parser.parse_args(arguments)
    if options.folder is not None:
        write(options.folder, 0.05)
        return 0
    rng = np.random.default_rng(options.seed)
    kept = [evaluate(condition, options, rng) for condition in CONDITIONS]
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
