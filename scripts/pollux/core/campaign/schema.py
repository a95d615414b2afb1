# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/campaign.schema.json from the model: python -m pollux.core.campaign.schema."""

import json

from pollux.core.campaign.model import Campaign
from pollux.core.paths import DOCS

PATH = DOCS / "campaign.schema.json"


def schema_text() -> str:
    """The JSON Schema of a campaign's file, for editors and for other programs."""
    schema = Campaign.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    schema["title"] = "Pollux campaign"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
