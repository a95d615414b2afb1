# SPDX-License-Identifier: BSD-3-Clause
"""What all figures share: fonts, colours, markers and hatches, and how long a text becomes."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib

from pollux.core.text import cut_middle

Dash = tuple[float, tuple[float, ...]]

PAGE_WIDTH = 7.0  # inches: text width of an A4 or letter page
POINTS = 7.0  # of all text: the least that journals ask for
CHARACTER = 0.058  # inches: mean advance of DejaVu Sans at 7 pt is 0.6 em
PROSE = 0.052  # the same where most letters are small
LINE = 0.13  # inches from one line of text to the next
DOTS_PER_INCH = 200  # of PNG files, and of points that are rasterised in vector files
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
NO_BREAK = "\N{NO-BREAK SPACE}"
GREY = "#767676"  # the lightest grey with a contrast of 4.5 on white (WCAG 2.1, 1.4.3)

# Okabe & Ito, "Color Universal Design" (2008); yellow last, since it is faint on white.
COLOURS = "#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #F0E442".split()
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "oo", "++++", "||||")
MARKERS = "osD^vPX<>"  # one more than colours, so that pairs repeat late
DASHES: tuple[Dash, ...] = ((0, ()), (0, (4, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (1, 1)))

SETTINGS: dict[Any, Any] = {
    # The first comes with matplotlib; the rest is for viewers of SVG files that lack it.
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "sans-serif"],
    "font.size": POINTS,
    "axes.titlesize": POINTS,
    "axes.labelsize": POINTS,
    "xtick.labelsize": POINTS,
    "ytick.labelsize": POINTS,
    "legend.fontsize": POINTS,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.5,
    "text.parse_math": False,  # names may hold a dollar sign
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "pollux",  # the same input gives the same file
    "pdf.fonttype": 42,  # TrueType: many journals refuse Type 3
    "savefig.dpi": DOTS_PER_INCH,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save with these settings, whatever the user's matplotlibrc says."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a box says as much
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


@dataclass(frozen=True)
class Look:
    """How one level of the compared axis is drawn; no two share colour, marker and dash."""

    colour: str
    marker: str
    hatch: str
    dash: Dash

    @property
    def fill(self) -> str:
        """Its colour mixed with white, so that points and hatches stay visible on it."""
        channels = (int(self.colour[i : i + 2], 16) for i in (1, 3, 5))
        return "#" + "".join(f"{(c + 2 * 255) // 3:02x}" for c in channels)


def looks_of(levels: Sequence[str], colours: Mapping[str, str] | None = None) -> dict[str, Look]:
    """A look for each level, in the order given: the same in all figures of a result.

    `colours` are those of the levels where they are runtimes; else each gets the next one.
    """
    return {
        level: Look(
            colours[level] if colours else COLOURS[i % len(COLOURS)],
            MARKERS[i % len(MARKERS)],
            HATCHES[i % len(HATCHES)],
            DASHES[i % len(DASHES)],
        )
        for i, level in enumerate(levels)
    }


def clean(text: str) -> str:
    """The text without what cannot be shown, or is not allowed in an SVG file."""
    return "".join(c if c.isprintable() or c == NO_BREAK else UNKNOWN for c in text)


def shorten(text: str, inches: float) -> str:
    """The text, with its middle left out if it is too long."""
    return cut_middle(text, max(5, int(inches / CHARACTER)))


def length(text: str) -> float:
    """About how many inches a line of text takes."""
    return len(text) * CHARACTER
