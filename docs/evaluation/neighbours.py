# SPDX-License-Identifier: BSD-3-Clause
"""Other processes that use the machine while a campaign runs, as neighbours on a shared one do."""

import argparse
import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator

BURST = 0.2  # seconds on average, exponentially distributed
BURSTS_SHARE = 0.3  # of one core that the neighbour with bursts uses
# The shares of a core that each neighbour uses.
CONDITIONS = {"quiet": [], "bursts": [BURSTS_SHARE], "load 4": [1.0] * 4}


@contextlib.contextmanager
def neighbours(condition: str, seed: int) -> Iterator[None]:
    """Start a condition's neighbours, scheduled apart from this process, and end them again."""
    started = [
        subprocess.Popen(
            [sys.executable, __file__, str(share), str(seed + i)], start_new_session=True
        )
        for i, share in enumerate(CONDITIONS[condition])
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


def main() -> None:
    """Compute for a share of the time, in bursts of random length, until the parent ends."""
    parser = argparse.ArgumentParser(description=main.__doc__, allow_abbrev=False)
    parser.add_argument("share", type=float)
    parser.add_argument("seed", type=int)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    pause = BURST * (1 - args.share) / args.share
    parent = os.getppid()
    while os.getppid() == parent:
        compute(rng.expovariate(1 / BURST))
        if pause:
            time.sleep(rng.expovariate(1 / pause))


if __name__ == "__main__":
    main()
