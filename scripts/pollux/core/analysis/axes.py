# SPDX-License-Identifier: BSD-3-Clause
"""The axes of a campaign's grid: which can be compared, and the cells that the others span."""

import re
from collections.abc import Iterable
from functools import cache

from pollux.core.campaign.axes import AXES, BY_NAME
from pollux.core.campaign.compared import COMPARED
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.variants import algorithm_of, input_of
from pollux.core.errors import BadUsageError

PLURALS = {
    "parameters": "parameters",
    "kernels": "kernel sets",
    **{axis.name: f"{axis.title}s" for axis in AXES if axis.title},
    "threads": "thread counts",
}
FIRST = (None, "default", "as run")  # in the order of levels


def check_axis(axis: str) -> None:
    if axis not in COMPARED:
        raise BadUsageError(f"--by {axis}: no such axis; choose one of {', '.join(COMPARED)}")


def plural(axis: str) -> str:
    """The levels of an axis in a sentence."""
    return PLURALS.get(axis, f"{axis}s")


def cell_label(configuration: Configuration, axis: str) -> str:
    """The same in a few words."""
    if axis == "runtime":
        return configuration.label()
    unset: dict[str, object] = {
        "variant": "",
        "kernels": None,
        "environment": "default",
        "threads": None,
        "tile": "default",
        "parameters": {},
        **dict.fromkeys(BY_NAME),
    }
    update = {COMPARED[axis]: unset[axis]}
    if axis == "variant":
        update["benchmark"] = algorithm_of(configuration)
    others = configuration.model_copy(update=update)
    return " ".join(f"{configuration.runtime} {others.label()}".split())


def on_node(level: str, node: str | None) -> str:
    """A level, with the node where a campaign ran on several: their means are never mixed."""
    return level if node is None else f"{level} on node {node}"


def level_and_node(name: str, levels: Iterable[str]) -> tuple[str, str]:
    """What on_node has joined: the level, and what follows it."""
    level = max((x for x in levels if name == x or name.startswith(on_node(x, ""))), key=len)
    return level, name.removeprefix(level)


def runs_tasks(configuration: Configuration) -> bool:
    """Not so for the variant without OpenMP: it shows differences of compilers, not of runtimes."""
    return configuration.variant != "seq"


def in_means(configuration: Configuration) -> bool:
    """Whether a configuration counts in means and headlines: it runs tasks on the usual input.

    Of several quantities the first one does.
    """
    usual = runs_tasks(configuration) and input_of(configuration) == "usual"
    return usual and is_first(configuration)


def is_first(configuration: Configuration) -> bool:
    """Not so for further quantities."""
    return not configuration.is_term


def natural(value: object) -> tuple[tuple[bool, int | str], ...]:
    """Sort key that takes numbers within words as numbers, after what is unset or a headline."""
    return natural_text("" if value in FIRST else str(value))


@cache
def natural_text(text: str) -> tuple[tuple[bool, int | str], ...]:
    parts = re.findall(r"\d+|\D+", text)
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else part) for part in parts)
