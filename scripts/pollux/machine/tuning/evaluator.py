# SPDX-License-Identifier: BSD-3-Clause
"""Runs candidates in fresh processes, keeps every run as a record, and compares their digests."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from pollux.core.campaign.reading import read_lines
from pollux.core.campaign.sampling import Place, take_sample, to_line
from pollux.core.interruption import held
from pollux.core.parameters import frozen
from pollux.core.records import median_gflops
from pollux.core.tiles import tile_of
from pollux.machine.tuning.candidates import Candidate
from pollux.machine.tuning.search import Failure
from pollux.machine.tuning.targets import Target

# A candidate that takes this many times as long as the fastest cannot win: it is stopped.
HOPELESS = 20
LEAST_SECONDS = 10.0


class Evaluator:
    """Measures the candidates of one target after the other, and writes a journal of all runs.

    Runs that a resumed journal already contains are not repeated: a search is deterministic and
    requests the same runs in the same order. Only the last round, which may have been cut short,
    is repeated, since speeds are compared within rounds.
    """

    def __init__(self, journal: Journal, seed: int, seconds_limit: float) -> None:
        self.journal = journal
        self.seed = seed
        self.seconds_limit = seconds_limit
        self.earlier = read_samples(journal.path)
        self.last_earlier = max((round_ for _, round_ in self.earlier), default=0)
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
        self.block: int | None = None
        self.foreign: float | None = None  # share of the processors that others used

    @contextmanager
    def measuring(self, target: Target) -> Iterator[Callable[[Candidate, int], float | Failure]]:
        """A block of the journal; gives the function to call for each run in it."""
        self.begin(target)
        try:
            yield self.measure
        finally:
            self.end_block()

    def measure(self, candidate: Candidate, round_: int) -> float | Failure:
        assert self.target is not None
        configuration = self.target.configuration(candidate)
        place = self.first_round + round_
        self.next_round = max(self.next_round, place + 1)
        earlier = self.earlier.get((configuration.hash(), place), [])
        if earlier and place < self.last_earlier:
            sample = earlier[-1]
        else:
            sample = self.take(configuration, place, self.seed + round_, len(earlier))
        self.samples.setdefault(candidate, []).append(sample)
        return self.judge(sample)

    def take(self, configuration: Configuration, place: int, seed: int, attempt: int) -> SampleLine:
        """One fresh process."""
        hash_ = configuration.hash()
        if hash_ not in self.journal.known.configurations:
            self.journal.append(ConfigurationLine(hash=hash_, configuration=configuration))
        block = self.begin_block()
        started, began = time.time_ns(), time.monotonic()
        with held():
            taken = take_sample(configuration, seed, 1, self.limit())
            overhead = max(0.0, time.monotonic() - began - taken.seconds)
            sample = to_line(taken, Place(hash_, place, attempt, block), started, overhead)
            self.journal.append(sample)
        return sample

    def limit(self) -> float:
        """Seconds that a run may take."""
        good = [s.process_seconds for own in self.samples.values() for s in own if is_good(s)]
        patience = LEAST_SECONDS + HOPELESS * min(good) if good else self.seconds_limit
        return min(self.seconds_limit, patience)

    def judge(self, sample: SampleLine) -> float | Failure:
        """The speed of a run, unless it failed or its factors differ from another runtime's."""
        gflops = median_gflops(sample.records) if is_good(sample) else None
        if gflops is None:
            return Failure(f"{sample.outcome}: {sample.problem or 'no speed'}")
        for record in sample.records:
            if (problem := self.disagreement(record)) is not None:
                return Failure(problem)
        return gflops

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
            (*tiling, record["seed"], *blas), (record["digest"], who)
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
            self.block = self.journal.known.next_block()
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


def is_good(sample: SampleLine) -> bool:
    return sample.outcome is Outcome.OK


def read_samples(path: Path) -> dict[tuple[str, int], list[SampleLine]]:
    """The runs in a journal, by configuration and round."""
    found: dict[tuple[str, int], list[SampleLine]] = {}
    for _, line in read_lines(path):
        if isinstance(line, SampleLine):
            found.setdefault((line.configuration, line.round), []).append(line)
    return found
