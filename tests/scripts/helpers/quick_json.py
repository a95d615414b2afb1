# SPDX-License-Identifier: BSD-3-Clause
"""Writes JSON without the module json: loading that takes longer than all else a stand-in does."""

from __future__ import annotations

ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n"} | {"\t": "\\t"})
NAMES = {None: "null", True: "true", False: "false"}


def dumps(value: object) -> str:
    """The text; of numbers, finite ones alone."""
    if isinstance(value, str):
        return f'"{value.translate(ESCAPES)}"'
    if isinstance(value, dict):
        return f"{{{', '.join(f'{dumps(key)}: {dumps(own)}' for key, own in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(dumps, value))}]"
    if value is None or isinstance(value, bool):
        return NAMES[value]
    return repr(value)
