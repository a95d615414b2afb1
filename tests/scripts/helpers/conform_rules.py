# SPDX-License-Identifier: BSD-3-Clause
"""Build trees with programs that stand in for conformance programs (fake_rule.py)."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from pollux.core.runtimes.found import Target
from pollux.machine.conformance.engine import Progress, chosen
from pollux.machine.conformance.program import list_programs
from pollux.machine.conformance.results import TargetResult
from pollux.machine.conformance.settings import Settings
from project import HELPERS, write_script

FAKE_RULE = HELPERS / "fake_rule.py"
LIMIT = 5.0  # seconds, for programs that end; on a busy machine Python takes its time to start

Try = Callable[..., TargetResult]


def write_rules(folder: Path, rules: str) -> None:
    """Programs of these names; one after "no-" is lacking, since the compiler cannot build it."""
    listing = []
    for rule in rules.split():
        listing.append({"rule": rule, "lacks": "DEPEND_ITERATOR" if rule[:3] == "no-" else ""})
        write_script(folder / rule, f'exec "{sys.executable}" -ES "{FAKE_RULE}" {rule} "$@"')
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.json").write_text(json.dumps(listing))


def progress_of(folder: Path, settings: Settings, target: Target | None = None) -> Progress:
    programs = list_programs(folder)
    target = target or Target("libgomp", "libgomp", None, {})
    return Progress(target, folder, settings, programs, chosen(programs, settings.rules))
