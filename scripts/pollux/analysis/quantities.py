# SPDX-License-Identifier: BSD-3-Clause
"""Micro-benchmarks in a dataset: each quantity of a configuration is one to compare by itself.

Statistics work on speeds: that of a quantity is the inverse of its time in ns, so that a ratio
above 1 means faster as everywhere.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from pollux.analysis.dataset import Dataset, Identity
from pollux.campaign.lines import Configuration
from pollux.campaign.samples import Sample
from pollux.micro_records import NOT_ABOVE_ZERO

SEPARATOR = ":"  # between the key of a configuration and the quantity


def key_of(configuration: str, quantity: str) -> str:
    return f"{configuration}{SEPARATOR}{quantity}"


def origin(key: str) -> str:
    """The configuration that ran, of the key of one of its quantities or of its own."""
    return SEPARATOR.join(key.split(SEPARATOR)[:2])


def split_quantities(dataset: Dataset) -> None:
    """Replace configurations of micro-benchmarks by one for each quantity that is known."""
    micro = {key for key, c in dataset.configurations.items() if c.micro}
    if not micro:
        return
    samples: dict[str, list[Sample]] = defaultdict(list)
    for sample in dataset.samples:
        samples[sample.configuration].append(sample)
    usual = headlines(dataset.configurations, samples)
    configurations: dict[str, Configuration] = {}
    identities: dict[str, list[Identity]] = defaultdict(list)
    dataset.samples = [s for s in dataset.samples if s.configuration not in micro]
    for key, c in dataset.configurations.items():
        known = dataset.identities.get(key)
        names: list[str | None] = [None]
        if key in micro:
            first = next((s.headline for s in samples[key] if s.headline), usual.get(c.benchmark))
            names = [*dict.fromkeys([first, *known_quantities(samples[key])])]
            note_unknown(dataset, key, samples[key])
        for name in names:
            own = key if name is None else key_of(key, name)
            update = {"quantity": name, "is_term": name != names[0]}
            configurations[own] = c.model_copy(update=update)
            if known is not None:
                identities[own] = known
        if key in micro:
            known_names = set(known_quantities(samples[key]))
            dataset.samples += (
                of_quantity(s, key, name, name in known_names)
                for s in samples[key]
                for name in names
            )
            if key in dataset.unavailable and names[0] is not None:
                dataset.unavailable[key_of(key, names[0])] = dataset.unavailable.pop(key)
    dataset.configurations, dataset.identities = configurations, identities


def headlines(
    configurations: Mapping[str, Configuration], samples: Mapping[str, Iterable[Sample]]
) -> dict[str, str]:
    """The first quantity of each micro-benchmark, as some record of it states."""
    found: dict[str, str] = {}
    for key, c in configurations.items():
        for sample in samples.get(key, ()):
            if sample.headline is not None:
                found.setdefault(c.benchmark, sample.headline)
    return found


def known_quantities(samples: Iterable[Sample]) -> Iterable[str]:
    """Those that some sample has, in the order of the records.

    A difference that is not above zero in some of them is left out of all: those in which it is
    would show more than there is.
    """
    listed = list(samples)
    lost = {n for sample in listed for n, why in sample.unknown if why == NOT_ABOVE_ZERO}
    found = dict.fromkeys(name for sample in listed for name, _ in sample.quantities)
    return [name for name in found if name not in lost]


def note_unknown(dataset: Dataset, key: str, samples: list[Sample]) -> None:
    """Keep why a quantity is not known in any sample."""
    known = set(known_quantities(samples))
    for name, reason in (pair for sample in samples for pair in sample.unknown):
        if name not in known:
            dataset.unknown.setdefault((key, name), reason)


def of_quantity(sample: Sample, key: str, quantity: str | None, known: bool) -> Sample:
    """The sample with the speed that is the inverse of one quantity, where that is known."""
    if quantity is None:
        return sample
    value = dict(sample.quantities).get(quantity) if known else None
    speed = None if value is None else 1 / value
    return replace(sample, configuration=key_of(key, quantity), gflops=speed)


def why_unknown(dataset: Dataset, key: str) -> str | None:
    """Why a configuration has no value of the quantity that it is about."""
    quantity = dataset.configurations[key].quantity or ""
    return dataset.unknown.get((origin(key), quantity))


def unknown_line(dataset: Dataset) -> str | None:
    """What is left out since it is not known, in a sentence."""
    reasons: dict[str, dict[str, None]] = {}
    counts: dict[str, int] = defaultdict(int)
    for (_, name), reason in dataset.unknown.items():
        reasons.setdefault(name, {})[reason] = None
        counts[name] += 1
    if not reasons:
        return None
    listed = "; ".join(
        f"{name} of {counts[name]} configuration{'s' * (counts[name] > 1)} "
        f"({', '.join(list(why)[:2])}{' …' if len(why) > 2 else ''})"
        for name, why in reasons.items()
    )
    return f"not known, and left out: {listed}"
