# SPDX-License-Identifier: BSD-3-Clause
"""The files and lines that Pollux writes, by their `schema`: what one of another kind is called."""

import re

from pollux.core.validation import printable

# What each schema is for, and its newest version; docs/ describes them.
KINDS = {
    "pollux-run": ("the record of a run", 1),
    "pollux-campaign": ("a line of a campaign", 1),
    "pollux-trace": ("a trace", 1),
    "pollux-messages": ("the messages of a trace", 1),
    "pollux-graph": ("a task graph", 1),
    "pollux-tuned": ("a file of tuned tiles", 1),
    "pollux-benchmark": ("the description of a benchmark", 1),
    "pollux-calibration": ("a calibration", 1),
    "pollux-conformance": ("the output of a conformance program", 1),
    "pollux-conformance-result": ("a result of pollux conform", 1),
    "pollux-conform": ("a comparison by pollux conform", 1),
    "pollux-compare": ("a result of pollux compare", 1),
    "pollux-diff": ("a result of pollux diff", 1),
    "pollux-energy": ("a result of pollux energy", 1),
    "pollux-explain": ("a result of pollux explain", 1),
    "pollux-graph-analysis": ("a result of pollux graph", 1),
    "pollux-levers": ("the former state of levers", 1),
    "pollux-base-line": ("the accepted base line of nights", 1),
    "pollux-bisection": ("what a bisection knows", 1),
    "pollux-job": ("a file of a campaign's job", 1),
    "pollux-watch": ("a result of pollux watch", 1),
    "pollux-simulation": ("a result of pollux simulate", 1),
}
SCHEMA = re.compile(r"(pollux(?:-[a-z]+)+)/([0-9]{1,9})")


def kind_of(schema: object) -> str:
    """What an object with this `schema` is, in a phrase."""
    if schema is None:
        return "an object without a schema"
    known = SCHEMA.fullmatch(schema) if isinstance(schema, str) else None
    if known is None or known[1] not in KINDS:
        return f"of an unknown schema ({printable(str(schema))[:40]!r})"
    what, newest = KINDS[known[1]]
    if is_later(schema):
        return (
            f"{what} of a later version of Pollux ({known[0]}; this one knows {known[1]}/{newest})"
        )
    return f"{what} ({known[0]})"


def is_later(schema: object) -> bool:
    """Whether a later version of Pollux wrote this."""
    known = SCHEMA.fullmatch(schema) if isinstance(schema, str) else None
    return known is not None and known[1] in KINDS and int(known[2]) > KINDS[known[1]][1]
