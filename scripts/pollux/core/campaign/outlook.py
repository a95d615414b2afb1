# SPDX-License-Identifier: BSD-3-Clause
"""How long a campaign that runs until it is decided will go on, and how certain that is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pollux.core.spans import in_words

SHARE = 0.8  # of forecasts that are right, at least
FACTOR = 2.0  # either way of a number that is told alone
# Quantiles of draws that stand for the ends and the middle. Draws do not know how little the noise
# so far may say of the noise to come, so that the ends hold more of them than SHARE; these are from
# docs/evaluation/forecasts.py.
LOW, MIDDLE, HIGH = 0.05, 0.4, 0.9


@dataclass(frozen=True)
class Outlook:
    """Seconds: the middle of what is likely, and its ends."""

    low: float
    middle: float
    high: float

    @property
    def is_certain(self) -> bool:
        """Whether a number may stand for it: the range is within a factor of two of a number."""
        return self.high <= FACTOR**2 * self.low

    def words(self) -> str:
        """About so long, or a range; rounded up to a second, since less says more than is known."""
        low, middle, high = (in_words(max(1.0, s)) for s in (self.low, self.middle, self.high))
        return f"about {middle}" if self.is_certain or low == high else f"{low} to {high}"


def outlook_of(seconds: NDArray[np.float64]) -> Outlook:
    """That of equally likely numbers."""
    return Outlook(*(float(q) for q in np.quantile(seconds, [LOW, MIDDLE, HIGH])))
