# SPDX-License-Identifier: BSD-3-Clause
"""Whether a setting has an effect, as far as the kernel tells: what must not rise, and the clock.

A disabled idle state is not entered any more: its `usage` stays. Under load, a processor's clock is
not above what turbo and the upper limit allow.
"""

import os
import time
from collections import defaultdict
from dataclasses import dataclass

from pollux.core.levers import OFF, Setting, gigahertz, kilohertz
from pollux.core.system_files import System
from pollux.energy.levers.available import highest_of

LOAD_SECONDS = 0.02  # the kernel averages the clock over 10 ms or less
STEP_KHZ = 100_000  # a step of the clock, by which readings may be off
# A processor that slept when its state was disabled counts that sleep when it wakes.
LAST_SLEEPS = 1


@dataclass(frozen=True)
class Usage:
    """How often the idle states that are disabled were entered, by their folders."""

    counts: dict[int, dict[str, int]]  # by processor

    @classmethod
    def read(cls, system: System) -> "Usage":
        counts: dict[int, dict[str, int]] = defaultdict(dict)
        for cpu, folder in system.idle_states():
            count = system.number(f"{folder}/usage")
            if count is not None and system.text(f"{folder}/disable") == "1":
                counts[cpu][folder] = count
        return cls(dict(counts))

    def risen(self, system: System) -> list[str]:
        """The processors that entered disabled states since, a phrase each."""
        found = []
        for cpu, before in self.counts.items():
            rises = {f: (system.number(f"{f}/usage") or 0) - count for f, count in before.items()}
            if sum(max(0, rise) for rise in rises.values()) > LAST_SLEEPS:
                most = max(rises, key=rises.__getitem__)
                name = system.text(f"{most}/name")
                found.append(f"cpu{cpu} entered {name}, which is disabled, {rises[most]} times")
        return found


def clock_above_limit(system: System, setting: Setting) -> str | None:
    """Why the clock of a processor under load contradicts a setting; None: it does not."""
    policy, cpu = loadable(system)
    limit = None if policy is None else highest(system, policy, setting)
    if policy is None or cpu is None or limit is None:
        return None
    put_load_on(cpu)
    khz = system.number(f"{policy}/scaling_cur_freq")
    if khz is None or khz <= limit + STEP_KHZ:
        return None
    return f"cpu{cpu} runs at {gigahertz(khz)} under load, {gigahertz(limit)} are allowed"


def loadable(system: System) -> tuple[str | None, int | None]:
    """A policy with a processor that this process may run on."""
    allowed = os.sched_getaffinity(0)
    for policy, cpus in system.policies().items():
        if own := allowed & cpus:
            return policy, min(own)
    return None, None


def highest(system: System, policy: str, setting: Setting) -> int | None:
    """The highest frequency in kHz that a setting allows; None: no limit of its own."""
    limits = [kilohertz(setting["frequency_max"])] if "frequency_max" in setting else []
    if setting.get("turbo") == OFF:
        limits.append(highest_of(system, policy, is_turbo_off=True))
    return min((khz for khz in limits if khz is not None), default=None)


def put_load_on(cpu: int) -> None:
    """Keep a processor busy for a moment."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        end = time.perf_counter() + LOAD_SECONDS
        while time.perf_counter() < end:
            pass
    finally:
        os.sched_setaffinity(0, before)
