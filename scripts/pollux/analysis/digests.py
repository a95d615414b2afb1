# SPDX-License-Identifier: BSD-3-Clause
"""Finds samples whose factors should agree bit for bit and do not."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from pollux.analysis.dataset import Dataset
from pollux.analysis.result import Disagreement
from pollux.campaign.lines import Configuration

# What determines the factors' bits, besides the seed: the group and its input, sizes, BLAS kernels.
Kind = tuple[object, ...]


@dataclass
class Digests:
    """What the digests of all samples show, of disturbed ones too: speed aside, they are valid."""

    agree: dict[str, bool] = field(default_factory=dict)  # by key; absent: nothing to compare with
    wrong: set[str] = field(default_factory=set)  # keys of configurations once in a minority
    doubtful: set[str] = field(
        default_factory=set
    )  # differ, without a majority to show which are right
    unchecked: set[str] = field(default_factory=set)  # keys with several sizes or BLAS kernels
    disagreements: list[Disagreement] = field(default_factory=list)


def check_digests(dataset: Dataset, names: Mapping[str, str]) -> Digests:
    """Compare the digests of all samples; `names` has the name of each configuration."""
    found = Digests()
    votes: dict[tuple[Kind, int], Counter[tuple[str, str]]] = defaultdict(Counter)
    kinds = {key: kinds_of(dataset, key) for key in dataset.configurations}
    found.unchecked = {key for key, known in kinds.items() if len(known) > 1}
    for sample in dataset.samples:
        known = kinds[sample.configuration]
        if len(known) == 1:
            for seed, digest in sample.digests:
                votes[known[0], seed][digest, sample.configuration] += 1
    for (kind, seed), counts in votes.items():
        count_votes(found, kind, seed, counts, names)
    found.disagreements.sort(key=lambda d: (d.group, d.tiling, d.seed))
    return found


def kinds_of(dataset: Dataset, key: str) -> list[Kind]:
    """What a configuration's factors depend on; several if it ran as different things."""
    configuration = dataset.configurations[key]
    group = configuration.digest_group or configuration.benchmark
    given = matrix(configuration)
    return list(
        dict.fromkeys(
            (group, given, i.m, i.n, i.tile, i.ib, i.blas["version"], i.blas["core"])
            for i in dataset.identities.get(key, [])
        )
    )


def matrix(configuration: Configuration) -> str:
    """The input of a configuration: a file's path, or "random"."""
    arguments = configuration.arguments
    for option, value in zip(arguments, [*arguments[1:], ""], strict=False):
        if option == "--matrix":
            return value
        if option.startswith("--matrix="):
            return option.partition("=")[2]
    return "random"


def count_votes(
    found: Digests,
    kind: Kind,
    seed: int,
    counts: Counter[tuple[str, str]],
    names: Mapping[str, str],
) -> None:
    """Compare the digests of one kind and seed, each sample with a vote."""
    keys = {key for _, key in counts}
    totals: Counter[str] = Counter()
    for (digest, _), count in counts.items():
        totals[digest] += count
    if len(totals) == 1:
        if totals.total() > 1:
            for key in keys:
                found.agree.setdefault(key, True)
        return
    (first, most), (_, second) = totals.most_common(2)
    majority = first if most > second else None
    holders: dict[str, list[str]] = {digest: [] for digest, _ in totals.most_common()}
    for digest, key in counts:
        if names[key] not in holders[digest]:
            holders[digest].append(names[key])
        if majority is None:
            found.doubtful.add(key)
            found.agree[key] = False
        elif digest != majority:
            found.wrong.add(key)
            found.agree[key] = False
        else:
            found.agree.setdefault(key, True)
    found.disagreements.append(Disagreement(str(kind[0]), seed, tiling(kind), majority, holders))


def tiling(kind: Kind) -> str:
    _, given, m, n, tile, ib, *_ = kind
    sizes = f"N={n}" if m == n else f"M={m} N={n}"
    inner = "" if ib is None else f", IB={ib}"
    source = "" if given == "random" else f", {given}"
    return f"{sizes}, NB={tile}{inner}{source}"
