#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How exactly meters are joined to runs, and the offsets of their clocks estimated.

Simulates campaigns on a machine of known power (180 W idle, 300 W while a process prepares and
checks, 340 to 460 W in timed regions of 10 to 25 s), and meters of 1 Hz beside them with noise and
a clock that is 3 s off. Nothing waits: all clocks are simulated.

    docs/evaluation/meters.py [CAMPAIGNS]
"""

import argparse
import sys
from itertools import product

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))

import numpy as np
from pollux.energy.meters.offset import estimate_offset
from pollux.energy.meters.series import Series, of_power, widest_gap
from simulated_meter import Floats, ns, sampled, schedule

CAMPAIGNS = 200
RUNS = 12
NOISES = (0.4, 4.0, 8.0, 10.0)  # W, standard deviation: 0.1, 1, 2 and 2.5 % of the power


def series(times: Floats, watts: Floats, offset: float, *, average: bool, held: bool) -> Series:
    at = np.array([ns(t - offset) for t in times.tolist()])
    joules, power = of_power(watts, at, average=average)
    broken = np.zeros(len(at) - 1, dtype=np.bool_)
    return Series("wall", "simulated", at, joules, power, broken, widest_gap(at, None), held)


def errors(seed: int, noise: float, *, average: bool) -> dict[str, list[float]]:
    """Relative errors of energy, and the error of the offset in seconds."""
    rng = np.random.default_rng(seed)
    done, offset = schedule(rng, RUNS), (3.0, -3.0)[seed % 2]
    times, watts = sampled(done, rng, noise=noise, average=average)
    spans = done.spans("runs")
    found: dict[str, list[float]] = {}
    for name, held in (("inside", True), ("interpolate", False)):
        meter = series(times, watts, offset, average=average, held=held)
        right = meter.moved(offset)
        found[name] = [relative(right, span, done.energy(k)) for k, span in enumerate(spans)]
        if held:
            estimate = estimate_offset(meter, done.spans("processes"), spans, 10)
            moved = meter.moved(estimate.offset)
            found["offset"] = [estimate.offset - offset]
            found["estimated"] = [
                relative(moved, span, done.energy(k)) for k, span in enumerate(spans)
            ]
    return found


def relative(meter: Series, span: tuple[int, int], joules: float) -> float:
    reading = meter.between(*span)
    assert reading.joules is not None, reading.reason
    return reading.joules / joules - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("campaigns", nargs="?", type=int, default=CAMPAIGNS)
    campaigns = parser.parse_args().campaigns
    print(f"{campaigns} campaigns of {RUNS} runs, a meter of 1 Hz; errors: mean, 99 %, largest")
    for average, noise in product((False, True), NOISES):
        gathered: dict[str, list[float]] = {}
        for seed in range(campaigns):
            for name, values in errors(seed, noise, average=average).items():
                gathered.setdefault(name, []).extend(values)
        kind = "mean since the last sample" if average else "power at an instant"
        print(f"{kind}, noise of {noise:g} W")
        for name, values in gathered.items():
            size = np.abs(values)
            unit, scale = ("s", 1) if name == "offset" else ("%", 100)
            figures = (np.mean(values), np.quantile(size, 0.99), size.max())
            print(f"  {name:12}", *(f"{scale * value:7.3f} {unit}" for value in figures))


if __name__ == "__main__":
    main()
