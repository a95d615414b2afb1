# SPDX-License-Identifier: BSD-3-Clause
"""Errors planted in copies of the task graphs are reported."""

import pytest
from racing import Subject, run, subjects

INDEPENDENT = {"batched-fft"}  # whose tasks have no order that could be broken
ATTEMPTS = range(1, 9)  # schedules; most errors show in the first


@pytest.mark.parametrize("subject", subjects("planted"), ids=str)
def test_every_planted_error_is_reported(subject: Subject) -> None:
    assert any(run(subject, seed).races for seed in ATTEMPTS)


def test_errors_are_planted_in_every_benchmark() -> None:
    planted = {str(subject) for subject in subjects("planted")}
    for benchmark in {subject.names[0] for subject in subjects("graph")} - INDEPENDENT:
        prefix = f"{benchmark.replace('-', '_')}_"
        assert sum(name.startswith(prefix) for name in planted) >= 3
