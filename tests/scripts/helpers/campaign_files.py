# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of campaigns' files share: a file with some text, and its plan on fake builds."""

from pathlib import Path

import pytest
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.plan import Plan, make_plan
from pollux.core.errors import BadUsageError


def write(folder: Path, text: str) -> Path:
    path = folder / "trial.toml"
    path.write_text(text)
    return path


def plan(folder: Path, build_root: Path, text: str, *overrides: str) -> Plan:
    """The plan of a campaign that is named by its first line."""
    path = write(folder, f'name = "trial"\n{text}')
    campaign = load_campaign(str(path), list(overrides)).campaign
    return make_plan(campaign, build_root, folder / "state")


def refusal(folder: Path, build_root: Path, text: str, *overrides: str) -> str:
    """Why such a campaign has no plan, without the folder's name."""
    with pytest.raises(BadUsageError) as caught:
        plan(folder, build_root, text, *overrides)
    return caught.value.format_message().replace(f"{folder}/", "")
