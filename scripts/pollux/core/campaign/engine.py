# SPDX-License-Identifier: BSD-3-Clause
"""Runs a campaign's plan to its end: blocks of samples, bracketed by calibrations."""

import random
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Protocol

from pollux.core.campaign.calibration import Limits, calibrate, disturbances, median_speed
from pollux.core.campaign.estimate import estimate_seconds, machine_with, time_limit
from pollux.core.campaign.journal import Journal, Levers, key_of
from pollux.core.campaign.lines import (
    BlockEnd,
    BlockStart,
    Calibration,
    Configuration,
    ConfigurationLine,
    Line,
    Outcome,
    Stopped,
    Unavailable,
)
from pollux.core.campaign.machine_load import read_usage, shares
from pollux.core.campaign.outlook import Outlook
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.repetitions import first
from pollux.core.campaign.sampling import Order, Place, Taken, take_rota, take_sample, to_line
from pollux.core.campaign.schedule import (
    Unit,
    first_units,
    is_given_up,
    repeat_units,
    repeats_taken,
)
from pollux.core.campaign.switch import Switch
from pollux.core.campaign.taking import taken_apart
from pollux.core.errors import MachineError
from pollux.core.executables.launcher import starts_elsewhere
from pollux.core.executables.process import LATE
from pollux.core.executables.stacks import GDB_SECONDS
from pollux.core.interruption import held
from pollux.core.levers import in_words

ASSUMED_GFLOPS = 10.0  # of a core, without a calibration
FIRST_CALIBRATIONS = 3  # before the first block, so that its median means something
BLOCKS = 10  # a short campaign has about so many, so that one can be repeated within the budget
SHORTEST_BLOCK = 2.0  # seconds; calibrating takes about a tenth of one


class Progress(Protocol):
    """Receives progress events; called between runs only."""

    def running(self, configuration: Configuration, state: "State") -> None: ...
    def taken(self, configuration: Configuration, taken: Taken) -> None: ...
    def block_ended(self, end: BlockEnd, state: "State") -> None: ...


@dataclass
class State:
    """How far the campaign has got."""

    total: int  # samples still to be taken and those taken
    done: int = 0
    seconds_left: float = 0.0
    block: int = 0
    decided: int = 0  # comparisons, where a campaign runs until they are
    comparisons: int = 0
    budget_left: float = 0.0  # seconds for them
    outlook: Outlook | None = None  # of the seconds until all are; None: it cannot be foreseen
    wander: float | None = None  # by which the speed of processes deviates, as a share


class Engine:
    """Runs what a journal lacks of a plan."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        progress: Progress,
        switch: Switch | None = None,
    ) -> None:
        self.plan = plan
        self.campaign = plan.campaign
        self.journal = journal
        self.known = journal.known
        self.progress = progress
        self.switch = switch or Switch()
        self.between: Callable[[], None] = lambda: None  # called after each block
        self.levers: Levers = ()  # that are set
        self.changed: set[str] = set()  # configurations whose files were replaced
        self.alone = taken_apart(plan)  # configurations whose processes take no turns
        self.cells = plan.cells()
        self.calibrations = self.known.calibrations()
        self.machine = machine_with(self.core_gflops())
        self.estimates: dict[str, float] = {}  # seconds of each configuration's first process
        self.settings: dict[str, dict[str, str]] = {}  # that processes make for themselves
        self.state = State(total=0)
        self.stopped = Stopped.COMPLETE
        self.overhead_from = time.monotonic()
        self.process_seconds_left = 0.0
        self.cut: set[str] = set()  # configurations ended since the time of the campaign is over
        self.is_elsewhere = False  # whether processes of a block are no descendants of this one

    def run(self) -> None:
        """Take every missing sample, then repeat those that were disturbed."""
        self.note_configurations()
        campaign = self.campaign
        units = list(first_units(self.cells, campaign.processes, campaign.seed, self.known))
        while units:
            self.run_units(units)
            units = self.repeats()

    def repeats(self) -> list[Unit]:
        processes, seed = self.campaign.processes, self.campaign.seed
        planned = sum(map(len, self.cells)) * processes
        spent = repeats_taken(self.cells, processes, self.known)
        budget = int(self.campaign.blocks.repeat_budget * planned) - spent
        wanted = [list(filter(self.is_wanted, cell)) for cell in self.cells]
        return repeat_units(list(filter(None, wanted)), processes, seed, self.known, budget)

    def note_configurations(self) -> None:
        """Record, before any sample, what each hash stands for."""
        known, impossible = self.known, self.plan.unavailable
        all_ = {c.hash(): c for c in chain(self.plan.configurations, (c for c, _ in impossible))}
        lines: list[Line] = [
            ConfigurationLine(hash=hash_, configuration=configuration)
            for hash_, configuration in all_.items()
            if hash_ not in known.configurations
        ]
        lines += [
            Unavailable(hash=configuration.hash(), reason=reason)
            for configuration, reason in impossible
            if configuration.hash() not in known.unavailable
        ]
        if lines:
            self.journal.append(*lines)

    def run_units(self, units: list[Unit]) -> None:
        """Run units block by block; adjacent blocks share the calibration between them."""
        queue = deque(units)
        before = self.prepare(units[0].levers, None)
        aim = self.block_seconds(units)
        while queue:
            block = list(self.take_block(queue, aim))
            if block:
                before = self.prepare(block[0].levers, before)
                self.count(block, queue)
                before = self.run_block(block, before or self.calibrate())

    def prepare(self, setting: dict[str, str], before: Calibration | None) -> Calibration | None:
        """Set levers for the next block, and calibrate the machine as it is then.

        The calibration before the block, if there is one: other levers have other speeds.
        """
        self.switch.set(setting)
        if key_of(setting) != self.levers:
            self.levers, before = key_of(setting), None
            self.note_speed()
        for _ in range(len(self.calibrations[self.levers]), FIRST_CALIBRATIONS):
            before = self.calibrate()
        return before

    def block_seconds(self, units: list[Unit]) -> float:
        """The target length of a block: as the campaign sets it, less in a short campaign."""
        whole = sum(self.expected_seconds(c) for unit in units for c in unit.configurations)
        return min(self.campaign.blocks.seconds, max(SHORTEST_BLOCK, whole / BLOCKS))

    def take_block(self, queue: deque[Unit], aim: float) -> Iterator[Unit]:
        """The next units for about `aim` seconds, without what is wanted no more."""
        seconds = 0.0
        first = queue[0].repeats, queue[0].levers
        while queue and seconds < aim and (queue[0].repeats, queue[0].levers) == first:
            unit = queue.popleft()
            wanted = tuple(c for c in unit.configurations if self.is_wanted(c))
            seconds += sum(map(self.expected_seconds, wanted))
            if wanted:
                yield Unit(unit.round, unit.attempt, wanted, unit.repeats)

    def is_wanted(self, configuration: Configuration) -> bool:
        is_changed = configuration.hash() in self.changed
        return not is_changed and not is_given_up(configuration, self.known)

    def run_block(self, units: list[Unit], before: Calibration | None) -> Calibration | None:
        """Run one block between two calibrations; the second is returned for the next block."""
        number = self.known.next_block
        self.journal.append(
            BlockStart(
                block=number,
                repeats=units[0].repeats,
                unix_ns=time.time_ns(),
                calibration=before,
                levers=units[0].levers,
            )
        )
        self.is_elsewhere, usage = False, read_usage()
        for unit in units:
            self.run_unit(unit, number)
        seen = shares(usage, read_usage())
        if seen is not None and self.is_elsewhere:
            seen = replace(seen, foreign=None)
        begun = time.monotonic()
        after = self.calibrate()
        self.overhead_from = time.monotonic()  # what follows counts for the next block
        beside = self.overhead_from - begun - (after.seconds if after else 0.0)
        self.overhead_from -= unless_stopped(beside, LATE)
        reference = median_speed(self.calibrations[self.levers])
        not_in_force = self.switch.problems()
        blocks = self.campaign.blocks
        limits = Limits(blocks.calibration_margin, blocks.foreign_cpu)
        reasons = disturbances(before, after, reference, seen, limits)
        reasons += not_in_force
        end = BlockEnd(
            block=number,
            unix_ns=time.time_ns(),
            calibration=after,
            reference_gflops=reference,
            foreign_cpu=seen.foreign if seen else None,
            steal=seen.steal if seen else None,
            disturbed=bool(reasons),
            reasons=reasons,
            in_force=not not_in_force,
        )
        self.journal.append(end)
        self.progress.block_ended(end, self.state)
        self.between()
        if not_in_force:
            raise MachineError(
                f"{in_words(units[0].levers)} was not in force in block {number}: "
                f"{'; '.join(not_in_force)}; its samples do not count"
            )
        return after

    def run_unit(self, unit: Unit, block: int) -> None:
        """Take the samples of a unit in its order, those that can take turns at one's place.

        It is that of the same one whatever the order, so that the rota is before and after each of
        the others equally often.
        """
        wanted = [c for c in unit.configurations if self.is_wanted(c)]
        rota = [c for c in wanted if c.hash() not in self.alone]
        first = min(rota, key=Configuration.hash, default=None)
        for configuration in wanted:
            if configuration is first and len(rota) > 1:
                self.run_together(unit, rota, block)
            elif configuration is first or configuration not in rota:
                self.run_one(unit, configuration, block)

    def run_one(self, unit: Unit, configuration: Configuration, block: int) -> None:
        if self.is_wanted(configuration):
            self.run_together(unit, [configuration], block)

    def run_together(self, unit: Unit, rota: Sequence[Configuration], block: int) -> None:
        """Take samples and record them before anything else is done.

        A signal interrupts it while a process runs, and not after that.
        """
        self.state.block = block
        self.progress.running(rota[0], self.state)
        orders = [self.order(unit, configuration) for configuration in rota]
        start_unix_ns = time.time_ns()
        begun = time.monotonic()
        overhead = begun - self.overhead_from
        with held():
            number = self.known.next_rota
            rng = random.Random(f"{self.campaign.seed} rota {unit.round} {unit.attempt}")
            taken = take_rota(orders, rng) if len(rota) > 1 else [take_sample(orders[0])]
            self.overhead_from = time.monotonic()
            beside = self.overhead_from - begun - sum(one.seconds for one in taken)
            hangs = sum(one.outcome is Outcome.HANG for one in taken)
            overhead += unless_stopped(beside, LATE * len(rota) + GDB_SECONDS * hangs)
            pairs = list(zip(rota, taken, strict=True))
            whole = [pair for pair in pairs if not pair[1].is_cut]
            lines = []
            for configuration, one in whole:
                place = Place(configuration.hash(), unit.round, unit.attempt, block, number)
                lines.append(to_line(one, place, start_unix_ns, overhead / len(whole)))
            self.journal.append(*lines)
        for configuration, one in whole:
            self.note_taken(configuration, one, was_asked=len(rota) > 1)
        if cut := [pair for pair in pairs if pair[1].is_cut]:
            self.note_cut(cut)

    def order(self, unit: Unit, configuration: Configuration) -> Order:
        repetitions = self.repetitions(configuration, unit.round)
        expected = self.most_seconds(configuration, repetitions)
        return Order(
            configuration,
            configuration.seed + unit.round * self.seeds_per_round,
            repetitions,
            time_limit(configuration, self.campaign, expected),
            self.settings.get(configuration.hash(), {}),
            self.seconds_allowed(),
        )

    def seconds_allowed(self) -> float:
        """After which a process is ended, whatever it does; a fixed plan has all the time."""
        return inf

    def note_taken(self, configuration: Configuration, taken: Taken, *, was_asked: bool) -> None:
        """What is known now for the samples after it; whether it `was_asked` to take turns."""
        hash_ = configuration.hash()
        self.settings[hash_] = taken.settings
        self.is_elsewhere |= starts_elsewhere(configuration.launcher) and not taken.in_turns
        if taken.is_changed:
            self.changed.add(hash_)
        if was_asked and taken.outcome is Outcome.OK and not taken.in_turns:
            self.alone.add(hash_)
        self.state.done += 1
        expected = self.expected_seconds(configuration)
        self.foresee_processes(self.process_seconds_left - expected)
        self.progress.taken(configuration, taken)

    def note_cut(self, cut: Sequence[tuple[Configuration, Taken]]) -> None:
        """Processes that were ended since the time is over: the one that ran longest is told."""
        self.cut |= {configuration.hash() for configuration, _ in cut}
        self.state.budget_left = 0.0
        self.progress.taken(*max(cut, key=lambda pair: pair[1].seconds))

    @property
    def seeds_per_round(self) -> int:
        return self.campaign.repetitions

    def repetitions(self, configuration: Configuration, round_: int) -> int:
        """How many repetitions its process of a round measures."""
        return self.campaign.repetitions

    def calibrate(self) -> Calibration | None:
        calibration = calibrate(self.plan.calibration)
        if calibration is not None:
            self.calibrations[self.levers].append(calibration)
            self.note_speed()
        return calibration

    def note_speed(self) -> None:
        """Estimates are for the speed that calibrations of the levers that are set show."""
        self.machine = replace(self.machine, gflops=self.core_gflops())
        self.estimates.clear()

    def count(self, block: list[Unit], queue: deque[Unit]) -> None:
        """Report how much is left, before a block: some may have been given up meanwhile."""
        units = chain(block, queue)
        left = [c for unit in units for c in unit.configurations if self.is_wanted(c)]
        self.state.done = self.known.count()
        self.state.total = self.state.done + len(left)
        self.foresee_processes(sum(map(self.expected_seconds, left)))

    def foresee_processes(self, seconds: float) -> None:
        """Note how long those that are left take, with what is done between them."""
        self.process_seconds_left = seconds
        self.state.seconds_left = self.known.longer * seconds

    def expected_seconds(self, configuration: Configuration) -> float:
        """As its latest process on file took that succeeded, else as its latest one did.

        Without any on file, an estimate.
        """
        hash_ = configuration.hash()
        if own := self.known.samples[hash_]:
            good = (s for s in reversed(own) if s.outcome is Outcome.OK)
            return next(good, own[-1]).process_seconds or 0.0
        if hash_ not in self.estimates:
            number = first(configuration, self.campaign, self.machine)
            found = estimate_seconds(configuration, self.campaign, self.machine, None, number)
            self.estimates[hash_] = found
        return self.estimates[hash_]

    def measured(self, hash_: str) -> float | None:
        """The median GFlop/s of a configuration so far."""
        gflops = [d.speed for d in self.known.samples[hash_] if d.speed is not None]
        return statistics.median(gflops) if gflops else None

    def most_seconds(self, configuration: Configuration, repetitions: int) -> float:
        """The time of a process by estimate, or by the slowest so far on a busy machine."""
        hash_ = configuration.hash()
        own = self.measured(hash_)
        estimate = estimate_seconds(configuration, self.campaign, self.machine, own, repetitions)
        return max(estimate, self.slowest(hash_, repetitions))

    def slowest(self, hash_: str, repetitions: int) -> float:
        """What so many repetitions take by the slowest process that succeeded."""
        ended = (s for s in self.known.samples[hash_] if s.outcome is Outcome.OK)
        return max(
            (
                (s.process_seconds or 0.0) * max(1.0, repetitions / (len(s.runs) or repetitions))
                for s in ended
            ),
            default=0.0,
        )

    def core_gflops(self) -> float:
        """What dgemm reaches on one processor here."""
        known = self.calibrations[self.levers] or chain(*self.calibrations.values())
        rates = [rate for calibration in known for rate in calibration.gflops]
        return statistics.median(rates) if rates else ASSUMED_GFLOPS


def unless_stopped(seconds: float, most: float) -> float:
    """Seconds that were spent on what takes at most so many; none if all was stopped meanwhile."""
    return seconds if 0 < seconds < most else 0.0
