# SPDX-License-Identifier: BSD-3-Clause
"""The axes that can be compared: the level of a configuration, and the cell that levels share."""

from collections import Counter
from collections.abc import Mapping

from pollux.core.campaign.axes import AXES, BY_NAME, RUNTIME
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.variants import algorithm_of

# The difference that matters where nobody says which: those between machines, months or kernels'
# versions are larger.
RELEVANT = 0.03
# With the field of a configuration that holds the level.
COMPARED = {
    RUNTIME: "runtime",
    "variant": "variant",
    "kernels": "kernels",
    "environment": "environment",
    "threads": "threads",
    "tile": "tile_asked",
    "parameters": "parameters",
    **{axis.name: axis.name for axis in AXES},
}
FIELDS = [
    *"benchmark variant kernels size rows tile_asked inner parameters threads".split(),
    "environment",
    *BY_NAME,
    "node",
    "quantity",
    "runtime",
]


def level_of(configuration: Configuration, axis: str) -> str:
    """A configuration's level on the compared axis, as --reference names it."""
    value = getattr(configuration, COMPARED[axis])
    if axis == "parameters":
        return configuration.own_words or "default"
    return "default" if value is None else str(value)


def cell_of(configuration: Configuration, axis: str) -> tuple[object, ...]:
    """All axes but the compared one; variants are compared within their algorithm."""
    values = {name: getattr(configuration, name) for name in FIELDS}
    values["parameters"] = configuration.own
    del values[COMPARED[axis]]
    if axis == "variant":
        values["benchmark"] = algorithm_of(configuration)
    return tuple(values.values())


def level_names(configurations: Mapping[str, Configuration], axis: str) -> dict[str, str]:
    """The level of each configuration; one that occurs again in its cell gets a number."""
    seen: Counter[tuple[object, ...]] = Counter()
    owners: dict[tuple[object, ...], str] = {}
    names = {}
    for key, configuration in configurations.items():
        level = level_of(configuration, axis)
        cell = cell_of(configuration, axis)
        owner = owners.setdefault((level, *cell), configuration.benchmark)
        if owner != configuration.benchmark:  # variants of one name in two benchmarks
            level = f"{configuration.benchmark} {level}"
        place = (level, *cell)
        seen[place] += 1
        names[key] = level if seen[place] == 1 else f"{level} #{seen[place]}"
    return names
