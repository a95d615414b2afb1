# SPDX-License-Identifier: BSD-3-Clause
"""Narrows a dataset down to the configurations that the user asked for."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.quantities import origin
from pollux.core.errors import BadUsageError


def narrow(dataset: Dataset, wanted: Mapping[str, Collection[str]]) -> Dataset:
    """Keep configurations whose fields have one of the wanted values; no values: all are kept."""
    kept = dict(dataset.configurations)
    for field, values in wanted.items():
        found = {getattr(c, field) for c in dataset.configurations.values()}
        known = sorted(value for value in found if value is not None)
        for value in values:
            if value not in known:
                there = f"available: {', '.join(known)}" if known else "they name none"
                raise BadUsageError(f"--{field} {value}: not in these records; {there}")
        if values:
            kept = {key: c for key, c in kept.items() if getattr(c, field) in values}
    if not kept:
        asked = " ".join(f"--{field} {value}" for field, vs in wanted.items() for value in vs)
        raise BadUsageError(f"no configuration has all of {asked}")
    return replace(
        dataset,
        whole=dataset.whole or dataset,
        configurations=kept,
        unknown=still_unknown(dataset, kept, wanted),
        samples=dataset.samples.chosen(np.flatnonzero(dataset.columns.configuration.among(kept))),
        unavailable={k: reason for k, reason in dataset.unavailable.items() if k in kept},
        identities={k: known for k, known in dataset.identities.items() if k in kept},
    )


def still_unknown(
    dataset: Dataset, kept: Collection[str], wanted: Mapping[str, Collection[str]]
) -> dict[tuple[str, str], str]:
    """What is not known of the configurations and quantities that are left."""
    origins, names = {origin(key) for key in kept}, wanted.get("quantity", ())
    return {
        (key, name): reason
        for (key, name), reason in dataset.unknown.items()
        if key in origins and (not names or name in names)
    }
