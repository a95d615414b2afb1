# SPDX-License-Identifier: BSD-3-Clause
"""What last night shows of each series: what is wrong or did not run, else what its level shows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pollux.core.text import counted, some
from pollux.nights.history.base_line import WRONG, Accepted, BaseLine, read_base_line
from pollux.nights.history.files import night_files, note_of
from pollux.nights.history.index import read_nights
from pollux.nights.history.night import Night
from pollux.nights.watching.conformance import Kept, kept_rules
from pollux.nights.watching.judging import RELEVANT, Judgement, State, judge_all
from pollux.nights.watching.series import FORGOTTEN, Series, all_series

ALARMS = (State.SLOWER, State.WRONG)


@dataclass(frozen=True)
class Finding:
    """A series and its state."""

    label: str
    judgement: Judgement
    reason: str | None = None  # of wrong and not-run
    accepted: tuple[Accepted, ...] = ()  # how its base line was moved last
    is_accepted: bool = False  # what is wrong was accepted last night
    series: Series | None = None  # None: of conformance

    @property
    def state(self) -> State:
        return self.judgement.state

    @property
    def is_alarm(self) -> bool:
        return self.state in ALARMS and not self.is_accepted

    @property
    def is_energy(self) -> bool:
        return self.series is not None and self.series.track.is_energy


@dataclass(frozen=True)
class Watch:
    """The whole history and what it shows."""

    folder: Path
    nights: list[Night]
    findings: list[Finding]
    base_line: BaseLine
    relevant: float
    problems: list[str] = field(default_factory=list)  # of files, one sentence each

    @property
    def alarms(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.is_alarm]

    def name(self, night: int | None) -> str | None:
        return None if night is None else self.nights[night].name

    def note(self, night: int) -> str | None:
        return note_of(self.folder / self.nights[night].name)


def watch_folder(folder: Path, relevant: float = RELEVANT) -> Watch:
    """Read a folder of nights and judge all its series."""
    nights = read_nights(folder, night_files(folder))
    base_line = read_base_line(folder)
    series, forgotten = all_series(nights, base_line)
    judged = dict(zip((s.label for s in series), judge_series(series, relevant), strict=True))
    names = [night.name for night in nights]
    found = [finding(s, judged[s.label], nights) for s in series]
    rules = [of_rules(kept, names, base_line) for kept in kept_rules(folder, names)]
    lines = [*problems(nights), *([forgotten_line(forgotten)] if forgotten else [])]
    return Watch(folder, nights, [*found, *rules], base_line, relevant, lines)


def judge_series(series: Sequence[Series], relevant: float) -> Iterator[Judgement]:
    """By its level; series without any value are steady here, and shown as not run."""
    with_values = [s for s in series if len(s.track.nights)]
    judged = dict(
        zip(
            (s.label for s in with_values),
            judge_all([s.track for s in with_values], relevant),
            strict=True,
        )
    )
    nothing = Judgement(State.STEADY)
    return (judged.get(s.label, nothing) for s in series)


def finding(series: Series, judgement: Judgement, nights: Sequence[Night]) -> Finding:
    last, night = len(nights) - 1, nights[-1]
    judgement = replace(judgement, notes=(*judgement.notes, *series.notes))
    base = Finding(series.label, judgement, accepted=tuple(series.accepted), series=series)
    if (wrong := why_wrong(series, last)) is not None:
        since = beginning(lambda at: why_wrong(series, at), last)
        return replace(
            base,
            judgement=instead(judgement, State.WRONG, since),
            reason=wrong,
            is_accepted=any(a.state == WRONG and a.night == night.name for a in series.accepted),
        )
    if (missing := why_missing(series, last, night)) is not None:
        since = beginning(lambda at: why_missing(series, at, nights[at]), last)
        return replace(
            base,
            judgement=instead(judgement, State.NOT_RUN, since),
            reason=missing,
        )
    return base


def instead(judgement: Judgement, state: State, since: int) -> Judgement:
    """The judgement of a level, with a state that is not of it and whose first night is known."""
    return replace(judgement, state=state, since=since, earliest=None, latest=None)


def beginning(reason: Callable[[int], str | None], last: int) -> int:
    """The first of the nights up to the last one that all have a reason."""
    first = last
    while first > 0 and reason(first - 1) is not None:
        first -= 1
    return first


def why_wrong(series: Series, at: int) -> str | None:
    """Why the results of a night are wrong: by themselves, or by the digests of the base line.

    Energy has no results of its own.
    """
    value = series.values[at]
    if value is None or value.wrong is not None:
        return None if value is None else value.wrong
    differing = None if series.track.is_energy else series.results.differing_seed(at)
    if differing is None:
        return None
    return f"digest {value.digests[differing]} of seed {differing} differs from the base line's"


def why_missing(series: Series, at: int, night: Night) -> str | None:
    value = series.values[at]
    if value is not None and value.value is not None:
        if series.track.is_energy and series.results.differing_seed(at) is not None:
            return "its results are wrong"
        if series.reference not in (None, value.reference):
            return f"no round with {series.reference}, to which other nights are compared"
        return None
    if value is not None and value.missing is not None:
        return value.missing
    if not night.values:
        return "the night has no records that can be read"
    return "not among the night's records" + ("" if night.complete else ": it was cut off")


def of_rules(kept: Kept, names: Sequence[str], base_line: BaseLine) -> Finding:
    """Conformance as a series: wrong where a rule is broken that was kept, or accepted as such."""
    accepted = base_line.of_results(kept.label)
    until = "" if accepted is None else accepted.night
    broken = {rule: since for rule, since in kept.broken.items() if names[since] > until}
    if broken:
        judgement = Judgement(State.WRONG, min(broken.values()))
        reason = f"broken rules: {', '.join(sorted(broken))}"
    elif kept.untried:
        judgement = Judgement(State.NOT_RUN, min(kept.untried.values()))
        reason = f"rules not tried: {some(sorted(kept.untried))}"
    else:
        judgement, reason = Judgement(State.STEADY), None
    taken = () if accepted is None else (accepted,)
    return Finding(kept.label, judgement, reason, accepted=taken)


def problems(nights: Sequence[Night]) -> Iterator[str]:
    """What is wrong with files; last night's in full, of others how many."""
    if not nights:
        return
    yield from (f"{nights[-1].name}: {text}" for text in nights[-1].problems)
    if not nights[-1].complete and nights[-1].values:
        yield f"{nights[-1].name}: the campaign did not finish: it was cut off, or is still running"
    damaged = [night.name for night in nights[:-1] if night.problems]
    if damaged:
        shown = ", ".join(damaged[:3]) + (" …" if len(damaged) > 3 else "")
        yield f"{counted(len(damaged), 'earlier night')} could not be read completely: {shown}"


def forgotten_line(count: int) -> str:
    what = f"{count} series that ran in none of the last {FORGOTTEN} nights"
    return f"{what} {'is' if count == 1 else 'are'} no longer watched"
