# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/conformance.schema.json from the models.

Run as python -m pollux.machine.conformance.schema.
"""

from pollux.core.models import json_schema
from pollux.core.paths import DOCS
from pollux.machine.conformance.results import TargetResult

PATH = DOCS / "conformance.schema.json"


def schema_text() -> str:
    """The schema of a target's results, as results/conformance keeps them."""
    return json_schema(
        TargetResult, "What pollux conform found on a target", by_alias=True, mode="serialization"
    )


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
