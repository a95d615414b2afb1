# SPDX-License-Identifier: BSD-3-Clause
"""Build trees with programs that stand in for conformance programs (fake_rule.py)."""

import json
import sys
from pathlib import Path

from project import HELPERS, write_script

FAKE_RULE = HELPERS / "fake_rule.py"


def write_rules(folder: Path, rules: str) -> None:
    """Programs of these names; one after "no-" is lacking, since the compiler cannot build it."""
    listing = []
    for rule in rules.split():
        listing.append({"rule": rule, "lacks": "DEPEND_ITERATOR" if rule[:3] == "no-" else ""})
        write_script(folder / rule, f'exec "{sys.executable}" -ES "{FAKE_RULE}" {rule} "$@"')
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.json").write_text(json.dumps(listing))
