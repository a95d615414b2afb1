# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/campaign.schema.json from the model: python -m pollux.core.campaign.schema."""

from pollux.core.campaign.model import Campaign
from pollux.core.models import json_schema
from pollux.core.paths import DOCS

PATH = DOCS / "campaign.schema.json"


def schema_text() -> str:
    """The schema of a campaign's file."""
    return json_schema(Campaign, "Pollux campaign")


if __name__ == "__main__":
    PATH.write_text(schema_text(), encoding="utf-8")
