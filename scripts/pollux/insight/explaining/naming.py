# SPDX-License-Identifier: BSD-3-Clause
"""Names for the sides: what differs between them; what they share is the subject."""

from collections.abc import Collection, Sequence

from pollux.core.parameters import Value, in_words
from pollux.insight.explaining.sides import Side
from pollux.insight.traces.model import with_version

LETTERS = "AB"
PARTS = ("graph", "rows", "tile", "inner", "parameters", "kernels", "grid", "threads")


def properties(side: Side, shared: Collection[tuple[str, Value]]) -> dict[str, str]:
    """The properties of a side, in the order in which they are printed.

    `shared` are the parameters that all sides have.
    """
    i, record = side.instance, side.runs[0].record
    return {
        "graph": f"{i.benchmark} {i.variant}",
        "rows": f"M = {i.m}" if i.m != i.n else "",
        "size": f"N = {i.n}",
        "tile": f"NB = {i.tile}",
        "inner": f"IB = {i.ib}" if i.ib else "",
        "shared": in_words(tuple(p for p in i.parameters if p in shared)),
        "parameters": in_words(tuple(p for p in i.parameters if p not in shared)),
        "kernels": f"{kernels} kernels" if (kernels := record.get("kernels")) else "",
        "grid": str(side.runs[0].grid or ""),
        "threads": side.runs[0].team_in_words(),
        "target": side.runs[0].label,
        "runtime": with_version(record.get("runtime", {})),
        "compiler": with_version(record.get("compiler", {})),
        "file": side.source,
    }


def names_of(sides: Sequence[Side]) -> tuple[str, list[str]]:
    """What all sides have in common, and what each is called."""
    shared = set.intersection(*(set(side.instance.parameters) for side in sides))
    found = [properties(side, shared) for side in sides]
    same = {key for key in found[0] if len({each[key] for each in found}) == 1}
    hidden = {"target", "compiler", "file"}
    subject = ", ".join(v for k, v in found[0].items() if k in same - hidden and v)
    if len(sides) == 1:
        return subject, [found[0]["graph"]]
    names = [", ".join(name_parts(each, same)) for each in found]
    if len(set(names)) == len(names):
        return subject, names
    sources = [side.source for side in sides]
    return subject, sources if len(set(sources)) == len(sources) else list(LETTERS)


def name_parts(own: dict[str, str], same: set[str]) -> list[str]:
    """What distinguishes one side from the other; one property of its runtime is enough."""
    parts = [own[k] for k in PARTS if k not in same]
    ways = [own[key] for key in ("target", "runtime", "compiler", "file") if key not in same]
    ways = [way for way in ways if way]
    if ways and not (parts and "runtime" in same and "target" in same):
        parts.append(ways[0])
    return [part for part in parts if part]
