# SPDX-License-Identifier: BSD-3-Clause
"""One colour for each runtime, the same in figures, in the report and in explanations.

The colour follows from the runtime's name alone: `libomp`, `libomp16` and `gcc+libomp19` are libomp
and have its hue. Where several of them are compared, the first has the colour itself and the
others darker and lighter shades of it; hatches, markers and dashes distinguish them in print.
"""

import colorsys
import re
from collections.abc import Iterable, Mapping

from pollux.core.runtimes.names import TABLE

# Okabe & Ito, "Color Universal Design" (2008).
RUNTIMES: dict[str, str] = {entry["runtime"]: entry["colour"] for entry in TABLE}
OTHERS = ("#8C6BB1", "#7F7F00", "#8B4513", "#5F7F8F")  # of runtimes that are not known here
NIGHT = 0.62  # the least lightness of a colour on a dark ground
SHADES = (0.0, -0.14, 0.16, -0.26, 0.28)  # lightness added to the colour of the runtime


def runtime_of(label: str) -> str:
    """The runtime that a label names: of a build, a combination, or a library with its version."""
    name = label.rpartition("+")[2]
    found = (r for r in RUNTIMES if re.match(rf"(lib)?{r.removeprefix('lib')}(?![a-z])", name))
    return next(found, name)


def runtime_colours(labels: Iterable[str]) -> dict[str, str]:
    """A colour for each label; it does not depend on their order, nor on other runtimes."""
    given = list(dict.fromkeys(labels))
    families: dict[str, list[str]] = {}
    for label in sorted(given, key=simplest):
        families.setdefault(runtime_of(label), []).append(label)
    bases = base_colours(families)
    found = {
        label: shaded(bases[runtime], SHADES[number % len(SHADES)])
        for runtime, own in families.items()
        for number, label in enumerate(own)
    }
    return {label: found[label] for label in given}


def simplest(label: str) -> tuple[bool, str]:
    """Builds before combinations, each in the order of their names."""
    return "+" in label, label


def base_colours(families: Mapping[str, object]) -> dict[str, str]:
    unknown = sorted(name for name in families if name not in RUNTIMES)
    others = {name: OTHERS[k % len(OTHERS)] for k, name in enumerate(unknown)}
    return {**RUNTIMES, **others}


def at_night(colour: str) -> str:
    """The same hue, light enough for a dark ground."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    lightness = colorsys.rgb_to_hls(red, green, blue)[1]
    return shaded(colour, max(0.0, NIGHT - lightness))


def shaded(colour: str, lighter: float) -> str:
    """The colour with this much added to its lightness, within what stays visible on white."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    if lighter == 0:
        return colour
    channels = colorsys.hls_to_rgb(hue, min(0.8, max(0.12, lightness + lighter)), saturation)
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in channels)
