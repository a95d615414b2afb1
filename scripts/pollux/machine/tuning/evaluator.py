# SPDX-License-Identifier: BSD-3-Clause
"""Runs candidates in fresh processes, keeps every run as a record, and compares their digests."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import (
    BlockEnd,
    BlockStart,
    Configuration,
    ConfigurationLine,
    Outcome,
    SampleLine,
)
from pollux.core.campaign.machine_load import Usage, read_usage, shares
from pollux.core.campaign.needs import with_needs
from pollux.core.campaign.reading import read_lines
from pollux.core.campaign.sampling import Order, Place, take_rota, take_sample, to_line
from pollux.core.campaign.taking import lacking_now
from pollux.core.grouping import grouped
from pollux.core.interruption import held
from pollux.core.parameters import frozen
from pollux.core.tiles import tile_of
from pollux.machine.tuning.candidates import Candidate
from pollux.machine.tuning.search import Failure, Measure
from pollux.machine.tuning.targets import CHECK, Target

# A candidate that takes this many times as long as the fastest cannot win: it is stopped.
HOPELESS = 20
LEAST_SECONDS = 10.0


class Evaluator:
    """Measures the candidates of one target after the other, and writes a journal of all runs.

    Runs that a resumed journal already contains are not repeated: a search is deterministic and
    requests the same runs in the same order. Those that took turns are in it all or not at all.
    """

    def __init__(self, journal: Journal, seed: int, seconds_limit: float) -> None:
        self.journal = journal
        self.seed = seed
        self.seconds_limit = seconds_limit
        self.earlier = read_samples(journal.path)
        self.first_round = 0  # of this target: rounds are counted through the whole journal
        self.next_round = 0
        self.digests: dict[tuple[object, ...], tuple[str, str]] = {}
        self.disputed: set[tuple[object, ...]] = set()
        self.begin(None)

    def begin(self, target: Target | None) -> None:
        self.target = target
        self.first_round = self.next_round
        self.samples: dict[Candidate, list[SampleLine]] = {}
        self.usage: Usage | None = None
        self.resumed = 0  # runs of this target that the journal had
        self.block: int | None = None
        self.foreign: float | None = None  # share of the processors that others used

    @contextmanager
    def measuring(self, target: Target) -> Iterator[Measure]:
        """A block of the journal; gives the function to call for each run in it."""
        self.begin(target)
        try:
            yield self.measure
        finally:
            self.end_block()

    def measure(
        self, candidates: Sequence[Candidate], round_: int, count: int
    ) -> list[list[float] | Failure]:
        """Candidates in so many rounds, in turns."""
        assert self.target is not None
        place = self.first_round + round_
        self.next_round = max(self.next_round, place + count)
        configurations = [self.target.configuration(candidate) for candidate in candidates]
        earlier = [self.earlier.get((c.hash(), place), []) for c in configurations]
        if all(earlier):
            samples = [own[-1] for own in earlier]
            self.resumed += count * len(samples)
        else:
            attempt = max(map(len, earlier))
            samples = self.take(configurations, place, (self.seed + round_, count), attempt)
        for candidate, sample in zip(candidates, samples, strict=True):
            self.samples.setdefault(candidate, []).append(sample)
        return [self.judge(sample) for sample in samples]

    def take(
        self,
        configurations: Sequence[Configuration],
        place: int,
        inputs: tuple[int, int],
        attempt: int,
    ) -> list[SampleLine]:
        """A fresh process of each; `inputs` are the first seed and the number of repetitions."""
        seed, count = inputs
        for c in configurations:
            if c.hash() not in self.journal.known.configurations:
                self.journal.append(ConfigurationLine(hash=c.hash(), configuration=c))
        block, rota = self.begin_block(), self.journal.known.next_rota
        orders = [Order(c, seed, count, self.limit(count)) for c in configurations]
        started, began = time.time_ns(), time.monotonic()
        with held():
            if fit_together(configurations):
                taken = take_rota(orders, random.Random(f"{seed} {place}"))
            else:
                taken = [take_sample(order) for order in orders]
            spent = sum(one.seconds for one in taken)
            overhead = max(0.0, time.monotonic() - began - spent) / len(taken)
            samples = [
                to_line(one, Place(c.hash(), place, attempt, block, rota), started, overhead)
                for c, one in zip(configurations, taken, strict=True)
            ]
            self.journal.append(*samples)
        return samples

    def limit(self, count: int) -> float:
        """Seconds that a process of so many runs may take."""
        good = [
            s.process_seconds / len(s.records)
            for own in self.samples.values()
            for s in own
            if is_good(s)
        ]
        patience = LEAST_SECONDS + HOPELESS * count * min(good) if good else inf
        return min(self.seconds_limit * count, patience)

    def judge(self, sample: SampleLine) -> list[float] | Failure:
        """The speeds of a process, unless it failed or factors differ from another runtime's."""
        if not is_good(sample) or any(record["gflops"] is None for record in sample.records):
            return Failure(f"{sample.outcome}: {sample.problem or 'no speed'}")
        for record in sample.records:
            if (problem := self.disagreement(record)) is not None:
                return Failure(problem)
        return [record["gflops"] for record in sample.records]

    def disagreement(self, record: dict[str, Any]) -> str | None:
        """Compare factors with all others of equal input, tiling and kernels."""
        assert self.target is not None
        if record.get("digest") is None:
            return None
        sizes = (record["n"], tile_of(record), record["ib"], frozen(record["parameters"]))
        tiling = (record["digest_group"], record["kernels"], *sizes)
        blas = (record["blas"]["version"], record["blas"]["core"])
        who = f"{self.target.variant} on {self.target.runtime}"
        digest, other = self.digests.setdefault(
            (*tiling, record["seed"], record["kernels_isa"], *blas), (record["digest"], who)
        )
        if digest == record["digest"]:
            return None
        self.disputed.add(tiling)
        return f"digest of seed {record['seed']} differs from that of {other}"

    def is_disputed(self, tiling: tuple[object, ...]) -> bool:
        """Whether runs of this digest group, kernel set, N, tile, IB and parameters differed."""
        return tiling in self.disputed

    def begin_block(self) -> int:
        """The block of this target, which begins at its first run that is not from the journal."""
        if self.block is None:
            self.block = self.journal.known.next_block
            self.journal.append(
                BlockStart(block=self.block, unix_ns=time.time_ns(), calibration=None)
            )
            self.usage = read_usage()
        return self.block

    def end_block(self) -> None:
        if self.block is None:
            return
        seen = shares(self.usage, read_usage())
        self.foreign = seen.foreign if seen else None
        self.journal.append(
            BlockEnd(
                block=self.block,
                unix_ns=time.time_ns(),
                calibration=None,
                foreign_cpu=self.foreign,
                steal=seen.steal if seen else None,
                disturbed=False,
                reasons=[],
            )
        )


def fit_together(configurations: Sequence[Configuration]) -> bool:
    """Whether a process of each can be there at the same time."""
    return lacking_now(with_needs(configurations, CHECK)) is None


def is_good(sample: SampleLine) -> bool:
    return sample.outcome is Outcome.OK


def read_samples(path: Path) -> dict[tuple[str, int], list[SampleLine]]:
    """The runs in a journal, by configuration and round."""
    samples = (line for _, line in read_lines(path) if isinstance(line, SampleLine))
    return grouped(samples, lambda sample: (sample.configuration, sample.round))
