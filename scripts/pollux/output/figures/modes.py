# SPDX-License-Identifier: BSD-3-Clause
"""Whether samples fall into several modes, which one median and interval would hide.

A mode is a peak of the samples' density by a Gaussian kernel, on the scale of logarithms, if the
density falls to half of it on both sides. The kernel is three quarters as wide as by the rule of
B. W. Silverman (Density estimation for statistics and data analysis, 1986, equation 3.28), which is
for one mode and smooths two away.
"""

from collections.abc import Sequence

import numpy as np

FEWEST = 12  # samples; from here on, 3 % of skewed sets of one mode at most are taken for two
WIDTH = 0.75 * 1.06  # of the kernel, in standard deviations times n^(-1/5)
LEAST = 0.2  # of the highest peak, that another has to reach
DEPTH = 0.5  # of a peak, by which the density falls on both sides
POINTS = 512


def modes(values: Sequence[float]) -> list[float]:
    """Where the modes are, in the order of size; of too few or equal values there is none."""
    if len(values) < FEWEST or min(values) <= 0:
        return []
    from scipy.signal import find_peaks  # type: ignore[import-untyped]  # slow to load
    from scipy.stats import gaussian_kde  # type: ignore[import-untyped]

    logs = np.log(np.asarray(values))
    spread = float(np.std(logs, ddof=1))
    if spread < 1e-9:  # no more than rounding
        return []
    factor = WIDTH * len(logs) ** -0.2
    margin = 4 * factor * spread
    grid = np.linspace(logs.min() - margin, logs.max() + margin, POINTS)
    density = gaussian_kde(logs, factor)(grid)
    peaks, found = find_peaks(density, height=LEAST * density.max(), prominence=0)
    kept = peaks[found["prominences"] >= DEPTH * density[peaks]]
    return [float(value) for value in np.exp(grid[kept])]
