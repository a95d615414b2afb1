# SPDX-License-Identifier: BSD-3-Clause
"""What the table of batch systems says of their commands."""

from pathlib import Path

import pytest
from pollux.core.batch.systems import SYSTEMS, call
from pollux.core.campaign.model import Campaign
from pollux.core.commands.run_jobs import submit_missing
from pollux.core.console import make_console
from pollux.core.errors import BadUsageError
from pollux.core.executables import process
from pollux.core.executables.process import Ended, run_process


@pytest.mark.parametrize(
    ("system", "printed", "number"),
    [
        ("slurm", "Submitted batch job 12", "12"),
        ("pbs", "12.pbs01", "12"),
        ("lsf", "Job <12> is submitted to queue <long>.", "12"),
        ("flux", "\N{LATIN SMALL LETTER F WITH HOOK}2oCT", "f2oCT"),
        ("flux", "f2oCT", "f2oCT"),
    ],
)
def test_a_jobs_number_is_found_among_lines_of_a_site(
    system: str, printed: str, number: str
) -> None:
    text = f"Welcome\n{printed}\nthe project has 3 h left\n"
    assert SYSTEMS[system].number_of(Ended(0, text, "")) == number


@pytest.mark.parametrize(
    ("system", "folder"), [("slurm", "a\\b"), ("pbs", "12:30"), ("lsf", "50%"), ("flux", "{{id}}")]
)
def test_a_log_that_would_be_elsewhere_is_refused_before_anything_is_done(
    system: str, folder: str, tmp_path: Path
) -> None:
    records = tmp_path / folder / "trial.jsonl"
    records.parent.mkdir()
    records.touch()
    table = {"system": system, "time": "1h"}
    grid = {"benchmark": "lu", "size": 64}
    campaign = Campaign.model_validate({"name": "trial", "grid": grid, "submit": table})
    with pytest.raises(BadUsageError, match=r"in the path of a log .* --output names"):
        submit_missing(make_console(), campaign, records, fresh=True)
    assert [*records.parent.iterdir()] == [records]


def test_jobs_inherit_no_limits_of_this_package(monkeypatch: pytest.MonkeyPatch) -> None:
    limited: list[int] = []
    monkeypatch.setattr(process, "limit_files", lambda _, file_bytes: limited.append(file_bytes))
    assert call(["true"]).status == 0
    assert limited == []
    run_process(["true"], {}, 10.0)
    assert limited == [process.OUTPUT_BYTES]
