# SPDX-License-Identifier: BSD-3-Clause
"""The commands that repeat each configuration, to be pasted into a shell."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.result import Result
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.samples import Sample


@dataclass(frozen=True)
class Commands:
    """The commands of one runtime's label, as one text."""

    runtime: str
    count: int
    text: str


@dataclass(frozen=True)
class Given:
    """What a campaign was started with."""

    file: str | None
    text: str
    overrides: str  # options of a command line; empty where there were none
    environment: str  # as a shell has it


def starts(dataset: Dataset) -> list[Given]:
    """Each way in which the campaigns were started, once."""
    found: dict[tuple[str, str, str], Given] = {}
    for start in dataset.starts:
        overrides = shlex.join(word for text in start.overrides for word in ("--set", text))
        given = Given(start.file, start.text, overrides, assignments(start.environment))
        found.setdefault((given.text, given.overrides, given.environment), given)
    return [*found.values()]


def assignments(variables: Mapping[str, str]) -> str:
    """The variables before a command, in the order of their names."""
    quote = shlex.quote
    return " ".join(f"{quote(name)}={quote(value)}" for name, value in sorted(variables.items()))


def commands(result: Result) -> list[Commands]:
    """One command for each configuration that an executable is known of."""
    dataset = result.dataset
    first: dict[str, Sample] = {}
    for sample in dataset.samples:
        first.setdefault(sample.configuration, sample)
    lines: dict[str, list[str]] = {}
    for key, c in dataset.configurations.items():
        if c.executable and key not in dataset.unavailable and not c.is_term:
            lines.setdefault(c.runtime, []).append(command(dataset, key, first.get(key)))
    return [Commands(runtime, len(texts), "\n".join(texts)) for runtime, texts in lines.items()]


def command(dataset: Dataset, key: str, sample: Sample | None) -> str:
    """Variables, launcher, executable, arguments, and the seed of the first sample if known."""
    c = dataset.configurations[key]
    variables = filter(None, [assignments(c.variables)])
    seeds = [seed for seed, _ in sample.digests] if sample else []
    if sample is not None and sample.seed is not None:
        seeds = [sample.seed]
    seed = ["--seed", str(min(seeds))] if seeds else []
    repeat = chosen_repetitions(c.arguments, sample)
    label = c.model_copy(update={"quantity": None}).label()
    comment = " ".join(label.split())  # a line break would end the comment
    return f"# {comment}\n" + " ".join(
        [*variables, shlex.join([*c.launcher, c.executable, *c.arguments, *seed, *repeat])]
    )


def chosen_repetitions(arguments: Sequence[str], sample: Sample | None) -> list[str]:
    """The option, where a campaign chose another number than its arguments state."""
    if sample is None or sample.outcome is not Outcome.OK or not sample.runs:
        return []
    measured = "--repeat", str(len(sample.runs))
    return [] if "--repeat" not in arguments or measured in pairwise(arguments) else [*measured]
