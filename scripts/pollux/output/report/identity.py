# SPDX-License-Identifier: BSD-3-Clause
"""What each runtime's label really ran, side by side, with what differs between them marked."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pollux.core.analysis.dataset import Dataset, Identity
from pollux.core.campaign.lines import Configuration
from pollux.output.report.numbers import NOTHING

SHOWN = 8  # different values of one label; of more the page says how many
TITLES = {
    "abi": "ABI",
    "allowed": "allowed processors",
    "cpu": "processor",
    "cstates": "C-states",
    "expected": "expected runtime",
    "numa": "NUMA nodes",
    "ompt": "OMPT",
    "processors": "logical processors",
}
Values = dict[str, None]  # an ordered set


@dataclass(frozen=True)
class Line:
    """One property: a text for each label."""

    name: str
    texts: list[str]
    differs: bool


@dataclass(frozen=True)
class Group:
    """Properties of one thing, such as the compiler."""

    name: str
    lines: list[Line]


def labels(dataset: Dataset) -> list[str]:
    """The runtimes' labels, in the order of the files."""
    return list(dict.fromkeys(c.runtime for c in dataset.configurations.values()))


def side_by_side(dataset: Dataset) -> list[Group]:
    """Every property of every label that ran at all."""
    columns = labels(dataset)
    ran = {dataset.configurations[key].runtime for key in dataset.identities}
    found: dict[str, dict[str, dict[str, Values]]] = defaultdict(lambda: defaultdict(dict))
    for key, configuration in dataset.configurations.items():
        for identity in dataset.identities.get(key, [None]):
            for group, name, text in properties(configuration, identity):
                found[group][name].setdefault(configuration.runtime, {})[text] = None
    return [
        Group(group, [line(name, values, columns, ran) for name, values in lines.items()])
        for group, lines in found.items()
    ]


def line(name: str, values: dict[str, Values], columns: list[str], ran: set[str]) -> Line:
    """A label that never ran is unknown, and does not count as a difference."""
    sets = [frozenset(values.get(label, ())) for label in columns if label in ran]
    texts = [join(values[label]) if label in values else NOTHING for label in columns]
    return Line(name, texts, len(set(sets)) > 1)


def join(values: Values) -> str:
    shown = "; ".join(list(values)[:SHOWN])
    return shown if len(values) <= SHOWN else f"{shown}; and {len(values) - SHOWN} more"


def properties(c: Configuration, identity: Identity | None) -> Iterator[tuple[str, str, str]]:
    """Group, name and value of all that is known of a configuration."""
    if identity:
        yield from identified(identity)
    yield "files", "executable", c.executable or "as run"
    for name, digest in c.builds.items():
        yield "files", f"SHA-256 of the {name}", digest
    for name, value in sorted(c.variables.items()):
        yield "environment variables set by the campaign", name, value
    if identity:
        for name, value in sorted(identity.runtime.get("env", {}).items()):
            if c.variables.get(name) != value:
                yield "environment variables that the program found besides", name, str(value)
        for name, value in sorted(identity.runtime.get("env_set", {}).items()):
            yield "environment variables that the program set itself", name, str(value)


def identified(identity: Identity) -> Iterator[tuple[str, str, str]]:
    """What a record says of runtime, compiler, BLAS, host and threads."""
    for name, value in identity.runtime.items():
        if name not in ("env", "env_set"):
            yield "OpenMP runtime", title(name), text(value)
    for group in ("compiler", "blas", "host"):
        for name, value in (getattr(identity, group) or {}).items():
            yield (
                {"blas": "BLAS"}.get(group, group),
                title(name),
                caches(value) if name == "caches" else text(value),
            )
    yield "OpenMP runtime", "priorities of tasks", in_words(identity)
    if identity.placement is not None:
        yield "host", "placement of the matrix", identity.placement
    bound = " | ".join(identity.bindings)
    yield "processors that each thread may run on", f"team of {identity.threads}", bound
    for name, value in (identity.concurrent_write or {}).items():
        yield "concurrent write", name, text(value)


def in_words(identity: Identity) -> str:
    """Whether priorities were in force."""
    if not identity.priorities:
        return "off"
    words = {True: "in force", False: "ignored by this runtime", None: "on; effect not known"}
    return words[identity.priorities_in_force]


def caches(levels: list[dict[str, Any]]) -> str:
    """Cache sizes in their usual form."""
    return "; ".join(f"L{c['level']} {kibibytes(c['bytes'])} × {c['count']}" for c in levels)


def kibibytes(size: int) -> str:
    return f"{size / 2**20:g} MiB" if size >= 2**20 else f"{size / 2**10:g} KiB"


def title(name: str) -> str:
    """A field of a record, as a reader would call it."""
    return TITLES.get(name, name.replace("_", " "))


def text(value: Any) -> str:  # noqa: ANN401 (any value of JSON)
    """A value in words: lists and objects as readers write them."""
    if value is None:
        return "not reported"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {text(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "; ".join(map(text, value)) or "none"
    return str(value)
