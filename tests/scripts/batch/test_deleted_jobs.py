# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns in jobs go on, or start over, where files of their jobs were deleted or change."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pollux.core.batch import jobs, systems
from pollux.core.batch.following import Follower, Standing
from pollux.core.batch.jobs import Place, Progress
from pollux.core.batch.systems import SYSTEMS, Listed, NoAnswerError, System
from pollux.core.campaign.lines import Configuration, ConfigurationLine, PartOf
from pollux.core.campaign.model import Campaign
from pollux.core.commands.run_jobs import is_complete, submit_missing
from pollux.core.console import make_console
from pollux.core.errors import BadUsageError
from pollux.core.executables.process import CannotStartError
from pollux.core.hashing import digest
from synthetic import write_campaign

Submit = Callable[..., list[Place]]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return tmp_path / "trial.jsonl"


@pytest.fixture
def submit(records: Path, monkeypatch: pytest.MonkeyPatch) -> Submit:
    """Submits the jobs of a campaign to a system that has none; their places."""
    monkeypatch.setattr(System, "jobs", lambda _: {})
    monkeypatch.setattr(Place, "submit", lambda _: "1")

    def submit(
        count: int = 1, *, fresh: bool = False, size: int = 64, cells: str = "dealt"
    ) -> list[Place]:
        table = {"system": "slurm", "time": "1h", "jobs": count, "cells": cells}
        grid = {"benchmark": "lu", "size": size}
        campaign = Campaign.model_validate({"name": "trial", "grid": grid, "submit": table})
        submit_missing(make_console(), campaign, records, fresh=fresh)
        return jobs.places(jobs.folder_of(records))

    return submit


def measured(path: Path, part: PartOf | None = None) -> None:
    write_campaign(path, {"libgomp": 1.0}, rounds=1, part=part)


@pytest.mark.parametrize("count", [1, 2])
def test_fresh_puts_aside_records_whose_jobs_are_not_known(
    count: int, records: Path, submit: Submit
) -> None:
    for place in submit(count):
        measured(Path(place.part().records))
    shutil.rmtree(jobs.folder_of(records))
    places = submit(count, fresh=True)
    assert len(places) == count
    assert not any(Path(place.part().records).exists() for place in places)
    assert len(list(records.parent.glob("trial*-*.jsonl"))) == count


def test_a_submission_goes_on_under_the_name_in_its_records(records: Path, submit: Submit) -> None:
    first, second = (place.part() for place in submit(2))
    part = PartOf(campaign=first.campaign, number=2, of=2, node="n17")
    measured(Path(second.records), part)
    shutil.rmtree(jobs.folder_of(records))
    assert {place.part().campaign for place in submit(2)} == {first.campaign}
    shutil.rmtree(jobs.folder_of(records))
    with pytest.raises(BadUsageError, match="`jobs` of this campaign was 2 and is now 3"):
        submit(3)
    assert {place.part().campaign for place in submit(2, fresh=True)} != {first.campaign}


def test_a_submission_asks_for_the_node_in_its_records(records: Path, submit: Submit) -> None:
    (first,) = submit()
    assert first.progress().node is None
    written = ""
    for node in ("n16", "n17"):
        measured(records, PartOf(campaign=first.part().campaign, number=1, of=1, node=node))
        written += records.read_text()
    records.write_text(written)
    shutil.rmtree(first.folder)
    (again,) = submit()
    assert again.progress().node == "n17"
    (over,) = submit(fresh=True)
    assert over.progress().node is None


def test_what_is_complete_is_submitted_again_for_other_settings_only(
    records: Path, submit: Submit
) -> None:
    (place,) = submit()
    done = Progress(complete=True, status=0)
    place.note(done)
    measured(records)
    assert submit()[0].progress() == done
    assert submit(size=128)[0].progress() != done
    place.note(done)
    records.unlink()
    assert submit(size=128)[0].progress() != done


def test_what_is_complete_says_whether_an_executable_was_rebuilt_since(
    records: Path, submit: Submit, capsys: pytest.CaptureFixture[str]
) -> None:
    (place,) = submit()
    place.note(Progress(complete=True, status=0))
    program = records.with_name("lu")
    program.write_text("as it was measured")
    c = {"runtime": "libomp", "benchmark": "lu", "variant": "depend", "size": 64}
    own = Configuration(**c, executable=str(program), builds={"executable": digest(program)})
    line = ConfigurationLine(hash=own.hash(), configuration=own)
    records.write_text(line.model_dump_json(by_alias=True) + "\n")
    capsys.readouterr()
    submit()
    assert capsys.readouterr().out == "part 1 is complete; --fresh starts over\n"
    program.write_text("as it is built now")
    submit()
    rebuilt = "part 1 is complete, but an executable was rebuilt since; --fresh starts over\n"
    assert capsys.readouterr().out == rebuilt
    program.unlink()
    submit()
    assert capsys.readouterr().out == "part 1 is complete; --fresh starts over\n"


@pytest.mark.parametrize("is_deleted", [False, True])
@pytest.mark.parametrize("other", [{"size": 128}, {"cells": "all"}], ids=str)
def test_cells_are_dealt_once(other: dict[str, Any], submit: Submit, *, is_deleted: bool) -> None:
    part = submit(2)[0].part()
    same = part.model_dump(include={"campaign", "number", "of", "deals", "cells"})
    measured(Path(part.records), PartOf(**same, node="n17"))
    assert len(submit(2)) == 2
    if is_deleted:
        shutil.rmtree(jobs.folder_of(Path(part.records).with_name("trial.jsonl")))
    with pytest.raises(BadUsageError, match="other cells were given to the jobs"):
        submit(2, **other)
    assert len(submit(2, fresh=True, **other)) == 2


def test_complete_parts_stay_complete_if_only_the_way_to_submit_them_changes(
    tmp_path: Path, submit: Submit, records: Path
) -> None:
    (place,) = submit()
    measured(records)
    place.note(Progress(complete=True, status=0))
    part = place.part()
    assert is_complete(place, part.model_copy(update={"seconds": 60.0, "options": ["--account=a"]}))
    assert not is_complete(place, part.model_copy(update={"settings": "others"}))


def test_progress_that_cannot_be_read_for_a_while_is_as_it_was(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place,) = submit()
    place.note(Progress(done=3))
    place.path("submitted").write_text("1")
    monkeypatch.setattr(System, "jobs", lambda _: {"1": Listed(is_running=True, reason="")})
    follower = Follower(SYSTEMS["slurm"], [place])
    (before,) = follower.look()
    assert (before.standing, before.progress.done, before.job) == (Standing.RUNNING, 3, "1")
    with monkeypatch.context() as patch:
        for name in ("stat", "open", "read_bytes", "read_text"):
            patch.setattr(Path, name, stale)
        for _ in range(3):
            assert follower.look() == [before]
            assert "Stale file handle" in follower.line()
    place.path("progress.json").write_text("{}no")
    with pytest.raises(BadUsageError, match="is not a file of a job"):
        follower.look()


def stale(*_: object) -> bytes:
    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))


def test_a_command_that_cannot_be_started_for_a_while_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def short(*_: object, **__: object) -> None:
        raise CannotStartError("sbatch", OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)))

    monkeypatch.setattr(systems, "run_process", short)
    with pytest.raises(NoAnswerError, match="sbatch"):
        systems.call(["sbatch"])
