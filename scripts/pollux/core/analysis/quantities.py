# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks with several quantities in a dataset: each is one to compare by itself.

Statistics work on speeds, so that a ratio above 1 means faster as everywhere: that of a time is
its inverse.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from pollux.core.analysis.dataset import Dataset, Identity
from pollux.core.analysis.sample_columns import Samples
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.samples import Sample, known_quantities, with_speeds
from pollux.core.quantities import Quantity

SEPARATOR = ":"  # between the key of a configuration and the quantity


def key_of(configuration: str, quantity: str) -> str:
    return f"{configuration}{SEPARATOR}{quantity}"


def origin(key: str) -> str:
    """The configuration that ran, of the key of one of its quantities or of its own."""
    return SEPARATOR.join(key.split(SEPARATOR)[:2])


def split_quantities(dataset: Dataset) -> None:
    """Replace configurations with several quantities by one for each that is known.

    The first keeps the key of the configuration.
    """
    if not dataset.columns.several.any():
        return
    samples: dict[str, list[Sample]] = defaultdict(list)
    for sample in dataset.samples:
        samples[sample.configuration].append(sample)
    first = headlines(dataset.configurations, samples)
    configurations: dict[str, Configuration] = {}
    identities: dict[str, list[Identity]] = defaultdict(list)
    split: list[Sample] = []
    for key, c in dataset.configurations.items():
        own = samples[key]
        note_unknown(dataset, key, own)
        if key in dataset.identities:
            identities[key] = dataset.identities[key]
        if c.benchmark not in first:
            configurations[key] = c
            split += own
            continue
        own_first = next((s.headline for s in own if s.headline), first[c.benchmark])
        kinds = {quantity.name: quantity for s in own for quantity in s.quantities}
        for place, name in enumerate(dict.fromkeys([own_first, *known_quantities(own)])):
            named = key if place == 0 else key_of(key, name)
            configurations[named] = of_kind(c, name, kinds.get(name), is_term=place > 0)
            if key in dataset.identities:
                identities[named] = dataset.identities[key]
            split += with_speeds(own, named, name)
    dataset.configurations, dataset.identities = configurations, identities
    dataset.samples = Samples(lambda: split)


def of_kind(
    configuration: Configuration, name: str, kind: Quantity | None, *, is_term: bool
) -> Configuration:
    """The configuration of one quantity."""
    update: dict[str, object] = {"quantity": name, "is_term": is_term}
    if kind is not None:
        update |= {"unit": kind.unit, "better": kind.better}
    return configuration.model_copy(update=update)


def headlines(
    configurations: Mapping[str, Configuration], samples: Mapping[str, Iterable[Sample]]
) -> dict[str, str]:
    """The first quantity of each benchmark that has several, as some record of it states."""
    found: dict[str, str] = {}
    for key, c in configurations.items():
        for sample in samples.get(key, ()):
            if sample.headline is not None and len(sample.listed) > 1:
                found.setdefault(c.benchmark, sample.headline)
    return found


def note_unknown(dataset: Dataset, key: str, samples: list[Sample]) -> None:
    """Keep why a quantity is not known in any sample."""
    unknown = [pair for sample in samples for pair in sample.unknown]
    known = set(known_quantities(samples)) if unknown else ()
    for name, reason in unknown:
        if name not in known:
            dataset.unknown.setdefault((key, name), reason)


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
