# SPDX-License-Identifier: BSD-3-Clause
"""What would decide the comparisons that a campaign left open, where anything would."""

from collections.abc import Iterator, Sequence

from pollux.core.analysis.fixed_plan import affordable
from pollux.core.analysis.result import Result, Row
from pollux.core.campaign.lines import Stopped

SAME = "the same pollux run"


def further(result: Result) -> Iterator[tuple[int, str]]:
    """Of a campaign that ran until it was decided: how many each way decides, and the way."""
    open_ = [row for row in result.rows if row.comparison.needed or is_untaken(row, result)]
    decide = result.dataset.decide
    wanted = [row for row in open_ if not is_left_out(row, decide)]
    others = [row for row in open_ if is_left_out(row, decide)]
    stopped = result.dataset.stopped
    if wanted and stopped is not Stopped.DECIDED:
        more = way(stopped, wanted)
        if more is not None:
            yield len(wanted), f"{SAME}{more}"
    if others and (more := way(stopped, others)) is not None:
        names = dict.fromkeys((*decide, *(row.configuration.quantity or "" for row in others)))
        yield len(others), f"{SAME} with --decide {','.join(names)}{more.replace(' with', ' and')}"


def is_untaken(row: Row, result: Result) -> bool:
    """Whether the campaign ended before the first process of what is to be compared."""
    is_compared = row.level != result.reference and not row.is_plain
    return is_compared and not row.samples and row.unavailable is None


def is_left_out(row: Row, decide: Sequence[str]) -> bool:
    """Whether the campaign does not go on for it: it is about a quantity not to be decided."""
    return row.configuration.is_term and row.configuration.quantity not in decide


def way(stopped: Stopped | None, rows: Sequence[Row]) -> str | None:
    """The option with which it goes on, empty where it needs none; None: nothing helps."""
    if stopped is Stopped.BUDGET:
        return " with a larger --budget"
    if stopped is not Stopped.COMPLETE:
        return ""
    few = affordable([row.comparison.needed for row in rows if row.comparison.needed])
    return f" with --set processes={max(few)}" if few else None
