# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns that compare builds: factorizations, what tasks cost, how small they may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pollux.core.analysis.result import Result
from pollux.nights.bisecting.changes import OVERHEADS
from pollux.nights.bisecting.deciding import decide, toml


@dataclass(frozen=True)
class Topic:
    """What one campaign is about."""

    name: str
    title: str
    share: float  # of the time
    grid: Mapping[str, object]


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
        {
            "benchmark": ["cholesky", "lu", "qr"],
            "variant": VARIANT,
            "size": 1024,
            "tile": [64, 128],
        },
    ),
    Topic(
        "overheads",
        "What a task costs",
        0.3,
        OVERHEADS | {"threads": [1, "all"]},
    ),
    Topic(
        "granularity",
        "How small a task may be",
        0.3,
        {
            "benchmark": "granularity",
            "variant": ["independent", "stencil-1d"],
            "size": 1024,
            "threads": "all",
        },
    ),
)


def campaign_text(topic: Topic, sides: Sides, effort: Effort) -> str:
    """A campaign's file."""
    keys = {
        "name": topic.name,
        "summary": f"{topic.title}: {len(sides.labels)} builds.",
        "reference": sides.old,
        "until_decided": effort.margin,
        "budget": f"{max(1, round(effort.seconds * topic.share))}s",
    }
    return toml(keys, {"grid": {"runtime": sides.labels, **topic.grid}})


def run_topic(topic: Topic, sides: Sides, folder: Path, build_root: Path, effort: Effort) -> Result:
    """Run a topic's campaign, or go on with it, and compare."""
    return decide(folder / topic.name, campaign_text(topic, sides, effort), build_root)
