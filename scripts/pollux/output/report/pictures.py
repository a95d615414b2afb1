# SPDX-License-Identifier: BSD-3-Clause
"""Figures as they are in files, as pictures within the page."""

import base64
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from pollux.core.text import counted
from pollux.output.figures.save import render
from pollux.output.figures.selection import Plan, Request

MOST = 24  # of a section, each some tens of kilobytes


@dataclass(frozen=True)
class Pictures:
    """The figures of a section."""

    shown: list[tuple[str, str]]  # name, and the picture as a URI
    left_out: list[str]  # what is not among them, and why


def pictures(request: Request, kinds: Sequence[Callable[[Request], Plan]]) -> Pictures:
    """The figures that there is data for; of more than MOST, the first ones of each kind."""
    plans = [plan(request) for plan in kinds]
    places = [(page, kind) for kind, plan in enumerate(plans) for page in range(len(plan.pages))]
    shown = Counter(kind for _, kind in sorted(places)[:MOST])
    found = []
    for kind, plan in enumerate(plans):
        for drawing in islice(plan.figures(), shown[kind]):
            content = base64.b64encode(render(drawing, "svg")).decode()
            found.append((str(drawing.get_label()), f"data:image/svg+xml;base64,{content}"))
    more = len(places) - len(found)
    others = f"pollux plot --kind all draws {counted(more, 'more figure')}"
    left_out = [plan.left_out for plan in plans if plan.left_out]
    return Pictures(found, [*left_out, *[others] * (more > 0)])
