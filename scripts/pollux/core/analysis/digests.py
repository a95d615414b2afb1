# SPDX-License-Identifier: BSD-3-Clause
"""Finds samples whose factors should agree bit for bit and do not.

Only samples whose check was made and passed have a vote, and a majority decides nothing: a fault
that two runtimes share would outvote the one that is right. What decides is a sequential run, in
which no runtime orders tasks. Where there is none, nobody who disagrees is trusted.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from pollux.core.analysis.axes import runs_tasks
from pollux.core.analysis.dataset import Dataset, Identity
from pollux.core.analysis.result import Agreement, Disagreement
from pollux.core.analysis.sample_columns import Coded
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.samples import Flags
from pollux.core.parameters import in_words

SEQUENTIAL = "the sequential run"
VERIFIED = "the verified runs"
WRONG = "wrong digest: its speed means nothing"
ERRATIC = "its own digests differ for one seed: its speed means nothing"
DISPUTED = "digests differ, and which are right is not decided: its speed means nothing"


@dataclass(frozen=True, eq=False)
class Kind:
    """What determines the factors' bits, besides the seed; there is one object of each."""

    work: tuple[object, ...]  # the digest group, its input, sizes
    arithmetic: tuple[object, ...]  # version of the BLAS, its kernels, those of the suite


# A kind and a seed, or the first of several that always come together: all factors of a place must
# be equal.
Place = tuple[Kind, int]
Ballot = tuple[tuple[int, str], ...]  # the seeds and digests of a sample


@dataclass
class Poll:
    """Who has computed which factors of one place: configurations by digest."""

    voters: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    others: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))

    def enter(self, digest: str, other: "Poll") -> None:
        """The voters and others of another one, whatever its digests."""
        for own, theirs in ((self.voters, other.voters), (self.others, other.others)):
            for keys in theirs.values():
                own[digest] |= keys

    @property
    def is_contested(self) -> bool:
        """Whether there are several digests."""
        return len(self.voters.keys() | self.others.keys()) > 1

    def holders(self) -> dict[str, list[str]]:
        """Voters first."""
        digests = dict.fromkeys([*self.voters, *self.others])
        return {d: list({**self.voters.get(d, {}), **self.others.get(d, {})}) for d in digests}


@dataclass(frozen=True)
class Votes:
    """The digests of a configuration's samples."""

    digests: Coded
    verified: Flags


@dataclass
class Digests:
    """What the digests of all samples show, of disturbed ones too: speed aside, they are valid."""

    polls: dict[Place, Poll] = field(default_factory=lambda: defaultdict(Poll))
    kinds: dict[str, list[Kind]] = field(default_factory=dict)  # by key of a configuration
    distrusted: dict[str, str] = field(default_factory=dict)  # by key: why
    disagreements: list[Disagreement] = field(default_factory=list)
    places: dict[str, set[Place]] = field(default_factory=lambda: defaultdict(set))  # of voters
    unverified: set[str] = field(default_factory=set)  # keys with samples that were not verified

    @property
    def unchecked(self) -> set[str]:
        """Keys with several sizes, BLAS or kernels: which digest is which is not known."""
        return {key for key, known in self.kinds.items() if len(known) > 1}

    def work(self, key: str) -> set[tuple[object, ...]]:
        return {kind.work for kind in self.kinds.get(key, ())}

    def agreements(self, levels: Mapping[str, str]) -> dict[str, Agreement]:
        """What the digests of each configuration show; `levels` has the level of each.

        They agree if they were compared across levels or, where no other level has comparable
        ones, with those of another configuration.
        """
        across = levels_by_work(self, levels)
        comparable = {
            key: set().union(*(across[work] for work in self.work(key))) for key in self.kinds
        }
        found = dict.fromkeys(self.kinds, Agreement.NOTHING)
        for poll in self.polls.values():
            present = {levels[key] for keys in poll.voters.values() for key in keys}
            for keys in poll.voters.values():
                for key in keys if len(keys) > 1 else ():
                    if len(present) > 1 or len(comparable[key]) == 1:
                        found[key] = Agreement.AGREE
        found |= dict.fromkeys(self.unverified, Agreement.UNVERIFIED)
        return found | dict.fromkeys(self.distrusted, Agreement.DIFFER)


def levels_by_work(
    digests: Digests, levels: Mapping[str, str]
) -> dict[tuple[object, ...], set[str]]:
    found: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for key in digests.kinds:
        for work in digests.work(key):
            found[work].add(levels[key])
    return found


def check_digests(dataset: Dataset, names: Mapping[str, str]) -> Digests:
    """Compare the digests of all samples; `names` has the name of each configuration."""
    known: dict[tuple[object, ...], Kind] = {}
    found = Digests(kinds={key: kinds_of(dataset, key, known) for key in dataset.configurations})
    columns = dataset.columns
    failed = columns.counts(columns.outcome.among({Outcome.FAILED_CHECK}))
    ballots: dict[Kind, dict[int, Poll]] = defaultdict(lambda: defaultdict(Poll))
    for key, places in columns.by_configuration(np.flatnonzero(columns.is_ok)).items():
        if not failed[key]:
            count(
                found, ballots, key, Votes(columns.digests.chosen(places), columns.verified[places])
            )
    for kind, cast in ballots.items():
        add_polls(found, kind, {columns.digests.table[code]: cast[code] for code in cast})
    sequential = {k for k, c in dataset.configurations.items() if not runs_tasks(c)}
    contested = {place: poll for place, poll in found.polls.items() if poll.is_contested}
    for poll in contested.values():
        find_erratic(found, poll)
    rights = {place: by_sequential(found, poll, sequential) for place, poll in contested.items()}
    for place, poll in contested.items():
        distrust(found, poll, rights[place])
    for place, poll in contested.items():
        judge(found, place, rights[place], poll, names)
    found.disagreements.sort(key=lambda d: (d.group, d.tiling, d.seed))
    return found


def count(found: Digests, ballots: Mapping[Kind, Mapping[int, Poll]], key: str, own: Votes) -> None:
    """Enter each sample among those with the same seeds and digests."""
    if not own.verified.all():
        found.unverified.add(key)
    known = found.kinds[key]
    if len(known) != 1:
        return
    cast = ballots[known[0]]
    for code, is_verified in zip(own.digests.codes.tolist(), own.verified.tolist(), strict=True):
        if own.digests.table[code]:
            poll = cast[code]
            (poll.voters if is_verified else poll.others)[""][key] = None


def add_polls(found: Digests, kind: Kind, ballots: Mapping[Ballot, Poll]) -> None:
    """A poll for each ballot, if no seed is on two of them; else one for each seed."""
    has_seeds = is_random(kind)
    seeds = [seed for ballot in ballots for seed, _ in ballot]
    is_apart = has_seeds and len(set(seeds)) == len(seeds)
    for ballot, cast in ballots.items():
        for seed, digest in ballot[:1] if is_apart else ballot:
            place = kind, seed if has_seeds else 0
            found.polls[place].enter(digest, cast)
            for keys in cast.voters.values():
                for key in keys:
                    found.places[key].add(place)


def find_erratic(found: Digests, poll: Poll) -> None:
    """Factors of one seed never differ from run to run: who differs from itself is wrong."""
    seen: set[str] = set()
    for keys in poll.holders().values():
        found.distrusted |= dict.fromkeys(seen & set(keys), ERRATIC)
        seen |= set(keys)


def by_sequential(found: Digests, poll: Poll, sequential: set[str]) -> str | None:
    """The digest of the verified sequential runs, if they have but one."""
    digests = [
        digest
        for digest, keys in poll.voters.items()
        if any(key in sequential and key not in found.distrusted for key in keys)
    ]
    return digests[0] if len(digests) == 1 else None


def distrust(found: Digests, poll: Poll, right: str | None) -> None:
    """Whoever differs from the digest that is right is wrong."""
    for digest, keys in poll.holders().items():
        if right not in (None, digest):
            for key in keys:
                found.distrusted.setdefault(key, WRONG)


def judge(
    found: Digests, place: Place, right: str | None, poll: Poll, names: Mapping[str, str]
) -> None:
    """Decide a place without those that are known to be wrong elsewhere."""
    holders = poll.holders()
    by = None if right is None else SEQUENTIAL
    if right is None:
        voting = not_refuted(found, poll.voters)
        if len(voting) == 1:
            right, by = voting[0], VERIFIED
            distrust(found, poll, right)
        else:
            for key in keys_of(holders):
                found.distrusted.setdefault(key, DISPUTED)
    kind, seed = place
    named = {d: list(dict.fromkeys(names[key] for key in keys)) for d, keys in holders.items()}
    found.disagreements.append(
        Disagreement(str(kind.work[0]), seed, tiling(kind), right, by, named, keys_of(holders))
    )


def keys_of(holders: Mapping[str, list[str]]) -> list[str]:
    return list(dict.fromkeys(key for keys in holders.values() for key in keys))


def not_refuted(found: Digests, voters: Mapping[str, Iterable[str]]) -> list[str]:
    """The digests of those that are not known to be wrong."""
    known = (WRONG, ERRATIC)
    return [
        digest
        for digest, keys in voters.items()
        if any(found.distrusted.get(key) not in known for key in keys)
    ]


def kinds_of(dataset: Dataset, key: str, known: dict[tuple[object, ...], Kind]) -> list[Kind]:
    """What a configuration's factors depend on; several if it ran as different things."""
    configuration = dataset.configurations[key]
    group = configuration.digest_group or configuration.benchmark
    given = matrix(configuration)
    ran = [i for i in dataset.identities.get(key, []) if i.tile is not None]
    parts = dict.fromkeys(((group, given, *sizes(i)), arithmetic(i)) for i in ran)
    return [known.setdefault(own, Kind(*own)) for own in parts]


def sizes(identity: Identity) -> tuple[object, ...]:
    own = in_words(identity.parameters)
    return identity.m, identity.n, identity.tile, identity.ib, own


def arithmetic(identity: Identity) -> tuple[object, ...]:
    return identity.blas_in_words, identity.kernels, identity.kernels_isa


def matrix(configuration: Configuration) -> str:
    """The input of a configuration: a file's path, or "random"."""
    arguments = configuration.arguments
    for option, value in zip(arguments, [*arguments[1:], ""], strict=False):
        if option == "--matrix":
            return value
        if option.startswith("--matrix="):
            return option.partition("=")[2]
    return "random"


def is_random(kind: Kind) -> bool:
    """Whether the seed determines the input; a file is the same for all seeds."""
    return kind.work[1] == "random"


def tiling(kind: Kind) -> str:
    _, given, m, n, tile, ib, own = kind.work
    shape = f"N={n}" if m == n else f"M={m} N={n}"
    inner = "" if ib is None else f", IB={ib}"
    source = "" if given == "random" else f", {given}"
    parameters = f", {own}" if own else ""
    return f"{shape}, NB={tile}{inner}{parameters}{source}"
