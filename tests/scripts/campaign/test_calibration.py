# SPDX-License-Identifier: BSD-3-Clause
"""When a block counts as disturbed: by the calibration kernel, and by others' processor time."""

from pathlib import Path

import pytest
from pollux.core.campaign.calibration import (
    Limits,
    calibrate,
    disturbances,
    median_speed,
    reasons_in_words,
)
from pollux.core.campaign.lines import BlockEnd, Calibration
from pollux.core.campaign.machine_load import Shares, Usage, read_usage, shares
from project import write_script

LIMITS = Limits(calibration_margin=0.1, foreign_cpu=0.05)
CALM = Shares(foreign=0.01, steal=0.0)


def at(gflops: float) -> Calibration:
    return Calibration(gflops=[gflops / 2, gflops / 2], seconds=0.04)


@pytest.mark.parametrize(
    ("before", "after", "seen", "reasons"),
    [
        (100, 100, CALM, []),
        (91, 91, CALM, []),
        (130, 130, CALM, []),
        (85, 88, CALM, ["calibration 15 % slower than its median, limit 10 %"]),
        (
            120,
            100,
            CALM,
            ["calibration changed by 17 % within the block, limit 10 %"],
        ),
        (100, 100, Shares(0.2, 0.0), ["CPU time used by others 20 %, limit 5 %"]),
        (100, 100, Shares(0.0, 0.06), ["CPU time stolen 6 %, limit 5 %"]),
        (100, 100, None, []),
    ],
)
def test_a_block_is_disturbed_by(
    before: float, after: float, seen: Shares | None, reasons: list[str]
) -> None:
    assert disturbances(at(before), at(after), 100.0, seen, LIMITS) == reasons


def test_without_calibration_only_the_load_is_judged() -> None:
    assert disturbances(None, None, None, CALM, LIMITS) == []
    assert len(disturbances(None, None, None, Shares(0.5, 0.5), LIMITS)) == 2


def ended(reasons: list[str]) -> BlockEnd:
    return BlockEnd(
        block=0,
        unix_ns=1,
        calibration=None,
        reference_gflops=None,
        foreign_cpu=None,
        steal=None,
        disturbed=bool(reasons),
        reasons=reasons,
    )


def test_the_reasons_of_one_block_are_told_and_those_of_several_counted() -> None:
    calm, slow = (disturbances(at(s), at(s), 100.0, CALM, LIMITS) for s in (100, 80))
    loaded = disturbances(at(120), at(100), 100.0, Shares(0.2, 0.0), LIMITS)
    assert reasons_in_words(map(ended, [calm])) == ""
    assert reasons_in_words(map(ended, [calm, loaded])) == "; ".join(loaded)
    assert reasons_in_words(map(ended, [loaded, slow, loaded])) == (
        "calibration changed within the block in 2, CPU time used by others in 2, "
        "calibration slower than its median in 1"
    )


def test_the_median_is_over_the_sum_of_threads() -> None:
    assert median_speed([at(10), at(30), at(20)]) == 20
    assert median_speed([]) is None


@pytest.mark.parametrize(
    "answer", ["echo '{\"gflops\": 3}'", "echo nonsense", "exit 3", "kill -SEGV $$"]
)
def test_a_calibration_that_fails_is_none(tmp_path: Path, answer: str) -> None:
    write_script(tmp_path / "calibration", answer)
    assert calibrate(tmp_path / "calibration") is None
    assert calibrate(tmp_path / "missing") is None
    assert calibrate(None) is None


def test_a_calibration_is_read(tmp_path: Path) -> None:
    write_script(tmp_path / "calibration", 'echo \'{"gflops": [40.5, 41], "seconds": 0.04}\'')
    assert calibrate(tmp_path / "calibration") == Calibration(gflops=[40.5, 41.0], seconds=0.04)


def test_foreign_time_is_what_is_busy_and_not_ours() -> None:
    before = Usage(busy=10.0, steal=1.0, total=100.0, own=5.0)
    after = Usage(busy=18.0, steal=1.5, total=110.0, own=11.0)
    assert shares(before, after) == Shares(foreign=0.2, steal=0.05)


def test_rounding_of_ticks_gives_no_negative_share() -> None:
    before = Usage(busy=10.0, steal=0.0, total=100.0, own=5.0)
    after = Usage(busy=11.0, steal=0.0, total=110.0, own=6.01)
    assert shares(before, after) == Shares(0.0, 0.0)
    assert shares(before, before) is None
    assert shares(None, after) is None


def test_only_allowed_processors_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    stat = tmp_path / "stat"
    stat.write_text(
        "cpu  999 0 0 999 0 0 0 0 0 0\n"
        "cpu0 100 100 0 600 100 50 50 100 7 7\n"
        "cpu1 1000 0 0 2000 0 0 0 300 0 0\n"
        "intr 5\n"
    )
    usage = read_usage(stat)
    assert usage is not None
    assert (usage.busy, usage.steal, usage.total) == (3.0, 1.0, 11.0)
    stat.write_text("cpu  1 2 3\n")
    assert read_usage(stat) is None
    assert read_usage(tmp_path / "missing") is None
