# SPDX-License-Identifier: BSD-3-Clause
"""One page with the history of each series: a file that needs nothing else, not even a network."""

from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from pollux.nights.showing.chart import BAND, HEIGHT, LEFT, WIDTH, chart
from pollux.nights.showing.words import (
    answer,
    details,
    in_order,
    ratio_words,
    since_words,
    state_words,
)
from pollux.nights.watching.findings import Watch


def make_page(watch: Watch) -> str:
    """The page; all that comes from records is escaped by the template."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = files("pollux.nights.showing").joinpath("page.html").read_text("utf-8")
    findings = [
        {
            "label": finding.label,
            "state": state_words(finding),
            "kind": str(finding.state),
            "since": since_words(watch, finding),
            "ratio": ratio_words(finding),
            "details": list(details(watch, finding)),
            "chart": chart(watch, finding),
        }
        for finding in in_order(watch)
    ]
    return environment.from_string(template).render(
        answer=answer(watch),
        problems=watch.problems,
        findings=findings,
        accepted=watch.base_line.accepted,
        last=watch.nights[-1].name,
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        band=BAND,
    )
