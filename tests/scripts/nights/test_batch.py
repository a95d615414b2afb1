# SPDX-License-Identifier: BSD-3-Clause
"""The scripts for batch systems in packaging/batch/: a campaign in several jobs is one campaign."""

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from project import POLLUX, ROOT, Campaign, write_script

BATCH = ROOT / "packaging/batch"
BODY = BATCH / "campaign.sh"
SYSTEMS = sorted(path for path in BATCH.iterdir() if path != BODY)
SUBMIT = {"slurm": "sbatch", "pbs": "qsub", "lsf": "bsub", "flux": "flux"}
PROCESSES = 12
ADDING = """\
n=$(cat {0}/n 2>/dev/null || echo 0)
trap 'exit 130' TERM
while [ "$n" -lt {1} ]; do
    n=$((n + 1)); echo "$n" >{0}/n
    echo '{{"event":"sample"}}' >>{0}/records.jsonl
    if [ $((n % 4)) = 0 ]; then while :; do sleep 0.01; done; fi
done
exit 0"""


def run_job(folder: Path, seconds: float, *command: object) -> subprocess.CompletedProcess[str]:
    """A job: its submissions of further jobs are lines of a file."""
    words = [str(BODY), str(seconds), "echo again >>submitted", "records.jsonl", *map(str, command)]
    environment = {**os.environ, "POLLUX_SUBMIT_TRIES": "1"}
    return subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def submissions(folder: Path) -> int:
    file = folder / "submitted"
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_jobs_follow_each_other_until_the_campaign_is_complete(tmp_path: Path) -> None:
    command = tmp_path / "campaign"
    write_script(command, ADDING.format(tmp_path, 10))
    for jobs in (1, 2):
        assert run_job(tmp_path, 0.5, command).returncode == 0
        assert submissions(tmp_path) == jobs
    assert run_job(tmp_path, 5, command).returncode == 0
    assert submissions(tmp_path) == 2
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 10


@pytest.mark.parametrize("status", [0, 1, 2, 3, 4, 130])
def test_what_ended_by_itself_is_not_submitted_again(tmp_path: Path, status: int) -> None:
    assert run_job(tmp_path, 5, "sh", "-c", f"exit {status}").returncode == status
    assert submissions(tmp_path) == 0


def test_a_job_that_adds_nothing_is_the_last(tmp_path: Path) -> None:
    ended = run_job(tmp_path, 0.3, "sleep", "5")
    assert ended.returncode == 124 and submissions(tmp_path) == 0
    assert "raise the job's time limit" in ended.stderr


def test_a_system_that_takes_no_job_is_reported_with_the_records(tmp_path: Path) -> None:
    command = tmp_path / "campaign"
    write_script(command, ADDING.format(tmp_path, 10))
    (tmp_path / "submitted").mkdir()
    ended = run_job(tmp_path, 0.5, command)
    assert ended.returncode == 1 and "records.jsonl is safe" in ended.stderr


@pytest.mark.slow
def test_a_real_campaign_in_several_jobs_has_each_sample_once(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    text = f'processes = {PROCESSES}\n[grid]\nsize = 64\nbenchmark = ["cholesky", "lu"]\n'
    text += '[blocks]\nrepeat_budget = "0%"\n'
    run = [str(POLLUX), *campaign.command(text, "--plain")[1:]]
    seconds, jobs = 2.0, 0
    while jobs < 50:
        before, jobs = submissions(tmp_path), jobs + 1
        ended = run_job(tmp_path, seconds, *run)
        if ended.returncode == 124:  # it takes longer to begin here
            seconds *= 2
        elif submissions(tmp_path) == before:
            break
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in campaign.output.read_text().splitlines()]
    assert lines[-1]["event"] == "end" and lines[-1]["stopped"] == "complete"
    taken = Counter((x["configuration"], x["round"]) for x in lines if x["event"] == "sample")
    assert set(taken.values()) == {1}
    assert {round_ for _, round_ in taken} == set(range(PROCESSES))


@pytest.mark.parametrize("path", SYSTEMS, ids=lambda path: path.stem)
def test_each_systems_script_calls_the_campaign_and_submits_itself(
    path: Path, tmp_path: Path
) -> None:
    subprocess.run(["sh", "-n", str(path)], check=True)
    checkout = tmp_path / "pollux"
    write_script(checkout / "packaging/batch/campaign.sh", 'printf "%s\\n" "$@"')
    environment = {**os.environ, "HOME": str(tmp_path), "PBS_O_WORKDIR": str(tmp_path)}
    ran = subprocess.run(
        ["sh", str(path)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    seconds, submit, records, *command = ran.stdout.splitlines()
    assert submit.split()[0] == SUBMIT[path.stem] and path.name in submit
    assert command[1:] == ["run", "night", "--output", records, "--plain"]
    limit = re.search(
        r"(?:time|walltime|W|time-limit)[= ](?:(\d+):(\d+)(?::00)?|(\d+)m)", path.read_text()
    )
    assert limit is not None
    minutes = int(limit[3]) if limit[3] else 60 * int(limit[1]) + int(limit[2])
    assert int(seconds) < 60 * minutes


def test_there_is_a_script_for_each_system() -> None:
    assert {path.stem for path in SYSTEMS} == {*SUBMIT}
