# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns in the jobs of batch systems, on stand-ins that take the real commands."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pollux.core.batch import jobs
from pollux.core.batch.following import Follower, Standing, follow
from pollux.core.batch.jobs import Part, Place, Progress
from pollux.core.batch.systems import SYSTEMS, NoAnswerError, System
from pollux.core.campaign.lines import Outcome
from pollux.core.commands.run_jobs import Noted, run_in_job
from pollux.core.console import make_console
from pollux.core.errors import InterruptedByUserError, MachineError
from pollux.core.executables.process import run_process
from project import HELPERS, Campaign, write_script
from synthetic import write_campaign

LONG = 600.0  # seconds
FAKE = HELPERS / "fake_batch.py"
COMMANDS = ("sbatch", "squeue", "qsub", "qstat", "bsub", "bjobs", "flux", "run")
GRID = """\
[grid]
benchmark = ["cholesky", "lu"]
variant = "depend"
size = 64
[blocks]
repeat_budget = "0%"
"""


@dataclass(frozen=True)
class Batch:
    """The stand-in, and the folder of its jobs."""

    folder: Path

    def trouble(self, kind: str, times: int) -> None:
        (self.folder / "trouble").write_text(f"{kind} {times}")

    def job(self, number: int) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.folder / str(number) / "job").read_text())
        return found

    def count(self) -> int:
        return sum(path.is_dir() for path in self.folder.iterdir())

    def ends(self, number: int) -> None:
        self.becomes(number, "ended")

    def becomes(self, number: int, state: str) -> None:
        (self.folder / str(number) / "state").write_text(state)

    def run(self, number: int) -> int:
        return subprocess.run(["run", str(number)], check=False).returncode


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    commands, folder = tmp_path / "commands", tmp_path / "queue"
    folder.mkdir()
    for name in COMMANDS:
        write_script(commands / name, f'exec "{sys.executable}" -ES "{FAKE}" {name} "$@"')
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_BATCH", str(folder))
    monkeypatch.setattr(jobs, "PAUSE", 0.0)
    for system in SYSTEMS.values():
        monkeypatch.delenv(system.number, raising=False)
    return Batch(folder)


def place_of(tmp_path: Path, system: str, number: int = 1, **fields: object) -> Place:
    folder = tmp_path / "trial.jobs"
    folder.mkdir(exist_ok=True)
    place = Place(folder, number)
    given = {
        **{"campaign": "abc", "number": number, "of": 1, "deals": True, "system": system},
        **{"records": str(tmp_path / "trial.jsonl"), "name": "pollux-a-very-long-campaign-1"},
        **{"seconds": 5400.0, "margin": 60.0, "options": [], "cells": "", "settings": ""},
        **fields,
    }
    jobs.write(place.path("job.json"), Part.model_validate(given).model_dump_json(by_alias=True))
    jobs.write_script(place, ["-c", "pass"], [])
    return place


def in_job(place: Place, measure: Callable[[Part, str, Noted], int]) -> int:
    return run_in_job(make_console(), place.path("job.json"), measure)


def becomes(monkeypatch: pytest.MonkeyPatch, system: str, number: str) -> None:
    """This process is that job."""
    number = number.lstrip("f")
    written = {"pbs": f"{number}.pbs01", "flux": f"\N{LATIN SMALL LETTER F WITH HOOK}{number}"}
    monkeypatch.setenv(SYSTEMS[system].number, written.get(system, number))


def nothing(*_: object) -> int:
    run_process(["tail", "-f", "/dev/null"], {}, LONG)
    return 0


def forever(_part: Part, _node: str, noted: Noted) -> int:
    noted.count += 1
    return nothing()


def wait_until_queued(following: "subprocess.Popen[str]") -> None:
    """Until all of its jobs are submitted."""
    assert following.stdout is not None
    while "queued" not in (line := following.stdout.readline()):
        assert line


@pytest.mark.slow
@pytest.mark.parametrize("system", ["slurm", "lsf"])  # whose scripts are started differently
def test_a_campaign_in_jobs_has_each_sample_once(
    system: str, campaign: Campaign, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    text = f'processes = 2\n{GRID}[submit]\nsystem = "{system}"\ntime = "1h"\njobs = 2\n'
    following = campaign.start("depend", text, "--plain")
    wait_until_queued(following)
    assert [batch.run(number) for number in (1, 2)] == [0, 0]
    following.communicate()
    assert following.returncode == 0
    files = [campaign.output.with_suffix(f".{number}.jsonl") for number in (1, 2)]
    lines = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    taken = Counter((x["configuration"], x["round"]) for own in lines for x in own if "round" in x)
    assert set(taken.values()) == {1} and len(taken) == 2 * 2 * 2
    benchmarks = [
        {x["configuration"]["benchmark"] for x in own if x["event"] == "configuration"}
        for own in lines
    ]
    assert benchmarks == [{"cholesky"}, {"lu"}]  # what is compared stays in one job
    given = {Place(jobs.folder_of(campaign.output), number).part().cells for number in (1, 2)}
    assert {own[0]["part"]["cells"] for own in lines} == given


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_job_whose_time_is_over_submits_the_next_one_for_its_node(
    system: str, tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["-l", "select=1:ncpus=64"] if system == "pbs" else []
    place = place_of(tmp_path, system, seconds=0.05, margin=0.0, options=options)
    number = place.submit()
    becomes(monkeypatch, system, number)
    assert in_job(place, forever) == 0
    job = batch.job(2)
    assert job["after"] == ["1"] and place.job() not in (None, number)
    assert os.uname().nodename in json.dumps(job["options"])
    assert place.progress().node == os.uname().nodename


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_path_of_a_script_is_read_by_no_shell(
    system: str, tmp_path: Path, batch: Batch
) -> None:
    folder = tmp_path / "it's a; place $(false)"
    folder.mkdir()
    place_of(folder, system).submit()
    assert batch.run(1) == 0


def test_a_job_begins_in_the_folder_of_the_command_whatever_its_name(
    tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    monkeypatch.chdir(folder)
    place_of(tmp_path, "slurm").submit()
    assert batch.run(1) == 0


def test_the_log_is_where_pollux_looks_for_it(tmp_path: Path, batch: Batch) -> None:
    folder = tmp_path / "100%j"
    folder.mkdir()
    place = place_of(folder, "slurm")
    place.submit()
    assert batch.run(1) == 0 and place.path("log").exists()


@pytest.mark.parametrize(
    ("option", "printed"), [("--parsable", "1;cluster"), ("--quiet", "nothing")]
)
def test_a_job_whose_number_is_not_printed_is_submitted_once(
    option: str, printed: str, tmp_path: Path, batch: Batch
) -> None:
    place = place_of(tmp_path, "slurm", options=[option])
    with pytest.raises(MachineError, match=f"^Slurm took a job, but printed {printed} in place"):
        place.submit()
    assert batch.count() == 1


def test_a_cancelled_job_submits_nothing(
    tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(*_: object) -> int:
        raise InterruptedByUserError("interrupted")

    place = place_of(tmp_path, "slurm")
    becomes(monkeypatch, "slurm", place.submit())
    with pytest.raises(InterruptedByUserError):
        in_job(place, cancelled)
    assert batch.count() == 1 and place.progress().problem == "it was cancelled"


def test_a_job_without_a_run_is_the_last(
    tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(tmp_path, "slurm", seconds=0.05, margin=0.0)
    becomes(monkeypatch, "slurm", place.submit())
    with pytest.raises(MachineError, match="raise `time`"):
        in_job(place, nothing)
    assert batch.count() == 1


def test_a_full_disk_ends_the_jobs_with_the_reason(
    tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise MachineError("cannot write trial.jsonl (No space left on device)")

    place = place_of(tmp_path, "slurm")
    becomes(monkeypatch, "slurm", place.submit())
    with pytest.raises(MachineError):
        in_job(place, full)
    batch.ends(1)
    (seen,) = follow(Follower(SYSTEMS["slurm"], [place]), lambda _: None)
    assert seen.standing is Standing.ENDED and "No space" in (seen.progress.problem or "")


def test_why_a_job_has_none_after_it_is_told(
    tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(tmp_path, "slurm", seconds=0.05, margin=0.0)
    becomes(monkeypatch, "slurm", place.submit())

    def lost(*_: object, **__: object) -> str:
        raise MachineError("Slurm took a job, but printed nothing")

    monkeypatch.setattr(Place, "submit", lost)
    with pytest.raises(MachineError):
        in_job(place, forever)
    assert place.progress().problem == "Slurm took a job, but printed nothing"


def test_a_job_on_another_node_hands_over_to_that_of_its_records(
    tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(tmp_path, "slurm")
    becomes(monkeypatch, "slurm", place.submit())
    place.note(Progress(node="n17"))
    (tmp_path / "trial.jsonl").touch()
    assert in_job(place, forever) == 0
    assert batch.job(2)["options"]["nodelist"] == "n17"  # type: ignore[index]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_server_that_is_down_for_a_while_is_asked_again(
    system: str, tmp_path: Path, batch: Batch
) -> None:
    place = place_of(tmp_path, system)
    batch.trouble("down", 2)
    assert place.submit() == place.job() and batch.count() == 1
    batch.trouble("down", jobs.FIRST_TRIES)
    with pytest.raises(MachineError, match=r"takes no job.*run the same command again to resume"):
        place.submit()
    follower = Follower(SYSTEMS[system], [place])
    batch.trouble("down", 1)
    assert follower.look()[0].standing is Standing.QUEUED and "does not answer" in follower.line()
    assert follower.look()[0].standing is Standing.QUEUED and follower.trouble == ""


@pytest.mark.parametrize("system", SYSTEMS)
def test_of_two_jobs_after_a_lost_answer_one_measures(
    system: str, tmp_path: Path, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(tmp_path, system)
    batch.trouble("lost", 1)
    noted = place.submit()
    assert batch.count() == 2
    becomes(monkeypatch, system, "1")
    assert in_job(place, forever) == 0  # at once
    becomes(monkeypatch, system, noted)
    assert in_job(place, lambda *_: 0) == 0
    assert place.progress().complete


@pytest.mark.parametrize("system", SYSTEMS)
def test_jobs_that_ended_are_not_listed(system: str, tmp_path: Path, batch: Batch) -> None:
    assert SYSTEMS[system].jobs() == {}
    number = place_of(tmp_path, system).submit()
    assert list(SYSTEMS[system].jobs()) == [number]
    batch.ends(1)
    assert SYSTEMS[system].jobs() == {}
    batch.trouble("down", 1)
    with pytest.raises(NoAnswerError):
        SYSTEMS[system].jobs()


def test_a_job_that_vanished_has_ended(tmp_path: Path, batch: Batch) -> None:
    place = place_of(tmp_path, "slurm")
    place.submit()
    follower = Follower(SYSTEMS["slurm"], [place])
    assert follower.look()[0].standing is Standing.QUEUED
    assert follower.line() == "1 queued (Priority)"
    for state in ("ended", "running", "ended"):  # once it was merely not listed
        batch.becomes(1, state)
        assert follower.look()[0].standing is not Standing.ENDED
    assert follower.look()[0].standing is Standing.ENDED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('system = "sge"\ntime = "1h"', "choose from 'slurm', 'pbs', 'lsf' or 'flux'"),
        ('system = "slurm"', "submit.time: is missing"),
        ('system = "slurm"\ntime = "1h"\nmargin = "1h"', "`margin` must be shorter than `time`"),
        ('system = "slurm"\ntime = "1h"\njobs = 0', "at least 1"),
        ('system = "slurm"\ntime = "1h"\nqueue = "x"', "unknown key"),
    ],
)
def test_wrong_tables_are_refused_in_a_line(campaign: Campaign, text: str, words: str) -> None:
    ended = campaign.run("depend", f"{GRID}[submit]\n{text}\n")
    assert ended.returncode == 2 and words in ended.stderr


def test_an_interrupt_leaves_the_jobs_and_says_how_to_come_back(
    campaign: Campaign, batch: Batch
) -> None:
    text = f'{GRID}[submit]\nsystem = "slurm"\ntime = "1h"\n'
    for options in ((), ("--attach",)):
        following = campaign.start("depend", text, "--plain", *options)
        wait_until_queued(following)
        following.send_signal(signal.SIGINT)
        _, errors = following.communicate()
        assert following.returncode == 130
        assert "--plain --attach shows them again, scancel 1 ends them" in errors
        assert batch.count() == 1


def test_the_time_of_the_setup_is_of_the_job(tmp_path: Path) -> None:
    place = place_of(tmp_path, "slurm")
    jobs.write_script(place, ["-c", "pass"], ["module load gcc"])
    lines = place.path("sh").read_text().splitlines()
    assert lines.index(f"{jobs.BEGAN}=$(date +%s)") < lines.index("eval 'module load gcc'")


@pytest.mark.parametrize("system", ["slurm", "lsf"])  # whose scripts are started differently
def test_a_line_of_the_setup_that_fails_ends_the_job(
    system: str, tmp_path: Path, batch: Batch
) -> None:
    """Lines are bash: no other shell has the first one."""
    place = place_of(tmp_path, system)
    measure = ["-c", f"open({str(tmp_path / 'measured')!r}, 'w')"]
    for lines, status in (
        (["[[ a = a ]]", "false || false", "true"], 3),
        (["false &&", "true"], 3),
        (["[[ a = a ]]"], 0),
    ):
        jobs.write_script(place, measure, lines)
        assert batch.run(int(place.submit())) == status
        assert (tmp_path / "measured").exists() == (status == 0)
    said = "pollux: this line of [submit] setup failed, with status 1: false || false\n"
    assert said in place.path("log").read_text()


def test_what_no_node_could_run_is_not_submitted(campaign: Campaign, batch: Batch) -> None:
    text = f'{GRID}[submit]\nsystem = "slurm"\ntime = "1h"\n'
    ended = campaign.run("depend", text, "--set", "variant=nosuch")
    assert ended.returncode == 2 and "nosuch" in ended.stderr
    assert batch.count() == 0


def test_fresh_is_refused_while_there_are_jobs(campaign: Campaign, batch: Batch) -> None:
    place = place_of(campaign.output.parent, "slurm")
    place.folder.rename(campaign.output.with_suffix(".jobs"))
    Place(campaign.output.with_suffix(".jobs"), 1).submit()
    text = f'{GRID}[submit]\nsystem = "slurm"\ntime = "1h"\n'
    ended = campaign.run("depend", text, "--fresh")
    assert ended.returncode == 2 and "scancel 1 ends them" in ended.stderr
    assert batch.count() == 1


def test_within_a_job_of_the_system_nothing_is_submitted(
    campaign: Campaign, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'processes = 1\n{GRID}[submit]\nsystem = "slurm"\ntime = "1h"\njobs = 2\n'
    shown = campaign.run("depend", text, "--dry-run").stdout
    assert "2 jobs of Slurm, each followed by others, to which the cells are dealt" in shown
    becomes(monkeypatch, "slurm", "7")
    assert campaign.run("depend", text).returncode == 0
    lines = [json.loads(line) for line in campaign.output.read_text().splitlines()]
    assert sum(line["event"] == "sample" for line in lines) == 4
    assert batch.count() == 0
    campaign.output.unlink()
    ended = campaign.run("depend", text, "--attach")  # which measures nothing
    assert ended.returncode == 2 and "has no jobs" in ended.stderr
    assert not campaign.output.exists()


def test_attach_is_for_what_was_submitted(campaign: Campaign, batch: Batch) -> None:
    assert "--attach is for campaigns with" in campaign.run("depend", GRID, "--attach").stderr
    text = f'{GRID}[submit]\nsystem = "lsf"\ntime = "1h"\n'
    ended = campaign.run("depend", text, "--attach")
    assert ended.returncode == 2 and "has no jobs" in ended.stderr and batch.count() == 0
    ended = campaign.run("depend", text, "--attach", "--fresh")
    assert ended.returncode == 2 and "give one of them" in ended.stderr


@pytest.mark.parametrize(
    ("status", "options"), [(0, ()), (0, ("--quiet",)), (1, ("--quiet",)), (3, ("--quiet",))]
)
def test_the_status_is_that_of_what_the_jobs_had_planned(
    status: int, options: tuple[str, ...], campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(System, "jobs", lambda _: {})
    removed = {("libomp", "depend"): Outcome.CRASH}
    write_campaign(campaign.output, {"libgomp": 1.0, "libomp": 1.0}, rounds=1, outcomes=removed)
    place = place_of(campaign.output.parent, "slurm", records=str(campaign.output))
    place.note(Progress(complete=True, status=status))
    place.folder.rename(jobs.folder_of(campaign.output))
    text = f'{GRID}[submit]\nsystem = "slurm"\ntime = "1h"\n'
    ended = campaign.run("depend", text, "--attach", *options)
    assert ended.returncode == status
    assert ("1 complete" in ended.stdout) == (not options)


def test_a_machine_without_the_commands_is_told(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    ended = campaign.run("depend", f'{GRID}[submit]\nsystem = "lsf"\ntime = "1h"\n')
    assert ended.returncode == 3 and "needs the commands of its batch system" in ended.stderr
