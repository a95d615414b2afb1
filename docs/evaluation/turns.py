#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare processes that take turns with processes that run one after the other.

A runtime is compared with itself, or with another one, in rounds that hold both kinds: a rota,
whose processes take turns, and a pair of processes one after the other, in random order. Shown are
the deviation of a round's difference, the evidence that a second of each kind gives (the inverse of
variance times seconds), and two figures of which 1 is right: the ratio of the two sides in turns
where they are the same, and that of the times in turns to the times without. --apart 0 takes rotas
alone.

Exit status: 0 the ratio of equal sides holds 1 in its interval, or sides differ; 1 it does not.
"""

import argparse
import math
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median, stdev

import numpy as np
from neighbours import CONDITIONS, neighbours
from pollux.core.analysis.statistics import paired_shifts
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.plan import make_plan
from pollux.core.campaign.sampling import Order, Taken, take_rota, take_sample
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS, RESULTS
from pollux.core.quantities import first_of

TO_SIGMA = 1.4826
LIMIT = 120.0  # seconds of a process
CAMPAIGN = """\
name = "turns"
processes = 1

[runtimes.one]
preset = "{one}"

[runtimes.two]
preset = "{two}"

[grid]
benchmark = "{benchmark}"
variant = "{variant}"
threads = {threads}
{size}{tile}
"""


@dataclass
class Kind:
    """One way to take the samples of a round."""

    name: str
    differences: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)  # logarithms of the first side's medians

    def add(self, both: Sequence[Taken], in_turns: bool) -> None:
        one, two = (values_of(taken) for taken in both)
        turns = [math.log(b / a) for a, b in zip(one, two, strict=True)]
        apart = math.log(median(two) / median(one))
        self.differences.append(median(turns) if in_turns else apart)
        self.seconds.append(sum(taken.seconds for taken in both))
        self.values += [math.log(median(one)), math.log(median(two))]

    @property
    def deviation(self) -> float:
        center = median(self.differences)
        return TO_SIGMA * median(abs(x - center) for x in self.differences)

    @property
    def evidence(self) -> float:
        return 1 / (self.deviation**2 * mean(self.seconds))

    def line(self) -> str:
        low, high = interval(self.differences)
        return (
            f"{self.name:6} {len(self.differences):5} {100 * stdev(self.differences):7.2f} % "
            f"{100 * self.deviation:7.2f} % {mean(self.seconds):7.3f} s {self.evidence:9.0f}"
            f"   {math.exp(low):.4f} to {math.exp(high):.4f}"
        )


def values_of(taken: Taken) -> list[float]:
    """Of the headline, in each repetition."""
    if taken.outcome is not Outcome.OK:
        sys.exit(f"a run failed: {taken.problem}")
    name = first_of(taken.records)
    return [float(record["quantities"][name]["value"]) for record in taken.records]


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Of Hodges and Lehmann's estimate, 95 %."""
    found = paired_shifts(np.array(differences)[None])
    return float(found.low[0]), float(found.high[0])


def sides(args: argparse.Namespace, folder: Path) -> list[Configuration]:
    one, _, two = args.runtimes.partition(",")
    text = CAMPAIGN.format(
        one=one,
        two=two or one,
        benchmark=args.benchmark,
        variant=args.variant,
        threads=args.threads,
        size=f"size = {args.size}\n" if args.size else "",
        tile=f"tile = {args.tile}" if args.tile else "",
    )
    file = folder / "turns.toml"
    file.write_text(text)
    try:
        plan = make_plan(load_campaign(str(file), [], {}).campaign, BUILDS, RESULTS)
    except BadUsageError as error:
        sys.exit(str(error))
    return plan.configurations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--benchmark", default="cholesky")
    parser.add_argument("--variant", default="depend")
    parser.add_argument("--runtimes", default="libgomp", help="one, or two with a comma (libgomp)")
    parser.add_argument("--size", type=int)
    parser.add_argument("--tile", type=int)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--repetitions", type=int, default=15, help="of a process in turns (15)")
    parser.add_argument("--apart", type=int, default=3, help="of a process alone (3); 0: none")
    parser.add_argument("--condition", choices=CONDITIONS, default="quiet")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    turns, apart = Kind("turns"), Kind("apart")
    kinds = [turns, apart] if args.apart else [turns]
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder, neighbours(args.condition, args.seed):
        both = sides(args, Path(folder))
        settings: dict[str, dict[str, str]] = {}
        for round_ in range(args.rounds + 1):
            for kind in rng.sample(kinds, len(kinds)):
                count = args.repetitions if kind is turns else args.apart
                seed = args.seed + 100 * round_
                orders = [Order(c, seed, count, LIMIT, settings.get(c.hash(), {})) for c in both]
                if kind is turns:
                    taken = take_rota(orders, rng)
                else:
                    drawn = {at: take_sample(orders[at]) for at in rng.sample((0, 1), 2)}
                    taken = [drawn[0], drawn[1]]
                settings = {c.hash(): t.settings for c, t in zip(both, taken, strict=True)}
                if round_ > 0:  # processes of the first one restart themselves
                    kind.add(taken, kind is turns)
    print("kind  rounds  deviation   robust  seconds  evidence   ratio, 95 % interval")
    for kind in kinds:
        print(kind.line())
    if args.apart:
        shift = median(turns.values) - median(apart.values)
        print(
            f"evidence per second, turns to apart: {turns.evidence / apart.evidence:.1f}; value in "
            f"turns to apart: {math.exp(shift):.4f}"
        )
    low, high = interval(turns.differences)
    same = both[0].executable == both[1].executable
    sys.exit(0 if not same or low <= 0 <= high else 1)


if __name__ == "__main__":
    main()
