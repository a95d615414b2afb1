# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/meter.schema.json from the model: python -m pollux.energy.meters.schema."""

import json

from pollux.core.paths import DOCS
from pollux.energy.meters.description import Meter

PATH = DOCS / "meter.schema.json"


def schema_text() -> str:
    """The JSON Schema of a meter's description, for editors and for other programs."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema |= Meter.model_json_schema()
    schema["title"] = "Pollux meter"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
