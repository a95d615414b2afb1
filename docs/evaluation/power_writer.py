#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Advances the counters of powercap in a tree at a known power, as hardware does, until killed.

    power_writer.py ROOT [--watts 100] [--step 1] [--range-joules 1100]

A counter shows, at every step (milliseconds), its first energy plus watts times the time since the
start, by CLOCK_REALTIME, and wraps behind its range. The zones start at different places of their
range, so that some wrap in every second. The start is printed when the first values are written.
"""

import argparse
import contextlib
import os
import time
from pathlib import Path

DIGITS = 20  # of a value, with leading zeros: a reader never sees part of a longer one


def first_uj(zone: int, zones: int, range_uj: int) -> int:
    """Where a counter begins: the zones are spread over the range."""
    return range_uj * (zone + 1) // (zones + 1)


def value_uj(first: int, watts: float, seconds: float, range_uj: int) -> int:
    return (first + round(watts * seconds * 1e6)) % (range_uj + 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("root", type=Path)
    parser.add_argument("--watts", type=float, default=100.0)
    parser.add_argument("--step", type=float, default=1.0)
    parser.add_argument("--range-joules", type=float, default=1100.0)
    args = parser.parse_args()
    range_uj = round(args.range_joules * 1e6)
    folders = sorted(args.root.glob("sys/devices/virtual/powercap/**/energy_uj"))
    for path in folders:
        path.with_name("max_energy_range_uj").write_text(f"{range_uj}\n")
    files = [os.open(path, os.O_WRONLY) for path in folders]
    firsts = [first_uj(zone, len(files), range_uj) for zone in range(len(files))]
    with contextlib.suppress(PermissionError):  # other processes must not delay its steps
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    start, is_new = time.time_ns(), True
    while True:
        seconds = 1e-9 * (time.time_ns() - start)
        for file, first in zip(files, firsts, strict=True):
            text = f"{value_uj(first, args.watts, seconds, range_uj):0{DIGITS}}\n"
            os.pwrite(file, text.encode(), 0)
        if is_new:
            print(start, flush=True)
            is_new = False
        step_ns = args.step * 1e6
        time.sleep(1e-9 * (step_ns - (time.time_ns() - start) % step_ns))


if __name__ == "__main__":
    main()
