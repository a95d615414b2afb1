# SPDX-License-Identifier: BSD-3-Clause
"""One colour for each runtime, the same in figures, in the report and in explanations.

The colour follows from the runtime's name alone: `libomp`, `libomp16` and `gcc+libomp19` are libomp
and have its colour where they stand alone. Where several of them are compared, the first has it
and each further one the hue that is farthest from all others on the page, since shades of one hue
cannot be told apart; hatches, markers and dashes distinguish them in print.
"""

import colorsys
import re
from collections.abc import Iterable, Mapping
from math import dist

from pollux.core.grouping import grouped
from pollux.core.runtimes.names import TABLE

# Okabe & Ito, "Color Universal Design" (2008).
RUNTIMES: dict[str, str] = {entry["runtime"]: entry["colour"] for entry in TABLE}
OTHERS = ("#8C6BB1", "#7F7F00", "#8B4513", "#5F7F8F")  # of runtimes that are not known here
# P. Tol, "Colour schemes" (SRON/EPS/TN/09-002), muted and bright: what else differs clearly.
FURTHER = ("#332288", "#882255", "#117733", "#999933", "#AA3377", "#44AA99", "#EE6677", "#4477AA")
LEAST_CHROMA = 0.06  # in Oklab; below it a colour looks grey
NIGHT = 0.62  # the least lightness of a colour on a dark ground


def runtime_of(label: str) -> str:
    """The runtime that a label names: of a build, a combination, or a library with its version."""
    name = without_version(label).rpartition("+")[2]
    found = (r for r in RUNTIMES if re.match(rf"(lib)?{r.removeprefix('lib')}(?![a-z])", name))
    return next(found, name)


def without_version(label: str) -> str:
    """The label without what a comparison of files adds to it in brackets."""
    return label.partition(" (")[0]


def runtime_colours(labels: Iterable[str]) -> dict[str, str]:
    """A colour for each label; it does not depend on their order.

    That of the first of each runtime that is known does not depend on the others either.
    """
    given = list(dict.fromkeys(labels))
    families = grouped(sorted(given, key=simplest), runtime_of)
    bases = base_colours(families)
    found = {own[0]: bases[runtime] for runtime, own in families.items() if runtime in bases}
    spare = [c for c in (*RUNTIMES.values(), *OTHERS, *FURTHER) if has_hue(c)]
    for label in (label for own in families.values() for label in own if label not in found):
        found[label] = farthest(spare, found.values())
    return {label: found[label] for label in given}


def farthest(spare: Iterable[str], taken: Iterable[str]) -> str:
    """The colour that is most unlike the nearest of those in use."""
    used = [place(colour) for colour in taken]
    return max(spare, key=lambda colour: min(dist(place(colour), other) for other in used))


def has_hue(colour: str) -> bool:
    """Not so for black and greys, in which figures draw what belongs to no runtime."""
    _, green_red, blue_yellow = place(colour)
    return dist((green_red, blue_yellow), (0, 0)) > LEAST_CHROMA


def place(colour: str) -> tuple[float, float, float]:
    """Where a colour stands in Oklab (B. Ottosson, 2020), lightness counting half.

    Distances there are about those that the eye sees; what differs is to be the hue.
    """
    red, green, blue = map(linear, channels_of(colour))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        (0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short) / 2,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def channels_of(colour: str) -> tuple[float, float, float]:
    """Red, green and blue, from 0 to 1."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def linear(channel: float) -> float:
    """A channel of sRGB without its gamma (IEC 61966-2-1)."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def simplest(label: str) -> tuple[bool, str]:
    """Builds before combinations, each in the order of their names."""
    return "+" in without_version(label), label


def base_colours(families: Mapping[str, object]) -> dict[str, str]:
    unknown = sorted(name for name in families if name not in RUNTIMES)
    return RUNTIMES | dict(zip(unknown, OTHERS, strict=False))


def at_night(colour: str) -> str:
    """The same hue, light enough for a dark ground."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*channels_of(colour))
    if lightness >= NIGHT:
        return colour
    channels = colorsys.hls_to_rgb(hue, NIGHT, saturation)
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in channels)
