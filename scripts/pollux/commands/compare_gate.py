# SPDX-License-Identifier: BSD-3-Clause
"""`--fail-if-slower`: what is slower than allowed, and what could not have been seen to be."""

from dataclasses import dataclass
from math import log

from pollux.analysis import statistics
from pollux.analysis.result import Comparison, Result, Verdict
from pollux.analysis.verdict import margin, percent
from pollux.analysis.warnings import some


@dataclass(frozen=True)
class Gate:
    """The lines to show, and whether the allowed slowdown is exceeded."""

    failed: bool
    lines: list[str]


def check(result: Result, allowed: float) -> Gate:
    """Fail on what is slower by verdict, and by more than allowed by its estimate."""
    everything = comparisons(result)
    too_slow = [
        f"{name} ({percent(1 - c.ratio.estimate)})"
        for name, c in everything
        if c.verdict is Verdict.SLOWER and c.ratio and c.ratio.estimate < 1 - allowed
    ]
    lines = [f"slower by more than {margin(allowed)}: {name}" for name in too_slow]
    return Gate(bool(too_slow), [*lines, *blind_lines(everything, allowed)])


def comparisons(result: Result) -> list[tuple[str, Comparison]]:
    """Every comparison that is shown, with what to call it."""
    rows = [(f"{r.cell} on {r.level}", r.comparison) for r in result.rows]
    overall = [(f"{o.level} over {o.cells} cells", o.comparison) for o in result.overall]
    return [(name, c) for name, c in (*rows, *overall) if c.verdict is not Verdict.REFERENCE]


def blind_lines(everything: list[tuple[str, Comparison]], allowed: float) -> list[str]:
    """A gate that could not have closed has proved nothing."""
    family = sum(c.ratio is not None for _, c in everything)
    undecided = [(name, c) for name, c in everything if may_be_slower(c, allowed)]
    nothing = [name for name, c in everything if c.ratio is None]
    lines = []
    if undecided:
        needed = max(samples_needed(c, allowed, family) for _, c in undecided)
        lines.append(
            f"a slowdown of {margin(allowed)} is neither shown nor excluded in "
            f"{some(name for name, _ in undecided)}; about {needed} samples would show it"
        )
    if nothing:
        lines.append(f"a slowdown cannot be seen where nothing is compared: {some(nothing)}")
    return lines


def may_be_slower(c: Comparison, allowed: float) -> bool:
    if c.ratio is None or c.verdict in (Verdict.FASTER, Verdict.SLOWER):
        return False
    return not c.ratio.bounded or c.ratio.low < 1 - allowed


def samples_needed(c: Comparison, allowed: float, family: int) -> int:
    """Those that would show the slowdown, by the noise that the interval's width tells of."""
    if c.ratio is None or not c.ratio.bounded:
        return c.needed or c.samples + 1
    half_width = log(c.ratio.high / c.ratio.low) / 2
    alpha = statistics.LEVEL / max(1, family)
    shown = statistics.samples_to_show(-log(1 - allowed), half_width, c.samples, alpha)
    return max(shown, c.needed if c.verdict is Verdict.TOO_FEW and c.needed else 0, c.samples + 1)
