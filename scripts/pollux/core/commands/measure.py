# SPDX-License-Identifier: BSD-3-Clause
"""What --metric, --source and --meter stand for, as far as the part `energy` is there."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.metrics import BY_SPEED, SPEED, Measure, metric_named
from pollux.core.campaign.sampler import timelines
from pollux.core.parts import required, service

PART = "energy"


def measure_for(
    dataset: Dataset, metric: str, source: str | None, meters: Sequence[Path]
) -> Measure:
    """The metric, and where its energy comes from."""
    chosen = metric_named(metric)
    if chosen.name == SPEED and source is None and not meters:
        return BY_SPEED
    named = [] if chosen.name == SPEED else [f"--metric {metric}"]
    find = required("measure_for", PART, given(source, meters, *named))
    found: Measure = find(dataset, metric, source, meters)
    return found


def inputs(records: Sequence[Path], meters: Sequence[Path] | None) -> list[Path]:
    """All files that are read, with the samples of meters: no output may replace them."""
    if not meters:
        return [*records, *chain.from_iterable(map(timelines, records))]
    found: list[Path] = required("energy_inputs", PART, "--meter")(records, meters)
    return found


def energy_points(
    dataset: Dataset,
    source: str | None,
    meters: Sequence[Path],
    by: str | None = None,
    reference: str | None = None,
) -> Any:  # noqa: ANN401 (what the part makes of energy)
    """The points of speed and energy; None where nobody asked and no run has its energy."""
    if source is not None or meters:
        required("energy_points", PART, given(source, meters))
    find = service("energy_points")
    return find(dataset, source, meters, by, reference) if find else None


def given(source: str | None, meters: Sequence[Path], *others: str) -> str:
    """The options that were given, in words."""
    known = {"--source": source is not None, "--meter": bool(meters)}
    return " with ".join([*others, *(option for option, is_given in known.items() if is_given)])
