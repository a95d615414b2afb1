# SPDX-License-Identifier: BSD-3-Clause
"""Reads Pajé traces and checks every event against its definition."""

import re
from collections.abc import Callable
from typing import Any

PAJE_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
PAJE_NEEDS = {
    "PajeDefineContainerType": {"Alias", "Type", "Name"},
    "PajeDefineStateType": {"Alias", "Type", "Name"},
    "PajeDefineEntityValue": {"Alias", "Type", "Name"},
    "PajeCreateContainer": {"Time", "Alias", "Type", "Container", "Name"},
    "PajeDestroyContainer": {"Time", "Type", "Name"},
    "PajeSetState": {"Time", "Type", "Container", "Value"},
}
PAJE_TYPES: dict[str, Callable[[str], object]] = {
    "string": str,
    "int": int,
    "date": float,
    "double": float,
    "color": lambda text: [float(part) for part in text.split()],
}


def parse_paje(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The events, each checked against its definition; the header is checked on the way."""
    definitions: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    open_: str | None = None
    events = []
    for line in text.splitlines():
        if line.startswith("%EventDef "):
            _, name, open_ = line.split()
            assert open_ not in definitions
            definitions[open_] = (name, [])
        elif line == "%EndEventDef":
            assert open_ is not None
            name, fields = definitions[open_]
            assert {field for field, _ in fields} >= PAJE_NEEDS[name]
            open_ = None
        elif line.startswith("%"):
            assert open_ is not None
            field, type_ = line[1:].split()
            definitions[open_][1].append((field, type_))
        else:
            number, *values = [a or b for a, b in PAJE_TOKEN.findall(line)]
            name, fields = definitions[number]
            pairs = zip(fields, values, strict=True)
            events.append((name, {f: PAJE_TYPES[t](v) for (f, t), v in pairs}))
    return events
