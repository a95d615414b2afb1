# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/conformance.schema.json from the models.

Run as python -m pollux.machine.conformance.schema.
"""

import json

from pollux.core.paths import DOCS
from pollux.machine.conformance.results import TargetResult

PATH = DOCS / "conformance.schema.json"


def schema_text() -> str:
    """The JSON Schema of a target's results, as results/conformance keeps them."""
    schema = TargetResult.model_json_schema(by_alias=True, mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    schema["title"] = "What pollux conform found on a target"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
