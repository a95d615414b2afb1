# SPDX-License-Identifier: BSD-3-Clause
"""Runs a campaign of a text of its own, for what compares builds."""

from pathlib import Path

from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.commands.options import GateOptions
from pollux.core.commands.run_session import Wanted, run_campaign
from pollux.core.errors import MachineError
from pollux.core.writing import make_folder, replace_file
from pollux.nights.bisecting.state import REMEDY


def decide(stem: Path, text: str, build_root: Path) -> Result:
    """Run the campaign, or go on with it, and compare; its file and its records have this stem.

    MachineError where they cannot be written.
    """
    file, records = stem.with_suffix(".toml"), stem.with_suffix(".jsonl")
    make_folder(stem.parent)
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise MachineError(f"cannot write {file} ({error.strerror})") from error
    gate = GateOptions(None, None, None)
    run_campaign(Wanted(str(file), build_root, gate, output=records, quiet=True, remedy=REMEDY))
    return compare(load([records]))
