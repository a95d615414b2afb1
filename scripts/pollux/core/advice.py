# SPDX-License-Identifier: BSD-3-Clause
"""What messages recommend where something is missing: `scripts/` exists in a source tree only."""

from pollux.core.paths import IN_SOURCE

GET_RUNTIME = "scripts/get-runtime" if IN_SOURCE else "pollux-get-runtime"


def build_command(*presets: str) -> str:
    """The command that makes builds; without the source, the one that shows what is there."""
    return " ".join(("scripts/build", *presets)) if IN_SOURCE else "pollux builds"


def makes(what: str, *presets: str) -> str:
    """The end of a message: what makes builds, or where installed ones are looked for."""
    if IN_SOURCE:
        return f"{build_command(*presets)} makes {what}"
    return "pollux builds shows where builds are looked for"
