# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns that compare builds: factorizations, what tasks cost, how small they may be."""

import json
from dataclasses import dataclass
from pathlib import Path

from pollux.core.analysis.result import Result
from pollux.nights.bisecting.deciding import decide


@dataclass(frozen=True)
class Topic:
    """What one campaign is about."""

    name: str
    title: str
    share: float  # of the time
    grid: str  # TOML


@dataclass(frozen=True)
class Sides:
    """The builds, as `--runtime` of campaigns names them; each new one is compared with the old."""

    old: str
    new: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.old, *self.new)


@dataclass(frozen=True)
class Effort:
    """What the campaigns are to decide, and the time for all of them."""

    margin: float
    seconds: float


VARIANT = "depend"  # of the factorizations
TOPICS = (
    Topic(
        "factorizations",
        "Factorizations",
        0.4,
        f'benchmark = ["cholesky", "lu", "qr"]\nvariant = "{VARIANT}"\nsize = 1024\n'
        "tile = [64, 128]\n",
    ),
    Topic(
        "overheads",
        "What a task costs",
        0.3,
        'benchmark = "task-overhead"\nvariant = ["chain", "fan-out", "fan-in", "butterfly"]\n'
        'size = 1024\nthreads = [1, "all"]\n',
    ),
    Topic(
        "granularity",
        "How small a task may be",
        0.3,
        'benchmark = "granularity"\nvariant = ["independent", "stencil-1d"]\nsize = 1024\n'
        'threads = "all"\n',
    ),
)


def campaign_text(topic: Topic, sides: Sides, effort: Effort) -> str:
    """A campaign's file."""
    runtimes = json.dumps(sides.labels)
    return (
        f'name = "{topic.name}"\n'
        f'summary = "{topic.title}: {len(sides.labels)} builds."\n'
        f"reference = {json.dumps(sides.old)}\n"
        f"until_decided = {effort.margin!r}\n"
        f'budget = "{max(1, round(effort.seconds * topic.share))}s"\n\n'
        f"[grid]\nruntime = {runtimes}\n{topic.grid}"
    )


def run_topic(topic: Topic, sides: Sides, folder: Path, build_root: Path, effort: Effort) -> Result:
    """Run a topic's campaign, or go on with it, and compare."""
    return decide(folder / topic.name, campaign_text(topic, sides, effort), build_root)
