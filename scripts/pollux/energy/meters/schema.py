# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/meter.schema.json from the model: python -m pollux.energy.meters.schema."""

from pollux.core.models import json_schema
from pollux.core.paths import DOCS
from pollux.energy.meters.description import Meter

PATH = DOCS / "meter.schema.json"


def schema_text() -> str:
    """The schema of a meter's description."""
    return json_schema(Meter, "Pollux meter")


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
