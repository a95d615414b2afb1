# SPDX-License-Identifier: BSD-3-Clause
"""What a watch shows, in words: the answer in a line, and what is to be said of each series."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pollux.core.analysis.axes import natural
from pollux.core.text import counted
from pollux.nights.watching.findings import Finding, Watch
from pollux.nights.watching.judging import State

ORDER = (
    State.WRONG,
    State.SLOWER,
    State.NOT_RUN,
    State.TOO_NOISY,
    State.FASTER,
    State.STEADY,
)
NAMED = 3  # series that the answer names


@dataclass(frozen=True)
class Row:
    """A finding in the words of all tables, whoever reads them."""

    finding: Finding
    state: str
    since: str
    ratio: str  # to the base line
    details: list[str]

    @property
    def label(self) -> str:
        return self.finding.label


def percent(ratio: float) -> str:
    share = abs(100 * (ratio - 1))
    return f"{share:.0f} %" if share >= 10 else f"{share:.1f} %"


def row(watch: Watch, finding: Finding) -> Row:
    since = finding.judgement.since
    first = "–" if since is None else night_words(watch, since)
    found = list(details(watch, finding))
    return Row(finding, state_words(finding), first, ratio_words(finding), found)


def rows(watch: Watch) -> list[Row]:
    return [row(watch, finding) for finding in in_order(watch)]


def in_order(watch: Watch) -> list[Finding]:
    """Those first that need attention."""
    return sorted(
        watch.findings, key=lambda f: (not f.is_alarm, ORDER.index(f.state), natural(f.label))
    )


def state_words(finding: Finding) -> str:
    """The state as a reader of a table expects it."""
    if finding.is_energy:
        words = {State.SLOWER: "more energy", State.FASTER: "less energy"}
        return words.get(finding.state, str(finding.state))
    return str(finding.state)


def answer(watch: Watch) -> str:
    """The answer in a line."""
    night, alarms = watch.nights[-1].name, watch.alarms
    nights = counted(len(watch.nights), "night")
    of = f"of {len(watch.findings)} series in {night}, the last of {nights}"
    if not alarms:
        states = Counter(state_words(f) for f in watch.findings)
        return f"Nothing slower or wrong {of}: {listed(states)}."
    states = Counter(state_words(f) for f in alarms)
    shown = "; ".join(
        f"{f.label} {brief(watch, f)}" for f in in_order(watch)[: min(NAMED, len(alarms))]
    )
    more = "; …" if len(alarms) > NAMED else ""
    return f"{listed(states).capitalize()} {of}: {shown}{more}."


def listed(states: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in states.most_common())


def brief(watch: Watch, finding: Finding) -> str:
    judgement = finding.judgement
    since = watch.name(judgement.since)
    when = f" since {since}" if since else ""
    if finding.reason is not None:
        return f"{state_words(finding)}{when} ({finding.reason})"
    found = ratio_of(finding)
    by = f" by {percent(found[0])}" if found is not None else ""
    return f"{state_words(finding)}{by}{when}"


def ratio_of(finding: Finding) -> tuple[float, float, float] | None:
    """The ratio to the base line with its interval: of speeds or, of energy, of joules."""
    judgement = finding.judgement
    if judgement.ratio is None or judgement.low is None or judgement.high is None:
        return None
    if finding.is_energy:
        return 1 / judgement.ratio, 1 / judgement.high, 1 / judgement.low
    return judgement.ratio, judgement.low, judgement.high


def ratio_words(finding: Finding) -> str:
    """The same in words."""
    found = ratio_of(finding)
    return "–" if found is None else "{:.3f} ({:.3f} to {:.3f})".format(*found)


def night_words(watch: Watch, night: int) -> str:
    """A night's file, and the user's note about it."""
    note = watch.note(night)
    return f"{watch.nights[night].name}{f' ({note})' if note else ''}"


def details(watch: Watch, finding: Finding) -> Iterator[str]:
    """What else is to be known of a series."""
    judgement = finding.judgement
    if finding.reason is not None:
        yield finding.reason
    if finding.is_accepted:
        yield "accepted"
    if judgement.earliest != judgement.latest:
        first, last = watch.name(judgement.earliest), watch.name(judgement.latest)
        yield f"the change began between {first} and {last} (95 %)"
    if judgement.since is not None and judgement.since > 0:
        yield from versions(finding, judgement.since)
    yield from judgement.notes
    for entry in finding.accepted:
        yield f"base line from {entry.first}: {entry.reason}"


def versions(finding: Finding, night: int) -> Iterator[str]:
    """What ran in the night of a change, where that is not what ran in the one before."""
    if finding.series is None:
        return
    ran = [v.ran for v in finding.series.values[: night + 1] if v is not None and v.ran]
    now = finding.series.values[night]
    if now is None or now.ran is None or len(ran) < 2:
        return
    before, after = ran[-2], ran[-1]
    if before.version != after.version:
        yield f"{after.runtime} {before.version} became {after.version}"
    elif before.build_id != after.build_id:
        yield f"a new build of {after.runtime}"
    if before.compiler != after.compiler:
        yield f"{before.compiler} became {after.compiler}"
