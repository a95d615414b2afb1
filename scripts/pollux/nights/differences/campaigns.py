# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns that compare builds: factorizations, what tasks cost, how small they may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pollux.core.analysis.result import Result
from pollux.nights.bisecting.changes import OVERHEADS
from pollux.nights.bisecting.deciding import decide, decide_shipped, toml


@dataclass(frozen=True)
class Topic:
    """What one campaign is about."""

    name: str
    title: str
    share: float  # of the time
    grid: Mapping[str, object] = field(default_factory=dict)  # none: the shipped campaign's


@dataclass(frozen=True)
class Sides:
    """The builds, as `--runtime` of campaigns names them; each new one is compared with the old."""

    old: str
    new: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.old, *self.new)

    @property
    def are_several(self) -> bool:
        """Whether more than one is compared with the old one."""
        return len(self.new) > 1


@dataclass(frozen=True)
class Effort:
    """What the campaigns are to decide, and the time for all of them."""

    margin: float
    seconds: float


VARIANT = "depend"  # of the factorizations
GRID = {"benchmark": ["cholesky", "lu", "qr"], "variant": VARIANT, "size": 1024}
FACTORIZATIONS, COSTS = "Factorizations", "What a task costs"

# With one new build.
TOPICS = (
    Topic("factorizations", FACTORIZATIONS, 0.4, GRID | {"tile": [64, 128]}),
    Topic(
        "overheads",
        COSTS,
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

# With several: each of them takes time in every cell, so there are fewer cells.
TOPICS_OF_SEVERAL = (
    Topic("factorizations", FACTORIZATIONS, 0.6, GRID | {"tile": 64}),
    Topic("terms", COSTS, 0.4),
)


def topics_for(sides: Sides) -> tuple[Topic, ...]:
    return TOPICS_OF_SEVERAL if sides.are_several else TOPICS


def keys_of(topic: Topic, sides: Sides, effort: Effort) -> dict[str, object]:
    """What the campaign is to decide, and the time for it."""
    return {
        "reference": sides.old,
        "until_decided": effort.margin,
        "budget": f"{max(1, round(effort.seconds * topic.share))}s",
    }


def campaign_text(topic: Topic, sides: Sides, effort: Effort) -> str:
    """A campaign's file, of a topic that has a grid."""
    summary = f"{topic.title}: {len(sides.labels)} builds."
    keys = {"name": topic.name, "summary": summary, **keys_of(topic, sides, effort)}
    return toml(keys, {"grid": {"runtime": sides.labels, **topic.grid}})


def run_topic(topic: Topic, sides: Sides, folder: Path, build_root: Path, effort: Effort) -> Result:
    """Run a topic's campaign, or go on with it, and compare."""
    stem = folder / topic.name
    if not topic.grid:
        keys = keys_of(topic, sides, effort)
        return decide_shipped(stem, topic.name, build_root, sides.labels, keys)
    return decide(stem, campaign_text(topic, sides, effort), build_root)
