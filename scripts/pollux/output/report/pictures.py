# SPDX-License-Identifier: BSD-3-Clause
"""Figures as they are in files, as pictures within the page."""

import base64
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from pollux.output.figures.save import render
from pollux.output.figures.selection import Plan, Request

MOST = 24  # of a section, each some tens of kilobytes


def pictures(
    request: Request, kinds: Sequence[Callable[[Request], Plan]]
) -> Iterator[tuple[str, str]]:
    """The name and the URI of each figure that there is data for.

    Of more than MOST, the first ones of each kind.
    """
    plans = [plan(request) for plan in kinds]
    places = [(page, kind) for kind, plan in enumerate(plans) for page in range(len(plan.pages))]
    shown = Counter(kind for _, kind in sorted(places)[:MOST])
    for kind, plan in enumerate(plans):
        for drawing in islice(plan.figures(), shown[kind]):
            content = base64.b64encode(render(drawing, "svg")).decode()
            yield str(drawing.get_label()), f"data:image/svg+xml;base64,{content}"
