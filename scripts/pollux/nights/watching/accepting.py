# SPDX-License-Identifier: BSD-3-Clause
"""Which base lines are moved where to, when a user accepts what nights show."""

from collections.abc import Sequence
from datetime import datetime

from pollux.core.errors import BadUsageError
from pollux.core.text import cut
from pollux.nights.history.base_line import Accepted
from pollux.nights.watching.findings import Finding, Watch
from pollux.nights.watching.judging import State

MOVED = (State.SLOWER, State.FASTER, State.WRONG)


def to_accept(watch: Watch, chosen: Sequence[str], reason: str) -> list[Accepted]:
    """An entry for each of the chosen series that has left its base line."""
    date = datetime.now().astimezone().isoformat(timespec="seconds")
    last = watch.nights[-1].name
    return [
        Accepted(
            series=finding.label,
            first=first_night(watch, finding),
            night=last,
            state=str(finding.state),
            ratio=finding.judgement.ratio,
            date=date,
            reason=reason,
        )
        for finding in selected(watch, chosen)
        if finding.state in MOVED and not finding.is_accepted
    ]


def first_night(watch: Watch, finding: Finding) -> str:
    """The first night of the level of now; of what is wrong, last night."""
    changes, last = finding.judgement.changes, len(watch.nights) - 1
    first = changes[-1] if finding.state is not State.WRONG and changes else last
    return watch.nights[first].name


def selected(watch: Watch, chosen: Sequence[str]) -> list[Finding]:
    """The series whose labels contain one of the texts; all of them where there is none."""
    for text in chosen:
        if not any(text in finding.label for finding in watch.findings):
            known = "; ".join(cut(f.label) for f in watch.findings[:5])
            more = " …" if len(watch.findings) > 5 else ""
            raise BadUsageError(f"--series {cut(text)}: no such series; there are {known}{more}")
    return [f for f in watch.findings if not chosen or any(text in f.label for text in chosen)]
