# SPDX-License-Identifier: BSD-3-Clause
"""What qualifies a comparison: where its threads ran, and at which clock."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from math import ceil
from typing import Any

from pollux.core.analysis.dataset import Identity
from pollux.core.analysis.result import Result, Row
from pollux.core.text import some

PROCESSORS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")  # of a list such as "0,4-7"


def about_threads(result: Result) -> Iterator[str]:
    loose: list[Row] = []
    unbound: list[Row] = []
    crowded: list[Row] = []
    for row in result.rows:
        for identity in result.dataset.identities.get(row.key, ()):
            if identity.threads > 1 and may_move(identity):
                (unbound if binding_is_set(identity) else loose).append(row)
            if identity.threads > identity.host["allowed"]:
                crowded.append(row)
    if loose:
        yield (
            f"threads may move between processors in {some(row.name for row in loose)}; "
            "bind them with OMP_PROC_BIND=close"
        )
    if unbound:
        yield (
            f"threads may move between processors in {some(row.name for row in unbound)}: "
            "OMP_PROC_BIND is set, but this runtime ignores it"
        )
    if crowded:
        yield (
            f"more threads than processors allowed in {some(row.name for row in crowded)}: "
            "it measures the system's scheduler too"
        )


def binding_is_set(identity: Identity) -> bool:
    """Whether the variable that binds threads was set: then it need not be recommended."""
    return identity.runtime["env"].get("OMP_PROC_BIND", "false").lower() not in ("", "false")


def may_move(identity: Identity) -> bool:
    """Whether the threads of a team share several cores, in part or all of them.

    Those bound to different cores or sockets share none, however wide these are. Nor do several
    on a place no wider than a core, unless that is all that the team has.
    """
    sharing = Counter(identity.bindings)
    places = [PROCESSORS.findall(text) for text in sharing]
    ranges = [[(int(low), int(high or low)) for low, high in place] for place in places]
    overlap = any(low <= end for (_, end), (low, _) in pairwise(sorted(chain(*ranges))))
    widths = [sum(high + 1 - low for low, high in own) for own in ranges]
    core = width_of_core(identity.host) if len(places) > 1 else 1
    shared = (width for width, of in zip(widths, sharing.values(), strict=True) if of > 1)
    return overlap or any(width > core for width in shared)


def width_of_core(host: Mapping[str, Any]) -> int:
    """Hardware threads of a core, on average and rounded up; two where no cores are known."""
    cores: int = host["cores"]
    return ceil(host["processors"] / cores) if cores else 2


def about_machine(result: Result) -> Iterator[str]:
    """What sets the clock; nothing of levers that all configurations set themselves."""
    configurations = result.dataset.configurations.values()
    identities = [i for known in result.dataset.identities.values() for i in known]
    seen = {
        name: {i.host[name] for i in identities}
        for name in ("governor", "turbo")
        if not all(name in configuration.levers for configuration in configurations)
    }
    if governors := seen.get("governor", set()) - {None, "performance"}:
        yield (
            f"frequency governor {some(sorted(governors))}: the processor's clock follows the "
            "load; `cpupower frequency-set -g performance` sets it"
        )
    if "on" in seen.get("turbo", ()):
        yield "turbo is on: the clock depends on temperature and on how many cores are busy"
    for name, values in seen.items():
        if len(values) > 1:
            yield f"{name} was not the same in all runs: {some(sorted(map(str, values)))}"
