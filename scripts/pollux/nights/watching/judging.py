# SPDX-License-Identifier: BSD-3-Clause
"""Judges each series: how its level now differs from the base line, and since which night."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, expm1, hypot, isnan, log

import numpy as np

from pollux.core.text import counted, in_percent
from pollux.nights.watching.changes import (
    Change,
    Difference,
    Floats,
    Ints,
    Noise,
    Search,
    changes,
    difference,
    noise_of,
)
from pollux.nights.watching.tracks import Track, in_common, usual_noise

RELEVANT = 0.01  # changes of less are not reported
PAIRED = Search(shortest=2, at_once=True)
ALONE = Search(shortest=3)  # since the machine changes these speeds too
FEW_ALONE = Search(shortest=3, threshold=6.5)  # nothing tells what is the machine's
TOGETHER = Search(shortest=7, threshold=8.0, far=8.0)  # of all series alike: mostly the machine
AT_ONCE = 8.0  # deviations by which one night alone shows a change, of paired values
AT_ONCE_SHARE = 0.08  # and by at least this share
TWO_SIDED = 1.96  # deviations, of 95 %
ALIKE = "all series without a reference changed alike: it is the machine, or all of them"
RECENT = 7  # nights that are compared with those before, where nothing changed


class State(StrEnum):
    """What last night shows of a series."""

    STEADY = "steady"
    SLOWER = "slower"
    FASTER = "faster"
    TOO_NOISY = "too-noisy"
    NOT_RUN = "not-run"
    WRONG = "wrong"


CHANGED = (State.SLOWER, State.FASTER)


@dataclass(frozen=True)
class Judgement:
    """A series' level now beside its base line; nights are places in the history."""

    state: State
    since: int | None = None  # first night of the change
    earliest: int | None = None  # interval of 95 % of that night
    latest: int | None = None
    ratio: float | None = None  # speed now over that of the base line
    low: float | None = None
    high: float | None = None
    changes: tuple[int, ...] = ()  # first nights of all levels but the first
    spans: tuple[tuple[int, int], ...] = ()  # intervals of 95 % of these nights
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Levels:
    """A track as levels: the places of its nights, and the changes among them."""

    nights: Ints
    values: Floats
    machines: Ints
    noise: Noise
    found: list[Change]
    is_energy: bool = False

    def level(self, number: int) -> Ints:
        """The places, among the nights with a value, of a level."""
        edges = [0, *(change.first for change in self.found), len(self.nights)]
        return np.arange(edges[number], edges[number + 1])

    def beside(self, before: Ints, after: Ints) -> Difference:
        return difference(self.values, self.machines, before, after, self.noise)

    def from_base(self, number: int) -> Difference:
        """How far a level is from the base line.

        Where they have no machine in common, as after a machine was replaced, by way of the levels
        between them.
        """
        direct = self.beside(self.level(0), self.level(number))
        if number < 2 or not isnan(direct.estimate):
            return direct
        step = self.beside(self.level(number - 1), self.level(number))
        return added(self.from_base(number - 1), step)

    def on_same_machines(self, before: Ints, after: Ints) -> tuple[int, int]:
        """How many nights of each of two levels are on machines that the other one has too."""
        left, right = self.machines[before], self.machines[after]
        return int(np.isin(left, right).sum()), int(np.isin(right, left).sum())

    def jump(self) -> Difference | None:
        """How far the last night is from the others of its level, if that is far."""
        own = self.level(len(self.found))
        last = self.beside(own[:-1], own[-1:])
        is_far = abs(last.estimate) > max(AT_ONCE * self.noise.deviation, AT_ONCE_SHARE)
        return last if is_far else None

    def share(self, step: Difference) -> float:
        """By which share the speed changed or, of energy, the joules did."""
        return expm1(-step.estimate if self.is_energy else step.estimate)


def judge_all(tracks: Sequence[Track], relevant: float = RELEVANT) -> list[Judgement]:
    """A judgement of each series that has a value."""
    common = {
        is_energy: shared_by([t for t in tracks if not t.paired and t.is_energy is is_energy])
        for is_energy in (False, True)
    }
    shared = [None if track.paired else common[track.is_energy] for track in tracks]
    own = [without(track, others) for track, others in zip(tracks, shared, strict=True)]
    usual = {
        paired: usual_noise([t for t in own if t.paired is paired], doubt)
        for paired, doubt in ((True, 2), (False, 1))
    }
    return [
        judge_one(track, others, usual[track.paired], relevant)
        for track, others in zip(tracks, shared, strict=True)
    ]


def judge_one(track: Track, shared: Track | None, usual: Noise, relevant: float) -> Judgement:
    """A series, given what it shares with others."""
    if shared is None:
        return judge(levels_of(track, usual, PAIRED if track.paired else FEW_ALONE), relevant)
    since = replace(shared, base=int(track.nights[0]))
    part = levels_of(since, usual_noise([shared], doubt=0), TOGETHER)
    own = judge(levels_of(without(track, shared), usual, ALONE), relevant)
    of_all = judge(part, relevant)
    if of_all.state in CHANGED and own.state in CHANGED:
        whole = judge(levels_of(track, usual, FEW_ALONE), relevant)
        return sum_of(own, of_all, whole, relevant)
    if of_all.state in CHANGED:
        return replace(of_all, notes=once(ALIKE, *of_all.notes, *own.notes))
    if own.state in CHANGED:
        return parting(own, part) or own
    return replace(own, notes=once(*own.notes, *of_all.notes))


def once(*notes: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notes))


def parting(own: Judgement, levels: Levels) -> Judgement | None:
    """That of a series whose change is as well one of the others, where too few nights tell which.

    What they share, of which these are the levels, has moved the other way then, by half of the
    change or more.
    """
    assert own.since is not None
    places = np.arange(len(levels.nights))
    before, after = places[levels.nights < own.changes[0]], places[levels.nights >= own.since]
    fewest, left = (TOGETHER.shortest - n for n in levels.on_same_machines(before, after))
    others, step = levels.beside(before, after), step_of(own)
    is_against = others.estimate * step.estimate < 0 and abs(others.estimate) > max(
        abs(step.estimate) / 2, TWO_SIDED * others.error
    )
    if max(fewest, left) <= 0 or not is_against:
        return None
    may_grow = fewest <= 0 and levels.machines[-1] in levels.machines[before]
    shows = f"{counted(left, 'more night')} will" if may_grow else "too few nights on one machine"
    note = (
        f"it and other series without a reference moved apart {counted(len(after), 'night')} ago: "
        f"{shows} show which of them changed"
    )
    found = interval(added(step, others))
    return Judgement(State.TOO_NOISY, None, None, None, *found, own.changes, own.spans, (note,))


def shared_by(tracks: Sequence[Track]) -> Track | None:
    """What series of one kind measured alone have in common, as a track."""
    common = in_common(tracks)
    if common is None:
        return None
    return replace(tracks[0], values=common, machines=machines_of(tracks), base=0)


def machines_of(tracks: Sequence[Track]) -> Ints:
    """The machine of each night, by a track that has a value then."""
    found = tracks[0].machines.copy()
    for track in tracks:
        found[track.known] = track.machines[track.known]
    return found


def without(track: Track, shared: Track | None) -> Track:
    """A series without what it has in common with others."""
    if shared is None:
        return track
    return replace(track, values=track.values - np.nan_to_num(shared.values))


def sum_of(own: Judgement, of_all: Judgement, whole: Judgement, relevant: float) -> Judgement:
    """The judgement of a series whose own part and what all of its kind share have both changed.

    Its `whole` track, which is noisier, shows in which nights it did: the parts may cancel there,
    as where most of the others, but not this one, have changed.
    """
    steps = [step_of(own), step_of(of_all)]
    now = added(*steps)
    state = state_of(now, -log(1 - relevant))
    shown = whole
    if state in CHANGED and whole.state is not state:
        larger = own if abs(steps[0].estimate) > abs(steps[1].estimate) else of_all
        spans = dict(zip(of_all.changes + own.changes, of_all.spans + own.spans, strict=True))
        changes, of_changes = zip(*sorted(spans.items()), strict=True)
        shown = replace(larger, changes=changes, spans=of_changes)
    assert of_all.earliest is not None and of_all.latest is not None
    is_alike = any(a <= of_all.latest and of_all.earliest <= b for a, b in shown.spans)
    notes = (ALIKE, *shown.notes) if is_alike else shown.notes
    since = (shown.since, shown.earliest, shown.latest) if state in CHANGED else (None, None, None)
    return Judgement(state, *since, *interval(now), shown.changes, shown.spans, notes)


def added(one: Difference, other: Difference) -> Difference:
    return Difference(one.estimate + other.estimate, hypot(one.error, other.error))


def step_of(judgement: Judgement) -> Difference:
    """The difference that a change of level was found to be."""
    assert judgement.ratio is not None and judgement.high is not None
    estimate = log(judgement.ratio)
    return Difference(estimate, (log(judgement.high) - estimate) / TWO_SIDED)


def levels_of(track: Track, usual: Noise, search: Search) -> Levels:
    nights = track.nights
    values, machines = track.values[nights], track.machines[nights]
    noise = noise_of(values, machines, usual)
    found = changes(values, machines, noise, search)
    levels = Levels(nights, values, machines, noise, found, track.is_energy)
    last = len(nights) - 1
    if search.at_once and levels.jump() is not None and last > (found[-1].first if found else 0):
        return replace(levels, found=[*found, Change(last, last, last, is_large=True)])
    return levels


def judge(levels: Levels, relevant: float) -> Judgement:
    """A series by itself."""
    nights = levels.nights
    if len(nights) < 2:
        return Judgement(State.STEADY, notes=("the first night: nothing to compare it with",))
    if not levels.found:
        return unchanged(levels, relevant)
    margin = -log(1 - relevant)
    last = len(levels.found)
    now = levels.from_base(last)
    firsts = tuple(int(nights[change.first]) for change in levels.found)
    spans = tuple((int(nights[change.low]), int(nights[change.high])) for change in levels.found)
    if isnan(now.estimate):
        note = "no night of the base line is from the machine of the last ones"
        known = (note, *trend(levels, margin))
        return Judgement(State.TOO_NOISY, changes=firsts, spans=spans, notes=known)
    notes = [*trend(levels, margin)]
    if levels.found[-1].is_large:  # beyond anything that wandering explains
        now = replace(now, error=now.error / levels.noise.growth)
    found, state = interval(now), state_of(now, margin)
    if state not in CHANGED:
        share = 100 * abs(levels.share(now))
        small = f"its level changed by {share:.1f} %: too small or too uncertain to report"
        ended = small if last == 1 else f"{last} changes of its level that ended"
        return Judgement(state, None, None, None, *found, firsts, spans, (ended, *notes))
    start = last  # the level with which it left the base line to this side
    while start > 1:
        earlier = levels.from_base(start - 1)
        if not is_beyond(earlier, now, margin):
            break
        start -= 1
    change = levels.found[start - 1]
    since, earliest, latest = (int(nights[at]) for at in (change.first, change.low, change.high))
    if len(levels.level(last)) == 1:
        notes.append("one night so far")
    return Judgement(state, since, earliest, latest, *found, firsts, spans, tuple(notes))


def trend(levels: Levels, margin: float) -> Iterator[str]:
    """Whether the last change was to the slow side, from a level that was no base line."""
    last = len(levels.found)
    if last < 2:
        return
    step = levels.beside(levels.level(last - 1), levels.level(last))
    if step.estimate < -margin:
        what = "to more energy" if levels.is_energy else "a slowdown"
        share = abs(levels.share(step))
        yield f"the last change was {what}, by {in_percent(share, 1)}"


def is_beyond(earlier: Difference, now: Difference, margin: float) -> bool:
    """Whether an earlier level had left the base line already, to the same side."""
    return earlier.estimate * now.estimate > 0 and abs(earlier.estimate) >= max(
        margin, TWO_SIDED * earlier.error
    )


def state_of(now: Difference, margin: float) -> State:
    """What a difference from the base line is, where levels have changed."""
    if abs(now.estimate) < max(margin, TWO_SIDED * now.error):
        return State.TOO_NOISY if is_wide(now, margin) else State.STEADY
    return State.FASTER if now.estimate > 0 else State.SLOWER


def interval(now: Difference) -> tuple[float, float, float]:
    half = TWO_SIDED * now.error
    return exp(now.estimate), exp(now.estimate - half), exp(now.estimate + half)


def is_wide(now: Difference, margin: float) -> bool:
    """Whether a slowdown of three times the margin is not excluded, or would not be shown."""
    half = TWO_SIDED * now.error
    return half > 3 * margin or now.estimate - half < -3 * margin


def unchanged(levels: Levels, relevant: float) -> Judgement:
    """A series without a change of level: the last nights beside those before."""
    count, margin = len(levels.nights), -log(1 - relevant)
    places = np.arange(count)
    last = levels.beside(places[:-1], places[-1:])
    if isnan(last.estimate):
        note = "the first night on this machine: nothing to compare it with"
        return Judgement(State.TOO_NOISY, notes=(note,))
    recent = min(RECENT, count // 2)
    now = levels.beside(places[:-recent], places[-recent:])
    if isnan(now.estimate):
        now = last
    if levels.jump() is not None:
        share = levels.share(last)
        what = "last night's energy" if levels.is_energy else "last night"
        note = (
            f"{what} alone is {'above' if share > 0 else 'below'} the others by "
            f"{in_percent(abs(share))}: the next night will show whether it stays"
        )
        return Judgement(State.TOO_NOISY, None, None, None, *interval(last), notes=(note,))
    state = State.TOO_NOISY if is_wide(now, margin) else State.STEADY
    return Judgement(state, None, None, None, *interval(now))
