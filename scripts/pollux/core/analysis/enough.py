# SPDX-License-Identifier: BSD-3-Clause
"""Whether a planned number of processes can give a verdict at all, which is known before any runs.

However clear the samples are, so many pairs of them have a smallest p; corrected for the number of
comparisons, it may be above the level of all verdicts.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from pollux.core.analysis import stopping
from pollux.core.analysis.statistics import LEVEL, fewest_pairs
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.plan import Plan


def too_few(plan: Plan, quantities: Callable[[str], int], parts: int = 1) -> Iterator[str]:
    """A line where no verdict can come of the processes planned, with the number that would do.

    `quantities` is the number of them that a benchmark lists; some may turn out to be unknown.
    The plan is one of so many `parts` of a campaign, which share the chance of a false verdict.
    """
    compared = list(comparisons(plan))
    if not compared:
        return
    campaign = plan.campaign
    if campaign.until_decided is not None:
        number = sum(1 + len(plan.terms.get(c.benchmark, [])) for c in compared)
        planned, least = campaign.most_rounds, stopping.fewest(number, stopping.ROWS / parts)
        most = least
        remedy = "and without that key as many are taken as decide"
    else:
        means = sum(cells > 1 for cells in Counter(map(plan.level, compared)).values())
        number = sum(quantities(c.benchmark) for c in compared)
        planned = campaign.processes
        least, most = (fewest_pairs(LEVEL / (n + means)) for n in (len(compared), number))
        remedy = "and --until-decided 3% takes as many as decide"
    if planned is None or planned >= most:
        return
    may = "cannot" if planned < least else "may not"
    of_what = "the comparison" if number == 1 else f"any of {number} comparisons"
    yield (
        f"warning: {planned} process{'' if planned == 1 else 'es'} of each configuration {may} "
        f"give a verdict on {of_what}; --set processes={most} can, {remedy}"
    )


def comparisons(plan: Plan) -> Iterator[Configuration]:
    """What is compared with the reference of its cell."""
    for cell in plan.cells():
        if any(map(plan.is_reference, cell)):
            yield from (c for c in cell if not plan.is_reference(c))
