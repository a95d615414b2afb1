# SPDX-License-Identifier: BSD-3-Clause
"""A campaign on a machine of known power, and what a meter with a clock of its own shows of it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BEGIN = 1_750_000_000 * 10**9  # ns
IDLE, PREPARING, COMPUTING = 180.0, 300.0, 420.0  # W
Span = tuple[int, int]


@dataclass(frozen=True)
class Schedule:
    """When processes and their timed regions ran, in seconds, and the energy used until then."""

    processes: list[tuple[float, float]]
    runs: list[tuple[float, float]]
    edges: Floats
    joules: Floats  # at the edges

    @property
    def end(self) -> float:
        return float(self.edges[-1])

    def joules_at(self, seconds: Floats) -> Floats:
        return np.asarray(np.interp(seconds, self.edges, self.joules))

    def power_at(self, seconds: Floats) -> Floats:
        at = np.searchsorted(self.edges, seconds, side="right") - 1
        rise = np.diff(self.joules) / np.diff(self.edges)
        return np.asarray(rise[np.clip(at, 0, len(rise) - 1)])

    def energy(self, run: int) -> float:
        first, last = self.joules_at(np.array(self.runs[run]))
        return float(last - first)

    def spans(self, name: str) -> list[Span]:
        """Processes or runs in ns, by the clock of the machine."""
        return [(ns(begin), ns(end)) for begin, end in getattr(self, name)]


def ns(seconds: float) -> int:
    return BEGIN + round(seconds * 1e9)


def schedule(
    rng: np.random.Generator, runs: int = 12, *, seconds: tuple[float, float] = (10, 25)
) -> Schedule:
    """Processes of one run each, between pauses; preparation and checks need power too."""
    at, processes, regions, levels = 20.0, [], [], []
    for _ in range(runs):
        before, own, after = rng.uniform(0.3, 2), rng.uniform(*seconds), rng.uniform(0.2, 2)
        begin = at + before
        processes.append((at, begin + own + after))
        regions.append((begin, begin + own))
        levels.append(COMPUTING * rng.uniform(0.8, 1.1))
        at = begin + own + after + rng.uniform(2, 5)
    edges, power = [0.0], []
    for (start, end), (begin, finish), level in zip(processes, regions, levels, strict=True):
        edges += [start, begin, finish, end]
        power += [IDLE, PREPARING, level, PREPARING]
    edges.append(at + 20)
    power.append(IDLE)
    joules = np.concatenate([[0.0], np.cumsum(np.array(power) * np.diff(edges))])
    return Schedule(processes, regions, np.array(edges), joules)


def sampled(
    done: Schedule,
    rng: np.random.Generator,
    *,
    step: float = 1.0,
    noise: float = 10.0,
    average: bool = False,
) -> tuple[Floats, Floats]:
    """Times in seconds and watts: with a jitter of 2 % of a step, and noise in watts."""
    times = np.arange(rng.uniform(0, step), done.end, step)
    times += rng.uniform(-0.02, 0.02, len(times)) * step
    watts = done.power_at(times)
    if average:
        watts[1:] = np.diff(done.joules_at(times)) / np.diff(times)
    return times, watts + rng.normal(0, noise, len(times))


def write_meter(
    folder: Path, times: Floats, watts: Floats, *, offset: float = 0.0, more: str = ""
) -> Path:
    """The description of a meter whose clock is `offset` seconds behind, and its samples."""
    rows = (
        f"{ns(t - offset)},{w:.2f}" for t, w in zip(times.tolist(), watts.tolist(), strict=True)
    )
    (folder / "wall.csv").write_text("ns,P\n" + "\n".join(rows) + "\n")
    path = folder / "wall.toml"
    path.write_text(
        'name = "wall"\nmeasures = "the whole node at the wall"\nfile = "wall.csv"\n'
        '[time]\ncolumn = "ns"\nformat = "unix-ns"\n[value]\ncolumns = ["P"]\nunit = "W"\n' + more
    )
    return path
