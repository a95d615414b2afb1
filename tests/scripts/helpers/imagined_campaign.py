# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns whose processes are imagined: their speeds follow from a seed, and so does their time.

Two runtimes are compared in a cell for each matrix order. All else, from the plan to the records,
is what `pollux run` does.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp, inf
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Verdict
from pollux.core.analysis.stopping import Standings
from pollux.core.campaign import engine, taking
from pollux.core.campaign.engine import Engine
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import Configuration, End, Needs, Outcome, SampleLine, Start
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.progress import Quiet
from pollux.core.campaign.pursuit import Goal, Pursuit
from pollux.core.campaign.reading import read_lines
from pollux.core.campaign.sampling import Order, Taken
from pollux.core.campaign.series import comparisons_of
from pollux.core.console import make_console
from pollux.core.executables import variables
from run_record import record, with_speed

RUNTIMES = ("libgomp", "libomp")
RELEVANT = 0.03
RATE = {"unit": "GFlop/s", "better": "more"}
PROCESS_SECONDS = 0.1
READY_SECONDS = 0.04  # of these, until the first repetition
Truth = dict[int, tuple[float, float]]  # by order: how much faster the other is, and the noise
TRUTH: Truth = {512: (0.3, 0.01), 1024: (0.0, 0.01), 2048: (-0.05, 0.06)}
TRUE_VERDICTS = {512: Verdict.BETTER, 1024: Verdict.NO_DIFFERENCE, 2048: Verdict.WORSE}
Name = tuple[str, int]  # of a configuration: its runtime, and the order
Take = Callable[[Order], Taken]
Kind = TypeVar("Kind", bound=Engine)


class Imagined:
    """A campaign that can be run, and run again, in a folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, truth: Truth) -> None:
        self.path = folder / "trial.jsonl"
        self.patch = monkeypatch.setattr
        self.truth = dict(truth)
        self.clock = 0.0
        self.lacking: set[Name] = set()  # what the plan leaves out
        self.alone: set[Name] = set()  # those that take no turns, though they are asked to
        self.asked: Counter[Name] = Counter()  # to take turns
        self.terms: dict[str, tuple[float, float]] = {}  # further quantities, as the truth
        self.decide: list[str] = []  # of these
        self.launcher: list[str] = []
        self.turbo: dict[int, str] = {}  # by order: a lever
        self.patch(time, "monotonic", lambda: self.clock)
        self.patch(variables, "processors_of_quota", lambda: None)  # nor do those of its groups
        for room in ("memory_available", "threads_available", "files_available"):
            self.patch(taking, room, lambda: inf)

    def plan(self, **keys: object) -> Plan:
        contents: dict[str, object] = {"name": "trial", "grid": {"size": [*self.truth]}}
        contents["blocks"] = {"repeat_budget": 0}  # whatever disturbs the machine of the tests
        configurations = [
            Configuration(
                **{"runtime": runtime, "benchmark": "lu", "variant": "depend"},
                **{"kernels": "openblas", "size": size},
                launcher=self.launcher,
                turbo=self.turbo.get(size),
                needs=Needs(threads=2, bytes=8 * size**2, flops=1e9, tasks=1),
            )
            for size in self.truth
            for runtime in RUNTIMES
            if (runtime, size) not in self.lacking
        ]
        campaign = Campaign.model_validate(contents | keys)
        terms = {"lu": self.decide}
        return Plan(campaign, configurations, [], None, terms=terms, every=configurations)

    def taken(self, order: Order) -> Taken:
        """A run whose speed is a function of what it runs and of its seed."""
        c = order.configuration
        true, noise = self.truth[c.size]
        rng = random.Random(f"{c.runtime} {c.size} {order.seed}")

        def draw(true: float, noise: float) -> float:
            return 50 * exp(true * (c.runtime == RUNTIMES[1]) + rng.gauss(0, noise))

        one = record(cell_of(c), c.runtime, order.seed, draw(true, noise))
        terms = {name: {"value": draw(*own), **RATE} for name, own in self.terms.items()}
        made = [one | {"quantities": one["quantities"] | terms}] * order.repetitions
        return Taken(Outcome.OK, None, None, [], PROCESS_SECONDS, made)

    def imagine(self, take: Take | None) -> None:
        """Let samples be taken by this from now on, in turns or apart."""

        def sample(order: Order) -> Taken:
            self.clock += PROCESS_SECONDS
            return (take or self.taken)(order)

        def rota(orders: Sequence[Order], rng: random.Random) -> list[Taken]:
            drawn = rng.sample(range(len(orders)), len(orders))
            found = {at: self.in_rota(orders[at], sample) for at in drawn}
            return [found[at] for at in range(len(orders))]

        self.patch(engine, "take_sample", sample)
        self.patch(engine, "take_rota", rota)

    def in_rota(self, order: Order, sample: Take) -> Taken:
        name = order.configuration.runtime, order.configuration.size
        self.asked[name] += 1
        return sample(order) if name in self.alone else in_turns(sample(order))

    def run(self, take: Take | None = None, budget: float = 600.0, **keys: object) -> Pursuit:
        """Run or resume it until all is decided."""
        self.imagine(take)
        plan = self.plan(until_decided=RELEVANT, **keys)
        goals: dict[str, Any] = {"until_decided": RELEVANT, "budget": budget}
        journal = self.open_journal(plan, **goals, decide=self.decide)
        comparisons = comparisons_of(plan)
        goal = Goal(comparisons, Standings(RELEVANT, comparisons.levels), budget)
        ended = run_engine(Pursuit(plan, journal, Quiet(make_console()), goal))
        with self.path.open("a") as file:
            line = End(unix_ns=2, complete=True, stopped=ended.stopped)
            file.write(line.model_dump_json(by_alias=True) + "\n")
        return ended

    def run_fixed(self, take: Take | None = None, **keys: object) -> Engine:
        """Run or resume it with a fixed number of processes."""
        self.imagine(take)
        plan = self.plan(**keys)
        return run_engine(Engine(plan, self.open_journal(plan), Quiet(make_console())))

    def open_journal(self, plan: Plan, **goal: object) -> Journal:
        journal = Journal(self.path)
        journal.append(
            Start(
                **{"unix_ns": 1, "pollux": "0", "name": "trial", "summary": ""},
                **{"by": plan.campaign.by, "reference": plan.reference},
                **{"processes": 12, "configurations": 6},
                **{"file": None, "text": ""},
                **goal,
            )
        )
        return journal

    def lines(self) -> list[SampleLine]:
        return [line for _, line in read_lines(self.path) if isinstance(line, SampleLine)]

    def samples(self) -> Counter[tuple[str, int]]:
        return Counter((line.configuration, line.round) for line in self.lines())

    def verdicts(self) -> dict[int, Verdict]:
        rows = compare(load([self.path])).rows
        return {r.configuration.size: r.comparison.verdict for r in rows if r.level == RUNTIMES[1]}


def run_engine(started: Kind) -> Kind:
    try:
        started.run()
    finally:
        started.journal.close()
    return started


def in_turns(taken: Taken) -> Taken:
    is_ok = taken.outcome is Outcome.OK
    return replace(taken, in_turns=is_ok, ready_seconds=READY_SECONDS if is_ok else None)


def cell_of(c: Configuration) -> tuple[str, str, int, int]:
    return "lu", "depend", c.size, 64


def with_gflops(taken: Taken, gflops: Sequence[float]) -> Taken:
    """The same run, with these speeds of its repetitions, one after the other."""
    records: list[dict[str, Any]] = []
    for i, (line, speed) in enumerate(zip(taken.records, gflops, strict=True)):
        seconds, begin = line["flops"] / speed / 1e9, int(1e7 * i)
        own = {"seconds": seconds, "gflops": speed, "repetition": i, "seed": line["seed"] + i}
        own |= {"start_unix_ns": begin, "end_unix_ns": begin + int(1e9 * seconds)}
        records.append(with_speed(line | own))
    return replace(taken, records=records)
