# SPDX-License-Identifier: BSD-3-Clause
"""Real campaigns on runtimes with planted flaws: each is found and named, and stops nothing."""

import json
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from forked import pollux
from project import POLLUX, ROOT
from surroundings import environment

DOUBLES = ROOT / "build/libgomp/tests/doubles"
ROUNDS = 1

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (DOUBLES / "wrong.so").exists(),
        reason="the doubles are not built: scripts/build --tests libgomp",
    ),
]

CAMPAIGN = f"""\
name = "flawed"
processes = {ROUNDS}
time_limit = 10
reference = "plain"

[runtimes]
plain = {{ preset = "libgomp" }}
again = {{ preset = "libgomp" }}

[runtimes.crashing]
preset = "libgomp"
variables = {{ LD_PRELOAD = "{DOUBLES}/crashing.so", POLLUX_DOUBLE_TASK = "5" }}

[runtimes.hanging]
preset = "libgomp"
variables = {{ LD_PRELOAD = "{DOUBLES}/hanging.so", OMP_WAIT_POLICY = "passive" }}

[runtimes.wrong]
preset = "libgomp"
variables = {{ LD_PRELOAD = "{DOUBLES}/wrong.so" }}

[runtimes."slightly wrong"]
preset = "libgomp"
variables = {{ LD_PRELOAD = "{DOUBLES}/wrong.so", POLLUX_DOUBLE_CHANGE = "1e-14" }}

[runtimes."one bit"]
preset = "libgomp"

[runtimes."one bit".variables]
LD_PRELOAD = "{DOUBLES}/wrong.so"
POLLUX_DOUBLE_CHANGE = "bit"
POLLUX_DOUBLE_THREADS = "2"

[runtimes.skipping]
preset = "libgomp"
variables = {{ LD_PRELOAD = "{DOUBLES}/skipping.so", POLLUX_DOUBLE_TASK = "4" }}

[runtimes."also skipping"]
preset = "libgomp"
variables = {{ LD_PRELOAD = "{DOUBLES}/skipping.so", POLLUX_DOUBLE_TASK = "4" }}

[grid]
benchmark = "cholesky"
variant = "depend"
size = 96
tile = 32
threads = 2

[blocks]
repeat_budget = "0%"
"""

Line = dict[str, Any]


class Campaign(NamedTuple):
    """A campaign that was run, and what is in its records."""

    status: int
    path: Path
    lines: list[Line]

    def samples(self, runtime: str) -> list[Line]:
        (hash_,) = (
            line["hash"]
            for line in self.lines
            if line["event"] == "configuration" and line["configuration"]["runtime"] == runtime
        )
        samples = [line for line in self.lines if line["event"] == "sample"]
        return [line for line in samples if line["configuration"] == hash_]


def run(command: Sequence[object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command without the settings of the user's shell."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def flawed(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    folder = tmp_path_factory.mktemp("flawed")
    campaign, records = folder / "flawed.toml", folder / "flawed.jsonl"
    campaign.write_text(CAMPAIGN)
    ran = run([POLLUX, "run", campaign, "--output", records, "--quiet"], folder)
    assert records.exists(), ran.stderr
    return Campaign(
        ran.returncode, records, [json.loads(line) for line in records.read_text().splitlines()]
    )


def test_a_campaign_with_flaws_says_so_and_still_takes_every_sample(flawed: Campaign) -> None:
    assert flawed.status == 1
    assert flawed.lines[-1]["event"] == "end"
    assert flawed.lines[-1]["complete"] is True
    labels = {
        line["configuration"]["runtime"]
        for line in flawed.lines
        if line["event"] == "configuration"
    }
    assert len(labels) == 9
    for runtime in labels:
        rounds = [sample["round"] for sample in flawed.samples(runtime)]
        assert sorted(rounds) == list(range(ROUNDS)), runtime


@pytest.mark.parametrize(
    ("runtime", "outcome", "words"),
    [
        ("plain", "ok", None),
        ("crashing", "crash", "SIGSEGV"),
        ("hanging", "hang", "killed"),
        ("wrong", "failed check", "A-LLT"),
        ("slightly wrong", "ok", None),
        ("one bit", "ok", None),
        ("skipping", "failed check", "A-LLT"),
    ],
)
def test_each_flaw_is_reported_for_what_it_is(
    flawed: Campaign, runtime: str, outcome: str, words: str | None
) -> None:
    for sample in flawed.samples(runtime):
        assert sample["outcome"] == outcome
        assert sample["problem"] is None if words is None else words in sample["problem"]


def test_the_stacks_of_a_hang_show_every_thread(flawed: Campaign) -> None:
    for sample in flawed.samples("hanging"):
        if "no gdb here" in sample["detail"]:
            pytest.skip("there is no gdb")
        assert "run_task" in sample["detail"]
        assert "GOMP_" in sample["detail"] or "gomp_" in sample["detail"]


def test_nobody_is_right_by_majority_until_the_command_that_is_offered_has_run(
    flawed: Campaign, tmp_path: Path
) -> None:
    compared = pollux("compare", flawed.path, folder=tmp_path)
    assert compared.status == 1
    before_speed = compared.stdout.split("GFlop/s")[0]
    (line,) = (line for line in before_speed.splitlines() if "differ: " in line)
    sides = [set(re.findall(r" on ([a-z ]+)", side)) for side in line.split(" against ")]
    assert sorted(map(sorted, sides)) == [["again", "plain"], ["one bit"], ["slightly wrong"]]
    assert trusted(tmp_path, flawed.path) == set()
    (command,) = (line for line in before_speed.splitlines() if "--variant seq" in line)
    assert run(shlex.split(command), tmp_path).returncode == 0
    files = flawed.path, tmp_path / "sequential.jsonl"
    assert trusted(tmp_path, *files) == {"plain", "again", "libgomp"}
    decided = pollux("compare", *files, folder=tmp_path).stdout
    assert "against the sequential run" in decided


def trusted(folder: Path, *files: Path) -> set[str]:
    """The levels that a comparison shows with a speed."""
    found = json.loads(pollux("compare", *files, "--format", "json", folder=folder).stdout)
    assert len(found["disagreements"]) == ROUNDS
    return {row["level"] for row in found["rows"] if row["gflops"] is not None}
