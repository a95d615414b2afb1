# SPDX-License-Identifier: BSD-3-Clause
"""Other processes that use the machine while a campaign runs, as neighbours on a shared one do.

`bursts`: one process computes for 30 % of the time, in bursts. `load 4`: four never rest.
`wandering`: the whole machine is slower by 5 to 40 % for 0.3 to 5 s at a time, as where a host has
other guests; a process on each processor takes that share of every millisecond, with a real-time
priority where the system allows it.
"""

import argparse
import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

BURST = 0.2  # seconds on average, exponentially distributed
BURSTS_SHARE = 0.3  # of one core that the neighbour with bursts uses
SPELL = (0.3, 5.0)  # seconds for which a wandering machine keeps its speed
SLOWED = (0.05, 0.40)  # share of each processor that is taken then: it is slower by 5 to 40 %
UNDISTURBED = 0.4  # of the spells
SLICE = 1e-3  # seconds, of which a neighbour takes its share
CONDITIONS = ("quiet", "bursts", "load 4", "wandering")


def commands(condition: str, seed: int) -> list[Sequence[object]]:
    """The arguments of each neighbour."""
    if condition == "wandering":
        return [("wander", seed, processor) for processor in os.sched_getaffinity(0)]
    shares = {"quiet": [], "bursts": [BURSTS_SHARE], "load 4": [1.0] * 4}[condition]
    return [("burst", seed + i, share) for i, share in enumerate(shares)]


@contextlib.contextmanager
def neighbours(condition: str, seed: int) -> Iterator[None]:
    """Start a condition's neighbours, scheduled apart from this process, and end them again."""
    started = [
        subprocess.Popen([sys.executable, __file__, *map(str, words)], start_new_session=True)
        for words in commands(condition, seed)
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def compute(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def burst(rng: random.Random, share: float) -> None:
    """Compute for a share of the time, in bursts of random length."""
    pause = BURST * (1 - share) / share
    compute(rng.expovariate(1 / BURST))
    if pause:
        time.sleep(rng.expovariate(1 / pause))


def wander(rng: random.Random) -> None:
    """Take a share of this processor for a while, the same as on all others."""
    end = time.monotonic() + rng.uniform(*SPELL)
    share = 0.0 if rng.random() < UNDISTURBED else rng.uniform(*SLOWED)
    while (now := time.monotonic()) < end:
        if share:
            compute(SLICE * share)
        time.sleep(max(0.0, now + SLICE - time.monotonic()) if share else end - now)


def main() -> None:
    """Disturb the machine until the parent ends."""
    parser = argparse.ArgumentParser(description=main.__doc__, allow_abbrev=False)
    parser.add_argument("how", choices=["burst", "wander"])
    parser.add_argument("seed", type=int)
    parser.add_argument("what", type=float, help="share of the time, or processor")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    if args.how == "wander":
        os.sched_setaffinity(0, [int(args.what)])
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    parent = os.getppid()
    while os.getppid() == parent:
        burst(rng, args.what) if args.how == "burst" else wander(rng)


if __name__ == "__main__":
    main()
