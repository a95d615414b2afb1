# SPDX-License-Identifier: BSD-3-Clause
"""The axes of campaigns whose values are words that are passed on as they are: one entry for each.

A new one is an entry here: the campaign's file, plans, lines, results, tables, figures and the
report take it from the table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pollux.core.campaign.values import GRID_PATTERN, axis, grids, names, settings, words
from pollux.core.levers import GOVERNORS, PREFERENCE_MAX, PREFERENCES

NAME = {"type": "string", "minLength": 1}
RUNTIME = "runtime"  # what campaigns compare unless they say otherwise
PLACEMENTS = ("default", "interleave", "first-touch")


@dataclass(frozen=True)
class Axis:
    """One axis: its key in files, its field in configurations and results."""

    name: str
    annotations: tuple[object, ...]  # of the model of files: what is accepted, and its description
    default: str | None = None  # the word that stands for leaving it out
    option: bool = False  # executables take it as --NAME
    variable: str | None = None  # of their environment; with neither, a lever of the machine
    title: str = ""

    @property
    def heading(self) -> str:
        """What it is called in titles."""
        return self.title or self.name

    def phrase(self, value: str) -> str:
        """A value where nothing says which axis it is of."""
        return value if self.option else f"{self.name}={value}"


def lever(name: str, description: str, *schema: dict[str, Any]) -> Axis:
    """A lever of the machine; it is left as it is where no value is given."""
    return Axis(name, axis(settings(name), description, *schema))


AXES = (
    Axis(
        "numa",
        axis(
            names("a placement", PLACEMENTS),
            'Pages of the matrix over NUMA nodes: "interleave", "first-touch", or "default" '
            "(interleave).",
            words(*PLACEMENTS),
        ),
        default="default",
        option=True,
        title="NUMA placement",
    ),
    Axis(
        "grid",
        axis(
            grids,
            'Ranks of programs over MPI, in rows and columns, such as "2x2"; their product is '
            "{ranks} of the launcher. Benchmarks that are one process are run without it.",
            {"type": "string", "pattern": GRID_PATTERN},
        ),
        option=True,
        title="grid of ranks",
    ),
    lever(
        "turbo",
        "Whether processors may exceed their base frequency: true or false. Levers, here and "
        "below, are left as they are where no value is given.",
        {"type": "boolean"},
        words("on", "off"),
    ),
    lever(
        "cstates",
        'Idle states: "all", "none" (but for polling), or the name of the deepest to allow.',
        NAME,
    ),
    lever(
        "dma_latency",
        "Longest wake-up time from idle states in µs, by /dev/cpu_dma_latency; or "
        '"off" (no limit).',
        {"type": "integer", "minimum": 0},
        words("off"),
    ),
    lever("governor", "CPUFreq governors.", words(*GOVERNORS)),
    lever(
        "epp",
        f"Energy-performance preferences: names, or numbers from 0 to {PREFERENCE_MAX}.",
        words(*PREFERENCES),
        {"type": "integer", "minimum": 0, "maximum": PREFERENCE_MAX},
    ),
    lever(
        "frequency_min",
        'Lower frequency limits such as "1.2GHz", or "hardware" (the processor\'s own).',
        NAME,
    ),
    lever(
        "frequency_max",
        'Upper frequency limits such as "2.4GHz", or "hardware" (the processor\'s own).',
        NAME,
    ),
)
BY_NAME = {axis.name: axis for axis in AXES}
# What the processes of a rota may differ in: not in levers, which are the whole machine's.
IN_TURNS = (
    *(RUNTIME, "variant", "kernels", "environment", "threads", "tile", "parameters"),
    *(axis.name for axis in AXES if axis.option),
)


def settings_of(thing: object) -> dict[str, str]:
    """The values that a configuration sets, in the order of the table."""
    values = {axis.name: getattr(thing, axis.name) for axis in AXES}
    return {name: value for name, value in values.items() if value is not None}


def phrases(setting: Mapping[str, str]) -> Iterator[str]:
    """The same in words."""
    return (BY_NAME[name].phrase(value) for name, value in setting.items())


def variables_of(setting: Mapping[str, str]) -> dict[str, str]:
    """Those that are variables of the environment, as of docs/extending/axis.md."""
    given = {BY_NAME[name].variable: value for name, value in setting.items()}
    return {name: value for name, value in given.items() if name is not None}


def options_of(setting: Mapping[str, str]) -> dict[str, str]:
    """Those that executables take."""
    return {name: value for name, value in setting.items() if BY_NAME[name].option}
