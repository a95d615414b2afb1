# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of a night: for each series its value, what ran, and whether it was right."""

from collections.abc import Iterable, Sequence
from math import isfinite, log
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from pydantic import Field

from pollux.core.analysis.dataset import Dataset, Identity
from pollux.core.analysis.digests import Digests, check_digests, matrix
from pollux.core.analysis.loading import load
from pollux.core.analysis.quantities import origin
from pollux.core.analysis.two_sides import differences
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.reading import sentences
from pollux.core.campaign.samples import ByRound, Logs, Sample
from pollux.core.errors import BadUsageError
from pollux.core.hashing import short_hash
from pollux.core.models import Strict
from pollux.core.readings import TOTAL

SEEDS = 8  # whose digests are kept: the lowest ones
MOST_PAIRS = 400  # of which all averages of two are formed
FAULTS = (Outcome.FAILED_CHECK, Outcome.CRASH, Outcome.HANG, Outcome.NO_RECORD)
ENERGY = "energy"
JOULES = "J"  # the unit that it has, and nothing else


class Ran(Strict):
    """What a series ran as."""

    runtime: str  # its name in records
    version: str | None
    build_id: str | None
    compiler: str
    machine: str


class Value(Strict):
    """One series in one night. Values and ratios are logarithms, of which more is better."""

    label: str
    unit: str
    better: str
    ran: Ran | None = None
    samples: int = 0
    value: float | None = None
    ratio: float | None = None  # to the reference in the same rounds
    reference: str | None = None
    wrong: str | None = None  # why its results are not right
    missing: str | None = None  # why it has no value
    kind: str | None = None  # of its digests: equal ones are comparable
    digests: dict[int, str] = Field(default_factory=dict)  # by seed
    results_of: str | None = None  # the label of the series whose results it has; null: its own


class Night(Strict):
    """One file of records."""

    name: str
    values: list[Value] = Field(default_factory=list)
    complete: bool = True
    problems: list[str] = Field(default_factory=list)  # of the file, one sentence each


def read_night(path: Path) -> Night:
    """Read a night's file of records, whatever state it is in."""
    try:
        dataset = load([path], indexed=False)  # what is kept of it is in another one
    except BadUsageError as error:
        return Night(name=path.name, problems=[error.format_message()], complete=False)
    if (part := dataset.starts[-1].part if dataset.starts else None) and part.of > 1:
        why = f"it is one of {part.of} parts of a campaign; `jobs` of [submit] must be 1 for nights"
        return Night(name=path.name, problems=[f"{path}: {why}"], complete=False)
    named = {key: label_of(c) for key, c in dataset.configurations.items()}
    digests = check_digests(dataset, named)
    used, everything = dataset.used_by, dataset.samples_by
    references = {
        c.cell(): key for key, c in dataset.configurations.items() if c.runtime == dataset.reference
    }
    values: dict[str, Value] = {}
    for key, configuration in dataset.configurations.items():
        reference = references.get(configuration.cell())
        other = None if reference in (None, key) else reference
        sides = used.get(key, []), used.get(other, []) if other else []
        value = value_of(dataset, key, sides, everything.get(key, []), digests)
        for own in (value, energy_of(value, configuration, *sides)):
            if own is not None and (own.samples or own.label not in values):
                values[own.label] = own
    return Night(
        name=path.name,
        values=list(values.values()),
        complete=dataset.complete.get(0, True),
        problems=list(sentences(dataset.unreadable)),
    )


def value_of(
    dataset: Dataset,
    key: str,
    sides: tuple[list[Sample], list[Sample]],
    everything: list[Sample],
    digests: Digests,
) -> Value:
    """A configuration in a night; `sides` are its samples and those of the reference."""
    configuration, own = dataset.configurations[key], logs(sides[0])
    identity = next(iter(dataset.identities.get(key, ())), None)
    wrong = why_wrong(everything) or digests.distrusted.get(key)
    base: dict[str, Any] = {
        "label": label_of(configuration),
        "unit": configuration.unit,
        "better": configuration.better,
        "ran": None if identity is None else ran_as(identity),
        "samples": len(everything),
        "wrong": wrong,
    }
    if not own:
        return Value(**base, missing=why_missing(dataset, key, everything))
    kinds = digests.kinds.get(key, [])
    kept = digests_of(everything) if len(kinds) == 1 and wrong is None else {}
    return Value(
        **base,
        **figures(own, logs(sides[1]), sides[1], dataset),
        kind=short_hash(repr(kinds[0])) if kept else None,
        digests=kept,
    )


def label_of(configuration: Configuration, quantity: str = "") -> str:
    """What a series is called: runs on other matrices, as of `--matrix`, are others."""
    given = matrix(configuration)
    of = [configuration.label(), "" if given == "random" else given, quantity]
    return f"{' '.join(filter(None, of))} on {configuration.runtime}"


def figures(
    own: ByRound,
    other: ByRound,
    samples: Sequence[Sample],
    dataset: Dataset,
) -> dict[str, Any]:
    """The value, and the ratio to the reference where that ran in the same rounds."""
    found: dict[str, Any] = {"value": centre([logs.middle for logs in own.values()])}
    if pairs := in_rounds(own, other):
        reference = dataset.configurations[samples[0].configuration].runtime
        found |= {"ratio": centre(pairs), "reference": reference}
    return found


def energy_of(
    speed: Value, configuration: Configuration, own: Sequence[Sample], other: Sequence[Sample]
) -> Value | None:
    """The energy of a configuration as a series of its own; without samples if not measured."""
    if configuration.is_term:
        return None
    mine = joules(own)
    base: dict[str, Any] = {
        "label": label_of(configuration, ENERGY),
        "unit": JOULES,
        "better": "less",
        "ran": speed.ran,
        "samples": speed.samples if mine else 0,
        "results_of": speed.label,
    }
    if speed.wrong is not None:  # as the series of its speed says
        return Value(**base, missing="its results are wrong")
    if not mine:
        return Value(**base, missing=speed.missing or why_unmeasured(own))
    pairs = in_rounds(mine, joules(other))
    return Value(
        **base,
        value=centre([logs.middle for logs in mine.values()]),
        ratio=centre(pairs) if pairs else None,
        reference=speed.reference if pairs else None,
    )


def in_rounds(own: ByRound, other: ByRound) -> list[float]:
    """The differences from the other side, round by round; in turns, of adjacent repetitions."""
    return [value for round_, value in differences(own, other).items() if round_ >= 0]


def joules(samples: Iterable[Sample]) -> ByRound:
    """The logarithm of 1/J of each round whose energy is known."""
    found = {}
    for at, sample in enumerate(samples):
        readings = [run.counters[TOTAL] for run in sample.runs]
        known = [r.joules for r in readings if r.measured and r.joules is not None]
        if sample.speed is not None and known and len(known) == len(readings):
            round_ = -1 - at if sample.round is None else sample.round
            found[round_] = Logs(-log(median(known)))
    return found


def why_unmeasured(samples: Iterable[Sample]) -> str:
    readings = (run.counters[TOTAL] for sample in samples for run in sample.runs)
    reason = next((reading.reason for reading in readings if reading.reason), None)
    return "its energy was not measured" + (f": {reason}" if reason else "")


def logs(samples: Iterable[Sample]) -> ByRound:
    """The logarithms of each valid sample, by round; below 0 where there are no rounds."""
    return {
        (-1 - at if sample.round is None else sample.round): sample.logs
        for at, sample in enumerate(samples)
        if sample.speed is not None and sample.speed > 0 and isfinite(sample.speed)
    }


def centre(values: Sequence[float]) -> float:
    """Hodges and Lehmann's estimate."""
    found = np.asarray(values)
    if len(found) > MOST_PAIRS:
        return float(np.median(found))
    i, j = np.triu_indices(len(found))
    return float(np.median((found[i] + found[j]) / 2))


def ran_as(identity: Identity) -> Ran:
    host, compiler = identity.host, identity.compiler
    return Ran(
        runtime=identity.runtime["name"],
        version=identity.runtime["version"],
        build_id=identity.runtime["build_id"],
        compiler=f"{compiler['name']} {compiler['version']}",
        machine=f"{host['hostname']} ({host['cpu'] or 'unknown processor'}, {host['allowed']})",
    )


def why_wrong(samples: Sequence[Sample]) -> str | None:
    """What shows that a series is not right: a check, a crash, a hang."""
    bad = [sample for sample in samples if sample.outcome in FAULTS]
    if not bad:
        return None
    first = min(bad, key=lambda sample: FAULTS.index(sample.outcome))
    problem = f": {first.problem}" if first.problem else ""
    return f"{len(bad)} of {len(samples)} runs failed ({first.outcome}{problem})"


def why_missing(dataset: Dataset, key: str, samples: Sequence[Sample]) -> str:
    if (reason := dataset.unavailable.get(origin(key))) is not None:
        return f"cannot run: {reason}"
    refused = next((s for s in samples if s.outcome is Outcome.REFUSED), None)
    if refused is not None:
        return f"refused: {refused.problem or 'no reason given'}"
    return "no valid sample"


def digests_of(samples: Iterable[Sample]) -> dict[int, str]:
    """Those of verified samples, by seed; a few of them."""
    found = {seed: digest for s in samples if s.verified for seed, digest in s.digests}
    return {seed: found[seed] for seed in sorted(found)[:SEEDS]}
