# SPDX-License-Identifier: BSD-3-Clause
"""Takes traces of processes that take turns, so that what is compared is close in time."""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.needs import with_needs
from pollux.core.campaign.taking import lacking_now
from pollux.core.executables.process import CannotStartError
from pollux.core.executables.stacks import read_stacks
from pollux.core.executables.turns import Entrant, run_in_turns
from pollux.core.interruption import held
from pollux.core.records import kernels_option
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import (
    SECONDS_LIMIT,
    TRACE_BYTES,
    RunRequest,
    command_of,
    program_of,
    records_of,
    traces_of,
    tracing,
)


def take_in_turns(
    requests: Sequence[RunRequest], rng: random.Random, *, ompt: bool, build_root: Path
) -> list[list[Trace]]:
    """The traces of processes that take turns, each as `take_traces` returns them.

    Traced repetitions of all processes follow each other, in random order. A process that goes
    wrong raises its error when all have ended.
    """
    with tempfile.TemporaryDirectory(prefix="pollux-") as folder:
        paths = [Path(folder) / f"{number}.jsonl" for number in range(len(requests))]
        wishes = [tracing(r, p, ompt=ompt) for r, p in zip(requests, paths, strict=True)]
        entrants = [entrant(wish, build_root) for wish in wishes]
        with held():
            arrivals = run_in_turns(entrants, max(r.repeat + r.traced for r in requests), rng)
        for wish, arrival in zip(wishes, arrivals, strict=True):
            if isinstance(arrival, CannotStartError):
                raise arrival
            records_of(wish, arrival.ended)
        return list(map(traces_of, requests, paths))


def entrant(request: RunRequest, build_root: Path) -> Entrant:
    command, variables = command_of(request, build_root)
    return Entrant(command, variables, SECONDS_LIMIT, read_stacks, TRACE_BYTES)


def lacking_at_once(requests: Sequence[RunRequest], build_root: Path) -> str | None:
    """What does not suffice for processes of all of them at once, in words; None if all does."""
    configurations = [configuration_of(request, build_root) for request in requests]
    return lacking_now(with_needs(configurations, check="fast"))


def configuration_of(request: RunRequest, build_root: Path) -> Configuration:
    """As a campaign would have it."""
    executable, variables = program_of(request, build_root)
    instance = request.instance
    return Configuration(
        runtime=request.target,
        benchmark=instance.benchmark,
        variant=instance.variant,
        kernels=kernels_option(request.kernels),
        size=instance.n,
        rows=instance.options()["rows"],
        tile=instance.tile,
        parameters=dict(instance.parameters),
        threads=request.threads,
        arguments=request.arguments(),
        executable=str(executable),
        variables=variables,
    )
