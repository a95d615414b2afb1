# SPDX-License-Identifier: BSD-3-Clause
"""Tests the energy between two times, and the estimate of a clock's offset."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pollux.core.errors import BadUsageError
from pollux.core.readings import TOTAL, Status
from pollux.energy.meters.offset import estimate_offset
from pollux.energy.meters.series import Series, of_power, widest_gap
from pollux.energy.meters.timeline import read_timeline
from simulated_meter import BEGIN, Floats, Schedule, ns, sampled, schedule

STEADY = Schedule([], [], np.array([0.0, 1000.0]), np.array([0.0, 100_000.0]))  # 100 W


def series(
    times: Floats, watts: Floats, *, offset: float = 0.0, average: bool = False, held: bool = True
) -> Series:
    at = np.array([ns(t - offset) for t in times.tolist()])
    joules, power = of_power(watts, at, average=average)
    broken = np.zeros(len(at) - 1, dtype=np.bool_)
    return Series("wall", "the node", at, joules, power, broken, widest_gap(at, None), held)


def watts(values: list[float], *, held: bool = False) -> Series:
    return series(np.arange(float(len(values))), np.array(values), held=held)


def test_energy_is_interpolated_linearly_between_samples() -> None:
    ramp = watts([0, 10, 20, 30, 40, 50])
    found = ramp.between(BEGIN + 500_000_000, BEGIN + 4_500_000_000)
    assert found.joules == pytest.approx(5 * (4.5**2 - 0.5**2))
    assert (found.status, found.source) == (Status.MEASURED, "wall")


def test_power_at_the_ends_of_a_run_is_not_mixed_with_idle_power() -> None:
    steps = [50, 50, 100, 100, 100, 100, 50, 50]
    exact = 100 * (5.9 - 1.1)
    held, mixed = (watts([*map(float, steps)], held=own) for own in (True, False))
    assert held.between(ns(1.1), ns(5.9)).joules == pytest.approx(exact)
    assert mixed.between(ns(1.1), ns(5.9)).joules == pytest.approx(exact - 2 * 25 * 0.9**2)


@pytest.mark.parametrize(
    ("begin", "end", "status", "reason"),
    [
        (-0.5, 5, Status.NOT_COVERED, "no sample before the run"),
        (5, 99.5, Status.NOT_COVERED, "no sample after the run"),
        (2, 8, Status.MEASURED, None),
        (15, 40, Status.NOT_COVERED, "a gap of 11 s"),
        (20.5, 25, Status.NOT_COVERED, "a gap of 11 s"),
        (31, 40, Status.MEASURED, None),
        (40, 41.5, Status.TOO_SHORT, "shorter than 2 steps of wall (1 s each)"),
    ],
)
def test_what_a_meter_does_not_cover_is_named_and_never_filled(
    begin: float, end: float, status: Status, reason: str | None
) -> None:
    times = np.array([t for t in range(100) if not 20 < t < 31], dtype=float)
    found = series(times, np.full(len(times), 100.0)).between(ns(begin), ns(end))
    assert found.status is status
    assert (found.joules is not None) == (status is Status.MEASURED)
    assert found.reason is None if reason is None else reason in (found.reason or "")


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("gap", [0, 3, 6])  # the first interval, one in the middle, the last one
def test_a_run_between_two_samples_has_the_power_between_them(gap: int, average: bool) -> None:
    steps = np.ones(7)
    steps[gap] = 2.9
    times = np.concatenate([[0.0], np.cumsum(steps)])
    power = np.full(8, 100.0)
    power[gap + 1] = 158.0  # instants rise by 20 W a second
    begin = float(times[gap]) + 0.1
    found = series(times, power, average=average).between(ns(begin), ns(begin + 2.5))
    assert found.joules == pytest.approx(2.5 * (158 if average else 100 + 20 * 1.35))


def test_an_interval_that_is_partly_idle_does_not_stand_for_a_run() -> None:
    times = np.array([0.0, 1.0, 2.0, 3.0, 4.4, 5.8, 7.0, 8.0, 9.0])
    power = np.array([100.0] * 9)  # means of the intervals before
    power[4] = power[5] = 140.0
    found = series(times, power, average=True).between(ns(3.2), ns(5.5))
    assert found.joules == pytest.approx(140 * 2.3)
    power[5] = 130.0
    found = series(times, power, average=True).between(ns(3.2), ns(5.5))
    assert found.joules == pytest.approx(140 * 1.2 + 130 * 1.1)


def timeline(
    tmp_path: Path,
    seconds: list[float],
    *,
    zone: str = "powercap:package-0",
    file: str = "energy_uj",
    step: float | None = None,
) -> Series:
    """One of a zone that draws 100 W, sampled at these times."""
    header = {
        "host": "node1",
        "zones": [{"id": zone, "path": f"/sys/{file}", "step_seconds": step}],
        "parts": [zone],
        "columns": [{"name": "unix_ns", "unit": "ns"}, {"name": "x J", "unit": "J", "zone": zone}],
    }
    path = tmp_path / "x.power.csv"
    rows = "".join(f"{ns(t)},{100 * t:.6f}\n" for t in seconds)
    path.write_text(f"# pollux-power/1 {json.dumps(header)}\nunix_ns,x J\n{rows}")
    found = read_timeline(path).series(TOTAL)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("file", "begin", "end", "status"),
    [
        ("energy_uj", 0.15, 19.05, Status.MEASURED),  # the counter counted on in the gap
        ("energy_uj", 0.15, 7.0, Status.NOT_COVERED),
        ("energy_uj", 7.0, 19.05, Status.NOT_COVERED),
        ("power1_average", 0.15, 19.05, Status.NOT_COVERED),  # nobody knows what was drawn
    ],
)
def test_a_late_sample_of_a_counter_matters_at_the_ends_of_a_run_alone(
    tmp_path: Path, file: str, begin: float, end: float, status: Status
) -> None:
    times = [0.1 * k for k in range(200) if not 50 < k < 90]
    found = timeline(tmp_path, times, file=file).between(ns(begin), ns(end))
    assert found.status is status
    if status is Status.MEASURED:
        assert found.joules == pytest.approx(100 * (end - begin))


def test_an_empty_cell_of_a_timeline_is_not_said_to_be_a_fall(tmp_path: Path) -> None:
    timeline(tmp_path, [0.5 * k for k in range(40)])
    path = tmp_path / "x.power.csv"
    path.write_text(path.read_text().replace(",500.000000", ","))
    found = read_timeline(path).series(TOTAL)
    assert found is not None
    assert found.between(ns(6), ns(15)).measured
    reading = found.between(ns(2), ns(15))
    assert (reading.status, reading.reason) == (
        Status.UNKNOWN,
        "the counter of 1 package (powercap) fell, stood still or was not readable during the run",
    )


@pytest.mark.parametrize(
    ("zone", "step", "shortest"),
    [
        ("powercap:package-0", None, 0.05),
        ("cray:cpu", None, 5.0),
        ("cray:cpu", 0.02, 1.0),
    ],
)
def test_a_run_of_few_steps_of_its_counters_is_too_short(
    tmp_path: Path, zone: str, step: float | None, shortest: float
) -> None:
    found = timeline(tmp_path, [0.01 * k for k in range(700)], zone=zone, step=step)
    short = found.between(ns(1), ns(1 + 0.9 * shortest))
    assert (short.status, short.joules) == (Status.TOO_SHORT, None)
    assert short.reason is not None and f"shorter than {shortest:g} s, 50 steps" in short.reason
    assert found.between(ns(1), ns(1 + 1.1 * shortest)).measured


def test_no_energy_is_not_zero_joules() -> None:
    found = watts([0.0] * 10).between(ns(2), ns(7))
    assert (found.status, found.joules) == (Status.UNKNOWN, None)


@pytest.mark.parametrize("average", [False, True])
def test_steady_power_is_exact(average: bool) -> None:
    rng = np.random.default_rng(1)
    found = series(*sampled(STEADY, rng, noise=0, average=average), average=average)
    for begin, length in rng.uniform(10, 100, (20, 2)):
        reading = found.between(ns(begin), ns(begin + length))
        assert reading.joules == pytest.approx(100 * length)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_meter_of_1_hz_has_the_energy_of_long_runs_and_its_clock_is_found(
    seed: int, average: bool
) -> None:
    rng = np.random.default_rng(seed)
    done, late = schedule(rng), (3.0, -3.0)[seed % 2]
    samples = sampled(done, rng, average=average)
    meter = series(*samples, offset=late, average=average)
    processes, runs = done.spans("processes"), done.spans("runs")
    found = estimate_offset(meter, processes, runs, 10)
    assert found.offset == pytest.approx(late, abs=0.1)
    assert found.edges == 24
    assert found.uncertainty < 0.1
    right = meter.moved(late)
    for run, span in enumerate(runs):
        assert right.between(*span).joules == pytest.approx(done.energy(run), rel=0.02)


def test_a_meter_without_noise_has_its_clock_found() -> None:
    spans = [(20.0 + 13 * k + k**2, 28.0 + 13 * k + k**2) for k in range(6)]
    edges = np.array([0.0, *(edge for span in spans for edge in span), 150.0])
    power = np.array([100.0, *[200.0, 100.0] * 6])
    done = Schedule(spans, spans, edges, np.concatenate([[0.0], np.cumsum(power * np.diff(edges))]))
    times = np.arange(0.5, 150)
    meter = series(times, done.power_at(times), offset=2)
    found = estimate_offset(meter, done.spans("processes"), done.spans("runs"), 5)
    assert found.offset == pytest.approx(2, abs=0.5)  # the edges are between samples
    assert found.explained == pytest.approx(1)


def refusal(meter: Series, done: Schedule, within: float = 10) -> str:
    with pytest.raises(BadUsageError) as raised:
        estimate_offset(meter, done.spans("processes"), done.spans("runs"), within)
    assert "state offset in [clock]" in raised.value.format_message()
    return raised.value.format_message()


def test_an_offset_that_the_samples_do_not_show_is_not_estimated() -> None:
    rng = np.random.default_rng(7)
    done = schedule(rng)
    times, power = sampled(done, rng)
    noise = series(times, rng.normal(300, 50, len(times)))
    assert "of the variance of its power" in refusal(noise, done)
    assert "beyond 2 s" in refusal(series(times, power, offset=5), done, 2)
    few = schedule(rng, runs=2)
    assert "4 edges" in refusal(series(*sampled(few, rng)), few)
    failed = replace(done, runs=[])
    assert "no run ended as it should" in refusal(series(times, power), failed)


def test_equal_runs_at_equal_distances_leave_the_offset_open() -> None:
    spans = [(100.0 + 12 * k, 110.0 + 12 * k) for k in range(40)]
    edges = np.array([0.0, *(edge for span in spans for edge in span), 700.0])
    power = np.array([180.0, *[420.0, 180.0] * 40])
    joules = np.concatenate([[0.0], np.cumsum(power * np.diff(edges))])
    done = Schedule(spans, spans, edges, joules)
    rng = np.random.default_rng(3)
    times, power = sampled(done, rng)
    within = (times > 200) & (times < 400)  # neither the first run's begin nor the last one's end
    meter = series(times[within], power[within])
    assert "fit equally well" in refusal(meter, done, 30)
    found = estimate_offset(meter, done.spans("processes"), done.spans("runs"), 5)
    assert abs(found.offset) <= found.uncertainty <= 0.6  # 2 sd of a step; edges between samples
