# SPDX-License-Identifier: BSD-3-Clause
"""One page with the history of each series: a file that needs nothing else, not even a network."""

from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from pollux.nights.showing.chart import BAND, HEIGHT, LEFT, WIDTH, chart
from pollux.nights.showing.words import answer, rows
from pollux.nights.watching.findings import Watch


def make_page(watch: Watch) -> str:
    """The page; all that comes from records is escaped by the template."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = files("pollux.nights.showing").joinpath("page.html").read_text("utf-8")
    return environment.from_string(template).render(
        answer=answer(watch),
        problems=watch.problems,
        rows=[(row, chart(watch, row.finding)) for row in rows(watch)],
        accepted=watch.base_line.accepted,
        last=watch.nights[-1].name,
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        band=BAND,
    )
