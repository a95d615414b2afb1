# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of a campaign, on outcomes made up for the purpose."""

import math
from pathlib import Path

from pollux.executables import Configuration, Outcome
from pollux.records import Record, Residual, Variant
from pollux.summary import Spread, digest_groups, has_failed, summarise, worst_residual
from pollux.table import variant_name


def configuration(preset: str, variant: str = "depend", benchmark: str = "lu") -> Configuration:
    described = Variant(
        benchmark=benchmark,
        variant=variant,
        summary="",
        needs=None,
        available=True,
        reason=None,
        digest_group="lu",
    )
    return Configuration(preset, Path(preset), described)


def record(**changes: object) -> Record:
    fields = {
        **{"schema": "pollux-run/1", "benchmark": "lu", "variant": "depend"},
        **{"m": 100, "n": 100, "nb": 10, "ib": None, "threads": 2, "seed": 1, "gflops": 1.0},
        **{"residuals": [], "passed": True, "digest": "d"},
        "runtime": {"name": "r", "version": None},
        "blas": {"version": "0.3", "core": "Haswell"},
    }
    return Record.model_validate({**fields, **changes})


def test_a_ratio_is_taken_within_its_round() -> None:
    """A machine that gets twice as slow from round to round leaves the ratios alone."""
    base, other = configuration("libgomp"), configuration("libomp")
    outcomes = [Outcome(base, r, record(gflops=16 / 2**r), None) for r in range(3)]
    outcomes += [Outcome(other, r, record(gflops=24 / 2**r), None) for r in range(3)]
    rows = summarise([base, other], outcomes, "libgomp")
    assert rows[1].gflops == Spread(12, 6, 24)
    assert rows[1].ratio == Spread(1.5, 1.5, 1.5)
    assert not has_failed(rows)


def test_a_round_without_its_counterpart_has_no_ratio() -> None:
    base, other = configuration("libgomp"), configuration("libomp")
    outcomes = [
        Outcome(base, 0, None, "killed by SIGSEGV"),
        Outcome(base, 1, record(gflops=2.0), None),
        Outcome(other, 0, record(gflops=100.0), None),
        Outcome(other, 1, record(gflops=3.0), None),
    ]
    row = summarise([base, other], outcomes, "libgomp")[1]
    assert row.ratio == Spread(1.5, 1.5, 1.5)


def test_a_wrong_result_has_no_speed() -> None:
    only = configuration("libgomp")
    outcomes = [Outcome(only, 0, record(passed=False), "check failed")]
    (row,) = summarise([only], outcomes, "libgomp")
    assert row.gflops is None
    assert has_failed([row])


def test_digests_are_compared_across_benchmarks_of_one_group() -> None:
    lu, cw = configuration("libgomp"), configuration("libomp", "cw", "lu-cw")
    outcomes = [Outcome(lu, 0, record(), None), Outcome(cw, 0, record(digest="e"), None)]
    rows = summarise([lu, cw], outcomes, "libgomp")
    assert [row.digests_agree for row in rows] == [False, False]
    assert has_failed(rows)


def test_digests_of_other_input_tiling_or_blas_are_not_compared() -> None:
    lu = configuration("libgomp")
    blas = {"version": "0.3", "core": "Zen"}
    others: list[dict[str, object]] = [
        {"seed": 2},
        {"nb": 20},
        {"n": 99},
        {"m": 99},
        {"ib": 5},
        {"blas": blas},
    ]
    records = [record(), *(record(digest=str(i), **other) for i, other in enumerate(others))]
    outcomes = [Outcome(lu, i, one, None) for i, one in enumerate(records)]
    assert len(digest_groups(outcomes)) == len(records)
    assert summarise([lu], outcomes, "libgomp")[0].digests_agree is None


def test_a_residual_that_is_not_a_number_is_the_worst() -> None:
    residuals = [
        Residual(name="r", value=value, threshold=30, passed=True) for value in (1.0, None, 2.0)
    ]
    assert math.isnan(worst_residual([record(residuals=residuals)]) or 0.0)
    assert worst_residual([record(residuals=residuals[:1]), record()]) == 1.0


def test_a_substitute_for_concurrent_write_is_named() -> None:
    cw = configuration("libgomp", "cw", "lu-cw")
    for native, name in ((False, "cw (inout)"), (True, "cw")):
        write = {"clause": "depend(inout)", "native": native, "observed": "serialised"}
        outcome = Outcome(cw, 0, record(concurrent_write=write), None)
        assert variant_name(summarise([cw], [outcome], "libgomp")[0]) == name
