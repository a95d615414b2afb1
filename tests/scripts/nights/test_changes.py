# SPDX-License-Identifier: BSD-3-Clause
"""Changes of level are found, and nothing else is, in values whose truth is known."""

from math import log

import numpy as np
import pytest
from histories import quiet
from pollux.nights.showing.chart import from_base
from pollux.nights.watching import judging
from pollux.nights.watching.changes import Change, Floats, Noise, Search, changes, noise_of
from pollux.nights.watching.judging import Judgement, State, judge_all
from pollux.nights.watching.tracks import Track

ALARMS = (State.SLOWER, State.FASTER)
SERIES = 20


def judge(
    values: Floats, *, paired: bool = True, machines: Floats | None = None
) -> list[Judgement]:
    numbers = np.zeros(values.shape[1]) if machines is None else machines
    return judge_all([Track(own, numbers.astype(np.int64), paired) for own in values])


def alarmed(found: list[Judgement]) -> list[int]:
    return [at for at, own in enumerate(found) if own.state in ALARMS]


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("share", "state"), [(0.05, State.SLOWER), (-0.05, State.FASTER)])
def test_a_change_is_found_in_its_series_and_its_night(
    paired: bool, share: float, state: State
) -> None:
    values = quiet(60, SERIES, seed=1)
    values[3, 25:] += log(1 - share)
    found = judge(values, paired=paired)
    assert alarmed(found) == [3]
    assert found[3].state is state
    assert found[3].since is not None and abs(found[3].since - 25) <= 1
    assert found[3].earliest is not None and found[3].latest is not None
    assert found[3].earliest <= 25 <= found[3].latest
    assert found[3].low is not None and found[3].high is not None
    assert found[3].low < 1 - share < found[3].high


@pytest.mark.parametrize(
    ("is_energy", "trend", "alone"),
    [
        (False, "the last change was a slowdown, by 23.1 %", "last night alone is below"),
        (
            True,
            "the last change was to more energy, by 30.0 %",
            "last night's energy alone is above",
        ),
    ],
)
def test_notes_on_energy_speak_of_joules(is_energy: bool, trend: str, alone: str) -> None:
    quiet_nights = np.tile([0.0, 1e-4], 20)
    halved = np.where(np.arange(40) < 15, 0.0, log(2)) + quiet_nights
    last_changed = halved - np.where(np.arange(40) < 28, 0.0, log(1.3))
    last_alone = quiet_nights - np.where(np.arange(40) < 39, 0.0, log(1.3))
    for values, words in ((last_changed, trend), (last_alone, alone)):
        track = Track(values, np.zeros(40, dtype=np.int64), paired=False, is_energy=is_energy)
        assert any(note.startswith(words) for note in judge_all([track])[0].notes)


@pytest.mark.slow
def test_quiet_nights_never_raise_an_alarm() -> None:
    values = quiet(60, SERIES, seed=2)
    alarms = [night for night in range(1, 61) if alarmed(judge(values[:, :night]))]
    assert alarms == []


def test_one_bad_night_is_no_change() -> None:
    values = quiet(60, SERIES, seed=3)
    values[:, 20] -= 0.4
    values[5, 40] -= 0.8
    assert alarmed(judge(values)) == []
    assert alarmed(judge(values, paired=False)) == []


def test_last_night_alone_shows_a_change_of_ratios_but_none_of_speeds() -> None:
    values = quiet(20, SERIES, seed=4)
    values[5, -1] += log(0.8)
    (at,) = alarmed(judge(values))
    assert at == 5 and judge(values)[5].since == 19
    found = judge(values, paired=False)
    assert alarmed(found) == [] and found[5].state is State.TOO_NOISY
    assert "the next night will show" in found[5].notes[0]


def test_a_large_change_is_found_within_three_nights_of_few() -> None:
    values = quiet(13, 1, seed=5)
    values[0, 10:] += log(0.85)
    (found,) = judge(values, paired=False)
    assert found.state is State.SLOWER and found.since == 10


def test_other_machines_have_levels_of_their_own() -> None:
    values = quiet(60, 2, seed=6)
    machines = np.array([0, 0, 1] * 20)
    values[:, machines == 1] += log(0.5)
    assert alarmed(judge(values, machines=machines)) == []
    values[1, 30:] += log(0.95)
    (at,) = alarmed(judge(values, machines=machines))
    found = judge(values, machines=machines)[1]
    assert at == 1 and found.since is not None and abs(found.since - 30) <= 2


def test_a_new_machine_is_no_change_and_changes_on_it_are_found() -> None:
    values = quiet(60, 2, seed=16)
    machines = np.repeat([0, 1], [10, 50])
    values[:, 10:] += log(0.7)
    assert alarmed(judge(values, machines=machines)) == []
    values[0, 35:] += log(0.95)
    (at,) = alarmed(judge(values, machines=machines))
    since = judge(values, machines=machines)[0].since
    assert at == 0 and since is not None and abs(since - 35) <= 1


def test_what_moves_all_speeds_for_a_night_or_two_is_the_machine() -> None:
    values = quiet(60, SERIES, seed=7)
    values += np.random.default_rng(8).normal(0, 0.1, 60)
    values[2, 30:] += log(0.95)
    found = judge(values, paired=False)
    assert alarmed(found) == [2]
    assert found[2].since is not None and abs(found[2].since - 30) <= 1


def test_all_speeds_that_stay_lower_are_slower_and_it_is_said_that_they_all_are() -> None:
    values = quiet(60, SERIES, seed=9)
    values[:, 30:] += log(0.9)
    found = judge(values, paired=False)
    assert len(alarmed(found)) == SERIES
    assert all("changed alike" in " ".join(own.notes) for own in found)


@pytest.mark.parametrize("changed", [3, 4])
@pytest.mark.parametrize("share", [0.1, -0.1])
def test_what_others_have_changed_is_no_change_of_a_series(changed: int, share: float) -> None:
    values = quiet(42, 6, seed=3, deviation=0.005)
    values[:changed, 30:] += log(1 - share)
    for nights in range(31, 43):
        for own in judge(values[:, :nights], paired=False)[changed:]:
            assert own.state not in ALARMS
            is_open = 33 <= nights < 37
            assert any("moved apart" in note for note in own.notes) is is_open
            if is_open:
                assert own.state is State.TOO_NOISY
                assert own.ratio == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("share", [0.1, -0.1])
@pytest.mark.parametrize("switch", [28, 33])
def test_what_others_have_changed_is_no_change_although_another_machine_follows(
    share: float, switch: int
) -> None:
    values = quiet(45, 6, seed=3, deviation=0.005)
    values[:4, 30:] += log(1 - share)
    values[:, switch:] += log(0.7)
    machines = np.repeat([0, 1], [switch, 45 - switch])
    for nights in range(31, 46):
        found = judge(values[:, :nights], paired=False, machines=machines[:nights])[4:]
        assert alarmed(found) == []
    for own in found:
        assert own.state is State.TOO_NOISY
        assert own.notes[0].endswith("too few nights on one machine show which of them changed")


def test_a_change_beside_a_machine_that_moves_the_other_way_is_found() -> None:
    values = quiet(40, 6, seed=3, deviation=0.005)
    values[0, 35:] += log(0.9)
    values[:, 35:] += 0.03
    assert alarmed(judge(values, paired=False)) == [0]


def test_the_level_of_series_that_were_added_is_not_that_of_the_machine_then() -> None:
    values = quiet(60, 30, seed=1, deviation=0.005)
    values[5:, :40] = np.nan
    values[:, 45:] += log(0.9)
    found = judge(values, paired=False)[:5]
    assert {own.since for own in found} == {45}
    assert all("changed alike" in own.notes[0] for own in found)


def test_all_speeds_are_compared_although_a_series_does_not_run_any_more() -> None:
    values, machines = quiet(60, SERIES, seed=16), np.zeros((SERIES, 60), dtype=np.int64)
    values[0, 48:], machines[0, 48:] = np.nan, 1  # what did not run names no machine

    def others() -> list[Judgement]:
        own = zip(values, machines, strict=True)
        return judge_all([Track(v, m, paired=False) for v, m in own])[1:]

    assert not any("machine" in " ".join(own.notes) for own in others())
    values[:, 49:] += log(0.9)
    assert len(alarmed(others())) == SERIES - 1


@pytest.mark.parametrize(
    ("on_top", "state", "ratio"),
    [(0.05, State.SLOWER, 0.951), (0.1, State.STEADY, 1.0), (-0.1, State.SLOWER, 0.819)],
)
def test_a_series_that_changed_by_itself_too_has_both_changes(
    on_top: float, state: State, ratio: float
) -> None:
    values = quiet(60, 6, seed=17, deviation=0.003)
    values[:, 30:] -= 0.1
    values[2, 40:] += on_top
    found = judge(values, paired=False)[2]
    assert found.state is state and found.ratio == pytest.approx(ratio, abs=0.003)
    assert found.low is not None and found.high is not None
    assert found.low < ratio < found.high
    assert found.since == {0.05: 30, 0.1: None}.get(on_top, found.since)
    assert {*found.changes} == {30, 40} and "changed alike" in found.notes[0]


def test_the_change_of_all_may_be_found_a_night_beside_it_in_one_series() -> None:
    values = quiet(60, 6, seed=17, deviation=0.003)
    values[:, 30:] -= 0.03
    values[2, 45:] -= 0.05
    values[2] += np.random.default_rng(17).normal(0, 0.0045, 60)
    found = judge(values, paired=False)
    assert (found[0].earliest, found[0].latest) == (30, 30)
    assert found[2].changes == (29, 45) and "changed alike" in found[2].notes[0]


def test_energy_that_has_changed_is_no_change_of_speed() -> None:
    values = quiet(60, 8, seed=18)
    values[4:, 25:] += log(1 / 0.82)
    tracks = [
        Track(own, np.zeros(60, dtype=np.int64), paired=False, is_energy=at >= 4)
        for at, own in enumerate(values)
    ]
    found = judge_all(tracks)
    assert alarmed(found) == [4, 5, 6, 7]
    assert all(own.ratio == pytest.approx(1 / 0.82, abs=0.02) for own in found[4:])
    assert not any("changed alike" in " ".join(own.notes) for own in found[:4])


def test_series_that_were_accepted_do_not_hide_that_others_have_changed_alike() -> None:
    values = quiet(60, 6, seed=19, deviation=0.003)
    values[:, 30:] -= 0.1
    machines = np.zeros(60, dtype=np.int64)
    bases = [58, 30, 30, 0, 0, 0]
    found = judge_all(
        [Track(v, machines, paired=False, base=b) for v, b in zip(values, bases, strict=True)]
    )
    assert alarmed(found) == [3, 4, 5]
    assert all(own.ratio == pytest.approx(0.905, abs=0.01) for own in found[3:])


def test_a_series_has_no_change_of_most_others_that_it_did_not_share() -> None:
    values = quiet(60, 5, seed=20, deviation=0.003)
    values[:3, 40:] += log(0.8)
    values[3, 50:] += log(0.95)
    machines, bases = np.zeros(60, dtype=np.int64), [40, 40, 40, 0, 0]
    found = judge_all(
        [Track(v, machines, paired=False, base=b) for v, b in zip(values, bases, strict=True)]
    )
    assert alarmed(found) == [3]
    assert found[3].since == 50 and found[3].ratio == pytest.approx(0.95, abs=0.01)
    assert [own.changes for own in found[3:]] == [(50,), ()]
    assert not any("changed alike" in " ".join(own.notes) for own in found)


def test_a_change_that_ended_is_no_alarm_and_is_mentioned() -> None:
    values = quiet(60, SERIES, seed=10)
    values[0, 20:40] += log(0.9)
    found = judge(values)
    assert alarmed(found) == []
    assert len(found[0].changes) == 2 and "ended" in found[0].notes[0]


def test_a_change_that_is_not_relevant_is_not_said_to_have_ended() -> None:
    values = quiet(60, SERIES, seed=10, deviation=0.002)
    values[0, 30:] += log(0.994)
    found = judge(values)[0]
    assert found.state is State.STEADY and found.changes == (30,)
    assert found.notes == ("its level changed by 0.6 %: too small or too uncertain to report",)


def test_a_slowdown_from_a_level_that_was_faster_is_mentioned() -> None:
    values = quiet(60, SERIES, seed=15)
    values[0, 20:] += log(1.2)
    values[0, 40:] += log(0.9)
    found = judge(values)[0]
    assert found.state is State.FASTER and found.since == 20
    assert any("the last change was a slowdown, by " in note for note in found.notes)
    alike = values[1:] + np.where(np.arange(60) < 20, 0, np.where(np.arange(60) < 40, 0.2, 0.1))
    for own in judge(alike, paired=False):
        assert "changed alike" in own.notes[0]
        assert own.notes[1].startswith("the last change was a slowdown, by ")
    values[1, 20:] += log(1.2)
    values[1, -1] += log(0.7)
    assert judge(values)[1].state is State.SLOWER and judge(values)[1].since == 59


@pytest.mark.parametrize(("share", "state"), [(0.9, State.SLOWER), (1.2, State.FASTER)])
def test_a_change_is_not_forgotten_when_another_machine_follows(share: float, state: State) -> None:
    values = quiet(60, SERIES, seed=15)
    values[0, 20:] += log(share)
    values[0, 40:] += log(0.95)
    machines = np.repeat([0, 1], [30, 30])  # whose second one has no nights of the base line
    values[:, 30:] += log(0.5)
    found = judge(values, machines=machines)[0]
    assert found.state is state and found.since == 20
    assert found.ratio == pytest.approx(share * 0.95, abs=0.02)
    assert found.low is not None and found.high is not None
    assert found.low < share * 0.95 < found.high
    assert any("the last change was a slowdown, by 5" in note for note in found.notes)


def test_a_picture_shows_a_change_that_another_machine_follows() -> None:
    machines = np.repeat([0, 1], [30, 30])
    values = np.where(np.arange(60) < 20, 1.0, 0.9) - np.where(np.arange(60) < 30, 0, 3.0)
    values[40:] -= 0.05
    shown = from_base(Track(values, machines, paired=True), [0, 20, 40, 60])
    np.testing.assert_allclose(shown, np.repeat([0, -0.1, -0.15], 20), atol=1e-9)


def test_levels_without_a_machine_in_common_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted = [Change(20, 20, 20), Change(40, 40, 40)]
    monkeypatch.setattr(judging, "changes", lambda *_: planted)
    (found,) = judge(quiet(60, 1, seed=15), machines=np.repeat([0, 1, 2], 20))
    assert found.state is State.TOO_NOISY and found.ratio is None
    assert found.notes == ("no night of the base line is from the machine of the last ones",)


def test_a_second_slowdown_does_not_hide_the_night_of_the_first() -> None:
    values = quiet(60, SERIES, seed=11)
    values[0, 20:] += log(0.9)
    values[0, 40:] += log(0.9)
    found = judge(values)[0]
    assert found.state is State.SLOWER and found.since == 20
    assert found.ratio is not None and abs(found.ratio - 0.81) < 0.02


def test_noise_that_hides_a_slowdown_is_too_noisy() -> None:
    found = judge(quiet(20, SERIES, seed=12, deviation=0.15))
    assert {own.state for own in found} == {State.TOO_NOISY}


def test_nights_that_depend_on_those_before_have_more_noise_in_their_means() -> None:
    steps = np.random.default_rng(13).normal(0, 0.01, 200)
    walk = np.zeros(200)
    for night in range(1, 200):
        walk[night] = 0.9 * walk[night - 1] + steps[night]
    machines = np.zeros(200, dtype=np.int64)
    usual = Noise(0.02, 0.0)
    independent, wandering = (noise_of(own, machines, usual) for own in (steps, walk))
    assert independent.of_means < 0.015
    assert wandering.of_means > 0.04
    assert changes(walk, machines, wandering, Search(3)) == []


def test_no_change_begins_where_too_few_nights_stand_on_a_side() -> None:
    values = np.array([0.0] * 6 + [-0.5] * 6)
    machines = np.zeros(12, dtype=np.int64)
    (change,) = changes(values, machines, Noise(0.05, 0.8), Search(2))
    assert change.is_large
    assert (change.low, change.first, change.high) == (2, 6, 10)


@pytest.mark.parametrize("nights", range(4))
def test_hardly_any_nights_show_nothing(nights: int) -> None:
    values = quiet(nights, 4, seed=14)
    assert alarmed(judge(values)) == [] if nights else judge(values)
    for own in judge(values, paired=False) if nights else ():
        assert len(set(own.notes)) == len(own.notes)


def test_equal_values_are_steady() -> None:
    (found,) = judge(np.zeros((1, 20)))
    assert found.state is State.STEADY and found.ratio == 1


@pytest.mark.parametrize("paired", [True, False])
def test_a_change_after_many_equal_values_is_found(paired: bool) -> None:
    values = np.zeros((1, 30))
    values[0, 25:] = log(0.9)
    (found,) = judge(values, paired=paired)
    assert found.state is State.SLOWER and found.since == 25
    values[0, 25:] = [log(0.98), 0, 0, log(0.98), 0]
    assert alarmed(judge(values, paired=paired)) == []
