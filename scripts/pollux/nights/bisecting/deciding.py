# SPDX-License-Identifier: BSD-3-Clause
"""Plans and runs campaigns, of a text of their own or shipped, for what compares builds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.campaign.dry_run import check_memory
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.plan import make_plan
from pollux.core.commands.options import GateOptions
from pollux.core.commands.run_session import Wanted, run_campaign
from pollux.core.errors import MachineError
from pollux.core.paths import RESULTS
from pollux.core.writing import make_folder, replace_file
from pollux.nights.bisecting.state import REMEDY

RECORDS = ".jsonl"
NO_GATE = GateOptions(None, None, None)


def toml(keys: Mapping[str, object], tables: Mapping[str, Mapping[str, object]]) -> str:
    """The text of a campaign's file; TOML knows no surrogates."""

    def lines(values: Mapping[str, object]) -> Iterator[str]:
        for key, value in values.items():
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}\n"

    parts = [*lines(keys)]
    for name, values in tables.items():
        parts += [f"[{name}]\n", *lines(values)]
    return "".join(parts)


def decide(stem: Path, text: str, build_root: Path) -> Result:
    """Run the campaign, or go on with it, and compare; its file and its records have this stem.

    MachineError where they cannot be written.
    """
    return conclude(stem, Wanted(str(written(stem, text)), build_root, NO_GATE))


def decide_shipped(
    stem: Path, name: str, build_root: Path, runtimes: Sequence[str], keys: Mapping[str, object]
) -> Result:
    """The same of a shipped campaign, with these runtimes and keys."""
    own = {key: json.dumps(value, ensure_ascii=False) for key, value in keys.items()}
    axes = {"runtime": list(runtimes)}
    return conclude(stem, Wanted(name, build_root, NO_GATE, axes=axes, keys=own))


def conclude(stem: Path, wanted: Wanted) -> Result:
    records = stem.with_suffix(RECORDS)
    run_campaign(replace(wanted, output=records, quiet=True, remedy=REMEDY))
    return compare(load([records]))


def check(stem: Path, text: str, build_root: Path) -> None:
    """Raise the error with which `decide` would refuse a campaign before its first run."""
    campaign = load_campaign(str(written(stem, text)), []).campaign
    check_memory(make_plan(campaign, build_root, RESULTS))


def written(stem: Path, text: str) -> Path:
    """The campaign's file."""
    file = stem.with_suffix(".toml")
    make_folder(stem.parent)
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise MachineError(f"cannot write {file} ({error.strerror})") from error
    return file
